//! Scans: the returns of a lidar or a camera from several poses, each in its own world.

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

/// The number of pixels up to which the rays of several images are cast together.
const PIXELS_AT_ONCE: usize = 1 << 21;

#[pymethods]
impl Tracer {
    /// Returns the `Cloud` of the points that a lidar or a camera hits.
    ///
    /// ``camera`` is a `Camera`, the name of a published lidar, or the name of one of the scene's
    /// cameras. By default it is the scene's first camera, or one that sees everything if the scene has
    /// none. If you name a published lidar, its rays are lines, without a beam. ``size`` is
    /// (width, height) in pixels. By default it is the camera's own.
    ///
    /// The sensor is at its own pose, or at each of the ``poses``: (N, 4, 4) matrices or (N, 7)
    /// rows x y z qx qy qz qw of the sensor's frame, which is that of `Camera.pose`. All rays of a
    /// pose are cast at one time. ``times`` (N,) are these times, by default 0, 1, 2 and so on.
    /// ``world_ids`` (N,) are the worlds of the poses; by default all are in the first.
    ///
    /// ``frame`` is the frame of the points: ``"world"``, the default, or ``"sensor"``. With
    /// ``labels=True`` the cloud has ``label_ids``. With ``intensity=True``, or if the lidar has a beam
    /// or rules for returns, it has the arrays of returns: see `Cloud`.
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

    /// Returns the columns of the points that a camera's rays hit from each pose (N, 12), with the
    /// pose's number as `pose_numbers` and the number of points of each pose as `counts`. `world_ids`
    /// are the worlds of the poses, by default the poses' own numbers. A ray hits a geometry whose mask
    /// has a bit in common with `mask`. The noise is that of the images from `first_image` on.
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

/// Returns the points that the rays of some images hit. These rays are cast together.
fn points_of(
    tracer: &dyn LibraryTracer,
    views: &Views,
    images: Range<usize>,
    frame: CloudFrame,
) -> Result<Vec<Vec<CloudPoint>>, TraceError> {
    let pixels = views.view().pixels();
    let posed: Vec<PosedView> =
        images.clone().map(|image| PosedView::from(views.view_of(image))).collect();
    // The points are on these rays, which the host made.
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

/// Returns an array for each number that points have. `points` has a list for each pose.
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
