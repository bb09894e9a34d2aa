//! The class `Tracer`.

mod device;

use crate::arrays::{Rows, numbers_for_rays, rays_of};
use crate::error::{IntoException, SceneError};
use crate::pieces::{Bar, in_pieces};
use crate::scene::Scene;
use numpy::{IntoPyArray, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyDict;
use raytwin::{Batch, BatchError, Hits, PackedScene, Ray, TraceError, Tracer as LibraryTracer};
use std::ops::Range;
use std::sync::{PoisonError, RwLock, RwLockReadGuard};

/// Casts rays into a scene, on one device. Threads may share a tracer.
#[pyclass(frozen, module = "raytwin")]
pub(crate) struct Tracer {
    scene: Py<Scene>,
    current: RwLock<Current>,
}

/// The library's tracer, and the version of the scene that it casts into.
struct Current {
    tracer: Box<dyn LibraryTracer>,
    version: u64,
}

/// The filters of a call, as arrays of its rays.
#[derive(Default)]
struct Filters {
    masks: Option<Vec<u32>>,
    ignored: Option<Vec<u32>>,
    worlds: Option<Vec<u32>>,
}

impl Filters {
    fn batch<'a>(&'a self, rays: &'a [Ray], is_solid: bool) -> Result<Batch<'a>, BatchError> {
        let mut batch = Batch::new(rays);
        if let Some(masks) = &self.masks {
            batch = batch.with_masks(masks)?;
        }
        if let Some(ignored) = &self.ignored {
            batch = batch.ignoring(ignored)?;
        }
        if let Some(worlds) = &self.worlds {
            batch = batch.in_worlds(worlds)?;
        }
        Ok(if is_solid { batch.solid() } else { batch })
    }
}

impl Tracer {
    /// Returns the tracer for reading. The caller must be detached from the interpreter: who waits for a lock while
    /// attached may keep its holder from going on.
    fn current(&self) -> PyResult<RwLockReadGuard<'_, Current>> {
        let current = self.current.read().unwrap_or_else(PoisonError::into_inner);
        if current.version != self.scene.get().version() {
            return Err(SceneError::new_err(
                "the scene was changed after the tracer took it: call update() on the tracer first",
            ));
        }
        Ok(current)
    }
}

#[pymethods]
impl Tracer {
    #[new]
    #[pyo3(signature = (scene, device = "auto"))]
    fn new(py: Python<'_>, scene: Py<Scene>, device: &str) -> PyResult<Self> {
        let current = py.detach(|| {
            let (taken, version) = scene.get().snapshot();
            let packed = PackedScene::new(taken).map_err(IntoException::into_exception)?;
            let tracer = device::choice(device)
                .tracer_for(&packed)
                .map_err(IntoException::into_exception)?;
            PyResult::Ok(Current { tracer, version })
        })?;
        Ok(Self { scene, current: RwLock::new(current) })
    }

    /// Returns the closest hit of each ray.
    #[pyo3(signature = (rays, *, solid = false, masks = None, ignore_ids = None, world_ids = None, faces = false, instances = false, progress = false))]
    #[expect(clippy::too_many_arguments, reason = "they are Python's keyword arguments")]
    fn cast_rays<'py>(
        &self,
        py: Python<'py>,
        rays: &Bound<'py, PyAny>,
        solid: bool,
        masks: Option<&Bound<'py, PyAny>>,
        ignore_ids: Option<&Bound<'py, PyAny>>,
        world_ids: Option<&Bound<'py, PyAny>>,
        faces: bool,
        instances: bool,
        progress: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let origin = self.scene.get().snapshot().0.origin();
        let rows = Rows::read(rays, "rays", &[6, 8], origin)?;
        let shape = rows.leading_shape();
        let filters = Filters {
            masks: numbers_for_rays(masks, "masks", &shape)?,
            ignored: numbers_for_rays(ignore_ids, "ignore_ids", &shape)?,
            worlds: numbers_for_rays(world_ids, "world_ids", &shape)?,
        };
        let bar = Bar::new(py, progress, rows.count(), "rays")?;
        let (numbers, width) = (rows.numbers()?, rows.width());
        let mut hits = py.detach(|| {
            let current = self.current()?;
            let rays = rays_of(numbers, width);
            let batch = filters.batch(&rays, solid).map_err(into_exception)?;
            let mut hits = Hits::default();
            in_pieces(rays.len(), bar, |piece: Range<usize>| {
                let batch = batch.slice(piece);
                let closest =
                    current.tracer.closest(batch).map_err(IntoException::into_exception)?;
                append(&mut hits, Hits::new(current.tracer.scene(), batch, &closest));
                PyResult::Ok(())
            })?;
            PyResult::Ok(hits)
        })?;
        let answers = PyDict::new(py);
        let shaped = |numbers: Vec<u32>| numbers.into_pyarray(py).reshape(shape.as_slice());
        answers.set_item("t_hit", hits.t_hit.into_pyarray(py).reshape(shape.as_slice())?)?;
        answers.set_item("geometry_ids", shaped(hits.geometry_ids)?)?;
        answers.set_item("primitive_ids", shaped(hits.primitive_ids)?)?;
        let normals = std::mem::take(&mut hits.primitive_normals).into_flattened();
        let rows_of_normals: Vec<usize> = shape.iter().copied().chain([3]).collect();
        answers
            .set_item("primitive_normals", normals.into_pyarray(py).reshape(rows_of_normals)?)?;
        if faces {
            answers.set_item("faces", shaped(hits.faces)?)?;
        }
        if instances {
            answers.set_item("instance_ids", shaped(hits.instance_ids)?)?;
        }
        as_answers(answers)
    }

    /// One line that describes the device.
    #[getter]
    fn device(&self, py: Python<'_>) -> String {
        py.detach(|| self.current.read().unwrap_or_else(PoisonError::into_inner).tracer.device())
    }
}

fn into_exception(error: BatchError) -> PyErr {
    TraceError::Batch(error).into_exception()
}

/// Appends the hits of the next rays.
fn append(hits: &mut Hits, mut next: Hits) {
    if hits.is_empty() {
        *hits = next;
        return;
    }
    hits.t_hit.append(&mut next.t_hit);
    hits.geometry_ids.append(&mut next.geometry_ids);
    hits.primitive_ids.append(&mut next.primitive_ids);
    hits.primitive_normals.append(&mut next.primitive_normals);
    hits.faces.append(&mut next.faces);
    hits.instance_ids.append(&mut next.instance_ids);
}

/// Returns a dictionary of arrays as `raytwin.answers.Answers`.
fn as_answers<'py>(arrays: Bound<'py, PyDict>) -> PyResult<Bound<'py, PyAny>> {
    static ANSWERS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    ANSWERS.import(arrays.py(), "raytwin.answers", "Answers")?.call1((arrays,))
}
