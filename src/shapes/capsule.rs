//! The capsule, as the convex hull of two balls: its span joins the line's spans in both and in the
//! cylinder between.

use super::caps::check_axis;
use super::outline::{Outline, OutlinePiece};
use super::{ClosedForm, Cylinder, FormType, PrimitiveKind, Sphere};
use crate::closest::AboutAxis;
use crate::crossings::{Crossings, Span, Zones};
use crate::fields::{Field, FieldKind, ShapeError};
use crate::math::{Bounds, vec4};
use crate::ray::Line;
use glam::{DVec2, DVec3};
use std::f64::consts::PI;

/// All points within `radius` of the segment between its ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Capsule {
    /// The centre of the ball at one end.
    pub start: DVec3,
    /// The centre of the ball at the other end, apart from `start`.
    pub end: DVec3,
    /// The radius, from 1e-9 to 1e9.
    pub radius: f64,
}

impl Capsule {
    pub(super) const TYPE: FormType<Self> = FormType {
        name: "capsule",
        fields: &[
            Field::new("start", FieldKind::Position, "The centre of the hemisphere at one end."),
            Field::new(
                "end",
                FieldKind::Position,
                "The centre of the hemisphere at the other end.",
            ),
            Field::new("radius", FieldKind::Length, "The radius."),
        ],
        is_solid: true,
        params: 2,
        allowance: 1.0,
        from_row: |row| Capsule {
            start: DVec3::from_slice(row),
            end: DVec3::from_slice(&row[3..]),
            radius: row[6],
        },
    };

    /// The capsule is convex and the union of three shapes, so its span reaches from their first
    /// bound to their last.
    fn span(&self, line: &Line) -> Option<Span> {
        let Self { start, end, radius } = *self;
        let ball = |center| Sphere { center, radius }.span(line);
        // The cylinder's caps are not surfaces of the capsule: a line that leaves through one is
        // then in a ball.
        let between = Cylinder::solid(start, end, radius).outer_span(line);
        let spans = [between, ball(start), ball(end)].into_iter().flatten();
        spans.map(|span| Span::through(0, span.enter.t, span.exit.t)).reduce(Span::hull)
    }

    fn grown(&self, delta: f64) -> Option<Self> {
        let radius = self.radius + delta;
        (radius > 0.0).then_some(Self { radius, ..*self })
    }
}

impl ClosedForm for Capsule {
    fn primitive_kind(&self) -> PrimitiveKind {
        PrimitiveKind::Capsule
    }

    fn row(&self) -> Vec<f64> {
        let mut row = self.start.to_array().to_vec();
        row.extend(self.end.to_array());
        row.push(self.radius);
        row
    }

    fn check(&self) -> Result<(), ShapeError> {
        check_axis(self.start, self.end)
    }

    fn bounds(&self) -> Option<Bounds> {
        let ball = |center| Bounds::around(center, DVec3::splat(self.radius));
        Some(ball(self.start).union(ball(self.end)))
    }

    fn center(&self) -> DVec3 {
        0.5 * (self.start + self.end)
    }

    fn bounding_radius(&self) -> f64 {
        0.5 * (self.end - self.start).length() + self.radius
    }

    fn smallest_size(&self) -> f64 {
        self.radius.min((self.end - self.start).length())
    }

    fn volume(&self) -> Option<f64> {
        let along = (self.end - self.start).length();
        Some(PI * self.radius * self.radius * (along + 4.0 / 3.0 * self.radius))
    }

    #[inline]
    fn convex_span(&self, line: &Line) -> Option<Span> {
        self.span(line)
    }

    fn support(&self, direction: DVec3) -> DVec3 {
        let is_at_end = direction.dot(self.end - self.start) > 0.0;
        let center = if is_at_end { self.end } else { self.start };
        center + self.radius * direction.normalize_or_zero()
    }

    fn ends(&self) -> Option<[(DVec3, f64); 2]> {
        Some([(self.start, self.radius), (self.end, self.radius)])
    }

    fn balls(&self) -> Option<([DVec3; 2], f64)> {
        Some(([self.start, self.end], self.radius))
    }

    fn crossings(&self, line: &Line) -> Crossings {
        self.span(line).into()
    }

    fn normal(&self, _face: u32, point: DVec3) -> DVec3 {
        let along = self.end - self.start;
        let share = (point - self.start).dot(along) / along.length_squared();
        let foot = self.start + share.clamp(0.0, 1.0) * along;
        (point - foot).normalize_or(along.normalize().any_orthonormal_vector())
    }

    /// The nearest point is outwards from the nearest point of the segment between the ends. For a
    /// point on that segment, it is perpendicular to the segment.
    fn closest_point(&self, point: DVec3) -> DVec3 {
        let along = self.end - self.start;
        let seen = AboutAxis::new(point, self.start, along / along.length());
        let foot = DVec2::new(0.0, seen.local_point.y.clamp(0.0, along.length()));
        seen.in_space(foot + self.radius * (seen.local_point - foot).normalize_or(DVec2::X))
    }

    fn outline(&self) -> Option<Outline> {
        let top = (self.end - self.start).length();
        let radius = self.radius;
        let end = |height: f64, to: DVec2| OutlinePiece::Quarter {
            center: DVec2::new(0.0, height),
            radius,
            from: DVec2::X,
            to,
        };
        let side = OutlinePiece::Segment([DVec2::new(radius, 0.0), DVec2::new(radius, top)]);
        Some(Outline {
            origin: self.start,
            axis: (self.end - self.start) / top,
            pieces: vec![end(0.0, DVec2::NEG_Y), side, end(top, DVec2::Y)],
        })
    }

    fn zones(&self, line: &Line, delta: f64) -> Zones {
        let moved = |delta| Some(self.grown(delta)?.crossings(line));
        Zones::of_solid([delta, -delta].map(moved))
    }

    /// The layout is start, radius | end − start, 0.
    fn pack(&self, params: &mut Vec<[f32; 4]>) {
        params.push(vec4(self.start, self.radius));
        params.push(vec4(self.end - self.start, 0.0));
    }
}
