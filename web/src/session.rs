//! The scene that the page shows.

use crate::answers::{PixelAnswer, SceneFacts};
use crate::caster::{Caster, Device};
use crate::look::Look;
use crate::paint::{ColorCache, Paint, PictureKind};
use crate::parts::Parts;
use crate::shading::{light, primary};
use crate::source::{Files, Source};
use crate::tile::Tile;
use raytwin::glam::Vec3;
use raytwin::image::color::bytes;
use raytwin::image::{self, Image, Lighting, SceneExtent};
use raytwin::query::Batch;
use raytwin::ray::NONE;
use raytwin::{PackedScene, Scene, Tracer};
use raytwin_files::image::{DistanceRange, write_npz};
use raytwin_files::{Pick, ray_text};
use raytwin_formats::JointState;
use std::cell::RefCell;
use std::io::Cursor;
use std::sync::Arc;
use wasm_bindgen::prelude::*;

/// A scene with its tracers.
#[wasm_bindgen]
pub struct Session {
    pub(crate) read: Arc<ReadScene>,
    /// The visible scene, without hidden parts.
    pub(crate) scene: Arc<Scene>,
    caster: Caster,
    extent: Arc<SceneExtent>,
    /// The latest colours of the geometries.
    painted: RefCell<ColorCache>,
    /// The sum of the light of all layers so far, for each pixel of a picture.
    light: RefCell<Vec<Vec3>>,
}

/// A scene as it was read, with all its parts.
pub struct ReadScene {
    pub scene: Arc<Scene>,
    pub warnings: Vec<String>,
    pub joints: Vec<JointState>,
    /// `None` if a program read the scene.
    pub source: Option<Source>,
}

#[wasm_bindgen]
impl Session {
    /// Reads a scene. `wishes` is a JSON object with the values of a robot's `joints`, the `style` of a
    /// molecule, and whether to show `collision` geometry. `parts` is a JSON object with the parts that
    /// are `hidden`, the `only` visible parts, and the transparent parts (`glass`).
    pub fn load(files: &Files, path: &str, wishes: &str, parts: &str) -> Result<Self, JsError> {
        Self::of_source(Source::new(files, path), wishes, parts)
    }

    /// Makes a scene from the same files with other wishes. It is a new scene, and not one that is moved
    /// with the option `movable`, so that all answers equal those of the program.
    pub fn read_again(&self, wishes: &str, parts: &str) -> Result<Self, JsError> {
        let source = self.read.source.clone();
        let source =
            source.ok_or_else(|| JsError::new("the scene has no files here to read again"))?;
        Self::of_source(source, wishes, parts)
    }

    /// Reads a scene of a program, as the bytes of `Scene::to_bytes`. `facts` is a JSON object with its
    /// warnings and joints.
    pub fn of_scene(bytes: &[u8], facts: &str, parts: &str) -> Result<Self, JsError> {
        let SceneFacts { warnings, joints } = serde_json::from_str(facts)?;
        let joints = joints.into_iter().map(Into::into).collect();
        let scene = Arc::new(Scene::from_bytes(bytes)?);
        Self::new(Arc::new(ReadScene { scene, warnings, joints, source: None }), parts)
    }

    /// Shows other parts of the same scene.
    pub fn with_parts(&self, parts: &str) -> Result<Self, JsError> {
        Self::new(Arc::clone(&self.read), parts)
    }

    fn of_source(mut source: Source, wishes: &str, parts: &str) -> Result<Self, JsError> {
        let imported = source.scene(wishes)?;
        let read = ReadScene {
            scene: Arc::new(imported.scene),
            warnings: imported.warnings.iter().map(ToString::to_string).collect(),
            joints: imported.joints,
            source: Some(source),
        };
        Self::new(Arc::new(read), parts)
    }

    fn new(read: Arc<ReadScene>, parts: &str) -> Result<Self, JsError> {
        let parts: Parts = serde_json::from_str(parts)?;
        let scene = parts.of(&read.scene);
        Ok(Self {
            caster: Caster::new(PackedScene::new(Arc::clone(&scene))?, parts.has_glass()),
            // The floor does not move when parts are hidden.
            extent: Arc::new(SceneExtent::of(&read.scene)),
            scene,
            read,
            painted: RefCell::default(),
            light: RefCell::default(),
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

    /// Returns an error with the reason if a view cannot be shown.
    pub fn check(&self, look: &str, width: u32, height: u32) -> Result<(), JsError> {
        self.look(look, width, height).map(|_| ())
    }

    /// Draws some rows of a picture quickly, without soft light. `look` is a JSON object with the page's
    /// camera, and `paint` is one with the contents of the picture. The first picture is cast in
    /// float64, because a device must compile its kernels before it can draw.
    #[allow(clippy::too_many_arguments, reason = "JavaScript passes numbers faster than objects")]
    pub async fn draw(
        &self,
        look: String,
        width: u32,
        height: u32,
        first_row: u32,
        rows: u32,
        paint: String,
        is_first: bool,
    ) -> Result<Tile, JsError> {
        let look = self.look(&look, width, height)?;
        let paint: Paint = serde_json::from_str(&paint)?;
        let tile = image::Tile::rows(first_row as usize, width as usize, rows as usize);
        let lighting = Lighting::quick(&self.scene, Arc::clone(&self.extent), &look.view);
        let lighting = self.prepared(lighting, &look, &paint);
        let gpu = self.caster.gpu().filter(|_| !is_first);
        let gpu = gpu.as_deref();
        let seen = primary(&self.caster, gpu, &lighting, &tile, 0, u32::MAX).await?;
        let rgba = match paint.kind {
            PictureKind::Shaded => {
                let light = light(&self.caster, gpu, &lighting, &tile, 0, &seen).await?;
                light.into_iter().flat_map(|light| opaque(bytes(light, 0.5))).collect()
            }
            _ => {
                let normals = lighting.normals(&seen.rays, &seen.hits);
                let color = |(index, hit): (usize, &raytwin::ray::Hit)| {
                    if !hit.is_hit() {
                        return [0; 4];
                    }
                    let normal = Vec3::from(normals[index]);
                    let cosine = normal.dot(Vec3::from(seen.rays[index].direction));
                    opaque(paint.of_answer(hit.geometry_id, hit.t, normal.to_array(), cosine))
                };
                seen.hits.iter().enumerate().flat_map(color).collect()
            }
        };
        let hits = seen.hits.iter();
        Ok(Tile {
            rgba,
            distances: hits
                .clone()
                .map(|hit| if hit.is_hit() { hit.t } else { f32::INFINITY })
                .collect(),
            ids: hits.map(|hit| if hit.is_hit() { hit.geometry_id } else { NONE }).collect(),
        })
    }

    /// Adds one of `layers` layers to some rows of a shaded picture, and returns the picture so far, with
    /// four bytes for each pixel. The first layer begins a picture. `breadth` is the result of
    /// [`breadth`](Self::breadth).
    #[allow(clippy::too_many_arguments, reason = "JavaScript passes numbers faster than objects")]
    pub async fn refine(
        &self,
        look: String,
        width: u32,
        height: u32,
        first_row: u32,
        rows: u32,
        paint: String,
        layer: u32,
        layers: u32,
        breadth: f64,
    ) -> Result<Vec<u8>, JsError> {
        let look = self.look(&look, width, height)?;
        let paint: Paint = serde_json::from_str(&paint)?;
        let size = [width as usize, height as usize];
        let tile = image::Tile::rows(first_row as usize, size[0], rows as usize);
        let extent = Arc::clone(&self.extent);
        let lighting = Lighting::new(&self.scene, extent, &look.view, size, layers, breadth);
        let lighting = self.prepared(lighting, &look, &paint);
        let gpu = self.caster.gpu();
        let gpu = gpu.as_deref();
        let [of_layer, pixels] = [layer as usize, size[0] * size[1]];
        let seen = primary(&self.caster, gpu, &lighting, &tile, of_layer, u32::MAX).await?;
        let more = light(&self.caster, gpu, &lighting, &tile, of_layer, &seen).await?;
        let mut light = self.light.borrow_mut();
        if layer == 0 {
            light.resize(pixels, Vec3::ZERO);
        }
        let first = first_row as usize * size[0];
        let light = light.get_mut(first..first + more.len());
        let light = light
            .ok_or_else(|| JsError::new("the picture has another size than its first layer"))?;
        let share = 1.0 / (layer + 1) as f32;
        let color = |(light, more): (&mut Vec3, Vec3)| {
            *light = if layer == 0 { more } else { *light + more };
            opaque(bytes(share * *light, 0.5))
        };
        Ok(light.iter_mut().zip(more).flat_map(color).collect())
    }

    /// Measures the breadth of the visible part of the scene, in scene units.
    pub async fn breadth(&self, look: String, width: u32, height: u32) -> Result<f64, JsError> {
        let Look { view, .. } = self.look(&look, width, height)?;
        let probes = Lighting::probes(&view);
        let hits = self.caster.closest(self.caster.gpu().as_deref(), Batch::new(&probes)).await?;
        Ok(Lighting::breadth(&view, [width as usize, height as usize], &hits))
    }

    fn prepared<'a>(&self, lighting: Lighting<'a>, look: &Look, paint: &Paint) -> Lighting<'a> {
        let lighting = lighting.before(paint.backdrop()).cut_by(look.section);
        match self.painted.borrow_mut().colors_by(paint.by, &self.scene) {
            Some(colors) => lighting.painted(colors),
            None => lighting,
        }
    }

    /// Returns a picture's answers as a `render.npz`, as `raytwin render` writes it. They are cast on the
    /// device that draws pictures. The file ignores a cut.
    pub async fn save(&self, look: String, width: u32, height: u32) -> Result<Vec<u8>, JsError> {
        let Look { view, .. } = self.look(&look, width, height)?;
        let hits = self.caster.render(&view).await?;
        let mut file = Cursor::new(Vec::new());
        write_npz(&Image::new(&self.scene, &view, 0, &hits), &view, &self.scene, &mut file)?;
        Ok(file.into_inner())
    }

    /// Returns the hit of a pixel's ray in float64, as JSON: the `answer` of `raytwin pick --json`. If a
    /// plane cuts the ray, the JSON also has the `ray` for the flag `--ray`, and `solid`, which is true
    /// if the command also needs `--solid`.
    pub fn pick(
        &self,
        look: &str,
        width: u32,
        height: u32,
        x: u32,
        y: u32,
    ) -> Result<String, JsError> {
        if x >= width || y >= height {
            return Err(JsError::new("the pixel is outside the picture"));
        }
        let look = self.look(look, width, height)?;
        let pixel = (y * width + x) as usize;
        let cpu = &self.caster.cpu;
        let Some(section) = &look.section else {
            let ray = cpu.camera_rays(&look.view, pixel..pixel + 1)?;
            let hit = cpu.render(&look.view, pixel..pixel + 1)?;
            let answer = Pick::new(&self.scene, &ray[0], false, &hit[0]);
            return Ok(serde_json::to_string(&PixelAnswer { answer, ray: None, solid: false })?);
        };
        let lighting = Lighting::quick(&self.scene, Arc::clone(&self.extent), &look.view);
        let lighting = lighting.cut_by(Some(*section));
        let tile = image::Tile::pixel(x as usize, y as usize);
        let rays = lighting.camera_rays(&tile, 0);
        let question = lighting.question(&rays);
        let solid = question.is_solid();
        let hit = cpu.closest(question)?;
        let ray = rays[0].is_valid().then(|| ray_text(&rays[0], self.scene.origin()));
        let answer = Pick::new(&self.scene, &rays[0], solid, &hit[0]);
        Ok(serde_json::to_string(&PixelAnswer { answer, ray, solid })?)
    }

    fn look(&self, text: &str, width: u32, height: u32) -> Result<Look, JsError> {
        Look::read(text, self.scene.origin(), width, height)
    }
}

fn opaque([r, g, b]: [u8; 3]) -> [u8; 4] {
    [r, g, b, 255]
}

/// Returns the range of distances for the colours: the nearest and the farthest distance.
#[wasm_bindgen]
pub fn range_of(distances: &[f32]) -> Vec<f64> {
    DistanceRange::of(distances).map_or_else(|| vec![0.0, 1.0], |range| vec![range.near, range.far])
}
