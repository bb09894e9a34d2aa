//! A scene as the GPU reads it: records, words, and the nodes of a binary tree.
//!
//! A *record* is a shape in 64 bytes: its first three *words* of four float32 numbers, its kind and its primitive's number.
//! Slots lie at the places of the tree's order, in a wide tree between its nodes; within a binary tree's leaf they
//! are sorted by kind, so that neighbouring threads take the same branch. What has no box, as planes have none,
//! comes after the last and is asked first. A shape of more words than three has all of them in a row beside, and a
//! mesh what its triangles have in common.

use crate::bvh::{Layout, Quality, Record, Tree, TreeError};
use crate::geometry::Geometry;
#[cfg(feature = "gpu")]
use crate::geometry::PrimitiveIds;
use crate::math::Bounds;
use crate::ray::NONE;
use crate::scene::Scene;
use crate::shapes::{Heightfield, PrimitiveKind, Shape};
use bytemuck::{Pod, Zeroable};
use rayon::prelude::*;
use std::collections::HashMap;
use std::sync::Arc;
use thiserror::Error;

/// How many words a record has room for.
const RECORD_PARAMS: usize = 3;

/// Tells a shape from a node, as `shaders/packed.wgsl` says.
pub(crate) const SHAPE_MARK: u32 = 0x0101_0100;

/// A shape in its record.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub(crate) struct ShapeRecord {
    pub params: [[f32; 4]; RECORD_PARAMS],
    /// [`SHAPE_MARK`] | kind.
    pub kind: u32,
    /// Of a heightfield its first triangle's.
    pub primitive: u32,
    pub zero: u32,
    /// The geometry's mask; of a heightfield where its words are, of a mesh's triangle where [`MeshParams`] is.
    pub mask_or_params: u32,
}

/// What a mesh's triangles have in common.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub(crate) struct MeshParams {
    pub mask: u32,
    /// Its primitives, by their numbers.
    pub first_primitive: u32,
    pub end: u32,
    /// 1 of a closed one, else 0.
    pub is_closed: u32,
}

/// In a heightfield's words, the word and the number in it that its mask has.
const FIELD_MASK: [usize; 2] = [3, 3];

/// Why a scene cannot be packed.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum PackError {
    /// The words of long shapes outgrow the numbers that say where they are.
    #[error(
        "the scene's heights need {0} params of 16 bytes, and at most 2^32 can be told apart: split it"
    )]
    TooLarge(usize),
    /// So many things, with their nodes, outgrow the numbers that the wide layout has for them.
    #[error(
        "the scene's {0} shapes and their nodes need more than 2^24 records of a wide tree: use a binary one"
    )]
    Wide(usize),
    /// A defect of the tree's builder.
    #[error("{0}; this is a defect of raytwin: please report it with the scene")]
    Tree(TreeError),
}

impl From<TreeError> for PackError {
    fn from(error: TreeError) -> Self {
        match error {
            TreeError::Large(things) => Self::Wide(things),
            defect => Self::Tree(defect),
        }
    }
}

/// What stands in the tree, or beside it.
enum Item<'a> {
    Shape(Shape),
    /// Of a mesh.
    MeshTriangle(Shape),
    /// Of lines.
    LineSegment(Shape),
    /// One box for all of its triangles.
    Heightfield(&'a Heightfield),
}

impl Item<'_> {
    fn primitive_kind(&self) -> PrimitiveKind {
        match self {
            Self::Shape(shape) => shape.primitive_kind(),
            Self::MeshTriangle(_) => PrimitiveKind::MeshTriangle,
            Self::LineSegment(_) => PrimitiveKind::LineSegment,
            Self::Heightfield(field) => field.primitive_kind(),
        }
    }

    fn bounds(&self) -> Option<Bounds> {
        match self {
            Self::Shape(shape) | Self::MeshTriangle(shape) | Self::LineSegment(shape) => {
                shape.bounds()
            }
            Self::Heightfield(field) => Some(field.bounds()),
        }
    }

    fn pack(&self, params: &mut Vec<[f32; 4]>) {
        match self {
            Self::Shape(shape) | Self::MeshTriangle(shape) | Self::LineSegment(shape) => {
                shape.pack(params)
            }
            Self::Heightfield(field) => field.pack(params),
        }
    }
}

/// The item that a primitive's number stands for.
fn item(scene: &Scene, primitive: u32) -> Option<Item<'_>> {
    let [geometry_id, primitive_id] = scene.primitive_ids().ids(primitive);
    match scene.geometry(geometry_id)? {
        Geometry::Heightfield(field) => Some(Item::Heightfield(field)),
        Geometry::Mesh(mesh) => {
            Some(Item::MeshTriangle(mesh.triangle(primitive_id as usize)?.into()))
        }
        Geometry::Lines(lines) => {
            Some(Item::LineSegment(lines.segment(primitive_id as usize)?.into()))
        }
        Geometry::Shape(shape) => (primitive_id == 0).then_some(Item::Shape(*shape)),
    }
}

/// The numbers of the primitives that become items.
fn numbers_of_items(scene: &Scene) -> Vec<u32> {
    let of_geometry = |(id, geometry): (u32, &Geometry)| {
        let first = scene.primitive_ids().first(id);
        let count = match geometry {
            Geometry::Heightfield(_) => 1,
            _ => geometry.primitive_count() as u32,
        };
        first..first + count
    };
    scene.visible().flat_map(of_geometry).collect()
}

/// What both tracers walk: the tree, and for the GPU the shapes as words. A clone shares them.
#[derive(Clone, Debug)]
pub struct PackedScene {
    pub(crate) tree: Arc<Tree>,
    /// The primitive's number of each that has no box, then at each place of the tree's order, [`NONE`] where there is none.
    pub(crate) primitives_at: Arc<Vec<u32>>,
    /// How many have no box.
    pub(crate) unbounded: usize,
    /// What a GPU answers with is told in ids by these.
    #[cfg(feature = "gpu")]
    pub(crate) primitive_ids: PrimitiveIds,
    /// Of shapes that have more words than a record, and of meshes.
    #[cfg_attr(not(feature = "gpu"), allow(dead_code, reason = "what a GPU reads"))]
    pub(crate) params: Arc<Vec<[u32; 4]>>,
    /// How many meshes are closed.
    #[cfg_attr(not(feature = "gpu"), allow(dead_code, reason = "what a GPU reads"))]
    pub(crate) closed_meshes: usize,
    primitive_kinds: Vec<PrimitiveKind>,
    depth: usize,
}

/// What stands beside the records, one after another.
#[derive(Default)]
struct LongItems {
    params: Vec<[u32; 4]>,
    /// By the primitive's number.
    fields: HashMap<u32, u32>,
    /// By the `geometry_id`.
    meshes: HashMap<u32, u32>,
    closed_meshes: usize,
}

impl LongItems {
    /// Of all geometries that can be met.
    fn of(scene: &Scene) -> Result<Self, PackError> {
        let mut all = Self::default();
        for (id, geometry) in scene.visible() {
            let first = all.params.len();
            let place = || u32::try_from(first).map_err(|_| PackError::TooLarge(first));
            let primitives = scene.primitive_ids().of_geometry(id);
            match geometry {
                Geometry::Heightfield(field) => {
                    let mut params = bytemuck::cast_vec(std::mem::take(&mut all.params));
                    field.pack(&mut params);
                    all.params = bytemuck::cast_vec(params);
                    let [row, number] = FIELD_MASK;
                    all.params[first + row][number] = scene.mask(id);
                    all.fields.insert(primitives.start, place()?);
                }
                Geometry::Mesh(mesh) => {
                    all.params.push(bytemuck::cast(MeshParams {
                        mask: scene.mask(id),
                        first_primitive: primitives.start,
                        end: primitives.end,
                        is_closed: mesh.is_closed().into(),
                    }));
                    all.meshes.insert(id, place()?);
                    all.closed_meshes += usize::from(mesh.is_closed());
                }
                Geometry::Shape(_) | Geometry::Lines(_) => {}
            }
        }
        Ok(all)
    }

    /// A primitive's record; of a primitive that is none, nothing.
    fn record(&self, scene: &Scene, primitive: u32) -> Record {
        let Some(item) = item(scene, primitive) else { return Record::zeroed() };
        let [geometry_id, _] = scene.primitive_ids().ids(primitive);
        let field = self.fields.get(&primitive).copied();
        let params = match field {
            Some(first) => self.params[first as usize..][..RECORD_PARAMS].to_vec(),
            None => {
                let mut own = Vec::with_capacity(RECORD_PARAMS);
                item.pack(&mut own);
                bytemuck::cast_vec(own)
            }
        };
        let word = |place: usize| bytemuck::cast(params.get(place).copied().unwrap_or_default());
        let beside = field.or_else(|| self.meshes.get(&geometry_id).copied());
        bytemuck::cast(ShapeRecord {
            params: std::array::from_fn(word),
            kind: SHAPE_MARK | item.primitive_kind() as u32,
            primitive,
            zero: 0,
            mask_or_params: beside.unwrap_or_else(|| scene.mask(geometry_id)),
        })
    }
}

impl PackedScene {
    /// Builds the tree over a scene's visible shapes in the layout and quality that are the default, checks
    /// it, and packs the shapes in its order.
    ///
    /// # Errors
    /// [`PackError`].
    pub fn new(scene: &Scene) -> Result<Self, PackError> {
        Self::with_tree(scene, Layout::default(), Quality::default())
    }

    /// As [`Self::new`], with a tree of this layout and quality. Answers do not depend on them.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub fn with_tree(scene: &Scene, layout: Layout, quality: Quality) -> Result<Self, PackError> {
        let numbers = numbers_of_items(scene);
        let facts = |&primitive: &u32| {
            let item = item(scene, primitive)?;
            Some((primitive, item.primitive_kind(), item.bounds()))
        };
        let facts: Vec<(u32, PrimitiveKind, Option<Bounds>)> =
            numbers.par_iter().filter_map(facts).collect();
        let long_items = LongItems::of(scene)?;
        let (bounds, bounded): (Vec<Bounds>, Vec<(u32, PrimitiveKind)>) = facts
            .par_iter()
            .filter_map(|&(primitive, kind, bounds)| Some((bounds?, (primitive, kind))))
            .unzip();
        let unbounded = facts.iter().filter(|(.., bounds)| bounds.is_none());
        let mut primitives: Vec<u32> = unbounded.map(|(primitive, ..)| *primitive).collect();
        let unbounded = primitives.len();
        let mut primitive_kinds: Vec<PrimitiveKind> =
            facts.iter().map(|(_, kind, ..)| *kind).collect();
        primitive_kinds.sort_unstable();
        primitive_kinds.dedup();
        drop(facts);

        let mut tree = Tree::build(&bounds, layout, quality)?;
        let depth = tree.validate(&bounds)?;
        drop(bounds);
        tree.sort_leaves(|place| {
            let (primitive, kind) = bounded[place as usize];
            (kind, primitive)
        });
        let part_of =
            |thing: u32| bounded.get(thing as usize).map_or(NONE, |(primitive, _)| *primitive);
        let record = |primitive| long_items.record(scene, primitive);
        let beyond: Vec<Record> = primitives.iter().map(|&primitive| record(primitive)).collect();
        tree.fill(|thing| record(part_of(thing)), &beyond);
        primitives.extend(tree.order.iter().map(|&thing| part_of(thing)));
        Ok(Self {
            tree: Arc::new(tree),
            primitives_at: Arc::new(primitives),
            unbounded,
            #[cfg(feature = "gpu")]
            primitive_ids: scene.primitive_ids().clone(),
            params: Arc::new(long_items.params),
            closed_meshes: long_items.closed_meshes,
            primitive_kinds,
            depth,
        })
    }

    /// The boxes that the tree over a scene is built over, for who wants [`Tree::build`] by itself.
    pub fn boxes(scene: &Scene) -> Vec<Bounds> {
        let bounds = |&primitive: &u32| item(scene, primitive)?.bounds();
        numbers_of_items(scene).par_iter().filter_map(bounds).collect()
    }

    /// The tree over the scene's visible shapes.
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// What there is of each reading of words, in the order of [`PrimitiveKind::ALL`].
    pub fn primitive_kinds(&self) -> &[PrimitiveKind] {
        &self.primitive_kinds
    }

    /// How many levels of nodes the tree has.
    pub fn depth(&self) -> usize {
        self.depth
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shapes::Sphere;
    use glam::DVec3;

    #[test]
    fn a_scene_of_nothing_and_one_of_nothing_visible_are_met_by_no_ray() {
        let mut scene = Scene::new();
        assert_eq!(PackedScene::new(&scene).unwrap().primitives_at.len(), 0);
        let id = scene.add(Sphere { center: DVec3::ZERO, radius: 1.0 }).unwrap();
        scene.set_mask(id, 0);
        let packed = PackedScene::new(&scene).unwrap();
        let cpu = crate::CpuTracer::new(&scene, &packed);
        let ray = crate::Ray::new([-9.0, 0.0, 0.0], [1.0, 0.0, 0.0]);
        assert_eq!(cpu.nearest(&ray), None);
        scene.set_mask(id, 2);
        let packed = PackedScene::new(&scene).unwrap();
        let primitives: Vec<u32> =
            packed.primitives_at.iter().copied().filter(|&primitive| primitive != NONE).collect();
        assert_eq!(primitives, [0]);
    }
}
