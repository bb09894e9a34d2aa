//! Faults of one character, each of which the comparison must notice. A row whose text is no longer in
//! the shader fails as stale.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test that cannot go on stops"
)]

mod common;

use common::*;
use raytwin::diff::Class;
use raytwin::glam::DVec3;
use raytwin::gpu::{FAULTS, Fault, Gpu, GpuTracer};
use raytwin::{Packed, Ray, Scene, Tracer};

const fn fault(
    name: &'static str,
    file: &'static str,
    from: &'static str,
    to: &'static str,
) -> Fault {
    Fault { name, shape: None, file, from, to }
}

const SPHERE: &str = "shapes/sphere.wgsl";
const CUBOID: &str = "shapes/cuboid.wgsl";
const CYLINDER: &str = "shapes/cylinder.wgsl";

const MUTANTS: &[Fault] = &[
    fault(
        "sphere: a tangent misses",
        SPHERE,
        "half_chord_squared < 0.0",
        "half_chord_squared <= 0.0",
    ),
    fault("sphere: the chord's ends swap", SPHERE, "(middle - half) / dd", "(middle + half) / dd"),
    fault(
        "sphere: no move to the closest approach",
        SPHERE,
        "start.offset - middle",
        "start.offset + middle",
    ),
    fault("sphere: the radius is not squared", SPHERE, "reach * reach", "reach + reach"),
    fault("box: a ray in a face misses", CUBOID, "abs(offset) > half", "abs(offset) >= half"),
    fault("box: the slab's sides swap", CUBOID, "speed > 0.0", "speed < 0.0"),
    fault("box: an edge misses", CUBOID, "span.x > span.y", "span.x >= span.y"),
    fault("box: a wrong half extent", CUBOID, "x_axis.xyz), center.w)", "x_axis.xyz), x_axis.w)"),
    fault("box: a wrong extent of y", CUBOID, "y_axis.xyz), x_axis.w)", "y_axis.xyz), center.w)"),
    fault(
        "cylinder: a tangent misses",
        CYLINDER,
        "half_chord_squared < 0.0",
        "half_chord_squared <= 0.0",
    ),
    fault(
        "cylinder: a ray in the wall along the axis misses",
        CYLINDER,
        "dot(aside, aside) > reach",
        "dot(aside, aside) >= reach",
    ),
    fault("cylinder: a ray in the start cap misses", CYLINDER, "height < 0.0", "height <= 0.0"),
    fault("cylinder: a ray in the end cap misses", CYLINDER, "height > top", "height >= top"),
    fault("cylinder: a rim misses", CYLINDER, "span.x > span.y", "span.x >= span.y"),
    fault(
        "cylinder: no end cap",
        CYLINDER,
        "select(0.0, top, climb > 0.0)",
        "select(0.0, top, climb < 0.0)",
    ),
    fault(
        "shapes: the interval is open at t_min",
        "shapes.wgsl",
        "span.x >= ray.t_min",
        "span.x > ray.t_min",
    ),
    fault(
        "shapes: the far wall at t_min is lost",
        "shapes.wgsl",
        "span.y >= ray.t_min",
        "span.y > ray.t_min",
    ),
    fault("tree: boxes are met inside out", "trace.wgsl", "early <= late", "early >= late"),
    fault(
        "tree: boxes after t_min are lost",
        "trace.wgsl",
        "late >= ray.t_min",
        "late <= ray.t_min",
    ),
    fault("tree: boxes before the best are lost", "trace.wgsl", "early <= t_max", "early >= t_max"),
    fault(
        "tree: leaves of one shape are inner",
        "trace.wgsl",
        "far_child.count > 0u",
        "far_child.count > 1u",
    ),
    fault(
        "tree: what waited is dropped",
        "trace.wgsl",
        "stack_entry[waiting] <= best.t",
        "stack_entry[waiting] >= best.t",
    ),
    fault("tree: the stack is left early", "trace.wgsl", "waiting > 0u", "waiting > 1u"),
    fault(
        "tie: the higher id wins",
        "trace.wgsl",
        "geometry_id < best.geometry_id",
        "geometry_id > best.geometry_id",
    ),
    fault(
        "tie: the last asked wins",
        "trace.wgsl",
        "if t < best.t || geometry_id < best.geometry_id",
        "if t <= best.t || geometry_id < best.geometry_id",
    ),
    fault("trace: t_max is open", "trace.wgsl", "if t <= best.t {", "if t < best.t {"),
    fault("ray: -inf is not clamped", "ray.wgsl", "(bits & SIGN_BIT) | magnitude", "magnitude"),
    fault("ray: just above zero is zero", "ray.wgsl", "vanished && (bits", "!vanished && (bits"),
    fault("ray: t is scaled the wrong way", "ray.wgsl", "= t * scale", "= t / scale"),
    fault("cylinder: the closest approach is behind", CYLINDER, "= -dot(aside", "= dot(aside"),
    fault("cylinder: the lines part", CYLINDER, "* aside + middle", "* aside - middle"),
];

struct Trial {
    scene: Scene,
    packed: Packed,
    rays: Vec<Ray>,
    to_the_bit: bool,
}

fn trials() -> Vec<Trial> {
    let lattice = lattice_scene();
    let random = random_scene(31, 48, 1.0, DVec3::ZERO);
    let random_rays =
        FAMILIES.into_iter().flat_map(|family| rays(32, family, 2000, &random)).collect();
    [(lattice, lattice_rays(), true), (random, random_rays, false)]
        .into_iter()
        .map(|(scene, rays, to_the_bit)| {
            let packed = Packed::new(&scene).unwrap();
            Trial { scene, packed, rays, to_the_bit }
        })
        .collect()
}

/// How many answers the comparison holds against the tracer.
fn noticed(gpu: &Gpu, trial: &Trial, fault: Option<&Fault>) -> usize {
    let tracer = match fault {
        Some(fault) => GpuTracer::with_fault(gpu, &trial.packed, fault),
        None => GpuTracer::new(gpu, &trial.packed),
    };
    let tracer = tracer.unwrap_or_else(|error| panic!("{error}"));
    let hits = tracer.closest(&trial.rays).unwrap();
    let verdicts = verdicts(&trial.scene, &trial.packed, &trial.rays, &hits);
    let is_wrong = |verdict: &&raytwin::diff::Verdict| {
        let whole = !verdict.exact.is_hit() || (f64::from(verdict.exact.t) * 8.0).fract() == 0.0;
        verdict.class == Class::Mismatch
            || trial.to_the_bit && whole && verdict.class != Class::Exact
    };
    verdicts.iter().filter(is_wrong).count()
}

#[test]
fn the_shader_as_it_is_passes_every_trial() {
    let gpu = gpu();
    for trial in trials() {
        assert_eq!(noticed(&gpu, &trial, None), 0);
    }
}

#[test]
fn every_fault_is_noticed() {
    let gpu = gpu();
    let trials = trials();
    let mut survivors = Vec::new();
    for mutant in MUTANTS {
        let found: usize = trials.iter().map(|trial| noticed(&gpu, trial, Some(mutant))).sum();
        if found == 0 {
            survivors.push(mutant.name);
        }
    }
    assert!(survivors.is_empty(), "not noticed: {survivors:#?}");
}

#[test]
fn every_named_fault_is_shown_by_ordinary_rays() {
    let gpu = gpu();
    let scene = random_scene(33, 48, 1.0, DVec3::ZERO);
    let packed = Packed::new(&scene).unwrap();
    let rays = rays(34, Family::Aimed(12.0), 5000, &scene);
    let trial = Trial { scene, packed, rays, to_the_bit: false };
    for fault in FAULTS {
        let found = noticed(&gpu, &trial, Some(fault));
        assert!(found > 50, "{}: {found} mismatches", fault.name);
    }
}

#[test]
fn a_stale_row_is_an_error() {
    let gpu = gpu();
    let packed = Packed::new(&random_scene(35, 3, 1.0, DVec3::ZERO)).unwrap();
    for (file, from) in [(SPHERE, "no such text"), (SPHERE, "ray"), ("no_such.wgsl", "ray")] {
        let stale = fault("stale", file, from, "x");
        let error = GpuTracer::with_fault(&gpu, &packed, &stale).unwrap_err();
        assert!(error.to_string().contains("not once"), "{error}");
    }
    let broken = fault("broken", SPHERE, "let radius = center_radius.w;", "let radius = ;");
    let error = GpuTracer::with_fault(&gpu, &packed, &broken).unwrap_err();
    assert!(error.to_string().starts_with("shaders/shapes/sphere.wgsl:7:"), "{error}");
}
