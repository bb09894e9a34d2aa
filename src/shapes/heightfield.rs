//! The heightfield: a grid of heights with two triangles in each cell. A pyramid of blocks of cells
//! finds them fast.
//!
//! With a base, the grid has a rim: one more row or column of vertices on each side, at the offsets
//! of the outermost ones but at the height of the base. The cells of the rim are the upright sides,
//! so everything that finds cells finds the sides too. The bottom is a second layer of the same
//! cells. A corner has the same bits in each triangle that has it, so the closed field is
//! watertight for the same reason as a mesh.

mod base_face;
mod faces;
mod facets;
mod nearest;
mod pyramid;
#[cfg(test)]
mod tests;
mod walk;

pub(crate) use base_face::BaseFace;

use super::{PlacedShape, PointRounding, PrimitiveKind, Triangle, right_handed_axes};
use crate::fields::{NO_ROTATION, ShapeError, check_length, check_point, rounded, unit_rotation};
use crate::math::{Bounds, Similarity, rotation_matrix, vec4};
use crate::transform::Affine;
use faces::BASE_FACES;
use glam::{DMat3, DQuat, DVec3};
use pyramid::{FIRST_BLOCKS, Pyramid, side_bits};

/// A surface over a grid in its own x and y axes or, with a base, the solid below it.
///
/// Rows follow one another along +y and columns along +x, about the middle of the grid. A diagonal
/// cuts each cell from its lower left to its upper right corner. Triangle 0 is to the right of the
/// diagonal, and triangle 1 is to the left. A `primitive_id` is twice the cell's number plus the
/// triangle's. With a base, the sides at −x, +x, −y and +y and the bottom follow, each one
/// primitive.
#[derive(Clone, Debug, PartialEq)]
pub struct Heightfield {
    heights: Vec<f64>,
    rows: usize,
    columns: usize,
    base: Option<f64>,
    /// The heights with their rim; empty without a base.
    rimmed: Vec<f64>,
    lowest: f64,
    highest: f64,
    pyramid: Pyramid,
    /// The distance from one vertex to the next along x and along y.
    pub spacing: [f64; 2],
    /// The middle of the grid at height 0.
    pub center: DVec3,
    /// The rotation of its own axes into the world's.
    pub rotation: DQuat,
}

impl Heightfield {
    /// Its `type` in scene files.
    pub const NAME: &'static str = "heightfield";

    /// The largest number of rows and of columns: float32 represents every integer up to it.
    const MAX_SIDE: usize = 1 << 24;

    /// Makes a field from heights, given row by row with `columns` in each row.
    ///
    /// # Errors
    /// A [`ShapeError`] for fewer than two rows or columns, and for heights that do not fill their
    /// rows.
    pub fn new(
        heights: Vec<f64>,
        columns: usize,
        spacing: [f64; 2],
        center: DVec3,
        rotation: DQuat,
    ) -> Result<Self, ShapeError> {
        let rows = heights.len().checked_div(columns).unwrap_or(0);
        let sides = 2..=Self::MAX_SIDE;
        if rows * columns != heights.len() || !sides.contains(&rows) || !sides.contains(&columns) {
            return Err(ShapeError {
                field: "heights".to_owned(),
                reason: format!(
                    "are {} numbers in rows of {columns}: a heightfield must have at least 2 rows and 2 columns, rows of equal length, and at most 2^24 rows and columns",
                    heights.len()
                ),
            });
        }
        let [lowest, highest] =
            [f64::min, f64::max].map(|f| heights.iter().copied().reduce(f).unwrap_or(0.0));
        let pyramid = Pyramid::new(&heights, columns);
        Ok(Self {
            heights,
            rows,
            columns,
            base: None,
            rimmed: Vec::new(),
            lowest,
            highest,
            pyramid,
            spacing,
            center,
            rotation,
        })
    }

    /// Returns the field as a solid, with a flat bottom at a height below all others and upright
    /// sides.
    ///
    /// # Errors
    /// A [`ShapeError`], if the base is not below all heights.
    pub fn with_base(self, base: f64) -> Result<Self, ShapeError> {
        let lowest = self.heights.iter().copied().fold(f64::INFINITY, f64::min);
        // No comparison with NaN is true.
        let is_below = base < lowest;
        if !is_below {
            return Err(ShapeError {
                field: "base".to_owned(),
                reason: format!("is {base:?}: it must be below the lowest height, {lowest:?}"),
            });
        }
        let width = self.columns + 2;
        let mut rimmed = vec![base; width * (self.rows + 2)];
        for (row, heights) in self.heights.chunks_exact(self.columns).enumerate() {
            rimmed[(row + 1) * width + 1..][..self.columns].copy_from_slice(heights);
        }
        let pyramid = Pyramid::new(&rimmed, width);
        Ok(Self { base: Some(base), rimmed, lowest: base, pyramid, ..self })
    }

    /// Returns the height of its bottom; `None` for a field that is only a surface.
    pub fn base(&self) -> Option<f64> {
        self.base
    }

    /// Returns the heights, row by row. In a scene they are float32 numbers, stored in float64.
    pub fn heights(&self) -> &[f64] {
        &self.heights
    }

    /// Returns the number of rows of vertices, along y.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Returns the number of columns of vertices, along x.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Returns the number of rows or columns of the grid's rim on each side: 1 with a base, else 0.
    fn rim(&self) -> usize {
        usize::from(self.base.is_some())
    }

    /// Returns the number of the grid's cells along y and along x, with those of the rim.
    pub(crate) fn cells(&self) -> [usize; 2] {
        [self.rows, self.columns].map(|vertices| vertices - 1 + 2 * self.rim())
    }

    /// Returns the number of triangles over the cells, two for each. Those of the sides and the
    /// bottom of a base are not counted.
    pub fn triangle_count(&self) -> usize {
        2 * (self.rows - 1) * (self.columns - 1)
    }

    /// Returns the number of primitives: the triangles and, with a base, the sides and the bottom.
    pub(crate) fn primitive_count(&self) -> usize {
        self.triangle_count() + if self.base.is_some() { BASE_FACES } else { 0 }
    }

    /// Returns one of the triangles over the cells, in world space.
    pub fn triangle(&self, index: usize) -> Option<Triangle> {
        let facet = self.facet_over_cell(index)?;
        Some(self.triangle_of(&self.world_from_field(), facet))
    }

    /// Returns the points whose convex hull is that of the solid over its base.
    pub(crate) fn hull_points(&self) -> Vec<DVec3> {
        let axes = self.world_from_field();
        let in_world = |local: DVec3| self.center + axes * local;
        let Bounds { min, max } = self.local_bounds();
        let corners = [[min.x, min.y], [max.x, min.y], [min.x, max.y], [max.x, max.y]];
        let bottom = corners.map(|[x, y]| in_world(DVec3::new(x, y, min.z)));
        let [rows, columns] = self.cells();
        // For each row, the points on the upper hull of its profile are kept (Andrew's monotone
        // chain).
        let crest = |row: usize| {
            let mut chain: Vec<DVec3> = Vec::new();
            for column in 0..=columns {
                let next = DVec3::new(self.x_of(column), self.y_of(row), self.height(row, column));
                while let [.., a, b] = chain[..]
                    && (b.x - a.x) * (next.z - a.z) >= (b.z - a.z) * (next.x - a.x)
                {
                    chain.pop();
                }
                chain.push(next);
            }
            chain
        };
        let surface = (0..=rows).flat_map(crest).map(in_world);
        surface.chain(bottom).collect()
    }

    /// Returns the volume above its base, the sum of the prisms below the triangles; `None` without
    /// a base.
    pub(crate) fn volume(&self) -> Option<f64> {
        let base = self.base?;
        let height = |row: usize, column: usize| self.heights[row * self.columns + column] - base;
        let of_cell = |row: usize, column: usize| {
            // The two triangles of a cell share the ends of its diagonal.
            let diagonal = height(row, column) + height(row + 1, column + 1);
            2.0 * diagonal + height(row, column + 1) + height(row + 1, column)
        };
        let of_row = |row: usize| (0..self.columns - 1).map(|column| of_cell(row, column)).sum();
        let sum: f64 = (0..self.rows - 1).map(|row| -> f64 { of_row(row) }).sum();
        Some(sum * self.spacing[0] * self.spacing[1] / 6.0)
    }

    fn world_from_field(&self) -> DMat3 {
        rotation_matrix(self.rotation)
    }

    /// Returns the height of a vertex. With a base, the rows and columns of the rim count too.
    fn height(&self, row: usize, column: usize) -> f64 {
        match self.base {
            Some(_) => self.rimmed[row * (self.columns + 2) + column],
            None => self.heights[row * self.columns + column],
        }
    }

    /// Returns the coordinate of a column along the field's own x, from the middle of the grid.
    fn x_of(&self, column: usize) -> f64 {
        offset_from_middle(column, self.columns, self.rim()) * self.spacing[0]
    }

    fn y_of(&self, row: usize) -> f64 {
        offset_from_middle(row, self.rows, self.rim()) * self.spacing[1]
    }

    /// Returns its box in its own axes.
    fn local_bounds(&self) -> Bounds {
        let [last_row, last_column] = self.cells();
        let half = DVec3::new(self.x_of(last_column), self.y_of(last_row), 0.0);
        Bounds { min: -half + DVec3::Z * self.lowest, max: half + DVec3::Z * self.highest }
    }

    pub(crate) fn bounds(&self) -> Bounds {
        let local = self.local_bounds();
        let axes = self.world_from_field();
        let half = 0.5 * (local.max - local.min);
        let reach =
            axes.x_axis.abs() * half.x + axes.y_axis.abs() * half.y + axes.z_axis.abs() * half.z;
        Bounds::around(self.center + axes * local.center(), reach)
    }

    /// Returns the bounding radius about `center`, which may lie far below the heights.
    pub(crate) fn bounding_radius(&self) -> f64 {
        let local = self.local_bounds();
        local.min.abs().max(local.max.abs()).length()
    }

    /// Returns the level at which a traversal or a search of that many cells along an axis begins.
    fn level_of(&self, cells: usize) -> usize {
        (0..self.pyramid.top())
            .take_while(|&level| cells > FIRST_BLOCKS << side_bits(level))
            .count()
    }

    /// Returns the column of the grid's cells that is nearest to a coordinate.
    fn column_at(&self, x: f64) -> usize {
        cell_at(x / self.spacing[0], self.columns, self.rim())
    }

    /// Returns the row of the grid's cells that is nearest to a coordinate.
    fn row_at(&self, y: f64) -> usize {
        cell_at(y / self.spacing[1], self.rows, self.rim())
    }

    /// Returns the lowest and the highest height of a block of cells; at level 0 a block is one
    /// cell.
    fn heights_of_block(&self, level: usize, row: usize, column: usize) -> [f64; 2] {
        if level > 0 {
            return self.pyramid.reach(level, row, column).map(f64::from);
        }
        let corners = [[row, column], [row, column + 1], [row + 1, column], [row + 1, column + 1]];
        let heights = corners.map(|[row, column]| self.height(row, column));
        [f64::min, f64::max].map(|f| heights.into_iter().fold(heights[0], f))
    }

    /// Returns its image, if its axes stay perpendicular and right-handed. A mirror would cut cells
    /// along the other diagonal.
    pub(crate) fn image(&self, map: &Affine) -> Option<Self> {
        let axes = map.linear * rotation_matrix(unit_rotation(&self.rotation.to_array())?);
        let (rotation, scale) = right_handed_axes(&axes)?;
        let mut image = self.clone();
        image.center = map.point(self.center);
        image.rotation = rotation;
        image.spacing = [scale.x * self.spacing[0], scale.y * self.spacing[1]];
        image.heights.iter_mut().for_each(|height| *height *= scale.z);
        image.base = self.base.map(|base| scale.z * base);
        Some(image)
    }

    pub(crate) fn placed(
        &self,
        world_from_field: &Similarity,
    ) -> Result<PlacedShape<Self>, ShapeError> {
        let scale = world_from_field.scale;
        check_point(self.center, || "center".to_owned())?;
        let moved = world_from_field.point(self.center);
        check_point(moved, || "center".to_owned())?;
        let center = rounded(moved);
        let mut spacing = self.spacing;
        for (axis, name) in ["spacing[0]", "spacing[1]"].into_iter().enumerate() {
            let exact = scale * self.spacing[axis];
            check_length(self.spacing[axis], name)?;
            check_length(exact, name)?;
            spacing[axis] = f64::from(exact as f32);
        }
        let to_float32 = |number: f64| f64::from((scale * number) as f32);
        for (index, &height) in self.heights.iter().enumerate() {
            let (row, column) = (index / self.columns, index % self.columns);
            let point = DVec3::Z * if height.is_finite() { scale * height } else { height };
            check_point(point, || format!("heights[{row}][{column}]"))?;
        }
        let heights: Vec<f64> = self.heights.iter().map(|&height| to_float32(height)).collect();
        let unit = unit_rotation(&self.rotation.to_array()).ok_or_else(|| ShapeError {
            field: "rotation_xyzw".to_owned(),
            reason: NO_ROTATION.to_owned(),
        })?;
        let rotation = (world_from_field.rotation * unit).as_quat().as_dquat();
        let mut field = Self::new(heights, self.columns, spacing, center, rotation)?;
        if let Some(base) = self.base {
            let point = DVec3::Z * if base.is_finite() { scale * base } else { base };
            check_point(point, || "base".to_owned())?;
            field = field.with_base(to_float32(base))?;
        }
        let coarse = PointRounding::of([moved]).is_of_far_points(spacing[0].min(spacing[1]));
        let end = field.bounds();
        check_point(end.min.abs().max(end.max.abs()), || "heights".to_owned())?;
        Ok(PlacedShape { shape: field, coarse })
    }

    pub(crate) fn primitive_kind(&self) -> PrimitiveKind {
        match self.base {
            Some(_) => PrimitiveKind::ClosedHeightfield,
            None => PrimitiveKind::Heightfield,
        }
    }

    /// The layout is centre, columns | own x axis in the world, spacing along x | own y axis,
    /// spacing along y | lowest height, highest, rows, 0 | the heights, row by row | the pyramid.
    /// With a base, rows, columns and heights are those of the grid with its rim, and the lowest
    /// height is the base.
    pub(crate) fn pack(&self, params: &mut Vec<[f32; 4]>) {
        let axes = self.world_from_field();
        let local = self.local_bounds();
        let [rows, columns] = self.cells().map(|cells| (cells + 1) as f64);
        params.push(vec4(self.center, columns));
        params.push(vec4(axes.x_axis, self.spacing[0]));
        params.push(vec4(axes.y_axis, self.spacing[1]));
        params.push(vec4(DVec3::new(local.min.z, local.max.z, rows), 0.0));
        let heights = if self.base.is_some() { &self.rimmed } else { &self.heights };
        params.extend(heights.chunks(4).map(|four| {
            [0, 1, 2, 3].map(|index| four.get(index).map_or(0.0, |&height| height as f32))
        }));
        self.pyramid.pack(params);
    }
}

/// Returns the offset of a vertex along an axis of `count` vertices, in spacings from the middle.
/// Those of the rim lie where the outermost ones do.
fn offset_from_middle(index: usize, count: usize, rim: usize) -> f64 {
    index.saturating_sub(rim).min(count - 1) as f64 - 0.5 * (count - 1) as f64
}

/// Returns the cell that is nearest to a coordinate, given in spacings from the middle of an axis
/// of `count` vertices. Beyond the outermost ones lie the cells of the rim.
fn cell_at(coordinate: f64, count: usize, rim: usize) -> usize {
    let index = coordinate + 0.5 * (count - 1) as f64 + rim as f64;
    index.clamp(0.0, (count - 2 + 2 * rim) as f64) as usize
}
