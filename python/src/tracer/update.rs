//! Takes a tracer to its scene as it is now.

use super::{Current, Tracer};
use crate::error::{IntoException, detached};
use pyo3::prelude::*;
use raytwin::{PackedScene, TraceError, UpdateError};

/// The work of `Tracer.update`.
///
/// ``action`` is ``"none"`` if the scene is as it was, ``"refit"`` if instances moved and the tree
/// was fitted to them, ``"rebuild"`` if the tree was built anew for them, and ``"repack"`` if more
/// had changed, so that all was packed anew. ``moved`` is the number of instances that moved.
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

#[pymethods]
impl Tracer {
    /// Takes the tracer to its scene as it is now, and tells what was done. It waits for calls of
    /// other threads to end.
    ///
    /// After a DeviceError the tracer answers nothing until an update succeeds; after a SceneError
    /// it goes on waiting for one.
    ///
    ///     >>> import numpy as np
    ///     >>> import raytwin as rt
    ///     >>> ball, scene = rt.Scene(), rt.Scene()
    ///     >>> ids = ball.add_spheres([0, 0, 5], 1.0)
    ///     >>> node = scene.add_node()
    ///     >>> ids = scene.add_instances(ball, nodes=[node])
    ///     >>> tracer = rt.Tracer(scene, device="cpu")
    ///     >>> scene.set_transforms([node], [np.diag([1.0, 1.0, 2.0, 1.0])])
    ///     >>> tracer.update().moved, tracer.cast_rays([0, 0, 0, 0, 0, 1]).t_hit.tolist()
    ///     (1, 8.0)
    fn update(&self, py: Python<'_>) -> PyResult<Update> {
        detached(py, || {
            let mut current = self.current_mut()?;
            let (scene, version) = self.scene.get().snapshot();
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
                    let open = self.engine.open(&packed, current.open.gpu.as_ref())?;
                    *current = Current { open, version };
                    Update { action: "repack", moved: 0 }
                }
                Err(error) => return Err(error.into_exception()),
            };
            Ok(update)
        })
    }
}
