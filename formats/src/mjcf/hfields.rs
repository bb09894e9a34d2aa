//! Reads the heightfields of a model, each asset once: from heights in the XML, a PNG image, or
//! MuJoCo's own binary file. MuJoCo stretches all heights to the range from 0 to the field's size
//! along z, and puts a base below them.

use super::attributes::Attributes;
use super::model::Model;
use crate::heights::{self, Heights};
use glam::{DQuat, DVec3};
use raytwin::geometry::Geometry;
use raytwin::shapes::Heightfield;
use raytwin_files::{FileError, FileStore};
use std::collections::HashMap;
use std::path::Path;
use std::rc::Rc;

/// A range of heights below this counts as none, as in MuJoCo.
const NO_RANGE: f32 = 1e-14;

/// The outcome of each asset that was read, by the address of its element.
#[derive(Default)]
pub(super) struct Hfields(HashMap<usize, Result<Rc<Geometry>, String>>);

impl Hfields {
    /// Reads an asset; the inner error is the reason why its geometry cannot be read.
    pub fn read(
        &mut self,
        model: &Model<'_>,
        asset: &Attributes<'_>,
    ) -> Result<Result<Rc<Geometry>, String>, FileError> {
        let address = std::ptr::from_ref(asset.element).addr();
        if let Some(read) = self.0.get(&address) {
            return Ok(read.clone());
        }
        let read = field(model, asset)?;
        self.0.insert(address, read.clone());
        Ok(read)
    }
}

fn field(
    model: &Model<'_>,
    asset: &Attributes<'_>,
) -> Result<Result<Rc<Geometry>, String>, FileError> {
    if let Some(reason) = asset.not_finite(&["size", "elevation"]) {
        return Ok(Err(reason));
    }
    let size = asset.numbers::<4>("size")?;
    let size = size.filter(|size| size.iter().all(|size| *size > 0.0));
    let [half_x, half_y, top, base] =
        size.ok_or_else(|| asset.refuse("size", "must be four numbers above 0"))?;
    let grid = match asset.text("file") {
        Some(file) => {
            let path = model.asset_path(asset.element, file);
            match read_file(model.store, &path) {
                Ok(grid) => grid,
                Err(error) => return Ok(Err(error.to_string())),
            }
        }
        None => inline(asset)?,
    };
    let Heights { rows, columns, mut heights } = grid;
    if rows < 2 || columns < 2 {
        return Ok(Err(format!(
            "{rows} by {columns} heights: at least two rows and columns are needed"
        )));
    }
    stretch(&mut heights, top);
    let spacing = [2.0 * half_x / (columns - 1) as f64, 2.0 * half_y / (rows - 1) as f64];
    let field = Heightfield::new(heights, columns, spacing, DVec3::ZERO, DQuat::IDENTITY)
        .and_then(|field| field.with_base(-base))
        .map_err(|shape_error| asset.element.refuse(shape_error.to_string()))?;
    Ok(Ok(Rc::new(Geometry::from(field))))
}

/// Stretches heights to the range from 0 to `top`. The arithmetic is MuJoCo's, in float32.
fn stretch(heights: &mut [f64], top: f64) {
    let [lowest, highest] = [f32::min, f32::max].map(|f| {
        let heights = heights.iter().map(|height| *height as f32);
        heights.reduce(f).unwrap_or(0.0)
    });
    for height in heights {
        let above = *height as f32 - lowest;
        let stretched =
            if highest - lowest > NO_RANGE { above / (highest - lowest) } else { above };
        *height = top * f64::from(stretched);
    }
}

/// The heights of the attribute `elevation`, whose first row is the last along y; all zero if it is
/// missing.
fn inline(asset: &Attributes<'_>) -> Result<Heights, FileError> {
    /// The largest number of heights of a field that gives none, so that a small file does not fill
    /// the memory.
    const MAX_FLAT: usize = 1 << 21;
    let side = |name: &str| {
        let side = asset.integer(name)?.filter(|side| *side > 0);
        side.map(|side| side as usize).ok_or_else(|| asset.refuse(name, "must be above 0"))
    };
    let (rows, columns) = (side("nrow")?, side("ncol")?);
    let count = rows.saturating_mul(columns);
    let heights = match asset.list("elevation")? {
        Some(heights) if heights.len() != count => {
            let reason = format!("has {} numbers, but nrow times ncol is {count}", heights.len());
            return Err(asset.refuse("elevation", reason));
        }
        Some(heights) => heights.rchunks(columns).flatten().copied().collect(),
        None if count > MAX_FLAT => {
            let reason = format!("needs {count} flat heights: at most {MAX_FLAT} are allowed");
            return Err(asset.refuse("nrow", reason));
        }
        None => vec![0.0; count],
    };
    Ok(Heights { rows, columns, heights })
}

fn read_file(store: &FileStore, path: &Path) -> Result<Heights, FileError> {
    let extension = path.extension().map(|extension| extension.to_ascii_lowercase());
    if extension.is_none_or(|extension| extension != "png") {
        return read_binary(store, path);
    }
    // The first row of an image is the top one.
    let Heights { rows, columns, heights } = heights::read_8_bit(store, path)?;
    let heights = heights.rchunks(columns).flatten().copied().collect();
    Ok(Heights { rows, columns, heights })
}

/// Reads MuJoCo's own format: the numbers of rows and columns, and then float32 heights.
fn read_binary(store: &FileStore, path: &Path) -> Result<Heights, FileError> {
    let bytes = store.read(path)?;
    let refuse = |reason: String| Err(FileError::meaning(path, "", reason));
    let (words, _) = bytes.as_chunks::<4>();
    let [rows, columns, ..] = words else {
        return refuse(
            "is not a heightfield: it must begin with the numbers of its rows and columns"
                .to_owned(),
        );
    };
    let [rows, columns] = [rows, columns].map(|word| u64::from(u32::from_le_bytes(*word)));
    let length = rows.saturating_mul(columns).saturating_mul(4).saturating_add(8);
    if length != bytes.len() as u64 || columns == 0 {
        return refuse(format!(
            "is damaged: its header declares {rows} by {columns} heights, but the file has {} bytes",
            bytes.len()
        ));
    }
    let heights: Vec<f64> =
        words[2..].iter().map(|word| f64::from(f32::from_le_bytes(*word))).collect();
    if let Some(index) = heights.iter().position(|height| !height.is_finite()) {
        let place = format!("heights[{}][{}]", index / columns as usize, index % columns as usize);
        let reason = format!("is {}: it must be a finite number", heights[index]);
        return Err(FileError::meaning(path, place, reason));
    }
    Ok(Heights { rows: rows as usize, columns: columns as usize, heights })
}
