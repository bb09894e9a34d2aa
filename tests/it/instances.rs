//! Instances on the CPU tracer, against every primitive asked by itself.

use crate::common::{Form, between, direction, ray_at, sweep, transform};
use fastrand::Rng;
use raytwin::bvh::Quality;
use raytwin::glam::{DQuat, DVec3};
use raytwin::math::Similarity;
use raytwin::{
    Affine, Batch, CpuTracer, Definition, NONE, NodeId, PackedScene, Query, Ray, Scene, Sphere,
    TraceError, Tracer, Transform, UpdateError,
};

/// A scene of own geometries and instances of several definitions, one of which has instances itself.
fn random_scene(rng: &mut Rng, forms: &[Form], reach: f64) -> Scene {
    let group = |rng: &mut Rng, count: usize| {
        let mut group = Scene::new();
        for _ in 0..count {
            let form = forms[rng.usize(..forms.len())];
            group.add(form.random(rng, 1.0, DVec3::ZERO)).unwrap();
        }
        group
    };
    let small = Definition::new(group(rng, 1));
    let mut nested = group(rng, 4);
    for _ in 0..2 {
        nested.add_instance(&small, &transform(rng, 5.0), Some("inner".into()), None).unwrap();
        nested.add(Form::Sphere.random(rng, 1.0, DVec3::ZERO)).unwrap();
    }
    let nested = Definition::new(nested);
    let mut scene = group(rng, 3);
    for turn in 0..12 {
        let definition = if turn % 3 == 0 { &small } else { &nested };
        let name = Some(format!("part{turn}").as_str().into());
        scene.add_instance(definition, &transform(rng, reach), name, None).unwrap();
        if turn % 4 == 0 {
            scene.add(Form::Cuboid.random(rng, 1.0, DVec3::ZERO)).unwrap();
        }
    }
    scene
}

#[test]
fn a_traversal_through_instances_finds_what_asking_every_primitive_finds() {
    let rng = &mut Rng::with_seed(1);
    let mut instanced = 0;
    for turn in 0..sweep(12, 30) {
        let scene = random_scene(rng, &Form::ALL, [3.0, 30.0, 3000.0][turn % 3]);
        let tracer = CpuTracer::new(&PackedScene::new(scene).unwrap());
        let scene = tracer.scene();
        let rays: Vec<Ray> = (0..2000).map(|_| ray_at(rng, scene)).collect();
        let hits = tracer.closest(Batch::new(&rays)).unwrap();
        let occluded = tracer.any(Batch::new(&rays)).unwrap();
        for ((ray, hit), occluded) in rays.iter().zip(&hits).zip(occluded) {
            let exact = tracer.brute_force(ray);
            let ids = exact.map(|exact| [exact.geometry_id, exact.primitive_id]);
            assert_eq!(ids.unwrap_or([NONE; 2]), [hit.geometry_id, hit.primitive_id], "{ray:?}");
            assert_eq!(exact.map_or(f32::INFINITY, |exact| exact.crossing.t as f32), hit.t);
            assert_eq!(occluded, exact.is_some());
            let is_instanced = ids.is_some_and(|ids| scene.placement(ids[0]).is_some());
            instanced += usize::from(is_instanced);
        }
    }
    assert!(instanced > sweep(8_000, 20_000), "{instanced}");
}

#[test]
fn crossings_containment_and_filters_reach_into_instances() {
    let rng = &mut Rng::with_seed(2);
    let forms: Vec<Form> = Form::ALL.into_iter().filter(|form| *form != Form::Plane).collect();
    let [mut crossed, mut started_inside, mut ignoring] = [0; 3];
    for _ in 0..20 {
        let scene = random_scene(rng, &forms, 20.0);
        let tracer = CpuTracer::new(&PackedScene::new(scene).unwrap());
        let scene = tracer.scene();
        let rays: Vec<Ray> = (0..500).map(|_| ray_at(rng, scene)).collect();
        let batch = Batch::new(&rays);
        let all = tracer.all(batch).unwrap();
        let counts = tracer.count(batch).unwrap();
        let closest = tracer.closest(batch).unwrap();
        let ignored: Vec<u32> = closest.iter().map(|hit| hit.geometry_id).collect();
        let beyond = tracer.closest(batch.ignoring(&ignored).unwrap()).unwrap();
        let solid = tracer.closest(batch.solid()).unwrap();
        for (index, ray) in rays.iter().enumerate() {
            let line = ray.line();
            let interval = [f64::from(ray.t_min), f64::from(ray.t_max)];
            let (mut count, mut inside, mut next) = (0, NONE, f64::INFINITY);
            for (id, geometry, _) in scene.written_out() {
                let mut before = 0;
                for primitive_id in 0..geometry.primitive_count() as u32 {
                    let primitive = scene.primitive(id, primitive_id).unwrap();
                    let crossings = primitive.own_crossings(&line);
                    let within = crossings.within(interval).count();
                    count += within;
                    before += within;
                    if id != ignored[index] {
                        let first = primitive.crossings(&line).first_from(interval[0]);
                        next = first.map_or(next, |first| next.min(first.t));
                    }
                }
                // From inside, a solid is left once more than it is entered.
                if geometry.is_solid() && before % 2 == 1 {
                    inside = inside.min(id);
                }
            }
            assert_eq!(counts[index] as usize, count, "{ray:?}");
            assert_eq!(all.of_ray(index).count(), count);
            assert_eq!(beyond[index].t, next as f32, "{ray:?}");
            if inside != NONE {
                assert_eq!([solid[index].t, solid[index].geometry_id as f32], [0.0, inside as f32]);
                started_inside += 1;
            } else {
                assert_eq!(solid[index], closest[index]);
            }
            crossed += count;
            ignoring += usize::from(ignored[index] != NONE && next.is_finite());
        }
    }
    assert!(crossed > 5000 && started_inside > 100 && ignoring > 500, "{crossed} {started_inside}");
}

#[test]
fn of_equal_hits_the_lower_id_wins_across_instances() {
    let ball = || Sphere { center: DVec3::ZERO, radius: 1.0 };
    let mut group = Scene::new();
    group.add(ball()).unwrap();
    let definition = Definition::new(group);
    let ray = [Ray::new([-5.0, 0.0, 0.0], [1.0, 0.0, 0.0])];
    for own_first in [false, true] {
        let mut scene = Scene::new();
        if own_first {
            scene.add(ball()).unwrap();
        }
        for _ in 0..3 {
            scene.add_instance(&definition, &Transform::IDENTITY, None, None).unwrap();
            scene.add(ball()).unwrap();
        }
        let tracer = CpuTracer::new(&PackedScene::new(scene).unwrap());
        let hits = tracer.closest(Batch::new(&ray)).unwrap();
        assert_eq!((hits[0].t, hits[0].geometry_id), (4.0, 0));
        let all = tracer.all(Batch::new(&ray)).unwrap();
        let ids: Vec<u32> = all.of_ray(0).map(|hit| hit.geometry_id).collect();
        let count = tracer.scene().geometry_count();
        let each_once: Vec<u32> = (0..count).collect();
        assert_eq!(ids, [&each_once[..], &each_once[..]].concat());
        for query in Query::KINDS {
            assert_eq!(tracer.ask(query, Batch::new(&ray)).unwrap().hits(), 1);
        }
    }
}

#[test]
fn ids_run_as_if_every_use_were_written_out() {
    let rng = &mut Rng::with_seed(3);
    for _ in 0..20 {
        let scene = random_scene(rng, &Form::ALL, 10.0);
        let ids: Vec<u32> = scene.written_out().map(|(id, ..)| id).collect();
        assert_eq!(ids, (0..scene.geometry_count()).collect::<Vec<u32>>());
        for (id, geometry, placement) in scene.written_out() {
            assert!(std::ptr::eq(geometry, scene.geometry(id).unwrap()));
            assert_eq!(placement, scene.placement(id));
        }
        assert_eq!(scene.geometry(scene.geometry_count()).map(|_| ()), None);
        let counted: usize = scene.type_counts().iter().map(|(_, count)| count).sum();
        assert_eq!(counted, ids.len());
    }
}

#[test]
fn what_is_said_of_one_geometry_of_an_instance_holds_for_it_alone() {
    let mut group = Scene::new();
    let ball = group.add(Sphere { center: DVec3::ZERO, radius: 1.0 }).unwrap();
    group.set_name(ball, "ball");
    let definition = Definition::new(group);
    let mut scene = Scene::new();
    for place in 0..3 {
        let moved =
            Similarity { translation: 9.0 * f64::from(place) * DVec3::X, ..Similarity::IDENTITY };
        let name = format!("stand{place}");
        scene.add_instance(&definition, &moved.into(), Some(name.as_str().into()), None).unwrap();
    }
    scene.hide(1);
    scene.set_appearance(2, [1.0, 0.0, 0.0]);
    let paths: Vec<String> = (0..3).map(|id| scene.path(id)).collect();
    assert_eq!(paths, ["stand0/ball", "stand1/ball", "stand2/ball"]);
    assert_eq!([0, 1, 2].map(|id| scene.mask(id)), [u32::MAX, 0, u32::MAX]);
    assert_eq!([0, 1, 2].map(|id| scene.appearance(id).color), [None, None, Some([1.0, 0.0, 0.0])]);
    assert_eq!(scene.select("stand1"), [1]);
    let tracer = CpuTracer::new(&PackedScene::new(scene).unwrap());
    let rays = [0.0, 9.0, 18.0].map(|x| Ray::new([x, 0.0, 5.0], [0.0, 0.0, -1.0]));
    let ids = tracer
        .closest(Batch::new(&rays))
        .unwrap()
        .iter()
        .map(|hit| hit.geometry_id)
        .collect::<Vec<_>>();
    assert_eq!(ids, [0, NONE, 2]);
}

#[test]
fn points_find_the_nearest_surface_in_instances() {
    let rng = &mut Rng::with_seed(4);
    for turn in 0..6 {
        let scene = random_scene(rng, &Form::ALL, [3.0, 30.0][turn % 2]);
        let tracer = CpuTracer::new(&PackedScene::new(scene).unwrap());
        let points: Vec<[f32; 3]> = (0..60)
            .map(|_| (between(rng, 0.0, 40.0) * direction(rng)).as_vec3().to_array())
            .collect();
        for (point, found) in points.iter().zip(tracer.nearest_surfaces(&points)) {
            let exact = tracer.nearest_surface_by_brute_force(*point).unwrap();
            let found = found.unwrap();
            assert!(
                (found.distance - exact.distance).abs() <= 1e-9 * (1.0 + exact.distance),
                "{point:?} {found:?} {exact:?}"
            );
        }
    }
}

#[test]
fn a_tracer_goes_on_with_a_scene_whose_nodes_move() {
    let rng = &mut Rng::with_seed(5);
    for quality in [Quality::Medium, Quality::Fast] {
        let mut group = Scene::new();
        for _ in 0..5 {
            group.add(Form::Cylinder.random(rng, 0.3, DVec3::ZERO)).unwrap();
        }
        let definition = Definition::new(group);
        let mut scene = Scene::new();
        scene.add(Sphere { center: DVec3::ZERO, radius: 2.0 }).unwrap();
        let rail = scene.add_node(None, &Transform::IDENTITY, Some("rail")).unwrap();
        let carts: Vec<NodeId> = (0..300)
            .map(|index| {
                let name = format!("cart{index}");
                let place = transform(rng, 20.0);
                let cart = scene.add_node(Some(rail), &place, Some(&name)).unwrap();
                scene.add_instance_at(cart, &definition, None).unwrap();
                cart
            })
            .collect();
        assert_eq!(scene.node("rail/cart7"), Some(carts[7]));
        let pack = |scene: &Scene| PackedScene::with_quality(scene.clone(), quality).unwrap();
        let mut tracer = CpuTracer::new(&pack(&scene));
        let [mut refits, mut rebuilds] = [0; 2];
        for frame in 0..8 {
            let reach = if frame == 5 { 4000.0 } else { 25.0 };
            let moved: Vec<(NodeId, Transform)> = carts
                .iter()
                .step_by(frame + 1)
                .map(|cart| (*cart, transform(rng, reach)))
                .collect();
            if frame == 3 {
                let aside = Similarity { translation: DVec3::Y, ..Similarity::IDENTITY };
                scene.set_transform(rail, &aside.into()).unwrap();
            }
            scene.set_transforms(&moved).unwrap();
            let update = tracer.update(&scene).unwrap();
            assert_eq!(update.moved(), if frame == 3 { 300 } else { moved.len() });
            *if update.is_rebuilt { &mut rebuilds } else { &mut refits } += 1;
            let new = CpuTracer::new(&pack(&scene));
            let rays: Vec<Ray> = (0..2000).map(|_| ray_at(rng, &scene)).collect();
            for query in Query::KINDS {
                let [after, anew] =
                    [&tracer, &new].map(|tracer| tracer.ask(query, Batch::new(&rays)).unwrap());
                assert_eq!(after, anew, "{quality:?} {frame}");
            }
        }
        assert!(refits > 0 && rebuilds > 0, "{refits} {rebuilds}");
        // A refused move leaves the scene as it was, and so does another scene the tracer.
        let before = scene.placement(1).copied();
        let flat = Affine::from_scale_rotation_translation(
            DVec3::new(1.0, 0.0, 1.0),
            DQuat::IDENTITY,
            DVec3::ZERO,
        );
        assert!(
            scene.set_transforms(&[(rail, transform(rng, 1.0)), (carts[3], flat.into())]).is_err()
        );
        assert_eq!(scene.placement(1).copied(), before);
        scene.add(Sphere { center: DVec3::ZERO, radius: 2.0 }).unwrap();
        assert!(matches!(tracer.update(&scene), Err(TraceError::Update(UpdateError::Structure))));
    }
}

#[test]
fn packets_near_a_small_part_of_a_large_assembly_answer_as_single_rays() {
    let rng = &mut Rng::with_seed(9);
    let mut hits = [0; 2];
    for _ in 0..12 {
        let mut assembly = Scene::new();
        for turn in 0..200 {
            let size = 10.0_f64.powf(between(rng, -3.0, 0.0));
            let middle = 1000.0 * direction(rng);
            let form = [Form::Sphere, Form::Cuboid, Form::Cylinder, Form::Mesh][turn % 4];
            assembly.add(form.random(rng, size, middle)).unwrap();
        }
        let assembly = Definition::new(assembly);
        let mut scene = Scene::new();
        for _ in 0..2 {
            scene.add_instance(&assembly, &transform(rng, 100.0), None, None).unwrap();
        }
        let tracer = CpuTracer::new(&PackedScene::new(scene).unwrap());
        let scene = tracer.scene();
        let mut rays = Vec::new();
        for _ in 0..400 {
            let id = rng.u32(..scene.geometry_count());
            let primitive = scene.primitive(id, 0).unwrap();
            let (center, size) = (primitive.center(), primitive.radius());
            let eye = center + size * between(rng, 1.5, 40.0) * direction(rng);
            let way = center + size * between(rng, 0.7, 1.1) * direction(rng) - eye;
            let spread = 0.02 * way.length();
            // A square of an image, whose rays go together.
            let aim = || way + spread * DVec3::new(rng.f64(), rng.f64(), rng.f64());
            rays.extend(
                std::iter::repeat_with(aim)
                    .take(16)
                    .map(|way| Ray::new(eye.as_vec3().to_array(), way.as_vec3().to_array())),
            );
        }
        let closest = tracer.closest(Batch::new(&rays)).unwrap();
        let occluded = tracer.any(Batch::new(&rays)).unwrap();
        for ((ray, hit), occluded) in rays.iter().zip(&closest).zip(&occluded) {
            let single = tracer.nearest(ray);
            let ids = single.map_or([NONE; 2], |found| [found.geometry_id, found.primitive_id]);
            assert_eq!([hit.geometry_id, hit.primitive_id], ids, "{ray:?}");
            assert_eq!(single.map_or(f32::INFINITY, |found| found.crossing.t as f32), hit.t);
            assert_eq!(*occluded, single.is_some(), "{ray:?}");
            hits[usize::from(single.is_some())] += 1;
        }
    }
    assert!(hits.iter().all(|&count| count > 10_000), "{hits:?}");
}
