//! Traversal of a heightfield's pyramid: a line visits the blocks that it passes over, row by row,
//! and descends into those whose heights it reaches.

use super::Heightfield;
use super::facets::{CellLayer, Facet};
use super::pyramid::{children, side, side_bits};
use crate::crossings::Crossing;
use crate::math::Bounds;
use crate::ray::Line;
use crate::shapes::ClosedForm;
use glam::{DMat3, DVec3};
use std::ops::Range;

/// The number of pads by which a crossing may be off along a line that meets the triangle at a sine
/// of 1e-8.
const EDGE_ON: f64 = 1e5;

impl Heightfield {
    /// Returns the distance by which the traversal must widen blocks so that rounding loses none.
    pub(super) fn pad(&self, line: &Line) -> f64 {
        1e-12 * (line.origin.length() + self.center.length() + self.bounding_radius())
    }

    /// Calls `visit` with the t and the `primitive_id` of every crossing in a closed interval, in
    /// no order. A line through an edge that two triangles share crosses one of them.
    pub(crate) fn each_crossing(
        &self,
        line: &Line,
        [t_min, t_max]: [f64; 2],
        mut visit: impl FnMut(f64, u32),
    ) {
        let axes = self.world_from_field();
        self.walk_rotated(&axes, line, [t_min, t_max], self.pad(line), |facet| {
            if let Some(primitive) = self.primitive_of(facet) {
                let crossings = ClosedForm::own_crossings(&self.triangle_of(&axes, facet), line);
                for crossing in crossings.within([t_min, t_max]) {
                    visit(crossing.t, primitive);
                }
            }
            t_max
        });
    }

    /// Returns the first crossing in a closed interval and its `primitive_id`, the lower one of two
    /// at the same t.
    pub(crate) fn first_crossing(
        &self,
        line: &Line,
        [t_min, t_max]: [f64; 2],
    ) -> Option<(Crossing, u32)> {
        let axes = self.world_from_field();
        let mut best: Option<(Crossing, u32)> = None;
        self.walk_rotated(&axes, line, [t_min, t_max], self.pad(line), |facet| {
            let crossings = ClosedForm::crossings(&self.triangle_of(&axes, facet), line);
            if let Some(crossing) = crossings.first_from(t_min)
                && crossing.t <= t_max
                && let Some(primitive) = self.primitive_of(facet)
                && best.is_none_or(|(so_far, best_primitive)| {
                    (crossing.t, primitive) < (so_far.t, best_primitive)
                })
            {
                best = Some((crossing, primitive));
            }
            best.map_or(t_max, |(crossing, _)| crossing.t)
        });
        best
    }

    /// Visits the facets of the cells that the line passes within `pad`, in each layer roughly from
    /// near to far. It goes from `t_min` to the value that the last visit returned, which is
    /// `t_max` at first.
    pub(crate) fn walk(
        &self,
        line: &Line,
        interval: [f64; 2],
        pad: f64,
        visit: impl FnMut(Facet) -> f64,
    ) {
        self.walk_rotated(&self.world_from_field(), line, interval, pad, visit);
    }

    /// Does the same as [`Self::walk`], with the rotation into world space already at hand.
    fn walk_rotated(
        &self,
        world_from_field: &DMat3,
        line: &Line,
        [t_min, t_max]: [f64; 2],
        pad: f64,
        mut visit: impl FnMut(Facet) -> f64,
    ) {
        let field_from_world = world_from_field.transpose();
        let origin = field_from_world * (line.origin - self.center);
        let speed = field_from_world * line.direction;
        let Bounds { min, max } = self.local_bounds();
        let between = |axis: usize, low: f64, high: f64| {
            slab(origin[axis], speed[axis], [low - pad, high + pad])
        };
        let (Some(x), Some(y)) = (between(0, min.x, max.x), between(1, min.y, max.y)) else {
            return;
        };
        let over = meet(x, y);
        let slack = EDGE_ON * pad / speed.length();
        let mut t_max = t_max;
        for &layer in self.layers() {
            let highest = if layer == CellLayer::Bottom { min.z } else { max.z };
            let Some(z) = between(2, min.z, highest) else { continue };
            let span = meet([t_min, t_max], meet(over, z));
            if is_empty(span) {
                continue;
            }
            let mut walk = Walk {
                field: self,
                layer,
                origin,
                speed,
                pad,
                span,
                t_max,
                slack,
                visit: &mut visit,
            };
            let cells = [walk.blocks(0, 1, span), walk.blocks(0, 0, span)];
            let level = self.level_of(cells[0].len().max(cells[1].len()));
            let [rows, columns] = cells.map(|cells| {
                cells.start >> side_bits(level)..((cells.end - 1) >> side_bits(level)) + 1
            });
            walk.descend(level, over, rows, columns);
            t_max = walk.t_max;
        }
    }
}

/// The traversal of a field by a line, in the field's own axes.
struct Walk<'a, V> {
    field: &'a Heightfield,
    layer: CellLayer,
    origin: DVec3,
    speed: DVec3,
    pad: f64,
    /// The part of the interval inside the field's box.
    span: [f64; 2],
    /// The end of the interval of interest, which visits may shorten.
    t_max: f64,
    /// The margin beyond `t_max` within which blocks are still visited, because a crossing of a
    /// triangle seen nearly edge on is imprecise by as much.
    slack: f64,
    visit: V,
}

impl<V: FnMut(Facet) -> f64> Walk<'_, V> {
    /// Visits the triangles that the line may cross in these rows and columns of a level's blocks;
    /// the line is over the parent block in `over`.
    fn descend(&mut self, level: usize, over: [f64; 2], rows: Range<usize>, columns: Range<usize>) {
        for row in in_order(rows, self.speed.y) {
            let Some(over_row) = self.over(level, 1, row) else { continue };
            let over = meet(over, over_row);
            let here = meet(self.span, over);
            if is_empty(here) || here[0] > self.t_max + self.slack {
                continue;
            }
            let passed = self.blocks(level, 0, here);
            let passed = passed.start.max(columns.start)..passed.end.min(columns.end);
            if level == 0 {
                self.visit_cells(row, passed, over);
            } else {
                self.open_blocks(level, row, passed, over);
            }
        }
    }

    fn visit_cells(&mut self, row: usize, columns: Range<usize>, over: [f64; 2]) {
        let heights = self.heights(over);
        for column in in_order(columns, self.speed.x) {
            if self.may_meet(0, row, column, heights) {
                for is_left in [false, true] {
                    self.t_max = (self.visit)(Facet { layer: self.layer, row, column, is_left });
                }
            }
        }
    }

    /// Descends into blocks of a row, which the line is over in `over`.
    fn open_blocks(&mut self, level: usize, row: usize, columns: Range<usize>, over: [f64; 2]) {
        let [cells_along_y, cells_along_x] = self.field.cells();
        for column in in_order(columns, self.speed.x) {
            let Some(over_column) = self.over(level, 0, column) else { continue };
            let over = meet(over, over_column);
            let here = meet(self.span, over);
            let is_passed = !is_empty(here) && here[0] <= self.t_max + self.slack;
            if is_passed && self.may_meet(level, row, column, self.heights(over)) {
                let rows = children(level, row, cells_along_y);
                self.descend(level - 1, over, rows, children(level, column, cells_along_x));
            }
        }
    }

    /// Returns the blocks of a level along one axis that the line passes in an interval.
    fn blocks(&self, level: usize, axis: usize, interval: [f64; 2]) -> Range<usize> {
        let [a, b] = interval.map(|t| self.origin[axis] + t * self.speed[axis]);
        let cell = |place: f64| {
            let cell =
                if axis == 0 { self.field.column_at(place) } else { self.field.row_at(place) };
            cell >> side_bits(level)
        };
        cell(a.min(b) - self.pad)..cell(a.max(b) + self.pad) + 1
    }

    /// Returns the interval in which the line is over or under a row of blocks (axis 1) or a column
    /// (axis 0).
    fn over(&self, level: usize, axis: usize, block: usize) -> Option<[f64; 2]> {
        let count = self.field.cells()[1 - axis];
        let ends = [block * side(level), (block + 1) * side(level)].map(|end| end.min(count));
        let [low, high] = match axis {
            0 => ends.map(|column| self.field.x_of(column)),
            _ => ends.map(|row| self.field.y_of(row)),
        };
        slab(self.origin[axis], self.speed[axis], [low - self.pad, high + self.pad])
    }

    /// Returns the lowest and the highest height of the line in an interval. The callers pass that
    /// of the whole line over a block and do not clip it to the ray, whose ends only the crossings
    /// test.
    fn heights(&self, over: [f64; 2]) -> [f64; 2] {
        let [a, b] = over.map(|t| self.origin.z + t * self.speed.z);
        [a.min(b) - self.pad, a.max(b) + self.pad]
    }

    /// Returns true if a block's range of heights overlaps the given one.
    fn may_meet(
        &self,
        level: usize,
        row: usize,
        column: usize,
        [lowest, highest]: [f64; 2],
    ) -> bool {
        let [low, high] = match self.layer {
            CellLayer::Surface => self.field.heights_of_block(level, row, column),
            CellLayer::Bottom => [self.field.lowest; 2],
        };
        low <= highest && high >= lowest
    }
}

/// Returns indices in the order in which a line with that speed along their axis reaches them.
fn in_order(indices: Range<usize>, speed: f64) -> impl Iterator<Item = usize> {
    let Range { start, end } = indices;
    indices.map(move |index| if speed < 0.0 { start + (end - 1 - index) } else { index })
}

fn meet(a: [f64; 2], b: [f64; 2]) -> [f64; 2] {
    [a[0].max(b[0]), a[1].min(b[1])]
}

fn is_empty(span: [f64; 2]) -> bool {
    span[0] > span[1]
}

/// Returns the interval of t in which a coordinate lies in an interval, or `None` if it never does.
fn slab(origin: f64, speed: f64, [low, high]: [f64; 2]) -> Option<[f64; 2]> {
    if speed == 0.0 {
        let is_inside = (low..=high).contains(&origin);
        return is_inside.then_some([f64::NEG_INFINITY, f64::INFINITY]);
    }
    let (a, b) = ((low - origin) / speed, (high - origin) / speed);
    Some([a.min(b), a.max(b)])
}
