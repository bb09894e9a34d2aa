//! The lighting of a view's pixels, without a tracer: the rays to cast, and the light that follows
//! from their answers. So any tracer can make a picture, blocking or asynchronous.

use super::layer::{Layer, Sample};
use super::pattern::{Pattern, SIDE, frame};
use super::stage::{FLOOR, SUN_RADIUS, Stage};
use super::tile::Tile;
use crate::camera::{Projection, View};
use crate::image::{Backdrop, SceneExtent, Section};
use crate::parallel::{RAYS_A_TASK, mapped};
use crate::query::{Batch, HitArrays, Hits};
use crate::ray::{Hit, Line, NONE, Ray};
use crate::scene::Scene;
use glam::{Vec3, Vec4};
use std::f64::consts::PI;
use std::sync::Arc;

/// The width and height of the grid of rays that measure a view beforehand.
const PROBES: [usize; 2] = [32, 24];

/// The share of the sky that surfaces see if no rays measure it.
const OPEN_SKY: f32 = 0.9;

/// An invalid ray, which hits nothing.
const NO_RAY: Ray = Ray { origin: [0.0; 3], direction: [0.0; 3], t_min: 0.0, t_max: 0.0 };

/// The lighting of a view's pixels.
pub struct Lighting<'a> {
    scene: &'a Scene,
    view: &'a View,
    /// Width and height of the picture.
    size: [usize; 2],
    /// The size of one of its pixels, in pixels of the view.
    scale: [f64; 2],
    patterns: Vec<Pattern>,
    stage: Stage<'a>,
    /// The number of pixels around a tile that are examined.
    halo: usize,
    asks_sky: bool,
    section: Option<Section>,
}

/// The hits of the camera's rays of a layer, and the rays that measure the light there.
pub struct LayerHits {
    samples: Vec<Sample>,
    /// For each sample, a ray to the sun, or an invalid ray.
    pub to_sun: Vec<Ray>,
    /// For each sample, a ray to the sky, or an invalid ray; empty if the sky is not measured.
    pub to_sky: Vec<Ray>,
}

impl<'a> Lighting<'a> {
    /// Prepares the lighting of a picture of this size with the given number of layers. `breadth`
    /// is the result of [`breadth`](Self::breadth).
    pub fn new(
        scene: &'a Scene,
        extent: Arc<SceneExtent>,
        view: &'a View,
        size: [usize; 2],
        layers: u32,
        breadth: f64,
    ) -> Self {
        let stage = Stage::new(scene, extent, view, breadth);
        let pattern = |layer| Pattern::new(layer, layers, stage.sun(), SUN_RADIUS);
        Self {
            scene,
            view,
            size,
            scale: scale(view, size),
            patterns: (0..layers).map(pattern).collect(),
            stage,
            halo: SIDE / 2,
            asks_sky: true,
            section: None,
        }
    }

    /// Prepares a quick preview of a view at its own size: a single layer, with one ray to the
    /// middle of the sun for each pixel and none to the sky. It needs no pixels around a tile.
    pub fn quick(scene: &'a Scene, extent: Arc<SceneExtent>, view: &'a View) -> Self {
        let size = [view.width as usize, view.height as usize];
        let full = Self::new(scene, extent, view, size, 0, 0.0);
        let pattern = Pattern::new(0, 1, full.stage.sun(), 0.0);
        Self { patterns: vec![pattern], halo: 0, asks_sky: false, ..full }
    }

    /// Uses another backdrop.
    pub fn before(mut self, backdrop: Backdrop) -> Self {
        self.stage = self.stage.before(backdrop);
        self
    }

    /// Lights only the geometries, without a backdrop.
    pub(super) fn bare(mut self) -> Self {
        self.stage = self.stage.bare();
        self
    }

    /// Cuts the scene with a plane.
    pub fn cut_by(mut self, section: Option<Section>) -> Self {
        self.section = section;
        self
    }

    /// Paints geometries in these sRGB colours, one for each `geometry_id`, in place of their own.
    pub fn painted(mut self, colors: Arc<[[f32; 3]]>) -> Self {
        self.stage = self.stage.painted(colors);
        self
    }

    /// Returns a few rays that measure the breadth of a view.
    pub fn probes(view: &View) -> Vec<Ray> {
        let [columns, rows] = PROBES;
        let probe = |index: usize| {
            let share = [(index % columns, columns), (index / columns, rows)]
                .map(|(number, count)| (number as f64 + 0.5) / count as f64);
            let place = [share[0] * f64::from(view.width), share[1] * f64::from(view.height)];
            ray(&view.line_at(place))
        };
        (0..columns * rows).map(probe).collect()
    }

    /// Returns the breadth, in scene units, of a view's picture of this size at the median distance
    /// of the hits of its probes; 1 if the probes hit nothing.
    pub fn breadth(view: &View, size: [usize; 2], met: &[Hit]) -> f64 {
        let hits = met.iter().filter(|hit| hit.is_hit());
        let mut distances: Vec<f32> = hits.map(|hit| hit.t).collect();
        distances.sort_unstable_by(f32::total_cmp);
        let Some(&median) = distances.get(distances.len() / 2) else {
            return 1.0;
        };
        let median = f64::from(median);
        let breadth = pixel_size(view, scale(view, size), median) * size[0].min(size[1]) as f64;
        // A panorama or a very wide angle shows everything around, so distances give the size of
        // near things.
        match view.camera.projection {
            Projection::Orthographic { .. } => breadth,
            _ => breadth.min(median),
        }
    }

    /// Returns the number of layers.
    pub fn layers(&self) -> usize {
        self.patterns.len()
    }

    fn width(&self, tile: &Tile) -> usize {
        tile.width + 2 * self.halo
    }

    /// Returns the column and the row of a sample. They count from the halo before the picture's
    /// first pixel, so that none is negative.
    fn place(&self, tile: &Tile, index: usize) -> [usize; 2] {
        let width = self.width(tile);
        [tile.column + index % width, tile.row + index / width]
    }

    fn line(&self, tile: &Tile, layer: usize, index: usize) -> Line {
        let [column, row] = self.place(tile, index).map(|number| number as f64 - self.halo as f64);
        let [x, y] = self.patterns[layer].offset;
        self.view.line_at([(column + x) * self.scale[0], (row + y) * self.scale[1]])
    }

    /// Returns the camera's rays of a layer, for the pixels of a tile and of the halo around it.
    pub fn camera_rays(&self, tile: &Tile, layer: usize) -> Vec<Ray> {
        let count = self.width(tile) * (tile.height + 2 * self.halo);
        mapped(count, RAYS_A_TASK, |index| {
            let line = self.line(tile, layer, index);
            match &self.section {
                None => ray(&line),
                Some(section) => {
                    section.kept(&line).map_or(NO_RAY, |[from, to]| ray(&line).within(from, to))
                }
            }
        })
    }

    /// Returns the batch of the camera's rays. With a section it treats solids as solid, to show
    /// their insides.
    pub fn question<'b>(&self, rays: &'b [Ray]) -> Batch<'b> {
        let is_cut_away = |section: &Section| section.cuts_away(self.view.camera.eye);
        let batch = Batch::new(rays);
        if self.section.as_ref().is_some_and(is_cut_away) { batch.solid() } else { batch }
    }

    /// Returns the normals at the hits of the camera's rays; on a cut, the plane's normal.
    pub fn normals(&self, rays: &[Ray], hits: &[Hit]) -> Vec<[f32; 3]> {
        let arrays = HitArrays::PRIMITIVE_NORMALS;
        let hits_of_rays = Hits::new(self.scene, self.question(rays), hits, arrays);
        let mut normals = hits_of_rays.primitive_normals;
        if let Some(section) = &self.section {
            let of_cut = section.normal().as_vec3().to_array();
            for (normal, _) in normals
                .iter_mut()
                .zip(hits)
                .filter(|(normal, hit)| hit.is_hit() && **normal == [0.0; 3])
            {
                *normal = of_cut;
            }
        }
        normals
    }

    /// Makes the rays that measure the light at the hits of the camera's rays of a layer.
    pub fn meet(&self, tile: &Tile, layer: usize, rays: &[Ray], hits: &[Hit]) -> LayerHits {
        let normals = self.normals(rays, hits);
        let sample =
            |index| self.sample(&self.line(tile, layer, index), &hits[index], normals[index]);
        let samples = mapped(rays.len(), RAYS_A_TASK, sample);
        let pattern = &self.patterns[layer];
        let to_sun = mapped(samples.len(), RAYS_A_TASK, |index| {
            let [column, row] = self.place(tile, index);
            let sample = &samples[index];
            let direction = pattern.sun(column, row);
            if sample.id == NONE || sample.normal.dot(direction) <= 0.0 {
                return NO_RAY;
            }
            self.leaving(sample, direction, f32::INFINITY)
        });
        let sky_rays = if self.asks_sky { samples.len() } else { 0 };
        let to_sky = mapped(sky_rays, RAYS_A_TASK, |index| {
            let [column, row] = self.place(tile, index);
            let sample = &samples[index];
            if sample.id == NONE {
                return NO_RAY;
            }
            let sky = pattern.sky(column, row);
            let [right, up] = frame(sample.normal);
            let direction =
                sky.direction.x * right + sky.direction.y * up + sky.direction.z * sample.normal;
            self.leaving(sample, direction, sky.reach * self.stage.reach)
        });
        LayerHits { samples, to_sun, to_sky }
    }

    /// Returns the linear light of a tile's pixels; the last component is the share of the pixel
    /// that is geometry. The last two arguments give, for each ray to the sun and to the sky,
    /// whether it hit something.
    pub fn light(
        &self,
        tile: &Tile,
        met: LayerHits,
        sun_is_hidden: &[bool],
        sky_is_hidden: &[bool],
    ) -> Vec<Vec4> {
        let mut samples = met.samples;
        let seen = |is_hidden: bool| if is_hidden { 0.0 } else { 1.0 };
        for (index, sample) in samples.iter_mut().enumerate() {
            sample.light = [
                // A ray that was not cast points behind the surface.
                if met.to_sun[index].is_valid() { seen(sun_is_hidden[index]) } else { 0.0 },
                sky_is_hidden.get(index).map_or(OPEN_SKY, |&is_hidden| seen(is_hidden)),
            ];
        }
        let layer = Layer { width: self.width(tile), halo: self.halo, samples };
        mapped(tile.pixels(), RAYS_A_TASK, |pixel| {
            let row = pixel / tile.width;
            let index = (row + self.halo) * layer.width + self.halo + pixel % tile.width;
            self.color(&layer, index, (tile.row + row) as f32 / self.size[1] as f32)
        })
    }

    /// Makes the sample of a camera's ray that met a geometry, the floor, or nothing.
    fn sample(&self, line: &Line, hit: &Hit, normal: [f32; 3]) -> Sample {
        let (id, t, normal) = match hit.is_hit() {
            true => (hit.geometry_id, f64::from(hit.t), Vec3::from(normal)),
            false => match self.stage.floor(line) {
                Some(t) => (FLOOR, t, self.stage.up()),
                None => return Sample::NOTHING,
            },
        };
        let cosine = -normal.dot(line.direction.as_vec3());
        Sample {
            id,
            distance: t as f32,
            // A camera may be on a surface, and distances are divided by this.
            pixel: (pixel_size(self.view, self.scale, t) as f32).max(f32::MIN_POSITIVE),
            position: (line.at(t) - self.view.camera.eye).as_vec3(),
            normal: if cosine < 0.0 { -normal } else { normal },
            cosine: cosine.abs(),
            light: [1.0; 2],
        }
    }

    /// The ray starts a little above the surface, farther than rounding may have moved the hit, so
    /// that it does not meet the surface again.
    fn leaving(&self, sample: &Sample, direction: Vec3, reach: f32) -> Ray {
        const ROUNDING: f64 = 2e-6;
        let position = self.view.camera.eye + sample.position.as_dvec3();
        let magnitude = position.abs().max_element() + f64::from(sample.distance);
        let above = 0.1 * f64::from(sample.pixel) + ROUNDING * magnitude;
        let start = position + above * sample.normal.as_dvec3();
        let ray = Ray::new(start.as_vec3(), direction);
        // Parts that are cut away hide no light.
        let line = Line { origin: start, direction: direction.as_dvec3() };
        match self.section.as_ref().map(|section| section.kept(&line)) {
            Some(None) => ray.within(0.0, 0.0),
            Some(Some([from, to])) => ray.within(from, to.min(reach)),
            None => ray.within(0.0, reach),
        }
    }

    fn color(&self, layer: &Layer, index: usize, height: f32) -> Vec4 {
        const LINE: Vec3 = Vec3::new(0.03, 0.035, 0.05);
        let sample = &layer.samples[index];
        let background = self.stage.background(height);
        if sample.id == NONE {
            return background.extend(0.0);
        }
        let [sun, sky] = layer.light(index);
        if sample.id == FLOOR {
            let point = self.view.camera.eye + sample.position.as_dvec3();
            let share = self.stage.on_floor(point, sample.cosine, sun, sky);
            return (background * share).extend(0.0);
        }
        let lit = self.stage.lit(sample.id, sample.normal, sample.cosine, sun, sky);
        let lined = lit.lerp(LINE.min(lit), layer.line(index));
        let faded = self.stage.faded(sample.id, sample.distance);
        lined.lerp(background, faded).extend(1.0 - faded)
    }
}

fn ray(line: &Line) -> Ray {
    Ray::new(line.origin.as_vec3(), line.direction.as_vec3())
}

/// Returns the size of a pixel of a picture of that size, in pixels of the view.
fn scale(view: &View, size: [usize; 2]) -> [f64; 2] {
    [f64::from(view.width) / size[0] as f64, f64::from(view.height) / size[1] as f64]
}

/// Returns the size of one of the picture's pixels at a distance.
fn pixel_size(view: &View, scale: [f64; 2], t: f64) -> f64 {
    match &view.camera.projection {
        Projection::Orthographic { .. } => scale[1] * view.step[1],
        Projection::Panoramic(panorama) => {
            let [left, right] = panorama.azimuth_degrees;
            let angle = crate::math::radians((right - left).abs()) / f64::from(view.width);
            scale[0] * angle * t
        }
        // For a picture, the beams of a pattern are taken to share the directions of a sphere
        // evenly.
        Projection::Pattern(_) => scale[0] * (4.0 * PI / view.pixels() as f64).sqrt() * t,
        _ => scale[1] * view.step[1] * t,
    }
}
