//! The cone and the frustum with flat caps: the solution of a quadratic in heights and distances
//! from the axis, clipped by the slab between the caps.

use super::caps::{
    END_CAP, SIDE, START_CAP, between_caps, check_axis, disc_bounds, farthest_of_discs,
};
use super::outline::{Outline, OutlinePiece};
use super::{ClosedForm, FormType, Parts, PrimitiveKind};
use crate::closest::AboutAxis;
use crate::crossings::{Crossings, Span, Zones};
use crate::fields::{Field, FieldKind, ShapeError};
use crate::math::{Bounds, vec4};
use crate::ray::Line;
use glam::{DVec2, DVec3};
use std::f64::consts::PI;

/// All points between the planes through its two ends that are no farther from the axis than a
/// radius that changes linearly from the one at the start to the one at the end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cone {
    /// The centre of the start cap.
    pub start: DVec3,
    /// The centre of the end cap, apart from `start`.
    pub end: DVec3,
    /// The radius at the start, from 1e-9 to 1e9, or 0 for a tip.
    pub start_radius: f64,
    /// The radius at the end, from 1e-9 to 1e9, or 0 for a tip; not both radii are 0.
    pub end_radius: f64,
}

/// The relative size below which a difference of two terms counts as a rounding error of zero.
const NOTHING: f64 = 1e-14;

impl Cone {
    /// The segments turn about the axis. Their points are distances from it and heights above the
    /// start.
    fn outline_segments(&self) -> [[DVec2; 2]; 3] {
        let top = self.along().length();
        let [start, end] = [DVec2::new(self.start_radius, 0.0), DVec2::new(self.end_radius, top)];
        [[DVec2::ZERO, start], [start, end], [end, DVec2::new(0.0, top)]]
    }

    pub(super) const TYPE: FormType<Self> = FormType {
        name: "cone",
        fields: &[
            Field::new("start", FieldKind::Position, "The centre of the start cap."),
            Field::new("end", FieldKind::Position, "The centre of the end cap."),
            Field::new(
                "start_radius",
                FieldKind::LengthOrZero,
                "The radius at the start, 0 for a tip.",
            ),
            Field::new(
                "end_radius",
                FieldKind::LengthOrZero,
                "The radius at the end, 0 for a tip; one of the two must be above 0.",
            ),
            Parts::FIELDS[0],
            Parts::FIELDS[1],
            Parts::FIELDS[2],
        ],
        is_solid: true,
        params: 3,
        allowance: 1.0,
        from_row: |row| Cone {
            start: DVec3::from_slice(row),
            end: DVec3::from_slice(&row[3..]),
            start_radius: row[6],
            end_radius: row[7],
        },
    };

    fn along(&self) -> DVec3 {
        self.end - self.start
    }

    fn widening(&self) -> f64 {
        self.end_radius - self.start_radius
    }

    /// Returns the line's span inside the infinite double cone or, if it crosses both halves,
    /// inside the half that this cone is part of. All terms are times the fourth power of the
    /// length, so that integers stay exact.
    fn side(&self, line: &Line) -> Option<Span> {
        let along = self.along();
        let top = along.length_squared();
        let (d, from_start) = (line.direction, line.origin - self.start);
        let (height, climb) = (from_start.dot(along), d.dot(along));
        let radius = self.start_radius * top + self.widening() * height;
        let widening = self.widening() * climb;
        // The squared distance from the axis minus the squared local radius is a t² + 2 b t + c.
        let difference = |far: f64, near: f64| {
            let rest = far - near;
            if rest.abs() <= NOTHING * (far.abs() + near.abs()) { 0.0 } else { rest }
        };
        let (aside, speed) = (from_start.cross(along), d.cross(along));
        let a = difference(top * speed.length_squared(), widening * widening);
        let b = difference(top * aside.dot(speed), radius * widening);
        let c = top * aside.length_squared() - radius * radius;
        if a == 0.0 {
            // The line is parallel to a generator of the cone, or to the axis of a cylinder.
            let t = -0.5 * c / b;
            return match b {
                b if b > 0.0 => Some(Span::through(SIDE, f64::NEG_INFINITY, t)),
                b if b < 0.0 => Some(Span::through(SIDE, t, f64::INFINITY)),
                _ => (c <= 0.0).then_some(Span::whole(SIDE)),
            };
        }
        let discriminant = b * b - a * c;
        if discriminant < 0.0 && a > 0.0 {
            return None;
        }
        let q = -(b + discriminant.max(0.0).sqrt().copysign(b));
        let roots = if q == 0.0 { [0.0, 0.0] } else { [q / a, c / q] };
        let (first, last) = (roots[0].min(roots[1]), roots[0].max(roots[1]));
        if a > 0.0 {
            Some(Span::through(SIDE, first, last))
        } else if widening > 0.0 {
            // The line is steeper than the side: it is inside one half after one root, and inside
            // the other before the other root.
            Some(Span::through(SIDE, last, f64::INFINITY))
        } else {
            Some(Span::through(SIDE, f64::NEG_INFINITY, first))
        }
    }

    fn span(&self, line: &Line) -> Option<Span> {
        let (line, step) = line.near(self.center());
        Some(self.side(&line)?.meet(between_caps(&line, self.start, self.along())?)?.shifted(step))
    }

    /// Returns the line's spans inside the endless side and between the caps.
    pub(super) fn side_and_caps(&self, line: &Line) -> Option<[Span; 2]> {
        let (line, step) = line.near(self.center());
        let caps = between_caps(&line, self.start, self.along())?;
        Some([self.side(&line)?, caps].map(|span| span.shifted(step)))
    }

    /// Returns the cone with every surface moved outwards, or `None` if nothing is left. If a
    /// radius would be negative, the cone ends at the tip.
    pub(super) fn grown(&self, delta: f64) -> Option<Self> {
        let axis = self.along().normalize();
        let length = self.along().length();
        let slope = self.widening() / length;
        let wider = delta * (slope * slope + 1.0).sqrt();
        let mut start_radius = self.start_radius + wider - slope * delta;
        let mut end_radius = self.end_radius + wider + slope * delta;
        let (mut from, mut to) = (-delta, length + delta);
        if start_radius < 0.0 {
            from -= start_radius / slope;
            start_radius = 0.0;
        }
        if end_radius < 0.0 {
            to -= end_radius / slope;
            end_radius = 0.0;
        }
        (from < to && start_radius.max(end_radius) > 0.0).then(|| Self {
            start: self.start + from * axis,
            end: self.start + to * axis,
            start_radius,
            end_radius,
        })
    }
}

impl ClosedForm for Cone {
    fn primitive_kind(&self) -> PrimitiveKind {
        PrimitiveKind::Cone
    }

    fn row(&self) -> Vec<f64> {
        let mut row = self.start.to_array().to_vec();
        row.extend(self.end.to_array());
        row.extend([self.start_radius, self.end_radius]);
        row.extend(Parts::ALL_FLAGS);
        row
    }

    fn check(&self) -> Result<(), ShapeError> {
        check_axis(self.start, self.end)?;
        check_tips(self.start_radius, self.end_radius)
    }

    fn bounds(&self) -> Option<Bounds> {
        let axis = self.along().normalize();
        let start = disc_bounds(self.start, axis, self.start_radius);
        Some(start.union(disc_bounds(self.end, axis, self.end_radius)))
    }

    fn center(&self) -> DVec3 {
        0.5 * (self.start + self.end)
    }

    fn bounding_radius(&self) -> f64 {
        0.5 * self.along().length() + self.start_radius.max(self.end_radius)
    }

    fn smallest_size(&self) -> f64 {
        let radii = [self.start_radius, self.end_radius].into_iter().filter(|&r| r > 0.0);
        radii.fold(self.along().length(), f64::min)
    }

    fn support(&self, direction: DVec3) -> DVec3 {
        let discs = [(self.start, self.start_radius), (self.end, self.end_radius)];
        farthest_of_discs(discs, direction)
    }

    fn ends(&self) -> Option<[(DVec3, f64); 2]> {
        Some([(self.start, self.start_radius), (self.end, self.end_radius)])
    }

    fn volume(&self) -> Option<f64> {
        let (a, b) = (self.start_radius, self.end_radius);
        Some(PI / 3.0 * (a * a + a * b + b * b) * self.along().length())
    }

    fn crossings(&self, line: &Line) -> Crossings {
        self.span(line).into()
    }

    fn normal(&self, face: u32, point: DVec3) -> DVec3 {
        let axis = self.along().normalize();
        match face {
            START_CAP => -axis,
            END_CAP => axis,
            _ => {
                let slope = self.widening() / self.along().length();
                let outwards = (point - self.start).reject_from_normalized(axis);
                let outwards = outwards.normalize_or_zero() - slope * axis;
                outwards.normalize_or(axis.any_orthonormal_vector())
            }
        }
    }

    fn closest_point(&self, point: DVec3) -> DVec3 {
        let axis = self.along() / self.along().length();
        AboutAxis::new(point, self.start, axis).on_turned(&self.outline_segments())
    }

    fn outline(&self) -> Option<Outline> {
        Some(Outline {
            origin: self.start,
            axis: self.along() / self.along().length(),
            pieces: self.outline_segments().map(OutlinePiece::Segment).into(),
        })
    }

    fn zones(&self, line: &Line, delta: f64) -> Zones {
        let moved = |delta| Some(self.grown(delta)?.crossings(line));
        Zones::of_solid([delta, -delta].map(moved))
    }

    /// The layout is start, start radius | end − start, end radius.
    fn pack(&self, params: &mut Vec<[f32; 4]>) {
        params.push(vec4(self.start, self.start_radius));
        params.push(vec4(self.along(), self.end_radius));
    }
}

/// Checks that not both ends are tips.
pub(crate) fn check_tips(start_radius: f64, end_radius: f64) -> Result<(), ShapeError> {
    if start_radius != 0.0 || end_radius != 0.0 {
        return Ok(());
    }
    Err(ShapeError {
        field: "end_radius".to_owned(),
        reason: "is 0 and start_radius is 0 too: one of them must be above 0".to_owned(),
    })
}
