//! An order of rays in which those that begin and go alike mostly follow each other: what one of them reads of the
//! tree the next finds at hand, and an image's rays are walked together in small squares.

use crate::ray::Ray;
use rayon::prelude::*;
use rdst::{RadixKey, RadixSort};

/// A ray's place in its batch, and its way as one number.
#[derive(Clone, Copy)]
struct Way {
    key: u32,
    place: u32,
}

impl RadixKey for Way {
    const LEVELS: usize = 4;

    fn get_level(&self, level: usize) -> u8 {
        self.key.to_le_bytes()[level]
    }
}

/// The places of a batch of at most 2^32 rays, at a tree of that size.
pub(super) fn in_order_of_ways(rays: &[Ray], size: f32) -> Vec<u32> {
    // Of some rays: those that lie outside of it are given the nearest cells.
    let some = rays.par_iter().step_by(SOME).filter(|ray| ray.is_valid());
    let keys = some.map(Range::of).reduce(|| Range::EMPTY, Range::union).keys(size);
    let way = |(place, ray): (usize, &Ray)| Way { key: keys.of(ray), place: place as u32 };
    let mut ways: Vec<Way> = rays.par_iter().enumerate().map(way).collect();
    ways.radix_sort_unstable();
    ways.into_par_iter().map(|way| way.place).collect()
}

/// One ray in so many tells the range that all lie in.
const SOME: usize = 16;

/// Where a ray begins, and where its direction leads on the cube from -1 to 1.
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

/// Origins that lie no farther apart than this part of the tree's size, or directions that differ no more, are all the
/// same.
const SAME: f32 = 1e-3;

impl Range {
    const EMPTY: Self = Self { low: [f32::INFINITY; 6], high: [f32::NEG_INFINITY; 6] };

    fn of(ray: &Ray) -> Self {
        let own = coordinates(ray);
        Self { low: own, high: own }
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

/// How many bits of a key say something.
const BITS: usize = 30;

/// How keys are made, in the manner of Morton: of each coordinate that tells rays apart the highest bits, then of each
/// the next.
struct Keys {
    /// Of the coordinates, and how many: 3 of 10 bits each, or 6 of 5.
    first: usize,
    count: usize,
    low: [f32; 6],
    scale: [f32; 6],
}

/// Of a number of five bits, those bits, each `stride` places from the next.
const fn spread(stride: usize) -> [u32; 32] {
    let mut spread = [0; 32];
    let mut place = 0;
    while place < 32 * 5 {
        let (number, bit) = (place / 5, place % 5);
        spread[number] |= (number as u32 >> bit & 1) << (stride * bit);
        place += 1;
    }
    spread
}

static OF_SIX: [u32; 32] = spread(6);
static OF_THREE: [u32; 32] = spread(3);

impl Keys {
    fn of(&self, ray: &Ray) -> u32 {
        let own = coordinates(ray);
        // Of what is no number, as an invalid ray may have, this makes 0.
        let cell = |axis: usize| ((own[axis] - self.low[axis]) * self.scale[axis]) as usize;
        if self.count == 6 {
            return (0..6).fold(0, |key, axis| key | OF_SIX[cell(axis).min(31)] << axis);
        }
        let spread = |cell: usize| OF_THREE[cell & 31] | OF_THREE[cell >> 5] << 15;
        (0..3).fold(0, |key, axis| key | spread(cell(self.first + axis).min(1023)) << axis)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fastrand::Rng;

    /// The mean distance of each ray from the next, in origin and direction.
    fn mean_step(rays: &[Ray], order: impl Iterator<Item = u32>) -> f32 {
        let order: Vec<u32> = order.collect();
        let distance = |pair: &[u32]| {
            let [a, b] = [pair[0], pair[1]].map(|place| coordinates(&rays[place as usize]));
            (0..6).map(|axis| (a[axis] - b[axis]).powi(2)).sum::<f32>().sqrt()
        };
        order.windows(2).map(distance).sum::<f32>() / rays.len() as f32
    }

    #[test]
    fn every_place_is_there_once_and_neighbours_are_near() {
        let rng = &mut Rng::with_seed(4);
        let mut vector = || [rng.f32() - 0.5, rng.f32() - 0.5, rng.f32() - 0.5];
        let mut rays: Vec<Ray> = (0..20_000).map(|_| Ray::new(vector(), vector())).collect();
        rays[77] = Ray::new([f32::NAN; 3], [0.0; 3]);
        let order = in_order_of_ways(&rays, 1.0);
        let mut places = order.clone();
        places.sort_unstable();
        assert!(places.into_iter().eq(0..20_000));
        rays[77] = rays[78];
        let unsorted = mean_step(&rays, 0..20_000);
        let sorted = mean_step(&rays, order.into_iter());
        assert!(sorted < 0.5 * unsorted, "{sorted} {unsorted}");
    }

    #[test]
    fn the_rays_of_one_eye_follow_each_other_in_squares() {
        let side = 256;
        let pixel = |place: u32| [place % side, place / side];
        let ray = |place: u32| {
            let [x, y] = pixel(place).map(|c| c as f32 / side as f32 - 0.5);
            Ray::new([9.0, 8.0, 7.0], [x, y, 2.0])
        };
        let rays: Vec<Ray> = (0..side * side).map(ray).collect();
        let order = in_order_of_ways(&rays, 1.0);
        let reach: u32 = order
            .as_chunks::<8>()
            .0
            .iter()
            .map(|eight| {
                let spread = |axis: usize| {
                    let of = eight.map(|place| pixel(place)[axis]);
                    of.iter().max().unwrap() - of.iter().min().unwrap() + 1
                };
                spread(0).max(spread(1))
            })
            .sum();
        // Eight in a row reach 8 pixels, in a rectangle 4.
        assert!(reach < 5 * (side * side / 8), "{reach}");
    }
}
