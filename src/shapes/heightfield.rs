//! Heights above a grid: two triangles a cell, found by a walk over the rows that the line passes.

use super::{Tag, Triangle, word};
use crate::crossings::Crossing;
use crate::fields::{
    NO_ROTATION, Placed, Refusal, check_length, check_point, rounded, unit_rotation,
};
use crate::math::{Bounds, Similarity};
use crate::ray::Line;
use glam::{DMat3, DQuat, DVec3};
use std::ops::Range;

/// A surface over a grid of its own x and y axes, without base or sides.
///
/// Row r runs along +y and column c along +x, about the middle of the grid. Each cell is cut from its
/// lower left corner to its upper right one: triangle 0 lies to the right of the cut, 1 to the left, and a
/// `primitive_id` is twice the cell's number plus the triangle's.
#[derive(Clone, Debug, PartialEq)]
pub struct Heightfield {
    heights: Vec<f64>,
    columns: usize,
    lowest: f64,
    highest: f64,
    /// From one vertex to the next along x and along y.
    pub spacing: [f64; 2],
    /// Where the middle of the grid lies at height 0.
    pub center: DVec3,
    /// Turns its own axes into the world's.
    pub rotation: DQuat,
}

impl Heightfield {
    /// Its `type` in scene files.
    pub const NAME: &'static str = "heightfield";

    /// The largest number of rows and of columns: float32 counts no farther.
    const MAX_SIDE: usize = 1 << 24;

    /// A field of heights, row by row, `columns` of them in each.
    ///
    /// # Errors
    /// A [`Refusal`] for fewer than two rows or columns, and for heights that do not fill their rows.
    pub fn new(
        heights: Vec<f64>,
        columns: usize,
        spacing: [f64; 2],
        center: DVec3,
        rotation: DQuat,
    ) -> Result<Self, Refusal> {
        let rows = heights.len().checked_div(columns).unwrap_or(0);
        let sides = 2..=Self::MAX_SIDE;
        if rows * columns != heights.len() || !sides.contains(&rows) || !sides.contains(&columns) {
            return Err(Refusal {
                field: "heights".to_owned(),
                reason: format!(
                    "are {} numbers in rows of {columns}: there must be 2 rows and 2 columns or more, all of one length, and at most 2^24",
                    heights.len()
                ),
            });
        }
        let [lowest, highest] =
            [f64::min, f64::max].map(|f| heights.iter().copied().reduce(f).unwrap_or(0.0));
        Ok(Self { heights, columns, lowest, highest, spacing, center, rotation })
    }

    /// How many rows of vertices there are, along y.
    pub fn rows(&self) -> usize {
        self.heights.len() / self.columns
    }

    /// How many columns of vertices there are, along x.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Two for each cell.
    pub fn triangle_count(&self) -> usize {
        2 * (self.rows() - 1) * (self.columns - 1)
    }

    /// One triangle of it, in world space.
    pub fn triangle(&self, place: usize) -> Option<Triangle> {
        if place >= self.triangle_count() {
            return None;
        }
        let (cell, is_left) = (place / 2, place % 2 == 1);
        let (row, column) = (cell / (self.columns - 1), cell % (self.columns - 1));
        let corners = match is_left {
            false => [[0, 0], [0, 1], [1, 1]],
            true => [[0, 0], [1, 1], [1, 0]],
        };
        let axes = self.world_from_field();
        let vertex = |[r, c]: [usize; 2]| self.center + axes * self.vertex(row + r, column + c);
        Some(Triangle { vertices: corners.map(vertex) })
    }

    fn world_from_field(&self) -> DMat3 {
        DMat3::from_quat(self.rotation.normalize())
    }

    /// In its own axes.
    fn vertex(&self, row: usize, column: usize) -> DVec3 {
        DVec3::new(self.x_of(column), self.y_of(row), self.heights[row * self.columns + column])
    }

    fn x_of(&self, column: usize) -> f64 {
        (column as f64 - 0.5 * (self.columns - 1) as f64) * self.spacing[0]
    }

    fn y_of(&self, row: usize) -> f64 {
        (row as f64 - 0.5 * (self.rows() - 1) as f64) * self.spacing[1]
    }

    /// In its own axes.
    fn own_bounds(&self) -> Bounds {
        let half = DVec3::new(self.x_of(self.columns - 1), self.y_of(self.rows() - 1), 0.0);
        Bounds { min: -half + DVec3::Z * self.lowest, max: half + DVec3::Z * self.highest }
    }

    pub(crate) fn bounds(&self) -> Bounds {
        let own = self.own_bounds();
        let axes = self.world_from_field();
        let half = 0.5 * (own.max - own.min);
        let reach =
            axes.x_axis.abs() * half.x + axes.y_axis.abs() * half.y + axes.z_axis.abs() * half.z;
        Bounds::around(self.center + axes * own.center(), reach)
    }

    /// About its own centre, which may lie far below its heights.
    pub(crate) fn bounding_radius(&self) -> f64 {
        let own = self.own_bounds();
        own.min.abs().max(own.max.abs()).length()
    }

    /// By how much a walk must widen cells so that rounding loses none.
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
        self.walk(line, [t_min, t_max], self.pad(line), |place| {
            let triangle = self.triangle(place);
            let crossings = triangle
                .map(|own| super::ClosedForm::own_crossings(&own, line))
                .unwrap_or_default();
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
        let mut best: Option<(Crossing, u32)> = None;
        self.walk(line, [t_min, t_max], self.pad(line), |place| {
            let found = self.triangle(place).and_then(|triangle| {
                let crossings = super::ClosedForm::crossings(&triangle, line);
                crossings.first_from(t_min).filter(|crossing| crossing.t <= t_max)
            });
            if let Some(crossing) = found
                && best.is_none_or(|(so_far, own)| (crossing.t, place as u32) < (so_far.t, own))
            {
                best = Some((crossing, place as u32));
            }
            best.map_or(t_max, |(crossing, _)| crossing.t)
        });
        best
    }

    /// The triangles whose cells the line passes within `pad`, between `t_min` and the value that the last
    /// visit returned, at first `t_max`; row by row, so roughly from near to far.
    pub(crate) fn walk(
        &self,
        line: &Line,
        [t_min, mut t_max]: [f64; 2],
        pad: f64,
        mut visit: impl FnMut(usize) -> f64,
    ) {
        let field_from_world = self.world_from_field().transpose();
        let origin = field_from_world * (line.origin - self.center);
        let speed = field_from_world * line.direction;
        let own = self.own_bounds();
        let mut span = [t_min, t_max];
        for axis in 0..3 {
            let Some(slab) =
                slab(origin[axis], speed[axis], [own.min[axis] - pad, own.max[axis] + pad])
            else {
                return;
            };
            span = [span[0].max(slab[0]), span[1].min(slab[1])];
        }
        if span[0] > span[1] {
            return;
        }
        let places = |axis: usize, [from, to]: [f64; 2], count: usize| -> Range<usize> {
            let at = |t: f64| origin[axis] + t * speed[axis];
            let (low, high) = (at(from).min(at(to)) - pad, at(from).max(at(to)) + pad);
            let cell = |x: f64| cell_at(x / self.spacing[axis], count);
            cell(low)..cell(high) + 1
        };
        let rows = places(1, span, self.rows());
        let mut visit_row = |row: usize| {
            let reach = [self.y_of(row) - pad, self.y_of(row + 1) + pad];
            let Some(slab) = slab(origin.y, speed.y, reach) else { return };
            let here = [span[0].max(slab[0]), span[1].min(slab[1])];
            if here[0] > here[1] || here[0] > t_max {
                return;
            }
            for column in places(0, here, self.columns) {
                let cell = row * (self.columns - 1) + column;
                for triangle in 0..2 {
                    t_max = visit(2 * cell + triangle);
                }
            }
        };
        if speed.y >= 0.0 {
            rows.for_each(&mut visit_row);
        } else {
            rows.rev().for_each(&mut visit_row);
        }
    }

    /// The nearest point of its triangles, and which; the lower of two as near. `None` where all are farther away than
    /// the square root of `within`.
    ///
    /// From the cell nearest to the point's own x and y, rows and columns are asked up to where they are too far away.
    pub(crate) fn closest_point(&self, point: DVec3, within: f64) -> Option<(DVec3, u32)> {
        let own = self.world_from_field().transpose() * (point - self.center);
        // Above all roundings.
        let pad = 1e-12 * (point.length() + self.center.length() + self.bounding_radius());
        let gap_squared = |x: f64, low: f64, high: f64| {
            let gap = (low - x).max(x - high).max(pad) - pad;
            gap * gap
        };
        let above_or_below = gap_squared(own.z, self.lowest, self.highest);
        let mut least = within;
        let mut best = None;
        let first_row = cell_at(own.y / self.spacing[1], self.rows());
        let first_column = cell_at(own.x / self.spacing[0], self.columns);
        for_each_outwards(first_row, self.rows() - 1, |row| {
            let before = gap_squared(own.y, self.y_of(row), self.y_of(row + 1));
            for_each_outwards(first_column, self.columns - 1, |column| {
                let beside = gap_squared(own.x, self.x_of(column), self.x_of(column + 1));
                let [low, high] = self.heights_of_cell(row, column);
                if before + beside + gap_squared(own.z, low, high) <= least {
                    let first = 2 * (row * (self.columns - 1) + column);
                    for place in first..first + 2 {
                        let Some(triangle) = self.triangle(place) else { continue };
                        let found = super::ClosedForm::closest_point(&triangle, point);
                        let rank = (found.distance_squared(point), place as u32);
                        if best.is_none_or(|(_, so_far)| rank < (least, so_far)) && rank.0 <= least
                        {
                            least = rank.0;
                            best = Some((found, rank.1));
                        }
                    }
                }
                before + beside + above_or_below <= least
            });
            before + above_or_below <= least
        });
        best
    }

    /// The lowest and the highest corner of a cell.
    fn heights_of_cell(&self, row: usize, column: usize) -> [f64; 2] {
        let corners = [[row, column], [row, column + 1], [row + 1, column], [row + 1, column + 1]];
        let heights = corners.map(|[row, column]| self.heights[row * self.columns + column]);
        [f64::min, f64::max].map(|f| heights.into_iter().fold(heights[0], f))
    }

    pub(crate) fn placed(&self, world_from_field: &Similarity) -> Result<Placed<Self>, Refusal> {
        let scale = world_from_field.scale;
        check_point(self.center, || "center".to_owned())?;
        let moved = world_from_field.point(self.center);
        check_point(moved, || "center".to_owned())?;
        let center = rounded(moved);
        let mut drift = (center - moved).length();
        let mut spacing = self.spacing;
        for (axis, name) in ["spacing[0]", "spacing[1]"].into_iter().enumerate() {
            let exact = scale * self.spacing[axis];
            check_length(self.spacing[axis], name)?;
            check_length(exact, name)?;
            spacing[axis] = f64::from(exact as f32);
            // Of the vertex that is farthest from the middle.
            let steps = 0.5 * ([self.columns, self.rows()][axis] - 1) as f64;
            drift = drift.max(steps * (spacing[axis] - exact).abs());
        }
        let mut to_float32 = |number: f64| {
            let exact = scale * number;
            let rounded = f64::from(exact as f32);
            drift = drift.max((rounded - exact).abs());
            rounded
        };
        for (place, &height) in self.heights.iter().enumerate() {
            let (row, column) = (place / self.columns, place % self.columns);
            let point = DVec3::Z * if height.is_finite() { scale * height } else { height };
            check_point(point, || format!("heights[{row}][{column}]"))?;
        }
        let heights: Vec<f64> = self.heights.iter().map(|&height| to_float32(height)).collect();
        let own = unit_rotation(&self.rotation.to_array()).ok_or_else(|| Refusal {
            field: "rotation_xyzw".to_owned(),
            reason: NO_ROTATION.to_owned(),
        })?;
        let turned = world_from_field.rotation * own;
        let rotation = turned.as_quat().as_dquat();
        let turn = 2.0 * (rotation - turned).length();
        let field = Self::new(heights, self.columns, spacing, center, rotation)?;
        let reach = drift.max(turn * field.bounding_radius());
        let coarse = reach > crate::fields::COARSE * spacing[0].min(spacing[1]);
        let end = field.bounds();
        check_point(end.min.abs().max(end.max.abs()), || "heights".to_owned())?;
        Ok(Placed { shape: field, coarse })
    }

    pub(crate) fn tag(&self) -> Tag {
        Tag::Heightfield
    }

    /// centre, columns | own x axis in the world, spacing along x | own y axis, spacing along y | lowest
    /// height, highest, rows, 0 | the heights, row by row.
    pub(crate) fn pack(&self, words: &mut Vec<[f32; 4]>) {
        let axes = self.world_from_field();
        let own = self.own_bounds();
        words.push(word(self.center, self.columns as f64));
        words.push(word(axes.x_axis, self.spacing[0]));
        words.push(word(axes.y_axis, self.spacing[1]));
        words.push(word(DVec3::new(own.min.z, own.max.z, self.rows() as f64), 0.0));
        let heights = self.heights.chunks(4);
        words.extend(heights.map(|four| {
            [0, 1, 2, 3].map(|place| four.get(place).map_or(0.0, |&height| height as f32))
        }));
    }
}

/// The cell among `count` vertices that is nearest to a coordinate, in spacings from the middle.
fn cell_at(place: f64, count: usize) -> usize {
    (place + 0.5 * (count - 1) as f64).clamp(0.0, (count - 2) as f64) as usize
}

/// From a cell on to either side, each up to where the visit returns false.
fn for_each_outwards(from: usize, count: usize, mut visit: impl FnMut(usize) -> bool) {
    let _ = (from..count).all(&mut visit);
    let _ = (0..from).rev().all(&mut visit);
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
