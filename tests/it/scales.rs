//! Scenes whose extent is 10³ to 10⁸ times their smallest shapes, seen from near and from far, with every kind of
//! query, two trees and both tracers, against brute force.

use crate::common::*;
use fastrand::Rng;
use raytwin::bvh::Quality;
use raytwin::glam::{DQuat, DVec3};
use raytwin::gpu::GpuTracer;
use raytwin::math::U;
use raytwin::{
    Batch, CpuTracer, Geometry, Hit, PackedScene, Ray, Scene, Shape, Sphere, Tracer, Triangle,
};

/// The forms that are bounded. A plane would end every ray.
const FORMS: [Form; 11] = [
    Form::Sphere,
    Form::Mesh,
    Form::Cuboid,
    Form::Cylinder,
    Form::Tube,
    Form::Capsule,
    Form::Cone,
    Form::Ellipsoid,
    Form::Triangle,
    Form::Disc,
    Form::Lines,
];

/// Makes a cluster of shapes of about `size`, and scatters others of all sizes up to `extent` ever farther from it.
fn cluster_in_a_wide_scene(seed: u64, size: f64, extent: f64) -> Scene {
    let rng = &mut Rng::with_seed(seed);
    let mut scene = scene_of(&FORMS, seed, 66, size, DVec3::ZERO);
    for index in 0..12 {
        let away = size * (extent / size).powf(f64::from(index + 1) / 12.0);
        let center = away * direction(rng);
        scene.add(Sphere { center, radius: 0.1 * away }).unwrap();
        scene.add(ball_mesh(-center, 0.1 * away, 3, DQuat::IDENTITY)).unwrap();
    }
    scene
}

/// Makes rays at the cluster from this distance, without limits of t.
fn lines_at(seed: u64, count: usize, size: f64, distance: f64) -> Vec<Ray> {
    let rng = &mut Rng::with_seed(seed);
    let mut line = || {
        let origin = (distance * direction(rng)).as_vec3();
        let target = (4.0 * size * rng.f64() * direction(rng)).as_vec3();
        Ray::new(origin, target - origin).within(f32::NEG_INFINITY, f32::INFINITY)
    };
    (0..count).map(|_| line()).collect()
}

/// Lists the crossings of a ray with each shape in turn, in the order of a tracer.
fn crossings_of_every_shape(scene: &Scene, ray: &Ray) -> Vec<Hit> {
    let line = ray.line();
    let mut hits = Vec::new();
    for (geometry_id, geometry) in (0..).zip(scene.geometries()) {
        for primitive_id in 0..geometry.primitive_count() as u32 {
            let primitive = geometry.primitive(primitive_id).unwrap();
            let interval = [f64::from(ray.t_min), f64::from(ray.t_max)];
            for crossing in primitive.own_crossings(&line).within(interval) {
                hits.push((crossing.t, geometry_id, primitive_id));
            }
        }
    }
    hits.sort_by(|a, b| a.partial_cmp(b).unwrap());
    let hit = |(t, geometry_id, primitive_id)| Hit { t: t as f32, geometry_id, primitive_id };
    hits.into_iter().map(hit).collect()
}

/// Returns true if a line can have these crossings: an even number with a convex solid or a closed
/// mesh, and one with a surface.
fn is_possible(scene: &Scene, hits: &[Hit]) -> bool {
    let mut ids: Vec<[u32; 2]> =
        hits.iter().map(|hit| [hit.geometry_id, hit.primitive_id]).collect();
    ids.sort_unstable();
    let is_each_possible = ids.chunk_by(|a, b| a == b).all(|same| {
        match scene.geometry(same[0][0]).unwrap().shape(same[0][1]).unwrap() {
            Shape::Triangle(_) | Shape::Disc(_) => same.len() == 1,
            Shape::Cylinder(cylinder) if cylinder.inner_radius > 0.0 => matches!(same.len(), 2 | 4),
            _ => same.len() == 2,
        }
    });
    let is_even = |same: &[[u32; 2]]| {
        let geometry = scene.geometry(same[0][0]).unwrap();
        !matches!(geometry, Geometry::Mesh(_)) || same.len().is_multiple_of(2)
    };
    is_each_possible && ids.chunk_by(|a, b| a[0] == b[0]).all(is_even)
}

/// Checks that the kinds of queries agree with each other and that no shape is crossed too often.
fn answers_are_possible(name: &str, scene: &Scene, tracer: &dyn Tracer, rays: &[Ray]) -> usize {
    let batch = Batch::new(rays);
    let closest = tracer.closest(batch).unwrap();
    let any = tracer.any(batch).unwrap();
    let counts = tracer.count(batch).unwrap();
    let all = tracer.all(batch).unwrap();
    for (index, ray) in rays.iter().enumerate() {
        let hits: Vec<Hit> = all.of_ray(index).collect();
        assert!(is_possible(scene, &hits), "{name}: {ray:?}: {hits:?}");
        assert_eq!(counts[index] as usize, hits.len(), "{name}: {ray:?}");
        assert_eq!(any[index], closest[index].is_hit(), "{name}: {ray:?}");
    }
    all.len()
}

/// Calls `ask` with both tracers and two trees.
fn each_tracer(scene: &Scene, mut ask: impl FnMut(&str, &dyn Tracer)) {
    let gpu = gpu();
    for quality in [Quality::Medium, Quality::Fast] {
        let packed = PackedScene::with_quality(scene.clone(), quality).unwrap();
        ask(&format!("cpu, {quality:?}"), &CpuTracer::new(&packed));
        ask(&format!("gpu, {quality:?}"), &GpuTracer::new(&gpu, &packed).unwrap());
    }
}

const SIZES: [f64; 2] = [1.0, 1e-3];
const EXTENTS: [f64; 4] = [1e3, 1e4, 1e6, 1e8];

#[test]
fn no_shape_is_hit_twice_at_any_scale() {
    const RAYS: usize = 500;
    for (seed, &extent) in (500..).zip(sweep(&EXTENTS[2..], &EXTENTS)) {
        for size in SIZES.into_iter().filter(|size| extent / size <= 1e9) {
            let scene = cluster_in_a_wide_scene(seed, size, extent);
            each_tracer(&scene, |name, tracer| {
                let mut crossings = 0;
                for distance in [8.0 * size, 1e3 * size, 1e5 * size, 0.5 * extent] {
                    let rays = lines_at(seed, RAYS, size, distance);
                    let name = format!("size {size}, extent {extent}, from {distance}, {name}");
                    crossings += answers_are_possible(&name, &scene, tracer, &rays);
                    if name.contains("cpu") {
                        let all = tracer.all(Batch::new(&rays)).unwrap();
                        for (index, ray) in rays.iter().enumerate().step_by(10) {
                            let hits: Vec<Hit> = all.of_ray(index).collect();
                            assert_eq!(
                                hits,
                                crossings_of_every_shape(&scene, ray),
                                "{name}: {ray:?}"
                            );
                        }
                    }
                }
                assert!(crossings > 4 * RAYS, "{name}: {crossings} crossings");
            });
        }
    }
}

/// Nine small spheres stand in one node of a wide tree, whose other children are a node and an absent child; the record
/// of the absent child is that of the node's first sphere. Seen from the far side of a large sphere, the margin of the
/// boxes was wider than the node.
#[test]
fn an_absent_child_is_not_hit_from_far_away() {
    let centers = [
        [-0.004085, 0.005682, 0.003243],
        [0.003972, -0.007656, -0.002807],
        [-0.000442, -0.004903, 0.001174],
        [0.00724, -0.004039, -0.001389],
        [0.00162, -0.003725, -0.000716],
        [0.004655, -0.003088, -0.005301],
        [-0.002071, 0.002896, 0.001691],
        [-0.007152, 0.003546, 0.006712],
        [-0.007308, -0.006359, 0.002545],
    ];
    let mut scene = Scene::new();
    for center in centers {
        scene.add(Sphere { center: center.into(), radius: 0.001 }).unwrap();
    }
    scene.add(Sphere { center: DVec3::splat(1e4), radius: 1e3 }).unwrap();
    let ray = Ray::new(
        [0.075_699_41, 0.052_404_806, -0.039_029_93],
        [-0.737_139_46, -0.553_166_4, 0.388_113_8],
    );
    each_tracer(&scene, |name, tracer| {
        assert_eq!(tracer.count(Batch::new(&[ray])).unwrap(), [4], "{name}");
    });
}

#[test]
fn a_closed_mesh_is_crossed_an_even_number_of_times_from_any_distance() {
    let mut scene = Scene::new();
    scene.add(ball_mesh(DVec3::ZERO, 1.0, 24, DQuat::from_rotation_x(0.3))).unwrap();
    each_tracer(&scene, |name, tracer| {
        for distance in [3.0, 1e3, 1e5, 1e7] {
            let counts = tracer.count(Batch::new(&lines_at(7, 4000, 0.2, distance))).unwrap();
            let odd = counts.iter().filter(|count| *count % 2 == 1).count();
            assert_eq!(odd, 0, "{name}, from {distance}");
            let hit_count = counts.iter().filter(|count| **count > 0).count();
            assert!(hit_count > 1000, "{name}, from {distance}: {hit_count} hit");
        }
    });
}

/// The answers for a point, its solids and the distance to the nearest surface, do not depend on shapes far away.
#[test]
fn shapes_far_away_change_no_answer_for_points_among_small_shapes() {
    for (seed, &extent) in (520..).zip(sweep(&EXTENTS[2..], &EXTENTS)) {
        for size in SIZES.into_iter().filter(|size| extent / size <= 1e9) {
            let scene = cluster_in_a_wide_scene(seed, size, extent);
            let rng = &mut Rng::with_seed(seed);
            let near = |geometry: &Geometry, rng: &mut Rng| {
                let shape = geometry.shape(0).unwrap();
                let off = 1.5 * shape.bounding_radius() * rng.f64() * direction(rng);
                (shape.center() + off).as_vec3().to_array()
            };
            let cluster = &scene.geometries()[..66];
            let points: Vec<[f32; 3]> =
                (0..1000).map(|index| near(&cluster[index % 66], rng)).collect();
            let expected: Vec<(Vec<u32>, f64)> = points
                .iter()
                .map(|point| around(&scene, DVec3::from(point.map(f64::from))))
                .collect();
            each_tracer(&scene, |name, tracer| {
                let name = format!("size {size}, extent {extent}, {name}");
                let answers = tracer.points(&points).unwrap();
                let mut contained = 0;
                for ((point, answer), (containing_ids, distance)) in
                    points.iter().zip(&answers).zip(&expected)
                {
                    let at = DVec3::from(point.map(f64::from));
                    // The point is nearer to a surface than rounding can distinguish.
                    if *distance < 100.0 * U * (at.length() + size) {
                        continue;
                    }
                    assert_eq!(answer.contains as usize, containing_ids.len(), "{name}: {point:?}");
                    let first = containing_ids.first().copied().unwrap_or(raytwin::NONE);
                    assert_eq!(answer.containing_id, first, "{name}: {point:?}");
                    let primitive =
                        scene.primitive(answer.geometry_id, answer.primitive_id).unwrap();
                    let off = primitive.closest_point(at).distance(at) - distance;
                    let doubt =
                        8.0 * U * (primitive.center().distance(at) + primitive.radius() + distance);
                    assert!(off <= doubt, "{name}: {point:?}: {off:e} of {doubt:e}");
                    contained += usize::from(answer.contains > 0);
                }
                assert!((100..900).contains(&contained), "{name}: {contained} contained");
            });
        }
    }
}

/// Finds the ids of the solids that contain a point, and the distance to the nearest surface, by brute force.
fn around(scene: &Scene, point: DVec3) -> (Vec<u32>, f64) {
    // No edge lies in this direction.
    let line = Ray::new(point.as_vec3(), [0.36, 0.48, 0.8]).line();
    let mut containing_ids = Vec::new();
    let mut nearest = f64::INFINITY;
    for (id, geometry) in (0..).zip(scene.geometries()) {
        let mut ahead = 0;
        for primitive_id in 0..geometry.primitive_count() as u32 {
            let shape = geometry.shape(primitive_id).unwrap();
            nearest = nearest.min(shape.closest_point(point).distance(point));
            ahead += shape.own_crossings(&line).within([0.0, f64::INFINITY]).count();
        }
        if geometry.is_solid() && ahead % 2 == 1 {
            containing_ids.push(id);
        }
    }
    (containing_ids, nearest)
}

/// Rays lie in the plane of a lone triangle up to rounding, aimed at its edges, corners and inside, and others lean out
/// of it slightly. Every hit lies on the triangle.
#[test]
fn a_triangle_seen_edge_on_is_hit_where_it_is() {
    let ray_count = sweep(4_000, 20_000);
    let gpu = gpu();
    let mut named = Scene::new();
    let corners = [
        [-0.956_735_6, 0.230_749_37, -0.177_233_52],
        [-0.959_115_6, 0.214_577_76, -0.184_536_32],
        [-0.962_238_9, 0.214_706_32, -0.167_324_54],
    ];
    named
        .add(Triangle { vertices: corners.map(|corner: [f32; 3]| corner.map(f64::from).into()) })
        .unwrap();
    let edge_on =
        Ray::new([27_529.395, 80_037.87, -53_254.785], [-0.275_303_57, -0.800_376_5, 0.532_546_2]);
    assert_no_mismatch("the one of a ball", &gpu, &named, &[edge_on]);
    let rng = &mut Rng::with_seed(530);
    for distance in [0.0, 2.0, 100.0, 1e3, 1e5] {
        for lean in [0.0, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3] {
            let mut hit_count = 0;
            for _ in 0..8 {
                let scene = scene_of(&[Form::Triangle], rng.u64(..), 1, 1.0, DVec3::ZERO);
                let rays = edge_on_rays(rng, &scene, ray_count / 8, distance, lean);
                hit_count += assert_no_mismatch(
                    &format!("from {distance}, lean {lean}"),
                    &gpu,
                    &scene,
                    &rays,
                );
            }
            assert!(hit_count > 0 || lean == 0.0, "from {distance}, lean {lean}: none is hit");
        }
    }
}

fn edge_on_rays(rng: &mut Rng, scene: &Scene, count: usize, distance: f64, lean: f64) -> Vec<Ray> {
    let Some(Shape::Triangle(Triangle { vertices })) = scene.geometries()[0].shape(0) else {
        panic!("not a triangle")
    };
    let normal = (vertices[1] - vertices[0]).cross(vertices[2] - vertices[0]).normalize();
    let mut ray = || {
        let [a, b, c] = vertices;
        let on_edge = a.lerp(b, [0.0, 1.0, rng.f64()][rng.usize(..3)]);
        let target = if rng.bool() { on_edge } else { on_edge.lerp(c, rng.f64()) };
        let in_plane = direction(rng).cross(normal).normalize();
        let way = in_plane + lean * between(rng, -1.0, 1.0) * normal;
        let origin = (target - (distance + 0.5 * rng.f64()) * way).as_vec3();
        let way = if rng.bool() { way.as_vec3() } else { target.as_vec3() - origin };
        Ray::new(origin, way)
    };
    (0..count).map(|_| ray()).filter(|ray| ray.is_valid()).collect()
}

/// Checks that no answer is wrong, and returns how many rays hit something.
fn assert_no_mismatch(name: &str, gpu: &raytwin::gpu::Gpu, scene: &Scene, rays: &[Ray]) -> usize {
    let packed = PackedScene::new(scene.clone()).unwrap();
    let hits = GpuTracer::new(gpu, &packed).unwrap().closest(Batch::new(rays)).unwrap();
    let verdicts = verdicts(&packed, rays, &hits);
    let wrong: Vec<_> = rays
        .iter()
        .zip(&verdicts)
        .filter(|(_, verdict)| verdict.class == raytwin_verify::Class::Mismatch)
        .collect();
    assert!(
        wrong.is_empty(),
        "{name}: {} of {}: {:?} {:?}",
        wrong.len(),
        rays.len(),
        wrong[0],
        scene.geometries()[0]
    );
    hits.iter().filter(|hit| hit.is_hit()).count()
}
