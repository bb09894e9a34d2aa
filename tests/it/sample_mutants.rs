//! Faults of few characters in the shaders that make rays and add up answers. Each must change the rays or the sums, which
//! `sampling` holds to the float64 generator and to the answers themselves.

use crate::common::is_planted;
use crate::common::{FIRST, ball_mesh, own_gpu, scene_of};
use raytwin::glam::{DQuat, DVec3};
use raytwin::gpu::GpuTracer;
use raytwin::{PackedScene, Ray, RayGenerator, Sampler, Scene, Tally, Tracer};
use raytwin_verify::faults::Fault;

const PHILOX: &str = "sample/philox.wgsl";
const FIXED: &str = "sample/fixed_point.wgsl";
const GENERATE: &str = "sample/generate.wgsl";
const TALLY: &str = "sample/tally.wgsl";
const NUMBERING: &str = "numbering.wgsl";
const PATHS: &str = "sample/paths.wgsl";

const fn fault(file: &'static str, from: &'static str, to: &'static str) -> Fault {
    Fault::in_shader(to, file, from, to)
}

const MUTANTS: [Fault; 26] = [
    fault(PHILOX, "+ (first & 0xffffu)", "+ first"),
    fault(PHILOX, "ROUNDS: u32 = 10u", "ROUNDS: u32 = 9u"),
    fault(FIXED, "DIGITS: u32 = 30u", "DIGITS: u32 = 29u"),
    fault(FIXED, "rest >= trial", "rest > trial + 99999u"),
    fault(FIXED, "((octant + 1u) & 2u)", "(octant & 2u)"),
    fault(FIXED, "157094u", "157u"),
    fault(FIXED, "rest > 0x80u ||", ""),
    fault(GENERATE, "select(0u, 1u, number < index)", "0u"),
    fault(GENERATE, "words.x | 1u, false", "words.y | 1u, false"),
    fault(GENERATE, "frame.normal = -frame.normal;", ""),
    fault(GENERATE, "select(0u, 1u, low < moved.y)", "0u"),
    fault(TALLY, "shift < -24", "shift < -4"),
    fault(TALLY, "1u << (right - 1u)", "0u"),
    fault(TALLY, "distance.y + select(0u, 1u, before + distance.x < before)", "distance.y"),
    fault(TALLY, "number.y + select(0u, 1u, before + number.x < before)", "number.y"),
    fault(TALLY, "before + middle < before", "false"),
    fault(TALLY, "claim.exchanged || claim.old_value == geometry", "true"),
    fault(NUMBERING, "<= primitive", "< primitive"),
    fault(TALLY, "a.x < b.x", "a.x <= b.x"),
    fault(TALLY, "index < sampling.count", "index + 1u < sampling.count"),
    fault(TALLY, "edges + 1u, sampling", "edges, sampling"),
    fault(PATHS, "clamp(position(crossing.y), start, end)", "max(position(crossing.y), start)"),
    fault(PATHS, "exit - at, is_inside", "exit - at, true"),
    fault(PATHS, "is_inside = !is_inside;", "is_inside = true;"),
    fault(PATHS, "sort_crossings(first, count);", ""),
    fault(PATHS, "is_solid == 1u", "is_solid == 0u"),
];

fn scene() -> Scene {
    let mut scene = scene_of(&FIRST, 3, 90, 1.0, DVec3::new(3.0, -40.0, 5.0));
    scene.add(ball_mesh(DVec3::new(3.0, -40.0, 5.0), 2.0, 6, DQuat::IDENTITY)).unwrap();
    scene.add(scene.geometries()[0].clone()).unwrap();
    scene
}

/// Returns what a tracer makes and adds up; `None` if it ends in an error.
fn sampled(tracer: &GpuTracer, scene: &Scene) -> Option<Vec<(Vec<Ray>, Tally)>> {
    let center = DVec3::new(3.0, -40.0, 5.0);
    let generators = [
        RayGenerator::lines_through(scene),
        // The bits of so small coordinates reach below those of the extent.
        RayGenerator::InBox { min: DVec3::new(1e-4, -50.0, 3e-5), max: DVec3::new(9.0, 0.0, 9.0) },
        RayGenerator::Patch { center, normal: DVec3::new(0.1, 1.0, 0.3), radius: 2.0 },
    ];
    let sampled = generators.into_iter().map(|generator| {
        let sampler = Sampler::new(scene, generator, 1 << 40).unwrap().with_paths();
        let sampler =
            sampler.with_histogram(0.0, 30.0, 1 << 20).unwrap().within(0.0, 12.0).unwrap();
        // The low word of the rays' numbers overflows.
        let numbers = (1 << 32) - 1500..(1 << 32) + 2500;
        let rays = tracer.generate_rays(&sampler, numbers.clone()).ok()?;
        Some((rays, tracer.sample(&sampler, numbers).ok()?))
    });
    sampled.collect()
}

#[test]
fn every_fault_of_sampling_changes_rays_or_sums() {
    let (gpu, scene) = (own_gpu(), scene());
    let packed = PackedScene::new(scene.clone()).unwrap();
    let expected = sampled(&GpuTracer::new(&gpu, &packed).unwrap(), &scene);
    assert!(expected.is_some());
    let mut survivors = Vec::new();
    for (index, fault) in MUTANTS.iter().enumerate() {
        let tracer = GpuTracer::with_fault(&gpu, &packed, fault.site).unwrap();
        if is_planted(index) && sampled(&tracer, &scene) == expected {
            survivors.push(fault.name);
        }
    }
    assert!(survivors.is_empty(), "{survivors:#?}");
}
