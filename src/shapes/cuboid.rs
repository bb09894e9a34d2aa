//! The oriented box, by clipping the line with six half-spaces. It is named `cuboid` because `box`
//! is a keyword.

use super::{ClosedForm, Convex, FormType, PrimitiveKind};
use crate::crossings::{Crossing, Crossings, Span, Zones};
use crate::fields::{Field, FieldKind};
use crate::math::{Bounds, rotation_matrix, vec4};
use crate::ray::Line;
use glam::{DMat3, DQuat, DVec3};

/// A box of any orientation.
#[doc(alias("Box", "Aabb", "Obb"))]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cuboid {
    /// Its centre.
    pub center: DVec3,
    /// Half its edges along its own axes, each from 1e-9 to 1e9.
    pub half_extents: DVec3,
    /// The rotation of its own axes into the world's. After rounding to float32 its length is
    /// nearly 1. All uses normalise it in float64.
    pub rotation: DQuat,
}

impl Cuboid {
    pub(super) const TYPE: FormType<Self> = FormType {
        name: "box",
        fields: &[
            Field::new("center", FieldKind::Position, "The centre of the box."),
            Field::new(
                "half_extents",
                FieldKind::Extents,
                "Half of its edge lengths along its own axes.",
            ),
            Field::ROTATION,
        ],
        is_solid: true,
        params: 3,
        allowance: 1.0,
        from_row: |row| Cuboid {
            center: DVec3::from_slice(row),
            half_extents: DVec3::from_slice(&row[3..]),
            rotation: DQuat::from_slice(&row[6..]),
        },
    };

    fn world_from_box(&self) -> DMat3 {
        rotation_matrix(self.rotation)
    }

    /// Returns the box with every face moved outwards, or `None` if nothing is left.
    fn grown(&self, delta: f64) -> Option<Self> {
        let half_extents = self.half_extents + delta;
        (half_extents.min_element() > 0.0).then_some(Self { half_extents, ..*self })
    }
}

/// A box with its axes precomputed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PreparedCuboid {
    center: DVec3,
    half_extents: DVec3,
    /// Its own axes in world space.
    axes: [DVec3; 3],
}

impl From<Cuboid> for PreparedCuboid {
    fn from(cuboid: Cuboid) -> Self {
        let axes = cuboid.world_from_box();
        Self {
            center: cuboid.center,
            half_extents: cuboid.half_extents,
            axes: [axes.x_axis, axes.y_axis, axes.z_axis],
        }
    }
}

impl PreparedCuboid {
    /// Clips the line with the Cyrus–Beck algorithm: each face bounds the half-space `outward · p
    /// <= half`.
    #[inline(always)]
    fn span(&self, line: &Line) -> Option<Span> {
        let from_center = line.origin - self.center;
        let mut span = Span::whole(0);
        for (axis, direction) in self.axes.iter().enumerate() {
            let (coordinate, speed) = (from_center.dot(*direction), line.direction.dot(*direction));
            // These are the distances behind the face at the axis's positive end and behind the one
            // at its negative end.
            let ahead = self.half_extents[axis] - coordinate;
            let back = self.half_extents[axis] + coordinate;
            let low = 2 * axis as u32;
            if speed == 0.0 {
                // A line parallel to the faces is on one side of each, and the face itself is
                // inside.
                if ahead < 0.0 || back < 0.0 {
                    return None;
                }
                continue;
            }
            let toward_high = Crossing { t: ahead / speed, face: low + 1 };
            let toward_low = Crossing { t: back / -speed, face: low };
            let (enter, exit) =
                if speed > 0.0 { (toward_low, toward_high) } else { (toward_high, toward_low) };
            if enter.t > span.enter.t {
                span.enter = enter;
            }
            if exit.t < span.exit.t {
                span.exit = exit;
            }
        }
        (span.enter.t <= span.exit.t).then_some(span)
    }

    pub(super) fn crossings(&self, line: &Line) -> Crossings {
        self.span(line).into()
    }

    fn normal(&self, face: u32) -> DVec3 {
        let axis = self.axes[face as usize / 2];
        if face.is_multiple_of(2) { -axis } else { axis }
    }

    #[inline(always)]
    pub(super) fn first_crossing(&self, line: &Line, t_min: f64) -> Option<Crossing> {
        self.span(line)?.first_from(t_min)
    }
}

impl ClosedForm for Cuboid {
    fn primitive_kind(&self) -> PrimitiveKind {
        PrimitiveKind::Cuboid
    }

    fn row(&self) -> Vec<f64> {
        let mut row = self.center.to_array().to_vec();
        row.extend(self.half_extents.to_array());
        row.extend(self.rotation.to_array());
        row
    }

    fn bounds(&self) -> Option<Bounds> {
        let axes = self.world_from_box();
        let half = axes.x_axis.abs() * self.half_extents.x
            + axes.y_axis.abs() * self.half_extents.y
            + axes.z_axis.abs() * self.half_extents.z;
        Some(Bounds::around(self.center, half))
    }

    fn center(&self) -> DVec3 {
        self.center
    }

    fn bounding_radius(&self) -> f64 {
        self.half_extents.length()
    }

    fn smallest_size(&self) -> f64 {
        self.half_extents.min_element()
    }

    fn volume(&self) -> Option<f64> {
        Some(8.0 * self.half_extents.element_product())
    }

    fn convex(&self) -> Option<Convex> {
        let PreparedCuboid { center, half_extents, axes } = (*self).into();
        Some(Convex::Block { center, axes, half_extents })
    }

    fn support(&self, direction: DVec3) -> DVec3 {
        let world_from_box = self.world_from_box();
        let corner = self.half_extents.copysign(world_from_box.transpose() * direction);
        self.center + world_from_box * corner
    }

    fn crossings(&self, line: &Line) -> Crossings {
        PreparedCuboid::from(*self).span(line).into()
    }

    fn normal(&self, face: u32, _point: DVec3) -> DVec3 {
        PreparedCuboid::from(*self).normal(face)
    }

    /// The axes are computed once for both the crossing and the normal.
    #[inline]
    fn surface_met(
        &self,
        line: &Line,
        [t_min, t]: [f64; 2],
        _point: impl Fn(f64) -> DVec3,
    ) -> Option<(DVec3, u32)> {
        let prepared = PreparedCuboid::from(*self);
        let crossing = prepared.span(line)?.met(t_min, t)?;
        Some((prepared.normal(crossing.face), crossing.face))
    }

    /// A point outside has its coordinates along the box's axes clamped; a point inside goes to the
    /// nearest face.
    fn closest_point(&self, point: DVec3) -> DVec3 {
        let axes = self.world_from_box();
        let local_point = axes.transpose() * (point - self.center);
        let mut nearest = local_point.clamp(-self.half_extents, self.half_extents);
        if nearest == local_point {
            let axis = (self.half_extents - local_point.abs()).min_position();
            nearest[axis] = self.half_extents[axis].copysign(local_point[axis]);
        }
        self.center + axes * nearest
    }

    fn zones(&self, line: &Line, delta: f64) -> Zones {
        let moved = |delta| Some(self.grown(delta)?.crossings(line));
        Zones::of_solid([delta, -delta].map(moved))
    }

    /// The layout is centre, half x | own x axis in the world, half y | own y axis, half z. The
    /// third axis is the cross product of the other two.
    fn pack(&self, params: &mut Vec<[f32; 4]>) {
        let axes = self.world_from_box();
        params.push(vec4(self.center, self.half_extents.x));
        params.push(vec4(axes.x_axis, self.half_extents.y));
        params.push(vec4(axes.y_axis, self.half_extents.z));
    }
}
