//! The torus, with the roots of a quartic in float64. Between the zeros of its derivative the
//! quartic is monotone, so a bracketed Newton iteration finds each root. The derivative's zeros are
//! found in the same way, down to degree 1.

use super::caps::{disc_bounds, unit_across};
use super::outline::{Outline, OutlinePiece};
use super::{ClosedForm, FormType, PrimitiveKind};
use crate::closest::AboutAxis;
use crate::crossings::{Crossings, Span, Zones};
use crate::fields::{Field, FieldKind, ShapeError};
use crate::math::{Bounds, vec4};
use crate::ray::Line;
use arrayvec::ArrayVec;
use glam::{DVec2, DVec3};
use std::f64::consts::PI;

/// All points up to `minor_radius` from a circle of `major_radius` about an axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Torus {
    /// Its centre, in the middle of the hole.
    pub center: DVec3,
    /// The axis of symmetry, of any length above 0.
    pub axis: DVec3,
    /// The radius of the core circle, from 1e-9 to 1e9.
    pub major_radius: f64,
    /// The radius of the tube around that circle, smaller than `major_radius`.
    pub minor_radius: f64,
}

impl Torus {
    pub(super) const TYPE: FormType<Self> = FormType {
        name: "torus",
        fields: &[
            Field::new("center", FieldKind::Position, "The centre of the torus."),
            Field::new("axis", FieldKind::Direction, "The axis of rotation, of any length."),
            Field::new("major_radius", FieldKind::Length, "The radius of the core circle."),
            Field::new(
                "minor_radius",
                FieldKind::Length,
                "The radius of the tube about the core circle, smaller than major_radius.",
            ),
        ],
        is_solid: true,
        params: 2,
        // A quartic's roots are closer together than a quadratic's, and its terms are larger.
        allowance: 8.0,
        from_row: |row| Torus {
            center: DVec3::from_slice(row),
            axis: DVec3::from_slice(&row[3..]),
            major_radius: row[6],
            minor_radius: row[7],
        },
    };

    /// Returns the crossings from the spans in which (|p|² + R² − r²)² − 4 R² (|p|² − (p·axis)²) is
    /// at most 0, for the line's point p.
    fn spans(&self, line: &Line) -> Crossings {
        let axis = self.axis.normalize();
        let (line, step) = line.near(self.center);
        let (p, d) = (line.origin - self.center, line.direction);
        let (dd, pd, pp) = (d.length_squared(), p.dot(d), p.length_squared());
        let (height, climb) = (p.dot(axis), d.dot(axis));
        let (major, minor) = (self.major_radius, self.minor_radius);
        // The line is outside wherever |t| is greater.
        let reach = (2.0 * (major + minor) + p.length()) / dd.sqrt();
        let rest = pp + (major - minor) * (major + minor);
        let turn = 4.0 * major * major;
        let quartic = [
            rest * rest - turn * (pp - height * height),
            4.0 * pd * rest - 2.0 * turn * (pd - height * climb),
            4.0 * pd * pd + 2.0 * dd * rest - turn * (dd - climb * climb),
            4.0 * dd * pd,
            dd * dd,
        ];
        let mut enter = None;
        let mut spans = ArrayVec::<Span, 2>::new();
        for piece in monotone_pieces(&quartic, [-reach, reach]).windows(2) {
            let [from, to] = [piece[0], piece[1]];
            let [a, b] = [from, to].map(|t| value(&quartic, t));
            if a > 0.0 && b <= 0.0 {
                enter = Some(root_between(&quartic, from, to));
            } else if a <= 0.0 && b > 0.0 && !spans.is_full() {
                let exit = root_between(&quartic, from, to);
                spans.push(Span::through(0, enter.take().unwrap_or(from), exit).shifted(step));
            }
        }
        // A ring that was grown past its own axis overlaps itself: then there is no gap between the
        // two spans.
        if let [first, last] = spans[..]
            && self.is_inside(line.at(0.5 * (first.exit.t + last.enter.t) - step))
        {
            return Some(first.hull(last)).into();
        }
        spans.into_iter().collect()
    }

    fn is_inside(&self, point: DVec3) -> bool {
        let (axis, from_center) = (self.axis.normalize(), point - self.center);
        let beyond = from_center.reject_from_normalized(axis).length() - self.major_radius;
        DVec2::new(beyond, from_center.dot(axis)).length() <= self.minor_radius
    }

    fn grown(&self, delta: f64) -> Option<Self> {
        let minor_radius = self.minor_radius + delta;
        (minor_radius > 0.0).then_some(Self { minor_radius, ..*self })
    }
}

/// Evaluates a polynomial by Horner's scheme, its coefficients from the constant up.
fn value(coefficients: &[f64], t: f64) -> f64 {
    coefficients.iter().rev().fold(0.0, |sum, coefficient| sum * t + coefficient)
}

/// Cuts an interval where the polynomial's derivative changes its sign. Returns all bounds in
/// order.
fn monotone_pieces(coefficients: &[f64], [from, to]: [f64; 2]) -> ArrayVec<f64, 5> {
    let mut cuts = ArrayVec::new();
    cuts.push(from);
    let derivative: ArrayVec<f64, 4> =
        (1_u8..).zip(&coefficients[1..]).map(|(power, c)| f64::from(power) * c).collect();
    if derivative.len() > 1 {
        for piece in monotone_pieces(&derivative, [from, to]).windows(2) {
            let is_negative = |t: f64| value(&derivative, t) < 0.0;
            if is_negative(piece[0]) != is_negative(piece[1]) {
                cuts.push(root_between(&derivative, piece[0], piece[1]));
            }
        }
    }
    cuts.push(to);
    cuts
}

/// Returns the zero of a monotone piece whose ends differ in sign, by Newton's method with a
/// bisection step wherever Newton's would leave the bracket.
fn root_between(coefficients: &[f64], mut from: f64, mut to: f64) -> f64 {
    let is_negative_at_first = value(coefficients, from) < 0.0;
    // An end may itself be a zero, as for a tangent.
    for end in [from, to] {
        if value(coefficients, end) == 0.0 {
            return end;
        }
    }
    let mut t = 0.5 * (from + to);
    for _ in 0..200 {
        let (mut height, mut slope) = (0.0, 0.0);
        for coefficient in coefficients.iter().rev() {
            slope = slope * t + height;
            height = height * t + coefficient;
        }
        if height == 0.0 {
            return t;
        }
        if (height < 0.0) == is_negative_at_first {
            from = t;
        } else {
            to = t;
        }
        let next = t - height / slope;
        let next = if next > from && next < to { next } else { 0.5 * (from + to) };
        if (next - t).abs() <= f64::EPSILON * 0.5 * t.abs() {
            return next;
        }
        t = next;
    }
    t
}

impl ClosedForm for Torus {
    fn primitive_kind(&self) -> PrimitiveKind {
        PrimitiveKind::Torus
    }

    fn row(&self) -> Vec<f64> {
        let mut row = self.center.to_array().to_vec();
        row.extend(self.axis.to_array());
        row.extend([self.major_radius, self.minor_radius]);
        row
    }

    fn check(&self) -> Result<(), ShapeError> {
        if self.minor_radius < self.major_radius {
            return Ok(());
        }
        Err(ShapeError {
            field: "minor_radius".to_owned(),
            reason: format!(
                "is {:?}: it must be below the major_radius, {:?}",
                self.minor_radius, self.major_radius
            ),
        })
    }

    fn bounds(&self) -> Option<Bounds> {
        let core = disc_bounds(self.center, self.axis.normalize(), self.major_radius);
        let ring = DVec3::splat(self.minor_radius);
        Some(Bounds { min: core.min - ring, max: core.max + ring })
    }

    fn center(&self) -> DVec3 {
        self.center
    }

    fn bounding_radius(&self) -> f64 {
        self.major_radius + self.minor_radius
    }

    fn smallest_size(&self) -> f64 {
        self.minor_radius
    }

    fn support(&self, direction: DVec3) -> DVec3 {
        let across = unit_across(self.axis, direction);
        self.center + self.major_radius * across + self.minor_radius * direction.normalize_or_zero()
    }

    fn volume(&self) -> Option<f64> {
        // Pappus: the area of the tube's disc times the path of its centre.
        Some(2.0 * PI * PI * self.major_radius * self.minor_radius * self.minor_radius)
    }

    fn crossings(&self, line: &Line) -> Crossings {
        self.spans(line)
    }

    /// The normal points away from the nearest point of the core circle.
    fn normal(&self, _face: u32, point: DVec3) -> DVec3 {
        let axis = self.axis.normalize();
        let from_center = point - self.center;
        let aside = from_center.reject_from_normalized(axis);
        let core = self.major_radius * aside.normalize_or(axis.any_orthonormal_vector());
        (from_center - core).normalize_or(axis)
    }

    /// The nearest point is outwards from the nearest point of the core circle, by the minor
    /// radius.
    fn closest_point(&self, point: DVec3) -> DVec3 {
        let seen = AboutAxis::new(point, self.center, self.axis.normalize());
        let core = DVec2::new(self.major_radius, 0.0);
        seen.in_space(core + self.minor_radius * (seen.local_point - core).normalize_or(DVec2::Y))
    }

    fn outline(&self) -> Option<Outline> {
        let turns = [DVec2::X, DVec2::Y, DVec2::NEG_X, DVec2::NEG_Y];
        let quarter = |turn: usize| OutlinePiece::Quarter {
            center: DVec2::new(self.major_radius, 0.0),
            radius: self.minor_radius,
            from: turns[turn],
            to: turns[(turn + 1) % 4],
        };
        Some(Outline {
            origin: self.center,
            axis: self.axis.normalize(),
            pieces: (0..4).map(quarter).collect(),
        })
    }

    fn most_crossings(&self) -> u32 {
        4
    }

    fn zones(&self, line: &Line, delta: f64) -> Zones {
        let moved = |delta| Some(self.grown(delta)?.crossings(line));
        Zones::of_solid([delta, -delta].map(moved))
    }

    /// The layout is centre, major radius | unit axis, minor radius.
    fn pack(&self, params: &mut Vec<[f32; 4]>) {
        params.push(vec4(self.center, self.major_radius));
        params.push(vec4(self.axis.normalize(), self.minor_radius));
    }
}
