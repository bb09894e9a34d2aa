//! The order in which a software driver casts the rays of a chunk. Such a driver runs eight threads in lockstep, so eight
//! rays that follow each other should go the same way. Answers do not depend on it.

use crate::bvh::Tree;
use crate::ray::Ray;
use crate::ray_sort::morton_order;
use rayon::prelude::*;
use std::ops::Range;

/// Rays are sorted for a tree of more bytes than this, which does not fit a processor's second-level cache. In a smaller
/// tree a ray takes so little time that sorting costs more than it gains.
const LARGE: usize = 1 << 20;

/// The fewest rays that are sorted, and the most that are sorted together.
const BLOCK: Range<usize> = 1 << 13..1 << 16;

/// The width and height of a tile of pixels whose rays run in lockstep.
const TILE: [usize; 2] = [4, 2];

/// The shortest and the longest rows that are found.
const ROW_LENGTHS: Range<usize> = 16..1 << 13;

/// Returns the indices of a chunk's rays in the order in which to cast them, or `None` for the order in which they are
/// given. The rays of an image are cast in tiles; others are sorted if that pays for the tree.
pub(super) fn ray_order(rays: &[Ray], tree: &Tree) -> Option<Vec<u32>> {
    if let Some(rows) = Rows::of(rays) {
        return Some(rows.tiles(rays.len()));
    }
    if rays.len() < BLOCK.start || tree.node_bytes() <= LARGE {
        return None;
    }
    let sorted = (0..rays.len()).into_par_iter().step_by(BLOCK.end).flat_map_iter(|first| {
        let block = &rays[first..rays.len().min(first + BLOCK.end)];
        morton_order(block, tree.size()).into_iter().map(move |index| first as u32 + index)
    });
    Some(sorted.collect())
}

/// The rows of an image whose rays are given row by row.
#[derive(Debug, PartialEq)]
struct Rows {
    /// The index of the first ray that begins a row.
    first: usize,
    /// The number of rays of a row.
    length: usize,
}

impl Rows {
    /// Finds rows of equal length. Within a row each ray is a step further than the one before; where a row ends, the
    /// next ray turns back.
    fn of(rays: &[Ray]) -> Option<Self> {
        let step = |index: usize| {
            let [from, to] = [&rays[index], &rays[index + 1]].map(|ray| {
                let ([x, y, z], [dx, dy, dz]) = (ray.origin, ray.direction);
                [x, y, z, dx, dy, dz]
            });
            std::array::from_fn::<f32, 6, _>(|axis| to[axis] - from[axis])
        };
        let turns_back = |index: usize| {
            let (before, after) = (step(index - 2), step(index - 1));
            before.iter().zip(after).map(|(before, after)| before * after).sum::<f32>() < 0.0
        };
        let turn_after = |index: usize| {
            (index + 1..rays.len().min(index + ROW_LENGTHS.end)).find(|&index| turns_back(index))
        };
        // The step after a turn goes against the turn, so the next ray turns too. The first turn found may be such a one.
        let turn = turn_after(turn_after(1)? + 1)?;
        let length = turn_after(turn + 1)? - turn;
        let mut all = (turn..rays.len()).step_by(length);
        let are_rows = ROW_LENGTHS.contains(&length) && turn <= 2 * length && all.all(turns_back);
        are_rows.then_some(Self { first: turn % length, length })
    }

    /// Returns the indices of so many rays, tile by tile. The rays that fill no tile come last, so that each tile begins
    /// at a multiple of its size.
    fn tiles(&self, count: usize) -> Vec<u32> {
        let [width, height] = TILE;
        let &Self { first, length } = self;
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
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bvh::{Layout, Quality};
    use crate::math::Bounds;
    use fastrand::Rng;
    use glam::{DVec3, Vec3};

    /// The rays of an image of so many columns, from the ray `first` on.
    fn image(columns: usize, first: usize, count: usize) -> Vec<Ray> {
        let ray = |index: usize| {
            let [x, y] = [index % columns, index / columns].map(|c| c as f32 / columns as f32);
            Ray::new([9.0, 8.0, 7.0], [x - 0.5, y - 0.5, 2.0])
        };
        (first..first + count).map(ray).collect()
    }

    fn no_tree() -> Tree {
        Tree::build(&[], Layout::Wide, Quality::Fast).unwrap()
    }

    #[test]
    fn the_rows_of_an_image_are_found_wherever_a_chunk_begins() {
        for (columns, begin) in [(64, 0), (64, 5), (64, 63), (37, 2), (1024, 1000), (16, 0)] {
            let rows = Rows::of(&image(columns, begin, 5000));
            let first = (columns - begin % columns) % columns;
            assert_eq!(rows, Some(Rows { first, length: columns }), "{columns} {begin}");
        }
    }

    #[test]
    fn other_rays_have_no_rows() {
        let rng = &mut Rng::with_seed(4);
        let mut vector = || [rng.f32() - 0.5, rng.f32() - 0.5, rng.f32() - 0.5];
        let random: Vec<Ray> = (0..20_000).map(|_| Ray::new(vector(), vector())).collect();
        assert_eq!(Rows::of(&random), None);
        assert_eq!(Rows::of(&[]), None);
        assert_eq!(Rows::of(&image(100, 0, 150)), None);
        assert_eq!(Rows::of(&image(100_000, 0, 90_000)), None);
        assert_eq!(Rows::of(&vec![random[0]; 1000]), None);
        // One row that is shorter than the others.
        let mut rays = image(100, 0, 5000);
        rays.remove(2222);
        assert_eq!(Rows::of(&rays), None);
    }

    #[test]
    fn every_ray_is_cast_once_and_eight_in_a_tile() {
        for (columns, begin, count) in [(64, 0, 64 * 64), (37, 2, 3000), (1024, 1000, 65_536)] {
            let rays = image(columns, begin, count);
            let order = ray_order(&rays, &no_tree()).unwrap();
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
    fn rays_are_sorted_for_a_large_tree_only() {
        let rng = &mut Rng::with_seed(4);
        let mut vector = || [rng.f32() - 0.5, rng.f32() - 0.5, rng.f32() - 0.5];
        let rays: Vec<Ray> = (0..100_000).map(|_| Ray::new(vector(), vector())).collect();
        assert_eq!(ray_order(&rays, &no_tree()), None);
        let boxes =
            (0..30_000).map(|_| Bounds::around(Vec3::from(vector()).as_dvec3(), DVec3::ONE));
        let boxes: Vec<Bounds> = boxes.collect();
        let tree = Tree::build(&boxes, Layout::Wide, Quality::Fast).unwrap();
        let mut order = ray_order(&rays, &tree).unwrap();
        assert!(!order.is_sorted());
        order.sort_unstable();
        assert!(order.into_iter().eq(0..100_000));
        assert_eq!(ray_order(&rays[..100], &tree), None);
    }
}
