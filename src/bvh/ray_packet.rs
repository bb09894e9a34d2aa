//! Rays that go nearly the same way, side by side, so that one node is tested against all of them at once.

use super::traversal_ray::{MARGIN, TraversalRay};
use super::wide_node::WideNode;
use crate::ray::Ray;

/// How many rays a packet has.
pub(crate) const PACKET: usize = 8;

/// Rays whose directions lie in the same octant.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RayPacket {
    /// For each axis one lane a ray; the inverse directions are laid out alike.
    pub origin: [[f32; PACKET]; 3],
    pub inverse: [[f32; PACKET]; 3],
    pub t_min: [f32; PACKET],
    /// The lowest and the highest origin along each axis.
    origins: [[f32; 2]; 3],
    pub near_row: [usize; 3],
    pub octant: u32,
}

/// Rays are traversed together only if the squared cosine between their directions is above this.
const LEAST_COSINE_SQUARED: f32 = 0.99;
/// Rays are traversed together only if their origins are no farther apart along an axis than this fraction of the tree's
/// size.
const LARGEST_DISTANCE: f32 = 0.02;

/// Returns true if valid rays are so alike that it pays to traverse a tree of that size with all of them together.
#[inline(always)]
pub(super) fn are_alike(rays: &[Ray; PACKET], size: f32) -> bool {
    let first = &rays[0];
    let [dx, dy, dz] = first.direction;
    let first_square = dx * dx + dy * dy + dz * dz;
    for ray in &rays[1..] {
        let [x, y, z] = ray.direction;
        // Most rays that are not alike differ in a sign. The sign of a zero counts too, because it decides through
        // which side of a box a ray enters.
        for (a, b) in ray.direction.iter().zip(first.direction) {
            if a.is_sign_negative() != b.is_sign_negative() {
                return false;
            }
        }
        // Directions whose squares overflow are rare: the comparison with infinity then fails, and that is harmless.
        let cosine = x * dx + y * dy + z * dz;
        if cosine * cosine <= LEAST_COSINE_SQUARED * first_square * (x * x + y * y + z * z) {
            return false;
        }
        for axis in 0..3 {
            if (ray.origin[axis] - first.origin[axis]).abs() > LARGEST_DISTANCE * size {
                return false;
            }
        }
    }
    true
}

impl RayPacket {
    /// Makes a packet of rays that are alike.
    #[inline(always)]
    pub fn new(rays: &[TraversalRay; PACKET]) -> Self {
        let first = &rays[0];
        let [x, y, z, _] = first.origin;
        let mut origins = [x, y, z].map(|first| [first; 2]);
        for ray in rays {
            for ([lowest, highest], origin) in origins.iter_mut().zip(ray.origin) {
                *lowest = origin.min(*lowest);
                *highest = origin.max(*highest);
            }
        }
        let mut packet = Self {
            origin: [[0.0; PACKET]; 3],
            inverse: [[0.0; PACKET]; 3],
            t_min: [0.0; PACKET],
            origins,
            near_row: first.near_row,
            octant: first.octant,
        };
        for (lane, ray) in rays.iter().enumerate() {
            for axis in 0..3 {
                packet.origin[axis][lane] = ray.origin[axis];
                packet.inverse[axis][lane] = ray.inverse[axis];
            }
            packet.t_min[lane] = ray.t_min;
        }
        packet
    }

    /// Returns how much a node's boxes must grow along each axis to cover all rounding: no side is farther from a ray's
    /// origin than the node's corner plus the whole node.
    #[inline(always)]
    pub fn margins(&self, node: &WideNode) -> [f32; 3] {
        std::array::from_fn(|axis| {
            let [from_lowest, from_highest] =
                self.origins[axis].map(|origin| (node.corner(axis) - origin).abs());
            let far = if from_lowest > from_highest { from_lowest } else { from_highest };
            MARGIN * (far + 256.0 * node.step(axis))
        })
    }
}
