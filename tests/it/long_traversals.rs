//! Rays and points whose traversal takes more steps than a driver allows: Mesa's software driver ends all loops of a thread
//! after 65,535 iterations. They are answered all the same, part by part of the scene, as on the CPU.

use crate::common::*;
use crate::device_beams::{are_alike, beam, by_pixel, cast, hardware, lidar, with_pulse};
use raytwin::glam::{DQuat, DVec3};
use raytwin::gpu::{GpuTracer, KernelVariant};
use raytwin::math::Similarity;
use raytwin::{
    Batch, Camera, CanonicalTracer, CpuTracer, Definition, Heightfield, Hit, Mesh, PackedScene,
    Plane, PointAnswer, Projection, Ray, RayGenerator, Sampler, Scene, Sphere, Tracer, Transform,
    View,
};

/// More shapes than a thread of that driver can test.
const MANY: u32 = 40_000;

/// A number that float32 holds, as it does the sums of few such numbers.
const STEP: f64 = 1.0 / 4096.0;

const UP: [f32; 3] = [0.0, 0.0, 1.0];

fn shift(x: f64, y: f64, z: f64) -> Transform {
    Similarity { translation: DVec3::new(x, y, z), ..Similarity::IDENTITY }.into()
}

/// Long thin triangles one above the other, each across a square along its diagonal: a ray upwards through the square meets
/// every box.
fn slivers() -> Mesh {
    let corners = [[0.0, 0.0], [16.0, 16.0], [16.0, 16.5]];
    let at = |level: u32| corners.map(|[x, y]| DVec3::new(x, y, f64::from(level) * STEP));
    let triangles = (0..MANY).map(|level| [0, 1, 2].map(|corner| 3 * level + corner));
    Mesh::new((0..MANY).flat_map(at).collect(), triangles.collect()).unwrap()
}

/// Rays upwards at the slivers and beside them, one that is invalid and one that misses everything.
fn at_slivers() -> Vec<Ray> {
    let upwards = |x, y, z| Ray::new([x, y, z], UP);
    vec![
        upwards(12.0, 12.125, -1.0),
        upwards(12.0, 2.0, -1.0),
        upwards(2.0, 12.0, -1.0),
        upwards(12.0, 12.125, 4.0).within(0.5, 2.0),
        Ray::new([0.0; 3], [0.0; 3]),
        upwards(99.0, 0.0, -1.0),
    ]
}

/// Balls about one centre: a ray from there meets every box, and each ball contains it.
fn nested_balls() -> Scene {
    let mut scene = Scene::new();
    for index in (0..MANY).rev() {
        let radius = 1.0 + f64::from(index) * STEP;
        scene.add(Sphere { center: DVec3::ZERO, radius }).unwrap();
    }
    scene
}

/// A closed mesh of tetrahedra one above the other, and a ball beside it.
fn pile() -> Scene {
    let corners = [[0.0, 0.0, 0.0], [8.0, 0.0, 0.0], [0.0, 8.0, 0.0], [0.0, 0.0, 0.5]];
    let at = |level: u32| corners.map(|[x, y, z]| DVec3::new(x, y, z + f64::from(level)));
    let faces = |level: u32| {
        [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]].map(|face| face.map(|it| 4 * level + it))
    };
    let vertices = (0..MANY / 2).flat_map(at).collect();
    let mut scene = Scene::new();
    scene.add(Sphere { center: DVec3::new(-9.0, 0.0, 0.0), radius: 1.0 }).unwrap();
    scene.add(Mesh::new(vertices, (0..MANY / 2).flat_map(faces).collect()).unwrap()).unwrap();
    scene
}

/// Returns tracers by the kernels for that driver, and in the target `full` by those for cards, too.
fn tracers(packed: &PackedScene) -> Vec<GpuTracer> {
    const BOTH: &[KernelVariant] = &[KernelVariant::Software, KernelVariant::Hardware];
    let tracer = |&variant| GpuTracer::new(&gpu().with_kernels(variant), packed).unwrap();
    sweep(&BOTH[..1], BOTH).iter().map(tracer).collect()
}

/// Checks that hits are those of the host, but for the last bits of t.
fn are_hits(found: &[Hit], wanted: &[Hit], device: &str) {
    assert_eq!(found.len(), wanted.len(), "{device}");
    for (found, wanted) in found.iter().zip(wanted) {
        let ids = |hit: &Hit| [hit.geometry_id, hit.primitive_id];
        assert_eq!(ids(found), ids(wanted), "{found:?}, not {wanted:?}, on {device}");
        let is_same = found.t == wanted.t || found.t.is_nan() && wanted.t.is_nan();
        let is_close = (found.t - wanted.t).abs() <= 1e-5 * wanted.t.abs();
        assert!(is_same || is_close, "{found:?}, not {wanted:?}, on {device}");
    }
}

/// Compares every kind of query about rays.
fn rays_are_answered(packed: &PackedScene, tracer: &GpuTracer, batch: Batch<'_>) {
    let host = CpuTracer::new(packed);
    let device = tracer.device();
    are_hits(&tracer.closest(batch).unwrap(), &host.closest(batch).unwrap(), &device);
    assert_eq!(tracer.any(batch).unwrap(), host.any(batch).unwrap(), "{device}");
    if batch.is_solid() {
        return;
    }
    assert_eq!(tracer.count(batch).unwrap(), host.count(batch).unwrap(), "{device}");
    let [found, wanted] = [tracer.all(batch), host.all(batch)].map(Result::unwrap);
    for ray in 0..batch.len() {
        let [found, wanted] = [&found, &wanted].map(|all| all.of_ray(ray).collect::<Vec<Hit>>());
        are_hits(&found, &wanted, &device);
    }
}

/// Compares which solids contain points, and how far the nearest surface is.
fn points_are_answered(packed: &PackedScene, tracer: &GpuTracer, points: &[[f32; 3]]) {
    let [found, wanted]: [Vec<PointAnswer>; 2] = [tracer as &dyn Tracer, &CpuTracer::new(packed)]
        .map(|tracer| PointAnswer::all(packed.scene(), points, &tracer.points(points).unwrap()));
    for (found, wanted) in found.iter().zip(&wanted) {
        assert_eq!(found.contains, wanted.contains);
        assert_eq!(found.containing_id, wanted.containing_id);
        let [found, wanted] = [found.signed_distance, wanted.signed_distance];
        let is_close = (found - wanted).abs() <= 1e-5 * wanted.abs().max(1.0);
        assert!(is_close || found.is_nan() && wanted.is_nan(), "{found}, not {wanted}");
    }
}

#[test]
fn rays_that_meet_every_box_of_a_mesh_are_answered() {
    let mut scene = Scene::new();
    let mesh = scene.add(slivers()).unwrap();
    let ball = scene.add(Sphere { center: DVec3::new(12.0, 2.0, 20.0), radius: 1.0 }).unwrap();
    scene.set_mask(ball, 2);
    let rays = at_slivers();
    let plain = Batch::new(&rays);
    let ignored = vec![mesh; rays.len()];
    let masks: Vec<u32> = (1..).take(rays.len()).collect();
    let points = [[12.0, 2.0, 5.0], [12.0, 12.125, -3.0], [f32::NAN; 3]];
    let packed = PackedScene::new(scene).unwrap();
    for tracer in tracers(&packed) {
        rays_are_answered(&packed, &tracer, plain);
        rays_are_answered(&packed, &tracer, plain.with_masks(&masks).unwrap());
        rays_are_answered(&packed, &tracer, plain.ignoring(&ignored).unwrap());
        points_are_answered(&packed, &tracer, &points);
        let wanted = CpuTracer::new(&packed).closest(plain).unwrap();
        let found = CanonicalTracer::new(tracer).closest(plain).unwrap();
        assert_eq!(format!("{found:?}"), format!("{wanted:?}"));
    }
}

#[test]
fn rays_that_meet_every_box_of_an_instance_are_answered_in_each_world() {
    let mut bundle = Scene::new();
    bundle.add(slivers()).unwrap();
    let bundle = Definition::new(bundle);
    let mut scene = Scene::new();
    scene.add(Sphere { center: DVec3::new(12.0, 2.0, -9.0), radius: 1.0 }).unwrap();
    let node = scene.add_node(None, &shift(0.0, 0.0, 0.0), Some("bundle")).unwrap();
    scene.add_instance_at(node, &bundle, None).unwrap();
    scene.add_instance(&bundle, &shift(0.0, 0.0, 64.0), None, None).unwrap();
    let mut other = scene.clone();
    other.set_transform(node, &shift(0.0, 0.0, 16.0)).unwrap();
    scene.add_world(&other).unwrap();
    let rays = at_slivers();
    let rays = [rays.clone(), rays].concat();
    let worlds: Vec<u32> = (0..rays.len()).map(|ray| u32::from(ray >= rays.len() / 2)).collect();
    let packed = PackedScene::new(scene).unwrap();
    for tracer in tracers(&packed) {
        rays_are_answered(&packed, &tracer, Batch::new(&rays).in_worlds(&worlds).unwrap());
        points_are_answered(&packed, &tracer, &[[12.0, 2.0, 5.0], [12.0, 12.125, 90.0]]);
    }
}

#[test]
fn rays_and_points_in_many_solids_are_answered() {
    let packed = PackedScene::new(nested_balls()).unwrap();
    let ray = |x, way| Ray::new([x, 0.0, 0.0], way);
    let rays = [
        ray(0.0, [1.0, 0.0, 0.0]),
        ray(0.0, [0.0, -1.0, 0.0]),
        ray(-64.0, [1.0, 0.0, 0.0]),
        ray(64.0, [1.0, 0.0, 0.0]),
    ];
    for tracer in tracers(&packed) {
        rays_are_answered(&packed, &tracer, Batch::new(&rays));
        rays_are_answered(&packed, &tracer, Batch::new(&rays).solid());
        points_are_answered(&packed, &tracer, &[[0.0; 3], [0.0, 0.0, 3.0], [64.0, 0.0, 0.0]]);
    }
}

#[test]
fn rays_and_points_in_a_closed_mesh_of_many_triangles_are_answered() {
    let packed = PackedScene::new(pile()).unwrap();
    let points = [[0.25, 0.25, 7.25], [0.25, 0.25, 7.75], [-9.0, 0.0, 0.0], [0.25, 0.25, -1.0]];
    let rays = points.map(|point| Ray::new(point, UP));
    for tracer in tracers(&packed) {
        rays_are_answered(&packed, &tracer, Batch::new(&rays));
        rays_are_answered(&packed, &tracer, Batch::new(&rays).solid());
        points_are_answered(&packed, &tracer, &points);
    }
}

#[test]
fn rays_along_a_heightfield_of_many_cells_and_points_above_one_are_answered() {
    let zigzag = |column: usize| (column % 2) as f64;
    let heights: Vec<f64> = (0..3 * MANY as usize).map(|at| zigzag(at % MANY as usize)).collect();
    let (columns, turn) = (MANY as usize, DQuat::IDENTITY);
    let strip = Heightfield::new(heights, columns, [1.0, 1.0], DVec3::ZERO, turn).unwrap();
    let flat =
        Heightfield::new(vec![0.0; 600 * 600], 600, [STEP, STEP], DVec3::ZERO, turn).unwrap();
    let left = -f64::from(MANY / 2) as f32 - 1.0;
    let rays = [
        Ray::new([left, 0.25, 0.5], [1.0, 0.0, 0.0]),
        Ray::new([left, 0.25, 2.0], [1.0, 0.0, 0.0]),
    ];
    let with_bases = |field: Heightfield| [field.clone(), field.with_base(-4.0).unwrap()];
    for field in [strip, flat].into_iter().flat_map(with_bases) {
        let mut scene = Scene::new();
        scene.add(field).unwrap();
        let packed = PackedScene::new(scene).unwrap();
        let tracer = GpuTracer::new(&gpu(), &packed).unwrap();
        rays_are_answered(&packed, &tracer, Batch::new(&rays));
        points_are_answered(&packed, &tracer, &[[0.0, 0.0, 256.0], [0.0, 0.0, -1.0]]);
    }
}

#[test]
fn rays_through_many_planes_and_points_behind_them_are_answered() {
    let mut scene = Scene::new();
    for index in (1..70_000).rev() {
        scene.add(Plane::infinite(DVec3::Z * f64::from(index), DVec3::Z)).unwrap();
    }
    let packed = PackedScene::new(scene).unwrap();
    for tracer in tracers(&packed) {
        rays_are_answered(&packed, &tracer, Batch::new(&[Ray::new([0.0; 3], UP)]));
        points_are_answered(&packed, &tracer, &[[0.0; 3], [0.0, 0.0, 99.5]]);
    }
}

#[test]
fn rays_through_many_planes_of_instances_alone_are_answered() {
    let mut screens = Scene::new();
    for index in (1..MANY).rev() {
        screens.add(Plane::infinite(DVec3::Z * f64::from(index), DVec3::Z)).unwrap();
    }
    for index in 0..9 {
        let center = DVec3::new(f64::from(index), 0.0, 99.5);
        screens.add(Sphere { center, radius: 0.25 }).unwrap();
    }
    let screens = Definition::new(screens);
    // Nothing in the scene has a box, so the first record is that of an instance.
    let mut scene = Scene::new();
    for turn in 0..2 {
        scene.add_instance(&screens, &shift(0.0, 0.0, f64::from(-turn)), None, None).unwrap();
    }
    let packed = PackedScene::new(scene).unwrap();
    for tracer in tracers(&packed) {
        rays_are_answered(&packed, &tracer, Batch::new(&[Ray::new([0.0; 3], UP)]));
        points_are_answered(&packed, &tracer, &[[0.0; 3], [0.0, 0.0, 99.5]]);
    }
}

#[test]
fn an_image_a_sample_and_beams_are_answered_from_among_many_balls() {
    let packed = PackedScene::new(nested_balls()).unwrap();
    let tracer = GpuTracer::new(&gpu(), &packed).unwrap();
    let projection = Projection::Perspective { fov_y_degrees: 40.0 };
    let camera = Camera::look_at("c", DVec3::ZERO, DVec3::X, None, projection).unwrap();
    let view = View::new(camera, 5, 3).unwrap();
    let hits = tracer.render(&view, 2..14).unwrap();
    let innermost = MANY - 1;
    assert!(hits.iter().all(|hit| hit.geometry_id == innermost && (hit.t - 1.0).abs() < 1e-5));

    let generator = RayGenerator::Lines { center: DVec3::ZERO, radius: 0.5 };
    let sampler = Sampler::new(packed.scene(), generator, 1).unwrap().with_paths();
    let [found, wanted] = [&tracer as &dyn Tracer, &CpuTracer::new(&packed)]
        .map(|tracer| tracer.sample(&sampler, 3..23).unwrap());
    assert_eq!((found.hits(), found.path_rays()), (wanted.hits(), wanted.path_rays()));
    assert_eq!(found.hits()[innermost as usize], 20);

    let posed = lidar(DVec3::ZERO, DVec3::X, 40.0, [4, 2], with_pulse(beam(3.0, 0.0, 7)));
    let tracer = GpuTracer::new(&hardware(), &packed).unwrap();
    let [found, wanted] = [&tracer as &dyn Tracer, &CpuTracer::new(&packed)]
        .map(|tracer| by_pixel(&cast(tracer, &posed), 8));
    assert!(found.iter().zip(&wanted).all(|(found, wanted)| are_alike(found, wanted)));
    assert!(wanted.iter().all(|returns| !returns.is_empty()));
}
