//! Scenes whose instances move while tracers go on with them, on both variants of the kernels and on the CPU.

use crate::common::*;
use fastrand::Rng;
use raytwin::bvh::Quality;
use raytwin::glam::{DQuat, DVec3};
use raytwin::gpu::GpuTracer;
use raytwin::math::Similarity;
use raytwin::{
    Affine, Batch, CpuTracer, Definition, Hit, NodeId, PackedScene, Placement, Plane, PointHit,
    Ray, Scene, Sphere, TraceError, Tracer, Transform, UpdateError,
};
use raytwin_verify::Class;

const CARTS: usize = 60;

/// A scene with nodes that move.
#[derive(Clone)]
struct World {
    scene: Scene,
    /// The node below which all others are.
    rail: NodeId,
    carts: Vec<NodeId>,
}

/// Makes a definition of some forms, whose geometries have different masks.
fn definition(rng: &mut Rng, forms: &[Form]) -> Scene {
    let mut group = Scene::new();
    for (form, mask) in forms.iter().zip([u32::MAX, 1, 3].into_iter().cycle()) {
        let id = group.add(form.random(rng, 0.5, DVec3::ZERO)).unwrap();
        group.set_mask(id, mask);
    }
    group
}

impl World {
    /// Makes instances of solids, of closed and open meshes, of an unbounded plane, of groups in groups, and of a definition
    /// in which nothing is visible; and geometries beside them.
    fn new(rng: &mut Rng) -> Self {
        let solids = definition(rng, &[Form::Sphere, Form::Cylinder]);
        let mut nested = definition(rng, &[Form::Sphere]);
        let inner = Definition::new(solids.clone());
        nested.add_instance(&inner, &transform(rng, 2.0), None, None).unwrap();
        let mut half_space = Scene::new();
        half_space.add(Plane::infinite(-20.0 * DVec3::Z, DVec3::Z)).unwrap();
        half_space.add(Sphere { center: DVec3::ZERO, radius: 0.3 }).unwrap();
        let mut hidden = Scene::new();
        let id = hidden.add(Sphere { center: DVec3::ZERO, radius: 9.0 }).unwrap();
        hidden.set_mask(id, 0);
        let definitions =
            [solids, definition(rng, &[Form::Mesh, Form::Triangle]), nested].map(Definition::new);
        let [half_space, hidden] = [half_space, hidden].map(Definition::new);

        let mut scene = Scene::new();
        scene.add(ball_mesh(DVec3::X, 2.0, 8, DQuat::IDENTITY)).unwrap();
        let rail = scene.add_node(None, &Transform::IDENTITY, Some("rail")).unwrap();
        let mut carts = Vec::new();
        for index in 0..CARTS {
            let name = format!("cart{index}");
            let cart = scene.add_node(Some(rail), &transform(rng, 15.0), Some(&name)).unwrap();
            scene.add_instance_at(cart, &definitions[index % 3], None).unwrap();
            if index % 4 == 0 {
                let wheel = scene.add_node(Some(cart), &transform(rng, 1.0), None).unwrap();
                scene.add_instance_at(wheel, &definitions[0], None).unwrap();
                scene.add(Form::Sphere.random(rng, 1.0, DVec3::Y)).unwrap();
            }
            match index {
                7 => drop(scene.add_instance_at(cart, &half_space, None).unwrap()),
                9 => drop(scene.add_instance_at(cart, &hidden, None).unwrap()),
                _ => {}
            }
            carts.push(cart);
        }
        Self { scene, rail, carts }
    }

    /// Moves the carts of these numbers to places within reach.
    fn drive(&mut self, rng: &mut Rng, carts: impl Iterator<Item = usize>, reach: f64) {
        let moved: Vec<(NodeId, Transform)> =
            carts.map(|cart| (self.carts[cart], transform(rng, reach))).collect();
        self.scene.set_transforms(&moved).unwrap();
    }

    /// Makes the move of a frame: of all carts, of few, of none, of the rail below all of them, far away and back.
    fn step(&mut self, rng: &mut Rng, frame: usize) {
        match frame {
            0 => self.drive(rng, 0..CARTS, 15.0),
            1 => self.drive(rng, [3, 7, 9, 8].into_iter(), 20.0),
            2 => {}
            3 => {
                let aside = Similarity { translation: 5.0 * DVec3::Y, ..Similarity::IDENTITY };
                self.scene.set_transform(self.rail, &aside.into()).unwrap();
            }
            4 => self.drive(rng, 0..CARTS / 2, 3000.0),
            5 => self.drive(rng, [0].into_iter(), 10.0),
            _ => self.drive(rng, 0..CARTS, 10.0),
        }
    }

    fn pack(&self) -> PackedScene {
        PackedScene::with_quality(self.scene.clone(), Quality::Fast).unwrap()
    }
}

const FRAMES: usize = 7;

/// Questions of every kind.
struct Questions {
    rays: Vec<Ray>,
    masks: Vec<u32>,
    ignored: Vec<u32>,
    points: Vec<[f32; 3]>,
}

impl Questions {
    fn new(rng: &mut Rng, scene: &Scene) -> Self {
        let rays: Vec<Ray> = (0..1500).map(|_| ray_at(rng, scene)).collect();
        let masks = rays.iter().map(|_| [u32::MAX, 1, 2][rng.usize(..3)]).collect();
        let ignored = rays.iter().map(|_| rng.u32(..scene.geometry_count())).collect();
        let point = |_| {
            let near = scene.primitive(rng.u32(..scene.geometry_count()), 0).unwrap();
            (near.center() + 1.5 * rng.f64() * direction(rng)).as_vec3().to_array()
        };
        Self { points: (0..500).map(point).collect(), rays, masks, ignored }
    }

    fn ask(&self, tracer: &dyn Tracer) -> Answers {
        let batch = Batch::new(&self.rays);
        let choosy = batch.with_masks(&self.masks).unwrap().ignoring(&self.ignored).unwrap();
        let all = tracer.all(batch).unwrap();
        let closest = [batch, batch.solid(), choosy, choosy.solid()];
        Answers {
            closest: closest.map(|batch| tracer.closest(batch).unwrap()),
            any: [batch, choosy].map(|batch| tracer.any(batch).unwrap()),
            count: [batch, choosy].map(|batch| tracer.count(batch).unwrap()),
            all: (0..self.rays.len()).map(|ray| all.of_ray(ray).collect()).collect(),
            points: tracer.points(&self.points).unwrap(),
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
struct Answers {
    closest: [Vec<Hit>; 4],
    any: [Vec<bool>; 2],
    count: [Vec<u32>; 2],
    all: Vec<Vec<Hit>>,
    points: Vec<PointHit>,
}

impl Answers {
    /// Counts the answers of each kind that others differ from.
    fn differing(&self, other: &Self) -> Vec<usize> {
        fn differing<T: PartialEq>(a: &[T], b: &[T]) -> usize {
            assert_eq!(a.len(), b.len());
            a.iter().zip(b).filter(|(a, b)| a != b).count()
        }
        let closest = (0..4).map(|kind| differing(&self.closest[kind], &other.closest[kind]));
        let any = (0..2).map(|kind| differing(&self.any[kind], &other.any[kind]));
        let count = (0..2).map(|kind| differing(&self.count[kind], &other.count[kind]));
        let rest = [differing(&self.all, &other.all), differing(&self.points, &other.points)];
        closest.chain(any).chain(count).chain(rest).collect()
    }
}

#[test]
fn after_each_move_the_answers_are_those_of_a_new_tracer() {
    for gpu in gpus() {
        let rng = &mut Rng::with_seed(1);
        let mut world = World::new(rng);
        let packed = world.pack();
        let new = |packed: &PackedScene| GpuTracer::new(&gpu, packed).unwrap();
        let [mut moving, still, mut late] = [0; 3].map(|_| new(&packed));
        let mut on_host = CpuTracer::new(&packed);
        let at_first = Questions::new(rng, &world.scene);
        let answers_at_first = at_first.ask(&still);
        let [mut refits, mut rebuilds] = [0; 2];
        for frame in 0..FRAMES {
            world.step(rng, frame);
            let update = moving.update(&world.scene).unwrap();
            assert_eq!(on_host.update(&world.scene).unwrap(), update);
            assert_eq!(update.moved() == 0, frame == 2);
            *if update.is_rebuilt { &mut rebuilds } else { &mut refits } += 1;

            let questions = Questions::new(rng, &world.scene);
            let anew = world.pack();
            let found = questions.ask(&moving);
            assert_eq!(questions.ask(&on_host), questions.ask(&CpuTracer::new(&anew)), "{frame}");
            let differing = found.differing(&questions.ask(&new(&anew)));
            println!("{frame}: {differing:?} of {} rays", questions.rays.len());
            // Trees of other boxes may change doubtful answers only.
            let allowed = if update.is_rebuilt { 0 } else { questions.rays.len() / 300 };
            assert!(differing.iter().all(|count| *count <= allowed), "{frame}: {differing:?}");
            let verdicts = verdicts(&anew, &questions.rays, &found.closest[0]);
            assert_eq!(count(&verdicts, Class::Mismatch), 0, "{frame}");
            let hits = found.closest[0].iter().filter(|hit| hit.is_hit()).count();
            assert!(hits > questions.rays.len() / 2, "{frame}: {hits} hits");

            // A tracer that others share the device and the scene with is not disturbed, and may skip moves.
            assert_eq!(at_first.ask(&still), answers_at_first, "{frame}");
            if frame % 3 == 2 {
                late.update(&world.scene).unwrap();
                let differing = questions.ask(&late).differing(&found);
                assert!(differing.iter().all(|count| *count <= allowed), "{frame}: {differing:?}");
            }
        }
        assert!(refits > 1 && rebuilds > 0, "{refits} {rebuilds}");
    }
}

#[test]
fn a_scene_of_another_structure_is_refused_and_the_tracer_goes_on_with_what_it_had() {
    let rng = &mut Rng::with_seed(2);
    let mut world = World::new(rng);
    let packed = world.pack();
    let questions = Questions::new(rng, &world.scene);
    // No kernel has a part in this, so one variant of them is enough.
    let tracers: [Box<dyn Tracer>; 2] =
        [Box::new(CpuTracer::new(&packed)), Box::new(GpuTracer::new(&gpu(), &packed).unwrap())];
    for mut tracer in tracers {
        world.step(rng, 0);
        tracer.update(&world.scene).unwrap();
        let before = questions.ask(tracer.as_ref());
        let mut changed = world.clone();
        changed.step(rng, 0);
        let mut larger = changed.scene.clone();
        larger.add(Sphere { center: DVec3::ZERO, radius: 1.0 }).unwrap();
        let mut hidden = changed.scene.clone();
        hidden.hide(0);
        let mut of_one_instance = changed.scene.clone();
        of_one_instance.hide(hidden.geometry_count() - 2);
        for other in [larger, hidden, of_one_instance, Scene::new()] {
            let refused = tracer.update(&other);
            assert!(matches!(refused, Err(TraceError::Update(UpdateError::Structure))));
            assert_eq!(questions.ask(tracer.as_ref()), before);
        }
        // The places that the refused scenes had are taken over later.
        assert!(tracer.update(&changed.scene).unwrap().moved() > 0);
        assert_ne!(questions.ask(tracer.as_ref()), before);
    }
}

#[test]
fn a_refused_move_moves_nothing() {
    let rng = &mut Rng::with_seed(3);
    let mut world = World::new(rng);
    world.step(rng, 0);
    let places = |scene: &Scene| -> Vec<Placement> {
        scene.instances().iter().map(|instance| *instance.placement()).collect()
    };
    let before = places(&world.scene);
    let mut untouched = world.clone();
    let flat = Affine::from_scale_rotation_translation(DVec3::X, DQuat::IDENTITY, DVec3::ZERO);
    let far = Similarity { translation: 1e12 * DVec3::X, ..Similarity::IDENTITY };
    for refused in [flat.into(), far.into()] {
        let mut moved: Vec<(NodeId, Transform)> =
            world.carts.iter().map(|cart| (*cart, transform(rng, 15.0))).collect();
        moved[CARTS - 3].1 = refused;
        moved.push((world.rail, transform(rng, 1.0)));
        let error = world.scene.set_transforms(&moved).unwrap_err();
        assert_eq!(error.field, format!("rail/cart{}", CARTS - 3));
        assert_eq!(places(&world.scene), before);
        assert!(Scene::new().set_transforms(&moved).is_err());
    }
    // The nodes are where they were too, so that the next move of the rail takes all to the same places.
    world.step(rng, 3);
    untouched.step(rng, 3);
    assert_eq!(places(&world.scene), places(&untouched.scene));
    assert_ne!(places(&world.scene), before);
}

#[test]
fn a_scene_about_another_origin_is_another_scene() {
    let ball = |origin: DVec3| {
        let mut scene = Scene::with_origin(origin);
        scene.add(Sphere { center: origin, radius: 1.0 }).unwrap();
        scene
    };
    let mut tracer = CpuTracer::new(&PackedScene::new(ball(DVec3::ZERO)).unwrap());
    assert_eq!(tracer.update(&ball(DVec3::ZERO)).unwrap().moved(), 0);
    let refused = tracer.update(&ball(DVec3::X));
    assert!(matches!(refused, Err(TraceError::Update(UpdateError::Structure))));
}
