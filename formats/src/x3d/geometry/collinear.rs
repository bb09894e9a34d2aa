//! Removes triangles whose corners are collinear. No ray crosses them. If such a triangle closes
//! the gap between a long edge and the two parts of it that other triangles have, a ray through the
//! corner between these parts would leave a closed surface without having entered it.

use crate::mesh::Triangles;
use glam::DVec3;
use std::collections::HashMap;

/// The largest number of times that a triangle is flipped.
const MOST_ROUNDS: usize = 32;

impl Triangles {
    /// Flips the longest edge of each triangle whose corners are collinear and different: the
    /// triangle on the other side of that edge is cut at the corner on the edge. The number of
    /// triangles stays the same, a surface stays as closed as it was, and no point of it moves. A
    /// triangle without a neighbour there stays.
    pub(super) fn flip_collinear(&mut self) {
        for _ in 0..MOST_ROUNDS {
            let flat: Vec<usize> =
                (0..self.triangles.len()).filter(|&index| self.is_collinear(index)).collect();
            if flat.is_empty() || !self.flip(&flat) {
                return;
            }
        }
    }

    fn position(&self, corner: u32) -> DVec3 {
        self.vertices[corner as usize]
    }

    fn is_collinear(&self, index: usize) -> bool {
        let [a, b, c] = self.triangles[index].map(|corner| self.position(corner));
        a != b && b != c && c != a && (b - a).cross(c - a) == DVec3::ZERO
    }

    /// Flips these triangles where that is possible, and returns true if there was one.
    fn flip(&mut self, flat: &[usize]) -> bool {
        // Corners of one place belong together, as in `Mesh::is_closed`. Adding zero turns −0 into
        // +0.
        let key = |position: DVec3| (position + 0.0).to_array().map(f64::to_bits);
        let edges = flat.iter().map(|&index| {
            let [start, end, _] = self.with_longest_edge_first(index);
            ([end, start].map(|corner| key(self.position(corner))), Vec::new())
        });
        // The triangles that have each of these edges in the other direction.
        let mut beyond: HashMap<[[u64; 3]; 2], Vec<usize>> = edges.collect();
        for (index, triangle) in self.triangles.iter().enumerate() {
            let [a, b, c] = triangle.map(|corner| key(self.position(corner)));
            for edge in [[a, b], [b, c], [c, a]] {
                if let Some(triangles) = beyond.get_mut(&edge) {
                    triangles.push(index);
                }
            }
        }
        let mut is_changed = vec![false; self.triangles.len()];
        for &index in flat {
            let [start, end, middle] = self.with_longest_edge_first(index);
            let [from, to] = [end, start].map(|corner| key(self.position(corner)));
            // An edge that two triangles have in one direction has no neighbour of its own.
            let Some(&[neighbor]) = beyond.get(&[from, to]).map(Vec::as_slice) else { continue };
            if is_changed[index] || is_changed[neighbor] || neighbor == index {
                continue;
            }
            let apex = self.triangles[neighbor].into_iter().find(|&corner| {
                let place = key(self.position(corner));
                place != from && place != to
            });
            let Some(apex) = apex else { continue };
            self.triangles[index] = [start, apex, middle];
            self.triangles[neighbor] = [middle, apex, end];
            is_changed[index] = true;
            is_changed[neighbor] = true;
        }
        is_changed.contains(&true)
    }

    /// The corners of a triangle in their order, so that its longest edge leads from the first to
    /// the second.
    fn with_longest_edge_first(&self, index: usize) -> [u32; 3] {
        let [a, b, c] = self.triangles[index];
        let length =
            |[from, to, _]: &[u32; 3]| (self.position(*to) - self.position(*from)).length_squared();
        let turned = [[a, b, c], [b, c, a], [c, a, b]];
        turned
            .into_iter()
            .max_by(|one, other| length(one).total_cmp(&length(other)))
            .unwrap_or([a, b, c])
    }
}
