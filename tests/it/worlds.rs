//! Scenes in several worlds: the answers in each are those of a scene that is that world alone.

use crate::common::*;
use fastrand::Rng;
use raytwin::glam::DVec3;
use raytwin::gpu::GpuTracer;
use raytwin::math::Similarity;
use raytwin::scene::WorldError;
use raytwin::{
    Batch, BatchError, CanonicalTracer, CpuTracer, Definition, HitArrays, Hits, NONE, NodeId,
    PackedScene, Plane, Query, Ray, Scene, Sphere, TraceError, Tracer, Transform, UpdateError,
};
use raytwin_verify::Class;

/// The rays of one world, with their indices.
fn of_world(rays: &[Ray], worlds: &[u32], world: usize) -> (Vec<usize>, Vec<Ray>) {
    let chosen: Vec<usize> = (0..rays.len()).filter(|&ray| worlds[ray] as usize == world).collect();
    let of_world = chosen.iter().map(|&ray| rays[ray]).collect();
    (chosen, of_world)
}

/// Filters for rays: masks, and ids to ignore.
fn filters(rng: &mut Rng, geometries: u32, count: usize) -> (Vec<u32>, Vec<u32>) {
    let filter = |_| {
        let mask = [u32::MAX, 1, 2][rng.usize(..3)];
        (mask, [NONE, rng.u32(..geometries)][rng.usize(..2)])
    };
    (0..count).map(filter).unzip()
}

fn picked<T: Copy>(all: &[T], indices: &[usize]) -> Vec<T> {
    indices.iter().map(|&index| all[index]).collect()
}

/// Compares every kind of query in all worlds at once with the same in each world alone, and returns how many rays hit.
fn compare(
    rng: &mut Rng,
    scene: &Scene,
    alone: &[Scene],
    count: usize,
    tracer_of: &dyn Fn(&Scene) -> Box<dyn Tracer>,
) -> usize {
    let tracer = tracer_of(scene);
    let (rays, worlds) = rays_in_worlds(rng, alone, count);
    let (masks, ignored) = filters(rng, scene.geometry_count(), count);
    let batch = Batch::new(&rays).in_worlds(&worlds).unwrap();
    let choosy = batch.with_masks(&masks).unwrap().ignoring(&ignored).unwrap();
    let batches = [batch, batch.solid(), choosy];
    let closest = batches.map(|batch| tracer.closest(batch).unwrap());
    let normals = Hits::new(scene, batch, &closest[0], HitArrays::ALL);
    let occluded = batches.map(|batch| tracer.any(batch).unwrap());
    let counts = [batch, choosy].map(|batch| tracer.count(batch).unwrap());
    let all = tracer.all(choosy).unwrap();
    for (world, scene) in alone.iter().enumerate() {
        let tracer = tracer_of(scene);
        let (indices, rays) = of_world(&rays, &worlds, world);
        let [masks, ignored] = [&masks, &ignored].map(|numbers| picked(numbers, &indices));
        let batch = Batch::new(&rays);
        let choosy = batch.with_masks(&masks).unwrap().ignoring(&ignored).unwrap();
        for (turn, batch) in [batch, batch.solid(), choosy].into_iter().enumerate() {
            let hits = tracer.closest(batch).unwrap();
            assert_eq!(hits, picked(&closest[turn], &indices), "world {world}, batch {turn}");
            assert_eq!(tracer.any(batch).unwrap(), picked(&occluded[turn], &indices));
            if turn == 0 {
                let own = Hits::new(scene, batch, &hits, HitArrays::ALL);
                assert_eq!(own.primitive_normals, picked(&normals.primitive_normals, &indices));
                assert_eq!(own.faces, picked(&normals.faces, &indices));
                assert_eq!(own.instance_ids, picked(&normals.instance_ids, &indices));
            }
        }
        for (batch, counts) in [batch, choosy].into_iter().zip(&counts) {
            assert_eq!(tracer.count(batch).unwrap(), picked(counts, &indices), "world {world}");
        }
        let own = tracer.all(choosy).unwrap();
        for (ray, &index) in indices.iter().enumerate() {
            assert!(own.of_ray(ray).eq(all.of_ray(index)), "world {world}, ray {index}");
        }
    }
    closest[0].iter().filter(|hit| hit.is_hit()).count()
}

#[test]
fn the_cpu_answers_in_each_world_as_in_that_world_alone() {
    let rng = &mut Rng::with_seed(31);
    let mut hits = 0;
    for (worlds, reach) in [(2, 3.0), (5, 30.0), (9, 3000.0), (70, 10.0)] {
        let (mut scene, movers) = stage(rng, reach);
        add_worlds(rng, &mut scene, &movers, worlds, reach);
        let cpu = |scene: &Scene| -> Box<dyn Tracer> {
            Box::new(CpuTracer::new(&PackedScene::new(scene.clone()).unwrap()))
        };
        hits += compare(rng, &scene, &alone(&scene), 8000, &cpu);
    }
    assert!(hits > 16_000, "{hits}");
}

#[test]
fn devices_answer_in_each_world_as_in_that_world_alone() {
    for &variant in kernel_variants() {
        let rng = &mut Rng::with_seed(32);
        let gpu = gpu().with_kernels(variant);
        for &(worlds, reach) in sweep(&[(3, 5.0)][..], &[(3, 5.0), (20, 300.0)]) {
            let (mut scene, movers) = stage(rng, reach);
            add_worlds(rng, &mut scene, &movers, worlds, reach);
            let alone = alone(&scene);
            if arithmetic().is_correctly_rounded() {
                let on_device = |scene: &Scene| -> Box<dyn Tracer> {
                    let packed = PackedScene::new(scene.clone()).unwrap();
                    Box::new(GpuTracer::new(&gpu, &packed).unwrap())
                };
                assert!(compare(rng, &scene, &alone, 4000, &on_device) > 2000);
            }
            let (rays, numbers) = rays_in_worlds(rng, &alone, 6000);
            let packed = PackedScene::new(scene).unwrap();
            let tracer = GpuTracer::new(&gpu, &packed).unwrap();
            let batch = Batch::new(&rays).in_worlds(&numbers).unwrap();
            let hits = tracer.closest(batch).unwrap();
            let canonical = CanonicalTracer::new(tracer);
            for batch in [batch, batch.solid()] {
                let exact = CpuTracer::new(&packed).closest(batch).unwrap();
                assert_eq!(canonical.closest(batch).unwrap(), exact, "{variant:?}");
            }
            for (world, scene) in alone.iter().enumerate() {
                let (indices, rays) = of_world(&rays, &numbers, world);
                let packed = PackedScene::new(scene.clone()).unwrap();
                let verdicts = verdicts(&packed, &rays, &picked(&hits, &indices));
                assert_eq!(count(&verdicts, Class::Mismatch), 0, "{variant:?}, world {world}");
            }
        }
    }
}

#[test]
fn what_is_asked_without_a_world_is_answered_in_the_first() {
    let rng = &mut Rng::with_seed(33);
    let (mut scene, movers) = stage(rng, 10.0);
    add_worlds(rng, &mut scene, &movers, 4, 10.0);
    let alone = alone(&scene);
    let (rays, _) = rays_in_worlds(rng, &alone, 3000);
    let points: Vec<[f32; 3]> = rays.iter().map(|ray| ray.origin).collect();
    let pack = |scene: &Scene| PackedScene::new(scene.clone()).unwrap();
    let cpu = [&scene, &alone[0]].map(|scene| CpuTracer::new(&pack(scene)));
    let device = [&scene, &alone[0]].map(|scene| GpuTracer::new(&gpu(), &pack(scene)).unwrap());
    for ask in [
        |tracer: &dyn Tracer, rays: &[Ray]| tracer.closest(Batch::new(rays)).unwrap(),
        |tracer: &dyn Tracer, rays: &[Ray]| tracer.closest(Batch::new(rays).solid()).unwrap(),
    ] {
        assert_eq!(ask(&cpu[0], &rays), ask(&cpu[1], &rays));
        assert_eq!(ask(&device[0], &rays), ask(&device[1], &rays));
    }
    assert_eq!(cpu[0].points(&points).unwrap(), cpu[1].points(&points).unwrap());
    assert_eq!(device[0].points(&points).unwrap(), device[1].points(&points).unwrap());
    assert_eq!(cpu[0].nearest_surfaces(&points), cpu[1].nearest_surfaces(&points));
    for (ray, point) in rays.iter().zip(&points).take(300) {
        assert_eq!(cpu[0].brute_force(ray), cpu[1].brute_force(ray));
        assert_eq!(cpu[0].brute_force(ray), cpu[0].nearest(ray));
        let nearest = cpu.each_ref().map(|cpu| cpu.nearest_surface_by_brute_force(*point));
        assert_eq!(nearest[0], nearest[1]);
    }
}

#[test]
fn a_tracer_follows_worlds_that_move() {
    let rng = &mut Rng::with_seed(37);
    let (first, movers) = stage(rng, 10.0);
    let mut scene = first.clone();
    add_worlds(rng, &mut scene, &movers, 6, 10.0);
    let packed = PackedScene::new(scene.clone()).unwrap();
    let mut tracers: Vec<Box<dyn Tracer>> =
        vec![Box::new(CpuTracer::new(&packed)), Box::new(GpuTracer::new(&gpu(), &packed).unwrap())];
    for turn in 0..3 {
        if turn > 0 {
            scene = first.clone();
            let moved: Vec<(NodeId, Transform)> =
                movers.iter().map(|(node, _)| (*node, turned(rng, 10.0, 1.0).into())).collect();
            scene.set_transforms(&moved[turn..]).unwrap();
            add_worlds(rng, &mut scene, &movers, 6, 10.0);
        }
        let (rays, worlds) = rays_in_worlds(rng, &alone(&scene), 3000);
        let batch = Batch::new(&rays).in_worlds(&worlds).unwrap();
        let packed = PackedScene::new(scene.clone()).unwrap();
        let anew: [Box<dyn Tracer>; 2] =
            [Box::new(CpuTracer::new(&packed)), Box::new(GpuTracer::new(&gpu(), &packed).unwrap())];
        for (tracer, anew) in tracers.iter_mut().zip(&anew) {
            let update = tracer.update(&scene).unwrap();
            assert_eq!((update.is_rebuilt, update.moved() > 0), (turn > 0, turn > 0));
            for query in Query::KINDS {
                assert_eq!(tracer.ask(query, batch).unwrap(), anew.ask(query, batch).unwrap());
            }
            let ids = [&**tracer, &**anew].map(|tracer| {
                let hits = tracer.closest(batch).unwrap();
                Hits::new(tracer.scene(), batch, &hits, HitArrays::ALL)
            });
            assert_eq!(ids[0], ids[1]);
        }
    }
}

#[test]
fn a_world_is_the_scene_with_its_shapes_written_out_there() {
    let rng = &mut Rng::with_seed(34);
    let mut worlds = Scene::new();
    let mut written_out = vec![Scene::new(); 5];
    let mut others = vec![Vec::new(); 5];
    for turn in 0..60 {
        let form =
            [&FIRST[..], &[Form::Capsule, Form::Torus, Form::Disc, Form::Cone]].concat()[turn % 7];
        let mut alone = Scene::new();
        alone.add(form.random(rng, 1.0, DVec3::ZERO)).unwrap();
        let definition = Definition::new(alone);
        let node = worlds.add_node(None, &Transform::IDENTITY, Some("part")).unwrap();
        worlds.add_instance_at(node, &definition, None).unwrap();
        let mut place = Transform::IDENTITY;
        for (world, scene) in written_out.iter_mut().enumerate() {
            if world > 0 {
                place = turned(rng, 20.0, 1.1).into();
                others[world].push((node, place));
            }
            scene.write_out(&definition, &place, None, None).unwrap();
        }
    }
    for moved in &others[1..] {
        let mut other = worlds.clone();
        other.set_transforms(moved).unwrap();
        worlds.add_world(&other).unwrap();
    }
    let mut shapes = 0;
    for (scene, world) in written_out.iter().zip(alone(&worlds)) {
        assert_eq!(scene.geometry_count(), world.geometry_count());
        for (id, geometry, placement) in world.written_out().filter(|(.., p)| p.is_none()) {
            assert_eq!((scene.geometry(id), placement), (Some(geometry), None));
            assert_eq!(world.path(id), worlds.path(id));
            shapes += 1;
        }
    }
    assert!(shapes > 200, "{shapes}");
}

#[test]
fn a_moved_shape_takes_at_most_128_bytes_of_a_device_in_each_world() {
    let rng = &mut Rng::with_seed(35);
    let mut scene = random_scene(36, 1000, 0.3, DVec3::splat(4.0));
    let nodes: Vec<NodeId> = (0..30)
        .map(|turn| {
            let mut alone = Scene::new();
            alone.add(FIRST[turn % 3].random(rng, 0.1, DVec3::ZERO)).unwrap();
            let node = scene.add_node(None, &Transform::IDENTITY, None).unwrap();
            scene.add_instance_at(node, &Definition::new(alone), None).unwrap();
            node
        })
        .collect();
    let bytes = |scene: &Scene| PackedScene::new(scene.clone()).unwrap().device_bytes();
    let one = bytes(&scene);
    const WORLDS: u64 = 4096;
    for _ in 1..WORLDS {
        let mut other = scene.clone();
        let moved: Vec<_> =
            nodes.iter().map(|&node| (node, turned(rng, 2.0, 1.0).into())).collect();
        other.set_transforms(&moved).unwrap();
        scene.add_world(&other).unwrap();
    }
    let each = (bytes(&scene) - one) as f64 / (30 * WORLDS) as f64;
    assert!(each <= 128.0, "{each}");
}

#[test]
fn worlds_that_cannot_be_are_refused() {
    let mut plane = Scene::new();
    plane.add(Plane { point: DVec3::ZERO, normal: DVec3::Z, ..flat() }).unwrap();
    let mut ball = Scene::new();
    ball.add(Sphere { center: DVec3::ZERO, radius: 1.0 }).unwrap();
    let mut scene = Scene::new();
    let at = |scene: &mut Scene, name, inner: Scene| {
        let node = scene.add_node(None, &Transform::IDENTITY, Some(name)).unwrap();
        scene.add_instance_at(node, &Definition::new(inner), None).unwrap();
        node
    };
    let ground = at(&mut scene, "ground", plane);
    let ball = at(&mut scene, "ball", ball);
    let up: Transform = Similarity { translation: DVec3::Z, ..Similarity::IDENTITY }.into();

    let mut tilted = scene.clone();
    tilted.set_transform(ground, &up).unwrap();
    let refused = scene.add_world(&tilted).unwrap_err();
    let path = "ground/plane[0]".to_owned();
    assert_eq!(refused, WorldError::Unbounded { world: 1, path });
    let mut larger = scene.clone();
    larger.add(Sphere { center: DVec3::ZERO, radius: 1.0 }).unwrap();
    assert_eq!(scene.add_world(&larger), Err(WorldError::Structure(1)));
    for wrong in [vec![(2, up)], vec![(1, up), (0, up)]] {
        assert_eq!(scene.add_places(wrong, Vec::new()), Err(WorldError::Structure(1)));
    }
    assert_eq!((scene.world_count(), scene.in_world(1).unwrap().is_none()), (1, true));

    let mut higher = scene.clone();
    higher.set_transform(ball, &up).unwrap();
    assert_eq!(scene.add_world(&higher), Ok(1));
    let mut tracer = CpuTracer::new(&PackedScene::new(scene.clone()).unwrap());
    let mut fewer = scene.in_world(0).unwrap().unwrap();
    for other in [&higher, &fewer] {
        let refused = tracer.update(other);
        assert!(matches!(refused, Err(TraceError::Update(UpdateError::Structure))));
    }
    fewer.set_mask(1, 2);
    assert_eq!(scene.add_world(&fewer), Err(WorldError::Structure(2)));
    let rays = [Ray::new([0.0; 3], [0.0, 0.0, 1.0]); 2];
    let batch = Batch::new(&rays);
    assert!(matches!(batch.in_worlds(&[0]), Err(BatchError::Count { given: 1, .. })));
    for query in Query::KINDS {
        let refused = tracer.ask(query, batch.in_worlds(&[1, 2]).unwrap());
        let unknown = BatchError::World { ray: 1, world: 2, worlds: 2 };
        assert!(matches!(refused, Err(TraceError::Batch(error)) if error == unknown));
    }
}
