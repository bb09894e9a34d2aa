//! Sixteen rays side by side, and whether they go nearly the same way.

use crate::lanes::{Floats, LANES, Lanes};
use crate::ray::{MAX_COORDINATE, MAX_LENGTH, MIN_LENGTH, Ray};

pub(crate) const PACKET: usize = LANES;

pub(crate) type OfRays = [f32; PACKET];

/// Rays are traversed together only if the squared cosine between their directions is above this.
const LEAST_COSINE_SQUARED: f32 = 0.99;

/// Rays are traversed together only if their origins are no farther apart along an axis than this
/// fraction of the tree's size.
const LARGEST_DISTANCE: f32 = 0.02;

/// The squares of the lengths that a valid direction may have, narrowed by more than rounding moves
/// the square of a length.
const SQUARED_LENGTHS: [f32; 2] =
    [1.000_01 * MIN_LENGTH * MIN_LENGTH, 0.999_99 * MAX_LENGTH * MAX_LENGTH];

/// The numbers of sixteen rays, one lane a ray.
pub(crate) struct RayLanes {
    pub(super) origin: [OfRays; 3],
    pub(super) direction: [OfRays; 3],
    pub(super) t_min: OfRays,
    pub t_max: OfRays,
}

impl RayLanes {
    #[inline(always)]
    pub fn new(rays: &[Ray; PACKET]) -> Self {
        let [mut origin, mut direction] = [[[0.0; PACKET]; 3]; 2];
        let [mut t_min, mut t_max] = [[0.0; PACKET]; 2];
        for (lane, ray) in rays.iter().enumerate() {
            for axis in 0..3 {
                origin[axis][lane] = ray.origin[axis];
                direction[axis][lane] = ray.direction[axis];
            }
            (t_min[lane], t_max[lane]) = (ray.t_min, ray.t_max);
        }
        Self { origin, direction, t_min, t_max }
    }

    #[inline(always)]
    pub(super) fn first(&self) -> Ray {
        Ray {
            origin: self.origin.map(|lanes| lanes[0]),
            t_min: self.t_min[0],
            direction: self.direction.map(|lanes| lanes[0]),
            t_max: self.t_max[0],
        }
    }

    /// Divides each direction by a power of two, which rounds nothing, so that its largest
    /// component lies in [1, 2). Returns the quotients and the powers.
    #[inline(always)]
    pub(super) fn near_unit_directions(&self, lanes: impl Lanes) -> ([OfRays; 3], OfRays) {
        let [x, y, z] = self.direction.each_ref().map(|speeds| Floats::new(lanes, speeds));
        let largest = x.abs().max(y.abs()).max(z.abs()).to_array();
        let scale = largest.map(|largest| f32::from_bits(largest.to_bits() & 0x7f80_0000));
        // One over a power of two is exact.
        let per_scale = Floats::new(lanes, &scale).inverse();
        ([x, y, z].map(|speeds| (speeds * per_scale).to_array()), scale)
    }

    /// Returns true if all rays start at their origins, as most do.
    #[inline(always)]
    pub(super) fn start_at_origins(&self) -> bool {
        are_all(&self.t_min, 0.0)
    }

    /// Returns true if all rays reach to infinity, as most do.
    #[inline(always)]
    pub(super) fn are_endless(&self) -> bool {
        are_all(&self.t_max, f32::INFINITY)
    }

    /// Returns true if these are valid rays, none starts before its origin, as the rays that bound
    /// a packet need it, and they are so alike that it pays to traverse a tree of that size with
    /// all of them together.
    #[inline(always)]
    pub(super) fn are_alike(&self, lanes: impl Lanes, size: f32) -> bool {
        if !self.are_in_one_octant() {
            return false;
        }
        let splat = |value| Floats::splat(lanes, value);
        let [x, y, z] = self.direction.each_ref().map(|speeds| Floats::new(lanes, speeds));
        let length_squared = x.multiply_add(x, y.multiply_add(y, z * z));
        let [dx, dy, dz] = self.direction.each_ref().map(|speeds| splat(speeds[0]));
        let first_squared = dx.multiply_add(dx, dy.multiply_add(dy, dz * dz));
        let cosine = x.multiply_add(dx, y.multiply_add(dy, z * dz));
        // Divided by the first ray's length, no square overflows.
        let cosine = cosine * first_squared.sqrt().inverse();
        let least = splat(LEAST_COSINE_SQUARED) * length_squared;
        let mut are_alike = least.at_most(cosine * cosine);
        for origins in &self.origin {
            let distance = (Floats::new(lanes, origins) - splat(origins[0])).abs();
            are_alike = are_alike.and(distance.at_most(splat(LARGEST_DISTANCE * size)));
        }
        are_alike = are_alike.and(splat(0.0).at_most(Floats::new(lanes, &self.t_min)));
        are_alike.bits() & self.surely_valid(lanes) == (1 << PACKET) - 1
    }

    /// Returns a bit for each ray that is surely valid. Nearly all valid rays are: the squared
    /// length of a direction is rounded.
    #[inline(always)]
    pub fn surely_valid(&self, lanes: impl Lanes) -> u32 {
        let splat = |value| Floats::splat(lanes, value);
        let [x, y, z] = self.direction.each_ref().map(|speeds| Floats::new(lanes, speeds));
        let length_squared = x.multiply_add(x, y.multiply_add(y, z * z));
        // A comparison with NaN is false, so these also refuse every NaN.
        let mut are_valid = splat(SQUARED_LENGTHS[0]).at_most(length_squared);
        are_valid = are_valid.and(length_squared.at_most(splat(SQUARED_LENGTHS[1])));
        for origins in &self.origin {
            let is_near = Floats::new(lanes, origins).abs().at_most(splat(MAX_COORDINATE));
            are_valid = are_valid.and(is_near);
        }
        let [t_min, t_max] = [&self.t_min, &self.t_max].map(|t| Floats::new(lanes, t));
        are_valid = are_valid.and(t_min.at_most(t_max));
        are_valid = are_valid.and(t_min.at_most(splat(f32::MAX)));
        are_valid.and(splat(f32::MIN).at_most(t_max)).bits()
    }

    /// Returns true if the components of all directions have the same signs. The sign of a zero
    /// counts too, because it decides through which side of a box a ray enters.
    #[inline(always)]
    fn are_in_one_octant(&self) -> bool {
        let mut different = 0;
        for speeds in &self.direction {
            for speed in speeds {
                different |= speed.to_bits() ^ speeds[0].to_bits();
            }
        }
        different >> 31 == 0
    }
}

/// Returns true if all numbers have the bits of one. No branch stands between the lanes.
#[inline(always)]
fn are_all(numbers: &OfRays, one: f32) -> bool {
    numbers.iter().fold(0, |bits, number| bits | number.to_bits() ^ one.to_bits()) == 0
}
