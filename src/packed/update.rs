//! Takes a packed scene to where a scene's instances have moved: what moved is placed anew, and the
//! tree is refitted, on the host, so that both tracers go on traversing the same one. A tree that
//! has become too costly is built anew, over definitions that stay packed. Geometries that a scene
//! shares with the tracer's are known by their address, and their numbers are not compared.

use super::instance_items::InstanceItems;
use super::items::Item;
use super::{PackError, PackedScene};
use crate::bvh::{Layout, Tree};
use crate::math::Bounds;
use crate::ray::NONE;
use crate::scene::{Instance, Scene};
use std::sync::Arc;
use thiserror::Error;

/// A tree is built anew when its surface-area cost exceeds that of the last build by this factor.
pub const REBUILD: f64 = 1.5;

/// The reason why a tracer cannot go on with a scene.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum UpdateError {
    /// More than the places of instances has changed.
    #[error(
        "the scene differs from the tracer's in more than the transforms of its instances: make a new tracer for it"
    )]
    Structure,
    /// The worlds of the scene cannot be packed where they are now.
    #[error(transparent)]
    Pack(#[from] PackError),
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
    /// Moves the instances to where they are in a scene that differs from this one in their places,
    /// and in what is said of geometries, alone.
    ///
    /// # Errors
    /// [`UpdateError`]; the packed scene is as it was then.
    pub fn update(&mut self, scene: &Scene) -> Result<Update, UpdateError> {
        let worlds = scene.world_count();
        if !self.scene.has_structure_of(scene) || self.scene.world_count() != worlds {
            return Err(UpdateError::Structure);
        }
        if worlds > 1 {
            return self.update_worlds(scene);
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
        if !self.scene.says_the_same(scene) {
            self.scene = Arc::new(scene.clone());
        }
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

    /// Packs what moves in several worlds anew. The definitions stay packed if the worlds have the
    /// same ones as before.
    fn update_worlds(&mut self, scene: &Scene) -> Result<Update, UpdateError> {
        let instances = self.scene.moved_in_worlds(scene);
        if instances.is_empty() && self.scene.says_the_same(scene) {
            return Ok(Update::default());
        }
        let scene = Arc::new(scene.clone());
        let worlds = Arc::new(scene.all_worlds().map_err(PackError::from)?);
        let pairs = worlds.definitions().iter().zip(self.all_worlds().definitions());
        let are_the_same = worlds.definitions().len() == self.definitions.len()
            && pairs.into_iter().all(|(new, old)| Arc::ptr_eq(new, old));
        let layout = self.tree.layout();
        *self = if are_the_same {
            let definitions = Arc::clone(&self.definitions);
            Self::with_definitions(scene, Some(worlds), definitions, layout, self.quality)?
        } else {
            Self::with_tree(scene, layout, self.quality)?
        };
        Ok(Update { instances, is_rebuilt: true, ..Update::default() })
    }

    /// Returns the index in the row of unbounded items and leaves at which an instance stands, as
    /// [`Self::update`] knows it; `None` for one that stands nowhere.
    pub(crate) fn leaf_of_instance(&self, instance: u32) -> Option<usize> {
        let leaf = self.instance_items.as_ref()?.leaves[instance as usize];
        (leaf != NONE).then_some(leaf as usize)
    }

    /// Returns the indices of the records that an update changed: those of instances, and in a wide
    /// tree those of nodes.
    pub(crate) fn changed_records(&self, update: &Update) -> Vec<u32> {
        let of_instance =
            |&instance: &u32| Some(self.record_at_leaf(self.leaf_of_instance(instance)?));
        let mut changed: Vec<u32> = update.instances.iter().filter_map(of_instance).collect();
        if self.tree.layout() == Layout::Wide {
            changed.extend(&update.nodes);
        }
        changed
    }

    /// Returns each item of the scene's own, by its first primitive or its instance, with its index
    /// in the row of unbounded items and leaves, and with the tree's number of it unless it is
    /// unbounded.
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
