//! A scene as the GPU reads it: slots, words, and the nodes of a binary tree.
//!
//! A *slot* is a shape in 64 bytes: its first three *words* of four float32 numbers, its kind and its part's number.
//! Slots lie at the places of the tree's order, in a wide tree between its nodes; within a binary tree's leaf they
//! are sorted by kind, so that neighbouring threads take the same branch. What has no box, as planes have none,
//! comes after the last and is asked first. A shape of more words than three has all of them in a row beside, and a
//! mesh what its triangles have in common.

use crate::bvh::{Layout, Quality, Slot, Tree, TreeError};
use crate::geometry::Geometry;
#[cfg(feature = "gpu")]
use crate::geometry::Parts;
use crate::math::Bounds;
use crate::ray::NONE;
use crate::scene::Scene;
use crate::shapes::{Heightfield, Shape, Tag};
use bytemuck::{Pod, Zeroable};
use rayon::prelude::*;
use std::collections::HashMap;
use std::sync::Arc;
use thiserror::Error;

/// How many words a slot has room for.
const SLOT_WORDS: usize = 3;

/// Tells a shape from a node, as `shaders/packed.wgsl` says.
pub(crate) const SHAPE_MARK: u32 = 0x0101_0100;

/// A shape in its slot.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub(crate) struct ShapeSlot {
    pub words: [[f32; 4]; SLOT_WORDS],
    /// [`SHAPE_MARK`] | tag.
    pub tag: u32,
    /// Of a heightfield its first triangle's.
    pub part: u32,
    pub zero: u32,
    /// The geometry's mask; of a heightfield where its words are, of a mesh's triangle where [`MeshWord`] is.
    pub mask_or_word: u32,
}

/// What a mesh's triangles have in common.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub(crate) struct MeshWord {
    pub mask: u32,
    /// Its parts, by their numbers.
    pub first_part: u32,
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
        "the scene's heights need {0} words of 16 bytes, and at most 2^32 can be told apart: split it"
    )]
    TooLarge(usize),
    /// So many things, with their nodes, outgrow the numbers that the wide layout has for them.
    #[error(
        "the scene's {0} shapes and their nodes need more than 2^24 slots of a wide tree: use a binary one (--tree binary)"
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
    Facet(Shape),
    /// Of lines.
    Segment(Shape),
    /// One box for all of its triangles.
    Heightfield(&'a Heightfield),
}

impl Item<'_> {
    fn tag(&self) -> Tag {
        match self {
            Self::Shape(shape) => shape.tag(),
            Self::Facet(_) => Tag::Facet,
            Self::Segment(_) => Tag::Segment,
            Self::Heightfield(field) => field.tag(),
        }
    }

    fn bounds(&self) -> Option<Bounds> {
        match self {
            Self::Shape(shape) | Self::Facet(shape) | Self::Segment(shape) => shape.bounds(),
            Self::Heightfield(field) => Some(field.bounds()),
        }
    }

    fn pack(&self, words: &mut Vec<[f32; 4]>) {
        match self {
            Self::Shape(shape) | Self::Facet(shape) | Self::Segment(shape) => shape.pack(words),
            Self::Heightfield(field) => field.pack(words),
        }
    }
}

/// The item that a part's number stands for.
fn item(scene: &Scene, part: u32) -> Option<Item<'_>> {
    let [geometry_id, primitive_id] = scene.parts().ids(part);
    match scene.geometry(geometry_id)? {
        Geometry::Heightfield(field) => Some(Item::Heightfield(field)),
        Geometry::Mesh(mesh) => Some(Item::Facet(mesh.triangle(primitive_id as usize)?.into())),
        Geometry::Lines(lines) => Some(Item::Segment(lines.segment(primitive_id as usize)?.into())),
        Geometry::Shape(shape) => (primitive_id == 0).then_some(Item::Shape(*shape)),
    }
}

/// The numbers of the parts that become items.
fn numbers_of_items(scene: &Scene) -> Vec<u32> {
    let of_geometry = |(id, geometry): (u32, &Geometry)| {
        let first = scene.parts().first(id);
        let count = match geometry {
            Geometry::Heightfield(_) => 1,
            _ => geometry.part_count() as u32,
        };
        first..first + count
    };
    scene.visible().flat_map(of_geometry).collect()
}

/// What both tracers walk: the tree, and for the GPU the shapes as words. A clone shares them.
#[derive(Clone, Debug)]
pub struct Packed {
    pub(crate) tree: Arc<Tree>,
    /// The part's number of each that has no box, then at each place of the tree's order, [`NONE`] where there is none.
    pub(crate) parts_at: Arc<Vec<u32>>,
    /// How many have no box.
    pub(crate) unbounded: usize,
    /// What a GPU answers with is told in ids by these.
    #[cfg(feature = "gpu")]
    pub(crate) parts: Parts,
    /// Of shapes that have more words than a slot, and of meshes.
    #[cfg_attr(not(feature = "gpu"), allow(dead_code, reason = "what a GPU reads"))]
    pub(crate) words: Arc<Vec<[u32; 4]>>,
    /// How many meshes are closed.
    #[cfg_attr(not(feature = "gpu"), allow(dead_code, reason = "what a GPU reads"))]
    pub(crate) closed_meshes: usize,
    tags: Vec<Tag>,
    depth: usize,
}

/// What stands beside the slots, one after another.
#[derive(Default)]
struct LongItems {
    words: Vec<[u32; 4]>,
    /// By the part's number.
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
            let first = all.words.len();
            let place = || u32::try_from(first).map_err(|_| PackError::TooLarge(first));
            let parts = scene.parts().of_geometry(id);
            match geometry {
                Geometry::Heightfield(field) => {
                    let mut words = bytemuck::cast_vec(std::mem::take(&mut all.words));
                    field.pack(&mut words);
                    all.words = bytemuck::cast_vec(words);
                    let [word, number] = FIELD_MASK;
                    all.words[first + word][number] = scene.mask(id);
                    all.fields.insert(parts.start, place()?);
                }
                Geometry::Mesh(mesh) => {
                    all.words.push(bytemuck::cast(MeshWord {
                        mask: scene.mask(id),
                        first_part: parts.start,
                        end: parts.end,
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

    /// A part's slot; of a part that is none, nothing.
    fn slot(&self, scene: &Scene, part: u32) -> Slot {
        let Some(item) = item(scene, part) else { return Slot::zeroed() };
        let [geometry_id, _] = scene.parts().ids(part);
        let field = self.fields.get(&part).copied();
        let words = match field {
            Some(first) => self.words[first as usize..][..SLOT_WORDS].to_vec(),
            None => {
                let mut own = Vec::with_capacity(SLOT_WORDS);
                item.pack(&mut own);
                bytemuck::cast_vec(own)
            }
        };
        let word = |place: usize| bytemuck::cast(words.get(place).copied().unwrap_or_default());
        let beside = field.or_else(|| self.meshes.get(&geometry_id).copied());
        bytemuck::cast(ShapeSlot {
            words: std::array::from_fn(word),
            tag: SHAPE_MARK | item.tag() as u32,
            part,
            zero: 0,
            mask_or_word: beside.unwrap_or_else(|| scene.mask(geometry_id)),
        })
    }
}

impl Packed {
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
        let facts = |&part: &u32| {
            let item = item(scene, part)?;
            Some((part, item.tag(), item.bounds()))
        };
        let facts: Vec<(u32, Tag, Option<Bounds>)> = numbers.par_iter().filter_map(facts).collect();
        let long_items = LongItems::of(scene)?;
        let (bounds, bounded): (Vec<Bounds>, Vec<(u32, Tag)>) = facts
            .par_iter()
            .filter_map(|&(part, tag, bounds)| Some((bounds?, (part, tag))))
            .unzip();
        let unbounded = facts.iter().filter(|(.., bounds)| bounds.is_none());
        let mut parts: Vec<u32> = unbounded.map(|(part, ..)| *part).collect();
        let unbounded = parts.len();
        let mut tags: Vec<Tag> = facts.iter().map(|(_, tag, ..)| *tag).collect();
        tags.sort_unstable();
        tags.dedup();
        drop(facts);

        let mut tree = Tree::build(&bounds, layout, quality)?;
        let depth = tree.validate(&bounds)?;
        drop(bounds);
        tree.sort_leaves(|place| {
            let (part, tag) = bounded[place as usize];
            (tag, part)
        });
        let part_of = |thing: u32| bounded.get(thing as usize).map_or(NONE, |(part, _)| *part);
        let slot = |part| long_items.slot(scene, part);
        let beyond: Vec<Slot> = parts.iter().map(|&part| slot(part)).collect();
        tree.fill(|thing| slot(part_of(thing)), &beyond);
        parts.extend(tree.order.iter().map(|&thing| part_of(thing)));
        Ok(Self {
            tree: Arc::new(tree),
            parts_at: Arc::new(parts),
            unbounded,
            #[cfg(feature = "gpu")]
            parts: scene.parts().clone(),
            words: Arc::new(long_items.words),
            closed_meshes: long_items.closed_meshes,
            tags,
            depth,
        })
    }

    /// The boxes that the tree over a scene is built over, for who wants [`Tree::build`] by itself.
    pub fn boxes(scene: &Scene) -> Vec<Bounds> {
        let bounds = |&part: &u32| item(scene, part)?.bounds();
        numbers_of_items(scene).par_iter().filter_map(bounds).collect()
    }

    /// The tree over the scene's visible shapes.
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// What there is of each reading of words, in the order of [`Tag::ALL`].
    pub fn tags(&self) -> &[Tag] {
        &self.tags
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
        assert_eq!(Packed::new(&scene).unwrap().parts_at.len(), 0);
        let id = scene.add(Sphere { center: DVec3::ZERO, radius: 1.0 }).unwrap();
        scene.set_mask(id, 0);
        let packed = Packed::new(&scene).unwrap();
        let cpu = crate::CpuTracer::new(&scene, &packed);
        let ray = crate::Ray::new([-9.0, 0.0, 0.0], [1.0, 0.0, 0.0]);
        assert_eq!(cpu.nearest(&ray), None);
        scene.set_mask(id, 2);
        let packed = Packed::new(&scene).unwrap();
        let parts: Vec<u32> =
            packed.parts_at.iter().copied().filter(|&part| part != NONE).collect();
        assert_eq!(parts, [0]);
    }
}
