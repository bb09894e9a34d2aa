//! A scene that the page shows.

use crate::answers::{
    CameraDescription, GeometryDescription, JointDescription, SceneDescription, ToldOfScene,
};
use crate::caster::{Caster, Device};
use crate::picture::{PictureKind, colored};
use crate::shading::Shading;
use crate::tile::Tile;
use raytwin::camera::Projection;
use raytwin::glam::DVec3;
use raytwin::image::{Image, SceneExtent, Stage};
use raytwin::{Camera, PackedScene, Scene, Tracer, View};
use raytwin_files::Pick;
use raytwin_files::image::DistanceRange;
use raytwin_files::image::write_npz;
use raytwin_formats::{FileStore, Format, FormatOption, JointState, MoleculeStyle, Options};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Cursor;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use wasm_bindgen::prelude::*;

/// The most geometries that the page lists.
const LISTED: u32 = 5000;

/// The files that a visitor chose, by their paths.
#[wasm_bindgen]
#[derive(Default)]
pub struct Files(BTreeMap<String, Arc<[u8]>>);

#[wasm_bindgen]
impl Files {
    /// Returns no files.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a file, or replaces the one of that path.
    pub fn add(&mut self, path: String, bytes: &[u8]) {
        self.0.insert(path, bytes.into());
    }

    /// Returns the file that holds the scene: of those that a reader knows the one with the fewest
    /// folders above it, and no mesh where there is another. Nothing if there is none.
    pub fn main(&self) -> Option<String> {
        let meshes = ["obj", "stl", "ply", "dae"];
        let rank = |path: &&String| {
            let lowercase = path.to_lowercase();
            let extension = lowercase.rsplit('.').next().unwrap_or_default();
            (meshes.contains(&extension), path.matches('/').count(), (*path).clone())
        };
        let is_scene = |path: &&String| raytwin_formats::Format::of(Path::new(path)).is_some();
        self.0.keys().filter(is_scene).min_by_key(rank).cloned()
    }

    fn store(&self) -> FileStore {
        FileStore::in_memory(self.0.iter().map(|(path, bytes)| (path, Arc::clone(bytes))))
    }

    /// Every folder, as the package of its name: a robot's description lies in a folder that is
    /// named so.
    fn packages(&self) -> Vec<(String, std::path::PathBuf)> {
        let folders: BTreeSet<&Path> =
            self.0.keys().flat_map(|path| Path::new(path).ancestors().skip(1)).collect();
        let named =
            |folder: &Path| Some((folder.file_name()?.to_str()?.to_owned(), folder.to_owned()));
        folders.into_iter().filter_map(named).collect()
    }
}

/// The wishes of a visitor about how a scene is read.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Wishes {
    joints: BTreeMap<String, f64>,
    /// The name of a molecule's style.
    style: Option<String>,
    collision: bool,
}

/// The files that a scene was read from.
#[derive(Clone)]
struct Source {
    store: FileStore,
    path: PathBuf,
    packages: Vec<(String, PathBuf)>,
}

impl Source {
    fn read(self, wishes: &str) -> Result<Session, JsError> {
        let wishes: Wishes = serde_json::from_str(wishes)?;
        let style = match &wishes.style {
            Some(name) => {
                MoleculeStyle::named(name).ok_or_else(|| JsError::new("no such style"))?
            }
            None => MoleculeStyle::default(),
        };
        let options = Options {
            joints: wishes.joints.into_iter().map(|(name, value)| (name, value.into())).collect(),
            packages: self.packages.clone(),
            style,
            collision: wishes.collision,
            ..Options::default()
        };
        let imported = raytwin_formats::load_from(&self.store, &self.path, &options)?;
        let warnings = imported.warnings.iter().map(ToString::to_string).collect();
        Session::new(imported.scene, warnings, imported.joints, Some(self))
    }
}

/// A scene with its tracers.
#[wasm_bindgen]
pub struct Session {
    scene: Arc<Scene>,
    caster: Caster,
    extent: Arc<SceneExtent>,
    warnings: Vec<String>,
    joints: Vec<JointState>,
    /// Nothing if a program has read the scene.
    source: Option<Source>,
}

#[wasm_bindgen]
impl Session {
    /// Reads a scene. `wishes` is a JSON object with the values of a robot's `joints`, the `style`
    /// of a molecule, and whether `collision` geometry is shown.
    pub fn load(files: &Files, path: &str, wishes: &str) -> Result<Self, JsError> {
        let source = Source { store: files.store(), path: path.into(), packages: files.packages() };
        source.read(wishes)
    }

    /// Reads the same files by other wishes. It is read as a new scene, and not moved as one with
    /// the option `movable` could be, so that all answers stay those of the program.
    pub fn read_again(&self, wishes: &str) -> Result<Self, JsError> {
        let source = self.source.clone();
        source
            .ok_or_else(|| JsError::new("the scene has no files here to read again"))?
            .read(wishes)
    }

    /// Takes a scene that a program has read, as the bytes of `Scene::to_bytes`. `told` is a JSON
    /// object of its warnings and joints.
    pub fn of_scene(bytes: &[u8], told: &str) -> Result<Self, JsError> {
        let ToldOfScene { warnings, joints } = serde_json::from_str(told)?;
        let joints = joints.into_iter().map(Into::into).collect();
        Self::new(Scene::from_bytes(bytes)?, warnings, joints, None)
    }

    fn new(
        scene: Scene,
        warnings: Vec<String>,
        joints: Vec<JointState>,
        source: Option<Source>,
    ) -> Result<Self, JsError> {
        let scene = Arc::new(scene);
        Ok(Self {
            caster: Caster::new(PackedScene::new(Arc::clone(&scene))?),
            extent: Arc::new(SceneExtent::of(&scene)),
            scene,
            warnings,
            joints,
            source,
        })
    }

    /// Casts on a device from now on.
    pub async fn upload(&self, device: &Device) -> Result<(), JsError> {
        self.caster.upload(device).await
    }

    /// Casts in float64 from now on.
    pub fn leave_device(&self) {
        self.caster.leave_device();
    }

    /// Describes the scene, as JSON. `width` and `height` are those of the picture that a camera of
    /// ours shall fit.
    pub fn describe(&self, width: u32, height: u32) -> Result<String, JsError> {
        let scene = &self.scene;
        let origin = scene.origin();
        let bounds = scene.bounds();
        let of_file = scene.cameras.iter().filter_map(|c| CameraDescription::of(c, origin));
        let mut cameras: Vec<CameraDescription> = of_file.collect();
        let all = Camera::that_sees(&bounds, scene.up, width, height).map_err(|error| {
            JsError::new(&format!("no camera can see the whole scene, which is too large: {error}"))
        })?;
        cameras.extend(CameraDescription::of(&all, origin));
        let geometry = |id: u32| GeometryDescription {
            path: scene.path(id),
            kind: scene.geometry(id).map_or("", |geometry| geometry.type_name()),
        };
        let format = self.source.as_ref().and_then(|source| Format::of(&source.path));
        let options = format.map_or(&[][..], |format| format.options);
        Ok(serde_json::to_string(&SceneDescription {
            geometry_count: scene.geometry_count(),
            primitive_count: scene.primitive_count(),
            census: scene.census(),
            warnings: self.warnings.clone(),
            joints: self.joints.iter().cloned().map(JointDescription::from).collect(),
            styles: match options.contains(&FormatOption::Style) {
                true => MoleculeStyle::NAMES.iter().map(|(name, _)| *name).collect(),
                false => Vec::new(),
            },
            has_collision: options.contains(&FormatOption::Collision),
            geometries: (0..scene.geometry_count().min(LISTED)).map(geometry).collect(),
            cameras,
            up: DVec3::AXES[scene.up.index()].to_array(),
            center: (bounds.center() + origin).to_array(),
            radius: bounds.radius(),
        })?)
    }

    /// Draws some rows of a picture. The camera is ten numbers: eye, target, up, and the angle of
    /// view in degrees. A first picture is cast in float64, because a device compiles its kernels
    /// before its own first one.
    #[allow(clippy::too_many_arguments, reason = "JavaScript passes numbers faster than objects")]
    pub async fn draw(
        &self,
        camera: Vec<f64>,
        width: u32,
        height: u32,
        first_row: u32,
        rows: u32,
        kind: String,
        near: f64,
        far: f64,
        is_first: bool,
    ) -> Result<Tile, JsError> {
        let kind = PictureKind::named(&kind).ok_or_else(|| JsError::new("no such picture"))?;
        let view = self.view(&camera, width, height)?;
        let first = (first_row * width) as usize;
        let pixels = first..view.pixels().min(first + (rows * width) as usize);
        let gpu = self.caster.gpu().filter(|_| !is_first);
        let gpu = gpu.as_deref();
        let hits = self.caster.render(gpu, &view, pixels).await?;
        let mut image = Image::new(&self.scene, &view, first, &hits);
        let rgba = match kind {
            PictureKind::Shaded => {
                let stage = Stage::new(&self.scene, Arc::clone(&self.extent), &view, 0.0);
                let shading = Shading { stage, view: &view };
                shading.pixels(&self.caster, gpu, &image, first).await?
            }
            kind => colored(&image, kind, [near, far]),
        };
        Ok(Tile {
            rgba,
            distances: std::mem::take(&mut image.distance),
            ids: std::mem::take(&mut image.hits.geometry_ids),
        })
    }

    /// Returns a picture's answers as the `render.npz` that `raytwin render` writes, cast where
    /// pictures are.
    pub async fn save(
        &self,
        camera: Vec<f64>,
        width: u32,
        height: u32,
    ) -> Result<Vec<u8>, JsError> {
        let view = self.view(&camera, width, height)?;
        let gpu = self.caster.gpu();
        let hits = self.caster.render(gpu.as_deref(), &view, 0..view.pixels()).await?;
        let mut file = Cursor::new(Vec::new());
        write_npz(&Image::new(&self.scene, &view, 0, &hits), &view, &self.scene, &mut file)?;
        Ok(file.into_inner())
    }

    /// Returns what the ray of a pixel hits in float64, as the JSON of `raytwin pick --json`.
    pub fn pick(
        &self,
        camera: Vec<f64>,
        width: u32,
        height: u32,
        x: u32,
        y: u32,
    ) -> Result<String, JsError> {
        let view = self.view(&camera, width, height)?;
        if x >= width || y >= height {
            return Err(JsError::new("the pixel lies outside of the picture"));
        }
        let pixel = (y * width + x) as usize;
        let rays = self.caster.cpu.camera_rays(&view, pixel..pixel + 1)?;
        let hit = self.caster.cpu.render(&view, pixel..pixel + 1)?;
        Ok(serde_json::to_string(&Pick::new(&self.scene, &rays[0], &hit[0]))?)
    }

    fn view(&self, camera: &[f64], width: u32, height: u32) -> Result<View, JsError> {
        let &[ex, ey, ez, tx, ty, tz, ux, uy, uz, fov_y_degrees] = camera else {
            return Err(JsError::new("a camera is ten numbers"));
        };
        let [eye, target] = [[ex, ey, ez], [tx, ty, tz]]
            .map(|point| DVec3::from_array(point) - self.scene.origin());
        let projection = Projection::Perspective { fov_y_degrees };
        let camera = Camera::look_at("page", eye, target, DVec3::new(ux, uy, uz), projection)?;
        Ok(View::new(camera, width, height)?)
    }
}

/// Returns the range of distances that get colours of their own: the nearest and the farthest.
#[wasm_bindgen]
pub fn range_of(distances: &[f32]) -> Vec<f64> {
    DistanceRange::of(distances).map_or_else(|| vec![0.0, 1.0], |range| vec![range.near, range.far])
}
