//! A triangle prepared for many rays. It is small, and intersected with the same operations as a
//! [`Triangle`]. The corners are next to each other, so that a compiler makes vector instructions.

use super::{Across, Triangle, is_near};
use crate::crossings::{Crossing, Crossings};
use crate::ray::Line;
use crate::shapes::ClosedForm;
use glam::{DVec2, DVec3};

/// A triangle of a scene, whose corners are float32 numbers.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PreparedTriangle {
    /// The corners' coordinates along each axis. The first corner follows the last, so that all
    /// sides are alike.
    corners: [[f32; 4]; 3],
    normal: [f32; 3],
}

impl From<Triangle> for PreparedTriangle {
    fn from(triangle: Triangle) -> Self {
        let normal = triangle.area_normal().as_vec3().to_array();
        let [a, b, c] = triangle.vertices;
        let along = |axis: usize| [a, b, c, a].map(|corner| corner[axis] as f32);
        Self { corners: [along(0), along(1), along(2)], normal }
    }
}

impl PreparedTriangle {
    /// Returns its corners, which are exact.
    #[inline(always)]
    pub fn corners(&self) -> [[f32; 3]; 3] {
        let [x, y, z] = &self.corners;
        [[x[0], y[0], z[0]], [x[1], y[1], z[1]], [x[2], y[2], z[2]]]
    }

    /// Returns the corners' coordinates along each axis. The first corner follows the last.
    #[inline(always)]
    pub fn corner_rows(&self) -> &[[f32; 4]; 3] {
        &self.corners
    }

    /// Returns its normal, rounded, whose length is twice the area.
    #[inline(always)]
    pub fn normal(&self) -> [f32; 3] {
        self.normal
    }

    /// Returns its unit normal; `None` for a triangle without area.
    #[inline(always)]
    pub fn unit_normal(&self) -> Option<DVec3> {
        self.triangle().area_normal().try_normalize()
    }

    #[inline(always)]
    fn triangle(&self) -> Triangle {
        let [x, y, z] = &self.corners;
        let vertex =
            |corner: usize| DVec3::new(x[corner].into(), y[corner].into(), z[corner].into());
        Triangle { vertices: [vertex(0), vertex(1), vertex(2)] }
    }

    /// Returns the same as the triangle's [`ClosedForm::own_crossings`]. It is not inlined for the
    /// same reason as a leaf's test: other shapes would be slower.
    #[inline(never)]
    pub fn own_crossings(&self, line: &Line) -> Crossings {
        self.triangle().own_crossings(line)
    }

    /// Returns the same as the triangle's [`ClosedForm::closest_point`].
    #[inline(always)]
    pub fn closest_point(&self, point: DVec3) -> DVec3 {
        self.triangle().point_nearest_to(point)
    }

    /// Returns the crossing of the triangle, the same to the bit as its [`ClosedForm::crossings`],
    /// if it lies at `t_min` or after it.
    #[inline(always)]
    pub fn first_crossing(&self, line: &Line, t_min: f64) -> Option<Crossing> {
        let [right, up] = self.projected(line);
        let corner = |index: usize| DVec2::new(right[index], up[index]);
        if !holds_zero([right, up]) || !is_near([0, 1, 2].map(corner)) {
            return None;
        }
        let t = self.triangle().crossing_of_plane(line)?;
        (t >= t_min).then_some(Crossing { t, face: 0 })
    }

    /// Returns false only if a line has no [`Self::own_crossings`]: an edge through it belongs to
    /// either side here.
    #[inline(always)]
    pub fn may_be_crossed(&self, line: &Line) -> bool {
        holds_zero(self.projected(line))
    }

    /// Returns the corners along the two axes across a line, the first one twice.
    #[inline(always)]
    fn projected(&self, line: &Line) -> [[f64; 4]; 2] {
        let across = Across::new(line.direction);
        let [mut right, mut up] = [[0.0; 4]; 2];
        for corner in 0..4 {
            let x = f64::from(self.corners[0][corner]) - line.origin.x;
            let y = f64::from(self.corners[1][corner]) - line.origin.y;
            let z = f64::from(self.corners[2][corner]) - line.origin.z;
            right[corner] = x * across.right.x + y * across.right.y + z * across.right.z;
            up[corner] = x * across.up.x + y * across.up.y + z * across.up.z;
        }
        [right, up]
    }
}

/// Returns true if zero lies on one side of all edges of a projected triangle, or on them.
#[inline(always)]
fn holds_zero([right, up]: [[f64; 4]; 2]) -> bool {
    let [mut is_left, mut is_right] = [true; 2];
    for side in 0..3 {
        let (left, other) = (right[side] * up[side + 1], up[side] * right[side + 1]);
        is_left &= left >= other;
        is_right &= left <= other;
    }
    is_left | is_right
}

#[cfg(test)]
mod tests {
    use super::*;
    use fastrand::Rng;

    /// Half of the triangles lie in a plane with the line up to rounding, and lines pass through
    /// corners and edges.
    #[test]
    fn a_prepared_triangle_is_crossed_where_the_triangle_is() {
        let rng = &mut Rng::with_seed(3);
        let mut crossed = 0;
        for round in 0..200_000 {
            let mut point = |size: f64| {
                let mut number = || f64::from((size * (rng.f64() - 0.5)) as f32);
                DVec3::new(number(), number(), number())
            };
            let [a, b, origin] = [point(2.0), point(2.0), point(8.0)];
            let c = if round % 2 == 0 { point(2.0) } else { (a + b).as_vec3().as_dvec3() };
            let triangle = Triangle { vertices: [a, b, c] };
            let (along_ab, along_ac) = (rng.i32(-1..=2), rng.i32(-1..=2));
            let target = a + 0.5 * (f64::from(along_ab) * (b - a) + f64::from(along_ac) * (c - a));
            let line = Line { origin, direction: (target - origin).as_vec3().as_dvec3() };
            let expected = triangle.crossings(&line).first_from(0.0);
            let found = PreparedTriangle::from(triangle).first_crossing(&line, 0.0);
            let bits = |crossing: Option<Crossing>| crossing.map(|crossing| crossing.t.to_bits());
            assert_eq!(bits(found), bits(expected), "{triangle:?} {line:?}");
            crossed += usize::from(found.is_some());
        }
        assert!((20_000..180_000).contains(&crossed), "{crossed} are crossed");
    }
}
