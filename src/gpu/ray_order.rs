//! The order in which a software driver casts the rays of a chunk. Such a driver runs eight threads
//! in lockstep, so eight rays that follow each other should go the same way. Answers do not depend
//! on it. The rays of an image are not reordered: kernels cast them tile by tile.

use crate::image_rows::ImageRows;
use crate::parallel::for_each_part;
use crate::query::RaySource;
use crate::ray::Ray;

/// Rays are sorted for a scene of more records than this, which do not fit a processor's
/// second-level cache. In a smaller one they take so little time that sorting costs what it gains.
const LARGE: usize = 1 << 14;

/// The number of rays that one thread of the host sorts at a time.
const BLOCK: usize = 1 << 14;

/// Returns how many rays a row of an image has, if the rays are those of an image, row by row; else
/// 0.
pub(super) fn row_length(rays: RaySource<'_>) -> u32 {
    ImageRows::of(rays).map_or(0, |rows| rows.length as u32)
}

/// Returns the indices of a chunk's rays, which are no image's, in the order in which to cast them.
/// They are sorted if that is faster for a scene of this many records; otherwise `None` leaves them
/// in the order in which they are given.
pub(super) fn ray_order(rays: RaySource<'_>, records: usize) -> Option<Vec<u32>> {
    if rays.len() < BLOCK || records <= LARGE {
        return None;
    }
    let mut order = vec![0; rays.len()];
    for_each_part(&mut order, BLOCK, |first, order| {
        sort(first as u32, rays.slice(first..first + order.len()), order);
    });
    Some(order)
}

/// The octant of a ray's direction, and the cell of its origin among eight along each axis, make a
/// key of this many values.
const KEYS: usize = 8 * 512;

/// One ray in this many is used to estimate the range of all origins.
const SOME: usize = 16;

/// Writes the indices of rays, the first of which has the index `first`, sorted by the octants of
/// their directions and then by their origins along Morton's curve. It is a counting sort: rays of
/// one key stay in the order in which they are given, in which they may already be neighbours.
fn sort(first: u32, rays: RaySource<'_>, order: &mut [u32]) {
    let some = || rays.iter().step_by(SOME);
    let low: [f32; 3] = std::array::from_fn(|axis| {
        some().map(|ray| ray.origin[axis]).fold(f32::INFINITY, f32::min)
    });
    let scale: [f32; 3] = std::array::from_fn(|axis| {
        let high = some().map(|ray| ray.origin[axis]).fold(f32::NEG_INFINITY, f32::max);
        8.0 / (high - low[axis])
    });
    let key = |ray: Ray| {
        // The bits of a number below eight, each three bits from the next.
        const SPREAD: [usize; 8] = [0, 1, 8, 9, 64, 65, 72, 73];
        (0..3).fold(0, |key, axis| {
            // The conversion turns NaN, which an invalid ray may have, into 0.
            let cell = ((ray.origin[axis] - low[axis]) * scale[axis]) as usize;
            let is_backward = usize::from(ray.direction[axis] < 0.0);
            key | (SPREAD[cell.min(7)] | is_backward << 9) << axis
        })
    };
    let keys: Vec<u16> = rays.iter().map(|ray| key(ray) as u16).collect();
    let mut places = vec![0_u32; KEYS + 1];
    for &key in &keys {
        places[usize::from(key) + 1] += 1;
    }
    for key in 0..KEYS {
        places[key + 1] += places[key];
    }
    for (index, &key) in (first..).zip(&keys) {
        let place = &mut places[usize::from(key)];
        order[*place as usize] = index;
        *place += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fastrand::Rng;

    #[test]
    fn rays_are_sorted_for_a_large_scene_only() {
        let rng = &mut Rng::with_seed(4);
        let mut vector = || [rng.f32() - 0.5, rng.f32() - 0.5, rng.f32() - 0.5];
        let mut rays: Vec<Ray> = (0..100_000).map(|_| Ray::new(vector(), vector())).collect();
        rays[77] = Ray::new([f32::NAN, f32::INFINITY, f32::NEG_INFINITY], [f32::NAN; 3]);
        assert_eq!(ray_order(RaySource::Rays(&rays), LARGE), None);
        assert_eq!(ray_order(RaySource::Rays(&rays[..100]), usize::MAX), None);
        let order = ray_order(RaySource::Rays(&rays), usize::MAX).unwrap();
        let mut indices = order.clone();
        indices.sort_unstable();
        assert!(indices.into_iter().eq(0..100_000));
        // Neighbours have one octant, and origins that are a few cells apart.
        let are_near = |pair: &&[u32]| {
            let [a, b] = [pair[0], pair[1]].map(|index| rays[index as usize]);
            (0..3).all(|axis| {
                (a.direction[axis] < 0.0) == (b.direction[axis] < 0.0)
                    && (a.origin[axis] - b.origin[axis]).abs() < 0.3
            })
        };
        assert!(order.windows(2).filter(are_near).count() > 90_000);
    }
}
