//! Reads heightmaps: grey levels of an image, the brightest of which is at the size along z.

use super::element::SdfElement;
use super::resources::Resources;
use crate::heights::{self, Heights};
use glam::{DQuat, DVec3};
use raytwin::geometry::Geometry;
use raytwin::shapes::Heightfield;
use raytwin_files::FileError;
use std::collections::HashMap;
use std::path::PathBuf;

/// The heightmaps that were read, by their images and the bits of their sizes and positions.
#[derive(Default)]
pub(super) struct Heightmaps(HashMap<HeightmapKey, Result<Geometry, String>>);

type HeightmapKey = (PathBuf, [[u64; 3]; 2]);

impl Heightmaps {
    /// Reads a `<heightmap>`; the inner error is the reason why it cannot be read.
    pub fn read(
        &mut self,
        resources: &mut Resources<'_>,
        element: &SdfElement,
    ) -> Result<Result<Geometry, String>, FileError> {
        let address = element.required("uri")?.text();
        let size = element.numbers_or("size", [1.0; 3])?;
        let [x, y, z] = element.numbers_or("pos", [0.0; 3])?;
        if size.iter().any(|size| *size <= 0.0) {
            return Ok(Err("its size must be three numbers above 0".to_owned()));
        }
        let path = match resources.path(address, element.path()) {
            Ok(path) => path,
            Err(reason) => return Ok(Err(reason)),
        };
        let bits = [size, [x, y, z]].map(|numbers| numbers.map(f64::to_bits));
        let key = (path, bits);
        let read = self.0.entry(key).or_insert_with_key(|(path, _)| {
            let grid = heights::read(resources.store, path).map_err(|error| error.to_string())?;
            field(grid, size, DVec3::new(x, y, z))
        });
        Ok(read.clone())
    }
}

fn field(grid: Heights, size: [f64; 3], center: DVec3) -> Result<Geometry, String> {
    let Heights { rows, columns, heights } = grid;
    let highest = heights.iter().copied().fold(0.0, f64::max);
    let unit = if highest > 0.0 { size[2] / highest } else { 0.0 };
    // The first row of an image is the top one, which is at the end of y.
    let heights = heights.rchunks(columns).flatten().map(|height| unit * height).collect();
    let spacing = [size[0] / (columns - 1) as f64, size[1] / (rows - 1) as f64];
    Heightfield::new(heights, columns, spacing, center, DQuat::IDENTITY)
        .map(Geometry::from)
        .map_err(|shape_error| shape_error.to_string())
}
