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

/// An argument of a call, as Python gives it.
type Argument<'a, 'py> = &'a Bound<'py, PyAny>;

/// Casts rays into a scene, and asks about points, on one device.
///
/// ``device`` is ``"auto"`` (a hardware GPU if there is one that the scene fits, else the CPU:
/// `device` and `device_reason` say which and why), ``"gpu"`` (any GPU, a software one too),
/// ``"cpu"`` (float64 on all cores) or part of the name of one of `raytwin.devices`. With
/// ``canonical`` a GPU gives the bits of the CPU: the device proposes what each ray hits, and the
/// CPU completes the answer in float64.
///
/// Rays have the shape (..., 6): origin and direction, which need not be of unit length; or
/// (..., 8) with ``t_min`` and ``t_max`` besides, which are 0 and infinity by default. Points have
/// the shape (..., 3). Both are arrays of any real type, by NumPy, DLPack or Arrow; they are in
/// your own coordinates, and are rounded to float32 once the scene's origin is subtracted. All
/// answers have the leading shape of what is asked. An invalid ray, with a number that is not
/// finite or a direction without length, is answered by NaN, False or 0 and harms no other.
///
/// All queries of rays take, each for all rays or as an integer array of the leading shape,
///
/// - ``masks``: a geometry is hit only if its mask and the ray's have a bit in common.
/// - ``ignore_ids``: the geometry that the ray passes through; 0xFFFFFFFF for none.
/// - ``world_ids``: the world that the ray is cast in, of a scene that has several.
///
/// A table, of pandas, polars or Arrow, has columns by name, in any order and beside others:
/// ``ox oy oz dx dy dz`` and, if wanted, ``t_min t_max``, and ``ray_mask ignore_id world_id`` in
/// place of the arguments; for points ``x y z``. Without any of these names 6 or 8 columns of numbers
/// (points: 3) are taken in this order. A null is the default of ``t_min`` or ``t_max``, and
/// elsewhere makes the ray or point invalid. An index is no column.
///
/// With ``progress`` a call shows a bar of tqdm. Ctrl-C ends a call, and the tracer can be used
/// afterwards. Threads may share a tracer, and run while it casts.
///
/// All calls raise ValueError or TypeError for what is no array of rays or points, SceneError if
/// the scene was changed without `update` and for filters that do not fit the scene, DeviceError if
/// the device fails, and MemoryError.
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
    /// The card that it casts on, as CUDA has it, once arrays lie there.
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
    sampled_rays: Pace,
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
            sampled_rays: Pace::of_rays(),
        }
    }
}

impl Tracer {
    /// Returns the tracer for reading. The caller must be detached from the interpreter: who waits
    /// for a lock while attached may keep its holder from going on.
    ///
    /// # Errors
    /// SceneError, if the scene was changed, or has another origin than the rays were read about.
    fn current(&self, origin: DVec3) -> PyResult<RwLockReadGuard<'_, Current>> {
        refuse_between_pieces()?;
        let current = self.current.read().unwrap_or_else(PoisonError::into_inner);
        let is_current = current.version == self.scene.get().version();
        if !is_current || current.open.tracer.as_ref().scene().origin() != origin {
            return Err(SceneError::new_err(
                "the scene was changed after the tracer took it: call update() on the tracer first",
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

    /// The reason why ``"auto"`` casts on the CPU; None if it does not, or if the device was named.
    #[getter]
    fn device_reason(&self, py: Python<'_>) -> PyResult<Option<String>> {
        detached(py, || {
            let current = self.current.read().unwrap_or_else(PoisonError::into_inner);
            Ok(current.open.reason.clone())
        })
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        // Whoever logs a tracer in a forked process is not to fail.
        let device = self.device(py).unwrap_or_else(|_| "of another process".to_owned());
        format!("Tracer({device})")
    }
}
