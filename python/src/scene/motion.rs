//! The parts of a scene that move: nodes and their instances, robots with joints, and worlds.

use super::Scene;
use super::placing::{node_at, refused, transform};
use super::source::{Source, warn};
use crate::error::{OrException, detached};
use crate::options::{self, JointArguments};
use numpy::{IntoPyArray, PyArray1, PyArray2, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use rayon::prelude::*;
use raytwin::glam::{DMat3, DVec3};
use raytwin::math::Similarity;
use raytwin::{Definition, NodeId, Scene as LibraryScene, Transform};
use raytwin_formats::{JointState, Mount, Options};

use std::collections::BTreeMap;
use std::sync::{MutexGuard, PoisonError};

/// The number of matrices that one task reads. With fewer, threads cost more time than they save.
const MATRICES_A_TASK: usize = 1024;

/// A joint's name, whether it turns, its value and its limits.
type MovableJoint = (String, bool, f64, Option<[f64; 2]>);

impl Scene {
    /// Returns the scene as a definition, in the coordinates of its file.
    fn as_definition(&self) -> PyResult<Definition> {
        let (scene, version) = self.snapshot();
        let mut kept = self.definition.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, definition)) = kept.as_ref().filter(|(of, _)| *of == version) {
            return Ok(definition.clone());
        }
        if scene.world_count() > 1 {
            return Err(refused("a scene with several worlds cannot be a definition of instances"));
        }
        let origin = Similarity { translation: scene.origin(), ..Similarity::IDENTITY };
        let mut definition = Definition::new((*scene).clone());
        if scene.origin() != DVec3::ZERO {
            definition = definition.moved(&origin.into());
        }
        *kept = Some((version, definition.clone()));
        Ok(definition)
    }

    /// Changes the nodes with these numbers, by matrices.
    fn change_nodes(
        &self,
        py: Python<'_>,
        nodes: &PyReadonlyArray1<'_, u32>,
        matrices: &PyReadonlyArray2<'_, f64>,
        change: impl FnOnce(&mut LibraryScene, &[NodeId], &[Transform]) -> PyResult<()> + Send,
    ) -> PyResult<()> {
        let (nodes, matrices) = (nodes.as_slice()?, matrices.as_slice()?);
        detached(py, || {
            self.change(|scene| {
                let nodes = nodes.iter().map(|&node| node_at(scene, node));
                let nodes: Vec<NodeId> = nodes.collect::<PyResult<_>>()?;
                let rows = matrices.as_chunks::<12>().0.par_iter().with_min_len(MATRICES_A_TASK);
                let transforms: Vec<Transform> = rows.map(|&rows| transform(rows)).collect();
                change(scene, &nodes, &transforms)
            })
        })
    }

    fn source(&self) -> PyResult<MutexGuard<'_, Source>> {
        let source = self.source.as_ref().ok_or_else(|| {
            refused("the scene was not read from a file in this process, so its joints are unknown: load it, or move its nodes instead")
        })?;
        Ok(source.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

fn transforms(rows: &[f64]) -> impl ExactSizeIterator<Item = Transform> {
    rows.as_chunks::<12>().0.iter().map(|&rows| transform(rows))
}

#[pymethods]
impl Scene {
    /// Adds a node for each matrix, and returns the number of the first.
    fn _add_nodes(
        &self,
        py: Python<'_>,
        names: Vec<Option<String>>,
        parent: Option<u32>,
        matrices: PyReadonlyArray2<'_, f64>,
    ) -> PyResult<u32> {
        let matrices = matrices.as_slice()?;
        detached(py, || {
            self.change(|scene| {
                let parent = parent.map(|parent| node_at(scene, parent)).transpose()?;
                // All nodes are checked before the first one is added.
                let world = parent.and_then(|parent| scene.world_from(parent));
                let world = world.unwrap_or(Transform::IDENTITY);
                for (row, matrix) in transforms(matrices).enumerate() {
                    let checked = world.then_inner(&matrix).affine().check();
                    checked.map_err(|error| refused(format!("matrices[{row}]: {error}")))?;
                }
                let first = scene.nodes().len() as u32;
                for (matrix, name) in transforms(matrices).zip(&names) {
                    scene.add_node(parent, &matrix, name.as_deref()).or_exception()?;
                }
                Ok(first)
            })
        })
    }

    /// Adds an instance of a scene for each matrix, at its node if nodes are given, and returns the ids
    /// of their first geometries.
    #[pyo3(signature = (definition, matrices, nodes, names, color))]
    fn _add_instances<'py>(
        &self,
        py: Python<'py>,
        definition: PyRef<'py, Self>,
        matrices: PyReadonlyArray2<'py, f64>,
        nodes: Option<PyReadonlyArray1<'py, u32>>,
        names: Vec<String>,
        color: Option<[f32; 3]>,
    ) -> PyResult<Bound<'py, PyArray1<u32>>> {
        let matrices = matrices.as_slice()?;
        let nodes = nodes.as_ref().map(|nodes| nodes.as_slice()).transpose()?;
        let definition: &Self = &definition;
        let ids = detached(py, || {
            let definition = definition.as_definition()?;
            self.change(|scene| {
                let mut grown = scene.clone();
                let mut ids = Vec::with_capacity(matrices.len() / 12);
                for (row, matrix) in transforms(matrices).enumerate() {
                    let name = names.get(if names.len() == 1 { 0 } else { row });
                    let added = match nodes.map(|nodes| nodes[row]) {
                        None => {
                            let name = name.map(|name| name.as_str().into());
                            grown.add_instance(&definition, &matrix, name, color)
                        }
                        Some(node) => {
                            let node = node_at(&grown, node)?;
                            grown.add_instance_at(node, &definition.moved(&matrix), color)
                        }
                    };
                    let added =
                        added.map_err(|error| refused(format!("matrices[{row}]: {error}")))?;
                    ids.push(added.start);
                }
                *scene = grown;
                PyResult::Ok(ids)
            })
        })?;
        Ok(ids.into_pyarray(py))
    }

    /// Moves nodes, and everything below them.
    fn _set_transforms(
        &self,
        py: Python<'_>,
        nodes: PyReadonlyArray1<'_, u32>,
        matrices: PyReadonlyArray2<'_, f64>,
    ) -> PyResult<()> {
        self.change_nodes(py, &nodes, &matrices, |scene, nodes, transforms| {
            let moved: Vec<_> = nodes.iter().copied().zip(transforms.iter().copied()).collect();
            scene.set_transforms(&moved).or_exception()
        })
    }

    /// The paths of all nodes, in the order of their numbers. A node without a name has an empty path.
    #[getter]
    fn nodes(&self) -> Vec<String> {
        let (scene, _) = self.snapshot();
        let name = |node| scene.node_name(node).map_or_else(String::new, ToString::to_string);
        scene.nodes().map(name).collect()
    }

    /// Returns the transform from a node into the world frame.
    fn _world_from_node<'py>(
        &self,
        py: Python<'py>,
        node: u32,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let (scene, _) = self.snapshot();
        let node = node_at(&scene, node)?;
        let affine = scene.world_from(node).unwrap_or(Transform::IDENTITY).affine();
        matrix(py, &affine.linear, affine.translation)
    }

    /// The names of the robot's joints that have one number as their value, in the order of the file.
    /// Empty for a scene that was not read from a file.
    #[getter]
    fn joint_names(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        if self.source.is_none() {
            return Ok(Vec::new());
        }
        let joints = detached(py, || self.source().map(|source| source.joints.clone()))?;
        Ok(joints.into_iter().map(|joint| joint.name).collect())
    }

    /// The joints that `_set_joints` moves with one number each: their names, whether they turn, and
    /// their values and limits in radians or metres. Empty for a scene that is not movable.
    fn _movable_joints(&self, py: Python<'_>) -> PyResult<Vec<MovableJoint>> {
        if self.source.is_none() {
            return Ok(Vec::new());
        }
        let joints = detached(py, || {
            let source = self.source()?;
            PyResult::Ok(source.graph.as_ref().map(|_| source.joints.clone()).unwrap_or_default())
        })?;
        let as_tuple = |JointState { name, turns, value, limits }| (name, turns, value, limits);
        Ok(joints.into_iter().map(as_tuple).collect())
    }

    /// Moves the joints of the robot that the scene was read from.
    fn _set_joints(&self, py: Python<'_>, joints: JointArguments<'_>) -> PyResult<()> {
        let joints = options::joints(joints)?;
        let (path, warnings) = detached(py, || {
            let mut source = self.source()?;
            let Some(graph) = &source.graph else {
                return Err(refused(
                    "the scene is not movable: load it with movable=True to move its joints",
                ));
            };
            let posed = graph.posed(&joints).or_exception()?;
            // The points of both scenes must have the same origin.
            let origin = Some(raytwin_formats::Origin::At(self.snapshot().0.origin()));
            let options = Options { origin, ..source.options.clone() };
            let imported = posed.clone().flatten(&options).or_exception()?;
            self.change(|scene| scene.follow(&imported.scene))
                .map_err(|error| refused(format!("{} {error}", source.path.display())))?;
            source.graph = Some(posed);
            source.links = imported.links;
            source.joints = imported.joints;
            let warnings: Vec<String> =
                imported.warnings.iter().map(|warning| warning.to_string()).collect();
            Ok((source.path.clone(), warnings))
        })?;
        let is_new = |warning: &String| !self.warnings.contains(warning);
        let warnings: Vec<String> = warnings.into_iter().filter(is_new).collect();
        warn(py, &path, &warnings)
    }

    /// The poses of the robot's links, as a dictionary from name to a float64 array of shape (4, 4).
    /// Empty for a scene that was not read from a file.
    #[getter]
    fn link_poses<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let poses = PyDict::new(py);
        if self.source.is_none() {
            return Ok(poses);
        }
        let links = detached(py, || self.source().map(|source| source.links.clone()))?;
        let links: BTreeMap<String, Mount> = links.into_iter().collect();
        for (name, Mount { pose, .. }) in links {
            let linear = DMat3::from_quat(pose.rotation);
            poses.set_item(name, matrix(py, &linear, pose.position)?)?;
        }
        Ok(poses)
    }

    /// Moves nodes in each world. The matrices are those of all nodes in the first world, then in the
    /// second, and so on. These worlds replace those of the scene.
    fn _set_worlds(
        &self,
        py: Python<'_>,
        nodes: PyReadonlyArray1<'_, u32>,
        matrices: PyReadonlyArray2<'_, f64>,
    ) -> PyResult<()> {
        self.change_nodes(py, &nodes, &matrices, |scene, nodes, transforms| {
            scene.set_worlds(nodes, transforms).map_err(|error| refused(error.to_string()))
        })
    }

    /// Adds a world, and returns its number.
    ///
    /// ``other`` is a scene with the same shapes and other transforms.
    fn add_world(&self, py: Python<'_>, other: PyRef<'_, Self>) -> PyResult<u32> {
        let other: &Self = &other;
        detached(py, || {
            let (other, _) = other.snapshot();
            self.change(|scene| scene.add_world(&other)).map_err(|error| refused(error.to_string()))
        })
    }

    /// The number of worlds.
    #[getter]
    fn world_count(&self) -> u32 {
        self.snapshot().0.world_count()
    }
}

/// Returns a matrix of four rows.
pub(crate) fn matrix<'py>(
    py: Python<'py>,
    linear: &DMat3,
    translation: DVec3,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let rows = linear.transpose();
    let row = |row: DVec3, last: f64| vec![row.x, row.y, row.z, last];
    let rows = [
        row(rows.x_axis, translation.x),
        row(rows.y_axis, translation.y),
        row(rows.z_axis, translation.z),
        vec![0.0, 0.0, 0.0, 1.0],
    ];
    Ok(PyArray2::from_vec2(py, &rows)?)
}
