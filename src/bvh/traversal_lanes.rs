//! Sixteen rays prepared for box tests side by side, which takes a few instructions a ray.

use super::planes::PlaneRow;
use super::ray_lanes::{OfRays, PACKET, RayLanes};
use super::traversal_ray::{MARGIN, MIN_SPEED, above};
use super::walk::Start;
use crate::lanes::{Floats, Lanes};

/// The numbers of a ray as it is traversed, for each of sixteen rays, one lane a ray.
#[derive(Default)]
pub(crate) struct TraversalLanes {
    origin: [OfRays; 3],
    direction: [OfRays; 3],
    inverse: [OfRays; 3],
    offsets: [[OfRays; 2]; 3],
    octant: [u32; PACKET],
    t_min: OfRays,
    /// Each ray's `t_max` in its scaled t, rounded up.
    reach: OfRays,
    scale: OfRays,
}

impl TraversalLanes {
    #[inline(always)]
    pub fn new(lanes: impl Lanes, rays: &RayLanes) -> Self {
        let (direction, scale) = rays.near_unit_directions(lanes);
        let mut prepared = Self {
            origin: rays.origin,
            direction,
            inverse: [[0.0; PACKET]; 3],
            offsets: [[[0.0; PACKET]; 2]; 3],
            octant: [0; PACKET],
            t_min: [0.0; PACKET],
            reach: [f32::INFINITY; PACKET],
            scale,
        };
        for axis in 0..3 {
            let mut speed = prepared.direction[axis];
            for speed in &mut speed {
                *speed = speed.abs().max(MIN_SPEED).copysign(*speed);
            }
            let inverse = Floats::new(lanes, &speed).inverse();
            let zero = Floats::splat(lanes, 0.0);
            let to_origin = zero - Floats::new(lanes, &rays.origin[axis]) * inverse;
            let slack = to_origin.abs() * Floats::splat(lanes, MARGIN);
            prepared.inverse[axis] = inverse.to_array();
            prepared.offsets[axis] =
                [(to_origin - slack).to_array(), (to_origin + slack).to_array()];
            // The loop is short, so that the compiler makes it a few instructions for all lanes.
            for (octant, speed) in prepared.octant.iter_mut().zip(speed) {
                *octant = *octant << 1 | speed.to_bits() >> 31;
            }
        }
        let scaled = |t: f32, scale: f32| f64::from(t) * f64::from(scale);
        if !rays.start_at_origins() {
            for (lane, t_min) in prepared.t_min.iter_mut().enumerate() {
                *t_min = -above(-scaled(rays.t_min[lane], scale[lane]));
            }
        }
        if !rays.are_endless() {
            for (lane, reach) in prepared.reach.iter_mut().enumerate() {
                *reach = above(scaled(rays.t_max[lane], scale[lane]));
            }
        }
        prepared
    }

    /// Makes a valid ray, without a pad, ready to be traversed, and returns its scaled direction.
    /// Each number is written to its place, because a processor that reads at once what was just
    /// written in parts waits until all is in memory.
    #[inline(always)]
    pub fn start(&self, lane: usize, Start { ray, reach, .. }: &mut Start) -> [f32; 3] {
        for axis in 0..3 {
            ray.origin[axis] = self.origin[axis][lane];
            ray.inverse[axis] = self.inverse[axis][lane];
            ray.offsets[axis] = [self.offsets[axis][0][lane], self.offsets[axis][1][lane]];
        }
        ray.octant = self.octant[lane];
        ray.rows = PlaneRow::of_octant(ray.octant);
        ray.t_min = self.t_min[lane];
        ray.scale = self.scale[lane].into();
        *reach = self.reach[lane];
        self.direction.each_ref().map(|speeds| speeds[lane])
    }
}
