//! Images of a tracer's scene: their arrays, their shaded pictures, and their files.

use super::Tracer;
use super::growing::Growing;
use crate::answers::{set_arrays, shaped_rows};
use crate::argument;
use crate::camera::CameraArgument;
use crate::cloud::write_cloud;
use crate::error::{OrException, detached};
use crate::hiding::refuse_hidden;
use crate::pieces::{Bar, in_pieces};
use numpy::PyReadonlyArrayDyn;
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyDict};
use rayon::prelude::*;
use raytwin::glam::DVec3;
use raytwin::image::{Albedo, Background, Image, SceneExtent, Shading};
use raytwin::returns::{RayScope, cast_beams};
use raytwin::{
    CpuTracer, HitArrays, Hits, NONE, PackedScene, PosedView, Scene as LibraryScene, TraceError,
    Tracer as LibraryTracer, View,
};
use raytwin_files::clouds::{
    CloudFormat, CloudFrame, CloudLayout, CloudPoint, CloudSource, Survey,
};
use raytwin_files::image::{RenderOptions, RenderWriter, png, render_files};
use raytwin_files::{Outputs, refuse_clashes};
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

/// The arrays of hits that an image has in addition to t and ids.
const WITHOUT_NORMALS: HitArrays = HitArrays::INSTANCE_IDS;
const WITH_NORMALS: HitArrays = WITHOUT_NORMALS.and(HitArrays::PRIMITIVE_NORMALS);

/// A view of a scene as it was when it was rendered. `raytwin/image.py` wraps it in the class that
/// users see.
#[pyclass(frozen, module = "raytwin._raytwin")]
pub(crate) struct ImageSource {
    view: View,
    scene: Arc<LibraryScene>,
    tracer: Py<Tracer>,
    version: u64,
}

#[derive(FromPyObject)]
struct ImageArrays<'py> {
    distance: PyReadonlyArrayDyn<'py, f32>,
    z: PyReadonlyArrayDyn<'py, f32>,
    geometry_ids: PyReadonlyArrayDyn<'py, u32>,
    primitive_ids: PyReadonlyArrayDyn<'py, u32>,
    #[pyo3(default)]
    primitive_normals: Option<PyReadonlyArrayDyn<'py, f32>>,
}

impl Tracer {
    /// Returns the pixels that `render` makes piece by piece, in a scene with this origin.
    pub(super) fn image(
        &self,
        py: Python<'_>,
        (origin, pixels): (DVec3, usize),
        progress: bool,
        render: impl Fn(&dyn LibraryTracer, Range<usize>) -> Result<Image, TraceError> + Send + Sync,
    ) -> PyResult<Image> {
        let bar = Bar::new(py, progress, pixels, "pixels")?;
        detached(py, || {
            let current = self.current(origin)?;
            let tracer = current.open.tracer.as_ref();
            let mut image = Image::default();
            in_pieces(pixels, &bar, &self.paces.render, |piece| {
                image.grow(render(tracer, piece).or_exception()?, pixels)
            })?;
            Ok(image)
        })
    }
}

#[pymethods]
impl Tracer {
    /// Returns the `Image` that a camera sees, or the `Images` that it sees from several poses.
    ///
    /// ``camera`` is a `Camera` or the name of one of the scene's cameras. By default it is the scene's
    /// first camera, or one that sees everything if the scene has none. ``size`` is (width, height) in
    /// pixels. By default it is the camera's own.
    ///
    /// With ``poses`` the call returns `Images`, one for each pose, all in one launch. Poses are
    /// (N, 4, 4) matrices or (N, 7) rows x y z qx qy qz qw of the sensor's frame, which is that of
    /// `Camera.pose`. ``world_ids`` (N,) are the worlds of the images; by default all are in the
    /// first. ``out`` is a dictionary of arrays to write the images' arrays into, by name.
    ///
    /// ``normals`` adds ``primitive_normals``. By default one image has them, and the images of
    /// ``poses`` do not. ``labels`` adds ``label_ids``, and ``albedo`` adds ``albedo``.
    ///
    ///     >>> import numpy as np, raytwin as rt
    ///     >>> scene = rt.Scene()
    ///     >>> ids = scene.add_spheres([[0, 0, 9]], 1.0)
    ///     >>> tracer = rt.Tracer(scene, device="cpu")
    ///     >>> eye = rt.Camera(rt.camera.Perspective(40), pose=np.eye(4))
    ///     >>> poses = [[0, 0, z, 0, 0, 0, 1] for z in (0, 2, 4)]
    ///     >>> tracer.render(eye, (3, 3), poses=poses).z[:, 1, 1]
    ///     array([8., 6., 4.], dtype=float32)
    #[pyo3(signature = (camera = None, size = None, *, poses = None, world_ids = None, normals = None, labels = false, albedo = false, out = None, progress = false))]
    #[expect(clippy::too_many_arguments, reason = "they are Python's arguments")]
    fn render<'py>(
        slf: PyRef<'py, Self>,
        py: Python<'py>,
        camera: Option<Bound<'py, PyAny>>,
        size: Option<Bound<'py, PyAny>>,
        poses: Option<Bound<'py, PyAny>>,
        world_ids: Option<Bound<'py, PyAny>>,
        normals: Option<bool>,
        labels: bool,
        albedo: bool,
        out: Option<Bound<'py, PyAny>>,
        progress: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        static RENDER_VIEWS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
        static CAMERA_OF: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
        static IMAGE: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
        let tracer: &Self = &slf;
        let camera_of = CAMERA_OF.import(py, "raytwin.chosen_camera", "camera_of")?;
        let chosen = camera_of.call1((&tracer.scene, camera, size))?;
        let (camera, size): (Bound<'py, PyAny>, Option<(u32, u32)>) = chosen.extract()?;
        if poses.is_some() || world_ids.is_some() || out.is_some() {
            let render_views = RENDER_VIEWS.import(py, "raytwin.images", "render_views")?;
            let asked = (normals.unwrap_or(false), labels, albedo, progress);
            return render_views.call1((slf, camera, size, poses, world_ids, asked, out));
        }
        let given: CameraArgument = camera.extract()?;
        let (scene, version) = tracer.scene.get().snapshot();
        let view = given.view(scene.origin(), size)?;
        refuse_hidden(&scene, &view, u32::MAX)?;
        let has_normals = normals.unwrap_or(true);
        let hit_arrays = if has_normals { WITH_NORMALS } else { WITHOUT_NORMALS };
        let asked = (scene.origin(), view.pixels());
        let mut image = tracer.image(py, asked, progress, |tracer, pixels| {
            piece(tracer, &view, pixels, hit_arrays)
        })?;
        if labels {
            image.hits.label_ids = detached(py, || Ok(scene.labels_of(&image.hits.geometry_ids)))?;
        }
        let colors =
            albedo.then(|| detached(py, || Ok(colors(&scene, &image.hits)))).transpose()?;
        let arrays = arrays(py, &view, image)?;
        if let Some(colors) = colors {
            let shape = &[view.height as usize, view.width as usize];
            arrays.set_item(intern!(py, "albedo"), shaped_rows(py, colors, shape)?)?;
        }
        let source = ImageSource { view, scene, tracer: slf.into(), version };
        IMAGE.import(py, "raytwin.image", "Image")?.call1((arrays, camera, source))
    }
}

/// Renders some pixels of a view: their returns, if the instrument makes returns.
fn piece(
    tracer: &dyn LibraryTracer,
    view: &View,
    pixels: Range<usize>,
    arrays: HitArrays,
) -> Result<Image, TraceError> {
    if !view.camera.sensor.makes_returns() {
        let hits = tracer.render(view, pixels.clone())?;
        return Ok(Image::with_arrays(tracer.scene(), view, pixels.start, &hits, arrays));
    }
    let posed = PosedView::from(view.clone());
    let returns = cast_beams(tracer, &posed, pixels.clone(), RayScope::default())?;
    let mut image = Image::of_returns(tracer.scene(), &posed, pixels, &returns);
    if !arrays.has(HitArrays::PRIMITIVE_NORMALS) {
        image.hits.primitive_normals.clear();
    }
    Ok(image)
}

fn arrays<'py>(py: Python<'py>, view: &View, mut image: Image) -> PyResult<Bound<'py, PyDict>> {
    let hits = std::mem::take(&mut image.hits);
    let shape = &[view.height as usize, view.width as usize];
    let arrays = PyDict::new(py);
    set_arrays!(arrays, shape, image: distance, z);
    set_arrays!(arrays, shape, hits: geometry_ids, primitive_ids, instance_ids);
    if !hits.primitive_normals.is_empty() {
        let normals = shaped_rows(py, hits.primitive_normals, shape)?;
        arrays.set_item(intern!(py, "primitive_normals"), normals)?;
    }
    if !hits.label_ids.is_empty() {
        set_arrays!(arrays, shape, hits: label_ids);
    }
    Ok(arrays)
}

/// Returns the colour of the geometry that each pixel shows, under no light; black for a miss.
pub(super) fn colors(scene: &LibraryScene, hits: &Hits) -> Vec<[u8; 3]> {
    let albedo = Albedo::new(scene, Arc::new(SceneExtent::of(scene)));
    let color = |&id: &u32| if id == NONE { [0; 3] } else { albedo.srgb(id) };
    hits.geometry_ids.par_iter().map(color).collect()
}

impl ImageSource {
    /// Does the work with the tracer that rendered the image. If that tracer has a newer scene, it does
    /// the work with a tracer on the CPU.
    fn with_tracer<T>(&self, work: impl FnOnce(&dyn LibraryTracer) -> PyResult<T>) -> PyResult<T> {
        if let Ok(current) = self.tracer.get().current(self.scene.origin())
            && current.version == self.version
        {
            return work(current.open.tracer.as_ref());
        }
        let packed = PackedScene::new(Arc::clone(&self.scene)).or_exception()?;
        work(&CpuTracer::new(&packed))
    }

    /// Writes the points of an image to a file, in the sensor's frame or in the world frame, with or
    /// without normals.
    fn save_cloud(
        &self,
        (path, is_in_sensor, has_normals): (PathBuf, bool, bool),
        image: &Image,
        has_labels: bool,
        outputs: &mut Outputs,
    ) -> PyResult<PathBuf> {
        let frame = if is_in_sensor { CloudFrame::Sensor } else { CloudFrame::World };
        let formats = CloudFormat::of(&path).into_iter();
        let has_returns = CloudFormat::have_returns(formats, &self.view.camera.sensor);
        let image_layout = CloudLayout::of(CloudSource::Image);
        let layout = CloudLayout { has_normals, has_labels, has_returns, ..image_layout };
        let origin = self.scene.origin();
        let mut points = if has_returns {
            let posed = PosedView::from(self.view.clone());
            self.with_tracer(|tracer| {
                let all = 0..self.view.pixels();
                let returns = cast_beams(tracer, &posed, all, RayScope::default());
                let returns = returns.or_exception()?;
                Ok(CloudPoint::of_returns(&returns, &posed, frame, origin))
            })?
        } else {
            let Image { hits, distance, .. } = image;
            CloudPoint::of_image(hits, distance, &self.view, 0, frame, origin)
        };
        layout.complete(&mut points, &self.scene);
        let survey = Survey { label_names: self.scene.label_names.clone(), ..Survey::default() };
        outputs.join(write_cloud(&path, &layout, survey, &points)?);
        Ok(path)
    }

    fn shade<'a>(
        &'a self,
        tracer: &'a dyn LibraryTracer,
        samples: Option<u32>,
        background: Background,
    ) -> PyResult<Shading<'a>> {
        let shading = Shading::new(tracer, &self.view, samples);
        let mut shading = shading.or_exception()?.on(background);
        for tile in shading.tiles() {
            shading.shade(tile).or_exception()?;
            Python::attach(|py| py.check_signals())?;
        }
        Ok(shading)
    }
}

#[pymethods]
impl ImageSource {
    /// Returns the shaded picture as the bytes of a PNG file.
    fn shaded<'py>(
        &self,
        py: Python<'py>,
        #[pyo3(from_py_with = argument::samples)] samples: Option<u32>,
        #[pyo3(from_py_with = argument::background)] background: Background,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = detached(py, || {
            self.with_tracer(|tracer| {
                let shading = self.shade(tracer, samples, background)?;
                png(shading).map_err(|error| PyOSError::new_err(error.to_string()))
            })
        })?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// Writes the files of `raytwin render` into a folder, and returns their paths.
    #[expect(clippy::too_many_arguments, reason = "they are Python's arguments")]
    fn save(
        &self,
        py: Python<'_>,
        folder: PathBuf,
        image: ImageArrays<'_>,
        #[pyo3(from_py_with = argument::shading)] shading: Option<u32>,
        range: Option<[f64; 2]>,
        z_scale: Option<f64>,
        #[pyo3(from_py_with = argument::background)] background: Background,
        asked: (bool, bool),
        cloud: Option<(PathBuf, bool, bool)>,
    ) -> PyResult<Vec<PathBuf>> {
        let (instances, labels) = asked;
        let mut hits = Hits {
            t_hit: image.distance.as_slice()?.to_vec(),
            geometry_ids: image.geometry_ids.as_slice()?.to_vec(),
            primitive_ids: image.primitive_ids.as_slice()?.to_vec(),
            ..Hits::default()
        };
        let normals = image.primitive_normals;
        if let Some(normals) = &normals {
            hits.primitive_normals = normals.as_slice()?.as_chunks::<3>().0.to_vec();
        }
        let [distance, z] = [image.distance.as_slice()?.to_vec(), image.z.as_slice()?.to_vec()];
        let mut image = Image { hits, distance, z };
        let has_normals = normals.is_some();
        let options = RenderOptions {
            distance_range: range,
            z_scale,
            instances,
            labels,
            groups: None,
            named: None,
            background,
        };
        let of_render = render_files(shading != Some(0), &options).map(|name| folder.join(name));
        let outputs: Vec<PathBuf> =
            of_render.chain(cloud.iter().map(|(path, ..)| path.clone())).collect();
        refuse_clashes(&outputs).map_err(|clash| PyValueError::new_err(clash.to_string()))?;
        let written = detached(py, || {
            let write = |writer: Result<RenderWriter, _>| writer.or_exception();
            if !has_normals {
                let all = 0..self.view.pixels();
                let render = |tracer: &dyn LibraryTracer| {
                    let again = piece(tracer, &self.view, all, WITH_NORMALS);
                    Ok(again.or_exception()?.hits.primitive_normals)
                };
                image.hits.primitive_normals = self.with_tracer(render)?;
            }
            let mut writer = write(RenderWriter::new(&folder, &self.view))?;
            writer.add(&image).or_exception()?;
            if shading != Some(0) {
                self.with_tracer(|tracer| {
                    let picture = self.shade(tracer, shading, background)?;
                    writer.add_shaded(picture, &self.scene, &options).or_exception()
                })?;
            }
            let completed = writer.complete(&self.scene, &options);
            let (written, mut outputs) = completed.or_exception()?;
            let mut files = written.files;
            if let Some(cloud) = cloud {
                files.push(self.save_cloud(cloud, &image, labels, &mut outputs)?);
            }
            outputs.publish().or_exception()?;
            Ok(files)
        })?;
        Ok(written)
    }
}
