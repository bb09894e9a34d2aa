//! The GPU's answers at heightfields of many blocks are compared with the float64 reference.

use crate::common::*;
use raytwin::glam::DVec3;
use raytwin::gpu::GpuTracer;
use raytwin::{Answers, Batch, PackedScene, Tracer};
use raytwin_verify::{Class, Judge};

const SCENES: [(f64, f64); 4] = [(1.0, 0.0), (1e-3, 0.0), (1e4, 0.0), (1.0, 1e4)];

#[test]
fn no_ray_is_answered_wrongly_and_no_crossing_is_lost() {
    let gpu = gpu();
    for (seed, (size, offset)) in (120..).zip(SCENES) {
        let scene = fields_scene(seed, size, offset * DVec3::new(1.0, 0.7, -0.4));
        let packed = PackedScene::new(scene.clone()).unwrap();
        let tracer = GpuTracer::new(&gpu, &packed).unwrap();
        let judge = Judge::new(&packed);
        let families = Family::ALL.map(|family| (family, rays(seed, family, 3000, &scene, size)));
        let level = level_rays(seed, 6000, &scene, size);
        let all = families.into_iter().map(|(family, rays)| (Some(family), rays));
        for (family, rays) in all.chain([(None, level)]) {
            let batch = Batch::new(&rays);
            let hits = tracer.closest(batch).unwrap();
            let verdicts = verdicts(&packed, &rays, &hits);
            assert_eq!(count(&verdicts, Class::Mismatch), 0, "{size} {offset} {family:?}");
            let is_hit: Vec<bool> = hits.iter().map(|hit| hit.is_hit()).collect();
            assert_eq!(tracer.any(batch).unwrap(), is_hit);
            let counts = Answers::Count(tracer.count(batch).unwrap());
            let verdicts = judge.judge(batch, &counts).unwrap();
            assert_eq!(count(&verdicts, Class::Mismatch), 0, "{size} {offset} {family:?} counts");
            assert!(is_hit.iter().filter(|&&is_hit| is_hit).count() > rays.len() / 20);
        }
    }
}
