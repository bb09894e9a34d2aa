//! Sampled rays and the sums over their answers, on the device against the host and against what is known of solids.

use crate::common::{Form, direction, gpu, scene_of, sweep, transform};
use fastrand::Rng;
use raytwin::glam::DVec3;
use raytwin::gpu::GpuTracer;
use raytwin::{
    Batch, Camera, CanonicalTracer, CpuTracer, Definition, Geometry, Hit, PackedScene, PosedView,
    Projection, Ray, RayGenerator, Sampler, Scene, Shape, Sphere, Tally, TallyError, Tracer, View,
};
use raytwin_verify::sampler_error;
use std::f64::consts::PI;
use std::ops::Range;

/// The forms that have an inside.
const SOLIDS: [Form; 9] = [
    Form::Sphere,
    Form::Cuboid,
    Form::Cylinder,
    Form::Tube,
    Form::Capsule,
    Form::Cone,
    Form::Ellipsoid,
    Form::Torus,
    Form::Mesh,
];

fn on_device(packed: &PackedScene) -> GpuTracer {
    GpuTracer::new(&gpu(), packed).unwrap()
}

/// Returns a generator of each kind about a place.
fn generators(rng: &mut Rng, size: f64, middle: DVec3) -> Vec<RayGenerator> {
    let near = |rng: &mut Rng| middle + size * direction(rng);
    let (a, b) = (near(rng), near(rng));
    // The eye is rounded to float32, so it keeps some distance.
    let eye = middle + DVec3::new(3.0, -9.0, 2.0) * size.max(1e-4 * middle.length());
    let camera = |projection| {
        let camera = Camera::look_at("c", eye, middle, None, projection).unwrap();
        PosedView::from(View::new(camera, 40, 30).unwrap())
    };
    let projection = Projection::Perspective { fov_y_degrees: 40.0 };
    let views = vec![camera(projection), camera(Projection::Orthographic { height: 5.0 * size })];
    vec![
        RayGenerator::InBox { min: a.min(b), max: a.max(b) },
        RayGenerator::InBox { min: a, max: a },
        RayGenerator::Lines { center: near(rng), radius: size * 9.0 },
        RayGenerator::Patch { center: near(rng), normal: direction(rng), radius: size },
        RayGenerator::Patch { center: a, normal: DVec3::NEG_Z, radius: 0.0 },
        RayGenerator::Views(views),
    ]
}

/// Returns the sums that the answers to some rays make, by the plainest loops.
fn sums_of(hits: &[Hit], unit: f64) -> (Vec<u64>, f64) {
    let most = hits.iter().filter(|hit| hit.is_hit()).map(|hit| hit.geometry_id).max();
    let mut counts = vec![0; most.map_or(0, |id| id as usize + 1)];
    let mut total = 0.0;
    for hit in hits.iter().filter(|hit| hit.is_hit()) {
        counts[hit.geometry_id as usize] += 1;
        // A plane may be met farther than sums hold.
        total +=
            (f64::from(hit.t) / unit + 0.5).floor().min(f64::from(1 << 19) * f64::from(1 << 19));
    }
    (counts, total)
}

#[test]
fn a_device_makes_the_rays_of_the_float64_generator() {
    let rng = &mut Rng::with_seed(1);
    let mut worst: f64 = 0.0;
    for (size, middle) in [
        (1.0, DVec3::ZERO),
        (1e-6, DVec3::ONE),
        (1e6, DVec3::new(0.0, -3e7, 2e8)),
        (3.0, DVec3::new(1e5, 2.0, 1e-3)),
        (1e-6, DVec3::new(1e6, -1e6, 0.0)),
    ] {
        let mut scene = Scene::new();
        scene.add(Sphere { center: middle, radius: size }).unwrap();
        let tracer = on_device(&PackedScene::new(scene.clone()).unwrap());
        for generator in generators(rng, size, middle) {
            for (seed, first) in [(0, 0), (u64::MAX, 1 << 40), (7, (1 << 32) - 3000)] {
                let sampler = Sampler::new(&scene, generator.clone(), seed).unwrap();
                let first = if sampler.ray_count().is_some() { 0 } else { first };
                let end = sampler.ray_count().unwrap_or(first + 9000);
                let rays = tracer.generate_rays(&sampler, first..end).unwrap();
                assert_eq!(rays.len() as u64, end - first);
                let error = sampler_error(&sampler, first, &rays);
                assert!(error <= 4.0, "{generator:?} from {first}: {error} u");
                // A camera's rays are made in float32, all others by integers.
                if sampler.ray_count().is_none() {
                    worst = worst.max(error);
                }
            }
        }
    }
    assert!(worst > 0.5 && worst < 1.3, "{worst}");
}

/// Adds the bits of rays to a hash (FNV-1a).
fn hash(rays: &[Ray]) -> u64 {
    let numbers = rays.iter().flat_map(|ray| [ray.origin, ray.direction]).flatten();
    numbers.fold(0xcbf2_9ce4_8422_2325, |hash, number| {
        (hash ^ u64::from(number.to_bits())).wrapping_mul(0x0100_0000_01b3)
    })
}

/// Every device makes these bits, whatever its arithmetic is.
#[test]
fn sampled_rays_have_the_same_bits_on_every_device() {
    let scene = scene_of(&SOLIDS, 5, 9, 1.0, DVec3::ZERO);
    let tracer = on_device(&PackedScene::new(scene.clone()).unwrap());
    let center = DVec3::new(0.1, -2.0, 30.0);
    let hashes = [
        RayGenerator::InBox { min: center, max: center + DVec3::new(1.0, 0.3, 1e3) },
        RayGenerator::Lines { center, radius: 17.3 },
        RayGenerator::Patch { center, normal: DVec3::new(1.0, -2.0, 0.5), radius: 0.7 },
    ]
    .map(|generator| {
        let sampler = Sampler::new(&scene, generator, 12_345).unwrap();
        hash(&tracer.generate_rays(&sampler, 1 << 33..(1 << 33) + 20_000).unwrap())
    });
    let expected =
        [7_914_791_878_879_470_528, 4_139_891_845_770_561_371, 6_905_150_242_549_707_979];
    assert_eq!(hashes, expected);
}

/// Asserts that a tally holds the sums over the answers that the tracer's queries give to the same rays.
fn assert_sums(tracer: &dyn Tracer, sampler: &Sampler, numbers: Range<u64>) -> Tally {
    let tally = tracer.sample(sampler, numbers.clone()).unwrap();
    let rays = tracer.generate_rays(sampler, numbers.clone()).unwrap();
    let hits = tracer.closest(Batch::new(&rays)).unwrap();
    let (counts, total) = sums_of(&hits, tally.unit());
    assert_eq!(tally.hits()[..counts.len()], counts);
    assert_eq!(tally.hits().iter().sum::<u64>(), counts.iter().sum::<u64>());
    assert_eq!(tally.distances().iter().sum::<u128>() as f64, total);
    assert_eq!(tally.rays(), rays.len() as u64);
    assert_eq!(tally.misses(), tally.rays() - counts.iter().sum::<u64>() - tally.invalid());
    if tally.has_paths() {
        assert_eq!(tally.path_sums(), paths_of(tracer, &rays, tally.unit()));
    }
    tally
}

/// Returns the sum of the paths through each geometry, by the crossings of each alone.
fn paths_of(tracer: &dyn Tracer, rays: &[Ray], unit: f64) -> Vec<u128> {
    let scene = tracer.scene();
    let units = |t: f32| (f64::from(t) / unit + 0.5).floor() as i64;
    let mut sums = vec![0; scene.geometry_count() as usize];
    let endless: Vec<Ray> = rays.iter().map(|ray| ray.within(ray.t_min, f32::INFINITY)).collect();
    let all = tracer.all(Batch::new(&endless)).unwrap();
    for (index, ray) in rays.iter().enumerate() {
        let crossings: Vec<Hit> = all.of_ray(index).collect();
        for (id, _, _) in scene.written_out().filter(|(_, geometry, _)| geometry.is_solid()) {
            let of_solid = crossings.iter().filter(|hit| hit.geometry_id == id);
            let mut ends: Vec<f32> = of_solid.map(|hit| hit.t).collect();
            if ends.len() % 2 == 1 {
                ends.insert(0, ray.t_min);
            }
            for pass in ends.chunks(2) {
                let [from, to] = [pass[0], pass[1]].map(|t| units(t.clamp(ray.t_min, ray.t_max)));
                sums[id as usize] += (to - from) as u128;
            }
        }
    }
    sums
}

fn some_solids(size: f64, middle: DVec3) -> Scene {
    let mut scene = scene_of(&SOLIDS, 11, 27, size, middle);
    scene.add(Form::Plane.random(&mut Rng::with_seed(3), size, middle)).unwrap();
    scene.add(Form::Heightfield.random(&mut Rng::with_seed(3), size, middle)).unwrap();
    scene.add(Form::ClosedHeightfield.random(&mut Rng::with_seed(4), size, middle)).unwrap();
    scene.add(Form::Lines.random(&mut Rng::with_seed(4), size, middle)).unwrap();
    scene
}

fn instances() -> Scene {
    let rng = &mut Rng::with_seed(9);
    let group = Definition::new(some_solids(1.0, DVec3::ZERO));
    let mut scene = some_solids(1.0, DVec3::X);
    for form in &SOLIDS[..4] {
        scene.add_instance(&group, &transform(rng, 9.0), None, None).unwrap();
        scene.add(form.random(rng, 1.0, DVec3::ZERO)).unwrap();
    }
    scene
}

#[test]
fn tallies_are_the_sums_over_the_answers_to_the_same_rays() {
    let rng = &mut Rng::with_seed(2);
    for (turn, (scene, size, middle)) in [
        (some_solids(1.0, DVec3::ZERO), 1.0, DVec3::ZERO),
        (some_solids(1e-5, DVec3::ONE), 1e-5, DVec3::ONE),
        (some_solids(1e6, DVec3::NEG_X * 1e8), 1e6, DVec3::NEG_X * 1e8),
        (instances(), 3.0, DVec3::ZERO),
    ]
    .into_iter()
    .enumerate()
    {
        let packed = PackedScene::new(scene.clone()).unwrap();
        let tracer = on_device(&packed).with_chunk(1000);
        let mut crossed = 0;
        for generator in generators(rng, size, middle) {
            let is_image = matches!(generator, RayGenerator::Views(_));
            let sampler = Sampler::new(&scene, generator, turn as u64).unwrap().with_paths();
            let numbers = if is_image { 17..2_333 } else { 1 << 35..(1 << 35) + 2_500 };
            let tally = assert_sums(&tracer, &sampler, numbers.clone());
            crossed += tally.path_rays().iter().sum::<u64>();
            // Rays that begin and end in the middle of solids.
            let short = sampler.within(0.5 * size as f32, 4.0 * size as f32).unwrap();
            assert_sums(&tracer, &short, numbers);
        }
        assert!(crossed > 1000, "{crossed}");
    }
}

/// The exact volume of each form that has an inside.
fn volume(geometry: &Geometry) -> f64 {
    let whole = 4.0 / 3.0 * PI;
    match geometry {
        Geometry::Shape(Shape::Sphere(it)) => whole * it.radius.powi(3),
        Geometry::Shape(Shape::Cuboid(it)) => 8.0 * it.half_extents.element_product(),
        Geometry::Shape(Shape::Cylinder(it)) => {
            PI * (it.radius.powi(2) - it.inner_radius.powi(2)) * it.start.distance(it.end)
        }
        Geometry::Shape(Shape::Capsule(it)) => {
            PI * it.radius.powi(2) * it.start.distance(it.end) + whole * it.radius.powi(3)
        }
        Geometry::Shape(Shape::Cone(it)) => {
            let [a, b] = [it.start_radius, it.end_radius];
            PI / 3.0 * (a * a + a * b + b * b) * it.start.distance(it.end)
        }
        Geometry::Shape(Shape::Ellipsoid(it)) => whole * it.radii.element_product(),
        Geometry::Shape(Shape::Torus(it)) => {
            2.0 * PI * PI * it.major_radius * it.minor_radius.powi(2)
        }
        Geometry::Mesh(mesh) => {
            let corners =
                |triangle: &[u32; 3]| triangle.map(|index| mesh.vertices()[index as usize]);
            let sixfold = |[a, b, c]: [DVec3; 3]| a.dot(b.cross(c));
            mesh.triangles().iter().map(corners).map(sixfold).sum::<f64>() / 6.0
        }
        other => panic!("{other:?} is no solid"),
    }
}

#[test]
fn mean_paths_of_uniform_lines_show_the_volumes_of_a_hundred_solids() {
    let rays = sweep(200_000, 10_000_000);
    for (seed, size, middle) in
        [(13, 1.0, DVec3::ZERO), (113, 1e-4, DVec3::ONE), (212, 1e5, DVec3::new(1e8, 0.0, -3e8))]
    {
        let scene = scene_of(&SOLIDS, 1, 100, size, middle);
        let tracer = on_device(&PackedScene::new(scene.clone()).unwrap());
        let lines = RayGenerator::lines_through(&scene);
        let sampler = Sampler::new(&scene, lines, seed).unwrap().with_paths();
        let tally = tracer.sample(&sampler, 0..rays).unwrap();
        let judged = scene.written_out().filter(|(id, ..)| {
            // The mean over few rays is far from normal.
            tally.path_rays()[*id as usize] >= 500
        });
        let off = judged.map(|(id, geometry, _)| {
            let [estimate, error] = tally.volume(id).unwrap();
            (estimate - volume(geometry)) / error
        });
        let off: Vec<f64> = off.collect();
        let worst = off.iter().fold(0.0_f64, |worst, off| worst.max(off.abs()));
        let square = off.iter().map(|off| off * off).sum::<f64>() / off.len() as f64;
        println!("seed {seed}: worst {worst:.2}, mean square {square:.2}, {} solids", off.len());
        assert!(off.len() > 50 && worst < 3.0 && (0.6..1.5).contains(&square));
    }
}

#[test]
fn parts_add_up_to_the_whole_and_refuse_what_is_no_part() {
    let scene = some_solids(1.0, DVec3::ZERO);
    let packed = PackedScene::new(scene.clone()).unwrap();
    let lines = || Sampler::new(&scene, RayGenerator::lines_through(&scene), 5).unwrap();
    let sampler = lines().with_paths().with_histogram(0.0, 9.0, 7).unwrap();
    let tracer = on_device(&packed);
    let whole = tracer.sample(&sampler, 100..40_100).unwrap();
    let in_bins: u64 = whole.histogram().iter().sum();
    assert_eq!(in_bins, whole.hits().iter().sum::<u64>());
    assert!(whole.histogram()[1..8].iter().all(|&hits| hits > 0), "{:?}", whole.histogram());
    // The parts are cast in other chunks, and added in another order.
    let small = on_device(&packed).with_chunk(777);
    let ends = [100, 101, 5_000, 17_000, 40_100];
    let parts = ends.windows(2).rev().map(|ends| small.sample(&sampler, ends[0]..ends[1]).unwrap());
    let mut sum = sampler.tally();
    for part in parts {
        let part = Tally::from_json(&part.to_json().unwrap()).unwrap();
        sum.add(&part).unwrap();
    }
    assert_eq!(sum, whole);
    assert_eq!((sum.ranges().len(), &sum.ranges()[0]), (1, &(100..40_100)));

    let part = small.sample(&sampler, 40_000..40_200).unwrap();
    assert_eq!(sum.add(&part), Err(TallyError::Overlap { first: 40_000, end: 40_100 }));
    let mut other = Scene::clone(&scene);
    other.add(Sphere { center: DVec3::ZERO, radius: 0.1 }).unwrap();
    for sampler in [
        Sampler::new(&scene, RayGenerator::lines_through(&scene), 6).unwrap(),
        Sampler::new(&scene, RayGenerator::in_bounds_of(&scene), 5).unwrap(),
        Sampler::new(&other, RayGenerator::lines_through(&other), 5).unwrap(),
        lines().with_histogram(0.0, 9.0, 7).unwrap(),
        lines().with_paths().with_histogram(0.0, 9.0, 8).unwrap(),
        lines().with_paths().with_histogram(0.1, 9.0, 7).unwrap(),
        lines().within(0.0, 5.0).unwrap(),
    ] {
        let error = sum.add(&sampler.tally()).unwrap_err();
        assert!(matches!(error, TallyError::Other { .. }), "{error}");
    }
    assert_eq!(sum, whole);
}

#[test]
fn canonical_sums_are_those_of_the_float64_tracer() {
    let scene = instances();
    let packed = PackedScene::new(scene.clone()).unwrap();
    let canonical = CanonicalTracer::new(on_device(&packed));
    let exact = CpuTracer::new(&packed);
    for generator in generators(&mut Rng::with_seed(4), 3.0, DVec3::ZERO) {
        let sampler = Sampler::new(&scene, generator, 3).unwrap().with_paths();
        let sampler = sampler.with_histogram(1.0, 20.0, 100).unwrap();
        let expected = exact.sample(&sampler, 7..1_007).unwrap();
        assert_eq!(canonical.sample(&sampler, 7..1_007).unwrap(), expected);
        // The float64 tracer's sums are those over its own answers, too.
        assert_sums(&exact, &sampler, 7..507);
    }
}

#[test]
fn what_cannot_be_sampled_is_refused() {
    let scene = some_solids(1.0, DVec3::ZERO);
    let tracer = on_device(&PackedScene::new(scene.clone()).unwrap());
    let lines = |center, radius| RayGenerator::Lines { center, radius };
    let patch = |normal, radius| RayGenerator::Patch { center: DVec3::ZERO, normal, radius };
    for generator in [
        lines(DVec3::NAN, 1.0),
        lines(DVec3::ZERO, 0.0),
        lines(DVec3::ZERO, f64::INFINITY),
        lines(DVec3::X * 2e9, 1.0),
        patch(DVec3::ZERO, 1.0),
        patch(DVec3::X, -1.0),
        RayGenerator::InBox { min: DVec3::ONE, max: DVec3::ZERO },
        RayGenerator::Views(Vec::new()),
    ] {
        let error = Sampler::new(&scene, generator.clone(), 0);
        assert!(error.is_err(), "{generator:?}");
    }
    let sampler = || Sampler::new(&scene, lines(DVec3::ZERO, 9.0), 0).unwrap();
    for (t_min, t_max) in [(-1.0, 1.0), (2.0, 1.0), (f32::NAN, 1.0), (f32::INFINITY, f32::INFINITY)]
    {
        assert!(sampler().within(t_min, t_max).is_err(), "{t_min} {t_max}");
    }
    for (near, far, bins) in
        [(0.0, 1.0, 0), (1.0, 1.0, 1), (-1.0, 1.0, 2), (0.0, 1e9, 2), (f64::NAN, 1.0, 1)]
    {
        assert!(sampler().with_histogram(near, far, bins).is_err(), "{near} {far} {bins}");
    }
    let views = generators(&mut Rng::with_seed(1), 1.0, DVec3::ZERO).pop().unwrap();
    let views = Sampler::new(&scene, views, 0).unwrap();
    assert_eq!(views.ray_count(), Some(2400));
    assert!(tracer.sample(&views, 0..2401).is_err());
    let empty = PackedScene::new(Scene::new()).unwrap();
    assert!(on_device(&empty).sample(&sampler(), 0..5).is_err());
    // Rays that start beyond what rays may are counted.
    let far = Sampler::new(&scene, lines(DVec3::X * 9.9e8, 9e7), 0).unwrap();
    let tally = tracer.sample(&far, 0..1000).unwrap();
    assert_eq!(tally.invalid() + tally.misses() + tally.hits().iter().sum::<u64>(), 1000);
    assert!(tally.invalid() > 100 && tally.misses() > 100, "{}", tally.invalid());
}
