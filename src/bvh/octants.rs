//! Gives the children of a wide node their slots, so that a traversal that is ordered by the ray's
//! octant visits near children first.

use super::collapse::Collapse;
use super::planes::CHILDREN;
use arrayvec::ArrayVec;
use glam::Vec3A;

/// The binary nodes that become the children of a wide node.
pub(super) struct WideChildren {
    inner: [Option<u32>; CHILDREN],
    /// The leaves, in the order of their octants; those of a node without inner children in the order
    /// of the binary tree.
    leaves: ArrayVec<u32, CHILDREN>,
}

impl WideChildren {
    pub fn new(collapse: &Collapse, index: u32) -> Self {
        let children = collapse.children(index);
        if children.iter().all(|&child| collapse.node(child).is_leaf()) {
            return Self { inner: [None; CHILDREN], leaves: children };
        }
        let center = |index: u32| collapse.node(index).aabb().center();
        let offsets = children.iter().map(|&child| center(child) - center(index)).collect();
        let [mut inner, mut leaves] = [[None; CHILDREN]; 2];
        for (child, octant) in children.into_iter().zip(octants(&offsets)) {
            let is_leaf = collapse.node(child).is_leaf();
            (if is_leaf { &mut leaves } else { &mut inner })[octant] = Some(child);
        }
        Self { inner, leaves: leaves.into_iter().flatten().collect() }
    }

    pub fn count(&self) -> usize {
        self.inner.iter().flatten().count() + self.leaves.len()
    }

    pub fn are_leaves(&self) -> bool {
        self.inner.iter().all(Option::is_none)
    }

    /// Returns true if none of them needs a number below `first`.
    pub fn fit_from(&self, first: usize) -> bool {
        self.count() <= CHILDREN - first && self.inner[..first].iter().all(Option::is_none)
    }

    /// Returns them by their numbers: an inner child has that of its octant, and leaves have those
    /// from `first` on that are left.
    pub fn numbered(&self, first: usize) -> [Option<u32>; CHILDREN] {
        let mut numbered = self.inner;
        let free = numbered[first..].iter_mut().filter(|number| number.is_none());
        for (number, leaf) in free.zip(&self.leaves) {
            *number = Some(*leaf);
        }
        numbered
    }
}

/// Returns a different octant for each child, given its offset from the node's centre. The child
/// that is farthest out in an octant is the first to get one, which Ylitie, Karras and Laine (2017)
/// found to be almost as good as the best assignment.
fn octants(offsets: &ArrayVec<Vec3A, CHILDREN>) -> ArrayVec<usize, CHILDREN> {
    const TAKEN: u64 = u64::MAX;
    let mut keys: ArrayVec<[u64; CHILDREN], CHILDREN> =
        offsets.iter().enumerate().map(keys).collect();
    let cheapest = |keys: &[u64; CHILDREN]| keys.iter().fold(TAKEN, |least, &key| least.min(key));
    let mut best: ArrayVec<u64, CHILDREN> = keys.iter().map(cheapest).collect();
    let mut octants: ArrayVec<usize, CHILDREN> = offsets.iter().map(|_| CHILDREN).collect();
    for _ in 0..offsets.len() {
        // A minimum of integers is found without a jump that could be foreseen wrongly.
        let least = best.iter().fold(TAKEN, |least, &key| least.min(key));
        let [child, octant] = [least >> 3 & 7, least & 7].map(|number| number as usize);
        octants[child] = octant;
        keys[child] = [TAKEN; CHILDREN];
        for (keys, best) in keys.iter_mut().zip(&mut best) {
            keys[octant] = TAKEN;
            if *best & 7 == octant as u64 {
                *best = cheapest(keys);
            }
        }
    }
    octants
}

/// Returns for each octant a number that is the greater, the further a child's offset leads out of
/// the octant; its lowest bits are the child and the octant. An octant's bits, from the highest,
/// are the axes along which it is the upper half.
fn keys((child, offset): (usize, &Vec3A)) -> [u64; CHILDREN] {
    let [x, y, z] = offset.to_array();
    std::array::from_fn(|octant| {
        let along = |bit: usize, part: f32| if octant & bit == 0 { part } else { -part };
        // The sum with zero makes a negative zero positive.
        let bits = (along(4, x) + along(2, y) + along(1, z) + 0.0).to_bits();
        let ascending = if bits >> 31 == 1 { !bits } else { bits | 1 << 31 };
        u64::from(ascending) << 6 | (child << 3 | octant) as u64
    })
}
