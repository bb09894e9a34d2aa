//! The ball, computed with the line's distance from its centre, which is an area (a cross product)
//! divided by a length.

use super::{ClosedForm, Convex, FormType, PrimitiveKind};
use crate::crossings::{Crossing, Crossings, Span, Zones};
use crate::fields::{Field, FieldKind};
use crate::math::{Bounds, vec4};
use crate::ray::Line;
use glam::DVec3;
use std::f64::consts::PI;

/// All points within `radius` of `center`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sphere {
    /// Its centre.
    pub center: DVec3,
    /// The radius, from 1e-9 to 1e9.
    pub radius: f64,
}

impl Sphere {
    pub(super) const TYPE: FormType<Self> = FormType {
        name: "sphere",
        fields: &[
            Field::new("center", FieldKind::Position, "The centre of the sphere."),
            Field::new("radius", FieldKind::Length, "The radius."),
        ],
        is_solid: true,
        params: 1,
        allowance: 1.0,
        from_row: |row| Sphere { center: DVec3::from_slice(row), radius: row[3] },
    };

    #[inline(always)]
    pub(super) fn span(&self, line: &Line) -> Option<Span> {
        ball_span(self.center - line.origin, line.direction, self.radius)
    }

    /// Returns the ball with its surface moved outwards, or `None` if nothing is left.
    fn grown(&self, delta: f64) -> Option<Self> {
        let radius = self.radius + delta;
        (radius > 0.0).then_some(Self { radius, ..*self })
    }
}

/// Returns the span of a line inside a ball, for a line of direction `d` from whose origin
/// `to_center` leads to the centre. |to_center × d| is the line's distance from the centre times
/// |d|; the quadratic's b² − ac would cancel far away.
#[inline(always)]
pub(super) fn ball_span(to_center: DVec3, d: DVec3, radius: f64) -> Option<Span> {
    let dd = d.length_squared();
    let half_chord_squared = radius * radius * dd - to_center.cross(d).length_squared();
    if half_chord_squared < 0.0 {
        return None;
    }
    let middle = to_center.dot(d);
    let half = half_chord_squared.sqrt();
    Some(Span::through(0, (middle - half) / dd, (middle + half) / dd))
}

impl ClosedForm for Sphere {
    fn primitive_kind(&self) -> PrimitiveKind {
        PrimitiveKind::Sphere
    }

    fn row(&self) -> Vec<f64> {
        let [x, y, z] = self.center.to_array();
        vec![x, y, z, self.radius]
    }

    fn bounds(&self) -> Option<Bounds> {
        Some(Bounds::around(self.center, DVec3::splat(self.radius)))
    }

    fn center(&self) -> DVec3 {
        self.center
    }

    fn bounding_radius(&self) -> f64 {
        self.radius
    }

    fn smallest_size(&self) -> f64 {
        self.radius
    }

    fn volume(&self) -> Option<f64> {
        Some(4.0 / 3.0 * PI * self.radius * self.radius * self.radius)
    }

    fn convex(&self) -> Option<Convex> {
        Some(Convex::Ball { center: self.center, radius: self.radius })
    }

    #[inline]
    fn convex_span(&self, line: &Line) -> Option<Span> {
        self.span(line)
    }

    fn support(&self, direction: DVec3) -> DVec3 {
        self.center + self.radius * direction.normalize_or_zero()
    }

    fn balls(&self) -> Option<([DVec3; 2], f64)> {
        Some(([self.center; 2], self.radius))
    }

    fn crossings(&self, line: &Line) -> Crossings {
        self.span(line).into()
    }

    #[inline(always)]
    fn first_crossing(&self, line: &Line, t_min: f64) -> Option<Crossing> {
        self.span(line)?.first_from(t_min)
    }

    fn normal(&self, _face: u32, point: DVec3) -> DVec3 {
        (point - self.center).normalize_or(DVec3::Z)
    }

    fn closest_point(&self, point: DVec3) -> DVec3 {
        self.center + self.radius * (point - self.center).normalize_or(DVec3::Z)
    }

    fn zones(&self, line: &Line, delta: f64) -> Zones {
        let moved = |delta| Some(self.grown(delta)?.crossings(line));
        Zones::of_solid([delta, -delta].map(moved))
    }

    /// The layout is centre, radius.
    fn pack(&self, params: &mut Vec<[f32; 4]>) {
        params.push(vec4(self.center, self.radius));
    }
}
