//! Compares the answers to rays that are cast as packets with those to the same rays alone.

use crate::bvh::{PACKET, RayLanes};
use crate::cpu::tests::{check_in_turn, instances, many, nodes, plain, shapes, vector};
use crate::cpu::*;
use crate::packed::PackedScene;
use fastrand::Rng;
use glam::DVec3;
use pulp::Scalar512b;

/// Returns sixteen rays that differ by up to `spread`, mostly towards the middle, some with ends of
/// their own.
fn sixteen(rng: &mut Rng, spread: f64) -> [Ray; PACKET] {
    let eye = 2.5 * vector(rng);
    let direction = 0.7 * vector(rng) - eye;
    let across = DVec3::AXES.get(rng.usize(..9)).copied().unwrap_or_default();
    let [has_one_eye, has_ends] = [rng.bool(), rng.usize(..3) == 0];
    [0; PACKET].map(|_| {
        let from = if has_one_eye { eye } else { eye + spread * vector(rng) };
        let direction = (direction + spread * vector(rng)) * (DVec3::ONE - across);
        let ray = Ray::new(from.as_vec3(), (f64::from(1 + rng.u32(..9)) * direction).as_vec3());
        match rng.usize(..6) {
            0 if has_ends => ray.within(0.0, 0.1 + rng.f32()),
            1 if has_ends => ray.within(0.5 * rng.f32(), 1.0 + rng.f32()),
            _ => ray,
        }
    })
}

/// A packet's answers, its bounds in float32 and its deferred tests must leave no trace.
#[test]
fn rays_have_the_same_answers_in_a_packet_and_alone() {
    for scene in [shapes(), many(), instances(), nodes()] {
        let packed = PackedScene::new(scene).unwrap();
        let rng = &mut Rng::with_seed(10);
        let spreads = [0.0, 1e-6, 0.003, 0.02];
        let rays: Vec<Ray> =
            (0..400).flat_map(|turn| sixteen(rng, spreads[turn % spreads.len()])).collect();
        let packets = rays.as_chunks::<PACKET>().0;
        let together = packets
            .iter()
            .filter(|packet| packed.tree().suits(Scalar512b, &RayLanes::new(packet)))
            .count();
        assert!(together > 200, "{together} packets are cast together");
        let count = packed.scene().geometry_count();
        let masks: Vec<u32> = rays.iter().map(|_| rng.u32(..) & rng.u32(..)).collect();
        let ignored: Vec<u32> = rays.iter().map(|_| rng.u32(..count)).collect();
        let batch = Batch::new(&rays);
        let choosy = batch.with_masks(&masks).unwrap().ignoring(&ignored).unwrap();
        let of_processor = CpuTracer::new(&packed);
        check_in_turn(&of_processor, &rays[..512]);
        let mut narrow = CpuTracer::new(&packed);
        #[cfg(target_arch = "x86_64")]
        (narrow.avx512 = None);
        for tracer in [plain(CpuTracer::new(&packed)), narrow, of_processor] {
            for batch in [batch, choosy] {
                let closest = tracer.closest(batch).unwrap();
                let any = tracer.any(batch).unwrap();
                let counts = tracer.count(batch).unwrap();
                for index in 0..rays.len() {
                    let alone = batch.slice(index..index + 1);
                    let ray = &rays[index];
                    assert_eq!(closest[index], tracer.closest(alone).unwrap()[0], "{ray:?}");
                    assert_eq!(any[index], tracer.any(alone).unwrap()[0], "{ray:?}");
                    assert_eq!(counts[index], tracer.count(alone).unwrap()[0], "{ray:?}");
                }
            }
        }
    }
}
