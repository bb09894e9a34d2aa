//! Moves a packed scene's instances to their places in another scene. On the host, moved items are
//! placed again and the tree is refitted, so that both tracers traverse the same tree. A tree that
//! has become too costly is rebuilt over the same packed definitions. Shared geometries are
//! recognised by their address, and their numbers are not compared.
//!
//! The items that move are instances, and in a scene of several worlds also the shapes that stand
//! for these.

use super::item_positions::ItemPositions;
use super::items::Item;
use super::{PackError, PackedScene};
use crate::bvh::Tree;
use crate::math::Bounds;
use crate::parallel::mapped;
use crate::ray::NONE;
use crate::scene::{MovedItem, Scene};
use std::sync::Arc;
use thiserror::Error;

/// A tree is rebuilt when its surface-area cost exceeds that of the last build by this factor.
pub const REBUILD: f64 = 1.5;

/// The reason why a tracer cannot be updated to a scene.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum UpdateError {
    /// More than the places of instances differs.
    #[error(
        "the scene differs from the tracer's scene in more than the transforms of its instances: make a new tracer for it"
    )]
    Structure,
    /// The worlds of the scene cannot be packed with these places.
    #[error(transparent)]
    Pack(#[from] PackError),
}

/// The number of items whose bounds one task computes: with fewer, threads cost more than they
/// save.
const ITEMS_A_TASK: usize = 1024;

/// The changes of an update.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Update {
    /// The items that moved; empty if the tree was rebuilt.
    pub(crate) items: Vec<u32>,
    /// The nodes of the tree that changed, by their index.
    pub(crate) nodes: Vec<u32>,
    moved: usize,
    /// True if the tree was rebuilt.
    pub is_rebuilt: bool,
}

impl Update {
    /// Returns how many instances moved. An instance that moved in several worlds counts once for
    /// each world.
    pub fn moved(&self) -> usize {
        self.moved
    }

    fn rebuilt(moved: usize) -> Self {
        Self { moved, is_rebuilt: true, ..Self::default() }
    }
}

impl PackedScene {
    /// Moves the instances to where they are in another scene, which must differ from this one only
    /// in their places and in the attributes of geometries.
    ///
    /// # Errors
    /// [`UpdateError`]. The packed scene is then unchanged.
    pub fn update(&mut self, scene: &Scene) -> Result<Update, UpdateError> {
        let worlds = scene.world_count();
        if !self.scene.has_structure_of(scene) || self.scene.world_count() != worlds {
            return Err(UpdateError::Structure);
        }
        if worlds == 1 {
            let bounds_before = self.bounds_before();
            let items = self.move_instances(scene);
            return Ok(self.refit(items, &bounds_before));
        }
        match self.moved_items(scene)? {
            Some(moved) => {
                let bounds_before = self.bounds_before();
                let items = self.move_in_worlds(scene, moved);
                Ok(self.refit(items, &bounds_before))
            }
            None => self.repack_worlds(scene),
        }
    }

    /// Returns the boxes of all items, which the tree does not know before one first moves.
    fn bounds_before(&self) -> Vec<Bounds> {
        if self.tree.was_refitted() { Vec::new() } else { self.item_bounds() }
    }

    /// Moves the instances of a scene of one world, and returns the items that moved.
    fn move_instances(&mut self, scene: &Scene) -> Vec<u32> {
        let moved = Arc::make_mut(&mut self.scene).take_places(scene);
        if !self.scene.says_the_same(scene) {
            self.scene = Arc::new(scene.clone());
        }
        let first = self.scene.primitive_ids().total();
        moved.into_iter().map(|instance| first + instance).collect()
    }

    /// Returns what moves in a scene of several worlds, world by world; `None` if the scene of all
    /// worlds would hold other things.
    fn moved_items(&self, scene: &Scene) -> Result<Option<Vec<Vec<MovedItem>>>, PackError> {
        match self.scene.says_the_same(scene) {
            true => Ok(self.scene.moved_items(scene, self.all_worlds())?),
            false => Ok(None),
        }
    }

    /// Moves what moves in a scene of several worlds, and returns the items that moved.
    fn move_in_worlds(&mut self, scene: &Scene, moved: Vec<Vec<MovedItem>>) -> Vec<u32> {
        self.scene = Arc::new(scene.clone());
        // What is moved is in the scene of all worlds, which is there.
        let worlds = self.worlds.as_mut();
        worlds.map_or_else(Vec::new, |worlds| Arc::make_mut(worlds).take_items(moved))
    }

    /// Packs all worlds again. The definitions stay packed if the worlds have the same ones as
    /// before.
    fn repack_worlds(&mut self, scene: &Scene) -> Result<Update, UpdateError> {
        let moved = self.scene.moved_in_worlds(scene);
        let scene = Arc::new(scene.clone());
        let worlds = Arc::new(scene.all_worlds().map_err(PackError::from)?);
        let pairs = worlds.definitions().iter().zip(self.all_worlds().definitions());
        let are_the_same = worlds.definitions().len() == self.definitions.len()
            && pairs.into_iter().all(|(new, old)| Arc::ptr_eq(new, old));
        *self = if are_the_same {
            let definitions = Arc::clone(&self.definitions);
            Self::with_definitions(scene, Some(worlds), definitions, self.quality)?
        } else {
            Self::with_quality(scene, self.quality)?
        };
        Ok(Update::rebuilt(moved))
    }

    /// Fits the tree to moved items, or rebuilds it.
    fn refit(&mut self, items: Vec<u32>, bounds_before: &[Bounds]) -> Update {
        let positions = self.item_positions();
        let changed = mapped(items.len(), ITEMS_A_TASK, |index| {
            Some((positions.in_tree(items[index])?, self.bounds_of_item(items[index])?))
        });
        let changed: Vec<(u32, Bounds)> = changed.into_iter().flatten().collect();
        let tree: &mut Tree = Arc::make_mut(&mut self.tree);
        let nodes = tree.refit(bounds_before, &changed);
        let moved = items.len();
        if tree.degradation() > REBUILD {
            let (scene, worlds) = (Arc::clone(&self.scene), self.worlds.clone());
            let definitions = Arc::clone(&self.definitions);
            // A refitted tree is as right as a new one, so it stays where none can be built.
            if let Ok(new) = Self::with_definitions(scene, worlds, definitions, self.quality) {
                *self = new;
                return Update::rebuilt(moved);
            }
        }
        Update { items, nodes, moved, is_rebuilt: false }
    }

    fn item_positions(&self) -> &ItemPositions {
        self.item_positions.get_or_init(|| {
            let scene = self.all_worlds();
            let primitives = scene.primitive_ids().total();
            let first = if scene.has_several_worlds() { 0 } else { primitives };
            let items = first..primitives + scene.instances().len() as u32;
            Arc::new(ItemPositions::of(items, self.numbered_items()))
        })
    }

    /// Returns the index in the row of unbounded items and leaves at which an item stands that may
    /// move; `None` for one that stands nowhere.
    pub(crate) fn leaf_of_item(&self, item: u32) -> Option<usize> {
        self.item_positions().leaf_of(item)
    }

    /// Returns the index in the row of unbounded items and leaves at which an instance stands;
    /// `None` for one that stands nowhere.
    pub(crate) fn leaf_of_instance(&self, instance: u32) -> Option<usize> {
        self.leaf_of_item(self.all_worlds().primitive_ids().total() + instance)
    }

    /// Returns the indices of the records that an update changed: those of items and of nodes.
    pub(crate) fn changed_records(&self, update: &Update) -> Vec<u32> {
        let of_item = |&item: &u32| Some(self.record_at_leaf(self.leaf_of_item(item)?));
        let mut changed: Vec<u32> = update.items.iter().filter_map(of_item).collect();
        changed.extend(&update.nodes);
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

    /// Returns the smallest box around an item; `None` if it is unbounded.
    fn bounds_of_item(&self, item: u32) -> Option<Bounds> {
        match self.instance_of(item) {
            Some(instance) => self.instance_bounds(instance),
            None => Item::new(self.all_worlds(), item)?.bounds(),
        }
    }

    /// Returns the boxes of all items, in the order in which the tree was built over them.
    fn item_bounds(&self) -> Vec<Bounds> {
        let mut all = vec![Bounds::EMPTY; self.item_count()];
        for (item, _, in_tree) in self.numbered_items() {
            if let (Some(in_tree), Some(bounds)) = (in_tree, self.bounds_of_item(item)) {
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
