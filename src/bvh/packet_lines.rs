//! The lines of a packet's rays in float64, side by side, so that all are taken into an object's space at once.

use crate::lanes::LANES as PACKET;
use crate::placement::ObjectFromWorld;
use crate::ray::{Line, Ray};
use glam::DVec3;

/// For each axis one lane a line.
pub(crate) struct PacketLines {
    pub(super) origin: [[f64; PACKET]; 3],
    pub(super) direction: [[f64; PACKET]; 3],
}

impl PacketLines {
    /// Returns the lines of some of the rays in the space of an object. The lanes of the other rays repeat one of these.
    #[inline(always)]
    pub fn in_object(
        rays: &[Ray; PACKET],
        chosen: u32,
        object_from_world: &ObjectFromWorld,
    ) -> Self {
        let mut lines = Self { origin: [[0.0; PACKET]; 3], direction: [[0.0; PACKET]; 3] };
        let first = chosen.trailing_zeros() as usize;
        for lane in 0..PACKET {
            let ray = &rays[if chosen >> lane & 1 == 1 { lane } else { first }];
            for axis in 0..3 {
                lines.origin[axis][lane] = ray.origin[axis].into();
                lines.direction[axis][lane] = ray.direction[axis].into();
            }
        }
        for lane in 0..PACKET {
            let Line { origin, direction } = object_from_world.line(&lines.line(lane));
            for axis in 0..3 {
                lines.origin[axis][lane] = origin[axis];
                lines.direction[axis][lane] = direction[axis];
            }
        }
        lines
    }

    /// Returns the line of one ray.
    #[inline(always)]
    pub fn line(&self, lane: usize) -> Line {
        let vector = |[x, y, z]: &[[f64; PACKET]; 3]| DVec3::new(x[lane], y[lane], z[lane]);
        Line { origin: vector(&self.origin), direction: vector(&self.direction) }
    }
}
