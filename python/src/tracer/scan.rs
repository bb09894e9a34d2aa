//! Scans: the returns of a lidar or a camera from several poses, each in a world of its own.

use super::Tracer;
use super::views::views_of;
use crate::answers::shaped_rows;
use crate::camera::CameraArgument;
use crate::error::{OrException, detached};
use crate::hiding::refuse_hidden;
use numpy::{
    Element, IntoPyArray, PyArray1, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods,
};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyDict;
use rayon::prelude::*;
use raytwin::returns::{RayScope, cast_beams};
use raytwin::{Batch, Hit, PosedView, Ray, TraceError, Tracer as LibraryTracer, Views};
use raytwin_files::clouds::{CloudFrame, CloudPoint};
use std::iter::repeat_n;
use std::ops::Range;

/// Rays of as many images are cast together as have so many pixels in all.
const PIXELS_AT_ONCE: usize = 1 << 21;

#[pymethods]
impl Tracer {
    /// Returns the `Cloud` of the points that a lidar or a camera hits: a `Camera`, the name of a
    /// published lidar, whose rays are lines then, or that of one of the scene's cameras; by default the
    /// scene's first.
    ///
    /// It stands at its own place or at each of the ``poses``, as (N, 4, 4) matrices or (N, 7) rows
    /// x y z qx qy qz qw of the sensor's frame, which is that of `Camera.pose`; each is one moment, given
    /// by ``times`` (N,), by default 0, 1, 2 …, and is taken in the world of its number in ``world_ids``
    /// (N,), by default in the first. ``frame`` is that of the points, ``"world"`` or ``"sensor"``. With
    /// ``labels`` the cloud has ``label_ids``, and with ``intensity``, or of a lidar with a beam or rules
    /// for returns, the arrays of returns.
    ///
    ///     >>> import raytwin as rt
    ///     >>> scene = rt.Scene()
    ///     >>> ball = scene.add_spheres([[10.0, 0.0, 0.0]], 1.0)
    ///     >>> tracer = rt.Tracer(scene, device="cpu")
    ///     >>> poses = [[x, 0, 0, 0, 0, 0, 1] for x in (0, 2)]
    ///     >>> cloud = tracer.scan("VLP-16", poses=poses)
    ///     >>> cloud.sweeps.counts
    ///     array([268, 410], dtype=uint64)
    #[pyo3(signature = (camera = None, size = None, *, poses = None, times = None, world_ids = None, frame = None, labels = false, intensity = false))]
    #[expect(clippy::too_many_arguments, reason = "they are Python's arguments")]
    fn scan<'py>(
        slf: PyRef<'py, Self>,
        py: Python<'py>,
        camera: Option<Bound<'py, PyAny>>,
        size: Option<Bound<'py, PyAny>>,
        poses: Option<Bound<'py, PyAny>>,
        times: Option<Bound<'py, PyAny>>,
        world_ids: Option<Bound<'py, PyAny>>,
        frame: Option<Bound<'py, PyAny>>,
        labels: bool,
        intensity: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        static SCAN: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
        let scan = SCAN.import(py, "raytwin.scans", "scan")?;
        let places = (poses, times, world_ids);
        scan.call1((slf, camera, size, places, frame, labels, intensity))
    }

    /// Returns the columns of the points that a camera's rays hit from each pose (N, 12), in the
    /// world of that number, by default that of the pose's number, and the pose's number as
    /// `pose_numbers`; and how many points each pose has as `counts`. A ray hits what has a bit of
    /// `mask`. Noise is that of the images from `first_image` on.
    #[expect(clippy::too_many_arguments, reason = "they are Python's arguments")]
    fn _scan<'py>(
        &self,
        py: Python<'py>,
        camera: CameraArgument,
        size: Option<(u32, u32)>,
        poses: PyReadonlyArray2<'py, f64>,
        mask: u32,
        first_image: u32,
        is_in_sensor: bool,
        has_labels: bool,
        has_returns: bool,
        world_ids: Option<PyReadonlyArray1<'py, u32>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let (scene, _) = self.scene.get().snapshot();
        let count = poses.shape()[0];
        let own: Vec<u32> = (0..count as u32).collect();
        let views = views_of(py, &camera, size, &scene, poses, None, (mask, first_image))?;
        let worlds = world_ids.as_ref().map(|worlds| worlds.as_slice()).transpose()?;
        let views = views.in_worlds(worlds.unwrap_or(&own)).or_exception()?;
        let has_returns = has_returns || views.view().camera.sensor.makes_returns();
        if count > 0 {
            refuse_hidden(&scene, views.view(), mask)?;
        }
        let frame = if is_in_sensor { CloudFrame::Sensor } else { CloudFrame::World };
        let points = detached(py, || {
            let current = self.current(scene.origin())?;
            let tracer = current.open.tracer.as_ref();
            let at_once = match has_returns {
                true => 1,
                false => (PIXELS_AT_ONCE / views.view().pixels()).max(1),
            };
            let mut points = Vec::new();
            for first in (0..count).step_by(at_once) {
                let images = first..count.min(first + at_once);
                let next = match has_returns {
                    true => returns_of(tracer, &views, first, frame),
                    false => points_of(tracer, &views, images, frame),
                };
                points.extend(next.or_exception()?);
                Python::attach(|py| py.check_signals())?;
            }
            Ok(points)
        })?;
        let columns = columns(py, &points)?;
        if has_returns {
            let shorts = |of| numbers::<u8>(py, &points, of);
            let floats = |of| numbers::<f32>(py, &points, of);
            columns.set_item(intern!(py, "intensity"), floats(|point| point.intensity))?;
            let normalized = floats(|point| point.normalized_intensity);
            columns.set_item(intern!(py, "normalized_intensity"), normalized)?;
            columns.set_item(intern!(py, "return_number"), shorts(|point| point.return_number))?;
            let counts = shorts(|point| point.number_of_returns);
            columns.set_item(intern!(py, "number_of_returns"), counts)?;
            columns.set_item(intern!(py, "incidence"), floats(|point| point.incidence))?;
        }
        if has_labels {
            let ids: Vec<u32> = points.iter().flatten().map(|point| point.geometry_id).collect();
            let labels = detached(py, || Ok(scene.labels_of(&ids)))?;
            columns.set_item(intern!(py, "label_ids"), labels.into_pyarray(py))?;
        }
        let counts: Vec<u64> = points.iter().map(|points| points.len() as u64).collect();
        columns.set_item(intern!(py, "counts"), counts.into_pyarray(py))?;
        Ok(columns)
    }
}

fn returns_of(
    tracer: &dyn LibraryTracer,
    views: &Views,
    image: usize,
    frame: CloudFrame,
) -> Result<Vec<Vec<CloudPoint>>, TraceError> {
    let posed = PosedView::from(views.view_of(image));
    let seen = RayScope { mask: views.mask(), world: views.world_ids()[image] };
    let returns = cast_beams(tracer, &posed, 0..posed.view().pixels(), seen)?;
    Ok(vec![CloudPoint::of_returns(&returns, &posed, frame, tracer.scene().origin())])
}

/// Returns the points that the rays of some images hit, which are cast together.
fn points_of(
    tracer: &dyn LibraryTracer,
    views: &Views,
    images: Range<usize>,
    frame: CloudFrame,
) -> Result<Vec<Vec<CloudPoint>>, TraceError> {
    let pixels = views.view().pixels();
    let posed: Vec<PosedView> =
        images.clone().map(|image| PosedView::from(views.view_of(image))).collect();
    // The rays are those of the host, on which the points lie.
    let rays: Vec<Ray> = (0..images.len() * pixels)
        .into_par_iter()
        .map(|index| posed[index / pixels].ray(index % pixels))
        .collect();
    let masks = vec![views.mask(); rays.len()];
    let worlds = views.world_ids()[images].iter();
    let worlds: Vec<u32> = worlds.flat_map(|&world| repeat_n(world, pixels)).collect();
    let hits = tracer.closest(Batch::new(&rays).with_masks(&masks)?.in_worlds(&worlds)?)?;
    let origin = tracer.scene().origin();
    let of_image = |(posed, hits): (&PosedView, &[Hit])| {
        CloudPoint::of_posed(hits, None, posed, 0, frame, origin)
    };
    Ok(posed.par_iter().zip(hits.par_chunks(pixels)).map(of_image).collect())
}

fn numbers<'py, T: Element>(
    py: Python<'py>,
    points: &[Vec<CloudPoint>],
    of: fn(&CloudPoint) -> T,
) -> Bound<'py, PyArray1<T>> {
    points.iter().flatten().map(of).collect::<Vec<T>>().into_pyarray(py)
}

/// Returns an array for each number that points have; `points` are those of each pose.
fn columns<'py>(py: Python<'py>, points: &[Vec<CloudPoint>]) -> PyResult<Bound<'py, PyDict>> {
    let ids = |of| numbers::<u32>(py, points, of);
    let columns = PyDict::new(py);
    let positions: Vec<[f64; 3]> = points.iter().flatten().map(|point| point.position).collect();
    let count = positions.len();
    columns.set_item(intern!(py, "points"), shaped_rows(py, positions, &[count])?)?;
    let distances = numbers(py, points, |point| point.distance);
    columns.set_item(intern!(py, "distance"), distances)?;
    columns.set_item(intern!(py, "geometry_ids"), ids(|point| point.geometry_id))?;
    columns.set_item(intern!(py, "primitive_ids"), ids(|point| point.primitive_id))?;
    columns.set_item(intern!(py, "ring"), ids(|point| point.pixel[0]))?;
    columns.set_item(intern!(py, "column"), ids(|point| point.pixel[1]))?;
    let numbers = (0_u32..).zip(points).flat_map(|(number, of)| repeat_n(number, of.len()));
    columns
        .set_item(intern!(py, "pose_numbers"), numbers.collect::<Vec<u32>>().into_pyarray(py))?;
    Ok(columns)
}
