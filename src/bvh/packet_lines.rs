//! The lines of a packet's rays in float64, side by side, so that all are taken into an object's
//! space at once.

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
    const ZERO: Self = Self { origin: [[0.0; PACKET]; 3], direction: [[0.0; PACKET]; 3] };

    #[inline(always)]
    pub fn new(rays: &[Ray; PACKET]) -> Self {
        let mut lines = Self::ZERO;
        for (lane, ray) in rays.iter().enumerate() {
            lines.set(lane, ray.line());
        }
        lines
    }

    #[inline(always)]
    pub fn in_object(&self, object_from_world: &ObjectFromWorld) -> Self {
        let mut lines = Self::ZERO;
        for lane in 0..PACKET {
            lines.set(lane, object_from_world.line(&self.line(lane)));
        }
        lines
    }

    #[inline(always)]
    fn set(&mut self, lane: usize, line: Line) {
        for axis in 0..3 {
            self.origin[axis][lane] = line.origin[axis];
            self.direction[axis][lane] = line.direction[axis];
        }
    }

    #[inline(always)]
    pub fn line(&self, lane: usize) -> Line {
        let vector = |[x, y, z]: &[[f64; PACKET]; 3]| DVec3::new(x[lane], y[lane], z[lane]);
        Line { origin: vector(&self.origin), direction: vector(&self.direction) }
    }
}
