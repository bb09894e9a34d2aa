//! Takes a packed scene to where a scene's instances have moved: what moved is placed anew, and the tree is refitted. A tree
//! that has become too costly is built anew.

use super::PackedScene;
use super::instance_items::InstanceItems;
use crate::bvh::{Layout, Tree};
use crate::math::Bounds;
use crate::ray::NONE;
use crate::scene::Scene;
use std::sync::Arc;
use thiserror::Error;

/// A tree is built anew when its surface-area cost exceeds that of the last build by this factor.
pub const REBUILD: f64 = 1.5;

/// The reason why a tracer cannot go on with a scene.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum UpdateError {
    /// The scene has several worlds.
    #[error("a tracer of several worlds cannot be taken to where they have moved: make a new one")]
    Worlds,
    /// More than the places of instances has changed.
    #[error(
        "the scene differs from the tracer's in more than the places of its instances: make a new tracer for it"
    )]
    Structure,
}

/// The changes of an update.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Update {
    /// The instances that moved.
    pub(crate) instances: Vec<u32>,
    /// The nodes of the tree that changed, by their index.
    pub(crate) nodes: Vec<u32>,
    /// True if the tree was built anew.
    pub is_rebuilt: bool,
}

impl Update {
    /// Returns how many instances moved.
    pub fn moved(&self) -> usize {
        self.instances.len()
    }
}

impl PackedScene {
    /// Moves the instances to where they are in a scene that differs from this one in their places alone.
    ///
    /// # Errors
    /// [`UpdateError`]; the packed scene is as it was then.
    pub fn update(&mut self, scene: &Scene) -> Result<Update, UpdateError> {
        if self.worlds.is_some() || scene.world_count() > 1 {
            return Err(UpdateError::Worlds);
        }
        if !self.scene.has_structure_of(scene) {
            return Err(UpdateError::Structure);
        }
        let instances = self.scene.moved_instances(scene);
        if instances.is_empty() {
            return Ok(Update::default());
        }
        let mut known = match self.instance_items.take() {
            Some(known) => known,
            None => Arc::new(self.find_instances()),
        };
        Arc::make_mut(&mut self.scene).take_places(scene, &instances);
        let mut changed = Vec::with_capacity(instances.len());
        for &instance in &instances {
            let item = known.items[instance as usize];
            if item != NONE
                && let Some(bounds) = self.instance_bounds(instance)
            {
                changed.push((item, bounds));
            }
        }
        let tree: &mut Tree = Arc::make_mut(&mut self.tree);
        let nodes = tree.refit(&known.bounds, &changed);
        if tree.degradation() > REBUILD {
            let (scene, definitions) = (Arc::clone(&self.scene), Arc::clone(&self.definitions));
            let layout = tree.layout();
            // A refitted tree is as right as a new one, so it stays where none can be built.
            if let Ok(anew) = Self::with_definitions(scene, None, definitions, layout, self.quality)
            {
                *self = anew;
                return Ok(Update { instances, nodes: Vec::new(), is_rebuilt: true });
            }
        }
        let bounds = &mut Arc::make_mut(&mut known).bounds;
        changed.into_iter().for_each(|(item, moved)| bounds[item as usize] = moved);
        self.instance_items = Some(known);
        Ok(Update { instances, nodes, is_rebuilt: false })
    }

    /// Returns the index in the row of unbounded items and leaves at which an instance stands, as [`Self::update`] knows
    /// it; `None` for one that stands nowhere.
    pub(crate) fn leaf_of_instance(&self, instance: u32) -> Option<usize> {
        let leaf = self.instance_items.as_ref()?.leaves[instance as usize];
        (leaf != NONE).then_some(leaf as usize)
    }

    /// Returns the indices of the records that an update changed: those of instances, and in a wide tree those of nodes.
    pub(crate) fn changed_records(&self, update: &Update) -> Vec<u32> {
        let tree_slots = self.tree.items().len();
        let of_instance = |&instance: &u32| {
            let leaf = self.leaf_of_instance(instance)?;
            // The unbounded shapes come first among leaves, and last among the records.
            let index = leaf.checked_sub(self.unbounded).unwrap_or(tree_slots + leaf);
            Some(index as u32)
        };
        let mut changed: Vec<u32> = update.instances.iter().filter_map(of_instance).collect();
        if self.tree.layout() == Layout::Wide {
            changed.extend(&update.nodes);
        }
        changed
    }

    fn find_instances(&self) -> InstanceItems {
        let count = self.scene.instances().len();
        let mut known = InstanceItems {
            bounds: vec![Bounds::EMPTY; self.item_count()],
            items: vec![NONE; count],
            leaves: vec![NONE; count],
        };
        for (leaf, &item_number) in self.primitives_at.iter().enumerate() {
            if item_number == NONE {
                continue;
            }
            let item = leaf.checked_sub(self.unbounded).map(|index| self.tree.items()[index]);
            let bounds = match self.instance_of(item_number) {
                Some(instance) => {
                    known.leaves[instance as usize] = leaf as u32;
                    known.items[instance as usize] = item.unwrap_or(NONE);
                    self.instance_bounds(instance)
                }
                None => {
                    super::items::Item::new(&self.scene, item_number).and_then(|item| item.bounds())
                }
            };
            if let (Some(item), Some(bounds)) = (item, bounds) {
                known.bounds[item as usize] = bounds;
            }
        }
        known
    }

    /// Returns how many items the tree is over.
    fn item_count(&self) -> usize {
        self.tree.items().iter().filter(|&&item| item != NONE).count()
    }
}
