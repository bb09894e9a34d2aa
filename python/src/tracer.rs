//! The class `Tracer`.

mod casting;
mod engine;
mod given_rays;
mod growing;
mod points;
mod render;
mod update;
mod verify;

use crate::answers::{answers, shaped, shaped_rows};
use crate::error::{IntoException, SceneError, detached};
use crate::pieces::{Pace, refuse_between_pieces};
use crate::report::Report;
use crate::scene::Scene;
use engine::{Engine, OpenTracer};
use given_rays::GivenRays;
use pyo3::exceptions::PyValueError;
use pyo3::intern;
use pyo3::prelude::*;
use raytwin::glam::DVec3;
use raytwin::{AllHits, Hits, PackedScene};
pub(crate) use render::Rendered;
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
pub(crate) use update::Update;
use verify::Questions;

type Given<'a, 'py> = &'a Bound<'py, PyAny>;

#[pyclass(frozen, module = "raytwin")]
pub(crate) struct Tracer {
    scene: Py<Scene>,
    engine: Engine,
    current: RwLock<Current>,
    paces: Paces,
}

/// The library's tracer, and the version of the scene that it casts into.
struct Current {
    open: OpenTracer,
    version: u64,
}

/// How large the pieces of each kind of call are.
#[derive(Default)]
struct Paces {
    closest: Pace,
    any: Pace,
    count: Pace,
    all: Pace,
    points: Pace,
    render: Pace,
    verify: Pace,
}

impl Tracer {
    /// Returns the tracer for reading. The caller must be detached from the interpreter: who waits for a lock while
    /// attached may keep its holder from going on.
    ///
    /// # Errors
    /// SceneError, if the scene was changed, or has another origin than the rays were read about.
    fn current(&self, origin: DVec3) -> PyResult<RwLockReadGuard<'_, Current>> {
        refuse_between_pieces()?;
        let current = self.current.read().unwrap_or_else(PoisonError::into_inner);
        let is_current = current.version == self.scene.get().version();
        if !is_current || current.open.tracer.scene().origin() != origin {
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

    fn read<'py>(
        &self,
        rays: Given<'_, 'py>,
        filters: [Option<Given<'_, 'py>>; 3],
        is_solid: bool,
    ) -> PyResult<GivenRays<'py>> {
        GivenRays::read(rays, filters, is_solid, self.origin())
    }
}

#[pymethods]
impl Tracer {
    #[new]
    #[pyo3(signature = (scene, device = "auto", *, canonical = false))]
    fn new(py: Python<'_>, scene: Py<Scene>, device: &str, canonical: bool) -> PyResult<Self> {
        let engine = Engine::new(device, canonical)?;
        let current = detached(py, || {
            let (taken, version) = scene.get().snapshot();
            let packed = PackedScene::new(taken).map_err(IntoException::into_exception)?;
            Ok(Current { open: engine.open(&packed, None)?, version })
        })?;
        Ok(Self { scene, engine, current: RwLock::new(current), paces: Paces::default() })
    }

    #[pyo3(signature = (rays, *, solid = false, masks = None, ignore_ids = None, world_ids = None, faces = false, instances = false, progress = false))]
    #[expect(clippy::too_many_arguments, reason = "they are Python's keyword arguments")]
    fn cast_rays<'py>(
        &self,
        py: Python<'py>,
        rays: Given<'_, 'py>,
        solid: bool,
        masks: Option<Given<'_, 'py>>,
        ignore_ids: Option<Given<'_, 'py>>,
        world_ids: Option<Given<'_, 'py>>,
        faces: bool,
        instances: bool,
        progress: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let rays = self.read(rays, [masks, ignore_ids, world_ids], solid)?;
        let hits: Hits =
            self.cast(py, &rays, (&self.paces.closest, progress), |tracer, batch| {
                let hits = tracer.closest(batch)?;
                let mut hits = Hits::new(tracer.scene(), batch, &hits);
                // What is not asked for is not kept.
                if !faces {
                    hits.faces = Vec::new();
                }
                if !instances {
                    hits.instance_ids = Vec::new();
                }
                Ok(hits)
            })?;
        let shape = rays.shape();
        let closest = answers(
            py,
            [
                (intern!(py, "t_hit"), shaped(py, hits.t_hit, shape)?),
                (intern!(py, "geometry_ids"), shaped(py, hits.geometry_ids, shape)?),
                (intern!(py, "primitive_ids"), shaped(py, hits.primitive_ids, shape)?),
                (intern!(py, "primitive_normals"), shaped_rows(py, hits.primitive_normals, shape)?),
            ],
        )?;
        if faces {
            closest.set_item(intern!(py, "faces"), shaped(py, hits.faces, shape)?)?;
        }
        if instances {
            closest.set_item(intern!(py, "instance_ids"), shaped(py, hits.instance_ids, shape)?)?;
        }
        Ok(closest)
    }

    #[pyo3(signature = (rays, *, solid = false, masks = None, ignore_ids = None, world_ids = None, progress = false))]
    #[expect(clippy::too_many_arguments, reason = "they are Python's keyword arguments")]
    fn test_occlusions<'py>(
        &self,
        py: Python<'py>,
        rays: Given<'_, 'py>,
        solid: bool,
        masks: Option<Given<'_, 'py>>,
        ignore_ids: Option<Given<'_, 'py>>,
        world_ids: Option<Given<'_, 'py>>,
        progress: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let rays = self.read(rays, [masks, ignore_ids, world_ids], solid)?;
        let occluded: Vec<bool> =
            self.cast(py, &rays, (&self.paces.any, progress), |tracer, batch| tracer.any(batch))?;
        shaped(py, occluded, rays.shape())
    }

    #[pyo3(signature = (rays, *, masks = None, ignore_ids = None, world_ids = None, progress = false))]
    fn count_intersections<'py>(
        &self,
        py: Python<'py>,
        rays: Given<'_, 'py>,
        masks: Option<Given<'_, 'py>>,
        ignore_ids: Option<Given<'_, 'py>>,
        world_ids: Option<Given<'_, 'py>>,
        progress: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let rays = self.read(rays, [masks, ignore_ids, world_ids], false)?;
        let counts: Vec<u32> =
            self.cast(py, &rays, (&self.paces.count, progress), |tracer, batch| {
                tracer.count(batch)
            })?;
        shaped(py, counts, rays.shape())
    }

    #[pyo3(signature = (rays, *, masks = None, ignore_ids = None, world_ids = None, progress = false))]
    fn list_intersections<'py>(
        &self,
        py: Python<'py>,
        rays: Given<'_, 'py>,
        masks: Option<Given<'_, 'py>>,
        ignore_ids: Option<Given<'_, 'py>>,
        world_ids: Option<Given<'_, 'py>>,
        progress: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let rays = self.read(rays, [masks, ignore_ids, world_ids], false)?;
        let count = rays.detached()?.count();
        if u32::try_from(count).is_err() {
            return Err(PyValueError::new_err(format!(
                "rays must be fewer than 4294967296, because ray_ids are uint32, and there are {count}: cast them in parts"
            )));
        }
        let all: AllHits =
            self.cast(py, &rays, (&self.paces.all, progress), |tracer, batch| tracer.all(batch))?;
        let crossings = [all.len()];
        answers(
            py,
            [
                (intern!(py, "ray_splits"), shaped(py, all.ray_splits, &[count + 1])?),
                (intern!(py, "ray_ids"), shaped(py, all.ray_ids, &crossings)?),
                (intern!(py, "t_hit"), shaped(py, all.t_hit, &crossings)?),
                (intern!(py, "geometry_ids"), shaped(py, all.geometry_ids, &crossings)?),
                (intern!(py, "primitive_ids"), shaped(py, all.primitive_ids, &crossings)?),
            ],
        )
    }

    #[pyo3(signature = (points, *, progress = false))]
    fn compute_closest_points<'py>(
        &self,
        py: Python<'py>,
        points: Given<'_, 'py>,
        progress: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        points::closest_points(self, py, points, progress)
    }

    #[pyo3(signature = (points, *, progress = false))]
    fn compute_distance<'py>(
        &self,
        py: Python<'py>,
        points: Given<'_, 'py>,
        progress: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        points::numbers(self, py, points, progress, |answer| answer.signed_distance.abs())
    }

    #[pyo3(signature = (points, *, progress = false))]
    fn compute_signed_distance<'py>(
        &self,
        py: Python<'py>,
        points: Given<'_, 'py>,
        progress: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        points::numbers(self, py, points, progress, |answer| answer.signed_distance)
    }

    #[pyo3(signature = (points, *, progress = false))]
    fn compute_occupancy<'py>(
        &self,
        py: Python<'py>,
        points: Given<'_, 'py>,
        progress: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        points::occupancy(self, py, points, progress)
    }

    fn update(&self, py: Python<'_>) -> PyResult<Update> {
        update::update(self, py)
    }

    #[pyo3(signature = (rays = None, *, points = None, kinds = None, solid = false, masks = None, ignore_ids = None, world_ids = None, count = 14_000, seed = 1, progress = false))]
    #[expect(clippy::too_many_arguments, reason = "they are Python's keyword arguments")]
    fn verify<'py>(
        &self,
        py: Python<'py>,
        rays: Option<Given<'_, 'py>>,
        points: Option<Given<'_, 'py>>,
        kinds: Option<Vec<String>>,
        solid: bool,
        masks: Option<Given<'_, 'py>>,
        ignore_ids: Option<Given<'_, 'py>>,
        world_ids: Option<Given<'_, 'py>>,
        count: usize,
        seed: u64,
        progress: bool,
    ) -> PyResult<Report> {
        let origin = self.origin();
        let rays = rays
            .map(|rays| GivenRays::read(rays, [masks, ignore_ids, world_ids], solid, origin))
            .transpose()?;
        let points = points.map(|points| points::read(points, origin)).transpose()?;
        let questions = Questions::new(kinds, solid, (count, seed))?;
        verify::verify(self, py, (rays, points), &questions, progress)
    }

    #[getter]
    fn scene(&self, py: Python<'_>) -> Py<Scene> {
        self.scene.clone_ref(py)
    }

    #[getter]
    fn device(&self, py: Python<'_>) -> String {
        py.detach(|| {
            let current = self.current.read().unwrap_or_else(PoisonError::into_inner);
            current.open.tracer.device()
        })
    }

    #[getter]
    fn device_reason(&self, py: Python<'_>) -> Option<String> {
        py.detach(|| {
            let current = self.current.read().unwrap_or_else(PoisonError::into_inner);
            current.open.reason.clone()
        })
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        format!("Tracer({})", self.device(py))
    }
}
