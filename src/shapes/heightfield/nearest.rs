//! The nearest point of a heightfield, by a depth-first branch-and-bound search of the pyramid. Of
//! a block's children, the one that may be nearest is searched first.

use super::Heightfield;
use super::faces::BOTTOM;
use super::facets::{CellLayer, Facet};
use super::pyramid::{FIRST_BLOCKS, children, side, side_bits};
use crate::math::Bounds;
use crate::shapes::ClosedForm;
use arrayvec::ArrayVec;
use glam::{DMat3, DVec3};
use std::ops::Range;

impl Heightfield {
    /// Returns the nearest point and its `primitive_id`, the lower one of two equally near. Returns
    /// `None` if all are farther away than the square root of `within`.
    pub(crate) fn closest_point(&self, point: DVec3, within: f64) -> Option<(DVec3, u32)> {
        let world_from_field = self.world_from_field();
        let local_point = world_from_field.transpose() * (point - self.center);
        // The pad exceeds every rounding error below.
        let pad = 1e-12 * (point.length() + self.center.length() + self.bounding_radius());
        let inner = |cell: usize, cells: usize| cell.clamp(self.rim(), cells - 1 - self.rim());
        let [rows, columns] = self.cells();
        let first = [
            inner(self.row_at(local_point.y), rows),
            inner(self.column_at(local_point.x), columns),
        ];
        let mut search = Search {
            field: self,
            world_from_field,
            point,
            local_point,
            pad,
            least: within,
            best: None,
            first,
        };
        // The cell below or above the point bounds the distance well, so little is left to search
        // around it.
        search.test_cell(first);
        if self.base.is_some() {
            let bottom = self.triangle_count() + BOTTOM;
            search.note(self.closest_point_of_bottom(point), bottom as u32);
        }
        let above = search.gap(local_point.z, self.lowest, self.highest);
        let aside = (search.least - above * above).max(0.0).sqrt() + pad;
        let rows = self.row_at(local_point.y - aside)..self.row_at(local_point.y + aside) + 1;
        let columns =
            self.column_at(local_point.x - aside)..self.column_at(local_point.x + aside) + 1;
        let level = self.level_of(rows.len().max(columns.len()));
        let blocks = |cells: Range<usize>| {
            cells.start >> side_bits(level)..((cells.end - 1) >> side_bits(level)) + 1
        };
        search.descend(level, blocks(rows), blocks(columns));
        search.best
    }
}

impl Heightfield {
    fn closest_point_of_bottom(&self, point: DVec3) -> DVec3 {
        let axes = self.world_from_field();
        let Bounds { min, max } = self.local_bounds();
        let local_point = axes.transpose() * (point - self.center);
        self.center + axes * local_point.clamp(min, DVec3::new(max.x, max.y, min.z))
    }

    /// Along a side, cells are searched outwards from the one next to the point, until all others
    /// are farther away.
    pub(super) fn closest_point_of_face(&self, point: DVec3, face: usize) -> DVec3 {
        if face == BOTTOM {
            return self.closest_point_of_bottom(point);
        }
        let axes = self.world_from_field();
        let local_point = axes.transpose() * (point - self.center);
        let [rows, columns] = self.cells();
        let (own, cells) = match face {
            0 | 1 => (self.row_at(local_point.y), rows),
            _ => (self.column_at(local_point.x), columns),
        };
        let own = own.clamp(1, cells - 2);
        let mut nearest = (f64::INFINITY, DVec3::NAN);
        for away in 0..cells {
            let before = own.checked_sub(away).filter(|&cell| cell >= 1);
            let after = Some(own + away).filter(|&cell| cell <= cells - 2);
            let mut is_near = false;
            for cell in [before, after].into_iter().flatten() {
                let [row, column] = match face {
                    0 => [cell, 0],
                    1 => [cell, columns - 1],
                    2 => [0, cell],
                    _ => [rows - 1, cell],
                };
                let (place, ends) = match face {
                    0 | 1 => (local_point.y, [self.y_of(cell), self.y_of(cell + 1)]),
                    _ => (local_point.x, [self.x_of(cell), self.x_of(cell + 1)]),
                };
                let gap = (ends[0] - place).max(place - ends[1]).max(0.0);
                if gap * gap > nearest.0 {
                    continue;
                }
                is_near = true;
                for is_left in [false, true] {
                    let facet = Facet { layer: CellLayer::Surface, row, column, is_left };
                    let found = ClosedForm::closest_point(&self.triangle_of(&axes, facet), point);
                    let squared = found.distance_squared(point);
                    if squared < nearest.0 {
                        nearest = (squared, found);
                    }
                }
            }
            if !is_near {
                break;
            }
        }
        nearest.1
    }

    /// Returns true if it is a solid that contains a point, including the boundary. The surface
    /// over a cell is a plane on either side of the diagonal. The point's height is compared with
    /// that plane, with both multiplied by the cell's area.
    pub(crate) fn holds(&self, point: DVec3) -> bool {
        if self.base.is_none() {
            return false;
        }
        let local_point = self.world_from_field().transpose() * (point - self.center);
        let Bounds { min, max } = self.local_bounds();
        let is_in_box = local_point.cmpge(min).all() && local_point.cmple(max).all();
        if !is_in_box {
            return false;
        }
        let [rows, columns] = self.cells();
        let row = self.row_at(local_point.y).clamp(1, rows - 2);
        let column = self.column_at(local_point.x).clamp(1, columns - 2);
        let [width, depth] = self.spacing;
        let [x, y] = [local_point.x - self.x_of(column), local_point.y - self.y_of(row)];
        let [corner, far] = [self.height(row, column), self.height(row + 1, column + 1)];
        let [rise_x, rise_y] = match y * width > x * depth {
            true => {
                let beside = self.height(row + 1, column);
                [far - beside, beside - corner]
            }
            false => {
                let beside = self.height(row, column + 1);
                [beside - corner, far - beside]
            }
        };
        (local_point.z - corner) * width * depth <= rise_x * x * depth + rise_y * y * width
    }
}

/// A block's row and column.
type Block = [usize; 2];

/// The largest number of blocks that are sorted together. It is five along each axis, for a range
/// as long as four blocks that begins within one.
const TOGETHER: usize = (FIRST_BLOCKS + 1) * (FIRST_BLOCKS + 1);

struct Search<'a> {
    field: &'a Heightfield,
    world_from_field: DMat3,
    point: DVec3,
    /// The point in the field's own axes.
    local_point: DVec3,
    pad: f64,
    /// The square of the distance within which a triangle must be.
    least: f64,
    best: Option<(DVec3, u32)>,
    /// The cell that was tested before all others.
    first: Block,
}

impl Search<'_> {
    /// Searches these rows and columns of a level's blocks, the nearest first.
    fn descend(&mut self, level: usize, rows: Range<usize>, columns: Range<usize>) {
        let [cells_along_y, cells_along_x] = self.field.cells();
        let mut nearest_first = ArrayVec::<(f64, Block), TOGETHER>::new();
        for row in rows {
            for column in columns.clone() {
                let squared = self.least_squared(level, [row, column]);
                if squared <= self.least {
                    nearest_first.push((squared, [row, column]));
                }
            }
        }
        nearest_first.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        for (squared, [row, column]) in nearest_first {
            if squared > self.least {
                return;
            }
            if level > 0 {
                self.descend(
                    level - 1,
                    children(level, row, cells_along_y),
                    children(level, column, cells_along_x),
                );
            } else if [row, column] != self.first {
                self.test_cell([row, column]);
            }
        }
    }

    /// Returns a lower bound of the squared distance to the block's triangles.
    fn least_squared(&self, level: usize, [row, column]: Block) -> f64 {
        let field = self.field;
        let [last_row, last_column] = field.cells();
        let end = |block: usize, last: usize| ((block + 1) * side(level)).min(last);
        let [low, high] = field.heights_of_block(level, row, column);
        let gaps = DVec3::new(
            self.gap(
                self.local_point.x,
                field.x_of(column * side(level)),
                field.x_of(end(column, last_column)),
            ),
            self.gap(
                self.local_point.y,
                field.y_of(row * side(level)),
                field.y_of(end(row, last_row)),
            ),
            self.gap(self.local_point.z, low, high),
        );
        gaps.length_squared()
    }

    /// Returns a lower bound of the distance of a coordinate from an interval.
    fn gap(&self, x: f64, low: f64, high: f64) -> f64 {
        (low - x).max(x - high).max(self.pad) - self.pad
    }

    fn test_cell(&mut self, [row, column]: Block) {
        for is_left in [false, true] {
            let facet = Facet { layer: CellLayer::Surface, row, column, is_left };
            if let Some(primitive) = self.field.primitive_of(facet) {
                let triangle = self.field.triangle_of(&self.world_from_field, facet);
                self.note(ClosedForm::closest_point(&triangle, self.point), primitive);
            }
        }
    }

    /// Keeps a primitive's nearest point if it is the nearest so far.
    fn note(&mut self, found: DVec3, primitive: u32) {
        let rank = (found.distance_squared(self.point), primitive);
        if rank.0 <= self.least && self.best.is_none_or(|(_, so_far)| rank < (self.least, so_far)) {
            self.least = rank.0;
            self.best = Some((found, rank.1));
        }
    }
}
