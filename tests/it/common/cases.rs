//! Rays whose exact answers are known.

use raytwin::gpu::GpuTracer;
use raytwin::{Batch, CpuTracer, Geometry, Hit, PackedScene, Ray, Scene, Tracer};

/// The name of a case, its ray, and the `t` at which the ray hits the scene's only shape.
pub type Case = (&'static str, Ray, Option<f32>);

pub fn ray(origin: [f32; 3], direction: [f32; 3]) -> Ray {
    Ray::new(origin, direction)
}

pub fn check(shape: impl Into<Geometry>, cases: &[Case]) {
    let mut scene = Scene::new();
    scene.add(shape).unwrap();
    let packed = PackedScene::new(scene.clone()).unwrap();
    let gpu = GpuTracer::new(&super::gpu(), &packed).unwrap();
    let cpu = CpuTracer::new(&packed);
    let rays: Vec<Ray> = cases.iter().map(|(_, ray, _)| *ray).collect();
    for tracer in [&cpu as &dyn Tracer, &gpu] {
        let hits = tracer.closest(Batch::new(&rays)).unwrap();
        for ((label, ray, expected), hit) in cases.iter().zip(hits) {
            let expected = match expected {
                Some(t) => Hit { t: *t, geometry_id: 0, primitive_id: 0 },
                None => Hit::MISS,
            };
            assert_eq!(hit, expected, "{label} on {}: {ray:?}", tracer.device());
        }
    }
}
