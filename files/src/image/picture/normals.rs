//! The picture of normals.

use super::Picture;
use crate::image::color;
use crate::image::spilled::SpilledImage;
use raytwin::image::Background;
use raytwin::ray::NONE;
use std::io;

pub(in crate::image) fn normals(
    image: &mut SpilledImage,
    background: Background,
) -> io::Result<Picture> {
    let color = |(id, normal): (io::Result<u32>, io::Result<[f32; 3]>)| {
        let (id, normal) = (id?, normal?);
        Ok((id != NONE).then(|| color::of_normal(normal)))
    };
    let mut picture = Picture::empty(image.shown, background)?;
    let pixels = image.geometry_ids.entries()?.zip(image.normals.entries()?);
    picture.paint(image.size, image.shown, pixels.map(color))?;
    Ok(picture)
}
