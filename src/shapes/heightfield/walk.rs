//! The triangles that a line may cross: rows and columns of blocks that it passes, then those of the blocks in them
//! where it is no higher and no lower than the field.

use super::pyramid::{children, side, side_bits};
use super::{Heightfield, cell_at};
use crate::crossings::Crossing;
use crate::math::Bounds;
use crate::ray::Line;
use crate::shapes::ClosedForm;
use glam::{DMat3, DVec3};
use std::ops::Range;

impl Heightfield {
    /// By how much a walk must widen blocks so that rounding loses none.
    fn pad(&self, line: &Line) -> f64 {
        1e-12 * (line.origin.length() + self.center.length() + self.bounding_radius())
    }

    /// Tells every crossing of a triangle in a closed interval, and which, in no order; where two share an edge,
    /// one of them.
    pub(crate) fn each_crossing(
        &self,
        line: &Line,
        [t_min, t_max]: [f64; 2],
        mut tell: impl FnMut(f64, u32),
    ) {
        let axes = self.world_from_field();
        self.walk_turned(&axes, line, [t_min, t_max], self.pad(line), |place| {
            let triangle = self.triangle_turned_by(&axes, place);
            let crossings = ClosedForm::own_crossings(&triangle, line);
            for crossing in crossings.within([t_min, t_max]) {
                tell(crossing.t, place as u32);
            }
            t_max
        });
    }

    /// Where the line first crosses a triangle in a closed interval, and which; the lower of two at one place.
    pub(crate) fn first_crossing(
        &self,
        line: &Line,
        [t_min, t_max]: [f64; 2],
    ) -> Option<(Crossing, u32)> {
        let axes = self.world_from_field();
        let mut best: Option<(Crossing, u32)> = None;
        self.walk_turned(&axes, line, [t_min, t_max], self.pad(line), |place| {
            let triangle = self.triangle_turned_by(&axes, place);
            let crossings = ClosedForm::crossings(&triangle, line);
            if let Some(crossing) = crossings.first_from(t_min)
                && crossing.t <= t_max
                && best.is_none_or(|(so_far, own)| (crossing.t, place as u32) < (so_far.t, own))
            {
                best = Some((crossing, place as u32));
            }
            best.map_or(t_max, |(crossing, _)| crossing.t)
        });
        best
    }

    /// The triangles of the cells that the line passes within `pad`, between `t_min` and the value that the last
    /// visit returned, at first `t_max`; roughly from near to far.
    pub(crate) fn walk(
        &self,
        line: &Line,
        interval: [f64; 2],
        pad: f64,
        visit: impl FnMut(usize) -> f64,
    ) {
        self.walk_turned(&self.world_from_field(), line, interval, pad, visit);
    }

    /// As [`Self::walk`], where the turn into world space is at hand.
    fn walk_turned(
        &self,
        world_from_field: &DMat3,
        line: &Line,
        [t_min, t_max]: [f64; 2],
        pad: f64,
        visit: impl FnMut(usize) -> f64,
    ) {
        let field_from_world = world_from_field.transpose();
        let origin = field_from_world * (line.origin - self.center);
        let speed = field_from_world * line.direction;
        let Bounds { min, max } = self.own_bounds();
        let mut span = [t_min, t_max];
        for axis in 0..3 {
            let reach = [min[axis] - pad, max[axis] + pad];
            let Some(slab) = slab(origin[axis], speed[axis], reach) else { return };
            span = meet(span, slab);
        }
        if is_empty(span) {
            return;
        }
        let mut walk = Walk { field: self, origin, speed, pad, span, t_max, visit };
        let cells = [walk.blocks(0, 1, span), walk.blocks(0, 0, span)];
        let level = self.level_of(cells[0].len().max(cells[1].len()));
        let [rows, columns] = cells.map(|cells| {
            cells.start >> side_bits(level)..((cells.end - 1) >> side_bits(level)) + 1
        });
        walk.descend(level, rows, columns);
    }
}

/// A line on its way over a field, in the field's own axes.
struct Walk<'a, V> {
    field: &'a Heightfield,
    origin: DVec3,
    speed: DVec3,
    pad: f64,
    /// Where it passes the field's box.
    span: [f64; 2],
    /// Up to which there may be more of interest.
    t_max: f64,
    visit: V,
}

impl<V: FnMut(usize) -> f64> Walk<'_, V> {
    /// Visits what the line may cross in these rows and columns of a level's blocks.
    fn descend(&mut self, level: usize, rows: Range<usize>, columns: Range<usize>) {
        let [cells_along_y, cells_along_x] = self.field.cells();
        for row in in_order(rows, self.speed.y) {
            let Some(over_row) = self.over(level, 1, row) else { continue };
            let here = meet(self.span, over_row);
            if is_empty(here) || here[0] > self.t_max {
                continue;
            }
            let passed = self.blocks(level, 0, here);
            let passed = passed.start.max(columns.start)..passed.end.min(columns.end);
            for column in in_order(passed, self.speed.x) {
                let Some(over_column) = self.over(level, 0, column) else { continue };
                let over = meet(over_row, over_column);
                let here = meet(self.span, over);
                if is_empty(here)
                    || here[0] > self.t_max
                    || self.passes_by(level, row, column, over)
                {
                    continue;
                }
                if level == 0 {
                    let cell = row * cells_along_x + column;
                    for triangle in 0..2 {
                        self.t_max = (self.visit)(2 * cell + triangle);
                    }
                } else {
                    self.descend(
                        level - 1,
                        children(level, row, cells_along_y),
                        children(level, column, cells_along_x),
                    );
                }
            }
        }
    }

    /// The blocks of a level along one axis that the line passes in an interval.
    fn blocks(&self, level: usize, axis: usize, interval: [f64; 2]) -> Range<usize> {
        let [a, b] = interval.map(|t| self.origin[axis] + t * self.speed[axis]);
        let count = self.field.cells()[1 - axis];
        let cell = |x: f64| cell_at(x / self.field.spacing[axis], count + 1) >> side_bits(level);
        cell(a.min(b) - self.pad)..cell(a.max(b) + self.pad) + 1
    }

    /// Where the line is over or under a row of blocks, of axis 1, or a column, of axis 0.
    fn over(&self, level: usize, axis: usize, block: usize) -> Option<[f64; 2]> {
        let count = self.field.cells()[1 - axis];
        let ends = [block * side(level), (block + 1) * side(level)].map(|end| end.min(count));
        let [low, high] = match axis {
            0 => ends.map(|column| self.field.x_of(column)),
            _ => ends.map(|row| self.field.y_of(row)),
        };
        slab(self.origin[axis], self.speed[axis], [low - self.pad, high + self.pad])
    }

    /// Whether the line stays above a block or below it, which it is over or under in this interval.
    ///
    /// The interval is that of the whole line: where the ray begins and ends in it is told by the crossings alone.
    fn passes_by(&self, level: usize, row: usize, column: usize, over: [f64; 2]) -> bool {
        let [a, b] = over.map(|t| self.origin.z + t * self.speed.z);
        let [low, high] = self.field.heights_of_block(level, row, column);
        a.max(b) < low - self.pad || a.min(b) > high + self.pad
    }
}

/// Places as a line comes to them that goes so fast along their axis.
fn in_order(places: Range<usize>, speed: f64) -> impl Iterator<Item = usize> {
    let Range { start, end } = places;
    places.map(move |place| if speed < 0.0 { start + (end - 1 - place) } else { place })
}

fn meet(a: [f64; 2], b: [f64; 2]) -> [f64; 2] {
    [a[0].max(b[0]), a[1].min(b[1])]
}

fn is_empty(span: [f64; 2]) -> bool {
    span[0] > span[1]
}

/// Where a coordinate lies in an interval; `None` where it never does.
fn slab(origin: f64, speed: f64, [low, high]: [f64; 2]) -> Option<[f64; 2]> {
    if speed == 0.0 {
        let is_inside = (low..=high).contains(&origin);
        return is_inside.then_some([f64::NEG_INFINITY, f64::INFINITY]);
    }
    let (a, b) = ((low - origin) / speed, (high - origin) / speed);
    Some([a.min(b), a.max(b)])
}
