//! Canonical answers have the bits of the float64 tracer, whatever lies where.

use crate::common::*;
use fastrand::Rng;
use raytwin::glam::DVec3;
use raytwin::gpu::GpuTracer;
use raytwin::{
    Batch, CanonicalTracer, CpuTracer, Definition, Hit, NONE, PackedScene, Plane, Ray, Scene,
    Tracer,
};
use raytwin_verify::faults::Fault;

/// The rays of each family in each scene and round.
const RAYS: usize = 500;

/// The sizes and numbers of shapes of scenes of all forms.
const SCENES: [(f64, usize); 2] = [(1.0, 90), (0.3, 1500)];

fn rounds() -> u64 {
    sweep(1, 100)
}

fn bits(hit: &Hit) -> [u32; 3] {
    [hit.t.to_bits(), hit.geometry_id, hit.primitive_id]
}

/// The outcome of a comparison.
#[derive(Debug, Default)]
struct Outcome {
    rays: u64,
    in_doubt: u64,
    /// The first ray whose answers differ, with the canonical one and that of the float64 tracer.
    difference: Option<(Ray, Hit, Hit)>,
}

impl Outcome {
    fn add(&mut self, other: Self) {
        self.rays += other.rays;
        self.in_doubt += other.in_doubt;
        self.difference = self.difference.or(other.difference);
    }
}

/// Casts batches by a canonical tracer and by the float64 tracer.
fn compare(packed: &PackedScene, fault: Option<&Fault>, batches: &[Batch<'_>]) -> Outcome {
    let gpu = match fault {
        Some(fault) => GpuTracer::with_fault(&own_gpu(), packed, fault.site),
        None => GpuTracer::new(&gpu(), packed),
    };
    let canonical = CanonicalTracer::new(gpu.unwrap());
    let exact = CpuTracer::new(packed);
    let mut outcome = Outcome::default();
    for batch in batches {
        let (given, expected) =
            (canonical.closest(*batch).unwrap(), exact.closest(*batch).unwrap());
        let in_doubt = canonical.take_in_doubt();
        let pairs = given.iter().zip(&expected).zip(batch.rays().iter());
        let mut differences = pairs.filter(|((a, b), _)| bits(a) != bits(b));
        let difference = differences.next().map(|((a, b), ray)| (ray, *a, *b));
        outcome.add(Outcome { rays: batch.len() as u64, in_doubt, difference });
        // Nothing more is compiled to find another one.
        if outcome.difference.is_some() {
            break;
        }
        let (given, expected) = (canonical.any(*batch).unwrap(), exact.any(*batch).unwrap());
        canonical.take_in_doubt();
        if let Some(index) = (0..batch.len()).find(|&ray| given[ray] != expected[ray]) {
            let hit = |is_hit: bool| if is_hit { Hit { t: 0.0, ..Hit::MISS } } else { Hit::MISS };
            outcome.difference = Some((batch.ray(index), hit(given[index]), hit(expected[index])));
            break;
        }
    }
    outcome
}

/// Casts rays as surfaces, as solids, and with filters, in a wide tree.
fn compare_in_all_ways(scene: &Scene, rays: &[Ray]) -> Outcome {
    let rng = &mut Rng::with_seed(rays.len() as u64);
    let masks: Vec<u32> = rays.iter().map(|_| [u32::MAX, 1, 2][rng.usize(..3)]).collect();
    let geometries = scene.geometry_count();
    let ignored: Vec<u32> =
        rays.iter().map(|_| [NONE, rng.u32(..geometries)][rng.usize(..2)]).collect();
    let batch = Batch::new(rays);
    let choosy = batch.with_masks(&masks).unwrap().ignoring(&ignored).unwrap();
    let packed = pack(scene);
    // Each form alone is asked without filters, above.
    compare(&packed, None, sweep(&[choosy, batch.solid()][..], &[batch, choosy, batch.solid()]))
}

fn pack(scene: &Scene) -> PackedScene {
    PackedScene::new(scene.clone()).unwrap()
}

/// Rays that start on surfaces and leave them, as those of reflections and shadows do.
fn rays_from_surfaces(seed: u64, rays: &[Ray], hits: &[Hit]) -> Vec<Ray> {
    let rng = &mut Rng::with_seed(seed);
    let hit_rays = rays.iter().zip(hits).filter(|(_, hit)| hit.is_hit());
    let leave = |(ray, hit): (&Ray, &Hit)| {
        let origin = ray.line().at(f64::from(hit.t)).as_vec3();
        let t_min = [0.0, 0.0, 1e-4, 1e-6][rng.usize(..4)];
        Ray::new(origin, direction(rng).as_vec3()).within(t_min, f32::INFINITY)
    };
    hit_rays.map(leave).collect()
}

fn all_rays(seed: u64, scene: &Scene, size: f64) -> Vec<Ray> {
    let families = Family::ALL.into_iter().zip(seed..);
    let mut all: Vec<Ray> =
        families.flat_map(|(family, seed)| rays(seed, family, RAYS, scene, size)).collect();
    let hits = CpuTracer::new(&PackedScene::new(scene.clone()).unwrap()).closest(Batch::new(&all));
    all.extend(rays_from_surfaces(seed, &all, &hits.unwrap()));
    all
}

fn assert_equal(name: &str, outcome: &Outcome) {
    println!("{name}: {outcome:?}");
    assert!(outcome.difference.is_none(), "{name}: {outcome:?}");
}

#[test]
fn every_form_has_the_bits_of_float64_at_every_scale() {
    // Scenes of all forms, below, have each.
    for form in Form::ALL.into_iter().step_by(sweep(3, 1)) {
        let mut of_form = Outcome::default();
        for round in 0..rounds() {
            let seed = 1000 * round + 100 * form as u64;
            for (turn, (size, offset)) in
                (0..).zip([(1.0, 0.0), (1e-4, 0.0), (1e4, 0.0), (1.0, 1e4)])
            {
                let middle = offset * DVec3::new(1.0, 0.7, -0.4);
                let scene = scene_of(&[form], seed + turn, 24, size, middle);
                let rays = all_rays(seed + turn, &scene, size);
                let batch = Batch::new(&rays);
                // Filters are asked of scenes of all forms, below.
                let batches = [batch, batch.solid()];
                let asked = sweep(&batches[form as usize % 2..][..1], &batches);
                of_form.add(compare(&pack(&scene), None, asked));
            }
        }
        assert_equal(&format!("{form:?}"), &of_form);
    }
}

#[test]
fn scenes_of_all_forms_have_the_bits_of_float64() {
    let mut outcome = Outcome::default();
    for round in 0..rounds() {
        let seed = 90_000 + 10 * round;
        for &(size, count) in sweep(&SCENES[..1], &SCENES) {
            let mut scene = scene_of(&Form::ALL, seed, count, size, DVec3::ZERO);
            // Shapes that coincide with others.
            for id in 0..20 {
                let geometry = scene.geometries()[id].clone();
                scene.add(geometry).unwrap();
            }
            let rays = all_rays(seed, &scene, size);
            outcome.add(compare_in_all_ways(&scene, &rays));
        }
        let fields = fields_scene(seed, 1.0, DVec3::ZERO);
        let mut level = level_rays(seed, 4 * RAYS, &fields, 1.0);
        level.extend(all_rays(seed, &fields, 1.0));
        outcome.add(compare_in_all_ways(&fields, &level));
    }
    assert_equal("all forms", &outcome);
}

#[test]
fn lattices_have_the_bits_of_float64() {
    for scene in [lattice_scene(), other_lattice_scene()].into_iter().take(sweep(1, 2)) {
        assert_equal("a lattice", &compare_in_all_ways(&scene, &lattice_rays()));
    }
}

#[test]
fn instances_have_the_bits_of_float64() {
    let mut outcome = Outcome::default();
    for round in 0..rounds() {
        for middle in [DVec3::ZERO, DVec3::new(700.0, -300.0, 500.0)] {
            let (scene, rays) = placed_scene(&Form::ALL, 300 + round, RAYS / 10, middle);
            outcome.add(compare_in_all_ways(&scene, &rays));
        }
    }
    assert_equal("instances", &outcome);
}

/// Instances that move are found where they are.
#[test]
fn moving_instances_keep_the_bits_of_float64() {
    let rng = &mut Rng::with_seed(12);
    let inner = scene_of(&Form::ALL, 12, 30, 1.0, DVec3::ZERO);
    let definition = Definition::new(inner);
    let mut scene = Scene::new();
    let nodes: Vec<_> = (0..20)
        .map(|_| {
            let node = scene.add_node(None, &transform(rng, 9.0), None).unwrap();
            scene.add_instance_at(node, &definition, None).unwrap();
            node
        })
        .collect();
    let packed = PackedScene::new(scene.clone()).unwrap();
    let mut canonical = CanonicalTracer::new(GpuTracer::new(&gpu(), &packed).unwrap());
    let mut exact = CpuTracer::new(&packed);
    for step in 0..4 {
        for node in nodes.iter().step_by(1 + step) {
            scene.set_transform(*node, &transform(rng, 9.0)).unwrap();
        }
        assert_eq!(canonical.update(&scene).unwrap(), exact.update(&scene).unwrap());
        let rays: Vec<Ray> = (0..2000).map(|_| ray_at(rng, &scene)).collect();
        let batch = Batch::new(&rays);
        assert_eq!(canonical.closest(batch).unwrap(), exact.closest(batch).unwrap());
        assert_eq!(canonical.any(batch.solid()).unwrap(), exact.any(batch.solid()).unwrap());
    }
}

/// Few rays at ordinary scenes are in doubt, or canonical answers would be no faster than the float64 tracer's.
#[test]
fn few_rays_are_in_doubt() {
    let forms = [Form::Sphere, Form::Cuboid, Form::Cylinder, Form::Capsule, Form::Mesh];
    let mut scene = scene_of(&forms, 5, 200, 0.5, DVec3::ZERO);
    let ground =
        Plane { point: DVec3::Z * -3.0, normal: DVec3::Z, rectangle: None, one_sided: false };
    scene.add(ground).unwrap();
    let rays = rays(6, Family::Aimed(12.0), 20_000, &scene, 0.5);
    let packed = PackedScene::new(scene).unwrap();
    let outcome = compare(&packed, None, &[Batch::new(&rays)]);
    assert_equal("ordinary", &outcome);
    assert!(outcome.in_doubt < outcome.rays / 50, "{outcome:?}");
}

/// A margin left out, a flag left out, and a traversal that goes too far are noticed.
#[test]
fn faults_of_canonical_kernels_are_noticed() {
    let scene = scene_of(&Form::ALL, 7, 400, 0.6, DVec3::ZERO);
    let rays: Vec<Ray> = (0..sweep(6, 20)).flat_map(|seed| all_rays(seed, &scene, 0.6)).collect();
    let packed = PackedScene::new(scene).unwrap();
    for (file, from, to) in [
        ("canonical/zones.wgsl", "const BAND: f32 = 32.0 * U;", "const BAND: f32 = 0.0;"),
        ("canonical/solids.wgsl", "select(band, -band, side == 1u)", "0.0"),
        ("closest/canonical.wgsl", "best.rival > best.t;", "true;"),
        (
            "closest/canonical.wgsl",
            "return Nearest(bounds.y, primitive, bounds.x, min(",
            "return Nearest(bounds.x, primitive, bounds.x, min(",
        ),
    ] {
        let fault = Fault::in_shader("a fault", file, from, to);
        let batch = Batch::new(&rays);
        let outcome = compare(&packed, Some(&fault), &[batch, batch.solid()]);
        assert!(outcome.difference.is_some(), "{from}: {outcome:?}");
    }
}
