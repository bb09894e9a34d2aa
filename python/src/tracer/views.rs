//! Images of one camera from many poses, each in a world of the scene.

use super::Tracer;
use super::render::colors;
use crate::answers::{set_arrays, shaped, shaped_rows};
use crate::camera::{CameraArgument, of_pose, place_of, rows_of};
use crate::error::{OrException, detached};
use crate::hiding::refuse_hidden;
use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use raytwin::camera::Extrinsics;
use raytwin::image::Image;
use raytwin::returns::{RayScope, cast_beams};
use raytwin::{
    HitArrays, PosedView, Scene as LibraryScene, TraceError, Tracer as LibraryTracer, Views,
};
use std::ops::Range;

#[pymethods]
impl Tracer {
    /// Returns the arrays of a camera's images from each pose (N, 12). The first axis is that of the
    /// poses, and `world_ids` are their worlds. A ray hits a geometry whose mask has a bit in common
    /// with `mask`. The noise is that of the images from `first_image` on.
    #[expect(clippy::too_many_arguments, reason = "they are Python's arguments")]
    fn _render_views<'py>(
        &self,
        py: Python<'py>,
        camera: CameraArgument,
        size: Option<(u32, u32)>,
        poses: PyReadonlyArray2<'py, f64>,
        world_ids: Option<PyReadonlyArray1<'py, u32>>,
        mask: u32,
        first_image: u32,
        normals: bool,
        labels: bool,
        albedo: bool,
        progress: bool,
    ) -> PyResult<Bound<'py, PyDict>> {
        let (scene, _) = self.scene.get().snapshot();
        let views = views_of(py, &camera, size, &scene, poses, world_ids, (mask, first_image))?;
        refuse_hidden(&scene, views.view(), mask)?;
        let hit_arrays = if normals { HitArrays::PRIMITIVE_NORMALS } else { HitArrays::HIT };
        let pixels = views.pixels();
        let mut image = self.image(py, (scene.origin(), pixels), progress, |tracer, pixels| {
            part(tracer, &views, pixels, hit_arrays)
        })?;
        let shape = &[views.count(), views.view().height as usize, views.view().width as usize];
        let arrays = PyDict::new(py);
        if labels {
            let label_ids = detached(py, || Ok(scene.labels_of(&image.hits.geometry_ids)))?;
            arrays.set_item(intern!(py, "label_ids"), shaped(py, label_ids, shape)?)?;
        }
        if albedo {
            let colors = detached(py, || Ok(colors(&scene, &image.hits)))?;
            arrays.set_item(intern!(py, "albedo"), shaped_rows(py, colors, shape)?)?;
        }
        if normals {
            let normals = std::mem::take(&mut image.hits.primitive_normals);
            arrays.set_item(intern!(py, "primitive_normals"), shaped_rows(py, normals, shape)?)?;
        }
        let hits = std::mem::take(&mut image.hits);
        set_arrays!(arrays, shape, image: distance, z);
        set_arrays!(arrays, shape, hits: geometry_ids, primitive_ids);
        Ok(arrays)
    }
}

/// Returns the views of a camera from each pose (N, 12), in the poses' worlds, with rays of a mask.
/// The noise is that of the images from `first_image` on.
pub(super) fn views_of(
    py: Python<'_>,
    camera: &CameraArgument,
    size: Option<(u32, u32)>,
    scene: &LibraryScene,
    poses: PyReadonlyArray2<'_, f64>,
    world_ids: Option<PyReadonlyArray1<'_, u32>>,
    (mask, first_image): (u32, u32),
) -> PyResult<Views> {
    let mut view = camera.view(scene.origin(), size)?;
    if let Some(noise) = &mut view.camera.sensor.noise {
        noise.image_number = first_image;
    }
    let place = |(index, pose): (usize, &[f64; 12])| {
        place_of(&rows_of(pose), &view.camera.projection, scene.origin())
            .map_err(|error| of_pose(py, index, &error))
    };
    let poses = poses.as_slice()?.as_chunks::<12>().0;
    let places: Vec<Extrinsics> = poses.iter().enumerate().map(place).collect::<PyResult<_>>()?;
    let views = Views::at(&view, places).seeing(mask);
    match world_ids {
        Some(world_ids) => views.in_worlds(world_ids.as_slice()?).or_exception(),
        None => Ok(views),
    }
}

/// Renders some pixels of images: their returns, if the instrument makes returns.
fn part(
    tracer: &dyn LibraryTracer,
    views: &Views,
    pixels: Range<usize>,
    arrays: HitArrays,
) -> Result<Image, TraceError> {
    if !views.view().camera.sensor.makes_returns() {
        let hits = tracer.render_views(views, pixels.clone())?;
        return Ok(Image::of_views(tracer.scene(), views, pixels.start, &hits, arrays));
    }
    let mut all = Image::default();
    for (image, pixels) in views.by_image(pixels) {
        let posed = PosedView::from(views.view_of(image));
        let seen = RayScope { mask: views.mask(), world: views.world_ids()[image] };
        let returns = cast_beams(tracer, &posed, pixels.clone(), seen)?;
        let next = Image::of_returns(tracer.scene(), &posed, pixels, &returns);
        all.hits.t_hit.extend(next.hits.t_hit);
        all.hits.geometry_ids.extend(next.hits.geometry_ids);
        all.hits.primitive_ids.extend(next.hits.primitive_ids);
        if arrays.has(HitArrays::PRIMITIVE_NORMALS) {
            all.hits.primitive_normals.extend(next.hits.primitive_normals);
        }
        all.distance.extend(next.distance);
        all.z.extend(next.z);
    }
    Ok(all)
}
