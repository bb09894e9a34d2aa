//! Scans: the returns of a lidar or a camera from several poses, each in a world of its own.

use super::Tracer;
use crate::answers::shaped_rows;
use crate::camera::CameraArgument;
use crate::error::{IntoException, detached};
use crate::hiding::refuse_hidden;
use numpy::{Element, IntoPyArray, PyArray1, PyReadonlyArray2};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use rayon::prelude::*;
use raytwin::returns::{Seen, cast_beams};
use raytwin::{Batch, Hit, PosedView, Ray, TraceError, Tracer as LibraryTracer};
use raytwin_files::clouds::{CloudFrame, CloudPoint};

#[pymethods]
impl Tracer {
    /// Returns the columns of the points that a camera's rays hit from each pose (N, 12), in the
    /// world of the pose's number, and that number as `world_ids`; and how many points each pose has
    /// as `counts`. A ray hits what has a bit of `mask`. Noise is that of the images from `first_image` on.
    #[expect(clippy::too_many_arguments, reason = "they are Python's arguments")]
    fn _scan<'py>(
        &self,
        py: Python<'py>,
        mut camera: CameraArgument,
        size: Option<(u32, u32)>,
        poses: PyReadonlyArray2<'py, f64>,
        mask: u32,
        first_image: u32,
        is_in_sensor: bool,
        has_labels: bool,
        has_returns: bool,
    ) -> PyResult<Bound<'py, PyDict>> {
        let (scene, _) = self.scene.get().snapshot();
        let mut views = Vec::new();
        for (pose, image) in poses.as_slice()?.as_chunks::<12>().0.iter().zip(first_image..) {
            camera.stand_at(pose);
            let mut view = camera.view(scene.origin(), size)?;
            if let Some(noise) = &mut view.camera.sensor.noise {
                noise.image_number = image;
            }
            views.push(view);
        }
        let has_returns =
            has_returns || views.iter().any(|view| view.camera.sensor.makes_returns());
        if let Some(view) = views.first() {
            refuse_hidden(&scene, view, mask)?;
        }
        let frame = if is_in_sensor { CloudFrame::Sensor } else { CloudFrame::World };
        let points = detached(py, || {
            let current = self.current(scene.origin())?;
            let tracer = current.open.tracer.as_ref();
            let mut points = Vec::new();
            for (world, view) in (0..).zip(views) {
                let posed = PosedView::from(view);
                let pixels = 0..posed.view().pixels();
                let seen = Seen { mask, world };
                let next = match has_returns {
                    true => cast_beams(tracer, &posed, pixels, seen).map(|returns| {
                        CloudPoint::of_returns(&returns, &posed, frame, scene.origin())
                    }),
                    false => closest(tracer, &posed, seen).map(|hits| {
                        CloudPoint::of_posed(&hits, None, &posed, 0, frame, scene.origin())
                    }),
                };
                points.push(next.map_err(IntoException::into_exception)?);
                Python::attach(|py| py.check_signals())?;
            }
            Ok(points)
        })?;
        let columns = columns(py, &points)?;
        if has_returns {
            let shorts = |of| numbers::<u8>(py, &points, of);
            let floats = |of| numbers::<f32>(py, &points, of);
            columns.set_item(intern!(py, "intensity"), floats(|point| point.intensity))?;
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

/// Casts a view's rays at what is seen.
fn closest(
    tracer: &dyn LibraryTracer,
    posed: &PosedView,
    seen: Seen,
) -> Result<Vec<Hit>, TraceError> {
    let pixels = posed.view().pixels();
    let rays: Vec<Ray> = (0..pixels).into_par_iter().map(|pixel| posed.ray(pixel)).collect();
    let (masks, worlds) = (vec![seen.mask; pixels], vec![seen.world; pixels]);
    tracer.closest(Batch::new(&rays).with_masks(&masks)?.in_worlds(&worlds)?)
}

/// Returns an array of a number of all points.
fn numbers<'py, T: Element>(
    py: Python<'py>,
    points: &[Vec<CloudPoint>],
    of: fn(&CloudPoint) -> T,
) -> Bound<'py, PyArray1<T>> {
    points.iter().flatten().map(of).collect::<Vec<T>>().into_pyarray(py)
}

/// Returns an array for each number that points have; `points` are those of each world.
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
    let worlds = (0_u32..).zip(points).flat_map(|(world, of)| std::iter::repeat_n(world, of.len()));
    columns.set_item(intern!(py, "world_ids"), worlds.collect::<Vec<u32>>().into_pyarray(py))?;
    Ok(columns)
}
