//! The picture of normals.

use super::{NOTHING, Picture};
use crate::image::files::spilled::SpilledImage;
use crate::ray::NONE;
use image::Rgb;
use std::io;

/// Draws normals by colour: each component from −1..1 becomes 0..255.
pub(in crate::image::files) fn normals(image: &mut SpilledImage) -> io::Result<Picture> {
    let color = |(id, normal): (io::Result<u32>, io::Result<[f32; 3]>)| {
        let (id, normal) = (id?, normal?);
        if id == NONE {
            return Ok(NOTHING);
        }
        Ok(Rgb(normal.map(|n| (127.5 * (n + 1.0)).round() as u8)))
    };
    let mut picture = Picture::empty(image.shown)?;
    let pixels = image.geometry_ids.entries()?.zip(image.normals.entries()?);
    picture.paint(image.size, image.shown, pixels.map(color))?;
    Ok(picture)
}
