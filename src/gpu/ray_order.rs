//! The order in which a software driver casts the rays of a chunk. Such a driver runs eight threads
//! in lockstep, so eight rays that follow each other should go the same way. Answers do not depend
//! on it.

use crate::image_rows::ImageRows;
use crate::parallel::for_each_part;
use crate::query::RaySource;
use crate::ray::Ray;
use std::ops::Range;

/// The width and height of a tile of pixels whose rays run in lockstep.
const TILE: [usize; 2] = [4, 2];

/// Rays are sorted for a scene of more records than this, which do not fit a processor's
/// second-level cache. In a smaller one they take so little time that sorting costs what it gains.
const LARGE: usize = 1 << 14;

/// The number of rays that one thread of the host sorts at a time.
const BLOCK: usize = 1 << 14;

/// Returns the indices of a chunk's rays in the order in which to cast them, or `None` for the
/// order in which they are given. The rays of an image are cast in tiles; others are sorted if that
/// pays for a scene of so many records.
pub(super) fn ray_order(rays: RaySource<'_>, records: usize) -> Option<Vec<u32>> {
    if let Some(rows) = ImageRows::of(rays) {
        return Some(tiles(rows, rays.len()));
    }
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
/// key of so many values.
const KEYS: usize = 8 * 512;

/// Every so many rays one is used to estimate the range of all origins.
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

/// Returns the indices of an image's rays, so many in all, tile by tile. The rays that fill no tile
/// come last, so that each tile begins at a multiple of its size.
fn tiles(rows: ImageRows, count: usize) -> Vec<u32> {
    let [width, height] = TILE;
    let ImageRows { first, length } = rows;
    let bands = (count - first) / (length * height);
    let in_tiles = length / width * width;
    let mut order = Vec::with_capacity(count);
    let mut add = |indices: Range<usize>| order.extend(indices.map(|index| index as u32));
    let row = |band: usize, row: usize| first + (band * height + row) * length;
    for band in 0..bands {
        for column in (0..in_tiles).step_by(width) {
            for line in 0..height {
                let start = row(band, line) + column;
                add(start..start + width);
            }
        }
    }
    for band in 0..bands {
        for line in 0..height {
            add(row(band, line) + in_tiles..row(band, line) + length);
        }
    }
    add(0..first);
    add(row(bands, 0)..count);
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::image_rows::tests::image;
    use fastrand::Rng;

    #[test]
    fn every_ray_is_cast_once_and_eight_in_a_tile() {
        for (columns, begin, count) in [(64, 0, 64 * 64), (37, 2, 3000), (1024, 1000, 65_536)] {
            let rays = image(columns, begin, count);
            let order = ray_order(RaySource::Rays(&rays), 0).unwrap();
            let pixel = |index: u32| {
                let index = begin + index as usize;
                [index % columns, index / columns]
            };
            let tiles = order.as_chunks::<8>().0.iter().filter(|eight| {
                let [x, y] = pixel(eight[0]);
                (0..8).all(|lane| pixel(eight[lane]) == [x + lane % 4, y + lane / 4])
            });
            assert!(tiles.count() > count / 8 * 9 / 10 - 2 * columns / 8, "{columns}");
            let mut indices = order;
            indices.sort_unstable();
            assert!(indices.into_iter().eq(0..count as u32));
        }
    }

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
