//! The file that a scene comes from.

use pyo3::prelude::*;
use raytwin_files::FileError;
use raytwin_formats::{FileStore, ImportedScene, JointState, Mount, Options, SceneGraph};
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// The file that a scene was read from.
#[derive(Clone)]
pub(super) struct Source {
    pub path: PathBuf,
    pub options: Options,
    pub links: HashMap<String, Mount>,
    /// The joints that one number each moves, as they stand.
    pub joints: Vec<JointState>,
    /// What the file describes, if the scene is movable.
    pub graph: Option<SceneGraph>,
}

impl Source {
    /// Makes the scene of what a file describes, and notes where it comes from.
    pub fn read(path: PathBuf, options: Options) -> Result<(ImportedScene, Self), FileError> {
        let graph = raytwin_formats::read(&FileStore::disk(), &path, &options)?;
        let kept = options.movable.then(|| graph.clone());
        let imported = graph.flatten(&options)?;
        let links = imported.links.clone();
        let joints = imported.joints.clone();
        Ok((imported, Self { path, options, links, joints, graph: kept }))
    }
}

/// Warns of what a file holds.
pub(super) fn warn(py: Python<'_>, path: &Path, warnings: &[String]) -> PyResult<()> {
    let warn = py.import("warnings")?.getattr("warn")?;
    for warning in warnings {
        // The lines of raytwin itself help nobody to find the call.
        warn.call1((format!("{}: {warning}", path.display()), py.None(), 3))?;
    }
    Ok(())
}
