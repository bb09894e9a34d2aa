//! Updates the scene of all worlds to the current places of instances.

use super::other_world::OtherWorld;
use super::worlds::InstanceInWorld;
use super::{Position, Scene, WorldError};
use crate::fields::ShapeError;
use crate::geometry::Geometry;
use crate::placement::Placement;
use crate::transform::Transform;
use rayon::prelude::*;
use std::sync::Arc;

/// The number of worlds that one task compares: with fewer, threads cost more than they save.
const WORLDS_A_TASK: usize = 32;

/// Something of the scene of all worlds that has another place.
pub(crate) enum MovedItem {
    /// A shape of the scene's own, by its index among these.
    Shape(u32, Geometry),
    /// An instance, by its index.
    Instance(u32, Box<(Transform, Placement)>),
}

impl Scene {
    /// Returns for each instance whether it moves: whether it is elsewhere in some world.
    pub(super) fn is_moving(&self) -> Vec<bool> {
        let mut is_moving = vec![false; self.instances.len()];
        for (moved, _) in self.worlds.iter().flat_map(|world| &world.moved) {
            is_moving[*moved as usize] = true;
        }
        is_moving
    }

    /// Returns true if the same instances move in each world of another scene of as many worlds.
    fn moves_as(&self, other: &Self) -> bool {
        let worlds = self.worlds.par_iter().zip(&*other.worlds).with_min_len(WORLDS_A_TASK);
        worlds.all(|(own, other)| {
            let instances = |(own, other): (&(u32, _), &(u32, _))| own.0 == other.0;
            own.moved.len() == other.moved.len()
                && own.moved.iter().zip(&other.moved).all(instances)
        })
    }

    /// Returns the items of the scene of all worlds, `all`, that move if this scene's instances
    /// move to their places in `other`, world by world. `other` must have the same structure and as
    /// many worlds. Returns `None` if the worlds then share other items, because another instance
    /// moves or a shared one has moved, and if an image is another kind of shape.
    ///
    /// # Errors
    /// [`WorldError`], if the new place of an instance is invalid.
    pub(crate) fn moved_items(
        &self,
        other: &Self,
        all: &Self,
    ) -> Result<Option<Vec<Vec<MovedItem>>>, WorldError> {
        if !self.moves_as(other) {
            return Ok(None);
        }
        let large = |_: ShapeError| WorldError::Large(self.world_count());
        let pairs = (0..).zip(self.instances.iter().zip(&other.instances));
        let moved = pairs.filter(|(_, (own, other))| own.exact != other.exact);
        let in_first: Vec<(u32, Transform)> =
            moved.map(|(index, (_, other))| (index, other.exact)).collect();
        let is_moving = self.is_moving();
        if !in_first.iter().all(|(index, _)| is_moving[*index as usize]) {
            return Ok(None);
        }
        let in_world = |(index, (own, goes)): (usize, (&OtherWorld, &OtherWorld))| {
            let is_own =
                |instance: &u32| own.moved.binary_search_by_key(instance, |(own, _)| *own).is_ok();
            // A world in which nothing is said of an instance has it where the first one has it.
            let as_in_first = in_first.iter().filter(|(instance, _)| !is_own(instance));
            let moved = own.moved.iter().zip(&goes.moved).filter(|(own, goes)| own.1 != goes.1);
            let moved = moved.map(|(_, goes)| *goes).chain(as_in_first.copied());
            other.items_of(index as u32 + 1, moved, all).map_err(large)
        };
        let Some(moved_in_first) =
            other.items_of(0, in_first.iter().copied(), all).map_err(large)?
        else {
            return Ok(None);
        };
        let worlds = self.worlds.par_iter().zip(&*other.worlds).enumerate();
        let moved: Vec<Option<Vec<MovedItem>>> =
            worlds.with_min_len(WORLDS_A_TASK).map(in_world).collect::<Result<_, WorldError>>()?;
        Ok([Some(moved_in_first)].into_iter().chain(moved).collect())
    }

    /// Returns what stands for some instances in the scene of all worlds, given their transforms.
    /// It is `None` if other things would stand for them.
    fn items_of(
        &self,
        world: u32,
        moved: impl Iterator<Item = (u32, Transform)>,
        all: &Self,
    ) -> Result<Option<Vec<MovedItem>>, ShapeError> {
        let mut items = Vec::with_capacity(moved.size_hint().1.unwrap_or(0));
        for (instance, transform) in moved {
            let first_geometry = self.instances[instance as usize].first_geometry;
            let position = all.position(all.number_in(world, first_geometry));
            items.push(match (self.instance_at(instance, &transform)?, position) {
                (InstanceInWorld::Shape(shape), Some(Position::Own(own)))
                    if are_of_one_kind(&shape, &all.geometries[own as usize]) =>
                {
                    MovedItem::Shape(own, shape)
                }
                (InstanceInWorld::Placed(placement), Some(Position::In(index, _))) => {
                    MovedItem::Instance(index, Box::new((transform, placement)))
                }
                _ => return Ok(None),
            });
        }
        Ok(Some(items))
    }

    /// Takes items to their places, and returns their numbers, as
    /// [`PackedScene`](crate::PackedScene) numbers them.
    pub(crate) fn take_items(&mut self, moved: Vec<Vec<MovedItem>>) -> Vec<u32> {
        let primitives = self.primitive_ids.total();
        let geometries = Arc::make_mut(&mut self.geometries);
        let take = |moved| match moved {
            MovedItem::Shape(own, shape) => {
                geometries[own as usize] = shape;
                self.primitive_ids.first(own)
            }
            MovedItem::Instance(index, place) => {
                self.instances[index as usize].go_to(place.0, place.1);
                primitives + index
            }
        };
        moved.into_iter().flatten().map(take).collect()
    }
}

/// Returns true if devices intersect both shapes by the same code.
fn are_of_one_kind(a: &Geometry, b: &Geometry) -> bool {
    match (a, b) {
        (Geometry::Shape(a), Geometry::Shape(b)) => a.primitive_kind() == b.primitive_kind(),
        _ => false,
    }
}
