//! The triangle, with edge functions: its edges are projected along the ray onto a plane across it,
//! and the ray hits if its point there is on the same side of all three.

mod prepared;

pub(crate) use prepared::PreparedTriangle;

use super::{Capsule, ClosedForm, FormType, PrimitiveKind};
use crate::closest::on_segment;
use crate::crossings::{Crossings, Span, Zones};
use crate::fields::{Field, FieldKind, MIN_SIZE, ShapeError};
use crate::math::{Bounds, vec4};
use crate::ray::Line;
use glam::{DVec2, DVec3};
use std::cmp::Ordering;

/// A flat triangle. Its normal points to the side from which its vertices are counter-clockwise.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Triangle {
    /// Its corners, which are not on one line.
    pub vertices: [DVec3; 3],
}

impl Triangle {
    pub(super) const TYPE: FormType<Self> = FormType {
        name: "triangle",
        fields: &[Field::new(
            "vertices",
            FieldKind::Corners,
            "The three corners, counter-clockwise as seen from the side that the normal points to.",
        )],
        is_solid: false,
        params: 3,
        allowance: 1.0,
        from_row: |row| {
            let corner = |index: usize| DVec3::from_slice(&row[3 * index..]);
            Triangle { vertices: [corner(0), corner(1), corner(2)] }
        },
    };

    /// Returns its normal, whose length is twice its area.
    pub(crate) fn area_normal(&self) -> DVec3 {
        let [a, b, c] = self.vertices;
        (b - a).cross(c - a)
    }

    /// Returns where the line crosses the triangle's plane, if `is_inside` is true of its projected
    /// sides. For a line that is parallel to the plane up to rounding, `within` returns the
    /// crossings.
    fn crossing(
        &self,
        line: &Line,
        is_inside: impl Fn(&Sides) -> bool,
        within: impl Fn(&Sides) -> Crossings,
    ) -> Crossings {
        let d = line.direction;
        let Across { right, up } = Across::new(d);
        let [a, b, c] = self.vertices.map(|vertex| {
            let from_origin = vertex - line.origin;
            DVec2::new(from_origin.dot(right), from_origin.dot(up))
        });
        let sides = [[a, b], [b, c], [c, a]];
        if !is_inside(&sides) {
            return Crossings::none();
        }
        match self.crossing_of_plane(line) {
            Some(t) => Crossings::one(t),
            None if self.area_normal().dot(d) == 0.0 => Crossings::none(),
            None => within(&sides),
        }
    }

    /// Returns where the line crosses the triangle's plane, unless it runs along the plane up to
    /// rounding.
    #[inline(always)]
    fn crossing_of_plane(&self, line: &Line) -> Option<f64> {
        let normal = self.area_normal();
        let speed = normal.dot(line.direction);
        let is_along = speed.abs() <= self.noise(line.direction);
        (!is_along).then(|| normal.dot(self.vertices[0] - line.origin) / speed)
    }

    /// Bounds the value that rounding may give to a speed of zero towards the plane, by the size of
    /// the products whose difference the speed is (Shewchuk, Adaptive Precision Floating-Point
    /// Arithmetic and Fast Robust Geometric Predicates, 1997).
    fn noise(&self, d: DVec3) -> f64 {
        let [a, b, c] = self.vertices;
        let ([u, v], d) = ([(b - a).abs(), (c - a).abs()], d.abs());
        let sizes = DVec3::new(u.y * v.z + u.z * v.y, u.z * v.x + u.x * v.z, u.x * v.y + u.y * v.x);
        4.0 * f64::EPSILON * sizes.dot(d)
    }

    /// The nearest point of a point above the triangle is its projection, from barycentric
    /// coordinates, which stay in the plane even for a sliver. For any other point it is on the
    /// nearest edge.
    #[inline(always)]
    fn point_nearest_to(&self, point: DVec3) -> DVec3 {
        let [a, b, c] = self.vertices;
        let normal = self.area_normal();
        let squared = normal.length_squared();
        let share = |from: DVec3, to: DVec3| (to - from).cross(point - from).dot(normal) / squared;
        let (of_a, of_b, of_c) = (share(b, c), share(c, a), share(a, b));
        // The shares of a triangle without area are NaN, and then its edges decide.
        if of_a >= 0.0 && of_b >= 0.0 && of_c >= 0.0 {
            return (DVec3::ZERO + of_a * a + of_b * b + of_c * c) / (of_a + of_b + of_c);
        }
        let nearest = on_segment(point, a, b);
        let nearest = nearer(point, nearest, on_segment(point, b, c));
        nearer(point, nearest, on_segment(point, c, a))
    }

    fn edges(&self) -> [[DVec3; 2]; 3] {
        let [a, b, c] = self.vertices;
        [[a, b], [b, c], [c, a]]
    }

    fn longest_edge(&self) -> [DVec3; 2] {
        let length = |edge: &[DVec3; 2]| (edge[1] - edge[0]).length_squared();
        let [first, rest @ ..] = self.edges();
        rest.into_iter().fold(first, |a, b| if length(&b) > length(&a) { b } else { a })
    }

    /// Returns the span of the line inside a prism, within `delta` of the triangle's plane and no
    /// farther than that beyond each edge; and true if the line passes both faces of the prism at
    /// least `delta` inside the edges.
    fn prism(&self, line: &Line, delta: f64) -> (Option<Span>, bool) {
        let normal = self.area_normal().normalize();
        let mut span = Span::whole(0);
        let mut clip = |reach: f64, speed: f64| {
            // Keep the part where speed · t <= reach.
            if speed > 0.0 {
                span.exit.t = span.exit.t.min(reach / speed);
            } else if speed < 0.0 {
                span.enter.t = span.enter.t.max(reach / speed);
            } else if reach < 0.0 {
                span = Span::through(0, f64::INFINITY, f64::NEG_INFINITY);
            }
        };
        let height = (line.origin - self.vertices[0]).dot(normal);
        let climb = line.direction.dot(normal);
        clip(delta - height, climb);
        clip(delta + height, -climb);
        let faces = [-delta, delta].map(|face| (face - height) / climb);
        let mut is_crossed = faces.iter().all(|t| t.is_finite());
        for [from, to] in self.edges() {
            let outwards = (to - from).cross(normal).normalize_or_zero();
            let beyond = (line.origin - from).dot(outwards);
            let speed = line.direction.dot(outwards);
            clip(delta - beyond, speed);
            is_crossed &= faces.iter().all(|t| beyond + t * speed <= -delta);
        }
        ((span.enter.t <= span.exit.t).then_some(span), is_crossed)
    }
}

/// The ratio of a triangle's height to its longest edge below which it is a sliver.
const SLIVER: f64 = 1.0 / (1 << 20) as f64;

/// Two axes across a line, onto which triangles are projected along it. They are not normalised, so
/// that products of integers stay integers.
#[derive(Clone, Copy, Debug)]
struct Across {
    right: DVec3,
    up: DVec3,
}

impl Across {
    #[inline(always)]
    fn new(direction: DVec3) -> Self {
        let least = direction.abs().min_position();
        let right = direction.cross(DVec3::AXES[least]);
        Self { right, up: direction.cross(right) }
    }
}

/// The sides of a triangle projected along a line onto a plane across it, each from one corner to
/// the next. The line itself projects to zero.
type Sides = [[DVec2; 2]; 3];

/// Returns false if zero is farther from a projected triangle than the triangle is wide. The
/// corners of a triangle that is smaller than the rounding of its distance project to one point.
/// Zero would then be on all of its sides, wherever it is.
#[inline(always)]
fn is_near([a, b, c]: [DVec2; 3]) -> bool {
    let (low, high) = (a.min(b).min(c), a.max(b).max(c));
    let size = (high - low).max_element();
    low.max_element() <= size && -size <= high.min_element()
}

/// Returns the nearer of two points, the first if they are equally near.
#[inline(always)]
fn nearer(from: DVec3, first: DVec3, other: DVec3) -> DVec3 {
    match other.distance_squared(from) < first.distance_squared(from) {
        true => other,
        false => first,
    }
}

/// Returns the signed distance of a projected side from zero, times its length.
fn distance_times_length([p, q]: &[DVec2; 2]) -> f64 {
    let rest = lost_in_product(p.x, q.y) - lost_in_product(p.y, q.x);
    p.x * q.y - p.y * q.x + rest
}

/// Returns the side of zero on which a projected edge passes. An edge through zero has a side too:
/// zero is then displaced by an infinitesimal along x, and by a smaller one along y (Edelsbrunner
/// and Mücke, Simulation of Simplicity, 1990). The reversed edge passes on the other side. The
/// result is equal only for an edge whose ends project to one point.
fn side_of([p, q]: [DVec2; 2]) -> Ordering {
    let (left, right) = (p.x * q.y, p.y * q.x);
    let compare = |a: f64, b: f64| a.partial_cmp(&b).unwrap_or(Ordering::Equal);
    let rest = || compare(lost_in_product(p.x, q.y), lost_in_product(p.y, q.x));
    compare(left, right)
        .then_with(rest)
        .then_with(|| compare(p.y, q.y))
        .then_with(|| compare(q.x, p.x))
}

/// Returns the exact rounding error of a product, without a fused multiply-add, which not every
/// processor has (Dekker, A Floating-Point Technique for Extending the Available Precision, 1971).
fn lost_in_product(a: f64, b: f64) -> f64 {
    // Products of halves of 26 bits are exact.
    let halves = |x: f64| {
        let scaled = 134_217_729.0 * x;
        let high = scaled - (scaled - x);
        [high, x - high]
    };
    let [[a_high, a_low], [b_high, b_low]] = [halves(a), halves(b)];
    let without_lowest = a_high * b_high - a * b + a_high * b_low + a_low * b_high;
    without_lowest + a_low * b_low
}

impl ClosedForm for Triangle {
    fn is_solid(&self) -> bool {
        Self::TYPE.is_solid
    }

    fn primitive_kind(&self) -> PrimitiveKind {
        PrimitiveKind::Triangle
    }

    fn row(&self) -> Vec<f64> {
        self.vertices.iter().flat_map(|vertex| vertex.to_array()).collect()
    }

    fn check(&self) -> Result<(), ShapeError> {
        let [from, to] = self.longest_edge();
        let size = (to - from).length();
        let reason = if self.area_normal() == DVec3::ZERO {
            "are on one line in float32: a triangle must have an area".to_owned()
        } else if size < MIN_SIZE {
            format!(
                "are within {size:?} of each other: a triangle must have a size of at least 1e-9"
            )
        } else {
            return Ok(());
        };
        Err(ShapeError { field: "vertices".to_owned(), reason })
    }

    fn bounds(&self) -> Option<Bounds> {
        let [a, b, c] = self.vertices;
        Some(Bounds { min: a.min(b).min(c), max: a.max(b).max(c) })
    }

    fn center(&self) -> DVec3 {
        self.vertices.iter().sum::<DVec3>() / 3.0
    }

    fn bounding_radius(&self) -> f64 {
        let center = self.center();
        self.vertices.iter().fold(0.0, |radius, vertex| (*vertex - center).length().max(radius))
    }

    fn smallest_size(&self) -> f64 {
        let [from, to] = self.longest_edge();
        self.area_normal().length() / (to - from).length()
    }

    /// The normal of a sliver is too imprecise to determine the thickness of its zones.
    #[inline]
    fn convex_span(&self, line: &Line) -> Option<Span> {
        let [from, to] = self.longest_edge();
        let is_sliver = self.area_normal().length() <= SLIVER * (to - from).length_squared();
        if is_sliver { None } else { self.crossings(line).only() }
    }

    /// Each vertex is projected on its own, and an edge's side follows from a comparison of two
    /// products, whose order rounding cannot reverse. So triangles that share an edge agree about
    /// it to the bit, and no ray passes between them.
    fn crossings(&self, line: &Line) -> Crossings {
        let is_inside = |sides: &Sides| {
            let products = sides.map(|[p, q]| (p.x * q.y, p.y * q.x));
            let is_inside = products.iter().all(|(left, right)| left >= right)
                || products.iter().all(|(left, right)| left <= right);
            is_inside && is_near(sides.map(|[corner, _]| corner))
        };
        self.crossing(line, is_inside, |_| Crossings::none())
    }

    /// A line through an edge counts as passing next to it, on a side about which two triangles
    /// that share the edge agree. A line along the plane crosses nothing, unless rounding tilts the
    /// projected triangle so that the line is inside. The neighbours then rely on a crossing here.
    /// It is at the mean of the corners, each weighted with the line's distance from the opposite
    /// side.
    fn own_crossings(&self, line: &Line) -> Crossings {
        let is_inside = |sides: &Sides| {
            let [first, others @ ..] = sides.map(side_of);
            first != Ordering::Equal && others == [first; 2]
        };
        let mean = |[ab, bc, ca]: &Sides| {
            let weights = DVec3::from([bc, ca, ab].map(distance_times_length));
            let places = self.vertices.map(|v| (v - line.origin).dot(line.direction));
            let squared = line.direction.length_squared();
            Crossings::one(weights.dot(places.into()) / (weights.element_sum() * squared))
        };
        self.crossing(line, is_inside, mean)
    }

    fn normal(&self, _face: u32, _point: DVec3) -> DVec3 {
        self.area_normal().normalize_or(DVec3::Z)
    }

    fn closest_point(&self, point: DVec3) -> DVec3 {
        self.point_nearest_to(point)
    }

    fn zones(&self, line: &Line, delta: f64) -> Zones {
        if self.area_normal() == DVec3::ZERO {
            // A mesh may have triangles without area; such a triangle is a wire along its longest
            // edge.
            let [start, end] = self.longest_edge();
            let wire = Capsule { start, end, radius: delta };
            return Zones::of_surface(&wire.crossings(line), false);
        }
        let (span, is_crossed) = self.prism(line, delta);
        Zones::of_surface(&span.into(), is_crossed)
    }

    /// The layout is the three vertices, each with a component of the unit normal, which float32
    /// could not compute for a sliver.
    fn pack(&self, params: &mut Vec<[f32; 4]>) {
        let normal = self.area_normal().normalize_or_zero().to_array();
        params.extend([0, 1, 2].map(|corner| vec4(self.vertices[corner], normal[corner])));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fields::rounded;

    /// The triangles lie in a plane that float32 holds exactly, although the products of their
    /// points are not exact in float64.
    #[test]
    fn a_line_in_the_plane_crosses_nothing_or_is_counted_between_the_corners() {
        let rng = &mut fastrand::Rng::with_seed(2);
        let mut point = || {
            let mut factor = || f64::from(rng.i32(-1 << 20..1 << 20)) / 1024.0;
            factor() * DVec3::new(1.0, 2.0, -3.0) + factor() * DVec3::new(4.0, -1.0, 2.0)
        };
        let mut counted = 0;
        for _ in 0..100_000 {
            let triangle = Triangle { vertices: [point(), point(), point()] };
            let from = point();
            let line = Line { origin: from, direction: rounded(point() - from) };
            assert_eq!(triangle.crossings(&line), Crossings::none(), "{triangle:?} {line:?}");
            let places = triangle.vertices.map(|vertex| {
                (vertex - from).dot(line.direction) / line.direction.length_squared()
            });
            let hair = 1e-12 * places.iter().fold(1.0, |most, t| f64::max(t.abs(), most));
            for crossing in &*triangle.own_crossings(&line) {
                counted += 1;
                assert!(places.iter().any(|&t| t <= crossing.t + hair), "{triangle:?} {line:?}");
                assert!(places.iter().any(|&t| t >= crossing.t - hair), "{triangle:?} {line:?}");
            }
        }
        assert!(counted > 100, "{counted} are counted");
    }

    #[test]
    fn what_a_product_loses_is_what_a_fused_operation_finds() {
        let rng = &mut fastrand::Rng::with_seed(1);
        let mut number = || {
            let power = libm::scalbn(1.0, rng.i32(-150..120));
            power * (2.0 * rng.f64() - 1.0)
        };
        for _ in 0..100_000 {
            let [a, b] = [number(), number()];
            assert_eq!(lost_in_product(a, b), a.mul_add(b, -(a * b)), "{a:?} {b:?}");
        }
    }
}
