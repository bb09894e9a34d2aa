//! A scene as bytes, so that it can be sent to another process: everything that it holds, to the
//! bit. Files that are kept are another matter: see [`export`](crate::export).
//!
//! The bytes are those of the crate postcard, after a line that names the version, and a hash.
//! Shapes are rows of numbers, as everywhere; what follows from other numbers is computed again.

mod geometries;

use super::instance::{Instance, Seat};
use super::integer_columns::IntegerColumns;
use super::movable_node::{MovableNode, NodeId, NodeTransforms};
use super::node_ranges::NodeRanges;
use super::other_world::OtherWorld;
use super::use_ranges::Uses;
use super::{Appearance, Name, Scene};
use crate::camera::{Camera, UpAxis};
use crate::math::Similarity;
use crate::transform::{Affine, Transform};
use geometries::GeometryStates;
use glam::{DQuat, DVec3};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use thiserror::Error;

/// The first line of the bytes. Another version may hold other things.
const HEADER: &str = concat!("raytwin scene ", env!("CARGO_PKG_VERSION"), "\n");

/// The reason why bytes are no scene.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum StateError {
    /// The bytes are those of another version, or of something else.
    #[error("these bytes are no scene of this version, which begins with '{}'", HEADER.trim_end())]
    Version,
    /// Some bytes differ from those that were written.
    #[error("the bytes of the scene are damaged: write them again")]
    Damaged,
}

/// The state that [`Scene`] holds.
#[derive(Serialize, Deserialize)]
struct SceneState {
    geometries: GeometryStates,
    instances: Vec<InstanceState>,
    definitions: Vec<SceneState>,
    nodes: Vec<NodeState>,
    names: Vec<(u32, NameState)>,
    masks: Vec<(u32, u32)>,
    appearances: Vec<(u32, AppearanceState)>,
    label_names: Vec<(u16, String)>,
    integers: Vec<(String, Vec<i32>)>,
    instance_integers: Vec<(String, Vec<i32>)>,
    coarse: Vec<u32>,
    origin: [f64; 3],
    node_ranges: Vec<(u32, TransformState)>,
    uses: Vec<[u32; 2]>,
    worlds: Vec<WorldState>,
    cameras: Vec<Camera>,
    is_y_up: bool,
    floats: bool,
}

#[derive(Serialize, Deserialize)]
struct WorldState {
    moved: Vec<(u32, TransformState)>,
    cameras: Vec<Camera>,
}

#[derive(Serialize, Deserialize)]
struct InstanceState {
    definition: u32,
    has_own_definition: bool,
    first_geometry: u32,
    own_before: u32,
    seat: Option<[u32; 2]>,
    transform: TransformState,
    name: Option<NameState>,
    appearance: AppearanceState,
}

#[derive(Serialize, Deserialize)]
struct NodeState {
    parent: Option<u32>,
    parent_from_node: TransformState,
    world_from_node: TransformState,
    name: Option<NameState>,
    node_from_part: Vec<Option<TransformState>>,
}

#[derive(Serialize, Deserialize)]
struct AppearanceState {
    color: Option<[f32; 3]>,
    label: Option<u16>,
    reflectance: Option<f32>,
}

/// The names from the root.
type NameState = Vec<String>;

#[derive(Serialize, Deserialize)]
enum TransformState {
    Similarity { translation: [f64; 3], rotation: [f64; 4], scale: f64 },
    Affine { linear: [f64; 9], translation: [f64; 3] },
}

impl Scene {
    /// Returns everything that the scene holds as bytes, which [`Self::from_bytes`] of the same
    /// version reads back to the bit.
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
        // Nothing in the state is of a kind that the format refuses.
        let body = postcard::to_stdvec(&state_of(self)).unwrap_or_default();
        [HEADER.as_bytes(), blake3::hash(&body).as_bytes(), &body].concat()
    }

    /// Returns the scene of bytes that [`Self::to_bytes`] made.
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
    SceneState {
        geometries: GeometryStates::of(&scene.geometries),
        instances: scene.instances.iter().map(InstanceState::from).collect(),
        definitions: scene.definitions.iter().map(|definition| state_of(definition)).collect(),
        nodes: scene.nodes.iter().map(NodeState::from).collect(),
        names: scene.names.iter().map(|(id, name)| (*id, components(name))).collect(),
        masks: scene.masks.iter().map(|(id, mask)| (*id, *mask)).collect(),
        appearances: scene.appearances.iter().map(|(id, it)| (*id, (*it).into())).collect(),
        label_names: scene.label_names.clone().into_iter().collect(),
        integers: scene.integers.0.clone().into_iter().collect(),
        instance_integers: scene.instance_integers.0.clone().into_iter().collect(),
        coarse: scene.coarse.clone(),
        origin: scene.origin.to_array(),
        node_ranges: scene
            .node_transforms()
            .map(|(first, transform)| (first, transform.into()))
            .collect(),
        uses: scene.uses().iter().map(|range| [range.start, range.end]).collect(),
        worlds: scene.worlds.iter().map(WorldState::from).collect(),
        cameras: scene.cameras.clone(),
        is_y_up: scene.up == UpAxis::Y,
        floats: scene.floats,
    }
}

/// Returns the scene of a state, or `None` if its parts do not fit together.
fn scene_of(state: SceneState) -> Option<Scene> {
    let mut scene = Scene::about(DVec3::from_array(state.origin));
    for geometry in state.geometries.geometries() {
        scene.push(geometry?).ok()?;
    }
    for definition in state.definitions {
        let definition = scene_of(definition).filter(|scene| scene.instances.is_empty())?;
        scene.definition_sizes.push(definition.size());
        scene.definitions.push(Arc::new(definition));
    }
    scene.nodes = state.nodes.into_iter().map(MovableNode::from).collect();
    let own_count = scene.geometries.len() as u32;
    for instance in state.instances {
        let index = instance.definition as usize;
        let (definition, size) =
            (scene.definitions.get(index)?, scene.definition_sizes.get(index)?);
        let fits = instance.own_before <= own_count
            && instance.first_geometry == instance.own_before + scene.instanced_geometries;
        scene.instanced_geometries += definition.geometry_count();
        scene.instanced_primitives += definition.primitive_count();
        let seat = instance.seat.map(|[node, number]| Seat { node, number });
        let has_seat = seat.is_none_or(|Seat { node, number }| {
            let node = scene.nodes.get(node as usize);
            node.is_some_and(|node| (number as usize) < node.node_from_part.len())
        });
        let instance = instance.instance(seat, &size.bounds).filter(|_| fits && has_seat)?;
        scene.instances.push(instance);
    }
    scene.names = state.names.into_iter().map(|(id, names)| (id, name_of(names))).collect();
    scene.masks = state.masks.into_iter().collect();
    scene.appearances = state.appearances.into_iter().map(|(id, it)| (id, it.into())).collect();
    scene.label_names = state.label_names.into_iter().collect();
    scene.integers = IntegerColumns(state.integers.into_iter().collect());
    scene.instance_integers = IntegerColumns(state.instance_integers.into_iter().collect());
    scene.coarse = state.coarse;
    let ranges = state.node_ranges.into_iter().map(|(first, node)| (first, node.into()));
    scene.node_ranges = NodeRanges::of(ranges);
    scene.uses = Uses::of(state.uses.into_iter().map(|[start, end]| start..end));
    let instance_count = scene.instances.len() as u32;
    scene.worlds = Arc::new(state.worlds.into_iter().map(OtherWorld::from).collect());
    let mut moved = scene.worlds.iter().flat_map(|world| &world.moved);
    let parents = scene.nodes.iter().enumerate();
    let mut parents = parents.filter_map(|(index, node)| Some((index as u32, node.parent?)));
    let fits = moved.all(|(index, _)| *index < instance_count)
        && parents.all(|(index, parent)| parent.index() < index);
    scene.cameras = state.cameras;
    scene.up = if state.is_y_up { UpAxis::Y } else { UpAxis::Z };
    scene.floats = state.floats;
    fits.then_some(scene)
}

fn components(name: &Name) -> NameState {
    let mut names: NameState = std::iter::successors(Some(name), |name| name.parent())
        .map(|name| name.last().to_owned())
        .collect();
    names.reverse();
    names
}

fn name_of(names: NameState) -> Name {
    let mut names = names.into_iter();
    let root = Name::from(names.next().unwrap_or_default());
    names.fold(root, |name, last| name.child(last))
}

impl From<Appearance> for AppearanceState {
    fn from(Appearance { color, label, reflectance }: Appearance) -> Self {
        Self { color, label, reflectance }
    }
}

impl From<AppearanceState> for Appearance {
    fn from(AppearanceState { color, label, reflectance }: AppearanceState) -> Self {
        Self { color, label, reflectance }
    }
}

impl InstanceState {
    fn instance(self, seat: Option<Seat>, bounds: &crate::math::Bounds) -> Option<Instance> {
        let exact: Transform = self.transform.into();
        Some(Instance {
            definition: self.definition,
            has_own_definition: self.has_own_definition,
            first_geometry: self.first_geometry,
            own_before: self.own_before,
            seat,
            exact,
            placement: super::instance::placement_of(&exact.affine(), bounds).ok()?,
            name: self.name.map(name_of),
            appearance: self.appearance.into(),
        })
    }
}

impl From<&OtherWorld> for WorldState {
    fn from(world: &OtherWorld) -> Self {
        let moved = world.moved.iter().map(|(index, place)| (*index, place.into()));
        Self { moved: moved.collect(), cameras: world.cameras.clone() }
    }
}

impl From<WorldState> for OtherWorld {
    fn from(state: WorldState) -> Self {
        let moved = state.moved.into_iter().map(|(index, place)| (index, place.into()));
        Self { moved: moved.collect(), cameras: state.cameras }
    }
}

impl From<&Instance> for InstanceState {
    fn from(instance: &Instance) -> Self {
        Self {
            definition: instance.definition,
            has_own_definition: instance.has_own_definition,
            first_geometry: instance.first_geometry,
            own_before: instance.own_before,
            seat: instance.seat.map(|Seat { node, number }| [node, number]),
            transform: (&instance.exact).into(),
            name: instance.name.as_ref().map(components),
            appearance: instance.appearance.into(),
        }
    }
}

impl From<&MovableNode> for NodeState {
    fn from(node: &MovableNode) -> Self {
        let NodeTransforms { parent_from_node, world_from_node } = &node.transforms;
        Self {
            parent: node.parent.map(NodeId::index),
            parent_from_node: parent_from_node.into(),
            world_from_node: world_from_node.into(),
            name: node.name.as_ref().map(components),
            node_from_part: node
                .node_from_part
                .iter()
                .map(|part| part.as_ref().map(TransformState::from))
                .collect(),
        }
    }
}

impl From<NodeState> for MovableNode {
    fn from(state: NodeState) -> Self {
        Self {
            parent: state.parent.map(NodeId),
            transforms: NodeTransforms {
                parent_from_node: state.parent_from_node.into(),
                world_from_node: state.world_from_node.into(),
            },
            name: state.name.map(name_of),
            node_from_part: state
                .node_from_part
                .into_iter()
                .map(|part| part.map(Transform::from))
                .collect(),
        }
    }
}

impl From<&Transform> for TransformState {
    fn from(transform: &Transform) -> Self {
        match transform {
            Transform::Similarity(Similarity { translation, rotation, scale }) => {
                Self::Similarity {
                    translation: translation.to_array(),
                    rotation: rotation.to_array(),
                    scale: *scale,
                }
            }
            Transform::Affine(Affine { linear, translation }) => {
                Self::Affine { linear: linear.to_cols_array(), translation: translation.to_array() }
            }
        }
    }
}

impl From<TransformState> for Transform {
    fn from(state: TransformState) -> Self {
        match state {
            TransformState::Similarity { translation, rotation, scale } => Similarity {
                translation: DVec3::from_array(translation),
                rotation: DQuat::from_array(rotation),
                scale,
            }
            .into(),
            TransformState::Affine { linear, translation } => Affine {
                linear: glam::DMat3::from_cols_array(&linear),
                translation: DVec3::from_array(translation),
            }
            .into(),
        }
    }
}

#[cfg(test)]
mod tests;
