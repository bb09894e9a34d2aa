//! Queries of rays.

use super::growing::{Growing, no_memory};
use super::rays_argument::{DetachedRays, RaysArgument};
use super::{Argument, Tracer};
use crate::answers::{answers, set_arrays, shaped, shaped_rows};
use crate::error::detached;
use crate::on_card::{back_on_card, is_on_card};
use crate::pieces::{Bar, Pace, in_pieces};
use pyo3::exceptions::PyValueError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use raytwin::{
    AllHits, Batch, HitArrays, Hits, PathRule, SolidPaths, TraceError, Tracer as LibraryTracer,
};
use std::ops::Range;

struct RaysPiece<'a> {
    rays: DetachedRays<'a>,
    range: Range<usize>,
}

impl RaysPiece<'_> {
    /// Returns how many rays are left, including those of the piece.
    fn rays_left(&self) -> usize {
        self.rays.count() - self.range.start
    }

    fn with_batch<T>(self, work: impl FnOnce(Batch<'_>) -> Result<T, TraceError>) -> PyResult<T> {
        self.rays.with_batch(self.range, work)
    }

    /// Appends the answers that `ask` finds.
    fn grow<A: Growing>(
        self,
        answers: &mut A,
        ask: impl FnOnce(Batch<'_>) -> Result<A, TraceError>,
    ) -> PyResult<()> {
        let total = self.rays.count();
        answers.grow(self.with_batch(ask)?, total)
    }
}

impl Tracer {
    /// Returns the answers to the rays, to which `add` appends those to a piece of them.
    fn cast<A: Default + Send>(
        &self,
        py: Python<'_>,
        given: &RaysArgument<'_>,
        (pace, progress): (&Pace, bool),
        add: impl Fn(&dyn LibraryTracer, RaysPiece<'_>, &mut A) -> PyResult<()> + Send + Sync,
    ) -> PyResult<A> {
        let origin = given.origin;
        let rays = given.detached()?;
        let bar = Bar::new(py, progress, rays.count(), "rays")?;
        detached(py, || {
            let current = self.current(origin)?;
            let tracer = current.open.tracer.as_ref();
            let mut answers = A::default();
            in_pieces(rays.count(), &bar, pace, |range| {
                add(tracer, RaysPiece { rays, range }, &mut answers)
            })?;
            Ok(answers)
        })
    }
}

#[pymethods]
impl Tracer {
    /// Returns the closest hit of each ray, as a dictionary of arrays that are also attributes.
    ///
    /// - ``t_hit`` float32: the distance in units of the direction's length; infinity for a miss,
    ///   NaN for an invalid ray.
    /// - ``geometry_ids``, ``primitive_ids`` uint32: the geometry and the primitive that are hit;
    ///   0xFFFFFFFF for a miss.
    /// - ``primitive_normals`` (..., 3) float32: the outward unit normal; zero for a miss. Pass
    ///   ``normals=False`` to leave it out, which takes less time.
    /// - ``faces`` uint32, with ``faces=True``: 0 side, 1 start cap, 2 end cap, 3 inner wall; for a
    ///   box 0 to 5 = -x +x -y +y -z +z.
    /// - ``instance_ids`` uint32, with ``instances=True``: the outermost instance that contains the
    ///   geometry; 0xFFFFFFFF if none does. A node with a file counts as an instance.
    /// - ``label_ids`` uint16, with ``labels=True``: the label of the geometry; 0 if it has none, and
    ///   for a miss.
    ///
    /// With ``solid=True`` a ray that starts in or on a solid hits it at its start, and the normal is
    /// zero.
    ///
    /// If the rays are on a GPU, as float32 tensors with DLPack, the answers are there too and are
    /// tensors of the same library. ``label_ids`` then have 32 bits, and there are no normals, because
    /// these are computed in float64 on the host. The tracer must cast on that GPU, and the scene must
    /// have no origin. Other queries copy such rays to the host, and copy their answers back.
    ///
    ///     >>> import raytwin as rt
    ///     >>> scene = rt.Scene()
    ///     >>> ids = scene.add_cylinders([0, 0, 4], [0, 0, 6], 0.5)
    ///     >>> hits = rt.Tracer(scene, device="cpu").cast_rays([0, 0, 0, 0, 0, 1], faces=True)
    ///     >>> float(hits.t_hit), int(hits["geometry_ids"]), int(hits.faces)
    ///     (4.0, 0, 1)
    #[pyo3(signature = (rays, *, solid = false, masks = None, ignore_ids = None, world_ids = None, normals = None, faces = false, instances = false, labels = false, progress = false))]
    #[expect(clippy::too_many_arguments, reason = "they are Python's keyword arguments")]
    fn cast_rays<'py>(
        slf: &Bound<'py, Self>,
        py: Python<'py>,
        rays: Argument<'_, 'py>,
        solid: bool,
        masks: Option<Argument<'_, 'py>>,
        ignore_ids: Option<Argument<'_, 'py>>,
        world_ids: Option<Argument<'_, 'py>>,
        normals: Option<bool>,
        faces: bool,
        instances: bool,
        labels: bool,
        progress: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        if is_on_card(rays)? {
            static CAST_RAYS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
            let cast = CAST_RAYS.import(py, "raytwin.card_answers", "cast_rays")?;
            let filters = (masks, ignore_ids, world_ids);
            return cast.call1((slf, rays, solid, filters, (normals, faces, instances, labels)));
        }
        let this = slf.get();
        let normals = normals.unwrap_or(true);
        let rays = RaysArgument::read(rays, [masks, ignore_ids, world_ids], solid, this.origin())?;
        let others = [
            (normals, HitArrays::PRIMITIVE_NORMALS),
            (faces, HitArrays::FACES),
            (instances, HitArrays::INSTANCE_IDS),
            (labels, HitArrays::LABEL_IDS),
        ];
        let others = others.into_iter().filter(|(is_asked, _)| *is_asked);
        let arrays = others.map(|(_, array)| array).fold(HitArrays::HIT, HitArrays::and);
        let pace = (&this.paces.closest, progress);
        let hits: Hits = this.cast(py, &rays, pace, |tracer, piece, hits: &mut Hits| {
            hits.try_reserve(piece.rays_left(), arrays).map_err(no_memory)?;
            piece.with_batch(|batch| tracer.append_hits(batch, arrays, hits))
        })?;
        let shape = rays.shape();
        let closest = answers(py, [])?;
        set_arrays!(closest, shape, hits: t_hit, geometry_ids, primitive_ids);
        if normals {
            let normals = shaped_rows(py, hits.primitive_normals, shape)?;
            closest.set_item(intern!(py, "primitive_normals"), normals)?;
        }
        if faces {
            set_arrays!(closest, shape, hits: faces);
        }
        if instances {
            set_arrays!(closest, shape, hits: instance_ids);
        }
        if labels {
            set_arrays!(closest, shape, hits: label_ids);
        }
        Ok(closest)
    }

    /// Returns whether each ray hits anything, as a bool array.
    ///
    /// This takes less time than finding the closest hit. ``solid`` is as in `cast_rays`.
    ///
    ///     >>> import raytwin as rt
    ///     >>> scene = rt.Scene()
    ///     >>> ids = scene.add_spheres([0, 0, 5], 1.0)
    ///     >>> rt.Tracer(scene, device="cpu").test_occlusions([[0, 0, 0, 0, 0, 1], [0, 0, 0, 1, 0, 0]])
    ///     array([ True, False])
    #[pyo3(signature = (rays, *, solid = false, masks = None, ignore_ids = None, world_ids = None, progress = false))]
    #[expect(clippy::too_many_arguments, reason = "they are Python's keyword arguments")]
    fn test_occlusions<'py>(
        &self,
        py: Python<'py>,
        rays: Argument<'_, 'py>,
        solid: bool,
        masks: Option<Argument<'_, 'py>>,
        ignore_ids: Option<Argument<'_, 'py>>,
        world_ids: Option<Argument<'_, 'py>>,
        progress: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let given = rays;
        let rays = RaysArgument::read(rays, [masks, ignore_ids, world_ids], solid, self.origin())?;
        let occluded: Vec<bool> =
            self.cast(py, &rays, (&self.paces.any, progress), |tracer, piece, all| {
                piece.grow(all, |batch| tracer.any(batch))
            })?;
        back_on_card(shaped(py, occluded, rays.shape())?, given)
    }

    /// Returns how often each ray crosses a surface, as a uint32 array.
    ///
    /// Each solid that a ray passes through or touches counts twice.
    ///
    ///     >>> import raytwin as rt
    ///     >>> scene = rt.Scene()
    ///     >>> ids = scene.add_spheres([[0, 0, 5], [0, 0, 9]], 1.0)
    ///     >>> rt.Tracer(scene, device="cpu").count_intersections([[0, 0, 0, 0, 0, 1]])
    ///     array([4], dtype=uint32)
    #[pyo3(signature = (rays, *, masks = None, ignore_ids = None, world_ids = None, progress = false))]
    fn count_intersections<'py>(
        &self,
        py: Python<'py>,
        rays: Argument<'_, 'py>,
        masks: Option<Argument<'_, 'py>>,
        ignore_ids: Option<Argument<'_, 'py>>,
        world_ids: Option<Argument<'_, 'py>>,
        progress: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let given = rays;
        let rays = RaysArgument::read(rays, [masks, ignore_ids, world_ids], false, self.origin())?;
        let counts: Vec<u32> =
            self.cast(py, &rays, (&self.paces.count, progress), |tracer, piece, all| {
                piece.grow(all, |batch| tracer.count(batch))
            })?;
        back_on_card(shaped(py, counts, rays.shape())?, given)
    }

    /// Returns all crossings of all rays, ray by ray and sorted by ``t``.
    ///
    /// N is the number of rays, whose leading shape is flattened. M is the number of crossings.
    ///
    /// - ``ray_splits`` (N + 1,) uint64: ray i has the crossings from ``ray_splits[i]`` up to, but not
    ///   including, ``ray_splits[i + 1]``.
    /// - ``ray_ids``, ``geometry_ids``, ``primitive_ids`` (M,) uint32 and ``t_hit`` (M,) float32.
    ///
    ///     >>> import raytwin as rt
    ///     >>> scene = rt.Scene()
    ///     >>> ids = scene.add_spheres([[0, 0, 5], [0, 0, 9]], 1.0)
    ///     >>> rt.Tracer(scene, device="cpu").list_intersections([0, 0, 0, 0, 0, 1]).t_hit
    ///     array([ 4.,  6.,  8., 10.], dtype=float32)
    #[pyo3(signature = (rays, *, masks = None, ignore_ids = None, world_ids = None, progress = false))]
    fn list_intersections<'py>(
        &self,
        py: Python<'py>,
        rays: Argument<'_, 'py>,
        masks: Option<Argument<'_, 'py>>,
        ignore_ids: Option<Argument<'_, 'py>>,
        world_ids: Option<Argument<'_, 'py>>,
        progress: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let given = rays;
        let rays = RaysArgument::read(rays, [masks, ignore_ids, world_ids], false, self.origin())?;
        let count = rays.detached()?.count();
        if u32::try_from(count).is_err() {
            return Err(PyValueError::new_err(format!(
                "rays must be fewer than 4294967296, because ray_ids are uint32, and there are {count}: cast them in parts"
            )));
        }
        let all: AllHits =
            self.cast(py, &rays, (&self.paces.all, progress), |tracer, piece, all| {
                piece.grow(all, |batch| tracer.all(batch))
            })?;
        let crossings = &[all.len()];
        let listed = answers(py, [])?;
        set_arrays!(listed, &[count + 1], all: ray_splits);
        set_arrays!(listed, crossings, all: ray_ids, t_hit, geometry_ids, primitive_ids);
        back_on_card(listed, given)
    }

    /// Returns the length of each ray in each solid that it crosses, ray by ray and in order of entry.
    ///
    /// N is the number of rays, whose leading shape is flattened. M is the number of lengths.
    ///
    /// - ``path_splits`` (N + 1,) uint64: ray i has the lengths from ``path_splits[i]`` up to, but not
    ///   including, ``path_splits[i + 1]``.
    /// - ``path_geometry_ids`` (M,) uint32: the solid. It is listed once for each ray that has a length
    ///   in it.
    /// - ``path_lengths`` (M,) float64: the length in the solid between ``t_min`` and ``t_max``, in
    ///   scene units.
    ///
    /// With ``innermost=True``, a part of a ray that is in several solids counts only for the solid
    /// with the least volume, or with the lowest id if volumes are equal. The lengths of a ray then
    /// add up to its length in all solids together. The CPU computes lengths in float64, whatever
    /// the device.
    ///
    ///     >>> import raytwin as rt
    ///     >>> scene = rt.Scene()
    ///     >>> ids = scene.add_spheres([[0, 0, 5], [0, 0, 5]], [4.0, 1.0])
    ///     >>> tracer = rt.Tracer(scene, device="cpu")
    ///     >>> tracer.compute_path_lengths([0, 0, 0, 0, 0, 1]).path_lengths
    ///     array([8., 2.])
    ///     >>> tracer.compute_path_lengths([0, 0, 0, 0, 0, 1], innermost=True).path_lengths
    ///     array([6., 2.])
    #[pyo3(signature = (rays, *, innermost = false, masks = None, ignore_ids = None, world_ids = None, progress = false))]
    #[expect(clippy::too_many_arguments, reason = "they are Python's keyword arguments")]
    fn compute_path_lengths<'py>(
        &self,
        py: Python<'py>,
        rays: Argument<'_, 'py>,
        innermost: bool,
        masks: Option<Argument<'_, 'py>>,
        ignore_ids: Option<Argument<'_, 'py>>,
        world_ids: Option<Argument<'_, 'py>>,
        progress: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let given = rays;
        let rays = RaysArgument::read(rays, [masks, ignore_ids, world_ids], false, self.origin())?;
        let count = rays.detached()?.count();
        let rule = if innermost { PathRule::Innermost } else { PathRule::Each };
        let paths: SolidPaths =
            self.cast(py, &rays, (&self.paces.paths, progress), |tracer, piece, all| {
                piece.grow(all, |batch| tracer.paths(batch, rule))
            })?;
        let lengths = &[paths.path_lengths.len()];
        let listed = answers(py, [])?;
        set_arrays!(listed, &[count + 1], paths: path_splits);
        set_arrays!(listed, lengths, paths: path_geometry_ids, path_lengths);
        back_on_card(listed, given)
    }
}
