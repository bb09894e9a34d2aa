//! The ElevationGrid (X3D 13.3.4): heights over a grid of columns along +x and rows along +z.

use super::faces::turn;
use crate::mesh::Triangles;
use glam::DVec3;

/// The fields of an ElevationGrid.
pub(in crate::x3d) struct ElevationGrid {
    /// The number of columns.
    pub x_dimension: i64,
    /// The number of rows.
    pub z_dimension: i64,
    /// The distance between columns.
    pub x_spacing: f64,
    /// The distance between rows.
    pub z_spacing: f64,
    /// The heights along +y, row after row.
    pub heights: Vec<f64>,
    /// True if the front is the upper side.
    pub ccw: bool,
}

impl ElevationGrid {
    /// Returns its triangles, two for each cell in the order of the heights. The specification does
    /// not define the diagonal that splits a cell: this uses the one from its first corner, as
    /// raytwin's own heightfields do.
    ///
    /// # Errors
    /// Returns the reason if there are no two rows and columns, too few heights, or a spacing that
    /// is not above 0.
    pub fn triangles(&self) -> Result<Triangles, String> {
        let [columns, rows] = [self.x_dimension, self.z_dimension];
        if columns < 2 || rows < 2 {
            return Err(format!(
                "has {columns} columns and {rows} rows: a surface needs at least 2 of each"
            ));
        }
        let count = self.heights.len();
        // The product is declared by the file, so it is compared before anything is allocated.
        if columns.saturating_mul(rows) > i64::try_from(count).unwrap_or(i64::MAX) {
            return Err(format!(
                "has {count} heights for {columns} columns and {rows} rows: a height is missing"
            ));
        }
        let is_spacing = |spacing: f64| spacing > 0.0 && spacing.is_finite();
        if !is_spacing(self.x_spacing) || !is_spacing(self.z_spacing) {
            return Err(format!(
                "has the spacings {:?} and {:?}: both must be above 0",
                self.x_spacing, self.z_spacing
            ));
        }
        // Both fit: their product is at most the number of heights in memory.
        let [columns, rows] = [columns as usize, rows as usize];
        let vertex = |(index, &height): (usize, &f64)| {
            let [column, row] = [index % columns, index / columns];
            DVec3::new(column as f64 * self.x_spacing, height, row as f64 * self.z_spacing)
        };
        let vertices = self.heights[..columns * rows].iter().enumerate().map(vertex).collect();
        let first_corners = (0..rows - 1)
            .flat_map(|row| (0..columns - 1).map(move |column| row * columns + column));
        let mut triangles: Vec<[u32; 3]> = first_corners
            .flat_map(|first| {
                let [right, below] = [first + 1, first + columns];
                [[first, below + 1, right], [first, below, below + 1]]
            })
            .map(|corners| corners.map(|corner| corner as u32))
            .collect();
        turn(&mut triangles, self.ccw);
        Ok(Triangles { vertices, triangles })
    }
}

#[cfg(test)]
mod tests;
