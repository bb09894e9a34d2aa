//! A picture of a ray and what it hits, seen from the ray's side.

use crate::{Probe, Worst};
use glam::DVec3;
use raytwin::camera::{Camera, Projection, View};
use raytwin::cpu::CpuTracer;
use raytwin::image::Shading;
use raytwin::packed::PackedScene;
use raytwin::ray::Hit;
use raytwin::tracer::Tracer;
use raytwin_files::image::png_of_rgb;
use std::error::Error;

const SIZE: [u32; 2] = [288, 192];

const RAY: [u8; 3] = [20, 60, 200];
const EXACT: [u8; 3] = [0, 130, 30];
const GIVEN: [u8; 3] = [220, 0, 0];

/// Draws the surroundings of a ray's hit as a PNG file. The ray comes from the left through the
/// middle of the picture. A green mark shows the exact answer, and a red mark the given one. There
/// is no picture of a point, or of a ray that hits nothing.
///
/// # Errors
/// An error, if the ray is so far away that no camera can be placed beside it.
pub fn side_view(tracer: &CpuTracer, worst: &Worst) -> Result<Option<Vec<u8>>, Box<dyn Error>> {
    let hits = [worst.verdict.exact.hit(), worst.verdict.given.hit()];
    let Some(ray) = worst.probe.ray().filter(|ray| ray.is_valid()) else { return Ok(None) };
    let Some(focus) = hits.into_iter().find(|hit| hit.t.is_finite()) else {
        return Ok(None);
    };
    let line = ray.line();
    let in_world = match worst.probe {
        Probe::Ray { world, .. } if tracer.scene().world_count() > 1 => {
            tracer.scene().in_world(world)?
        }
        _ => None,
    };
    let of_world = match in_world {
        Some(scene) => Some(CpuTracer::new(&PackedScene::new(scene)?)),
        None => None,
    };
    let tracer = of_world.as_ref().unwrap_or(tracer);
    let scene = tracer.scene();
    let middle = line.at(f64::from(focus.t));
    let radius = scene
        .primitive(focus.geometry_id, focus.primitive_id)
        .map_or(0.0, |primitive| primitive.radius());
    // A plane without edges has no size, so the picture shows a part of it in proportion to its
    // distance.
    let height = match radius > 0.0 {
        true => 2.6 * radius,
        false => 0.25 * (middle - line.origin).length() + 1e-6,
    };
    let along = line.direction.normalize();
    let side = along.cross(DVec3::Z).try_normalize().unwrap_or(DVec3::Y);
    let projection = Projection::Orthographic { height };
    let eye = middle + 2.0 * height * side;
    // The image's right, forward × up, must be the ray's direction.
    let camera = Camera::look_at("side", eye, middle, along.cross(-side), projection)?;
    let view = View::new(camera, SIZE[0], SIZE[1])?;
    let mut shading = Shading::new(tracer, &view, Some(2))?;
    for tile in shading.tiles() {
        shading.shade(tile)?;
    }
    let [width, _] = shading.size();
    let mut pixels = shading.into_pixels();
    let scale = width as f64 / f64::from(SIZE[0]);
    let place = |point: DVec3| -> [f64; 2] {
        let offset = point - view.camera.eye;
        let step = height / f64::from(SIZE[1]) / scale;
        let [x, y] = SIZE.map(|side| 0.5 * f64::from(side) * scale);
        [x + offset.dot(view.camera.right) / step, y - offset.dot(view.camera.up) / step]
    };
    let mut sheet = Sheet { width, pixels: &mut pixels };
    let at = place(middle);
    let start = place(line.origin);
    sheet.draw_line([start[0].max(0.0), at[1]], at, RAY);
    for (hit, color) in [(hits[0], EXACT), (hits[1], GIVEN)] {
        let is_shown = |hit: &Hit| hit.t.is_finite();
        if is_shown(&hit) {
            sheet.draw_mark(place(line.at(f64::from(hit.t))), color);
        }
    }
    let height = pixels.len() / width;
    let bytes: Vec<u8> = pixels.into_iter().flatten().collect();
    Ok(Some(png_of_rgb([width, height], bytes)?))
}

/// The pixels of a picture, on which lines are drawn.
struct Sheet<'a> {
    width: usize,
    pixels: &'a mut [[u8; 3]],
}

impl Sheet<'_> {
    fn put(&mut self, x: f64, y: f64, color: [u8; 3]) {
        let height = self.pixels.len() / self.width;
        if x >= 0.0 && y >= 0.0 && x < self.width as f64 && y < height as f64 {
            self.pixels[y as usize * self.width + x as usize] = color;
        }
    }

    /// Draws a level line, two pixels thick.
    fn draw_line(&mut self, [from, y]: [f64; 2], [to, _]: [f64; 2], color: [u8; 3]) {
        let to = to.min(self.width as f64);
        let mut x = from;
        while x < to {
            self.put(x, y, color);
            self.put(x, y - 1.0, color);
            x += 1.0;
        }
    }

    /// Draws an upright mark with a gap in its middle.
    fn draw_mark(&mut self, [x, y]: [f64; 2], color: [u8; 3]) {
        for step in 3..10 {
            for aside in [-1.0, 0.0] {
                self.put(x + aside, y + f64::from(step), color);
                self.put(x + aside, y - f64::from(step), color);
            }
        }
    }
}
