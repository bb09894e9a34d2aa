//! A scene with the tree over it, from which both tracers are made.
//!
//! The tree's items are the scene's primitives, and each heightfield as a whole. A shape without a
//! box, such as a plane, is not in the tree and is intersected first. [`PackedScene`] also writes
//! the scene for the GPU: records of 64 bytes, and rows of params for data that does not fit a
//! record.

mod crowd;
mod extent;
mod instances;
mod item_positions;
mod items;
mod params;
mod record;
mod records;
mod update;

#[cfg(any(test, feature = "gpu"))]
pub(crate) use extent::INSTANCE_ROWS;
pub use params::ParamsError;
pub use record::Record;
#[cfg(any(test, feature = "gpu"))]
pub(crate) use record::SHAPE_MARK;
pub use update::{REBUILD, Update, UpdateError};
#[cfg(test)]
pub(crate) use {params::MeshParams, record::ShapeRecord};

use crate::bvh::{Quality, Tree, TreeError};
use crate::math::Bounds;
use crate::parallel::extend;
use crate::ray::NONE;
use crate::scene::{Instance, Scene, WorldError};
use crate::shapes::PrimitiveKind;
use extent::{Extent, own_first_row, starts};
use glam::DVec3;
use item_positions::ItemPositions;
use items::Items;
use params::SceneParams;
use std::sync::{Arc, OnceLock};
use thiserror::Error;

/// The reason why a scene cannot be packed.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum PackError {
    /// There are more rows of params than can be indexed.
    #[error(transparent)]
    Params(#[from] ParamsError),
    /// There are more shapes and nodes than a tree can index.
    #[error(
        "the scene's {0} shapes and their nodes need more than the 2^26 slots of a tree: split the scene, or use groups for parts that it uses several times"
    )]
    Large(usize),
    /// The scene cannot have these worlds.
    #[error(transparent)]
    World(#[from] WorldError),
    /// Too many primitives lie at one place.
    #[error(
        "{count} shapes fill the same box about {center} ('{one}' is one of them), and a ray that meets the box is tested against each of them: at most 2^18 shapes may be in one box, so remove the copies or move them apart"
    )]
    Crowded {
        /// Their number, including those of all instances.
        count: u64,
        /// The path of one of them.
        one: String,
        /// The middle of the box.
        center: DVec3,
    },
    /// Too many primitives have no bounds.
    #[error(
        "each ray is tested against all planes without edges, and the scene has {0} of them: at most 2^18 are allowed, so remove the copies or give them edges"
    )]
    Unbounded(u64),
    /// A defect of the tree's builder.
    #[error("{0}: this is a defect of raytwin, please report it with the scene")]
    Tree(TreeError),
}

impl From<TreeError> for PackError {
    fn from(error: TreeError) -> Self {
        match error {
            TreeError::Large(items) => Self::Large(items),
            defect => Self::Tree(defect),
        }
    }
}

/// A scene and the tree over its visible geometries. A clone shares both.
#[derive(Clone, Debug)]
pub struct PackedScene {
    scene: Arc<Scene>,
    /// The scene of all worlds, into which rays are cast if there are several worlds.
    worlds: Option<Arc<Scene>>,
    tree: Arc<Tree>,
    /// The number of each unbounded item, then of the item at each leaf index; [`NONE`] where there
    /// is none. Items have the numbers of their first primitives, and after all primitives those of
    /// instances follow.
    primitives_at: Arc<Vec<u32>>,
    /// How many items have no box.
    unbounded: usize,
    params: Arc<SceneParams>,
    primitive_kinds: Vec<PrimitiveKind>,
    /// The definitions of the instances, each packed with a tree of its own.
    definitions: Arc<Vec<PackedScene>>,
    /// The first record and the first row of params of each definition, and the ends of all.
    starts: Arc<Vec<Extent>>,
    ends: Extent,
    /// The smallest box around all items when the tree was built; `None` if one of them has no box.
    /// It is asked of definitions, whose items do not move.
    bounds: Option<Bounds>,
    /// The quality of the tree.
    quality: Quality,
    /// The positions of movable items, once they are needed.
    item_positions: OnceLock<Arc<ItemPositions>>,
}

impl PackedScene {
    /// Builds the tree over a scene's visible geometries, with the default quality.
    ///
    /// A [`Scene`] is moved in; an `Arc<Scene>` is shared.
    ///
    /// # Errors
    /// [`PackError`], if the scene is too large, or too many shapes are at one place.
    pub fn new(scene: impl Into<Arc<Scene>>) -> Result<Self, PackError> {
        Self::with_quality(scene, Quality::default())
    }

    /// Builds the tree with this quality, otherwise as [`Self::new`] does. Answers do not depend on
    /// the quality.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub fn with_quality(scene: impl Into<Arc<Scene>>, quality: Quality) -> Result<Self, PackError> {
        let scene: Arc<Scene> = scene.into();
        let worlds = match scene.world_count() {
            1 => None,
            _ => Some(Arc::new(scene.all_worlds()?)),
        };
        let definitions = worlds
            .as_ref()
            .unwrap_or(&scene)
            .definitions()
            .iter()
            .map(|definition| Self::with_quality(Arc::clone(definition), quality));
        let definitions: Vec<Self> = definitions.collect::<Result<_, _>>()?;
        Self::with_definitions(scene, worlds, Arc::new(definitions), quality)
    }

    /// Builds the tree over a scene whose definitions are already packed.
    fn with_definitions(
        given: Arc<Scene>,
        worlds: Option<Arc<Scene>>,
        definitions: Arc<Vec<Self>>,
        quality: Quality,
    ) -> Result<Self, PackError> {
        let scene = worlds.as_ref().unwrap_or(&given);
        let mut items = Items::of_geometries(scene);
        let instances = scene.primitive_ids().total()..;
        for (item, instance) in instances.zip(scene.instances()) {
            let definition = &definitions[instance.definition()];
            // A definition in which nothing is visible has no items.
            if !definition.is_empty() {
                items.push(item, PrimitiveKind::Instance, definition.bounds_at(instance));
            }
        }
        let params = SceneParams::new(scene)?;
        let mut primitive_kinds: Vec<PrimitiveKind> = items.primitive_kinds().collect();
        if !definitions.is_empty() {
            primitive_kinds
                .extend(definitions.iter().flat_map(|definition| &definition.primitive_kinds));
            primitive_kinds.push(PrimitiveKind::Instance);
            primitive_kinds.sort_unstable();
            primitive_kinds.dedup();
        }

        let tree = match scene.has_several_worlds() {
            false => Tree::build(&items.bounds, quality)?,
            true => {
                let world_of = |index: usize| scene.world_of_item(items.bounded[index]);
                Tree::forest(&items.bounds, given.world_count(), world_of, quality)?
            }
        };
        Self::check_crowds(&given, scene, &items, &definitions)?;
        let bounds = items.bounds_of_all();
        let Items { bounded, unbounded, .. } = items;
        let mut primitives_at = unbounded;
        let unbounded = primitives_at.len();
        extend(&mut primitives_at, tree.items().len(), &|slot| {
            bounded.get(tree.items()[slot] as usize).copied().unwrap_or(NONE)
        });
        let rows = own_first_row(scene) + params.rows.len();
        let own = Extent { records: primitives_at.len(), rows };
        let extent = |definition: &Self| Extent {
            records: definition.own_record_count(),
            rows: definition.params.rows.len(),
        };
        let (starts, ends) = starts(own, definitions.iter().map(extent));
        if u32::try_from(ends.rows).is_err() {
            return Err(ParamsError(ends.rows).into());
        }
        Ok(Self {
            scene: given,
            worlds,
            tree: Arc::new(tree),
            primitives_at: Arc::new(primitives_at),
            unbounded,
            params: Arc::new(params),
            primitive_kinds,
            definitions,
            starts: Arc::new(starts),
            ends,
            bounds,
            quality,
            item_positions: OnceLock::new(),
        })
    }

    /// Returns a scene without geometries.
    pub(crate) fn empty() -> Self {
        Self {
            scene: Arc::default(),
            worlds: None,
            tree: Arc::new(Tree::over_nothing()),
            primitives_at: Arc::default(),
            unbounded: 0,
            params: Arc::default(),
            primitive_kinds: Vec::new(),
            definitions: Arc::default(),
            starts: Arc::default(),
            ends: Extent::default(),
            bounds: Some(Bounds::EMPTY),
            quality: Quality::default(),
            item_positions: OnceLock::new(),
        }
    }

    /// Returns the boxes of the items of a scene's tree, as arguments for [`Tree::build`].
    pub fn boxes(scene: &Scene) -> Vec<Bounds> {
        Items::of_geometries(scene).bounds
    }

    /// Returns the scene, with its instances where the last update moved them.
    pub fn scene(&self) -> &Arc<Scene> {
        &self.scene
    }

    /// Returns true if no geometry is visible, so that no ray hits anything.
    pub fn is_empty(&self) -> bool {
        self.primitives_at.is_empty()
    }

    /// Returns the scene into which rays are cast. If there are several worlds, it contains the
    /// geometries that do not move once, and those that move once for each world.
    pub fn all_worlds(&self) -> &Arc<Scene> {
        self.worlds.as_ref().unwrap_or(&self.scene)
    }

    /// Returns the tree over the scene's visible geometries.
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// Returns the kinds of primitives in the scene, in the order of [`PrimitiveKind::ALL`].
    pub fn primitive_kinds(&self) -> &[PrimitiveKind] {
        &self.primitive_kinds
    }

    /// Returns the first primitive of each unbounded item, then of the item at each leaf index;
    /// [`NONE`] where there is none.
    pub(crate) fn primitives_at(&self) -> &[u32] {
        &self.primitives_at
    }

    /// Returns the instance of an item; `None` for one of the scene's own geometries.
    #[inline(always)]
    pub(crate) fn instance_of(&self, item: u32) -> Option<u32> {
        let instance = item.checked_sub(self.all_worlds().primitive_ids().total())?;
        (item != NONE).then_some(instance)
    }

    /// Returns a box around everything; `None` if something is unbounded.
    pub(crate) fn bounds(&self) -> Option<Bounds> {
        self.bounds
    }

    /// Returns a box around an instance; `None` if its definition is unbounded.
    fn bounds_at(&self, instance: &Instance) -> Option<Bounds> {
        self.bounds.map(|bounds| instance.placement().bounds_in_world(&bounds))
    }

    /// Returns a box around an instance; `None` if it is unbounded.
    pub(crate) fn instance_bounds(&self, instance: u32) -> Option<Bounds> {
        let instance = &self.all_worlds().instances()[instance as usize];
        self.definitions[instance.definition()].bounds_at(instance)
    }

    /// Returns the packed definitions, in the order of [`Scene::definitions`].
    pub(crate) fn definitions(&self) -> &Arc<Vec<Self>> {
        &self.definitions
    }

    /// Returns the bytes of device memory that the scene needs: its records and its params.
    pub fn device_bytes(&self) -> u64 {
        (size_of::<Record>() * self.record_count()) as u64 + self.params_bytes()
    }

    /// Returns how many items have no box.
    pub(crate) fn unbounded(&self) -> usize {
        self.unbounded
    }
}

/// The params that the GPU reads besides the records.
impl PackedScene {
    /// Returns the number of closed meshes, including those of all instances.
    pub fn closed_meshes(&self) -> usize {
        let of_instance =
            |instance: &Instance| self.definitions[instance.definition()].closed_meshes();
        self.params.closed_meshes
            + self.all_worlds().instances().iter().map(of_instance).sum::<usize>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CpuTracer;
    use crate::ray::Ray;
    use crate::shapes::Sphere;
    use glam::DVec3;

    #[test]
    fn no_ray_hits_an_empty_scene_or_one_without_visible_geometries() {
        let mut scene = Scene::new();
        assert_eq!(PackedScene::new(scene.clone()).unwrap().primitives_at.len(), 0);
        let id = scene.add(Sphere { center: DVec3::ZERO, radius: 1.0 }).unwrap();
        scene.set_mask(id, 0);
        let packed = PackedScene::new(scene.clone()).unwrap();
        let ray = Ray::new([-9.0, 0.0, 0.0], [1.0, 0.0, 0.0]);
        assert_eq!(CpuTracer::new(&packed).nearest(&ray), None);
        scene.set_mask(id, 2);
        let packed = PackedScene::new(scene).unwrap();
        let primitives: Vec<u32> =
            packed.primitives_at.iter().copied().filter(|&primitive| primitive != NONE).collect();
        assert_eq!(primitives, [0]);
    }
}
