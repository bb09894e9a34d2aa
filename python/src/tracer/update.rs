//! Takes a tracer to its scene as it is now.

use super::{Current, Tracer};
use crate::error::{IntoException, detached};
use pyo3::prelude::*;
use raytwin::{PackedScene, TraceError, UpdateError};

#[pyclass(frozen, get_all, module = "raytwin")]
pub(crate) struct Update {
    action: &'static str,
    moved: usize,
}

#[pymethods]
impl Update {
    fn __repr__(&self) -> String {
        format!("Update(action='{}', moved={})", self.action, self.moved)
    }
}

pub(super) fn update(tracer: &Tracer, py: Python<'_>) -> PyResult<Update> {
    detached(py, || {
        let mut current = tracer.current_mut()?;
        let (scene, version) = tracer.scene.get().snapshot();
        if version == current.version {
            return Ok(Update { action: "none", moved: 0 });
        }
        let update = match current.open.tracer.update(&scene) {
            Ok(update) => {
                let action = match (update.is_rebuilt, update.moved()) {
                    (true, _) => "rebuild",
                    (false, 0) => "none",
                    (false, _) => "refit",
                };
                current.version = version;
                Update { action, moved: update.moved() }
            }
            Err(TraceError::Update(UpdateError::Structure)) => {
                let packed = PackedScene::new(scene).map_err(IntoException::into_exception)?;
                let open = tracer.engine.open(&packed, current.open.gpu.as_ref())?;
                *current = Current { open, version };
                Update { action: "repack", moved: 0 }
            }
            Err(error) => return Err(error.into_exception()),
        };
        Ok(update)
    })
}
