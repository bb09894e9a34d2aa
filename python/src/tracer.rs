//! The class `Tracer`.

mod engine;
mod growing;
mod on_card;
mod points;
mod rays;
mod rays_argument;
pub(crate) mod render;
mod sample;
mod scan;
pub(crate) mod update;
mod verify;
mod views;

use crate::error::{OrException, SceneError, detached};
use crate::pieces::{Pace, refuse_between_pieces};
use crate::process::OfProcess;
use crate::scene::Scene;
use crate::waiting::interruptible;
use engine::{Engine, OpenTracer};
use pyo3::prelude::*;
use raytwin::PackedScene;
use raytwin::glam::DVec3;
use raytwin_cuda::Card;
use std::sync::{OnceLock, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

/// An argument of a call, as a Python object.
type Argument<'a, 'py> = &'a Bound<'py, PyAny>;

/// Casts rays into a scene, and answers questions about points, on one device.
///
/// ``device`` is one of these:
///
/// - ``"auto"``: a hardware GPU if there is one that the scene fits on, otherwise the CPU. The
///   attributes `device` and `device_reason` show which device was chosen and why.
/// - ``"gpu"``: any GPU, including a software one.
/// - ``"cpu"``: float64 on all cores.
/// - Part of a name in `raytwin.devices`.
///
/// With ``canonical=True`` a GPU returns the same bits as the CPU: the GPU proposes what each ray
/// hits, and the CPU completes the answer in float64.
///
/// Rays are an array of shape (..., 6): origin and direction, which need not be of unit length. With
/// shape (..., 8) they also have ``t_min`` and ``t_max``, which are 0 and infinity by default. Points
/// are an array of shape (..., 3). Arrays of any real type are accepted, through NumPy, DLPack or
/// Arrow. They are in your own coordinates. raytwin subtracts the scene's origin and then rounds them
/// to float32. All answers have the leading shape of the rays or points. A ray is invalid if one of
/// its numbers is not finite or its direction has no length. Its answer is NaN, False or 0, and the
/// other rays are not affected.
///
/// All queries of rays accept these filters, each one integer for all rays or an integer array of the
/// leading shape:
///
/// - ``masks``: a ray hits a geometry only if their masks have a bit in common.
/// - ``ignore_ids``: the id of a geometry that the ray passes through; 0xFFFFFFFF for none.
/// - ``world_ids``: the world that the ray is cast in, if the scene has several.
///
/// Rays and points may also be a pandas, polars or Arrow table. Its columns are found by name, in any
/// order, and other columns are ignored. Rays have ``ox oy oz dx dy dz``, optionally ``t_min t_max``,
/// and optionally ``ray_mask ignore_id world_id`` in place of the arguments. Points have ``x y z``.
/// If the table has none of these names, raytwin uses its 6 or 8 columns of numbers (for points: 3)
/// in this order. A null in ``t_min`` or ``t_max`` means the default, and any other null makes the
/// ray or point invalid. An index is not a column.
///
/// With ``progress=True`` a call shows a tqdm bar. Ctrl-C ends a call, and you can use the tracer
/// afterwards. Threads may share a tracer, and other threads run while it casts.
///
/// All calls raise ValueError or TypeError if an argument is not an array of rays or points,
/// SceneError if the scene was changed without `update` or a filter does not fit the scene,
/// DeviceError if the device fails, and MemoryError if there is no memory for the answers.
///
///     >>> import raytwin as rt
///     >>> scene = rt.Scene()
///     >>> ids = scene.add_spheres([[0, 0, 5], [0, 0, 9]], 1.0)
///     >>> tracer = rt.Tracer(scene, device="cpu")
///     >>> tracer.cast_rays([[0, 0, 0, 0, 0, 1], [0, 0, 0, 1, 0, 0]]).t_hit
///     array([ 4., inf], dtype=float32)
#[pyclass(frozen, module = "raytwin")]
pub(crate) struct Tracer {
    scene: Py<Scene>,
    engine: Engine,
    current: OfProcess<RwLock<Current>>,
    /// The CUDA device that it casts on, once arrays are there.
    card: OnceLock<Card>,
    paces: Paces,
}

/// The library's tracer, and the version of the scene that it casts into.
struct Current {
    open: OpenTracer,
    version: u64,
}

/// The sizes of the pieces of each kind of call.
struct Paces {
    closest: Pace,
    any: Pace,
    count: Pace,
    all: Pace,
    paths: Pace,
    points: Pace,
    containment: Pace,
    render: Pace,
    verify: Pace,
    sample: Pace,
    generate_rays: Pace,
}

impl Default for Paces {
    fn default() -> Self {
        Self {
            closest: Pace::of_rays(),
            any: Pace::of_rays(),
            count: Pace::of_rays(),
            all: Pace::default(),
            paths: Pace::default(),
            points: Pace::default(),
            containment: Pace::of_rays(),
            render: Pace::of_rays(),
            verify: Pace::default(),
            sample: Pace::of_rays(),
            generate_rays: Pace::of_rays(),
        }
    }
}

impl Tracer {
    /// Returns the tracer for reading. The caller must be detached from the interpreter: a thread that
    /// waits for a lock while attached may block the thread that has the lock.
    ///
    /// # Errors
    /// SceneError if the scene was changed, or if its origin is not the one that was subtracted from
    /// the rays.
    fn current(&self, origin: DVec3) -> PyResult<RwLockReadGuard<'_, Current>> {
        refuse_between_pieces()?;
        let current = self.current.read().unwrap_or_else(PoisonError::into_inner);
        let is_current = current.version == self.scene.get().version();
        if !is_current || current.open.tracer.as_ref().scene().origin() != origin {
            return Err(SceneError::new_err(
                "the scene was changed after the tracer read it: call update() on the tracer first",
            ));
        }
        Ok(current)
    }

    /// Returns the tracer for changing. The caller must be detached from the interpreter.
    fn current_mut(&self) -> PyResult<RwLockWriteGuard<'_, Current>> {
        refuse_between_pieces()?;
        Ok(self.current.write().unwrap_or_else(PoisonError::into_inner))
    }

    fn origin(&self) -> DVec3 {
        self.scene.get().snapshot().0.origin()
    }
}

#[pymethods]
impl Tracer {
    #[new]
    #[pyo3(signature = (scene, device = "auto", *, canonical = false))]
    fn new(py: Python<'_>, scene: Py<Scene>, device: &str, canonical: bool) -> PyResult<Self> {
        let engine = Engine::new(device, canonical)?;
        let gpu = engine.opening();
        let (taken, version) = py.detach(|| scene.get().snapshot());
        let packed = interruptible(py, || PackedScene::new(taken).or_exception())?;
        let open = detached(py, || engine.open(&packed, gpu))?;
        let current = Current { open, version };
        if current.open.gpu.is_some() {
            py.import("raytwin.fork")?.call_method0("spare_children")?;
        }
        let current = OfProcess::new(RwLock::new(current));
        Ok(Self { scene, engine, current, card: OnceLock::new(), paces: Paces::default() })
    }

    /// The scene that the tracer was made for.
    #[getter]
    fn scene(&self, py: Python<'_>) -> Py<Scene> {
        self.scene.clone_ref(py)
    }

    /// One line that describes the device.
    #[getter]
    fn device(&self, py: Python<'_>) -> PyResult<String> {
        detached(py, || {
            let current = self.current.read().unwrap_or_else(PoisonError::into_inner);
            Ok(current.open.tracer.as_ref().device())
        })
    }

    /// The reason why ``"auto"`` casts on the CPU. None if it casts on a GPU, or if you chose the
    /// device yourself.
    #[getter]
    fn device_reason(&self, py: Python<'_>) -> PyResult<Option<String>> {
        detached(py, || {
            let current = self.current.read().unwrap_or_else(PoisonError::into_inner);
            Ok(current.open.reason.clone())
        })
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        // Logging a tracer in a forked process must not fail.
        let device = self.device(py).unwrap_or_else(|_| "of another process".to_owned());
        format!("Tracer({device})")
    }
}
