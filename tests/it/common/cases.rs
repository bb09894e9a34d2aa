//! Rays whose exact answers are known.

use raytwin::gpu::GpuTracer;
use raytwin::{Batch, CpuTracer, Geometry, Hit, PackedScene, Ray, Scene, Tracer};
use raytwin_verify::Class;

/// The name of a case, its ray, and the `t` at which the ray hits the scene's only shape.
pub type Case = (&'static str, Ray, Option<f32>);

pub fn ray(origin: [f32; 3], direction: [f32; 3]) -> Ray {
    Ray::new(origin, direction)
}

/// Asserts that both tracers give the known answers. A device that does not round correctly may be off by the bound, and
/// may miss a tangent.
pub fn check(shape: impl Into<Geometry>, cases: &[Case]) {
    let mut scene = Scene::new();
    scene.add(shape).unwrap();
    let packed = PackedScene::new(scene.clone()).unwrap();
    let gpu = GpuTracer::new(&super::gpu(), &packed).unwrap();
    let cpu = CpuTracer::new(&packed);
    let rays: Vec<Ray> = cases.iter().map(|(_, ray, _)| *ray).collect();
    let is_exact = super::arithmetic().is_correctly_rounded();
    if !is_exact {
        let hits = gpu.closest(Batch::new(&rays)).unwrap();
        let verdicts = super::verdicts(&packed, &rays, &hits);
        for ((label, ..), verdict) in cases.iter().zip(verdicts) {
            assert_ne!(verdict.class, Class::Mismatch, "{label}: {verdict:?}");
        }
    }
    let exact_tracers: &[&dyn Tracer] = if is_exact { &[&cpu, &gpu] } else { &[&cpu] };
    for tracer in exact_tracers {
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
