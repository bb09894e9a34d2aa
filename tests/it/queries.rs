//! The answers of any, count, all and solid queries must agree with the closest hits, with each other, and with brute
//! force in float64, on both tracers.

use crate::common::*;
use fastrand::Rng;
use raytwin::crossings::{Crossing, ZoneKind};
use raytwin::glam::{DQuat, DVec3};
use raytwin::gpu::GpuTracer;
use raytwin::{
    AllHits, Batch, CpuTracer, Cuboid, Cylinder, Disc, Geometry, Heightfield, Hit, PackedScene,
    Plane, Ray, Scene, Shape, Sphere, Torus, Tracer, Triangle,
};

/// Returns the rays of each family in each scene. Five families, five scenes and two tracers make 1,000,000 for each form in
/// a full sweep.
fn swept_rays() -> usize {
    sweep(1_000, 20_000)
}

const SCENES: [(f64, f64, usize); 5] =
    [(1.0, 0.0, 12), (1e-4, 0.0, 12), (1e4, 0.0, 12), (1.0, 1e3, 12), (0.3, 0.0, 200)];

const ASKED: [Family; 5] =
    [Family::Aimed(12.0), Family::Aimed(1e3), Family::Inside, Family::Along, Family::Cut];

/// Calls `ask` with both tracers of a scene.
fn each_tracer(scene: &Scene, mut ask: impl FnMut(&str, &dyn Tracer)) {
    let packed = PackedScene::new(scene.clone()).unwrap();
    ask("cpu", &CpuTracer::new(&packed));
    ask("gpu", &GpuTracer::new(&gpu(), &packed).unwrap());
}

/// Checks ray by ray that the answers of any, count and all agree with the closest hit.
fn answers_fit(scene: &Scene, tracer: &dyn Tracer, batch: Batch<'_>) -> AllHits {
    let closest = tracer.closest(batch).unwrap();
    let any = tracer.any(batch).unwrap();
    let counts = tracer.count(batch).unwrap();
    let all = tracer.all(batch).unwrap();
    assert_eq!(all.ray_count(), batch.len());
    assert_eq!(all.ray_splits.last().copied(), Some(all.len() as u64));
    for (index, ray) in batch.rays().iter().enumerate() {
        let hits: Vec<Hit> = all.of_ray(index).collect();
        assert_eq!(any[index], closest[index].is_hit(), "{ray:?}");
        assert_eq!(counts[index] as usize, hits.len(), "{ray:?}");
        for hit in &hits {
            assert!(ray.t_min <= hit.t && hit.t <= ray.t_max, "{ray:?}: {hit:?}");
            assert!(scene.primitive(hit.geometry_id, hit.primitive_id).is_some());
        }
        assert!(hits.windows(2).all(|pair| pair[0].t <= pair[1].t), "{ray:?}: {hits:?}");
        let start = all.ray_splits[index] as usize;
        assert!(all.ray_ids[start..][..hits.len()].iter().all(|&ray| ray as usize == index));
    }
    all
}

/// Finds every crossing by brute force in float64, in order. Returns `None` if one is doubtful: a surface moved by its
/// error bound would be crossed another number of times.
fn crossings_of_all(scene: &Scene, ray: &Ray) -> Option<Vec<(f64, u32, f64)>> {
    let line = ray.line();
    let interval = [f64::from(ray.t_min), f64::from(ray.t_max)];
    let mut all = Vec::new();
    for (id, geometry) in (0..).zip(scene.geometries()) {
        for primitive in 0..geometry.primitive_count() as u32 {
            let primitive = geometry.primitive(primitive).unwrap();
            let crossings = primitive.own_crossings(&line);
            let delta = primitive.delta(line.origin);
            for zone in primitive.zones(&line, 2.0 * delta).iter() {
                let is_near_end =
                    interval.iter().any(|end| zone.from.t <= *end && *end <= zone.to.t);
                if zone.kind == ZoneKind::Doubt || zone.kind == ZoneKind::Crossed && is_near_end {
                    return None;
                }
                if zone.kind == ZoneKind::Crossed {
                    let is_in_zone =
                        |crossing: &&Crossing| zone.from.t <= crossing.t && crossing.t <= zone.to.t;
                    // A thin primitive that a moved surface misses has several crossings in one zone.
                    let in_zone: Vec<&Crossing> = crossings.iter().filter(is_in_zone).collect();
                    let [crossing] = in_zone[..] else { return None };
                    if interval[0] <= crossing.t && crossing.t <= interval[1] {
                        all.push((crossing.t, id, zone.to.t - zone.from.t));
                    }
                }
            }
        }
    }
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    Some(all)
}

/// Checks that the crossings that a tracer found are those of brute force.
fn are_those_of_brute_force(found: &[Hit], expected: &[(f64, u32, f64)], label: &str) {
    assert_eq!(found.len(), expected.len(), "{label}: {expected:?}");
    for (hit, (t, _, doubt)) in found.iter().zip(expected) {
        let allowed = doubt + 1e-6 * t.abs();
        assert!((f64::from(hit.t) - t).abs() <= allowed, "{label}: {hit:?} {t}");
    }
    // Rounding may swap two crossings that are almost equally near.
    let mut found_ids: Vec<u32> = found.iter().map(|hit| hit.geometry_id).collect();
    let mut expected_ids: Vec<u32> = expected.iter().map(|crossing| crossing.1).collect();
    found_ids.sort_unstable();
    expected_ids.sort_unstable();
    assert_eq!(found_ids, expected_ids, "{label}");
}

/// Checks both tracers with shapes of one form: their answers agree with each other, the first crossing is the closest
/// hit, and the crossings are those of brute force.
fn queries_fit(form: Form) {
    let ray_count = swept_rays();
    let is_of_triangles = matches!(form, Form::Mesh | Form::Heightfield | Form::ClosedHeightfield);
    let (mut rays_in_all, mut sure_in_all) = (0, 0);
    for (seed, (size, offset, count)) in (300..).zip(SCENES) {
        let scene = scene_of(&[form], seed, count, size, offset * DVec3::new(1.0, 0.7, -0.4));
        let asked: Vec<Vec<Ray>> = (40..)
            .zip(ASKED)
            .map(|(seed, family)| rays(seed, family, ray_count, &scene, size))
            .collect();
        // Only some rays are checked by brute force, because it takes long, and longest for triangles.
        let checked = if is_of_triangles { sweep(80, 200) } else { 200 };
        let by_brute_force: Vec<Vec<_>> = asked
            .iter()
            .map(|rays| {
                let some = (0..rays.len()).step_by(rays.len() / checked);
                some.filter_map(|ray| Some((ray, crossings_of_all(&scene, &rays[ray])?))).collect()
            })
            .collect();
        each_tracer(&scene, |name, tracer| {
            for ((rays, sure), family) in asked.iter().zip(&by_brute_force).zip(ASKED) {
                let all = answers_fit(&scene, tracer, Batch::new(rays));
                for (ray, expected) in sure {
                    let found: Vec<Hit> = all.of_ray(*ray).collect();
                    are_those_of_brute_force(&found, expected, &format!("{name} {}", rays[*ray]));
                }
                sure_in_all += sure.len();
                let closest = tracer.closest(Batch::new(rays)).unwrap();
                // The edge of a mesh belongs to one triangle for all, and to both triangles for closest.
                let is_unlike = |(ray, hit): &(usize, &Hit)| {
                    all.of_ray(*ray).next() != hit.is_hit().then_some(**hit)
                };
                let unlike = closest.iter().enumerate().filter(is_unlike).count();
                let allowed = if is_of_triangles { ray_count / 1000 } else { 0 };
                assert!(unlike <= allowed, "{name} {form:?} {family:?}: {unlike} unlike");
                rays_in_all += rays.len();
            }
        });
    }
    assert!(rays_in_all >= sweep(50_000, 1_000_000), "{rays_in_all}");
    assert!(sure_in_all >= 2_000, "{sure_in_all} rays held against asking all");
}

/// A ray through the middle of a thousand concentric spheres has two crossings with each, in order.
#[test]
fn a_thousand_shells_are_crossed_two_thousand_times_in_order() {
    let mut scene = Scene::new();
    // The largest sphere comes first, so that ids are not in the order of t.
    for radius in (1..=1000).rev() {
        scene.add(Sphere { center: DVec3::ZERO, radius: radius.into() }).unwrap();
    }
    let through = Ray::new([-2000.0, 0.0, 0.0], [1.0, 0.0, 0.0]);
    let from_within = Ray::new([0.0; 3], [0.0, 0.0, 2.0]);
    let rays = [through, from_within, through.within(2900.0, 2910.0)];
    let radius = |hit: &Hit| 1000 - hit.geometry_id;
    each_tracer(&scene, |name, tracer| {
        let allowed = allowed_error(tracer);
        let all = answers_fit(&scene, tracer, Batch::new(&rays));
        let hits: Vec<Hit> = all.of_ray(0).collect();
        assert_eq!(hits.len(), 2000, "{name}");
        for (index, hit) in hits.iter().enumerate() {
            let expected = if index < 1000 { 1000 - index } else { index - 999 };
            assert_eq!(radius(hit) as usize, expected, "{name} {index}");
            let t = 2000.0 + expected as f32 * if index < 1000 { -1.0 } else { 1.0 };
            assert!((hit.t - t).abs() <= allowed * t, "{name} {index}");
        }
        let halves: Vec<(u32, f32)> = all.of_ray(1).map(|hit| (radius(&hit), hit.t)).collect();
        for (expected, (of_sphere, t)) in (1..=1000).zip(halves) {
            let half = 0.5 * expected as f32;
            assert_eq!(of_sphere, expected, "{name}");
            assert!((t - half).abs() <= allowed * half, "{name} {expected}");
        }
        // A device that does not round correctly may leave out the crossings at the ends of the interval.
        let cut: Vec<f32> = all.of_ray(2).map(|hit| hit.t.round()).collect();
        let ends = usize::from(allowed > 0.0 && cut.first() != Some(&2900.0));
        let expected: Vec<_> = (2900..=2910).map(|t| t as f32).skip(ends).take(cut.len()).collect();
        assert!(
            cut == expected && cut.len() >= if allowed > 0.0 { 9 } else { 11 },
            "{name}: {cut:?}"
        );
    });
}

#[test]
fn touched_solids_are_entered_and_left_and_surfaces_are_crossed_once() {
    let ball = Sphere { center: DVec3::ZERO, radius: 1.0 };
    let cube = Cuboid { center: DVec3::ZERO, half_extents: DVec3::ONE, rotation: DQuat::IDENTITY };
    let can = Cylinder::solid(DVec3::NEG_Z, DVec3::Z, 1.0);
    let pipe = Cylinder { inner_radius: 0.5, ..can };
    let ring = Torus { center: DVec3::ZERO, axis: DVec3::Z, major_radius: 2.0, minor_radius: 0.5 };
    let ground = Plane::infinite(DVec3::ZERO, DVec3::Z);
    let washer = Disc { center: DVec3::ZERO, normal: DVec3::Z, radius: 1.0, inner_radius: 0.5 };
    let corners = [DVec3::ZERO, DVec3::X, DVec3::Y];
    let sail = Triangle { vertices: corners };
    let x = [1.0, 0.0, 0.0];
    let down = [0.0, 0.0, -1.0];
    type Touch = (Shape, [f32; 3], [f32; 3], &'static [f32]);
    let cases: Vec<Touch> = vec![
        (ball.into(), [-5.0, 0.0, 0.0], x, &[4.0, 6.0]),
        (ball.into(), [-5.0, 1.0, 0.0], x, &[5.0, 5.0]),
        (cube.into(), [-5.0, 1.0, 1.0], x, &[4.0, 6.0]),
        (cube.into(), [-5.0, -3.0, 1.0], [1.0, 1.0, 0.0], &[4.0, 4.0]),
        (can.into(), [-5.0, 0.0, 1.0], x, &[4.0, 6.0]),
        (can.into(), [-5.0, 1.0, 0.0], x, &[5.0, 5.0]),
        (pipe.into(), [-5.0, 0.0, 0.0], x, &[4.0, 4.5, 5.5, 6.0]),
        (pipe.into(), [-5.0, 0.5, 0.0], [2.0, 0.0, 0.0], &[]),
        (ring.into(), [-5.0, 0.0, 0.0], x, &[2.5, 3.5, 6.5, 7.5]),
        (ground.into(), [0.0, 0.0, 5.0], down, &[5.0]),
        (ground.into(), [0.0, 0.0, 0.0], x, &[]),
        (washer.into(), [0.5, 0.0, 5.0], down, &[5.0]),
        (washer.into(), [0.0, 0.0, 5.0], down, &[]),
        (sail.into(), [0.25, 0.25, 5.0], down, &[5.0]),
        (sail.into(), [0.5, 0.0, 5.0], down, &[5.0]),
        (sail.into(), [0.0, 0.0, 5.0], down, &[5.0]),
        (sail.into(), [-1.0, 0.25, 0.0], x, &[]),
    ];
    for (shape, origin, direction, expected) in cases {
        let mut scene = Scene::new();
        scene.add(shape).unwrap();
        let rays = [Ray::new(origin, direction)];
        each_tracer(&scene, |name, tracer| {
            let all = answers_fit(&scene, tracer, Batch::new(&rays));
            // The ray runs along the wall of a hole, which belongs to the tube. It enters and leaves wherever rounding
            // says.
            let is_along_hole = expected.is_empty() && shape == pipe.into();
            let allowed = allowed_error(tracer);
            // A device that does not round correctly may miss what a ray only touches, or say where it does so less
            // precisely.
            let is_touch = expected.windows(2).any(|pair| pair[0] == pair[1]);
            let is_decided = allowed == 0.0 || !is_touch;
            if is_decided && !is_along_hole {
                assert_eq!(all.t_hit.len(), expected.len(), "{name} {shape:?} {origin:?}");
                for (t, expected) in all.t_hit.iter().zip(expected) {
                    let is_there = (t - expected).abs() <= allowed * expected;
                    assert!(is_there, "{name} {shape:?} {origin:?}: {t} for {expected}");
                }
            }
        });
    }
}

/// A line through an edge or a vertex of a closed mesh enters it as often as it leaves it.
#[test]
fn a_closed_mesh_is_crossed_an_even_number_of_times_through_its_edges_too() {
    let rng = &mut Rng::with_seed(81);
    let turn = DQuat::from_rotation_x(0.3);
    for mesh in [cube_mesh(), ball_mesh(DVec3::new(0.3, -0.2, 0.1), 1.0, 6, turn)] {
        let mut scene = Scene::new();
        scene.add(mesh).unwrap();
        // The mesh is taken from the scene, where its numbers are rounded to float32.
        let Some(Geometry::Mesh(mesh)) = scene.geometry(0) else { panic!("a mesh") };
        assert!(mesh.is_closed());
        let mut rays = Vec::new();
        while rays.len() < 60_000 {
            let [a, b, _] = mesh.triangles()[rng.usize(..mesh.triangles().len())]
                .map(|index| mesh.vertices()[index as usize]);
            let along = [0.0, 1.0, 0.5, 0.25, rng.f64()][rng.usize(..5)];
            let on_edge = (a + along * (b - a)).as_vec3();
            let whole = |way: DVec3| {
                let way = way.as_vec3();
                let origin = on_edge - 4.0 * way;
                Ray::new(origin, way).within(f32::NEG_INFINITY, f32::INFINITY)
            };
            rays.push(whole(direction(rng)));
            rays.push(whole(DVec3::AXES[rng.usize(..3)]));
            rays.push(whole(DVec3::new(1.0, 1.0, 0.0)));
        }
        each_tracer(&scene, |name, tracer| {
            let counts = tracer.count(Batch::new(&rays)).unwrap();
            let odd = counts.iter().position(|count| count % 2 == 1);
            assert_eq!(odd, None, "{name}: {:?}", odd.map(|index| (counts[index], rays[index])));
            assert!(counts.iter().filter(|&&count| count > 0).count() > rays.len() / 3, "{name}");
        });
    }
}

/// Over a field of integer coordinates, each line from above crosses the ground once, through edges and vertices too.
#[test]
fn a_heightfield_is_crossed_once_from_above() {
    let heights = (0..81).map(|index| f64::from((index * 7) % 5)).collect();
    let field = Heightfield::new(heights, 9, [1.0, 2.0], DVec3::ZERO, DQuat::IDENTITY).unwrap();
    let mut scene = Scene::new();
    scene.add(field).unwrap();
    let below =
        |x: i32, y: i32| Ray::new([0.25 * x as f32, 0.5 * y as f32, 50.0], [0.0, 0.0, -1.0]);
    let rays: Vec<Ray> = (-15..16).flat_map(|x| (-15..16).map(move |y| below(x, y))).collect();
    each_tracer(&scene, |name, tracer| {
        let counts = tracer.count(Batch::new(&rays)).unwrap();
        assert!(counts.iter().all(|&count| count == 1), "{name}");
    });
}

#[test]
fn invalid_rays_and_empty_batches_have_no_crossings() {
    let scene = random_scene(5, 30, 1.0, DVec3::ZERO);
    let good = Ray::new([0.0; 3], [1.0, 0.2, 0.1]);
    let rays = [good, good.within(2.0, 1.0), Ray::new([f32::NAN; 3], [1.0; 3]), good];
    each_tracer(&scene, |name, tracer| {
        let (any, counts) =
            (tracer.any(Batch::new(&rays)).unwrap(), tracer.count(Batch::new(&rays)).unwrap());
        let all = tracer.all(Batch::new(&rays)).unwrap();
        assert_eq!((any[1], any[2], counts[1], counts[2]), (false, false, 0, 0), "{name}");
        assert_eq!((any[0], counts[0]), (any[3], counts[3]));
        assert_eq!(all.of_ray(1).len() + all.of_ray(2).len(), 0);
        assert!(tracer.any(Batch::new(&[])).unwrap().is_empty());
        assert!(tracer.count(Batch::new(&[])).unwrap().is_empty());
        assert_eq!(tracer.all(Batch::new(&[])).unwrap(), AllHits::default());
    });
    each_tracer(&Scene::new(), |name, tracer| {
        assert_eq!(tracer.any(Batch::new(&rays)).unwrap(), [false; 4], "{name}");
        assert_eq!(tracer.count(Batch::new(&rays).solid()).unwrap(), [0; 4]);
        assert!(tracer.all(Batch::new(&rays)).unwrap().is_empty());
        assert_eq!(tracer.closest(Batch::new(&rays).solid()).unwrap()[0], Hit::MISS);
    });
}

macro_rules! of_each_form {
    ($($name:ident: $form:ident,)+) => {
        $(
            #[test]
            fn $name() {
                queries_fit(Form::$form);
            }
        )+
    };
}

for_each_form!(of_each_form);
