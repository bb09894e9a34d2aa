//! Trees of several qualities and both variants of the kernels are tested on the device and on the CPU.

use crate::common::*;
use raytwin::bvh::Quality;
use raytwin::glam::DVec3;
use raytwin::gpu::{GpuTracer, KernelVariant};
use raytwin::{Batch, CpuTracer, PackedScene, Plane, Ray, Scene, Sphere, Tracer};
use raytwin_verify::Class;
use raytwin_verify::faults::Fault;

const QUALITIES: [Quality; 2] = [Quality::Medium, Quality::Fast];
const KERNELS: [KernelVariant; 2] = [KernelVariant::Hardware, KernelVariant::Software];

/// Casts the rays in every way and checks that no answer is wrong and that the variant of the kernels changes no bit.
/// Returns how many rays hit something.
fn cast_in_every_way(name: &str, scene: &Scene, rays: &[Ray]) -> usize {
    let gpu = gpu();
    let mut hit_counts = Vec::new();
    for quality in QUALITIES {
        let packed = PackedScene::with_quality(scene.clone(), quality).unwrap();
        let mut of_variants = kernel_variants().iter().map(|&variant| {
            let gpu = gpu.clone().with_kernels(variant);
            GpuTracer::new(&gpu, &packed).unwrap().closest(Batch::new(rays)).unwrap()
        });
        let first = of_variants.next().unwrap();
        let are_alike = of_variants.all(|hits| hits == first);
        assert!(are_alike, "{name}, {quality:?}: the variants of the kernels differ");
        for (ray, verdict) in rays.iter().zip(verdicts(&packed, rays, &first)) {
            assert_ne!(verdict.class, Class::Mismatch, "{name}, {quality:?}: {ray:?}: {verdict:?}");
        }
        answers_batches_as_it_answers_rays(name, &packed, rays);
        hit_counts.push(first.iter().filter(|hit| hit.is_hit()).count());
    }
    // Trees differ in the margins of their boxes, which may change doubtful hits only.
    assert!(
        hit_counts[0].abs_diff(hit_counts[1]) <= rays.len() / 1000,
        "{name}: {hit_counts:?} hits"
    );
    hit_counts[0]
}

/// The CPU has three traversals: for one ray, for several in turn, and for a packet of rays with similar directions.
fn answers_batches_as_it_answers_rays(name: &str, packed: &PackedScene, rays: &[Ray]) {
    let tracer = CpuTracer::new(packed);
    for (ray, hit) in rays.iter().zip(tracer.closest(Batch::new(rays)).unwrap()) {
        let alone = tracer.closest(Batch::new(std::slice::from_ref(ray))).unwrap()[0];
        // Bits are compared because the answer to an invalid ray is NaN.
        assert_eq!(
            (hit.t.to_bits(), hit.geometry_id),
            (alone.t.to_bits(), alone.geometry_id),
            "{name}: {ray:?}"
        );
        if ray.is_valid() {
            let alone = tracer.nearest(ray);
            assert_eq!(
                hit.is_hit().then_some(hit.t),
                alone.map(|it| it.crossing.t as f32),
                "{name}: {ray:?}"
            );
        }
    }
}

#[test]
fn rays_in_a_packet_hit_what_each_hits_alone() {
    let alike = |eye: DVec3, size: f64| -> Vec<Ray> {
        let rng = &mut fastrand::Rng::with_seed(8);
        let aim = |rng: &mut fastrand::Rng| (size * direction(rng) - eye).as_vec3();
        (0..1000).map(|_| Ray::new(eye.as_vec3(), aim(rng))).collect()
    };
    let grains = scene_of(&Form::ALL, 43, 420, 1e-3, DVec3::ZERO);
    let few = scene_of(&Form::ALL, 44, 3, 1.0, DVec3::ZERO);
    let mut floor = Scene::new();
    floor.add(Plane::infinite(DVec3::ZERO, DVec3::new(1.0, 2.0, 3.0))).unwrap();
    for quality in QUALITIES {
        for (name, scene, size) in [
            ("grains", &grains, 1e-3),
            ("few", &few, 1.0),
            ("a plane", &floor, 1.0),
            ("nothing", &Scene::new(), 1.0),
        ] {
            let packed = PackedScene::with_quality(scene.clone(), quality).unwrap();
            // From far away, the margin of the boxes is larger than all of them; from near, it is small.
            for distance in [1e7, 40.0 * size] {
                let rays = alike(distance * DVec3::new(0.5, 0.6, 0.62), size);
                answers_batches_as_it_answers_rays(name, &packed, &rays);
            }
        }
    }
}

/// The sign of a zero decides from which side a ray that runs along a box is taken to come.
#[test]
fn rays_in_a_packet_may_differ_in_the_sign_of_a_zero() {
    let mut scene = Scene::new();
    for x in -3..=3 {
        scene.add(ball(f64::from(x), 0.25)).unwrap();
    }
    let packed = PackedScene::new(scene.clone()).unwrap();
    let zero = |index: u32| if index.is_multiple_of(3) { -0.0 } else { 0.0 };
    let rays: Vec<Ray> = (0..64)
        .map(|index| Ray::new([1.0, 0.1, -9.0], [zero(index), zero(index + 1), 1.0]))
        .collect();
    let cpu = CpuTracer::new(&packed);
    for (ray, hit) in rays.iter().zip(cpu.closest(Batch::new(&rays)).unwrap()) {
        let alone = cpu.brute_force(ray).unwrap();
        assert_eq!(
            (hit.t, hit.geometry_id),
            (alone.crossing.t as f32, alone.geometry_id),
            "{ray:?}"
        );
    }
}

#[test]
fn scenes_of_all_forms_are_answered_in_every_way() {
    for &(seed, count) in sweep(&[(41, 42)][..], &[(41, 42), (42, 1500)]) {
        let size = if count > 100 { 0.3 } else { 1.0 };
        let scene = scene_of(&Form::ALL, seed, count, size, DVec3::new(10.0, -3.0, 1.0));
        let of_family = |family| rays(seed, family, 1500, &scene, size);
        let rays: Vec<Ray> = Family::ALL.into_iter().flat_map(of_family).collect();
        let hit_count = cast_in_every_way(&format!("{count} shapes"), &scene, &rays);
        assert!(hit_count > rays.len() / 4, "{count} shapes: {hit_count} hits");
    }
}

#[test]
fn both_variants_of_the_kernels_answer_every_kind_of_query_alike() {
    let scene = scene_of(&Form::ALL, 45, 42, 1.0, DVec3::ZERO);
    let of_family = |family| rays(46, family, 6000, &scene, 1.0);
    let rays: Vec<Ray> = Family::ALL.into_iter().flat_map(of_family).collect();
    let batch = Batch::new(&rays);
    let masks: Vec<u32> = (0..rays.len() as u32).collect();
    let packed = PackedScene::new(scene.clone()).unwrap();
    let [first, second] = KERNELS.map(|variant| {
        let tracer = GpuTracer::new(&gpu().with_kernels(variant), &packed).unwrap();
        let filtered = batch.with_masks(&masks).unwrap();
        (
            tracer.any(batch).unwrap(),
            tracer.count(batch).unwrap(),
            tracer.all(batch).unwrap(),
            tracer.closest(batch.solid()).unwrap(),
            tracer.closest(filtered).unwrap(),
        )
    });
    assert!(first.1.iter().any(|&count| count > 2));
    assert!(first == second, "the variants of the kernels differ");
    let fault = Fault::in_shader(
        "a thread casts its first ray again",
        "device/hardware.wgsl",
        "traversal = start_of_traversal(start.ray);",
        "if step == 0u { traversal = start_of_traversal(start.ray); }",
    );
    // They are so many that a thread of the kernels for hardware casts several of them on any device.
    let many = rays.repeat(4);
    let answers = first.0.repeat(4);
    let gpu = gpu().with_kernels(KernelVariant::Hardware);
    let sound = GpuTracer::new(&gpu, &packed).unwrap();
    assert!(sound.any(Batch::new(&many)).unwrap() == answers);
    let faulty = GpuTracer::with_fault(&gpu, &packed, fault.site).unwrap();
    assert!(faulty.any(Batch::new(&many)).unwrap() != answers, "a planted fault is not noticed");
}

fn ball(x: f64, radius: f64) -> Sphere {
    Sphere { center: DVec3::new(x, 0.0, 0.0), radius }
}

/// Rays from all around, through the middle and past it.
fn rays_about_the_middle() -> Vec<Ray> {
    let rng = &mut fastrand::Rng::with_seed(5);
    let around = (0..500).map(|_| {
        let eye = 20.0 * direction(rng);
        let aim = 3.0 * direction(rng) * rng.f64();
        Ray::new(eye.as_vec3(), (aim - eye).as_vec3())
    });
    let along = (-2..=2).map(|y| Ray::new([-20.0, y as f32, 0.0], [1.0, 0.0, 0.0]));
    around.chain(along).collect()
}

#[test]
fn empty_tiny_and_unbounded_scenes_are_answered_in_every_way() {
    let rays = rays_about_the_middle();
    let hit_count = |name: &str, scene: &Scene| cast_in_every_way(name, scene, &rays);
    let mut scene = Scene::new();
    assert_eq!(hit_count("nothing", &scene), 0);
    let first = scene.add(ball(0.0, 1.0)).unwrap();
    let of_one = hit_count("one", &scene);
    assert!(of_one > 10);
    scene.add(ball(1.5, 1.0)).unwrap();
    assert!(hit_count("two", &scene) > of_one);
    let plane = Plane::infinite(DVec3::ZERO, DVec3::new(0.6, 0.8, 0.0));
    let floor = scene.add(plane).unwrap();
    assert!(hit_count("two and a plane", &scene) > 400);
    scene.set_mask(first, 0);
    scene.set_mask(first + 1, 0);
    assert!(hit_count("a plane", &scene) > 400);
    scene.set_mask(floor, 0);
    assert_eq!(hit_count("nothing visible", &scene), 0);
}

#[test]
fn nested_shells_are_answered_in_every_way() {
    let mut scene = Scene::new();
    for turn in 1..=5000 {
        scene.add(ball(0.0, f64::from(turn) / 1000.0)).unwrap();
    }
    let rng = &mut fastrand::Rng::with_seed(6);
    let rays: Vec<Ray> = (0..300)
        .map(|_| {
            let eye = 5.0 * rng.f64() * direction(rng);
            Ray::new(eye.as_vec3(), direction(rng).as_vec3())
        })
        .collect();
    assert!(cast_in_every_way("shells", &scene, &rays) > 290);
}

#[test]
fn rays_from_afar_miss_shapes_much_smaller_than_their_margin() {
    // The boxes of a wide node's absent children are inverted, and this margin is so large that it inverts them back.
    let scene = scene_of(&Form::ALL, 43, 84, 1e-3, DVec3::ZERO);
    let rng = &mut fastrand::Rng::with_seed(7);
    let rays: Vec<Ray> = (0..5000)
        .map(|_| {
            let eye = 1e7 * direction(rng);
            let aim = 1e-3 * direction(rng);
            Ray::new(eye.as_vec3(), (aim - eye).as_vec3())
        })
        .collect();
    // Only few rays are judged, because nearly every shape is in doubt and judging takes long.
    cast_in_every_way("grains", &scene, &rays[..sweep(20, 150)]);
    // Without the bits of absent children these rays hit other nodes' shapes in the records of absent ones.
    let fault = Fault::in_shader(
        "no child is absent",
        "trace/wide.wgsl",
        "vec2<u32>(0x80808080u)",
        "vec2<u32>(0u)",
    );
    let packed = PackedScene::new(scene).unwrap();
    let tracer = GpuTracer::new(&gpu(), &packed).unwrap();
    let faulty = GpuTracer::with_fault(&gpu(), &packed, fault.site).unwrap();
    let batch = Batch::new(&rays);
    assert_ne!(tracer.count(batch).unwrap(), faulty.count(batch).unwrap());
}
