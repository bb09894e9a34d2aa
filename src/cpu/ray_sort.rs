//! Sorts rays along Morton's curve, so that rays with similar origins and directions mostly follow
//! each other. The next ray then finds in the cache the part of the tree that the last one read,
//! and the rays of an image are traversed in packets that are small squares.

use crate::query::RaySource;
use crate::ray::Ray;
use std::mem::{replace, swap};

/// A ray's index in its batch, with the key by which it is sorted.
#[derive(Clone, Copy, Default)]
struct SortedRay {
    key: u32,
    index: u32,
}

/// Returns the indices of a batch of at most 2^32 rays in Morton order. `size` is the longest side
/// of the tree.
pub(super) fn morton_order(rays: RaySource<'_>, size: f32) -> Vec<u32> {
    // The range is that of some rays only; the others are put into the nearest cells.
    let some = rays.iter().step_by(SOME).filter(|ray| ray.is_valid());
    let keys = some.map(|ray| Range::of(&ray)).fold(Range::EMPTY, Range::union).keys(size);
    let sorted_ray = |(index, ray): (u32, Ray)| SortedRay { key: keys.of(&ray), index };
    let sorted = sorted((0..).zip(rays.iter()).map(sorted_ray).collect());
    sorted.into_iter().map(|sorted_ray| sorted_ray.index).collect()
}

/// Sorts by counting, a digit at a time from the lowest one on. A library's sort would choose at
/// run time among many, all of which are compiled.
fn sorted(mut rays: Vec<SortedRay>) -> Vec<SortedRay> {
    const DIGITS: usize = 1 << DIGIT_BITS;
    let digit = |ray: &SortedRay, place: usize| (ray.key >> place) as usize % DIGITS;
    let mut moved = vec![SortedRay::default(); rays.len()];
    for place in (0..BITS).step_by(DIGIT_BITS) {
        let mut slots = [0; DIGITS];
        rays.iter().for_each(|ray| slots[digit(ray, place)] += 1);
        let mut first = 0;
        for slot in &mut slots {
            first += replace(slot, first);
        }
        for ray in &rays {
            let slot = &mut slots[digit(ray, place)];
            moved[*slot] = *ray;
            *slot += 1;
        }
        swap(&mut rays, &mut moved);
    }
    rays
}

/// One ray in this many is used to estimate the range of all.
const SOME: usize = 16;

/// Returns a ray's origin, and the point at which its direction leaves the cube from -1 to 1.
fn coordinates(ray: &Ray) -> [f32; 6] {
    let [x, y, z] = ray.origin;
    let [dx, dy, dz] = ray.direction;
    let scale = 1.0 / dx.abs().max(dy.abs()).max(dz.abs());
    [x, y, z, dx * scale, dy * scale, dz * scale]
}

/// The least and the largest of each coordinate.
#[derive(Clone, Copy)]
struct Range {
    low: [f32; 6],
    high: [f32; 6],
}

/// Origins count as equal if they are no farther apart than this fraction of the tree's size;
/// directions count as equal if they differ by no more than this.
const SAME: f32 = 1e-3;

impl Range {
    const EMPTY: Self = Self { low: [f32::INFINITY; 6], high: [f32::NEG_INFINITY; 6] };

    fn of(ray: &Ray) -> Self {
        let point = coordinates(ray);
        Self { low: point, high: point }
    }

    fn union(mut self, other: Self) -> Self {
        for axis in 0..6 {
            self.low[axis] = self.low[axis].min(other.low[axis]);
            self.high[axis] = self.high[axis].max(other.high[axis]);
        }
        self
    }

    fn keys(&self, size: f32) -> Keys {
        let differ = |axes: std::ops::Range<usize>, by: f32| {
            axes.into_iter().any(|axis| self.high[axis] - self.low[axis] > by)
        };
        let (first, count) = match (differ(0..3, SAME * size), differ(3..6, SAME)) {
            (true, false) => (0, 3),
            (false, true) => (3, 3),
            _ => (0, 6),
        };
        let cells = (1_u32 << (BITS / count)) as f32;
        let scale = |axis: usize| cells / (self.high[axis] - self.low[axis]);
        Keys { first, count, low: self.low, scale: std::array::from_fn(scale) }
    }
}

/// How many bits a key has.
const BITS: usize = 30;

/// How many bits of a key are sorted by at a time: a thousand places fit into the fastest cache.
const DIGIT_BITS: usize = 10;

/// Makes Morton keys: the highest bits of all coordinates in which the rays differ, then their next
/// bits, and so on.
struct Keys {
    /// The first of these coordinates, and how many there are: 3 with 10 bits each, or 6 with 5.
    first: usize,
    count: usize,
    low: [f32; 6],
    scale: [f32; 6],
}

/// Returns a table that spreads the bits of a number of five bits, so that each is `stride` bits
/// from the next.
const fn spread(stride: usize) -> [u32; 32] {
    let mut spread = [0; 32];
    let mut index = 0;
    while index < 32 * 5 {
        let (number, bit) = (index / 5, index % 5);
        spread[number] |= (number as u32 >> bit & 1) << (stride * bit);
        index += 1;
    }
    spread
}

static SPREAD_BY_SIX: [u32; 32] = spread(6);
static SPREAD_BY_THREE: [u32; 32] = spread(3);

impl Keys {
    fn of(&self, ray: &Ray) -> u32 {
        let point = coordinates(ray);
        // The conversion turns NaN, which an invalid ray may have, into 0.
        let cell = |axis: usize| ((point[axis] - self.low[axis]) * self.scale[axis]) as usize;
        if self.count == 6 {
            return (0..6).fold(0, |key, axis| key | SPREAD_BY_SIX[cell(axis).min(31)] << axis);
        }
        let spread = |cell: usize| SPREAD_BY_THREE[cell & 31] | SPREAD_BY_THREE[cell >> 5] << 15;
        (0..3).fold(0, |key, axis| key | spread(cell(self.first + axis).min(1023)) << axis)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fastrand::Rng;

    /// Returns the mean distance of each ray from the next, in origin and direction.
    fn mean_step(rays: &[Ray], order: impl Iterator<Item = u32>) -> f32 {
        let order: Vec<u32> = order.collect();
        let distance = |pair: &[u32]| {
            let [a, b] = [pair[0], pair[1]].map(|index| coordinates(&rays[index as usize]));
            (0..6).map(|axis| (a[axis] - b[axis]).powi(2)).sum::<f32>().sqrt()
        };
        order.windows(2).map(distance).sum::<f32>() / rays.len() as f32
    }

    #[test]
    fn every_index_is_there_once_and_neighbours_are_near() {
        let rng = &mut Rng::with_seed(4);
        let mut vector = || [rng.f32() - 0.5, rng.f32() - 0.5, rng.f32() - 0.5];
        let mut rays: Vec<Ray> = (0..20_000).map(|_| Ray::new(vector(), vector())).collect();
        rays[77] = Ray::new([f32::NAN; 3], [0.0; 3]);
        let order = morton_order(RaySource::Rays(&rays), 1.0);
        let mut indices = order.clone();
        indices.sort_unstable();
        assert!(indices.into_iter().eq(0..20_000));
        rays[77] = rays[78];
        let unsorted = mean_step(&rays, 0..20_000);
        let sorted = mean_step(&rays, order.into_iter());
        assert!(sorted < 0.5 * unsorted, "{sorted} {unsorted}");
    }

    #[test]
    fn the_rays_of_one_eye_follow_each_other_in_squares() {
        let side = 256;
        let pixel = |index: u32| [index % side, index / side];
        let ray = |index: u32| {
            let [x, y] = pixel(index).map(|c| c as f32 / side as f32 - 0.5);
            Ray::new([9.0, 8.0, 7.0], [x, y, 2.0])
        };
        let rays: Vec<Ray> = (0..side * side).map(ray).collect();
        let order = morton_order(RaySource::Rays(&rays), 1.0);
        let reach: u32 = order
            .as_chunks::<8>()
            .0
            .iter()
            .map(|eight| {
                let spread = |axis: usize| {
                    let coordinates = eight.map(|index| pixel(index)[axis]);
                    coordinates.iter().max().unwrap() - coordinates.iter().min().unwrap() + 1
                };
                spread(0).max(spread(1))
            })
            .sum();
        // Eight rays reach 8 pixels if they are a row, and 4 if they are a rectangle.
        assert!(reach < 5 * (side * side / 8), "{reach}");
    }
}
