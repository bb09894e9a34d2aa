//! The states of a scene, one for each row of a scan: values of a robot's joints, or worlds.

use super::Arguments;
use super::joint_columns::JointColumns;
use crate::console::Console;
use crate::failure::Failure;
use crate::source::{ReadScene, SceneArguments};
use rayon::prelude::*;
use raytwin::scene::Scene;
use raytwin_formats::{JointValue, SceneGraph};

/// The number of primitives to make at a time, in several states of a scene. With their trees they
/// need about 300 MB.
const PRIMITIVES_AT_ONCE: u64 = 1 << 20;

/// The number of states for each thread to make, so that no thread waits long for another.
const STATES_A_THREAD: usize = 4;

pub(super) enum States {
    /// A robot as its files describe it, and the values of its joints in each row.
    Joints(Box<SceneGraph>, Vec<Vec<(String, JointValue)>>),
    /// A scene with several worlds, one for each row.
    Worlds(Box<ReadScene>),
}

impl States {
    /// Reads the states from a trajectory's columns of joints, or else the worlds from `--qpos`;
    /// `None` if the scene has one state.
    ///
    /// # Errors
    /// A [`Failure`], for example if both are given.
    pub fn read(
        arguments: &Arguments,
        columns: &JointColumns,
        values: &[Vec<f64>],
        console: &Console,
    ) -> Result<Option<Self>, Failure> {
        let scene = &arguments.scene;
        if !columns.is_empty() {
            scene.refuse_joints(&columns.names())?;
            let rows = values.iter().map(|row| columns.values(row)).collect();
            return Ok(Some(Self::Joints(Box::new(scene.read_graph()?), rows)));
        }
        if !scene.may_have_worlds() {
            return Ok(None);
        }
        let read = scene.reported(console, || scene.read())?;
        Ok((read.scene.world_count() > 1).then(|| Self::Worlds(Box::new(read))))
    }

    /// Returns the number of states.
    pub fn count(&self) -> usize {
        match self {
            Self::Joints(_, rows) => rows.len(),
            Self::Worlds(read) => read.scene.world_count() as usize,
        }
    }

    /// Returns the scene in the state of a row.
    pub fn at(&self, arguments: &SceneArguments, row: usize) -> Result<ReadScene, Failure> {
        match self {
            Self::Joints(graph, rows) => arguments.posed(graph, &rows[row]),
            Self::Worlds(read) => {
                let alone = read.scene.in_world(row as u32);
                let alone = alone.map_err(|error| Failure::input(error.to_string()))?;
                let scene =
                    alone.ok_or_else(|| Failure::input(format!("there is no world {row}")))?;
                Ok(ReadScene {
                    scene,
                    links: read.links.clone(),
                    sites: read.sites.get(row).cloned().into_iter().collect(),
                    joints: Vec::new(),
                    warnings: Vec::new(),
                    warning_parts: Vec::new(),
                    sources: Vec::new(),
                    depth: 0,
                })
            }
        }
    }

    /// Makes something from a row, and at the same time from the rows after it. It takes as many
    /// rows as keep all threads busy and need little memory, given the scene in one of its states.
    pub fn of_rows_from<T: Send>(
        &self,
        first: usize,
        scene: &Scene,
        make: impl Fn(usize) -> Result<T, Failure> + Send + Sync,
    ) -> Vec<Result<T, Failure>> {
        let small = PRIMITIVES_AT_ONCE / scene.primitive_count().max(1);
        let most = (STATES_A_THREAD * rayon::current_num_threads()) as u64;
        let end = self.count().min(first + small.clamp(1, most) as usize);
        (first..end).into_par_iter().map(make).collect()
    }
}
