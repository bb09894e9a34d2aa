//! A scene as bytes, to send it to another process. The bytes contain everything in the scene, to
//! the bit. To keep scenes in files, export them with the crate `raytwin-formats`.
//!
//! The bytes are a line with the version, a hash, and the output of the crate postcard. Shapes are
//! rows of numbers, as everywhere. Numbers that follow from other numbers are computed again.

mod geometries;

use super::attributes::GeometryAttributes;
use super::instance::{Instance, Seat};
use super::integer_columns::IntegerColumns;
use super::movable_node::MovableNode;
use super::node_ranges::NodeRanges;
use super::other_world::OtherWorld;
use super::use_ranges::Uses;
use super::{Adjacency, Appearance, Name, Scene};
use crate::camera::{Camera, UpAxis};
use geometries::GeometryStates;
use glam::DVec3;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;
use thiserror::Error;

/// The first line of the bytes. Another version may have other contents.
const HEADER: &str = concat!("raytwin scene ", env!("CARGO_PKG_VERSION"), "\n");

/// The reason why bytes are not a scene.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum StateError {
    /// The bytes are those of another version, or of something else.
    #[error("these bytes are not a scene of this version, which begins with '{}'", HEADER.trim_end())]
    Version,
    /// Some bytes differ from those that were written.
    #[error("the bytes of the scene are damaged: write the scene again")]
    Damaged,
}

/// The state that [`Scene`] holds, without what follows from it.
#[derive(Serialize, Deserialize)]
struct SceneState {
    geometries: GeometryStates,
    instances: Vec<Instance>,
    definitions: Vec<SceneState>,
    nodes: Vec<MovableNode>,
    names: BTreeMap<u32, Name>,
    masks: BTreeMap<u32, u32>,
    appearances: BTreeMap<u32, Appearance>,
    label_names: BTreeMap<u16, String>,
    adjacency: Adjacency,
    integers: IntegerColumns,
    instance_integers: IntegerColumns,
    coarse: Vec<u32>,
    origin: DVec3,
    node_ranges: NodeRanges,
    uses: Uses,
    worlds: Vec<OtherWorld>,
    cameras: Vec<Camera>,
    up: UpAxis,
    floats: bool,
}

impl Scene {
    /// Returns everything in the scene as bytes. [`Self::from_bytes`] of the same version reads
    /// them back to the bit.
    ///
    /// ```
    /// use raytwin::glam::DVec3;
    /// use raytwin::{Scene, Sphere};
    ///
    /// let mut scene = Scene::new();
    /// scene.add(Sphere { center: DVec3::ZERO, radius: 1.0 })?;
    /// let read = Scene::from_bytes(&scene.to_bytes())?;
    /// assert_eq!(read.geometries(), scene.geometries());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn to_bytes(&self) -> Vec<u8> {
        // The format supports everything in the state.
        let body = postcard::to_stdvec(&state_of(self)).unwrap_or_default();
        [HEADER.as_bytes(), blake3::hash(&body).as_bytes(), &body].concat()
    }

    /// Returns the scene from the bytes that [`Self::to_bytes`] returned.
    ///
    /// # Errors
    /// A [`StateError`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, StateError> {
        let rest = bytes.strip_prefix(HEADER.as_bytes()).ok_or(StateError::Version)?;
        let (hash, body) = rest.split_first_chunk::<32>().ok_or(StateError::Damaged)?;
        if blake3::hash(body).as_bytes() != hash {
            return Err(StateError::Damaged);
        }
        let state = postcard::from_bytes(body).map_err(|_| StateError::Damaged)?;
        scene_of(state).ok_or(StateError::Damaged)
    }
}

fn state_of(scene: &Scene) -> SceneState {
    let GeometryAttributes { names, masks, appearances, integers, instance_integers, node_ranges } =
        scene.attributes.clone();
    SceneState {
        geometries: GeometryStates::of(&scene.geometries),
        instances: scene.instances.clone(),
        definitions: scene.definitions().iter().map(|definition| state_of(definition)).collect(),
        nodes: scene.nodes.clone(),
        names,
        masks,
        appearances,
        label_names: scene.label_names.clone(),
        adjacency: scene.adjacency.clone(),
        integers,
        instance_integers,
        coarse: scene.coarse.clone(),
        origin: scene.origin,
        node_ranges,
        uses: scene.uses.clone(),
        worlds: scene.worlds.to_vec(),
        cameras: scene.cameras.clone(),
        up: scene.up,
        floats: scene.floats,
    }
}

/// Returns the scene of a state, or `None` if its parts do not fit together.
fn scene_of(state: SceneState) -> Option<Scene> {
    let mut scene = Scene::with_origin(state.origin);
    for geometry in state.geometries.geometries() {
        scene.push(geometry?).ok()?;
    }
    for definition in state.definitions {
        let definition = scene_of(definition).filter(|scene| scene.instances.is_empty())?;
        let size = definition.size();
        scene.definitions.push(Arc::new(definition), size);
    }
    scene.nodes = state.nodes;
    let own_count = scene.geometries.len() as u32;
    for mut instance in state.instances {
        let definition = Arc::clone(scene.definitions.get(instance.definition())?);
        let fits = instance.own_before <= own_count
            && instance.first_geometry == instance.own_before + scene.instanced.geometries;
        let has_seat = instance.seat.is_none_or(|Seat { node, number }| {
            let node = scene.nodes.get(node as usize);
            node.is_some_and(|node| (number as usize) < node.node_from_part.len())
        });
        scene.instanced.add(definition.geometry_count(), definition.primitive_count());
        instance.place_at(instance.exact, scene.definitions.bounds(&instance)).ok()?;
        scene.instances.push(Some(instance).filter(|_| fits && has_seat)?);
    }
    scene.attributes = GeometryAttributes {
        names: state.names,
        masks: state.masks,
        appearances: state.appearances,
        integers: state.integers,
        instance_integers: state.instance_integers,
        node_ranges: state.node_ranges,
    };
    let instance_count = scene.instances.len() as u32;
    let mut moved = state.worlds.iter().flat_map(|world| &world.moved);
    let parents = scene.nodes.iter().enumerate();
    let mut parents = parents.filter_map(|(index, node)| Some((index as u32, node.parent?)));
    let fits = moved.all(|(index, _)| *index < instance_count)
        && parents.all(|(index, parent)| parent.index() < index);
    fits.then(|| Scene {
        adjacency: state.adjacency,
        label_names: state.label_names,
        coarse: state.coarse,
        uses: state.uses,
        worlds: Arc::new(state.worlds),
        cameras: state.cameras,
        up: state.up,
        floats: state.floats,
        ..scene
    })
}

#[cfg(test)]
mod tests;
