//! The class `Scene`.

use crate::error::{IntoException, SceneError};
use crate::options;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use raytwin::{Scene as LibraryScene, import};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

/// Geometries, each with an id, numbered in the order of adding.
///
/// Threads may share a scene. A tracer keeps the scene as it was when the tracer took it.
#[pyclass(frozen, module = "raytwin")]
#[derive(Default)]
pub(crate) struct Scene {
    scene: RwLock<Arc<LibraryScene>>,
    version: AtomicU64,
    warnings: Vec<String>,
}

impl Scene {
    /// Returns the scene as it is now, and the number of changes that made it so.
    pub fn snapshot(&self) -> (Arc<LibraryScene>, u64) {
        let scene = self.scene.read().unwrap_or_else(PoisonError::into_inner);
        (Arc::clone(&scene), self.version())
    }

    /// Returns how often the scene was changed.
    pub fn version(&self) -> u64 {
        self.version.load(Ordering::Acquire)
    }

    /// Changes the scene. A change that fails leaves it as it was, because it is made on a copy where one is shared, and
    /// the library's own changes are whole or not at all.
    pub fn change<T, E>(
        &self,
        change: impl FnOnce(&mut LibraryScene) -> Result<T, E>,
    ) -> Result<T, E> {
        let mut scene = self.scene.write().unwrap_or_else(PoisonError::into_inner);
        let changed = change(Arc::make_mut(&mut scene));
        self.version.fetch_add(1, Ordering::AcqRel);
        changed
    }
}

#[pymethods]
impl Scene {
    #[new]
    fn new() -> Self {
        Self::default()
    }

    #[staticmethod]
    #[pyo3(signature = (path, *, strict = false, **options))]
    fn load(
        py: Python<'_>,
        path: PathBuf,
        strict: bool,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let options = options::options(&path, options)?;
        let imported =
            py.detach(|| import::load(&path, &options)).map_err(IntoException::into_exception)?;
        let warnings: Vec<String> =
            imported.warnings.iter().map(|warning| warning.to_string()).collect();
        if strict && !warnings.is_empty() {
            return Err(SceneError::new_err(format!(
                "{}: {}",
                path.display(),
                warnings.join("; ")
            )));
        }
        let warn = py.import("warnings")?.getattr("warn")?;
        for warning in &warnings {
            warn.call1((format!("{}: {warning}", path.display()),))?;
        }
        Ok(Self { scene: RwLock::new(Arc::new(imported.scene)), warnings, ..Self::default() })
    }

    /// The warnings about what the file holds and the scene does not.
    #[getter]
    fn warnings(&self) -> Vec<String> {
        self.warnings.clone()
    }

    #[getter]
    fn geometry_count(&self) -> u32 {
        self.snapshot().0.geometry_count()
    }

    #[getter]
    fn origin(&self) -> [f64; 3] {
        self.snapshot().0.origin().to_array()
    }

    /// Returns the path of names of a geometry, such as `arm/elbow`, or `sphere[17]` if it has no name.
    fn path(&self, geometry_id: u32) -> PyResult<String> {
        let (scene, _) = self.snapshot();
        if geometry_id >= scene.geometry_count() {
            return Err(pyo3::exceptions::PyIndexError::new_err(format!(
                "the scene has {} geometries, numbered from 0, and none has the id {geometry_id}",
                scene.geometry_count()
            )));
        }
        Ok(scene.path(geometry_id))
    }

    fn __repr__(&self) -> String {
        let (scene, _) = self.snapshot();
        let census: Vec<String> =
            scene.census().iter().map(|(name, count)| format!("{name}: {count}")).collect();
        format!("Scene({})", census.join(", "))
    }
}
