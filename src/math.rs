//! The few pieces of float64 geometry that glam does not name: unit roundoff, boxes, similarities.

use glam::{DQuat, DVec3};
use std::f64::consts::PI;

/// Unit roundoff of float32, 2⁻²⁴: the unit in which every precision promise is stated.
pub const U: f64 = 1.0 / 16_777_216.0;

/// An angle in radians; of the standard library's own function the rounding is not specified.
pub(crate) fn radians(degrees: f64) -> f64 {
    degrees * (PI / 180.0)
}

/// The rotation by an angle in radians about a unit vector. glam's own asks the C library, whose sines differ from one
/// machine to the next.
#[cfg(feature = "io")]
pub(crate) fn rotation_about(axis: DVec3, angle: f64) -> DQuat {
    let half = 0.5 * angle;
    DQuat::from_vec4((libm::sin(half) * axis).extend(libm::cos(half)))
}

/// An axis-aligned box in float64.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// The corner with the smallest coordinates.
    pub min: DVec3,
    /// The corner with the largest coordinates.
    pub max: DVec3,
}

impl Bounds {
    /// The box of no points, which every union starts from.
    pub const EMPTY: Self = Self { min: DVec3::INFINITY, max: DVec3::NEG_INFINITY };

    /// The box that reaches `half` to either side of `center`.
    pub fn around(center: DVec3, half: DVec3) -> Self {
        Self { min: center - half, max: center + half }
    }

    /// The smallest box that holds both.
    pub fn union(self, other: Self) -> Self {
        Self { min: self.min.min(other.min), max: self.max.max(other.max) }
    }

    /// Its middle.
    pub fn center(&self) -> DVec3 {
        0.5 * (self.min + self.max)
    }

    /// Half its diagonal: the radius of the sphere through its corners.
    pub fn radius(&self) -> f64 {
        0.5 * (self.max - self.min).length()
    }

    /// Whether `other` lies inside, boundary included.
    pub fn contains(&self, other: &Self) -> bool {
        self.min.cmple(other.min).all() && other.max.cmple(self.max).all()
    }
}

/// A rotation, a uniform scale and a translation: p ↦ translation + rotation · (scale · p).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Similarity {
    /// Applied last.
    pub translation: DVec3,
    /// A unit quaternion.
    pub rotation: DQuat,
    /// Positive; applied first.
    pub scale: f64,
}

impl Similarity {
    /// The map that leaves every point where it is.
    pub const IDENTITY: Self =
        Self { translation: DVec3::ZERO, rotation: DQuat::IDENTITY, scale: 1.0 };

    /// Where a point goes.
    pub fn point(&self, point: DVec3) -> DVec3 {
        self.translation + self.rotation * (self.scale * point)
    }

    /// The map that applies `inner` first: `world_from_parent.then_inner(parent_from_child)`.
    pub fn then_inner(&self, inner: &Self) -> Self {
        Self {
            translation: self.point(inner.translation),
            rotation: self.rotation * inner.rotation,
            scale: self.scale * inner.scale,
        }
    }
}
