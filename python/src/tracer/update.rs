//! Brings a tracer up to date with its scene.

use super::{Current, Tracer};
use crate::error::{IntoException, OrException, detached};
use crate::waiting::interruptible;
use pyo3::prelude::*;
use raytwin::{PackedScene, Scene, TraceError, UpdateError};
use std::sync::Arc;

/// What `Tracer.update` did.
///
/// ``action`` is one of these:
///
/// - ``"none"``: the scene is unchanged.
/// - ``"refit"``: instances moved, and the tree was adjusted to them.
/// - ``"rebuild"``: instances moved, and the tree was rebuilt.
/// - ``"repack"``: more than the places of instances changed, and the whole scene was packed again.
///
/// ``moved`` is the number of instances that moved.
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

/// The state of an update.
enum Step {
    Done(Update),
    /// More than the places of instances changed, and the scene has this version.
    Repack(Arc<Scene>, u64),
}

#[pymethods]
impl Tracer {
    /// Brings the tracer up to date with its scene, and returns an `Update` that describes the work.
    ///
    /// The call waits until calls of other threads end. After a DeviceError the tracer cannot cast until
    /// an update succeeds. After a SceneError, or Ctrl-C while the scene is packed again, it still
    /// needs an update.
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
        let step = detached(py, || {
            let mut current = self.current_mut()?;
            let (scene, version) = self.scene.get().snapshot();
            if version == current.version {
                return Ok(Step::Done(Update { action: "none", moved: 0 }));
            }
            match current.open.tracer.as_mut().update(&scene) {
                Ok(update) => {
                    let action = match (update.is_rebuilt, update.moved()) {
                        (true, _) => "rebuild",
                        (false, 0) => "none",
                        (false, _) => "refit",
                    };
                    current.version = version;
                    Ok(Step::Done(Update { action, moved: update.moved() }))
                }
                Err(TraceError::Update(UpdateError::Structure)) => Ok(Step::Repack(scene, version)),
                Err(error) => Err(error.into_exception()),
            }
        })?;
        let (scene, version) = match step {
            Step::Done(update) => return Ok(update),
            Step::Repack(scene, version) => (scene, version),
        };
        let packed = interruptible(py, || PackedScene::new(scene).or_exception())?;
        detached(py, || {
            let mut current = self.current_mut()?;
            // Meanwhile an update in another thread may have reached a later version.
            if current.version < version {
                let open = self.engine.reopen(&packed, current.open.gpu.as_deref())?;
                *current = Current { open, version };
            }
            Ok(Update { action: "repack", moved: 0 })
        })
    }
}
