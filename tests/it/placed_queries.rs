//! Every kind of query at instances on the GPU, compared with the CPU tracer: on small integers to the bit.

use crate::common::*;
use fastrand::Rng;
use raytwin::glam::{DMat3, DQuat, DVec3, Vec3};
use raytwin::gpu::GpuTracer;
use raytwin::math::U;
use raytwin::{
    Affine, Batch, CpuTracer, Definition, Geometry, NONE, PackedScene, Plane, PointAnswer, Ray,
    Scene, Sphere, Tracer,
};
use raytwin_verify::Class;
use raytwin_verify::faults::Fault;

fn tracers(scene: &Scene, fault: Option<&Fault>) -> (PackedScene, CpuTracer, GpuTracer) {
    let packed = PackedScene::new(scene.clone()).unwrap();
    let cpu = CpuTracer::new(&packed);
    let gpu = match fault {
        Some(fault) => GpuTracer::with_fault(&own_gpu(), &packed, fault.site),
        None => GpuTracer::new(&gpu(), &packed),
    };
    (packed, cpu, gpu.unwrap_or_else(|error| panic!("{error}")))
}

/// Places by matrices of integers whose determinants are powers of two: a turn, a mirror, a stretch and a shear.
fn integer_places() -> Vec<Affine> {
    let rows = [
        [0., -1., 0., 100., 1., 0., 0., 0., 0., 0., 1., 4.],
        [-1., 0., 0., 0., 0., 1., 0., 200., 0., 0., 1., 0.],
        [2., 0., 0., -200., 0., 1., 0., 0., 0., 0., 4., 0.],
        [1., 1., 0., 0., 0., 1., 0., -200., 0., 0., 1., 8.],
    ];
    rows.map(Affine::from_rows).to_vec()
}

/// Makes instances of a lattice, and its rays at each.
fn placed_lattice(inner: Scene) -> (Scene, Vec<Ray>) {
    let definition = Definition::new(inner);
    let mut scene = Scene::new();
    let mut rays = Vec::new();
    for place in integer_places() {
        scene.add_instance(&definition, &place.into(), None, None).unwrap();
        rays.extend(placed_rays(&lattice_rays(), &place));
    }
    (scene, rays)
}

#[test]
fn a_lattice_under_integer_matrices_is_answered_to_the_bit() {
    for inner in [lattice_scene(), other_lattice_scene()] {
        let (scene, rays) = placed_lattice(inner);
        let (packed, _, gpu) = tracers(&scene, None);
        let hits = gpu.closest(Batch::new(&rays)).unwrap();
        let verdicts = verdicts(&packed, &rays, &hits);
        assert_eq!(count(&verdicts, Class::Mismatch), 0);
        if arithmetic().is_correctly_rounded() {
            // A root may be rounded, and then its error shows in others' bits than float64's.
            let is_whole = |t: f32| !t.is_finite() || (8.0 * t).fract() == 0.0;
            let pairs = rays.iter().zip(&verdicts);
            for (ray, verdict) in pairs.filter(|(_, verdict)| is_whole(verdict.exact.hit().t)) {
                assert_eq!(verdict.class, Class::Exact, "{ray:?}: {verdict:?}");
            }
        }
    }
}

/// Counts the rays that a tracer answers otherwise than the CPU does, in some kind of query. Rounding decides for few.
fn differences(scene: &Scene, rays: &[Ray], fault: Option<&Fault>) -> usize {
    let (_, cpu, gpu) = tracers(scene, fault);
    let rng = &mut Rng::with_seed(7);
    let masks: Vec<u32> = rays.iter().map(|_| [u32::MAX, 1, 2][rng.usize(..3)]).collect();
    let geometries = scene.geometry_count();
    let ignored: Vec<u32> =
        rays.iter().map(|_| [NONE, rng.u32(..geometries)][rng.usize(..2)]).collect();
    let batch = Batch::new(rays);
    let choosy = batch.with_masks(&masks).unwrap().ignoring(&ignored).unwrap();
    let hits = |tracer: &dyn Tracer, batch: Batch<'_>| -> Vec<(u32, f32)> {
        let hits = tracer.closest(batch).unwrap();
        hits.iter()
            .map(|hit| (hit.geometry_id, if hit.t.is_nan() { -1.0 } else { hit.t }))
            .collect()
    };
    let ask = |tracer: &dyn Tracer| {
        let all = tracer.all(batch).ok();
        let all_ids: Vec<Vec<u32>> = (0..rays.len())
            .map(|ray| {
                all.as_ref()
                    .map_or(vec![], |all| all.of_ray(ray).map(|hit| hit.geometry_id).collect())
            })
            .collect();
        (
            [
                hits(tracer, batch),
                hits(tracer, batch.solid()),
                hits(tracer, choosy),
                hits(tracer, choosy.solid()),
            ],
            tracer.any(batch).unwrap(),
            tracer.any(choosy).unwrap(),
            tracer.count(batch).unwrap(),
            all_ids,
        )
    };
    // A fault may also leave rays without an answer.
    if gpu.closest(choosy.solid()).is_err() || gpu.all(batch).is_err() {
        return rays.len();
    }
    let [expected, found] = [&cpu as &dyn Tracer, &gpu].map(ask);
    let is_near = |a: (u32, f32), b: (u32, f32)| {
        a.0 == b.0 && (a.1 == b.1 || (a.1 - b.1).abs() <= 1e-3 * (1.0 + a.1.abs()))
    };
    let differs = |ray: &usize| {
        let ray = *ray;
        !(0..4).all(|kind| is_near(expected.0[kind][ray], found.0[kind][ray]))
            || expected.1[ray] != found.1[ray]
            || expected.2[ray] != found.2[ray]
            || expected.3[ray] != found.3[ray]
            || expected.4[ray] != found.4[ray]
    };
    (0..rays.len()).filter(differs).count()
}

/// Makes a scene of some forms in instances and beside them, with masks.
fn masked(forms: &[Form], rays_of_family: usize) -> (Scene, Vec<Ray>) {
    let (mut scene, rays) = placed_scene(forms, 41, rays_of_family, DVec3::ZERO);
    for id in 0..scene.geometry_count() {
        scene.set_mask(id, [u32::MAX, 1, 3][id as usize % 3]);
    }
    (scene, rays)
}

#[test]
fn every_kind_of_query_agrees_with_the_cpu() {
    let (scene, rays) = masked(&Form::ALL, 250);
    let different = differences(&scene, &rays, None);
    println!("{different} of {} rays differ", rays.len());
    assert!(different < rays.len() / 20, "{different} of {}", rays.len());
    if sweep(false, true) && arithmetic().is_correctly_rounded() {
        let (scene, rays) = placed_lattice(lattice_scene());
        assert_eq!(differences(&scene, &rays, None), 0);
    }
}

/// Makes two instances of two equal balls, and own balls after or also before them, all at one place.
fn equal_balls(own_first: bool) -> Scene {
    let ball = Sphere { center: DVec3::ZERO, radius: 1.0 };
    let mut inner = Scene::new();
    inner.add(ball).unwrap();
    inner.add(ball).unwrap();
    let definition = Definition::new(inner);
    let mut scene = Scene::new();
    if own_first {
        scene.add(ball).unwrap();
    }
    for _ in 0..2 {
        scene.add_instance(&definition, &Affine::from_rows(UNMOVED).into(), None, None).unwrap();
    }
    scene.add(ball).unwrap();
    scene
}

#[test]
fn of_equal_hits_the_lowest_id_wins_in_instances_and_beside_them() {
    let ray = Ray::new([-4.0, 0.0, 0.0], [1.0, 0.0, 0.0]);
    for own_first in [true, false] {
        let scene = equal_balls(own_first);
        let (_, cpu, gpu) = tracers(&scene, None);
        for tracer in [&cpu as &dyn Tracer, &gpu] {
            let hits = tracer.closest(Batch::new(&[ray])).unwrap();
            assert_eq!((hits[0].t, hits[0].geometry_id), (3.0, 0), "{}", tracer.device());
            let inside = Ray::new([0.0; 3], [1.0, 0.0, 0.0]);
            let hits = tracer.closest(Batch::new(&[inside]).solid()).unwrap();
            assert_eq!((hits[0].t, hits[0].geometry_id), (0.0, 0));
            let all = tracer.all(Batch::new(&[ray])).unwrap();
            let ids: Vec<u32> = (0..scene.geometry_count()).collect();
            assert_eq!(all.geometry_ids, [&ids[..], &ids].concat());
            // Each geometry in turn is ignored, and only that one.
            let rays = vec![ray; ids.len()];
            let without = Batch::new(&rays).ignoring(&ids).unwrap();
            let hits = tracer.closest(without).unwrap();
            let lowest: Vec<u32> = hits.iter().map(|hit| hit.geometry_id).collect();
            let expected: Vec<u32> = ids.iter().map(|&id| u32::from(id == 0)).collect();
            assert_eq!(lowest, expected);
        }
    }
}

const UNMOVED: [f64; 12] = [1., 0., 0., 0., 0., 1., 0., 0., 0., 0., 1., 0.];

#[test]
fn a_sheared_mesh_is_watertight_and_crossed_an_even_number_of_times() {
    let rng = &mut Rng::with_seed(3);
    let mut inner = Scene::new();
    let turn = DQuat::from_axis_angle(direction(rng), 1.0);
    inner.add(ball_mesh(DVec3::new(0.3, -0.2, 0.1), 1.0, 12, turn)).unwrap();
    let mesh: Geometry = inner.geometries()[0].clone();
    let definition = Definition::new(inner);
    for place in places(rng) {
        let mut scene = Scene::new();
        scene.add_instance(&definition, &place.into(), None, None).unwrap();
        let ray = |_| {
            let target = mesh.shape(rng.u32(..mesh.primitive_count() as u32)).unwrap();
            let raytwin::Shape::Triangle(triangle) = target else { panic!() };
            let share = [0.0, 0.5, rng.f64()][rng.usize(..3)];
            let target = triangle.vertices[0].lerp(triangle.vertices[1], share);
            let origin = DVec3::new(0.3, -0.2, 0.1) + 0.7 * rng.f64() * direction(rng);
            let way = place.linear * (target - origin);
            Ray::new(place.point(origin).as_vec3(), way.as_vec3())
        };
        let rays: Vec<Ray> = (0..20_000).map(ray).collect();
        let (_, _, gpu) = tracers(&scene, None);
        let hits = gpu.closest(Batch::new(&rays)).unwrap();
        let escaped = hits.iter().filter(|hit| !hit.is_hit()).count();
        assert_eq!(escaped, 0, "{place:?}");
        let whole: Vec<Ray> =
            rays.iter().map(|ray| ray.within(f32::NEG_INFINITY, f32::INFINITY)).collect();
        let counts = gpu.count(Batch::new(&whole)).unwrap();
        assert!(counts.iter().all(|count| count % 2 == 0 && *count > 0), "{place:?}");
    }
}

#[test]
fn points_find_what_contains_them_and_the_nearest_surface() {
    let rng = &mut Rng::with_seed(5);
    let (mut scene, _) = placed_scene(&Form::ALL, 43, 1, DVec3::ZERO);
    scene.add(Plane::infinite(DVec3::new(0.0, 0.0, -40.0), DVec3::Z)).unwrap();
    let (_, cpu, gpu) = tracers(&scene, None);
    let near_one = |_| {
        let id = rng.u32(..scene.geometry_count());
        let primitive = scene.primitive(id, 0).unwrap();
        let reach = 1.5 * primitive.radius().max(0.1);
        (primitive.center() + reach * rng.f64() * direction(rng)).as_vec3().to_array()
    };
    let points: Vec<[f32; 3]> = (0..1500).map(near_one).collect();
    let [expected, found] = [&cpu as &dyn Tracer, &gpu]
        .map(|tracer| PointAnswer::all(&scene, &points, &tracer.points(&points).unwrap()));
    let mut other_solids = 0;
    for ((point, expected), found) in points.iter().zip(&expected).zip(&found) {
        let is_same =
            (expected.contains, expected.containing_id) == (found.contains, found.containing_id);
        other_solids += usize::from(!is_same);
        let primitive = scene.primitive(found.geometry_id, found.primitive_id).unwrap();
        let from = Vec3::from(*point).as_dvec3();
        let scale = primitive.center().distance(from) + primitive.radius();
        let excess = f64::from(found.signed_distance.abs() - expected.signed_distance.abs());
        assert!(excess <= 32.0 * U * scale, "{point:?}: {found:?}, not {expected:?}");
    }
    assert!(other_solids <= points.len() / 50, "{other_solids} of {}", points.len());
}

/// Nested groups end up as instances of one level.
#[test]
fn groups_in_groups_are_met_where_they_stand() {
    let mut wheel = Scene::new();
    wheel.add(Sphere { center: DVec3::X, radius: 0.25 }).unwrap();
    let wheel = Definition::new(wheel);
    let mut axle = Scene::new();
    axle.add(Sphere { center: DVec3::ZERO, radius: 0.5 }).unwrap();
    let at = |x: f64| Affine {
        linear: DMat3::from_diagonal(DVec3::new(2.0, 1.0, 1.0)),
        translation: DVec3::X * x,
    };
    axle.add_instance(&wheel, &at(4.0).into(), None, None).unwrap();
    axle.add_instance(&wheel, &at(8.0).into(), None, None).unwrap();
    let axle = Definition::new(axle);
    let mut car = Scene::new();
    car.add_instance(&axle, &at(0.0).into(), None, None).unwrap();
    car.add_instance(&axle, &at(100.0).into(), None, None).unwrap();
    let rays: Vec<Ray> = [0.0, 12.0, 20.0, 100.0, 112.0, 120.0]
        .map(|x: f32| Ray::new([x, 0.0, 9.0], [0.0, 0.0, -2.0]))
        .to_vec();
    let (_, cpu, gpu) = tracers(&car, None);
    for tracer in [&cpu as &dyn Tracer, &gpu] {
        let hits = tracer.closest(Batch::new(&rays)).unwrap();
        let found: Vec<(u32, f32)> = hits.iter().map(|hit| (hit.geometry_id, hit.t)).collect();
        let expected: Vec<(u32, f32)> =
            (0..6).map(|id| (id, if id % 3 == 0 { 4.25 } else { 4.375 })).collect();
        assert_eq!(found, expected, "{}", tracer.device());
    }
}

/// Faults of a few characters in what instances need, each of which some query shows.
const FAULTS: &[(&str, &str, &str)] = &[
    ("instances.wgsl", "placed.t_unit, placed.origin.low,", "1.0, placed.origin.low,"),
    ("instances.wgsl", "placed.origin.low,\n", "vec3<f32>(0.0),\n"),
    (
        "instances.wgsl",
        "definition.x, definition.x + first_unbounded",
        "0u, definition.x + first_unbounded",
    ),
    ("instances.wgsl", "definition.z, is_whole", "0u, is_whole"),
    ("instances.wgsl", "push(0u);", ""),
    ("instances.wgsl", "traversal.inner = visit.inner;", "traversal.inner = 0u;"),
    ("instances.wgsl", "traversal.shapes = visit.shapes;", "traversal.shapes = 0u;"),
    ("instances.wgsl", "aim(traversal, visit.origin, visit.direction, 1.0);", ""),
    ("instances.wgsl", "t_unit * inverses_of(direction)", "inverses_of(direction)"),
    ("instances.wgsl", "traversal.octant = octant_of(direction);", ""),
    ("instances.wgsl", "2.0 * t_in_object(T_LIMIT)", "t_in_object(T_LIMIT)"),
    (
        "instances/object_space.wgsl",
        "ray.origin, -inverse.translation",
        "ray.origin, inverse.translation",
    ),
    ("instances/object_space.wgsl", "sum.low + (product.low + small)", "sum.low + product.low"),
    ("instances/object_space.wgsl", "(sum.low + (product", "(0.0 * sum.low + (product"),
    ("instances/object_space.wgsl", "column.low * high", "0.0 * column.low"),
    (
        "primitive_ref/placed.wgsl",
        "return a.instance < b.instance;",
        "return a.instance > b.instance;",
    ),
    ("primitive_ref/placed.wgsl", "return !is_before_instance(", "return is_before_instance("),
    ("primitive_ref/placed.wgsl", "own < scene_params", "own <= scene_params"),
    ("trace.wgsl", "| (visit.instance != ray_filter.instance)", ""),
    ("ray.wgsl", "- visit.origin_rest", "+ visit.origin_rest"),
];

/// Makes so many instances that the world's tree has several levels, and rays through them.
fn crowd() -> (Scene, Vec<Ray>) {
    let rng = &mut Rng::with_seed(6);
    let definition = Definition::new(scene_of(&[Form::Sphere], 6, 40, 0.1, DVec3::ZERO));
    let mut scene = Scene::new();
    for index in 0..125 {
        let at = [index % 5, index / 5 % 5, index / 25].map(|step| 2.0 * f64::from(step));
        let place = Affine { linear: DMat3::IDENTITY, translation: at.into() };
        scene.add_instance(&definition, &place.into(), None, None).unwrap();
    }
    let point = |rng: &mut Rng| DVec3::splat(4.0) + 8.0 * rng.f64() * direction(rng);
    let ray = |_| {
        let from = point(rng);
        Ray::new(from.as_vec3(), (point(rng) - from).as_vec3())
    };
    let rays = (0..4000).map(ray).collect();
    (scene, rays)
}

#[test]
fn faults_in_what_instances_need_are_noticed() {
    let far = 1e4 * DVec3::new(1.0, 0.7, -0.4);
    let (assembly, near_rays) = placed_scene(&[Form::Cuboid, Form::Triangle], 44, 100, far);
    let (lattice, lattice_rays) = placed_lattice(lattice_scene());
    let ties = [true, false].map(equal_balls);
    let rays_at_balls = [Ray::new([-4.0, 0.0, 0.0], [1.0, 0.0, 0.0]); 8];
    let (crowd, crowd_rays) = crowd();
    // Few kinds are compiled fast.
    let (mixed, rays) = masked(&[Form::Sphere, Form::Plane, Form::Mesh], 60);
    let usual = differences(&mixed, &rays, None);
    let mut survivors = Vec::new();
    for (index, &(file, from, to)) in FAULTS.iter().enumerate() {
        let fault = Fault::in_shader("a fault in instances", file, from, to);
        if !is_planted(index) {
            assert_not_stale(&gpu(), &fault);
            continue;
        }
        let is_noticed = |scene: &Scene, rays: &[Ray]| {
            let (packed, _, gpu) = tracers(scene, Some(&fault));
            match gpu.closest(Batch::new(rays)) {
                Ok(hits) => count(&verdicts(&packed, rays, &hits), Class::Mismatch) > 0,
                Err(_) => true,
            }
        };
        let is_tie_noticed = |scene: &Scene| differences(scene, &rays_at_balls, Some(&fault)) > 0;
        // One kernel is compiled for the closest hits, and several for all kinds of answers.
        let noticed = is_noticed(&crowd, &crowd_rays)
            || is_noticed(&lattice, &lattice_rays)
            || is_noticed(&assembly, &near_rays)
            || ties.iter().any(is_tie_noticed)
            || differences(&mixed, &rays, Some(&fault)) > 2 * usual + 20;
        if !noticed {
            survivors.push((file, from, to));
        }
    }
    assert!(survivors.is_empty(), "not noticed: {survivors:#?}");
}
