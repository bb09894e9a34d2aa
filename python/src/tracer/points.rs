//! Answers for points: the nearest surface, and the solids that contain each point.

use super::growing::{Growing, growing};
use super::{Argument, Tracer};
use crate::answers::{answers, set_arrays, shaped, shaped_rows};
use crate::arrays::{Rows, subtracted};
use crate::error::{OrException, detached};
use crate::on_card::back_on_card;
use crate::pieces::{Bar, Pace, in_pieces};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use raytwin::glam::{DVec3, Vec3};
use raytwin::{PointAnswer, PointHit, TraceError, Tracer as LibraryTracer};

/// The points that a call is given, relative to the origin of the scene.
pub(super) struct PointsArgument<'py> {
    rows: Rows<'py>,
    origin: DVec3,
}

impl PointsArgument<'_> {
    pub fn points(&self) -> PyResult<&[[f32; 3]]> {
        Ok(self.rows.numbers()?.as_chunks::<3>().0)
    }
}

pub(super) fn read_points<'py>(
    points: Argument<'_, 'py>,
    origin: DVec3,
) -> PyResult<PointsArgument<'py>> {
    static READ_POINTS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    if let Some(rows) = Rows::as_they_lie(points, &[3], origin) {
        return Ok(PointsArgument { rows, origin });
    }
    let read = READ_POINTS.import(points.py(), "raytwin.arrays", "read_points")?;
    let made = read.call1((points, "points", subtracted(origin)))?;
    Ok(PointsArgument { rows: Rows::made(&made)?, origin })
}

impl Tracer {
    /// Returns what `complete` makes of the ids that the tracer returns.
    fn ask<A: Growing>(
        &self,
        py: Python<'_>,
        given: &PointsArgument<'_>,
        progress: bool,
        complete: impl Fn(&dyn LibraryTracer, &[[f32; 3]], &[PointHit]) -> A + Send + Sync,
    ) -> PyResult<A> {
        self.in_points(py, given, (&self.paces.points, progress), |tracer, points| {
            Ok(complete(tracer, points, &tracer.points(points)?))
        })
    }

    /// Returns what `ask` returns for the points, piece by piece.
    fn in_points<A: Growing>(
        &self,
        py: Python<'_>,
        given: &PointsArgument<'_>,
        (pace, progress): (&Pace, bool),
        ask: impl Fn(&dyn LibraryTracer, &[[f32; 3]]) -> Result<A, TraceError> + Send + Sync,
    ) -> PyResult<A> {
        let origin = given.origin;
        let points = given.points()?;
        let bar = Bar::new(py, progress, points.len(), "points")?;
        detached(py, || {
            let current = self.current(origin)?;
            let tracer = current.open.tracer.as_ref();
            let mut answers = A::default();
            in_pieces(points.len(), &bar, pace, |piece| {
                answers.grow(ask(tracer, &points[piece]).or_exception()?, points.len())
            })?;
            Ok(answers)
        })
    }

    fn numbers<'py>(
        &self,
        py: Python<'py>,
        points: Argument<'_, 'py>,
        progress: bool,
        number: impl Fn(&PointAnswer) -> f32 + Send + Sync,
    ) -> PyResult<Bound<'py, PyAny>> {
        let given = read_points(points, self.origin())?;
        let numbers: Vec<f32> = self.ask(py, &given, progress, |tracer, points, hits| {
            PointAnswer::all(tracer.scene(), points, hits).iter().map(&number).collect()
        })?;
        back_on_card(shaped(py, numbers, given.rows.leading_shape())?, points)
    }
}

/// The answers for points, as arrays.
#[derive(Default)]
struct ClosestPoints {
    points: Vec<[f32; 3]>,
    geometry_ids: Vec<u32>,
    primitive_ids: Vec<u32>,
    primitive_normals: Vec<[f32; 3]>,
    signed_distance: Vec<f32>,
    contains: Vec<u32>,
    containing_ids: Vec<u32>,
    /// Empty unless the caller asks for them.
    innermost_ids: Vec<u32>,
}

impl ClosestPoints {
    fn new(tracer: &dyn LibraryTracer, points: &[[f32; 3]], hits: &[PointHit]) -> Self {
        let answers = PointAnswer::all(tracer.scene(), points, hits);
        Self {
            points: answers.iter().map(|answer| answer.closest_point).collect(),
            geometry_ids: hits.iter().map(|hit| hit.geometry_id).collect(),
            primitive_ids: hits.iter().map(|hit| hit.primitive_id).collect(),
            primitive_normals: PointAnswer::normals(tracer.scene(), points, hits),
            signed_distance: answers.iter().map(|answer| answer.signed_distance).collect(),
            contains: hits.iter().map(|hit| hit.contains).collect(),
            containing_ids: hits.iter().map(|hit| hit.containing_id).collect(),
            innermost_ids: Vec::new(),
        }
    }
}

growing!(
    ClosestPoints: points, geometry_ids, primitive_ids, primitive_normals, signed_distance, contains,
    containing_ids, innermost_ids
);

#[pymethods]
impl Tracer {
    /// Returns the nearest point on any surface to each point, with its distance, ids and normal.
    ///
    /// - ``points`` (..., 3) float32, or float64 if the scene has an origin: the nearest points; NaN
    ///   for an invalid point.
    /// - ``geometry_ids``, ``primitive_ids`` uint32: the nearest surface; 0xFFFFFFFF if there is
    ///   none.
    /// - ``primitive_normals`` (..., 3) float32: the outward unit normal at that point; at an edge the
    ///   normal of one of the faces.
    /// - ``signed_distance`` float32: as in `compute_signed_distance`.
    /// - ``contains`` uint32: how many solids, and half-spaces behind planes, contain the point.
    /// - ``containing_ids`` uint32: the lowest of their ids.
    /// - ``innermost_ids`` uint32, with ``innermost=True``: the solid around the point with the
    ///   least volume, or with the lowest id if volumes are equal; 0xFFFFFFFF if no solid contains
    ///   it. The CPU computes these ids in float64, whatever the device.
    ///
    ///     >>> import raytwin as rt
    ///     >>> scene = rt.Scene()
    ///     >>> ids = scene.add_spheres([0, 0, 5], 1.0)
    ///     >>> closest = rt.Tracer(scene, device="cpu").compute_closest_points([0, 0, 5.5])
    ///     >>> closest.points.tolist(), float(closest.signed_distance), int(closest.contains)
    ///     ([0.0, 0.0, 6.0], -0.5, 1)
    #[pyo3(signature = (points, *, innermost = false, progress = false))]
    fn compute_closest_points<'py>(
        &self,
        py: Python<'py>,
        points: Argument<'_, 'py>,
        innermost: bool,
        progress: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let asked = points;
        let given = read_points(points, self.origin())?;
        let pace = (&self.paces.points, progress);
        let closest: ClosestPoints = self.in_points(py, &given, pace, |tracer, points| {
            let closest = ClosestPoints::new(tracer, points, &tracer.points(points)?);
            let innermost_ids = if innermost { tracer.innermost(points)? } else { Vec::new() };
            Ok(ClosestPoints { innermost_ids, ..closest })
        })?;
        let shape = given.rows.leading_shape();
        // The origin is added in float64, as in files.
        let points = match given.origin {
            DVec3::ZERO => shaped_rows(py, closest.points, shape)?,
            origin => {
                let in_world = |point| (Vec3::from_array(point).as_dvec3() + origin).to_array();
                let in_world: Vec<[f64; 3]> = closest.points.into_iter().map(in_world).collect();
                shaped_rows(py, in_world, shape)?
            }
        };
        let listed = answers(py, [(intern!(py, "points"), points)])?;
        set_arrays!(listed, shape, closest: geometry_ids, primitive_ids);
        let normals = shaped_rows(py, closest.primitive_normals, shape)?;
        listed.set_item(intern!(py, "primitive_normals"), normals)?;
        set_arrays!(listed, shape, closest: signed_distance, contains, containing_ids);
        if innermost {
            set_arrays!(listed, shape, closest: innermost_ids);
        }
        back_on_card(listed, asked)
    }

    /// Returns the distance of each point from the nearest surface, as a float32 array.
    ///
    /// Distances inside a solid are positive too. The distance is NaN for an invalid point, and
    /// infinity if there is no surface.
    #[pyo3(signature = (points, *, progress = false))]
    fn compute_distance<'py>(
        &self,
        py: Python<'py>,
        points: Argument<'_, 'py>,
        progress: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.numbers(py, points, progress, |answer| answer.signed_distance.abs())
    }

    /// Returns the signed distance of each point from the nearest surface, as a float32 array.
    ///
    /// The distance is negative if a solid, or the half-space behind a plane, contains the point. It is
    /// NaN for an invalid point, and infinity if there is no surface.
    ///
    ///     >>> import raytwin as rt
    ///     >>> scene = rt.Scene()
    ///     >>> ids = scene.add_spheres([0, 0, 5], 1.0)
    ///     >>> rt.Tracer(scene, device="cpu").compute_signed_distance([[0, 0, 0], [0, 0, 5.5]])
    ///     array([ 4. , -0.5], dtype=float32)
    #[pyo3(signature = (points, *, progress = false))]
    fn compute_signed_distance<'py>(
        &self,
        py: Python<'py>,
        points: Argument<'_, 'py>,
        progress: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.numbers(py, points, progress, |answer| answer.signed_distance)
    }

    /// Returns 1 for each point inside a solid or the half-space behind a plane, and 0 for the others,
    /// as a float32 array.
    #[pyo3(signature = (points, *, progress = false))]
    fn compute_occupancy<'py>(
        &self,
        py: Python<'py>,
        points: Argument<'_, 'py>,
        progress: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let given = read_points(points, self.origin())?;
        let pace = (&self.paces.containment, progress);
        let occupied: Vec<f32> = self.in_points(py, &given, pace, |tracer, points| {
            let containment = tracer.containment(points)?;
            Ok(containment.iter().map(|it| if it.contains > 0 { 1.0 } else { 0.0 }).collect())
        })?;
        back_on_card(shaped(py, occupied, given.rows.leading_shape())?, points)
    }
}
