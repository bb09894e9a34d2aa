//! The flat disc, whole or with a hole.

use super::caps::disc_bounds;
use super::cylinder::check_hole;
use super::outline::{Outline, OutlinePiece};
use super::plane::{near_unit, plane_crossing};
use super::{ClosedForm, Cylinder, FormType, PrimitiveKind};
use crate::closest::AboutAxis;
use crate::crossings::{Crossings, Span, Zones};
use crate::fields::{Field, FieldKind, ShapeError};
use crate::math::{Bounds, vec4};
use crate::ray::Line;
use glam::{DVec2, DVec3};

/// All points of a plane from `inner_radius` to `radius` from `center`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Disc {
    /// Its centre.
    pub center: DVec3,
    /// The normal, of any length above 0.
    pub normal: DVec3,
    /// The radius, from 1e-9 to 1e9.
    pub radius: f64,
    /// The radius of the hole, below `radius`; 0 for a whole disc.
    pub inner_radius: f64,
}

impl Disc {
    pub(super) const TYPE: FormType<Self> = FormType {
        name: "disc",
        fields: &[
            Field::new("center", FieldKind::Position, "The centre of the disc."),
            Field::new("normal", FieldKind::Direction, "The normal of the disc, of any length."),
            Field::new("radius", FieldKind::Length, "The radius."),
            Field::new(
                "inner_radius",
                FieldKind::LengthOrZero,
                "The radius of the hole about its centre; 0 for none.",
            )
            .or(&[0.0]),
        ],
        is_solid: false,
        params: 2,
        allowance: 1.0,
        from_row: |row| Disc {
            center: DVec3::from_slice(row),
            normal: DVec3::from_slice(&row[3..]),
            radius: row[6],
            inner_radius: row[7],
        },
    };

    /// Returns the disc as a solid 2δ thick, its rim moved outwards and its hole inwards. The solid
    /// is centred on the origin, because large coordinates would round the thickness away.
    fn thick(&self, delta: f64) -> Cylinder {
        let normal = delta * self.normal.normalize();
        Cylinder {
            start: -normal,
            end: normal,
            radius: self.radius + delta,
            inner_radius: (self.inner_radius - delta).max(0.0),
        }
    }

    /// Returns true if the line passes from one face of the thick disc to the other at least δ
    /// inside the rim, and on the way stays at least δ off the hole.
    fn is_surely_crossed(&self, line_from_center: &Line, delta: f64) -> bool {
        let normal = self.normal.normalize();
        let faces =
            [-delta, delta].map(|height| plane_crossing(line_from_center, height * normal, normal));
        let [Some(a), Some(b)] = faces else {
            return false;
        };
        let aside = |t: f64| line_from_center.at(t).reject_from_normalized(normal);
        let speed = line_from_center.direction.reject_from_normalized(normal);
        let nearest = match speed.length_squared() {
            0.0 => a,
            squared => -aside(0.0).dot(speed) / squared,
        };
        let is_off_hole = self.inner_radius == 0.0
            || aside(nearest.clamp(a.min(b), a.max(b))).length() >= self.inner_radius + delta;
        is_off_hole && [a, b].iter().all(|&t| aside(t).length() <= self.radius - delta)
    }
}

impl ClosedForm for Disc {
    fn is_solid(&self) -> bool {
        Self::TYPE.is_solid
    }

    fn primitive_kind(&self) -> PrimitiveKind {
        PrimitiveKind::Disc
    }

    fn row(&self) -> Vec<f64> {
        let mut row = self.center.to_array().to_vec();
        row.extend(self.normal.to_array());
        row.extend([self.radius, self.inner_radius]);
        row
    }

    fn check(&self) -> Result<(), ShapeError> {
        check_hole(self.inner_radius, self.radius)
    }

    fn bounds(&self) -> Option<Bounds> {
        Some(disc_bounds(self.center, self.normal.normalize(), self.radius))
    }

    fn center(&self) -> DVec3 {
        self.center
    }

    fn bounding_radius(&self) -> f64 {
        self.radius
    }

    fn smallest_size(&self) -> f64 {
        self.radius - self.inner_radius
    }

    /// The distance from the centre is computed for the crossing point times the speed towards the
    /// plane, so that integers stay exact. A cross product with the normal cancels the height above
    /// the plane.
    #[inline]
    fn convex_span(&self, line: &Line) -> Option<Span> {
        if self.inner_radius == 0.0 { self.crossings(line).only() } else { None }
    }

    fn crossings(&self, line: &Line) -> Crossings {
        let speed = line.direction.dot(self.normal);
        let from_center = line.origin - self.center;
        let height = from_center.dot(self.normal);
        if speed == 0.0 {
            return Crossings::none();
        }
        let point = from_center * speed - height * line.direction;
        let distance_squared = point.cross(self.normal).length_squared();
        let scale = speed * speed * self.normal.length_squared();
        let reach = self.inner_radius * self.inner_radius..=self.radius * self.radius;
        if distance_squared < reach.start() * scale || distance_squared > reach.end() * scale {
            return Crossings::none();
        }
        Crossings::one(-height / speed)
    }

    fn normal(&self, _face: u32, _point: DVec3) -> DVec3 {
        self.normal.normalize()
    }

    fn closest_point(&self, point: DVec3) -> DVec3 {
        let rims = [self.inner_radius, self.radius].map(|radius| DVec2::new(radius, 0.0));
        AboutAxis::new(point, self.center, self.normal.normalize()).on_turned(&[rims])
    }

    fn outline(&self) -> Option<Outline> {
        let rims = [self.inner_radius, self.radius].map(|radius| DVec2::new(radius, 0.0));
        Some(Outline {
            origin: self.center,
            axis: self.normal.normalize(),
            pieces: vec![OutlinePiece::Segment(rims)],
        })
    }

    fn zones(&self, line: &Line, delta: f64) -> Zones {
        let line = Line { origin: line.origin - self.center, direction: line.direction };
        let thick = self.thick(delta).crossings(&line);
        Zones::of_surface(&thick, self.is_surely_crossed(&line, delta))
    }

    /// The layout is centre, radius | normal, inner radius.
    fn pack(&self, params: &mut Vec<[f32; 4]>) {
        params.push(vec4(self.center, self.radius));
        params.push(vec4(near_unit(self.normal), self.inner_radius));
    }
}
