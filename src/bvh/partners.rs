//! Finds the partner that each node of a row prefers, for a tree that is built bottom up.

use crate::parallel::for_each_part;
use obvhs::aabb::Aabb;
use obvhs::bvh2::node::Bvh2Node;
#[cfg(target_arch = "x86_64")]
use pulp::{NullaryFnOnce, x86::V3};

/// So many nodes side by side are worked on by one thread.
pub(super) const CHUNK: usize = 1 << 12;

/// Finds the partner that each node prefers: the node within a distance along the row that makes
/// the smallest box with it, or the last of several such nodes.
pub(super) fn find_partners(row: &[Bvh2Node], distance: usize, partners: &mut [u32]) {
    for_each_part(partners, CHUNK, |start, partners| {
        let first = start.saturating_sub(distance);
        let end = row.len().min(start + partners.len() + distance);
        let mut search = Search::new(&row[first..end]);
        search.run(distance.min(end - first - 1));
        for (index, partner) in (start..).zip(partners) {
            *partner = (first + search.partner(index - first)) as u32;
        }
    });
}

/// A search among nodes side by side. Each number has an array of its own, so that the processor
/// works on several nodes at once.
struct Search {
    lower: [Vec<f32>; 3],
    upper: [Vec<f32>; 3],
    ahead: Best,
    behind: Best,
}

/// The best partner of each node on one side.
struct Best {
    /// Half the area of the box around both.
    area: Vec<f32>,
    /// How far along the row it is.
    apart: Vec<u32>,
}

impl Best {
    fn none(nodes: usize) -> Self {
        Self { area: vec![f32::INFINITY; nodes], apart: vec![1; nodes] }
    }
}

impl Search {
    fn new(row: &[Bvh2Node]) -> Self {
        let mut sides = [(); 6].map(|()| vec![0.0; row.len()]);
        {
            let columns = sides.each_mut().map(|side| &mut side[..row.len()]);
            for (index, node) in row.iter().enumerate() {
                let Aabb { min, max } = node.aabb();
                let corners = [min.x, min.y, min.z, max.x, max.y, max.z];
                for (axis, corner) in corners.into_iter().enumerate() {
                    columns[axis][index] = corner;
                }
            }
        }
        let [low_x, low_y, low_z, high_x, high_y, high_z] = sides;
        Self {
            lower: [low_x, low_y, low_z],
            upper: [high_x, high_y, high_z],
            ahead: Best::none(row.len()),
            behind: Best::none(row.len()),
        }
    }

    fn run(&mut self, distance: usize) {
        #[cfg(target_arch = "x86_64")]
        if let Some(avx2) = V3::try_new() {
            return avx2.vectorize(VectorizedSearch { search: self, distance });
        }
        self.run_inline(distance);
    }

    #[inline(always)]
    fn run_inline(&mut self, distance: usize) {
        // A closure would be compiled for any processor.
        for apart in 1..=distance {
            self.compare(apart);
        }
    }

    /// Compares each node with the one so far ahead. One box serves both.
    #[inline(always)]
    fn compare(&mut self, apart: usize) {
        let Self { lower, upper, ahead, behind } = self;
        let count = ahead.area.len() - apart;
        let [low_x, low_y, low_z] =
            lower.each_ref().map(|side| (&side[..count], &side[apart..][..count]));
        let [high_x, high_y, high_z] =
            upper.each_ref().map(|side| (&side[..count], &side[apart..][..count]));
        let (area_ahead, ahead) = (&mut ahead.area[..count], &mut ahead.apart[..count]);
        let area_behind = &mut behind.area[apart..][..count];
        let behind = &mut behind.apart[apart..][..count];
        for index in 0..count {
            let extent = |low: (&[f32], &[f32]), high: (&[f32], &[f32])| {
                greater(high.0[index], high.1[index]) - less(low.0[index], low.1[index])
            };
            let (x, y, z) = (extent(low_x, high_x), extent(low_y, high_y), extent(low_z, high_z));
            let area = (x + y) * z + x * y;
            // Of equal ones the last is preferred: the farthest ahead, or else the nearest behind.
            // Both are written in any case, as several are at once.
            let is_better = area <= area_ahead[index];
            area_ahead[index] = if is_better { area } else { area_ahead[index] };
            ahead[index] = if is_better { apart as u32 } else { ahead[index] };
            let is_better = area < area_behind[index];
            area_behind[index] = if is_better { area } else { area_behind[index] };
            behind[index] = if is_better { apart as u32 } else { behind[index] };
        }
    }

    fn partner(&self, index: usize) -> usize {
        let Self { ahead, behind, .. } = self;
        let is_last = index + 1 == ahead.area.len();
        if is_last || ahead.area[index] > behind.area[index] {
            index - behind.apart[index] as usize
        } else {
            index + ahead.apart[index] as usize
        }
    }
}

/// The least of two numbers by one instruction, which `f32::min` takes several for.
#[inline(always)]
fn less(a: f32, b: f32) -> f32 {
    if a < b { a } else { b }
}

#[inline(always)]
fn greater(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

/// A search that is compiled for AVX2.
#[cfg(target_arch = "x86_64")]
struct VectorizedSearch<'a> {
    search: &'a mut Search,
    distance: usize,
}

#[cfg(target_arch = "x86_64")]
impl NullaryFnOnce for VectorizedSearch<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        self.search.run_inline(self.distance);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::Vec3A;

    #[test]
    fn a_partner_makes_the_smallest_box_or_is_the_last_of_those_that_do() {
        let mut rng = fastrand::Rng::with_seed(3);
        for count in [2, 3, 20, 300, 2 * CHUNK + 7] {
            for (distance, grid) in [(1, 1e6), (14, 1e6), (14, 2.0), (14, 1.0)] {
                let mut corner = || Vec3A::from([0, 1, 2].map(|_| (grid * rng.f32()).floor()));
                let row: Vec<_> = (0..count)
                    .map(|index| {
                        let corner = corner();
                        Bvh2Node::new(Aabb::new(corner, corner + Vec3A::ONE), 1, index as u32)
                    })
                    .collect();
                let expected = |index: usize| {
                    let others = index.saturating_sub(distance)..count.min(index + distance + 1);
                    let area =
                        |&other: &usize| row[index].aabb().union(row[other].aabb()).half_area();
                    let others = others.filter(|&other| other != index).rev();
                    others.min_by(|a, b| area(a).total_cmp(&area(b)))
                };
                let mut partners = vec![0; count];
                find_partners(&row, distance, &mut partners);
                let mut portable = Search::new(&row);
                portable.run_inline(distance.min(count - 1));
                for (index, &partner) in partners.iter().enumerate() {
                    assert_eq!(
                        Some(partner as usize),
                        expected(index),
                        "{count} {distance} {grid}"
                    );
                    assert_eq!(partner as usize, portable.partner(index));
                }
            }
        }
    }
}
