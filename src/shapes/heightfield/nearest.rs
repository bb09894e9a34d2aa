//! The nearest point of a heightfield, by a depth-first branch-and-bound search of the pyramid: of each block's children
//! the one that may be nearest comes first.

use super::Heightfield;
use super::pyramid::{FIRST_BLOCKS, children, side, side_bits};
use crate::shapes::ClosedForm;
use arrayvec::ArrayVec;
use glam::{DMat3, DVec3};
use std::ops::Range;

impl Heightfield {
    /// Returns the nearest point of its triangles and that triangle's index, the lower one of two equally near. Returns
    /// `None` if all are farther away than the square root of `within`.
    pub(crate) fn closest_point(&self, point: DVec3, within: f64) -> Option<(DVec3, u32)> {
        let world_from_field = self.world_from_field();
        let local_point = world_from_field.transpose() * (point - self.center);
        // The pad exceeds every rounding error below.
        let pad = 1e-12 * (point.length() + self.center.length() + self.bounding_radius());
        let first = [self.row_at(local_point.y), self.column_at(local_point.x)];
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
        // The cell below or above the point bounds the distance well, so little is left to search around it.
        search.test_cell(first);
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

/// A block's row and column.
type Block = [usize; 2];

/// The largest number of blocks that are sorted together. It is five along each axis, for a range as long as four blocks
/// that begins within one.
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
        let [_, columns] = self.field.cells();
        let first = 2 * (row * columns + column);
        for index in first..first + 2 {
            let triangle = self.field.triangle_rotated_by(&self.world_from_field, index);
            let found = ClosedForm::closest_point(&triangle, self.point);
            let rank = (found.distance_squared(self.point), index as u32);
            if rank.0 <= self.least
                && self.best.is_none_or(|(_, so_far)| rank < (self.least, so_far))
            {
                self.least = rank.0;
                self.best = Some((found, rank.1));
            }
        }
    }
}
