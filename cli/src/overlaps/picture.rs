//! Pictures of the worst pairs: only the two shapes, cut at the witness.

use crate::Failure;
use raytwin::camera::{Camera, Projection, View};
use raytwin::cpu::CpuTracer;
use raytwin::glam::DVec3;
use raytwin::image::{Section, Shading};
use raytwin::overlaps::Overlap;
use raytwin::packed::PackedScene;
use raytwin::ray::Ray;
use raytwin::scene::Scene;
use raytwin::tracer::Tracer;
use raytwin_files::Outputs;
use raytwin_files::image::png_of_rgb;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The number of the worst pairs to render.
const PICTURES: usize = 5;

const SIZE: [u32; 2] = [960, 720];
const FOV_Y_DEGREES: f64 = 35.0;

/// The colours of the shape with the lower id and of the other one.
const COLORS: [[f32; 3]; 2] = [[0.85, 0.33, 0.1], [0.2, 0.5, 0.8]];

/// The colour of the part of the cut inside both shapes.
const BOTH: [u8; 3] = [255, 214, 0];

/// A picture shows this many times the depth of an overlap, if the shapes are larger.
const CLOSE: f64 = 40.0;

/// Returns the names of the pictures, the worst pair first.
pub(super) fn names() -> impl Iterator<Item = String> {
    (1..=PICTURES).map(|number| format!("overlap_{number}.png"))
}

/// Renders the first of the worst pairs, and returns the files.
pub(super) fn write(
    outputs: &mut Outputs,
    folder: &Path,
    scene: &Scene,
    worst: &[Overlap],
) -> Result<Vec<PathBuf>, Failure> {
    let mut files = Vec::new();
    for (overlap, name) in worst.iter().zip(names()) {
        let picture = render(scene, overlap)?;
        let file = folder.join(name);
        outputs.add(&file, |file| file.write_all(&picture))?;
        files.push(file);
    }
    Ok(files)
}

fn render(scene: &Scene, overlap: &Overlap) -> Result<Vec<u8>, Failure> {
    let ids = overlap.geometry_ids;
    let mut alone = scene.clone();
    alone.floats = true;
    alone.show_only(ids.map(|id| id..id + 1).to_vec());
    for (id, color) in ids.into_iter().zip(COLORS) {
        alone.set_appearance(id, color);
    }
    let witness = 0.5 * (overlap.witness[0] + overlap.witness[1]);
    let [a, b] = ids.map(|id| alone.bounds_of(&[id]));
    // The plane of the cut contains the line between the two middles, and is upright if possible.
    let up = DVec3::AXES[alone.up.index()];
    let across = (b.center() - a.center()).cross(up).try_normalize();
    let normal = across.unwrap_or_else(|| up.any_orthonormal_vector());
    // It shows the smaller shape, or only the overlap if that is much smaller. A half-space has no
    // size.
    let sizes = [a.radius(), b.radius()].into_iter().filter(|radius| *radius > 0.0);
    let reach = (3.0 * sizes.fold(f64::INFINITY, f64::min)).min(CLOSE * overlap.depth.abs());
    let reach = reach.max(1e-5 * witness.abs().max_element());
    let distance = reach / (0.5 * FOV_Y_DEGREES.to_radians()).tan();
    // It looks down a little, so that the solids show some depth.
    let eye = witness + distance * (normal + 0.35 * up).normalize();
    let projection = Projection::Perspective { fov_y_degrees: FOV_Y_DEGREES };
    let camera = Camera::look_at("overlap", eye, witness, up, projection)?;
    let view = View::new(camera, SIZE[0], SIZE[1])?;
    let section = Section::new(witness, normal)?;
    let tracer = CpuTracer::new(&PackedScene::new(Arc::new(alone))?);
    let mut shading = Shading::new(&tracer, &view, None)?.cut_by(section);
    for tile in shading.tiles() {
        shading.shade(tile)?;
    }
    let size = shading.size();
    let mut pixels = shading.into_pixels();
    // The part of the plane inside both shapes has its own colour.
    let rays = tracer.camera_rays(&view, 0..view.pixels())?;
    let on_plane = |ray: &Ray| {
        let line = ray.line();
        let t = (witness - line.origin).dot(normal) / line.direction.dot(normal);
        line.at(t).as_vec3().to_array()
    };
    let points: Vec<[f32; 3]> = rays.iter().map(on_plane).collect();
    let held = tracer.containment(&points)?;
    let both = pixels.iter_mut().zip(&held).filter(|(_, held)| held.contains > 1);
    both.for_each(|(pixel, _)| *pixel = BOTH);
    let bytes = png_of_rgb(size, pixels.into_flattened());
    bytes.map_err(|error| Failure::input(format!("a picture cannot be encoded: {error}")))
}
