//! Shades a view as a picture for people to look at: a sun with soft shadows, a sky that corners
//! see less of, and fine lines along silhouettes and creases. All light is found by rays of the
//! same tracer.
//!
//! A picture is made tile by tile, and a tile layer by layer. A layer has one ray for each pixel,
//! through the same point of all, and asks for one direction of the sun and one of the sky at each
//! hit. Averaging over neighbours on the same surface removes the noise of so few, and averaging
//! over layers smooths edges.

mod layer;
mod pattern;
mod stage;

use super::SceneExtent;
use super::color::{bytes, toned};
use crate::camera::{Projection, View};
use crate::parallel::{RAYS_A_TASK, for_each_part, mapped};
use crate::query::{Batch, Hits};
use crate::ray::{Hit, Line, NONE, Ray};
use crate::tracer::{TraceError, Tracer};
use glam::Vec3;
use layer::{HALO, Layer, Sample};
use pattern::{Pattern, frame, threshold};
use stage::{FLOOR, SUN_RADIUS};
use std::f64::consts::PI;
use std::sync::Arc;

pub use stage::Stage;

/// The most layers of a picture whose number of layers is not given.
const LAYERS: u32 = 8;
/// The most rays of such a picture. A picture of more pixels has fewer layers, and at last fewer
/// pixels than the image.
const RAYS: usize = 1 << 25;
/// The rays that are cast for a pixel of a layer: the camera's, one to the sun and one to the sky.
const RAYS_PER_PIXEL: usize = 3;
/// The longest side of a tile, in pixels.
const TILE: usize = 512;
/// The width and height of the grid of rays that measure the view beforehand.
const PROBES: [usize; 2] = [32, 24];

/// A picture in the making.
pub struct Shading<'a> {
    tracer: &'a dyn Tracer,
    view: &'a View,
    /// Width and height of the picture.
    size: [usize; 2],
    /// The size of one of its pixels in those of the view.
    scale: [f64; 2],
    /// One for each layer.
    patterns: Vec<Pattern>,
    stage: Stage<'a>,
    pixels: Vec<[u8; 3]>,
}

/// A part of a picture that is shaded at once.
#[derive(Clone, Copy, Debug)]
pub struct Tile {
    column: usize,
    row: usize,
    width: usize,
    height: usize,
}

impl Tile {
    /// Returns its number of pixels.
    pub fn pixels(&self) -> usize {
        self.width * self.height
    }
}

impl<'a> Shading<'a> {
    /// Prepares the picture of a view, with so many rays of the camera for each pixel. Without a
    /// number, up to eight are chosen, fewer for a large image; a huge one is shaded at a lower
    /// resolution.
    ///
    /// # Errors
    /// [`TraceError`], only if a device fails.
    pub fn new(
        tracer: &'a dyn Tracer,
        view: &'a View,
        samples: Option<u32>,
    ) -> Result<Self, TraceError> {
        let image = [view.width as usize, view.height as usize];
        let mut size = super::legible_size(view);
        let affordable = RAYS / (RAYS_PER_PIXEL * size[0] * size[1]);
        if samples.is_none() && affordable == 0 {
            let shrink = (RAYS_PER_PIXEL * view.pixels()).div_ceil(RAYS);
            let side = (1..).find(|side| side * side >= shrink).unwrap_or(1);
            size = image.map(|length| length.div_ceil(side));
        }
        let layers = samples.unwrap_or(LAYERS.min(affordable.max(1) as u32)).max(1);
        let scale = [0, 1].map(|axis| image[axis] as f64 / size[axis] as f64);
        let breadth = breadth(tracer, view, size, scale)?;
        let extent = Arc::new(SceneExtent::of(tracer.scene()));
        let stage = Stage::new(tracer.scene(), extent, view, breadth);
        let pattern = |layer| Pattern::new(layer, layers, stage.sun(), SUN_RADIUS);
        Ok(Self {
            tracer,
            view,
            size,
            scale,
            patterns: (0..layers).map(pattern).collect(),
            stage,
            pixels: vec![[0; 3]; size[0] * size[1]],
        })
    }

    /// Returns the width and height of the picture, which are those of the image unless it is very
    /// small or huge.
    pub fn size(&self) -> [usize; 2] {
        self.size
    }

    /// Returns the number of the camera's rays for each pixel.
    pub fn samples(&self) -> usize {
        self.patterns.len()
    }

    /// Returns the picture's pixels as sRGB, row by row from the top left. Those of tiles that are
    /// not shaded are black.
    pub fn into_pixels(self) -> Vec<[u8; 3]> {
        self.pixels
    }

    /// Returns the tiles that make up the picture, row by row from the top left. None is wider or
    /// higher than 512 pixels.
    pub fn tiles(&self) -> Vec<Tile> {
        let parts = |length: usize| {
            let count = length.div_ceil(TILE);
            (0..count).map(move |part| (part * length / count, (part + 1) * length / count))
        };
        let [width, height] = self.size;
        parts(height)
            .flat_map(|(row, bottom)| {
                parts(width).map(move |(column, right)| Tile {
                    column,
                    row,
                    width: right - column,
                    height: bottom - row,
                })
            })
            .collect()
    }

    /// Shades one of the tiles.
    ///
    /// # Errors
    /// [`TraceError`], only if a device fails.
    pub fn shade(&mut self, tile: Tile) -> Result<(), TraceError> {
        let mut light = vec![Vec3::ZERO; tile.pixels()];
        for pattern in &self.patterns {
            let layer = self.layer(&tile, pattern)?;
            for_each_part(&mut light, tile.width, |first, light| {
                let row = first / tile.width;
                let height = (tile.row + row) as f32 / self.size[1] as f32;
                let first = (row + HALO) * layer.width + HALO;
                for (index, light) in (first..).zip(light) {
                    *light += toned(self.color(&layer, index, height));
                }
            });
        }
        let share = 1.0 / self.patterns.len() as f32;
        let width = self.size[0];
        let rows = &mut self.pixels[width * tile.row..][..width * tile.height];
        for_each_part(rows, width, |first, pixels| {
            let row = first / width;
            let light = &light[row * tile.width..][..tile.width];
            let row = tile.row + row;
            for (column, light) in (tile.column..).zip(light) {
                pixels[column] = bytes(*light * share, threshold(column, row));
            }
        });
        Ok(())
    }

    /// Casts the rays of one layer of a tile and of the halo around it.
    fn layer(&self, tile: &Tile, pattern: &Pattern) -> Result<Layer, TraceError> {
        let width = tile.width + 2 * HALO;
        let count = width * (tile.height + 2 * HALO);
        // Places count from the halo before the picture's first pixel, so that none is negative.
        let place = |index: usize| [tile.column + index % width, tile.row + index / width];
        let line = |index: usize| {
            let [column, row] = place(index).map(|number| number as f64 - HALO as f64);
            let [x, y] = pattern.offset;
            self.view.line_at([(column + x) * self.scale[0], (row + y) * self.scale[1]])
        };
        let rays = mapped(count, RAYS_A_TASK, |index| ray(&line(index)));
        let batch = Batch::new(&rays);
        let hits = self.tracer.closest(batch)?;
        let normals = Hits::new(self.tracer.scene(), batch, &hits).primitive_normals;
        let sample = |index| self.sample(&line(index), &hits[index], normals[index]);
        let mut samples = mapped(count, RAYS_A_TASK, sample);

        let secondary = |direction: &(dyn Fn(usize, &Sample) -> (Vec3, f32) + Sync)| {
            let ray = |index: usize| {
                let sample = &samples[index];
                if sample.id == NONE {
                    return NO_RAY;
                }
                let (direction, reach) = direction(index, sample);
                self.leaving(sample, direction).within(0.0, reach)
            };
            let rays = mapped(samples.len(), RAYS_A_TASK, ray);
            self.tracer.any(Batch::new(&rays))
        };
        let sun_is_hidden = secondary(&|index, _| {
            let [column, row] = place(index);
            (pattern.sun(column, row), f32::INFINITY)
        })?;
        let sky_is_hidden = secondary(&|index, sample| {
            let [column, row] = place(index);
            let sky = pattern.sky(column, row);
            let [right, up] = frame(sample.normal);
            let direction =
                sky.direction.x * right + sky.direction.y * up + sky.direction.z * sample.normal;
            (direction, sky.reach * self.stage.reach)
        })?;
        for (sample, hidden) in samples.iter_mut().zip(sun_is_hidden.into_iter().zip(sky_is_hidden))
        {
            let seen = |hidden| if hidden { 0.0 } else { 1.0 };
            sample.light = [seen(hidden.0), seen(hidden.1)];
        }
        Ok(Layer { width, samples })
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
            // A camera may stand on a surface; distances are divided by this.
            pixel: (pixel_size(self.view, self.scale, t) as f32).max(f32::MIN_POSITIVE),
            position: (line.at(t) - self.view.camera.eye).as_vec3(),
            normal: if cosine < 0.0 { -normal } else { normal },
            cosine: cosine.abs(),
            light: [1.0; 2],
        }
    }

    /// The ray starts a little above the surface, farther than rounding may have moved the hit, so
    /// that it does not meet the surface again.
    fn leaving(&self, sample: &Sample, direction: Vec3) -> Ray {
        const ROUNDING: f64 = 2e-6;
        let position = self.view.camera.eye + sample.position.as_dvec3();
        let magnitude = position.abs().max_element() + f64::from(sample.distance);
        let above = 0.1 * f64::from(sample.pixel) + ROUNDING * magnitude;
        Ray::new((position + above * sample.normal.as_dvec3()).as_vec3(), direction)
    }

    fn color(&self, layer: &Layer, index: usize, height: f32) -> Vec3 {
        const LINE: Vec3 = Vec3::new(0.03, 0.035, 0.05);
        let sample = &layer.samples[index];
        let background = self.stage.background(height);
        if sample.id == NONE {
            return background;
        }
        let [sun, sky] = layer.light(index);
        if sample.id == FLOOR {
            let point = self.view.camera.eye + sample.position.as_dvec3();
            return background * self.stage.on_floor(point, sun, sky);
        }
        let lit = self.stage.lit(sample.id, sample.normal, sample.cosine, sun, sky);
        let lined = lit.lerp(LINE.min(lit), layer.line(index));
        lined.lerp(background, self.stage.faded(sample.id, sample.distance))
    }
}

/// A ray that is invalid, and so meets nothing.
const NO_RAY: Ray = Ray { origin: [0.0; 3], direction: [0.0; 3], t_min: 0.0, t_max: 0.0 };

fn ray(line: &Line) -> Ray {
    Ray::new(line.origin.as_vec3(), line.direction.as_vec3())
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
        // The beams of a pattern share the directions of a sphere, as far as its picture goes.
        Projection::Pattern(_) => scale[0] * (4.0 * PI / view.pixels() as f64).sqrt() * t,
        _ => scale[1] * view.step[1] * t,
    }
}

/// Returns how broad a view's image is at the median distance of what it sees, or 1 if it sees
/// nothing.
fn breadth(
    tracer: &dyn Tracer,
    view: &View,
    size: [usize; 2],
    scale: [f64; 2],
) -> Result<f64, TraceError> {
    let [columns, rows] = PROBES;
    let probe = |index: usize| {
        let share = [(index % columns, columns), (index / columns, rows)]
            .map(|(number, count)| (number as f64 + 0.5) / count as f64);
        ray(&view.line_at([share[0] * f64::from(view.width), share[1] * f64::from(view.height)]))
    };
    let rays: Vec<Ray> = (0..columns * rows).map(probe).collect();
    let hits = tracer.closest(Batch::new(&rays))?;
    let mut distances: Vec<f32> = hits.iter().filter(|hit| hit.is_hit()).map(|hit| hit.t).collect();
    distances.sort_unstable_by(f32::total_cmp);
    let Some(&median) = distances.get(distances.len() / 2) else {
        return Ok(1.0);
    };
    let median = f64::from(median);
    let breadth = pixel_size(view, scale, median) * size[0].min(size[1]) as f64;
    // Through a panorama or a very wide angle one sees all around, so distances tell the size of
    // what is near.
    Ok(match view.camera.projection {
        Projection::Orthographic { .. } => breadth,
        _ => breadth.min(median),
    })
}

#[cfg(test)]
mod tests;
