//! Reads heights on a grid from a NumPy array or a grey image.

use image::{ColorType, ExtendedColorType, ImageDecoder, ImageError, ImageReader, Limits};
use raytwin_files::memory::HEIGHT_BYTES;
use raytwin_files::npz::{Number, read_npy};
use raytwin_files::{FileError, FileStore};
use std::io::Cursor;
use std::path::Path;

/// The largest number of heights of an image; they need 2 GiB. The limit matters because a small
/// file can have many more.
const MAX_HEIGHTS: u64 = 1 << 28;
/// The largest number of heights of a row or a column.
const MAX_SIDE: u32 = 1 << 24;
const TOO_LARGE: &str = "is too large an image: it may have at most 2^24 pixels along a side, and 2^28 in all; scale it down";

/// A grid of heights, row by row.
#[derive(Debug, PartialEq)]
pub(crate) struct Heights {
    pub rows: usize,
    pub columns: usize,
    pub heights: Vec<f64>,
}

/// Reads an `.npy` array, or a grey `.png` image, whose grey levels are the heights.
///
/// # Errors
/// Returns a [`FileError`] if the file cannot be read or is not of its format, if the grid has
/// fewer than two rows or columns, or if a height is not finite.
pub(crate) fn read(store: &FileStore, path: &Path) -> Result<Heights, FileError> {
    let extension = path.extension().map(|e| e.to_string_lossy().to_lowercase());
    let grid = match extension.as_deref() {
        Some("npy") => from_array(store, path)?,
        Some("png") => from_image(store, path, true)?,
        _ => {
            let reason =
                "is not a grid of heights that raytwin reads: give a .npy or a grey .png file";
            return Err(FileError::meaning(path, "", reason));
        }
    };
    let Heights { rows, columns, .. } = grid;
    if rows < 2 || columns < 2 {
        let reason = format!(
            "is a grid of {rows} by {columns} heights: it must have at least two rows and two columns"
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

fn from_array(store: &FileStore, path: &Path) -> Result<Heights, FileError> {
    let array = read_npy(store, path)?;
    take_memory(store, path, array.numbers.len() as u64)?;
    let [rows, columns] = array.shape[..] else {
        let reason =
            format!("has shape {:?}: heights must have shape (rows, columns)", array.shape);
        return Err(FileError::meaning(path, "", reason));
    };
    if ![f32::DTYPE, f64::DTYPE].contains(&array.dtype) {
        let reason = format!("has type {}: heights must be float32 or float64", array.dtype);
        return Err(FileError::meaning(path, "", reason));
    }
    Ok(Heights { rows, columns, heights: array.numbers })
}

/// Requests the memory of this many heights.
fn take_memory(store: &FileStore, path: &Path, count: u64) -> Result<(), FileError> {
    store.take_memory(path, count * HEIGHT_BYTES, || format!("its {count} heights need"))
}

/// Reads a `.png` image of any type as levels of 8 bits, as MuJoCo does: it uses the red channel of
/// colours and the higher 8 of 16 bits, and stretches fewer bits.
///
/// # Errors
/// Returns a [`FileError`] if the file cannot be read or is not of its format.
pub(crate) fn read_8_bit(store: &FileStore, path: &Path) -> Result<Heights, FileError> {
    from_image(store, path, false)
}

/// Reads an image. One that keeps levels of 16 bits must be grey.
fn from_image(store: &FileStore, path: &Path, keeps_16_bits: bool) -> Result<Heights, FileError> {
    let refuse = |reason: String| Err(FileError::meaning(path, "", reason));
    let broken = |error| match error {
        ImageError::Limits(_) => FileError::meaning(path, "", TOO_LARGE),
        error => FileError::meaning(path, "", format!("is not a readable PNG: {error}")),
    };
    let bytes = store.read(path)?;
    // Deflate compresses at most 1032 bytes into one, so a header that declares more is false.
    let max_size = 1032 * bytes.len() as u64;
    let mut limits = Limits::no_limits();
    [limits.max_image_width, limits.max_image_height] = [Some(MAX_SIDE); 2];
    // This is for rows, texts and colour profiles; the pixels are checked below.
    limits.max_alloc = Some(128 << 20);
    let mut reader = ImageReader::with_format(Cursor::new(bytes), image::ImageFormat::Png);
    reader.limits(limits);
    let decoder = reader.into_decoder().map_err(broken)?;
    let kind = decoder.original_color_type();
    let (columns, rows) = decoder.dimensions();
    let count = u64::from(columns) * u64::from(rows);
    if count > MAX_HEIGHTS {
        return refuse(TOO_LARGE.to_owned());
    }
    let size = decoder.total_bytes();
    if size > max_size {
        return refuse(format!(
            "is truncated: its header declares {columns} by {rows} pixels, too many for the length of the file"
        ));
    }
    let color = decoder.color_type();
    // The decoder would stretch levels of fewer than 8 bits and resolve a palette, which are not
    // heights.
    let is_grey =
        matches!(color, ColorType::L8 | ColorType::L16) && ExtendedColorType::from(color) == kind;
    if keeps_16_bits && !is_grey {
        return refuse(format!(
            "is an image of type {kind:?}: heights must be levels of grey without alpha; convert it to 16-bit grey"
        ));
    }
    take_memory(store, path, count)?;
    let depth = usize::from(color.bytes_per_pixel() / color.channel_count());
    let (mut levels, mut heights) = (Vec::new(), Vec::new());
    let reserved = levels
        .try_reserve_exact(size as usize)
        .and_then(|()| heights.try_reserve_exact(count as usize));
    if let Err(error) = reserved {
        return refuse(format!(
            "has {columns} by {rows} heights, too many for the memory: {error}"
        ));
    }
    levels.resize(size as usize, 0);
    decoder.read_image(&mut levels).map_err(broken)?;
    let pixels = levels.chunks_exact(color.bytes_per_pixel().into());
    heights.extend(pixels.map(|pixel| match pixel[..depth] {
        [low, high] => {
            let level = u16::from_ne_bytes([low, high]);
            f64::from(if keeps_16_bits { level } else { level >> 8 })
        }
        _ => f64::from(pixel[0]),
    }));
    Ok(Heights { rows: rows as usize, columns: columns as usize, heights })
}

#[cfg(test)]
mod tests;
