//! The infinite plane.

use super::{ClosedForm, DELTA, PrimitiveKind, Shape, ShapeType, vec4};
use crate::crossings::{Crossings, Span, Zones};
use crate::fields::{Field, FieldKind};
use crate::math::{Bounds, U};
use crate::ray::Line;
use glam::DVec3;

/// All points whose offset from `point` is perpendicular to the normal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plane {
    /// A point of the plane, from which the precision promise measures distances.
    pub point: DVec3,
    /// The normal, of any length above 0; for point queries the half-space behind the plane is solid.
    pub normal: DVec3,
}

impl Plane {
    pub(super) const TYPE: ShapeType = ShapeType {
        name: "plane",
        fields: &[
            Field::new("point", FieldKind::Position, "A point of the plane."),
            Field::new("normal", FieldKind::Direction, "The normal of the plane, of any length."),
        ],
        is_solid: false,
        params: 2,
        allowance: 1.0,
        from_row: |row| {
            Shape::Plane(Plane {
                point: DVec3::from_slice(row),
                normal: DVec3::from_slice(&row[3..]),
            })
        },
    };
}

/// Returns the t at which a line crosses the plane through a point with a normal, or `None` for a line parallel to it.
pub(super) fn plane_crossing(line: &Line, point: DVec3, normal: DVec3) -> Option<f64> {
    let speed = line.direction.dot(normal);
    (speed != 0.0).then(|| (point - line.origin).dot(normal) / speed)
}

impl ClosedForm for Plane {
    fn shape_type(&self) -> &'static ShapeType {
        &Self::TYPE
    }

    fn primitive_kind(&self) -> PrimitiveKind {
        PrimitiveKind::Plane
    }

    fn row(&self) -> Vec<f64> {
        let mut row = self.point.to_array().to_vec();
        row.extend(self.normal.to_array());
        row
    }

    fn bounds(&self) -> Option<Bounds> {
        None
    }

    fn center(&self) -> DVec3 {
        self.point
    }

    fn bounding_radius(&self) -> f64 {
        0.0
    }

    /// A plane has no size, so no rounding is coarse for it.
    fn smallest_size(&self) -> f64 {
        f64::INFINITY
    }

    fn crossings(&self, line: &Line) -> Crossings {
        plane_crossing(line, self.point, self.normal).map_or_else(Crossings::none, Crossings::one)
    }

    fn half_space_holds(&self, point: DVec3) -> bool {
        (point - self.point).dot(self.normal) <= 0.0
    }

    fn normal(&self, _face: u32, _point: DVec3) -> DVec3 {
        self.normal.normalize()
    }

    fn closest_point(&self, point: DVec3) -> DVec3 {
        let normal = self.normal.normalize();
        point - (point - self.point).dot(normal) * normal
    }

    /// The plane may be displaced by a further [`DELTA`] u |t| |d| far along the line: to either side of t = 0 the
    /// line runs between two planes that diverge.
    fn zones(&self, line: &Line, delta: f64) -> Zones {
        let normal = self.normal.normalize();
        let height = (line.origin - self.point).dot(normal);
        let climb = line.direction.dot(normal);
        let parting = DELTA * U * line.direction.length();
        // The span holds where height + climb t <= delta + parting |t|, and likewise below the plane.
        let ahead = [climb - parting, -climb - parting];
        let behind = [climb + parting, -climb + parting];
        let reach = [delta - height, delta + height];
        let half = |speeds: [f64; 2], start: f64, end: f64| {
            let mut bounds = [start, end];
            for (speed, reach) in speeds.into_iter().zip(reach) {
                let bound = reach / speed;
                if speed > 0.0 {
                    bounds[1] = bounds[1].min(bound);
                } else if speed < 0.0 {
                    bounds[0] = bounds[0].max(bound);
                } else if reach < 0.0 {
                    return None;
                }
            }
            let [enter, exit] = bounds;
            (enter <= exit).then(|| Span::through(0, enter, exit))
        };
        let before = half(behind, f64::NEG_INFINITY, 0.0);
        let after = half(ahead, 0.0, f64::INFINITY);
        let spans: Crossings = match (before, after) {
            (Some(before), Some(after)) if before.exit.t == 0.0 && after.enter.t == 0.0 => {
                Some(before.hull(after)).into()
            }
            (before, after) => before.into_iter().chain(after).collect(),
        };
        Zones::of_surface(&spans, climb.abs() > parting)
    }

    /// The layout is point, 0 | normal, 0. An offset along the normal instead of a point would be rounded far from
    /// the world's origin.
    fn pack(&self, params: &mut Vec<[f32; 4]>) {
        params.push(vec4(self.point, 0.0));
        params.push(vec4(near_unit(self.normal), 0.0));
    }
}

/// Scales a direction by a power of two, which rounds nothing, so that its largest component lies between 1 and 2.
pub(crate) fn near_unit(direction: DVec3) -> DVec3 {
    direction * scale_near_one(direction.abs().max_element())
}

/// Returns the power of two that brings a positive normal number between 1 and 2.
pub(crate) fn scale_near_one(number: f64) -> f64 {
    let power = f64::from_bits(number.to_bits() & f64::INFINITY.to_bits());
    1.0 / power
}
