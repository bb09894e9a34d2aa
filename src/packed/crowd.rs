//! Counts the primitives in the same box. No tree separates them, so a ray that meets the box is
//! tested against each of them. For a billion copies at one place that would take a minute, and a
//! GPU would be lost.

use super::items::Items;
use super::{PackError, PackedScene};
use crate::bvh::outward;
use crate::math::Bounds;
use crate::scene::{PrimitiveRef, Scene};
use rayon::prelude::*;
use std::collections::HashMap;

/// The most primitives that may be in one box, or have no box.
const MOST: u64 = 1 << 18;

/// More primitives than this in one box cause a warning.
const MANY: u64 = 1 << 14;

/// Boxes are first counted by a hash with this many values.
const BUCKETS: usize = 1 << 16;

/// The number of items that one task counts.
const ITEMS_A_TASK: usize = 1 << 16;

/// Items of one box.
#[derive(Clone, Copy)]
struct Crowd {
    first: usize,
    /// How many items there are, and how many primitives a ray in the box is tested against.
    items: u64,
    primitives: u64,
}

/// A box as nodes have it, in the world that it is in.
type Key = ([u32; 6], Option<u32>);

fn key(bounds: &Bounds, world: Option<u32>) -> Key {
    let aabb = outward(bounds);
    let [a, b, c] = aabb.min.to_array().map(f32::to_bits);
    let [d, e, f] = aabb.max.to_array().map(f32::to_bits);
    ([a, b, c, d, e, f], world)
}

/// Returns the bucket of a key (after the multiplicative hash of Fx).
fn bucket((sides, world): &Key) -> usize {
    let sides = sides.iter().copied().chain(*world);
    let mixed = |hash: u64, side: u32| {
        (hash.rotate_left(5) ^ u64::from(side)).wrapping_mul(0x517c_c1b7_2722_0a95)
    };
    (sides.fold(0, mixed) >> 48) as usize
}

/// Adds up the primitives of items by their buckets, given the key and the primitives of each.
fn buckets(count: usize, item: impl Fn(usize) -> (Key, u64) + Sync) -> Vec<u64> {
    let add = |mut buckets: Vec<u64>, index: usize| {
        let (key, primitives) = item(index);
        buckets[bucket(&key)] += primitives;
        buckets
    };
    let sum = |mut a: Vec<u64>, b: Vec<u64>| {
        a.iter_mut().zip(b).for_each(|(a, b)| *a += b);
        a
    };
    let empty = || vec![0; BUCKETS];
    let items = (0..count).into_par_iter().with_min_len(ITEMS_A_TASK);
    items.fold(empty, add).reduce(empty, sum)
}

/// Returns the largest crowd of more than `floor` primitives, given the key and the primitives of
/// each item.
fn largest(count: usize, item: impl Fn(usize) -> (Key, u64) + Sync, floor: u64) -> Option<Crowd> {
    let buckets = buckets(count, &item);
    if buckets.iter().all(|&primitives| primitives <= floor) {
        return None;
    }
    let mut crowds: HashMap<Key, Crowd> = HashMap::new();
    for index in 0..count {
        let (key, primitives) = item(index);
        if buckets[bucket(&key)] > floor {
            let empty = Crowd { first: index, items: 0, primitives: 0 };
            let crowd = crowds.entry(key).or_insert(empty);
            crowd.items += 1;
            crowd.primitives += primitives;
        }
    }
    let rank = |crowd: &Crowd| (crowd.primitives, std::cmp::Reverse(crowd.first));
    crowds.into_values().filter(|crowd| crowd.primitives > floor).max_by_key(rank)
}

impl PackedScene {
    /// Returns how many primitives lie in one box, if those are more than `floor`; else 1.
    fn crowd_above(&self, floor: u64) -> u64 {
        let boxes = Self::boxes(&self.scene);
        let crowd = largest(boxes.len(), |index| (key(&boxes[index], None), 1), floor);
        crowd.map_or(1, |crowd| crowd.primitives)
    }

    /// Returns an error for a scene in which a ray would be tested against too many primitives at
    /// one place.
    pub(super) fn check_crowds(
        given: &Scene,
        scene: &Scene,
        items: &Items,
        definitions: &[Self],
    ) -> Result<(), PackError> {
        if scene.primitive_count() <= MANY {
            return Ok(());
        }
        let own = scene.primitive_ids().total();
        let definition = |item: u32| {
            item.checked_sub(own).map(|instance| scene.instances()[instance as usize].definition())
        };
        let without_box = |&item: &u32| {
            definition(item).map_or(1, |definition| definitions[definition].unbounded as u64)
        };
        let unbounded = items.unbounded.iter().map(without_box).sum();
        if unbounded > MOST {
            return Err(PackError::Unbounded(unbounded));
        }
        let count = items.bounded.len();
        let key = |index: usize| {
            let world = match scene.has_several_worlds() {
                true => scene.world_of_item(items.bounded[index]),
                false => None,
            };
            key(&items.bounds[index], world)
        };
        // No more items than these share a box, so smaller crowds of definitions make no large one.
        let most_items = match definitions {
            [] => 1,
            _ => buckets(count, |index| (key(index), 1)).into_iter().fold(1, u64::max),
        };
        let floor = MANY / most_items;
        let crowds: Vec<u64> =
            definitions.iter().map(|definition| definition.crowd_above(floor)).collect();
        let item = |index: usize| {
            let definition = definition(items.bounded[index]);
            (key(index), definition.map_or(1, |definition| crowds[definition]))
        };
        let Some(crowd) = largest(count, item, MANY) else { return Ok(()) };
        // A definition's own crowd was looked at when that was packed.
        if crowd.items == 1 {
            return Ok(());
        }
        let number = items.bounded[crowd.first];
        let primitive = match number.checked_sub(own) {
            None => PrimitiveRef::own(number),
            Some(instance) => PrimitiveRef { instance, primitive: 0 },
        };
        let error = PackError::Crowded {
            count: crowd.primitives,
            one: given.path(scene.ids_of(primitive)[0]),
            center: items.bounds[crowd.first].center() + given.origin(),
        };
        if crowd.primitives > MOST {
            return Err(error);
        }
        log::warn!("{error}");
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Similarity;
    use crate::scene::Definition;
    use crate::shapes::{Plane, Sphere};
    use crate::transform::Transform;
    use glam::DVec3;

    fn copies(count: usize, geometry: impl Into<crate::geometry::Geometry> + Copy) -> Definition {
        let mut scene = Scene::new();
        for _ in 0..count {
            scene.add(geometry).unwrap();
        }
        Definition::new(scene)
    }

    /// Uses a definition so often, each time this step farther along x.
    fn used(definition: &Definition, count: u32, step: f64) -> Scene {
        let mut scene = Scene::new();
        for turn in 0..count {
            let place = Similarity {
                translation: f64::from(turn) * step * DVec3::X,
                ..Similarity::IDENTITY
            };
            scene.add_instance(definition, &place.into(), None, None).unwrap();
        }
        scene
    }

    const BALL: Sphere = Sphere { center: DVec3::ZERO, radius: 1.0 };

    #[test]
    fn too_many_shapes_in_one_box_are_refused_with_their_number_and_place() {
        let mut scene = used(&copies(600, BALL), 600, 0.0);
        scene.add(BALL).unwrap();
        let error = PackedScene::new(scene).unwrap_err();
        let PackError::Crowded { count: 360_001, center: DVec3::ZERO, .. } = error else {
            panic!("{error}");
        };
        assert!(error.to_string().contains("360001 shapes fill the same box"), "{error}");
        // Pairs about one centre have two boxes.
        let mut pairs = Scene::new();
        for radius in [1.0, 0.25].repeat(400) {
            pairs.add(Sphere { center: DVec3::ZERO, radius }).unwrap();
        }
        let pairs = Definition::new(pairs);
        assert!(PackedScene::new(used(&pairs, 600, 0.0)).is_ok());
        assert!(PackedScene::new(used(&pairs, 700, 0.0)).is_err());
    }

    #[test]
    fn what_lies_apart_or_in_other_worlds_is_not_at_one_place() {
        assert!(PackedScene::new(used(&copies(600, BALL), 600, 0.01)).is_ok());
        assert!(PackedScene::new(used(&copies(500, BALL), 500, 0.0)).is_ok());
        let mut scene = Scene::new();
        let node = scene.add_node(None, &Transform::IDENTITY, None).unwrap();
        scene.add_instance_at(node, &copies(600, BALL), None).unwrap();
        let mut other = scene.clone();
        let away = Similarity { translation: DVec3::X, ..Similarity::IDENTITY };
        other.set_transform(node, &away.into()).unwrap();
        for _ in 0..1000 {
            scene.add_world(&other).unwrap();
        }
        assert!(PackedScene::new(scene).is_ok());
    }

    #[test]
    fn too_many_planes_are_refused() {
        let planes = copies(600, Plane::infinite(DVec3::ZERO, DVec3::Z));
        let error = PackedScene::new(used(&planes, 600, 1.0)).unwrap_err();
        assert_eq!(error, PackError::Unbounded(360_000));
    }
}
