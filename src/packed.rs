//! A scene as the GPU reads it: nodes, records, words.
//!
//! A *record* is a shape's kind and place in the words, with its id beside; a *word* is four float32
//! numbers. Records and words lie in leaf order, so a leaf is read in one sweep, and within a leaf
//! shapes are sorted by kind, so that neighbouring threads take the same branch.

use crate::bvh::{Tree, TreeError};
use crate::math::Bounds;
use crate::scene::Scene;
use bytemuck::{Pod, Zeroable};
use rayon::prelude::*;
use thiserror::Error;

/// A record's first number holds the kind above this bit, and the first word's place below it.
pub(crate) const KIND_SHIFT: u32 = 28;

/// A shape's kind, place and name.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub(crate) struct Record {
    /// `kind << KIND_SHIFT | first word`.
    pub head: u32,
    pub geometry_id: u32,
}

/// Why a scene cannot be packed.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum PackError {
    /// There is nothing to cast rays at.
    #[error("the scene holds no shape that a ray could meet: give it at least one")]
    Empty,
    /// The words outgrow a record's place for them.
    #[error("the scene needs {0} words of 16 bytes, and at most 2^28 fit: split it")]
    TooLarge(usize),
    /// A defect of the tree's builder.
    #[error("{0}; this is a defect of raytwin: please report it with the scene")]
    Tree(#[from] TreeError),
}

/// What both tracers walk: the tree, and for the GPU the shapes as words.
#[derive(Clone, Debug)]
pub struct Packed {
    pub(crate) tree: Tree,
    pub(crate) records: Vec<Record>,
    words: Vec<[f32; 4]>,
    depth: usize,
}

impl Packed {
    /// Builds the tree over a scene's visible shapes, checks it, and packs them in its order.
    ///
    /// # Errors
    /// [`PackError`]: an empty scene, or one of more than 2^28 words.
    pub fn new(scene: &Scene) -> Result<Self, PackError> {
        let visible: Vec<(u32, &crate::shapes::Shape)> = scene.visible().collect();
        if visible.is_empty() {
            return Err(PackError::Empty);
        }
        let size: usize = visible.iter().map(|(_, shape)| shape.kind().words).sum();
        if size > 1 << KIND_SHIFT {
            return Err(PackError::TooLarge(size));
        }
        let bounds: Vec<Bounds> = visible.par_iter().map(|(_, shape)| shape.bounds()).collect();
        let mut tree = Tree::build(&bounds);
        let depth = tree.validate(&bounds)?;
        tree.sort_leaves(|place| {
            let (id, shape) = visible[place as usize];
            (shape.kind().tag, id)
        });
        let mut records = Vec::with_capacity(visible.len());
        let mut words = Vec::with_capacity(size);
        for &place in &tree.order {
            let (geometry_id, shape) = visible[place as usize];
            records.push(Record {
                head: shape.kind().tag << KIND_SHIFT | words.len() as u32,
                geometry_id,
            });
            shape.pack(&mut words);
        }
        Ok(Self { tree, records, words, depth })
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
    fn a_scene_of_nothing_and_one_of_nothing_visible_are_refused() {
        let mut scene = Scene::new();
        assert_eq!(Packed::new(&scene).unwrap_err(), PackError::Empty);
        let id = scene.add(Sphere { center: DVec3::ZERO, radius: 1.0 }).unwrap();
        scene.set_mask(id, 0);
        assert_eq!(Packed::new(&scene).unwrap_err(), PackError::Empty);
        scene.set_mask(id, 2);
        assert_eq!(Packed::new(&scene).unwrap().records.len(), 1);
    }
}
