//! Takes a packed scene to where a scene's instances have moved: what moved is placed anew, and the tree is refitted. A tree
//! that has become too costly is built anew.

use super::PackedScene;
use super::instance_items::InstanceItems;
use super::items::Item;
use crate::bvh::{Layout, Tree};
use crate::math::Bounds;
use crate::ray::NONE;
use crate::scene::{Instance, Scene};
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
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Update {
    /// The instances that moved.
    pub(crate) instances: Vec<u32>,
    /// The smallest box around each of them; `None` for one that is unbounded.
    pub(crate) bounds: Vec<Option<Bounds>>,
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
        let mut bounds_before = Vec::new();
        let known = match self.instance_items.take() {
            Some(known) => known,
            None => {
                bounds_before = self.item_bounds();
                Arc::new(self.find_instances())
            }
        };
        let definitions = &self.definitions;
        let bounds = |instance: &Instance| definitions[instance.definition()].bounds_at(instance);
        let moved = Arc::make_mut(&mut self.scene).take_places(scene, bounds);
        let (instances, bounds): (Vec<u32>, Vec<Option<Bounds>>) = moved.into_iter().unzip();
        let items = instances.iter().map(|&instance| known.items[instance as usize]);
        let items = items.zip(&bounds).filter(|(item, _)| *item != NONE);
        let changed: Vec<(u32, Bounds)> =
            items.filter_map(|(item, bounds)| Some((item, (*bounds)?))).collect();
        let tree: &mut Tree = Arc::make_mut(&mut self.tree);
        let nodes = tree.refit(&bounds_before, &changed);
        if tree.degradation() > REBUILD {
            let (scene, definitions) = (Arc::clone(&self.scene), Arc::clone(&self.definitions));
            let layout = tree.layout();
            // A refitted tree is as right as a new one, so it stays where none can be built.
            if let Ok(anew) = Self::with_definitions(scene, None, definitions, layout, self.quality)
            {
                *self = anew;
                return Ok(Update { instances, bounds, nodes: Vec::new(), is_rebuilt: true });
            }
        }
        self.instance_items = Some(known);
        Ok(Update { instances, bounds, nodes, is_rebuilt: false })
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

    /// Returns each item of the scene's own, by its first primitive or its instance, with its index in the row of unbounded
    /// items and leaves, and with the tree's number of it unless it is unbounded.
    fn numbered_items(&self) -> impl Iterator<Item = (u32, usize, Option<u32>)> {
        let all = self.primitives_at.iter().enumerate().filter(|(_, item)| **item != NONE);
        all.map(|(leaf, &item)| {
            let in_tree = leaf.checked_sub(self.unbounded).map(|index| self.tree.items()[index]);
            (item, leaf, in_tree)
        })
    }

    fn find_instances(&self) -> InstanceItems {
        let count = self.scene.instances().len();
        let mut known = InstanceItems { items: vec![NONE; count], leaves: vec![NONE; count] };
        for (item, leaf, in_tree) in self.numbered_items() {
            if let Some(instance) = self.instance_of(item) {
                known.leaves[instance as usize] = leaf as u32;
                known.items[instance as usize] = in_tree.unwrap_or(NONE);
            }
        }
        known
    }

    /// Returns the boxes of all items, in the order in which the tree was built over them.
    fn item_bounds(&self) -> Vec<Bounds> {
        let mut all = vec![Bounds::EMPTY; self.item_count()];
        for (item, _, in_tree) in self.numbered_items() {
            let bounds = match self.instance_of(item) {
                Some(instance) => self.instance_bounds(instance),
                None => Item::new(&self.scene, item).and_then(|item| item.bounds()),
            };
            if let (Some(in_tree), Some(bounds)) = (in_tree, bounds) {
                all[in_tree as usize] = bounds;
            }
        }
        all
    }

    /// Returns how many items the tree is over.
    fn item_count(&self) -> usize {
        self.tree.items().iter().filter(|&&item| item != NONE).count()
    }
}
