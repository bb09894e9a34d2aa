//! The picture of normals.

use super::{NOTHING, Picture};
use crate::image::color;
use crate::image::spilled::SpilledImage;
use image::Rgb;
use raytwin::ray::NONE;
use std::io;

/// Draws normals by colour.
pub(in crate::image) fn normals(image: &mut SpilledImage) -> io::Result<Picture> {
    let color = |(id, normal): (io::Result<u32>, io::Result<[f32; 3]>)| {
        let (id, normal) = (id?, normal?);
        if id == NONE {
            return Ok(NOTHING);
        }
        Ok(Rgb(color::of_normal(normal)))
    };
    let mut picture = Picture::empty(image.shown)?;
    let pixels = image.geometry_ids.entries()?.zip(image.normals.entries()?);
    picture.paint(image.size, image.shown, pixels.map(color))?;
    Ok(picture)
}
