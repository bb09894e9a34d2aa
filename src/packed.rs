//! A scene as the GPU reads it: nodes, records, words.
//!
//! A *record* is a shape's kind and place in the words, with its part's number beside; a *word* is four float32
//! numbers. What has no box, as planes have none, comes first and is asked first; then records and words
//! lie in leaf order, so a leaf is read in one sweep, and within a leaf shapes are sorted by kind, so that
//! neighbouring threads take the same branch.

use crate::bvh::{Layout, Quality, Tree, TreeError};
use crate::geometry::Geometry;
#[cfg(feature = "gpu")]
use crate::geometry::Parts;
use crate::math::Bounds;
use crate::ray::NONE;
use crate::scene::Scene;
use crate::shapes::{Heightfield, Shape, Tag};
use bytemuck::{Pod, Zeroable};
use rayon::prelude::*;
use std::sync::Arc;
use thiserror::Error;

/// A record's first number holds the kind above this bit, and the first word's place below it.
pub(crate) const KIND_SHIFT: u32 = 28;

/// A shape's kind, place and number.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub(crate) struct Record {
    /// `tag << KIND_SHIFT | first word`.
    pub head: u32,
    /// Of a heightfield its first triangle's.
    pub part: u32,
}

impl Record {
    /// At a place of the tree's order where no shape stands.
    const NOTHING: Self = Self { head: NONE, part: NONE };
}

/// Why a scene cannot be packed.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum PackError {
    /// The words outgrow a record's place for them.
    #[error("the scene needs {0} words of 16 bytes, and at most 2^28 fit: split it")]
    TooLarge(usize),
    /// A defect of the tree's builder.
    #[error("{0}; this is a defect of raytwin: please report it with the scene")]
    Tree(#[from] TreeError),
}

/// What stands in the tree, or beside it.
enum Item<'a> {
    Shape(Shape),
    /// One box for all of its triangles.
    Heightfield(&'a Heightfield),
}

impl Item<'_> {
    fn tag(&self) -> Tag {
        match self {
            Self::Shape(shape) => shape.tag(),
            Self::Heightfield(field) => field.tag(),
        }
    }

    fn bounds(&self) -> Option<Bounds> {
        match self {
            Self::Shape(shape) => shape.bounds(),
            Self::Heightfield(field) => Some(field.bounds()),
        }
    }

    fn word_count(&self) -> usize {
        match self {
            Self::Shape(shape) => shape.kind().words,
            Self::Heightfield(field) => field.word_count(),
        }
    }

    fn pack(&self, words: &mut Vec<[f32; 4]>) {
        match self {
            Self::Shape(shape) => shape.pack(words),
            Self::Heightfield(field) => field.pack(words),
        }
    }
}

/// The item that a part's number stands for.
fn item(scene: &Scene, part: u32) -> Option<Item<'_>> {
    let [geometry_id, primitive_id] = scene.parts().ids(part);
    match scene.geometry(geometry_id)? {
        Geometry::Heightfield(field) => Some(Item::Heightfield(field)),
        geometry => geometry.shape(primitive_id).map(Item::Shape),
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
    /// Those without a box, then those at the places of the tree's order.
    pub(crate) records: Arc<Vec<Record>>,
    /// How many records have no box.
    pub(crate) unbounded: usize,
    /// What a GPU answers with is told in ids by these.
    #[cfg(feature = "gpu")]
    pub(crate) parts: Parts,
    words: Arc<Vec<[f32; 4]>>,
    tags: Vec<Tag>,
    depth: usize,
}

/// The records of a row of parts, each with its words' place among the words beside.
fn pack(scene: &Scene, parts: &[u32]) -> (Vec<Record>, Vec<[f32; 4]>) {
    let mut records = Vec::with_capacity(parts.len());
    let mut words = Vec::new();
    for &part in parts {
        let item = if part == NONE { None } else { item(scene, part) };
        if let Some(item) = item {
            let head = (item.tag() as u32) << KIND_SHIFT | words.len() as u32;
            records.push(Record { head, part });
            item.pack(&mut words);
        } else {
            records.push(Record::NOTHING);
        }
    }
    (records, words)
}

impl Packed {
    /// Builds the tree over a scene's visible shapes in the layout and quality that are the default, checks
    /// it, and packs the shapes in its order.
    ///
    /// # Errors
    /// [`PackError`]: a scene of more than 2^28 words.
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
            Some((part, item.tag(), item.word_count(), item.bounds()))
        };
        let facts: Vec<(u32, Tag, usize, Option<Bounds>)> =
            numbers.par_iter().filter_map(facts).collect();
        let size: usize = facts.par_iter().map(|(_, _, words, _)| words).sum();
        if size > 1 << KIND_SHIFT {
            return Err(PackError::TooLarge(size));
        }
        let (bounds, bounded): (Vec<Bounds>, Vec<(u32, Tag)>) = facts
            .par_iter()
            .filter_map(|&(part, tag, _, bounds)| Some((bounds?, (part, tag))))
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
        tree.sort_leaves(|place| {
            let (part, tag) = bounded[place as usize];
            (tag, part)
        });
        let part_of = |&thing: &u32| bounded.get(thing as usize).map_or(NONE, |(part, _)| *part);
        parts.extend(tree.order.iter().map(part_of));
        let mut records: Vec<Record> = Vec::with_capacity(parts.len());
        let mut words = Vec::with_capacity(size);
        // Each row knows places in its own words only.
        let rows: Vec<_> = parts.par_chunks(1 << 14).map(|row| pack(scene, row)).collect();
        for (row, own_words) in rows {
            let before = words.len() as u32;
            records.extend(row.iter().map(|own| match own.part {
                NONE => Record::NOTHING,
                _ => Record { head: own.head + before, ..*own },
            }));
            words.extend(own_words);
        }
        Ok(Self {
            tree: Arc::new(tree),
            records: Arc::new(records),
            unbounded,
            #[cfg(feature = "gpu")]
            parts: scene.parts().clone(),
            words: Arc::new(words),
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

    /// The shapes as the GPU reads them, four float32 numbers a word, in leaf order.
    pub fn words(&self) -> &[[f32; 4]] {
        &self.words
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
        assert_eq!(Packed::new(&scene).unwrap().records.len(), 0);
        let id = scene.add(Sphere { center: DVec3::ZERO, radius: 1.0 }).unwrap();
        scene.set_mask(id, 0);
        let packed = Packed::new(&scene).unwrap();
        let cpu = crate::CpuTracer::new(&scene, &packed);
        let ray = crate::Ray::new([-9.0, 0.0, 0.0], [1.0, 0.0, 0.0]);
        assert_eq!(cpu.nearest(&ray), None);
        scene.set_mask(id, 2);
        assert_eq!(Packed::new(&scene).unwrap().records.len(), 1);
    }
}
