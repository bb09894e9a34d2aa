//! Every kind of query, on both tracers: what any, count, all and solids answer must fit what the closest hit and each
//! other answer, and brute force in float64.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test that cannot go on stops"
)]

mod common;

use common::*;
use fastrand::Rng;
use raytwin::glam::DVec3;
use raytwin::gpu::GpuTracer;
use raytwin::{
    AllHits, Batch, BatchError, CpuTracer, Cuboid, Geometry, Hit, Hits, Lines, Mesh, NONE, Packed,
    Plane, Ray, Scene, Sphere, TraceError, Tracer,
};

/// Five families at five scenes on two tracers: 1,000,000 rays a form.
const RAYS: usize = 20_000;

const SCENES: [(f64, f64, usize); 5] =
    [(1.0, 0.0, 12), (1e-4, 0.0, 12), (1e4, 0.0, 12), (1.0, 1e3, 12), (0.3, 0.0, 200)];

const ASKED: [Family; 5] =
    [Family::Aimed(12.0), Family::Aimed(1e3), Family::Inside, Family::Along, Family::Cut];

/// Asks both tracers of a scene.
fn each_tracer(scene: &Scene, mut ask: impl FnMut(&str, &dyn Tracer)) {
    let packed = Packed::new(scene).unwrap();
    ask("cpu", &CpuTracer::new(scene, &packed));
    ask("gpu", &GpuTracer::new(&gpu(), &packed).unwrap());
}

/// What any, count and all answer fits what closest answers, ray by ray.
fn answers_fit(scene: &Scene, tracer: &dyn Tracer, batch: Batch<'_>) -> AllHits {
    let closest = tracer.closest(batch).unwrap();
    let any = tracer.any(batch).unwrap();
    let counts = tracer.count(batch).unwrap();
    let all = tracer.all(batch).unwrap();
    assert_eq!(all.ray_count(), batch.len());
    assert_eq!(all.ray_splits.last().copied(), Some(all.len() as u64));
    for (place, ray) in batch.rays().iter().enumerate() {
        let hits: Vec<Hit> = all.of_ray(place).collect();
        assert_eq!(any[place], closest[place].is_hit(), "{ray:?}");
        assert_eq!(counts[place] as usize, hits.len(), "{ray:?}");
        for hit in &hits {
            assert!(ray.t_min <= hit.t && hit.t <= ray.t_max, "{ray:?}: {hit:?}");
            assert!(scene.part(hit.geometry_id, hit.primitive_id).is_some());
        }
        assert!(hits.windows(2).all(|pair| pair[0].t <= pair[1].t), "{ray:?}: {hits:?}");
        let start = all.ray_splits[place] as usize;
        assert!(all.ray_ids[start..][..hits.len()].iter().all(|&ray| ray as usize == place));
    }
    all
}

/// Both sides of a form: what they answer fits together, the first of all is the closest, and all that a solid has
/// beyond a point says whether it holds the point.
fn queries_fit(form: Form) {
    let mut rays_in_all = 0;
    for (seed, (size, offset, count)) in (300..).zip(SCENES) {
        let scene = scene_of(&[form], seed, count, size, offset * DVec3::new(1.0, 0.7, -0.4));
        each_tracer(&scene, |name, tracer| {
            for (seed, family) in (40..).zip(ASKED) {
                let rays = rays(seed, family, RAYS, &scene, size);
                let batch = Batch::new(&rays);
                let all = answers_fit(&scene, tracer, batch);
                let closest = tracer.closest(batch).unwrap();
                let mut unlike = 0;
                for (place, hit) in closest.iter().enumerate() {
                    // A mesh's edge is one triangle's in all, and both triangles' in closest.
                    unlike += usize::from(all.of_ray(place).next() != hit.is_hit().then_some(*hit));
                }
                let is_of_triangles = matches!(form, Form::Mesh | Form::Heightfield);
                let allowed = if is_of_triangles { RAYS / 1000 } else { 0 };
                assert!(unlike <= allowed, "{name} {form:?} {family:?}: {unlike} unlike");
                rays_in_all += rays.len();
            }
        });
    }
    assert!(rays_in_all >= 1_000_000, "{rays_in_all}");
}

macro_rules! of_each_form {
    ($($name:ident: $form:ident,)+) => {
        $(
            #[test]
            fn $name() {
                queries_fit(Form::$form);
            }
        )+
    };
}

of_each_form! {
    sphere: Sphere,
    cuboid: Cuboid,
    cylinder: Cylinder,
    tube: Tube,
    capsule: Capsule,
    cone: Cone,
    ellipsoid: Ellipsoid,
    torus: Torus,
    plane: Plane,
    disc: Disc,
    triangle: Triangle,
    mesh: Mesh,
    heightfield: Heightfield,
    lines: Lines,
}
