//! The base class `Scene`. `raytwin/scene.py` defines the class that users see.

mod cameras;
mod contents;
mod motion;
mod overlaps;
mod placing;
mod shapes;
mod source;

use crate::error::{OrException, SceneError, detached_in_any_process};
use crate::options;
use crate::waiting::interruptible;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use raytwin::glam::DVec3;
use raytwin::{Definition, Scene as LibraryScene};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

pub(crate) use shapes::shape_fields;

use source::{Source, warn};

/// A list of geometries, whose ids count from 0 in the order of adding.
///
/// Threads may share a scene. A tracer keeps the scene as it was when the tracer was made or updated.
#[pyclass(frozen, subclass, module = "raytwin._raytwin")]
#[derive(Default)]
pub(crate) struct Scene {
    scene: RwLock<Arc<LibraryScene>>,
    version: AtomicU64,
    warnings: Vec<String>,
    /// The file that the scene was read from, if it was.
    source: Option<Mutex<Source>>,
    /// The scene as a definition, with its version. All instances of one version share it.
    definition: Mutex<Option<(u64, Definition)>>,
}

/// The source of a scene.
#[derive(FromPyObject)]
pub(crate) enum Origin<'py> {
    Other(PyRef<'py, Scene>),
    Bytes(Bound<'py, PyBytes>),
    File(PathBuf),
}

impl<'py> Origin<'py> {
    fn read(given: &Bound<'py, PyAny>) -> PyResult<Self> {
        given.extract().map_err(|_| {
            let name = given.get_type().name().map_or_else(|_| String::new(), |name| name.to_string());
            PyTypeError::new_err(format!(
                "source must be the path of a file, bytes that to_bytes returned, or another Scene, and not a {name}"
            ))
        })
    }
}

impl Scene {
    /// Returns the current scene, and the number of its changes so far.
    pub fn snapshot(&self) -> (Arc<LibraryScene>, u64) {
        let scene = self.scene.read().unwrap_or_else(PoisonError::into_inner);
        (Arc::clone(&scene), self.version())
    }

    /// Returns how often the scene was changed.
    pub fn version(&self) -> u64 {
        self.version.load(Ordering::Acquire)
    }

    /// Changes the scene. If a change fails, the scene stays as it was, because the library makes a
    /// change completely or not at all. The caller must be detached from the interpreter during the
    /// change: a thread that waits for a lock while attached may block the thread that has the lock.
    pub fn change<T, E>(
        &self,
        change: impl FnOnce(&mut LibraryScene) -> Result<T, E>,
    ) -> Result<T, E> {
        let mut scene = self.scene.write().unwrap_or_else(PoisonError::into_inner);
        let changed = change(Arc::make_mut(&mut scene))?;
        self.version.fetch_add(1, Ordering::AcqRel);
        Ok(changed)
    }

    /// Reads a file, and warns in Python about contents of the file that the scene lacks.
    fn read(
        py: Python<'_>,
        path: &Path,
        is_strict: bool,
        given: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let options = options::options(path, given)?;
        let read = path.to_owned();
        let (imported, source) =
            interruptible(py, move || Source::read(read, options).or_exception())?;
        let warnings: Vec<String> =
            imported.warnings.iter().map(|warning| warning.to_string()).collect();
        if is_strict && !warnings.is_empty() {
            return Err(SceneError::new_err(format!(
                "{}: {}",
                path.display(),
                warnings.join("; ")
            )));
        }
        warn(py, path, &warnings)?;
        Ok(Self {
            scene: RwLock::new(Arc::new(imported.scene)),
            warnings,
            source: Some(Mutex::new(source)),
            ..Self::default()
        })
    }
}

#[pymethods]
impl Scene {
    #[new]
    #[pyo3(signature = (source = None, *, strict = false, **options))]
    fn new(
        py: Python<'_>,
        source: Option<&Bound<'_, PyAny>>,
        strict: bool,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        match source.map(Origin::read).transpose()? {
            Some(Origin::File(path)) => Self::read(py, &path, strict, options),
            Some(Origin::Other(other)) => {
                options::none_for("a copy of a scene", options)?;
                let source = other.source.as_ref().map(|source| {
                    Mutex::new(source.lock().unwrap_or_else(PoisonError::into_inner).clone())
                });
                Ok(Self {
                    scene: RwLock::new(other.snapshot().0),
                    warnings: other.warnings.clone(),
                    source,
                    ..Self::default()
                })
            }
            Some(Origin::Bytes(bytes)) => {
                options::none_for("bytes", options)?;
                let bytes = bytes.as_bytes();
                // A forked process that receives a pickled scene reads it before it can report errors.
                let scene =
                    detached_in_any_process(py, || LibraryScene::from_bytes(bytes).or_exception())?;
                Ok(Self { scene: RwLock::new(Arc::new(scene)), ..Self::default() })
            }
            None => {
                let origin = options::origin_alone(options)?;
                let scene = origin.map_or_else(LibraryScene::new, |origin| {
                    LibraryScene::with_origin(DVec3::from_array(origin))
                });
                Ok(Self { scene: RwLock::new(Arc::new(scene)), ..Self::default() })
            }
        }
    }

    /// The warnings about contents of the scene's file that raytwin could not read.
    #[getter]
    fn warnings(&self) -> Vec<String> {
        self.warnings.clone()
    }
}
