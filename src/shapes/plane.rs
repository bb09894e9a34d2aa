//! The plane, infinite or bounded.

use super::{ClosedForm, DELTA, FormType, PrimitiveKind};
use crate::crossings::{Crossing, Crossings, Span, Zones};
use crate::fields::{Field, FieldKind, ShapeError};
use crate::math::{Bounds, U, rotation_matrix, vec4};
use crate::ray::Line;
use glam::{DMat3, DQuat, DVec2, DVec3};

/// All points whose offset from `point` is perpendicular to the normal. A bounded plane has only
/// those in a rectangle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plane {
    /// A point of the plane, from which the precision bound measures distances; the middle of a
    /// bounded plane.
    pub point: DVec3,
    /// The normal, of any length above 0. The normal of a bounded plane is the +z axis of its
    /// rectangle, which rays and points use.
    pub normal: DVec3,
    /// The rectangle that bounds it; `None` for an infinite plane.
    pub rectangle: Option<Rectangle>,
    /// True if rays that come from behind, along the normal, pass through it.
    pub one_sided: bool,
}

/// The rectangle that bounds a plane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rectangle {
    /// The rotation of the rectangle's own axes into the world's. Its edges are along its x and y
    /// axes.
    pub rotation: DQuat,
    /// Half of its edges' lengths along x and y, from 1e-9 to 1e9; 0 for an axis along which it is
    /// infinite. One of them is above 0.
    pub half_extents: [f64; 2],
}

/// The cosine of the angle up to which a bounded plane's normal agrees with its rotation.
const AGREES: f64 = 1.0 - 1e-8;

impl Plane {
    /// Returns an infinite plane, which rays hit from both sides.
    pub fn infinite(point: DVec3, normal: DVec3) -> Self {
        Self { point, normal, rectangle: None, one_sided: false }
    }

    /// Returns a plane with the normal along its own +z axis. It ends `half_extents` from its
    /// middle along its own x and y axes, and is infinite along an axis with 0. Rays hit it from
    /// both sides.
    pub fn bounded(point: DVec3, rotation: DQuat, half_extents: [f64; 2]) -> Self {
        let rectangle = Rectangle { rotation, half_extents };
        Self {
            point,
            normal: rectangle.axes().z_axis,
            rectangle: (half_extents != [0.0; 2]).then_some(rectangle),
            one_sided: false,
        }
    }

    pub(super) const TYPE: FormType<Self> = FormType {
        name: "plane",
        fields: &[
            Field::new("point", FieldKind::Position, "A point of the plane, its middle if it is bounded."),
            Field::new(
                "normal",
                FieldKind::OptionalDirection,
                "The normal of the plane, of any length. Leave it out for a bounded plane, whose normal is its own +z axis.",
            )
            .or(&[0.0; 3]),
            Field::new(
                "half_extents",
                FieldKind::OptionalExtents,
                "Half of the lengths of the bounding rectangle along the plane's own x and y axes; 0 for an axis along which it is infinite. Default: the plane is infinite.",
            )
            .or(&[0.0; 2]),
            Field::new(
                "rotation_xyzw",
                FieldKind::OptionalRotation,
                "The quaternion that rotates a bounded plane's own axes to the world's axes.",
            )
            .or(&[0.0; 4]),
            Field::new(
                "one_sided",
                FieldKind::Flag,
                "True if rays that come from behind, along the normal, pass through it.",
            )
            .or(&[0.0]),
        ],
        is_solid: false,
        params: 3,
        allowance: 1.0,
        from_row: |row| {
            let point = DVec3::from_slice(row);
            let normal = DVec3::from_slice(&row[3..]);
            let half_extents = [row[6], row[7]];
            let rotation = DQuat::from_slice(&row[8..]);
            let is_bounded = half_extents != [0.0; 2] || rotation.to_array() != [0.0; 4];
            let rectangle = is_bounded.then_some(Rectangle { rotation, half_extents });
            let normal = match &rectangle {
                Some(rectangle) if normal == DVec3::ZERO => rectangle.axes().z_axis,
                _ => normal,
            };
            Plane { point, normal, rectangle, one_sided: row[12] != 0.0 }
        },
    };
}

impl Rectangle {
    /// Returns its own axes in the world, as columns.
    fn axes(&self) -> DMat3 {
        rotation_matrix(self.rotation)
    }

    /// Returns true if it is infinite along an axis.
    fn is_strip(&self) -> bool {
        self.half_extents.contains(&0.0)
    }
}

/// Returns the t of the crossing; `None` for a line parallel to the plane.
pub(super) fn plane_crossing(line: &Line, point: DVec3, normal: DVec3) -> Option<f64> {
    let speed = line.direction.dot(normal);
    (speed != 0.0).then(|| (point - line.origin).dot(normal) / speed)
}

impl Plane {
    /// Returns the normal that crossings use. A rectangle's normal is not rounded.
    fn own_normal(&self) -> DVec3 {
        self.rectangle.map_or(self.normal, |rectangle| rectangle.axes().z_axis)
    }

    /// Returns true if a line in this direction comes from behind a plane that has one side.
    fn lets_pass(&self, direction: DVec3) -> bool {
        self.one_sided && direction.dot(self.own_normal()) >= 0.0
    }

    /// Returns the factor by which a displacement grows with the distance along the line. It is 0
    /// for an ordinary rectangle.
    fn parting(&self, direction: DVec3) -> f64 {
        match &self.rectangle {
            Some(rectangle) if !rectangle.is_strip() => 0.0,
            _ => DELTA * U * direction.length(),
        }
    }
}

/// The place of a line across one axis: its coordinate at t = 0, and how that changes with t.
#[derive(Clone, Copy)]
struct Across {
    from: f64,
    speed: f64,
}

impl Across {
    fn new(line: &Line, point: DVec3, axis: DVec3) -> Self {
        Self { from: (line.origin - point).dot(axis), speed: line.direction.dot(axis) }
    }

    /// Returns the parts of the line before and after t = 0 in which its coordinate is at most
    /// reach + parting |t| on either side of zero: to either side of t = 0 the line runs between
    /// two planes that diverge.
    fn within(self, reach: f64, parting: f64) -> [Option<Span>; 2] {
        let half = |speeds: [f64; 2], start: f64, end: f64| {
            let mut bounds = [start, end];
            for (speed, reach) in speeds.into_iter().zip([reach - self.from, reach + self.from]) {
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
        let behind = [self.speed + parting, -self.speed + parting];
        let ahead = [self.speed - parting, -self.speed - parting];
        [half(behind, f64::NEG_INFINITY, 0.0), half(ahead, 0.0, f64::INFINITY)]
    }
}

impl ClosedForm for Plane {
    fn is_solid(&self) -> bool {
        Self::TYPE.is_solid
    }

    fn primitive_kind(&self) -> PrimitiveKind {
        match self.rectangle.is_some() || self.one_sided {
            true => PrimitiveKind::Sheet,
            false => PrimitiveKind::Plane,
        }
    }

    fn row(&self) -> Vec<f64> {
        let mut row = self.point.to_array().to_vec();
        match &self.rectangle {
            Some(Rectangle { rotation, half_extents }) => {
                row.extend([0.0; 3]);
                row.extend(half_extents);
                row.extend(rotation.to_array());
            }
            None => {
                row.extend(self.normal.to_array());
                row.extend([0.0; 6]);
            }
        }
        row.push(f64::from(u8::from(self.one_sided)));
        row
    }

    fn check(&self) -> Result<(), ShapeError> {
        let refuse = |field: &str, reason: &str| {
            Err(ShapeError { field: field.to_owned(), reason: reason.to_owned() })
        };
        match &self.rectangle {
            None if self.normal == DVec3::ZERO => refuse(
                "normal",
                "is missing or has no length: a plane without half_extents needs a normal",
            ),
            None => Ok(()),
            Some(rectangle) if rectangle.half_extents == [0.0; 2] => refuse(
                "rotation_xyzw",
                "is given without half_extents: give half_extents too, or give the normal instead",
            ),
            Some(rectangle) if rectangle.rotation.to_array() == [0.0; 4] => refuse(
                "rotation_xyzw",
                "is missing: half_extents are along the x and y axes that it rotates; use [0, 0, 0, 1] for no rotation",
            ),
            Some(rectangle) => {
                let cosine = self.normal.normalize().dot(rectangle.axes().z_axis);
                match cosine > AGREES {
                    true => Ok(()),
                    false => refuse(
                        "normal",
                        "is not the +z axis of rotation_xyzw: leave the normal out for a bounded plane",
                    ),
                }
            }
        }
    }

    fn bounds(&self) -> Option<Bounds> {
        let rectangle = self.rectangle.filter(|rectangle| !rectangle.is_strip())?;
        let (axes, [x, y]) = (rectangle.axes(), rectangle.half_extents);
        Some(Bounds::around(self.point, axes.x_axis.abs() * x + axes.y_axis.abs() * y))
    }

    fn center(&self) -> DVec3 {
        self.point
    }

    fn bounding_radius(&self) -> f64 {
        let rectangle = self.rectangle.filter(|rectangle| !rectangle.is_strip());
        rectangle.map_or(0.0, |rectangle| DVec2::from(rectangle.half_extents).length())
    }

    /// An infinite plane has no size, so no rounding is coarse for it.
    fn smallest_size(&self) -> f64 {
        let half_extents = self.rectangle.map_or([0.0; 2], |rectangle| rectangle.half_extents);
        let bounding = half_extents.into_iter().filter(|&half| half > 0.0);
        bounding.fold(f64::INFINITY, f64::min)
    }

    /// The coordinates in a rectangle are those of the crossing point times the speed towards the
    /// plane, so that integers stay exact.
    #[inline]
    fn convex_span(&self, line: &Line) -> Option<Span> {
        self.crossings(line).only()
    }

    fn crossings(&self, line: &Line) -> Crossings {
        if self.lets_pass(line.direction) {
            return Crossings::none();
        }
        let Some(rectangle) = &self.rectangle else {
            let t = plane_crossing(line, self.point, self.normal);
            return t.map_or_else(Crossings::none, Crossings::one);
        };
        let axes = rectangle.axes();
        let across = Across::new(line, self.point, axes.z_axis);
        if across.speed == 0.0 {
            return Crossings::none();
        }
        let point = (line.origin - self.point) * across.speed - across.from * line.direction;
        let is_within = |axis: DVec3, half: f64| {
            half == 0.0 || point.dot(axis).abs() <= half * across.speed.abs()
        };
        let [half_x, half_y] = rectangle.half_extents;
        match is_within(axes.x_axis, half_x) && is_within(axes.y_axis, half_y) {
            true => Crossings::one(-across.from / across.speed),
            false => Crossings::none(),
        }
    }

    fn half_space_holds(&self, point: DVec3) -> bool {
        self.primitive_kind() == PrimitiveKind::Plane
            && (point - self.point).dot(self.normal) <= 0.0
    }

    fn normal(&self, _face: u32, _point: DVec3) -> DVec3 {
        self.own_normal().normalize()
    }

    fn closest_point(&self, point: DVec3) -> DVec3 {
        let Some(rectangle) = &self.rectangle else {
            let normal = self.normal.normalize();
            return point - (point - self.point).dot(normal) * normal;
        };
        let axes = rectangle.axes();
        let [half_x, half_y] = rectangle.half_extents;
        let along = |axis: DVec3, half: f64| {
            let coordinate = (point - self.point).dot(axis);
            let clamped = if half == 0.0 { coordinate } else { coordinate.clamp(-half, half) };
            clamped * axis
        };
        self.point + along(axes.x_axis, half_x) + along(axes.y_axis, half_y)
    }

    /// An infinite plane may be displaced by a further [`DELTA`] u |t| |d| far along the line, and
    /// so may the edges of a strip. A line along a one-sided plane may or may not come from behind.
    fn zones(&self, line: &Line, delta: f64) -> Zones {
        let parting = self.parting(line.direction);
        let normal = self.own_normal().normalize();
        let across = Across::new(line, self.point, normal);
        let tilt = DELTA * U * line.direction.length();
        if self.one_sided && across.speed > tilt {
            return Zones::default();
        }
        let mut parts = across.within(delta, parting);
        let mut is_crossed = across.speed.abs() > if self.one_sided { tilt } else { parting };
        if let Some(rectangle) = &self.rectangle {
            let axes = rectangle.axes();
            for (axis, half) in [axes.x_axis, axes.y_axis].into_iter().zip(rectangle.half_extents) {
                if half == 0.0 {
                    continue;
                }
                let aside = Across::new(line, self.point, axis);
                // The line is surely inside if it is so at both ends of its way through the plane.
                let is_inside = |crossing: &Crossing| {
                    let reach = half - delta - parting * crossing.t.abs();
                    (aside.from + crossing.t * aside.speed).abs() <= reach
                };
                let ends = parts.iter().flatten().flat_map(|span| [span.enter, span.exit]);
                is_crossed &= ends.into_iter().all(|end| end.t.is_finite() && is_inside(&end));
                let beside = aside.within(half + delta, parting);
                parts = [0, 1].map(|part| parts[part]?.meet(beside[part]?));
            }
        }
        let spans: Crossings = match parts {
            [Some(before), Some(after)] if before.exit.t == 0.0 && after.enter.t == 0.0 => {
                Some(before.hull(after)).into()
            }
            parts => parts.into_iter().flatten().collect(),
        };
        Zones::of_surface(&spans, is_crossed)
    }

    /// The layout is point, 0 | normal, 0. An offset along the normal instead of a point would be
    /// rounded far from the world's origin. That of a bounded or one-sided plane is point, half x |
    /// normal, half y | own x axis, 1 if it is one-sided; a half of 0 means infinite.
    fn pack(&self, params: &mut Vec<[f32; 4]>) {
        let one_sided = f64::from(u8::from(self.one_sided));
        match &self.rectangle {
            None => {
                params.push(vec4(self.point, 0.0));
                params.push(vec4(near_unit(self.normal), 0.0));
                if self.one_sided {
                    params.push(vec4(DVec3::ZERO, one_sided));
                }
            }
            Some(rectangle) => {
                let (axes, [half_x, half_y]) = (rectangle.axes(), rectangle.half_extents);
                params.push(vec4(self.point, half_x));
                params.push(vec4(axes.z_axis, half_y));
                params.push(vec4(axes.x_axis, one_sided));
            }
        }
    }
}

/// Scales a direction by a power of two, which rounds nothing, so that its largest component lies
/// between 1 and 2.
pub(crate) fn near_unit(direction: DVec3) -> DVec3 {
    direction * scale_near_one(direction.abs().max_element())
}

/// Returns the power of two that brings a positive normal number between 1 and 2.
pub(crate) fn scale_near_one(number: f64) -> f64 {
    let power = f64::from_bits(number.to_bits() & f64::INFINITY.to_bits());
    1.0 / power
}
