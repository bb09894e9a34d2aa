//! Gives the children of a wide node their slots, so that a traversal that is ordered by the ray's octant visits near children
//! first.

use super::collapse::Collapse;
use super::node::take_lowest;
use super::wide_node::CHILDREN;
use arrayvec::ArrayVec;
use glam::Vec3A;

/// Returns the binary nodes that become the children of a wide node, by their slot. An inner child has the slot of its octant;
/// leaves have the first slots that are left, in the order of their octants.
pub(super) fn children_by_slot(collapse: &Collapse, index: u32) -> [Option<u32>; CHILDREN] {
    let children = collapse.children(index);
    let center = |index: u32| collapse.node(index).aabb().center();
    let offsets = children.iter().map(|&child| center(child) - center(index)).collect();
    let [mut by_slot, mut leaves] = [[None; CHILDREN]; 2];
    for (child, octant) in children.into_iter().zip(octants(&offsets)) {
        let is_leaf = collapse.node(child).is_leaf();
        (if is_leaf { &mut leaves } else { &mut by_slot })[octant] = Some(child);
    }
    let mut leaves = leaves.into_iter().flatten();
    for slot in by_slot.iter_mut().filter(|slot| slot.is_none()) {
        *slot = leaves.next();
    }
    by_slot
}

/// Returns a different octant for each child, given its offset from the node's centre. The child that is farthest out in an
/// octant is the first to get one, which Ylitie, Karras and Laine (2017) found to be almost as good as the best assignment.
fn octants(offsets: &ArrayVec<Vec3A, CHILDREN>) -> ArrayVec<usize, CHILDREN> {
    let costs: ArrayVec<[f32; CHILDREN], CHILDREN> = offsets.iter().map(costs).collect();
    let mut free = (1 << CHILDREN) - 1;
    let mut octants: ArrayVec<usize, CHILDREN> = offsets.iter().map(|_| CHILDREN).collect();
    let mut best: ArrayVec<(f32, usize), CHILDREN> =
        costs.iter().map(|costs| cheapest(costs, free)).collect();
    let mut waiting: u32 = (1 << offsets.len()) - 1;
    while waiting != 0 {
        let mut next = waiting.trailing_zeros() as usize;
        let mut bits = waiting;
        while bits != 0 {
            let child = take_lowest(&mut bits) as usize;
            if best[child].0 < best[next].0 {
                next = child;
            }
        }
        let octant = best[next].1;
        octants[next] = octant;
        waiting &= !(1 << next);
        free &= !(1 << octant);
        let mut bits = waiting;
        while bits != 0 {
            let child = take_lowest(&mut bits) as usize;
            if best[child].1 == octant {
                best[child] = cheapest(&costs[child], free);
            }
        }
    }
    octants
}

/// Returns for each octant how far an offset leads out of it. Its bits, from the highest, tell the axes along which it is the
/// upper half.
fn costs(offset: &Vec3A) -> [f32; CHILDREN] {
    let [x, y, z] = offset.to_array();
    std::array::from_fn(|octant| {
        let part = |bit: usize, along: f32| if octant & bit == 0 { along } else { -along };
        part(4, x) + part(2, y) + part(1, z)
    })
}

/// Returns the least cost among free octants, and the first of those that have it.
fn cheapest(costs: &[f32; CHILDREN], mut free: u32) -> (f32, usize) {
    let mut least = (f32::INFINITY, free.trailing_zeros() as usize);
    while free != 0 {
        let octant = take_lowest(&mut free) as usize;
        if costs[octant] < least.0 {
            least = (costs[octant], octant);
        }
    }
    least
}
