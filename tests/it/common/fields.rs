//! Heightfields of many blocks of cells, and nearly level rays.

use super::forms::{between, direction};
use fastrand::Rng;
use raytwin::glam::{DQuat, DVec3};
use raytwin::{Geometry, Heightfield, Ray, Scene};

/// Makes fields side by side, about as large as `size`: waves, spikes, steep spikes, a nearly flat field and a flat
/// one.
pub fn fields_scene(seed: u64, size: f64, middle: DVec3) -> Scene {
    let rng = &mut Rng::with_seed(seed);
    let mut scene = Scene::new();
    let kinds = [[40, 70], [33, 18], [66, 49], [2, 90], [57, 58]];
    for (kind, [rows, columns]) in kinds.into_iter().enumerate() {
        let heights = (0..rows * columns).map(|index| match kind {
            0 => (index % columns) as f64 * 0.02 + 0.1 * rng.f64(),
            1 => {
                if rng.u32(..30) == 0 {
                    0.5 * rng.f64()
                } else {
                    0.0
                }
            }
            2 => {
                if rng.u32(..20) == 0 {
                    9.0 * rng.f64()
                } else {
                    0.0
                }
            }
            3 => 1e-6 * rng.f64(),
            _ => 0.25,
        });
        let heights = heights.map(|height| size * height).collect();
        let spacing = [0.06 * size, 0.05 * size];
        let center = middle + 3.0 * size * kind as f64 * DVec3::X;
        let turn = DQuat::from_axis_angle(direction(rng), 6.0 * rng.f64());
        scene.add(Heightfield::new(heights, columns, spacing, center, turn).unwrap()).unwrap();
    }
    scene
}

/// Makes rays that start beside a field and descend slightly through a point of it.
pub fn level_rays(seed: u64, count: usize, scene: &Scene, size: f64) -> Vec<Ray> {
    let rng = &mut Rng::with_seed(seed);
    let ray = |_| {
        let geometry = &scene.geometries()[rng.usize(..scene.geometries().len())];
        let Geometry::Heightfield(field) = geometry else { panic!() };
        let index = rng.usize(..field.triangle_count());
        let [a, b, c] = field.triangle(index).unwrap().vertices;
        let target = a.lerp(b, rng.f64()).lerp(c, rng.f64());
        let angle = rng.f64() * std::f64::consts::TAU;
        let local = DVec3::new(angle.cos(), angle.sin(), -between(rng, 1e-3, 1e-2));
        let way = field.rotation * local;
        Ray::new((target - 4.0 * size * way).as_vec3(), way.as_vec3())
    };
    (0..count).map(ray).collect()
}
