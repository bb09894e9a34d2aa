//! The outline of a shape that is turned about an axis.

use glam::{DVec2, DVec3};

/// A part of the outline that turns about the axis, in the half-plane of distances from the axis
/// and heights.
#[derive(Clone, Copy, Debug)]
pub(crate) enum OutlinePiece {
    Segment([DVec2; 2]),
    /// A quarter of a circle, between two unit vectors that are perpendicular to each other.
    Quarter {
        center: DVec2,
        radius: f64,
        from: DVec2,
        to: DVec2,
    },
}

impl OutlinePiece {
    /// Returns the point at a share of the way, from 0 to 1.
    pub fn at(&self, share: f64) -> DVec2 {
        match *self {
            Self::Segment([start, end]) => start + share * (end - start),
            // The half-angle substitution needs no trigonometry.
            Self::Quarter { center, radius, from, to } => {
                let squared = share * share;
                center + radius / (1.0 + squared) * ((1.0 - squared) * from + 2.0 * share * to)
            }
        }
    }
}

/// The outline of a shape that is turned about an axis.
#[derive(Clone, Debug)]
pub(crate) struct Outline {
    /// The point of the axis at height 0.
    pub origin: DVec3,
    /// The axis, a unit vector.
    pub axis: DVec3,
    pub pieces: Vec<OutlinePiece>,
}
