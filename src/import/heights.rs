//! Heights on a grid, from an array or a grey image.

use crate::files::FileError;
use crate::npz::{Number, read_npy};
use image::{DynamicImage, ExtendedColorType, ImageDecoder, ImageReader, Limits};
use std::io::Cursor;
use std::path::Path;

/// The bytes that deflate packs into one at best: a head that promises more is false, and is not believed, or it would
/// reserve all memory.
const MOST_INFLATED: u64 = 1032;

/// A grid of heights, row by row.
#[derive(Debug, PartialEq)]
pub(crate) struct Heights {
    pub rows: usize,
    pub columns: usize,
    pub heights: Vec<f64>,
}

/// Reads `.npy`, or a grey `.png`, of which the heights are the levels as they stand.
///
/// # Errors
/// [`FileError`]: unreadable, not of its format, not a grid of two rows and columns or more, a height
/// that is not finite.
pub(crate) fn read(path: &Path) -> Result<Heights, FileError> {
    let extension = path.extension().map(|e| e.to_string_lossy().to_lowercase());
    let grid = match extension.as_deref() {
        Some("npy") => from_array(path)?,
        Some("png") => from_image(path)?,
        _ => {
            let reason =
                "is not a grid of heights that raytwin reads: give a .npy or a grey .png file";
            return Err(FileError::meaning(path, "", reason));
        }
    };
    let Heights { rows, columns, .. } = grid;
    if rows < 2 || columns < 2 {
        let reason = format!(
            "is a grid of {rows} by {columns} heights: it must have two rows and two columns at least"
        );
        return Err(FileError::meaning(path, "", reason));
    }
    if let Some(index) = grid.heights.iter().position(|height| !height.is_finite()) {
        let place = format!("heights[{}][{}]", index / columns, index % columns);
        let reason = format!("is {}: it must be a finite number", grid.heights[index]);
        return Err(FileError::meaning(path, place, reason));
    }
    Ok(grid)
}

fn from_array(path: &Path) -> Result<Heights, FileError> {
    let array = read_npy(path)?;
    let [rows, columns] = array.shape[..] else {
        let reason = format!("has shape {:?}: heights are of shape (rows, columns)", array.shape);
        return Err(FileError::meaning(path, "", reason));
    };
    if array.dtype == u32::DTYPE {
        let reason = "is of type uint32: heights are float32 or float64";
        return Err(FileError::meaning(path, "", reason));
    }
    Ok(Heights { rows, columns, heights: array.numbers })
}

fn from_image(path: &Path) -> Result<Heights, FileError> {
    let broken = |error| FileError::meaning(path, "", format!("is not a readable PNG: {error}"));
    let bytes = std::fs::read(path).map_err(FileError::read(path))?;
    let length = bytes.len() as u64;
    let mut limits = Limits::no_limits();
    // What the decoder needs beside the levels.
    limits.max_alloc = Some((64 << 20) + MOST_INFLATED * length);
    let mut reader = ImageReader::with_format(Cursor::new(bytes), image::ImageFormat::Png);
    reader.limits(limits);
    let decoder = reader.into_decoder().map_err(broken)?;
    let kind = decoder.original_color_type();
    // Levels of fewer than 8 bits would be stretched, and a palette resolved.
    let is_as_stored = ExtendedColorType::from(decoder.color_type()) == kind;
    let is_grey = matches!(kind, ExtendedColorType::L8 | ExtendedColorType::L16);
    if !(is_grey && is_as_stored) {
        let reason = format!(
            "is an image of type {kind:?}: heights are levels of grey without alpha; convert it to 16-bit grey"
        );
        return Err(FileError::meaning(path, "", reason));
    }
    let promised = decoder.total_bytes();
    if promised > MOST_INFLATED * length {
        let reason = format!(
            "is truncated: its head promises levels of {promised} bytes, and there are {length} bytes of it"
        );
        return Err(FileError::meaning(path, "", reason));
    }
    let image = DynamicImage::from_decoder(decoder).map_err(broken)?;
    let [columns, rows] = [image.width(), image.height()].map(|side| side as usize);
    let heights = match image {
        DynamicImage::ImageLuma8(grey) => grey.into_raw().into_iter().map(f64::from).collect(),
        grey => grey.into_luma16().into_raw().into_iter().map(f64::from).collect(),
    };
    Ok(Heights { rows, columns, heights })
}

#[cfg(test)]
mod tests;
