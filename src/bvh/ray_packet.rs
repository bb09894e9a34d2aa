//! Rays that go nearly the same way, side by side, so that one node is tested against all of them
//! at once.

use super::packet_lines::PacketLines;
use super::ray_lanes::{OfRays, PACKET, RayLanes};
use super::traversal_ray::{MARGIN, MIN_SPEED, TraversalRay, above};
use super::wide_node::WideNode;
use crate::lanes::{Floats, Lanes};
use crate::ray::{Ray, power_of_two_below};

/// Rays whose directions lie in the same octant. Each is scaled as a [`TraversalRay`] is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RayPacket {
    /// For each axis one lane a ray; the directions and their inverses are laid out alike.
    pub origin: [OfRays; 3],
    pub direction: [OfRays; 3],
    pub inverse: [OfRays; 3],
    /// Each ray's `t_min`, rounded down and up.
    pub t_min: [OfRays; 2],
    /// The factor from each ray's own t to the t in this packet.
    scale: [f64; PACKET],
    /// An eighth of how far the origins are from the space's own, as a sum over the axes, if
    /// rounding to float32 has moved them, and 0 if they are exact, as in the world.
    rounded: f32,
    /// The lowest and the highest origin along each axis.
    origins: [[f32; 2]; 3],
    /// Two rays that bound all rays of the packet from the least `t_min` on: no ray enters a box
    /// before the first one, and none leaves it after the second.
    pub bounding_rays: [TraversalRay; 2],
}

impl RayPacket {
    /// Makes a packet of rays that are alike, and computes the `reach` of each from its `t_max`.
    #[inline(always)]
    pub fn new(lanes: impl Lanes, rays: &RayLanes) -> (Self, OfRays) {
        let mut packet = Self::beginning_with(TraversalRay::new(&rays.first(), 0.0));
        let scale;
        (packet.direction, scale) = rays.near_unit_directions(lanes);
        packet.scale = scale.map(f64::from);
        packet.origin = rays.origin;
        if !rays.start_at_origins() {
            for (lane, t_min) in rays.t_min.into_iter().enumerate() {
                packet.set_t_min(lane, t_min);
            }
        }
        let mut reach = [f32::INFINITY; PACKET];
        if !rays.are_endless() {
            for (lane, t_max) in rays.t_max.into_iter().enumerate() {
                reach[lane] = packet.reach(lane, t_max.into());
            }
        }
        packet.bound(lanes);
        (packet, reach)
    }

    /// Makes a packet of the same rays in the space of an object, given their lines there; `None`
    /// if the directions lie in several octants.
    #[inline(always)]
    pub fn in_object(lanes: impl Lanes, rays: &[Ray; PACKET], lines: &PacketLines) -> Option<Self> {
        let mut packet = Self::beginning_with(TraversalRay::of_line(&lines.line(0), 0.0, 0.0));
        // The loops are short, so that the compiler makes each a few instructions for all lanes.
        let mut inverse = [0.0; PACKET];
        for (lane, inverse) in inverse.iter_mut().enumerate() {
            let largest = lines.line(lane).direction.abs().max_element();
            (packet.scale[lane], *inverse) = power_of_two_below(largest);
        }
        for axis in 0..3 {
            for (lane, inverse) in inverse.iter().enumerate() {
                packet.origin[axis][lane] = lines.origin[axis][lane] as f32;
                packet.direction[axis][lane] = (lines.direction[axis][lane] * inverse) as f32;
            }
        }
        for direction in &packet.direction {
            let negative = |speed: &f32| u32::from(speed.is_sign_negative());
            let count: u32 = direction.iter().map(negative).sum();
            if !matches!(count as usize, 0 | PACKET) {
                return None;
            }
        }
        for (lane, ray) in rays.iter().enumerate() {
            packet.set_t_min(lane, ray.t_min);
        }
        packet.bound(lanes);
        let farthest = |[lowest, highest]: &[f32; 2]| lowest.abs().max(highest.abs());
        packet.rounded = 0.125 * packet.origins.iter().map(farthest).sum::<f32>();
        Some(packet)
    }

    #[inline(always)]
    fn beginning_with(first: TraversalRay) -> Self {
        Self {
            origin: [[0.0; PACKET]; 3],
            direction: [[0.0; PACKET]; 3],
            inverse: [[0.0; PACKET]; 3],
            t_min: [[0.0; PACKET]; 2],
            scale: [1.0; PACKET],
            rounded: 0.0,
            origins: [[0.0; 2]; 3],
            bounding_rays: [first; 2],
        }
    }

    /// Sets the `t_min` of a ray whose scale is known.
    #[inline(always)]
    fn set_t_min(&mut self, lane: usize, t_min: f32) {
        let t_min = f64::from(t_min) * self.scale[lane];
        (self.t_min[0][lane], self.t_min[1][lane]) = (-above(-t_min), above(t_min));
    }

    /// Computes the inverses of the directions and the bounding rays.
    #[inline(always)]
    fn bound(&mut self, lanes: impl Lanes) {
        let packet = self;
        let [enters, leaves] = &mut packet.bounding_rays;
        for axis in 0..3 {
            let least = Floats::splat(lanes, MIN_SPEED);
            let is_backward = enters.inverse[axis] < 0.0;
            let clamped = Floats::splat(lanes, if is_backward { -MIN_SPEED } else { MIN_SPEED });
            let speed = Floats::new(lanes, &packet.direction[axis]);
            let inverse = least.at_most(speed.abs()).select(speed, clamped).inverse();
            packet.inverse[axis] = inverse.to_array();
            let origin = Floats::new(lanes, &packet.origin[axis]);
            let [lowest, highest] = [origin.lowest(), origin.highest()];
            packet.origins[axis] = [lowest, highest];
            // The slowest ray from the origin farthest ahead enters last.
            let [behind, ahead, slow, fast] = match is_backward {
                false => [lowest, highest, inverse.lowest(), inverse.highest()],
                true => [highest, lowest, inverse.highest(), inverse.lowest()],
            };
            (enters.origin[axis], enters.inverse[axis]) = (ahead, slow);
            (leaves.origin[axis], leaves.inverse[axis]) = (behind, fast);
        }
        enters.set_offsets();
        leaves.set_offsets();
        enters.t_min = Floats::new(lanes, &packet.t_min[0]).lowest();
    }

    /// Converts a t of this packet to the ray's own t.
    #[inline(always)]
    pub fn own_t(&self, lane: usize, t: f32) -> f64 {
        f64::from(t) / self.scale[lane]
    }

    /// Converts a t of a ray to the packet's t, rounded up.
    #[inline(always)]
    pub fn reach(&self, lane: usize, t: f64) -> f32 {
        above(t * self.scale[lane])
    }

    /// Returns an upper bound on how far a point is from the origins of the rays, as a sum over the
    /// axes. Margins of 32 u of it cover origins that were rounded by u of themselves.
    #[inline(always)]
    pub fn farthest(&self, point: [f32; 3]) -> f32 {
        let mut sum = self.rounded;
        for (axis, coordinate) in point.iter().enumerate() {
            sum += self.farthest_along(axis, *coordinate);
        }
        sum
    }

    /// Returns how much a node's boxes must grow along each axis to cover all rounding: no side is
    /// farther from a ray's origin than the node's corner plus the whole node.
    #[inline(always)]
    pub fn margins(&self, node: &WideNode) -> [f32; 3] {
        let mut margins = [0.0; 3];
        for (axis, margin) in margins.iter_mut().enumerate() {
            let farthest = self.farthest_along(axis, node.corner(axis));
            *margin = MARGIN * (farthest + 256.0 * node.step(axis));
        }
        margins
    }

    /// Returns how far a plane across an axis is from the farthest origin.
    #[inline(always)]
    fn farthest_along(&self, axis: usize, coordinate: f32) -> f32 {
        let [lowest, highest] = self.origins[axis];
        let [a, b] = [(coordinate - lowest).abs(), (coordinate - highest).abs()];
        if a > b { a } else { b }
    }
}
