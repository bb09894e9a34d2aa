//! The file that a scene was read from.

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
    /// The joints that have one number as their value, with their current values.
    pub joints: Vec<JointState>,
    /// The contents of the file, if the scene is movable.
    pub graph: Option<SceneGraph>,
}

impl Source {
    /// Reads a file, and returns its scene and its source.
    pub fn read(path: PathBuf, options: Options) -> Result<(ImportedScene, Self), FileError> {
        let graph = raytwin_formats::read(&FileStore::disk(), &path, &options)?;
        let kept = options.movable.then(|| graph.clone());
        let imported = graph.flatten(&options)?;
        let links = imported.links.clone();
        let joints = imported.joints.clone();
        Ok((imported, Self { path, options, links, joints, graph: kept }))
    }
}

/// Warns, in Python, about the contents of a file.
pub(super) fn warn(py: Python<'_>, path: &Path, warnings: &[String]) -> PyResult<()> {
    let warn = py.import("warnings")?.getattr("warn")?;
    for warning in warnings {
        // The warning names the caller's line: raytwin's own lines do not help to find the call.
        warn.call1((format!("{}: {warning}", path.display()), py.None(), 3))?;
    }
    Ok(())
}
