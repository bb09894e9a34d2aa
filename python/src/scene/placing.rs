//! The properties of shapes in addition to their numbers: their places, names, masks and colours.

use crate::error::{IntoException, SceneError};
use crate::scene::Scene;
use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use raytwin::{Affine, Definition, Name, NodeId, Scene as LibraryScene, Transform};
use std::ops::Range;

/// The keyword arguments of all methods that add shapes, as checked by `raytwin.rows.Properties`.
/// A list has one entry for all shapes, or one for each.
#[derive(FromPyObject)]
pub(crate) struct Properties<'py> {
    matrix: Option<[f64; 12]>,
    names: Vec<String>,
    masks: Option<PyReadonlyArray1<'py, u32>>,
    colors: Option<PyReadonlyArray2<'py, f32>>,
    node: Option<u32>,
}

/// The same properties as Rust values.
pub(super) struct Placing {
    transform: Transform,
    names: Vec<Name>,
    masks: Vec<u32>,
    colors: Vec<[f32; 3]>,
    node: Option<u32>,
}

impl Placing {
    pub fn new(given: Properties<'_>) -> PyResult<Self> {
        let masks = match &given.masks {
            Some(masks) => masks.as_slice()?.to_vec(),
            None => Vec::new(),
        };
        let colors = match &given.colors {
            Some(colors) => colors.as_slice()?.as_chunks::<3>().0.to_vec(),
            None => Vec::new(),
        };
        Ok(Self {
            transform: given.matrix.map_or(Transform::IDENTITY, transform),
            names: given.names.into_iter().map(Name::from).collect(),
            masks,
            colors,
            node: given.node,
        })
    }

    /// Adds the shapes of `add` to a scene with this transform, and sets their names, masks and
    /// colours. Shapes at a node become a definition of their own, which moves with the node.
    pub fn add<E: From<PyErr>>(
        &self,
        scene: &Scene,
        add: impl FnOnce(&mut LibraryScene, &Transform) -> Result<Range<u32>, E>,
    ) -> Result<Range<u32>, E> {
        scene.change(|scene| {
            let Some(node) = self.node else {
                let ids = add(scene, &self.transform)?;
                self.dress(scene, ids.clone());
                return Ok(ids);
            };
            let node = node_at(scene, node)?;
            let mut alone = LibraryScene::new();
            let ids = add(&mut alone, &self.transform)?;
            self.dress(&mut alone, ids.clone());
            if ids.is_empty() {
                return Ok(ids);
            }
            let added = scene.add_instance_at(node, &Definition::new(alone), None);
            added.map_err(|error| error.into_exception().into())
        })
    }

    fn dress(&self, scene: &mut LibraryScene, ids: Range<u32>) {
        let of_each = |count: usize, index: usize| if count == 1 { 0 } else { index };
        for (index, id) in ids.enumerate() {
            if let Some(name) = self.names.get(of_each(self.names.len(), index)) {
                scene.set_name(id, name.clone());
            }
            if let Some(mask) = self.masks.get(of_each(self.masks.len(), index)) {
                scene.set_mask(id, *mask);
            }
            if let Some(color) = self.colors.get(of_each(self.colors.len(), index)) {
                scene.set_appearance(id, *color);
            }
        }
    }
}

/// Returns the transform of twelve numbers, row by row.
pub(super) fn transform(rows: [f64; 12]) -> Transform {
    Affine::from_rows(rows).into()
}

pub(super) fn node_at(scene: &LibraryScene, index: u32) -> PyResult<NodeId> {
    scene.numbered_node(index).ok_or_else(|| {
        let count = scene.nodes().len();
        PyIndexError::new_err(format!(
            "the scene has {count} nodes, numbered from 0, and there is no number {index}"
        ))
    })
}

/// Returns the id of a geometry, or the exception for an id that no geometry has.
pub(super) fn check_id(scene: &LibraryScene, geometry_id: impl Into<i64>) -> PyResult<u32> {
    let (count, geometry_id) = (scene.geometry_count(), geometry_id.into());
    u32::try_from(geometry_id).ok().filter(|&id| id < count).ok_or_else(|| {
        PyIndexError::new_err(format!(
            "the scene has {count} geometries, numbered from 0, and there is no id {geometry_id}"
        ))
    })
}

/// Returns the exception for an argument that a scene rejects.
pub(super) fn refused(reason: impl Into<String>) -> PyErr {
    SceneError::new_err(reason.into())
}
