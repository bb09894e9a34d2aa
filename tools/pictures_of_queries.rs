//! Draws what each kind of query sees of the gallery, for `docs/reference/queries.md`.
//!
//! `target/release/pictures_of_queries` writes them into `docs/reference/queries/`.

use image::{Rgb, RgbImage};
use raytwin::glam::{DVec3, Vec3};
use raytwin::{
    Batch, CpuTracer, HitArrays, Hits, NONE, PackedScene, PointAnswer, Ray, Scene, Tracer, View,
};
use raytwin_files::image::color;
use raytwin_formats::Options;
use std::error::Error;
use std::sync::Arc;

const SIZE: (u32, u32) = (640, 400);
const NOTHING: Rgb<u8> = Rgb([24, 26, 32]);

fn main() -> Result<(), Box<dyn Error>> {
    let scene =
        Arc::new(raytwin_formats::load("examples/scenes/gallery.json", &Options::default())?.scene);
    let packed = PackedScene::new(Arc::clone(&scene))?;
    let tracer = CpuTracer::new(&packed);
    let camera = scene.cameras.first().ok_or("the gallery has a camera")?.clone();
    let view = View::new(camera, SIZE.0, SIZE.1)?;
    let rays = tracer.camera_rays(&view, 0..view.pixels())?;

    std::fs::create_dir_all("docs/reference/queries")?;
    shadows(&scene, &tracer, &rays)?.save("docs/reference/queries/any.png")?;
    crossings(&tracer, &rays)?.save("docs/reference/queries/count.png")?;
    cut_open(&scene, &tracer, &rays)?.save("docs/reference/queries/solid.png")?;
    slice(&scene, &tracer)?.save("docs/reference/queries/points.png")?;
    Ok(())
}

fn picture(color: impl Fn(usize) -> Rgb<u8>) -> RgbImage {
    RgbImage::from_fn(SIZE.0, SIZE.1, |x, y| color((y * SIZE.0 + x) as usize))
}

fn gradient(fraction: f64) -> Rgb<u8> {
    Rgb(color::of_distance(fraction, [0.0, 1.0]))
}

fn color_of(id: u32) -> Vec3 {
    color::of_id(id).map(f32::from).into()
}

fn shaded(color: Vec3, brightness: f32) -> Rgb<u8> {
    Rgb((color * brightness).to_array().map(|part| part as u8))
}

/// Draws the closest hits, dark if a shape lies between them and the light.
fn shadows(scene: &Scene, tracer: &dyn Tracer, rays: &[Ray]) -> Result<RgbImage, Box<dyn Error>> {
    let light = Vec3::new(-4.0, -6.0, 9.0);
    let hits =
        Hits::new(scene, Batch::new(rays), &tracer.closest(Batch::new(rays))?, HitArrays::DEFAULT);
    let to_light = |(index, ray): (usize, &Ray)| {
        let point = Vec3::from(ray.origin) + hits.t_hit[index] * Vec3::from(ray.direction);
        // The shadow ray starts a little off the surface and ends at the light.
        Ray::new(point, light - point).within(1e-4, 1.0)
    };
    let to_light: Vec<Ray> = rays.iter().enumerate().map(to_light).collect();
    // The shadow ray of a miss has no finite origin: it is invalid, and so not occluded.
    let are_dark = tracer.any(Batch::new(&to_light))?;
    Ok(picture(|pixel| {
        if hits.geometry_ids[pixel] == NONE {
            return NOTHING;
        }
        let normal = Vec3::from(hits.primitive_normals[pixel]);
        let cosine = normal.dot(Vec3::from(to_light[pixel].direction).normalize()).abs();
        let direct = if are_dark[pixel] { 0.0 } else { 0.8 * cosine };
        shaded(color_of(hits.geometry_ids[pixel]), 0.2 + direct)
    }))
}

/// Draws an X-ray, brighter where a ray crosses more surfaces.
fn crossings(tracer: &dyn Tracer, rays: &[Ray]) -> Result<RgbImage, Box<dyn Error>> {
    let counts = tracer.count(Batch::new(rays))?;
    Ok(picture(|pixel| gradient(f64::from(counts[pixel]) / 10.0)))
}

/// Draws the gallery cut open by a plane; the solids that it cuts show their insides.
fn cut_open(scene: &Scene, tracer: &dyn Tracer, rays: &[Ray]) -> Result<RgbImage, Box<dyn Error>> {
    let (point, normal) = (Vec3::new(0.0, 0.35, 0.0), Vec3::new(0.35, 1.0, 0.0));
    let behind = |ray: &Ray| {
        let [origin, direction] = [ray.origin, ray.direction].map(Vec3::from);
        let t = (point - origin).dot(normal) / direction.dot(normal);
        ray.within(t.max(0.0), f32::INFINITY)
    };
    let rays: Vec<Ray> = rays.iter().map(behind).collect();
    let batch = Batch::new(&rays).solid();
    let hits = Hits::new(scene, batch, &tracer.closest(batch)?, HitArrays::ALL);
    Ok(picture(|pixel| {
        if hits.geometry_ids[pixel] == NONE {
            return NOTHING;
        }
        let color = color_of(hits.geometry_ids[pixel]);
        if hits.faces[pixel] == NONE {
            return shaded(color, 1.0);
        }
        let normal = Vec3::from(hits.primitive_normals[pixel]);
        let direction = Vec3::from(rays[pixel].direction);
        shaded(color, 0.15 + 0.4 * normal.dot(direction).abs())
    }))
}

/// Draws a horizontal slice of the gallery: the distance of each point from the nearest surface, with contours a tenth
/// apart, and blue inside solids.
fn slice(scene: &Scene, tracer: &dyn Tracer) -> Result<RgbImage, Box<dyn Error>> {
    let step = 6.4 / f64::from(SIZE.0);
    let at = |pixel: u32| {
        let [x, y] = [pixel % SIZE.0, pixel / SIZE.0].map(f64::from);
        let middle = DVec3::new(f64::from(SIZE.0), -f64::from(SIZE.1), 0.0) / 2.0;
        (step * (DVec3::new(x, -y, 0.0) - middle) + DVec3::Z * 0.45).as_vec3().to_array()
    };
    let points: Vec<[f32; 3]> = (0..SIZE.0 * SIZE.1).map(at).collect();
    let around = PointAnswer::all(scene, &points, &tracer.points(&points)?);
    Ok(picture(|pixel| {
        let distance = f64::from(around[pixel].signed_distance);
        let is_on_contour = (10.0 * distance.abs()).fract() < 0.08;
        let brightness = if is_on_contour { 0.6 } else { 1.0 };
        let Rgb(color) = match distance < 0.0 {
            true => Rgb([60, 120, 220]),
            false => gradient(distance / 0.5),
        };
        shaded(Vec3::from(color.map(f32::from)), brightness)
    }))
}
