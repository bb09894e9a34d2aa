//! Makes the worlds of a scene from the transforms of nodes in each world.

use super::movable_node::{NodeId, NodeTransforms};
use super::other_world::{MovedInstances, OtherWorld};
use super::worlds::WorldError;
use super::{Instance, Scene};
use crate::fields::ShapeError;
use crate::ray::NONE;
use crate::transform::Transform;
use rayon::prelude::*;
use std::sync::Arc;

/// The number of worlds that one task makes: with fewer, threads cost more than they save.
const WORLDS_A_TASK: usize = 32;

/// The nodes that move in worlds, and the instances that move with them.
struct MovingNodes {
    /// The nodes, parents first, each with its place among the given nodes; [`NONE`] for one that
    /// moves only with its parent.
    nodes: Vec<(usize, u32)>,
    /// The instances that are at these nodes, each with the first of its geometries that has no
    /// bounds.
    instances: Vec<(u32, Option<u32>)>,
}

impl MovingNodes {
    fn of(scene: &Scene, given: &[NodeId]) -> Self {
        // For a node that is given twice, the last transform counts.
        let mut place = vec![NONE; scene.nodes.len()];
        for (index, node) in (0..).zip(given) {
            place[node.0 as usize] = index;
        }
        let mut moves: Vec<bool> = place.iter().map(|place| *place != NONE).collect();
        // A parent has a lower number than its children.
        for (index, node) in scene.nodes.iter().enumerate() {
            moves[index] |= node.parent.is_some_and(|parent| moves[parent.0 as usize]);
        }
        let nodes = (0..place.len()).filter(|&index| moves[index]);
        let is_at_them =
            |instance: &Instance| instance.seat.is_some_and(|seat| moves[seat.node as usize]);
        let unbounded = scene.definitions.of_each(|it| it.unbounded().first().copied());
        let instances = (0..).zip(&scene.instances).filter(|(_, instance)| is_at_them(instance));
        Self {
            nodes: nodes.map(|index| (index, place[index])).collect(),
            instances: instances.map(|(index, it)| (index, unbounded[it.definition()])).collect(),
        }
    }
}

/// Returns the error of a world for that of one of its nodes, which names the node.
fn of_node(world: u32, ShapeError { field: path, reason }: ShapeError) -> WorldError {
    WorldError::Place { world, path, error: ShapeError { field: String::new(), reason } }
}

impl Scene {
    /// Moves nodes in each of several worlds, which become all worlds of the scene.
    ///
    /// `parent_from_node` has the transforms into the parents of all nodes in world 0, then in
    /// world 1, and so on. The result is the same as [moving](Self::set_transforms) a copy of the
    /// scene for each world and [adding](Self::add_world) it, in a fraction of the time. Instances
    /// at other nodes are shared with the first world, and move with it.
    ///
    /// # Errors
    /// A [`WorldError`], if there is not a transform for each node in each world, or if the new
    /// place of an instance is invalid. The scene is then unchanged.
    pub fn set_worlds(
        &mut self,
        nodes: &[NodeId],
        parent_from_node: &[Transform],
    ) -> Result<(), WorldError> {
        let mut worlds = parent_from_node.chunks(nodes.len().max(1));
        let count = worlds.len() as u32;
        let in_first = worlds.next().unwrap_or(&[]);
        let is_known = |node: &NodeId| (node.0 as usize) < self.nodes.len();
        let is_complete = parent_from_node.len() == count as usize * nodes.len();
        if !is_complete || !nodes.iter().all(is_known) {
            return Err(WorldError::Structure(count.saturating_sub(1)));
        }
        let mut first = Self { worlds: Arc::default(), ..self.clone() };
        let moved: Vec<_> = nodes.iter().copied().zip(in_first.iter().copied()).collect();
        first.set_transforms(&moved).map_err(|error| of_node(0, error))?;
        let moving = MovingNodes::of(&first, nodes);
        let others: Vec<(u32, &[Transform])> = (1..).zip(worlds).collect();
        let others = others.par_iter().with_min_len(WORLDS_A_TASK);
        let other_world = |&(world, transforms): &(u32, &[Transform])| {
            let moved = first.moved_by_nodes(world, &moving, transforms)?;
            Ok(OtherWorld { moved, cameras: first.cameras.clone() })
        };
        let others: Vec<OtherWorld> = others.map(other_world).collect::<Result<_, WorldError>>()?;
        *self = Self { worlds: Arc::new(others), ..first };
        Ok(())
    }

    /// Returns the instances at these nodes, if the nodes have these transforms. Instances that
    /// cannot move are left out.
    fn moved_by_nodes(
        &self,
        world: u32,
        moving: &MovingNodes,
        parent_from_node: &[Transform],
    ) -> Result<MovedInstances, WorldError> {
        let mut world_from_node = vec![Transform::IDENTITY; self.nodes.len()];
        let mut moves = vec![false; self.nodes.len()];
        for &(index, place) in &moving.nodes {
            let node = &self.nodes[index];
            let NodeTransforms { parent_from_node: own, .. } = node.transforms;
            let own = parent_from_node.get(place as usize).copied().unwrap_or(own);
            let parent = node.parent.map(|parent| parent.0 as usize);
            let world_from_parent =
                parent.map_or(Transform::IDENTITY, |parent| match moves[parent] {
                    true => world_from_node[parent],
                    false => self.nodes[parent].transforms.world_from_node,
                });
            world_from_node[index] = world_from_parent.then_inner(&own);
            node.check(&world_from_node[index]).map_err(|error| of_node(world, error))?;
            moves[index] = true;
        }
        let mut moved = Vec::with_capacity(moving.instances.len());
        for &(index, unbounded) in &moving.instances {
            let instance = &self.instances[index as usize];
            let Some(seat) = instance.seat else { continue };
            let world_from_node = world_from_node[seat.node as usize];
            let part = &self.nodes[seat.node as usize].node_from_part[seat.number as usize];
            let world_from_part = match part {
                Some(part) => world_from_node.then_inner(part),
                None => world_from_node,
            };
            let exact = world_from_part.moved(-self.origin);
            let path = |local: u32| self.path(instance.first_geometry() + local);
            let placement = self.place_of(index, &exact).map_err(|error| WorldError::Place {
                world,
                path: path(0),
                error,
            })?;
            match unbounded {
                None => moved.push((index, exact)),
                Some(_) if placement == *instance.placement() => {}
                Some(local) => return Err(WorldError::Unbounded { world, path: path(local) }),
            }
        }
        Ok(moved)
    }
}
