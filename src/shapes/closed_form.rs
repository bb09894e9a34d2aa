//! The interface of the closed-form shapes. A shape packs its given numbers, and those that the
//! shader would derive with too much rounding, computed in float64 and rounded once. A cylinder
//! packs its end relative to its start, and a triangle packs its normal, because the float32
//! corners of a sliver do not determine it.

use super::PrimitiveKind;
use super::outline::Outline;
use crate::crossings::{Crossing, Crossings, Span, Zone, Zones};
use crate::fields::ShapeError;
use crate::math::Bounds;
use crate::ray::Line;
use glam::DVec3;

/// The interface of every closed-form shape. Everything is in float64, and no formula is copied
/// from the shader, so the two implementations check each other.
pub(crate) trait ClosedForm {
    /// Returns the kind, by which the shader knows how to read its params.
    fn primitive_kind(&self) -> PrimitiveKind;
    /// Returns true if it has an inside, as most forms have.
    fn is_solid(&self) -> bool {
        true
    }
    /// Returns its numbers, in the order of [`FormType::fields`](super::FormType::fields).
    fn row(&self) -> Vec<f64>;
    /// Checks the rules that involve more than one field, on the rounded numbers.
    fn check(&self) -> Result<(), ShapeError> {
        Ok(())
    }
    /// Returns the smallest box around it, up to float64 rounding, or `None` for an infinite shape.
    fn bounds(&self) -> Option<Bounds>;
    /// Returns the centre from which the precision bound measures the distance D.
    fn center(&self) -> DVec3;
    /// Returns the radius R about that centre.
    fn bounding_radius(&self) -> f64;
    /// Returns the smallest of its radii, half extents and lengths.
    fn smallest_size(&self) -> f64;
    /// Returns the volume of a solid; `None` for a form that has no inside.
    fn volume(&self) -> Option<f64> {
        None
    }
    /// Returns every place where the line crosses it.
    fn crossings(&self, line: &Line) -> Crossings;
    /// Returns the largest number of places where a line crosses it.
    fn most_crossings(&self) -> u32 {
        if self.is_solid() { 2 } else { 1 }
    }
    /// Returns the first crossing at `t_min` or after it.
    fn first_crossing(&self, line: &Line, t_min: f64) -> Option<Crossing> {
        self.crossings(line).first_from(t_min)
    }
    /// Returns the point of a solid that is farthest along a direction, which need not be of unit
    /// length.
    fn support(&self, _direction: DVec3) -> DVec3 {
        self.center()
    }
    /// Returns the two ends of the axis along which it extends, each with the radius there, if it
    /// has such an axis.
    fn ends(&self) -> Option<[(DVec3, f64); 2]> {
        None
    }
    /// Returns the radius of the hole along that axis, 0 for none.
    fn bore(&self) -> f64 {
        0.0
    }
    /// Returns the centres and the radius of two balls whose convex hull it is; the balls of a
    /// sphere are one.
    fn balls(&self) -> Option<([DVec3; 2], f64)> {
        None
    }
    /// Returns the form that it is exactly, if it is one of these.
    fn convex(&self) -> Option<Convex> {
        None
    }
    /// Returns the one or two crossings of a line, if the form is convex however its surface is
    /// displaced by δ, and if float64 does not lose that displacement. All [zones](Self::zones)
    /// then form one run, from before the first crossing to after the last.
    fn convex_span(&self, _line: &Line) -> Option<Span> {
        None
    }
    /// Returns the normal and the face at the crossing that matches a hit at `t`, for a ray from
    /// `t_min` on; `None` if only zones decide. `point` returns the point of the line at a t.
    #[inline]
    fn surface_met(
        &self,
        line: &Line,
        [t_min, t]: [f64; 2],
        point: impl Fn(f64) -> DVec3,
    ) -> Option<(DVec3, u32)>
    where
        Self: Sized,
    {
        let crossing = self.convex_span(line)?.met(t_min, t)?;
        Some((self.normal(crossing.face, point(crossing.t)), crossing.face))
    }
    /// Returns where the line crosses it as one primitive of a surface: a line through an edge that
    /// two primitives share crosses exactly one of them.
    fn own_crossings(&self, line: &Line) -> Crossings {
        self.crossings(line)
    }
    /// Returns true if it is a plane and the half-space behind it contains the point, including the
    /// boundary.
    fn half_space_holds(&self, _point: DVec3) -> bool {
        false
    }
    /// Returns the outward unit normal of a face at a point on (or near) it.
    fn normal(&self, face: u32, point: DVec3) -> DVec3;
    /// Returns the nearest point of its surface, also for a point inside; any one of several that
    /// are equally near.
    fn closest_point(&self, point: DVec3) -> DVec3;
    /// Returns the outline of a shape that is turned about an axis.
    fn outline(&self) -> Option<Outline> {
        None
    }
    /// Returns what is certain about the line if every surface may be displaced by up to `delta`.
    fn zones(&self, line: &Line, delta: f64) -> Zones;
    /// Returns true if the line may meet the rim of a hole within one of these zones: it may then
    /// cross more faces there than those in which the zone begins and ends.
    fn may_meet_rim(&self, _line: &Line, _delta: f64, _zone: &Zone) -> bool {
        false
    }
    /// Appends the [`FormType::params`](super::FormType::params) vectors that the GPU reads.
    fn pack(&self, params: &mut Vec<[f32; 4]>);
}

/// A solid form with which float32 code bounds a shape's crossings before they are computed.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Convex {
    Ball {
        center: DVec3,
        radius: f64,
    },
    /// A box, with its own axes.
    Block {
        center: DVec3,
        axes: [DVec3; 3],
        half_extents: DVec3,
    },
    /// A round column with flat ends. The third axis points along it. The others are perpendicular
    /// to it and to each other.
    Column {
        center: DVec3,
        axes: [DVec3; 3],
        radius: f64,
        half_length: f64,
    },
}
