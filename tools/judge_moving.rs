//! Moves instances through many states, and judges a device's answers in each, to find a state in which one is wrong.
//!
//! `target/release/judge_moving --count 20000 [--seed S] [--minutes M] [--rays N]`
//!
//! A tracer that is updated from state to state, and one that is made anew for the state, answer every kind of query.
//! Each answer is held to the precision promise, and the float64 tracer that was updated to the bits of the new one.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    dead_code,
    reason = "a check that cannot go on stops; it shares its geometries with the tests"
)]

#[path = "../tests/it/common/forms.rs"]
mod forms;

use clap::Parser;
use fastrand::Rng;
use forms::{Form, between, direction};
use raytwin::bvh::Quality;
use raytwin::glam::{DMat3, DQuat, DVec3};
use raytwin::gpu::{AdapterChoice, Gpu, GpuTracer};
use raytwin::ray::Line;
use raytwin::{
    Affine, Answers, CpuTracer, Definition, Hit, NONE, NodeId, PackedScene, Query, Ray,
    RayQuestion, Rays, Scene, Tracer, Transform,
};
use raytwin_verify::{Class, Judge, Rates, Verdict, ray_questions};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

/// The number of states that one scene's instances are moved through.
const STATES: u64 = 20;
/// The forms of a scene. There are few sets, all of which a scene has, because a device compiles its kernels for each.
const FORMS: [[Form; 6]; 4] = [
    [Form::Sphere, Form::Mesh, Form::Cuboid, Form::Cylinder, Form::Tube, Form::Plane],
    [Form::Capsule, Form::Cone, Form::Ellipsoid, Form::Torus, Form::CylinderShell, Form::ConeShell],
    [
        Form::Mesh,
        Form::Heightfield,
        Form::ClosedHeightfield,
        Form::Triangle,
        Form::Disc,
        Form::Sheet,
    ],
    [Form::Torus, Form::Tube, Form::Mesh, Form::Heightfield, Form::Lines, Form::Sphere],
];
/// The largest distance of an instance from the world's origin: no coordinate of a scene may exceed 1e9.
const MAX_EXTENT: f64 = 3e8;

#[derive(Parser)]
struct Arguments {
    /// The number of states.
    #[arg(long, default_value_t = 400)]
    count: u64,
    /// The seed of the first scene; each scene has the seed after that of the one before.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The number of rays in each state.
    #[arg(long, default_value_t = 600)]
    rays: usize,
    /// The time after which no further scene is begun.
    #[arg(long)]
    minutes: Option<f64>,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let gpu = Gpu::open(&AdapterChoice::Any).unwrap_or_else(|error| panic!("{error}"));
    let arithmetic = gpu.measure_arithmetic().unwrap_or_else(|error| panic!("{error}"));
    println!("{}: {arithmetic:?}", gpu.name());
    let start = Instant::now();
    let is_late =
        || arguments.minutes.is_some_and(|minutes| start.elapsed().as_secs_f64() > 60.0 * minutes);
    let mut tally = Tally::default();
    let mut seed = arguments.seed;
    while tally.states < arguments.count && !is_late() {
        let states = STATES.min(arguments.count - tally.states);
        judge_scene(&gpu, seed, states, arguments.rays, &mut tally);
        seed += 1;
        if (seed - arguments.seed).is_multiple_of(10) {
            println!("after {:.0} s: {tally}", start.elapsed().as_secs_f64());
        }
    }
    println!("seeds {}..{seed}, {:.0} s: {tally}", arguments.seed, start.elapsed().as_secs_f64());
    for rate in tally.rates.rates().iter().filter(|rate| rate.is_excessive) {
        println!("more answers are excused than rounding explains: {rate:?}");
    }
    for bias in tally.rates.biases().iter().filter(|bias| bias.is_excessive) {
        println!("a mean error is larger than rounding explains: {bias:?}");
    }
    let is_good = tally.is_good();
    if is_good { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// The outcome of all states so far.
#[derive(Default)]
struct Tally {
    states: u64,
    rebuilt: u64,
    /// The number of answers of each class.
    classes: [u64; Class::ALL.len()],
    /// The number of answers in which the two tracers of the device differ.
    differing: u64,
    faults: u64,
    rates: Rates,
}

impl Tally {
    fn is_good(&self) -> bool {
        // A run in which nothing moves or nothing is near an edge proves little.
        let is_sharp = self.rebuilt > 0 && self.rebuilt < self.states && self.classes[3] > 0;
        self.faults == 0 && is_sharp && !self.rates.is_excessive()
    }
}

impl std::fmt::Display for Tally {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} states, {} of them with a new tree", self.states, self.rebuilt)?;
        for (class, answers) in Class::ALL.iter().zip(self.classes) {
            write!(f, ", {answers} {}", class.name())?;
        }
        write!(f, ", {} differ from a new tracer's, {} faults", self.differing, self.faults)
    }
}

/// A scene whose instances move.
struct Stage {
    scene: Scene,
    movers: Vec<NodeId>,
    /// The node below which half of the movers are.
    rail: NodeId,
    /// The size of the smallest shapes.
    smallest: f64,
    extent: f64,
}

impl Stage {
    fn new(rng: &mut Rng) -> Self {
        let smallest = 10.0_f64.powf(between(rng, -3.0, 1.0));
        let extent = (smallest * 10.0_f64.powf(between(rng, 3.0, 8.0))).min(MAX_EXTENT);
        let forms = FORMS[rng.usize(..FORMS.len())];
        let mut definitions: Vec<Definition> = Vec::new();
        for turn in 0..3 {
            let mut inner = Scene::new();
            // Shapes may lie far from the origin of their own space.
            let middle = [0.0, 0.0, 30.0, 1e3][rng.usize(..4)] * direction(rng);
            let others: Vec<Form> =
                (0..rng.usize(0..3)).map(|_| forms[rng.usize(..forms.len())]).collect();
            for form in forms[2 * turn..2 * turn + 2].iter().chain(&others) {
                let geometry = form.random(rng, 1.0, middle);
                let copies = 1 + usize::from(rng.usize(..4) == 0);
                for _ in 0..copies {
                    let id = inner.add(geometry.clone()).unwrap();
                    inner.set_mask(id, [u32::MAX, 1, 2][rng.usize(..3)]);
                }
            }
            if turn == 2 {
                for outer in &definitions {
                    inner.add_instance(outer, &place(rng, 1.0, 9.0), None, None).unwrap();
                }
            }
            definitions.push(Definition::new(inner));
        }
        let mut stage = Self::empty(rng, smallest, extent);
        for form in &forms[..3] {
            let size = smallest * 10.0_f64.powf(between(rng, 0.0, 4.0));
            let middle = 10.0_f64.powf(between(rng, -4.0, -0.3)) * extent * direction(rng);
            // A shape may be too small for where it is, and is left out then.
            drop(stage.scene.add(form.random(rng, size.min(0.01 * extent), middle)));
        }
        for turn in 0..rng.usize(3..30) {
            let parent = (turn % 2 == 0).then_some(stage.rail);
            let place = stage.place(rng);
            let node = stage.scene.add_node(parent, &place, None).unwrap();
            // What is far from the origin of its own space may be too far away when it is large.
            if stage.scene.add_instance_at(node, &definitions[turn % 3], None).is_ok() {
                stage.movers.push(node);
            }
        }
        stage
    }

    fn empty(rng: &mut Rng, smallest: f64, extent: f64) -> Self {
        let mut scene = Scene::new();
        let rail = scene.add_node(None, &place(rng, 1.0, 0.1 * smallest), Some("rail")).unwrap();
        Self { scene, movers: Vec::new(), rail, smallest, extent }
    }

    fn place(&self, rng: &mut Rng) -> Transform {
        let size = self.smallest * 10.0_f64.powf(between(rng, 0.0, 4.0));
        let share = 10.0_f64.powf(between(rng, -5.0, 0.0));
        place(rng, size.min(1e4), share * self.extent)
    }

    /// Moves all movers, few, none or the rail, or puts one where another is. Places that the scene refuses are skipped.
    fn step(&mut self, rng: &mut Rng) {
        let moved: Vec<(NodeId, Transform)> = match rng.usize(..8) {
            0..3 => self.movers.iter().map(|&node| (node, self.place(rng))).collect(),
            3..5 => {
                let few = |_| (self.movers[rng.usize(..self.movers.len())], self.place(rng));
                (0..3).map(few).collect()
            }
            5 => vec![(self.rail, place(rng, 1.0, 10.0 * self.smallest))],
            6 => {
                let place = self.place(rng);
                (0..3).map(|_| (self.movers[rng.usize(..self.movers.len())], place)).collect()
            }
            _ => Vec::new(),
        };
        for one in moved {
            drop(self.scene.set_transforms(&[one]));
        }
    }
}

/// A map of about this size to a place within reach: a similarity, a mirror, a stretch or a shear.
fn place(rng: &mut Rng, size: f64, reach: f64) -> Transform {
    let rotation = DQuat::from_axis_angle(direction(rng), between(rng, 0.0, 6.0));
    let translation = reach * rng.f64() * direction(rng);
    let scale = match rng.usize(..4) {
        0 => DVec3::splat(size),
        1 => DVec3::new(size, size, -size),
        2 => size * DVec3::new(between(rng, 0.05, 20.0), 1.0, between(rng, 0.05, 20.0)),
        _ => {
            let shear = DMat3::from_cols_array(&[1.0, 0.0, 0.0, 0.7, 1.0, 0.0, -0.4, 0.2, 1.0]);
            return Affine { linear: DMat3::from_quat(rotation) * shear * size, translation }
                .into();
        }
    };
    Affine::from_scale_rotation_translation(scale, rotation, translation).into()
}

/// Moves the instances of one scene through its states, and judges the answers in each.
fn judge_scene(gpu: &Gpu, seed: u64, states: u64, rays: usize, tally: &mut Tally) {
    let rng = &mut Rng::with_seed(seed);
    let mut stage = Stage::new(rng);
    let packed = pack(&stage.scene);
    let mut updated = GpuTracer::new(gpu, &packed).unwrap();
    let mut updated_on_host = CpuTracer::new(&packed);
    for state in 0..states {
        stage.step(rng);
        let update = updated.update(&stage.scene).unwrap();
        assert_eq!(updated_on_host.update(&stage.scene).unwrap(), update);
        let packed = pack(&stage.scene);
        let anew = GpuTracer::new(gpu, &packed).unwrap();
        let judge = Judge::new(&packed);
        tally.states += 1;
        tally.rebuilt += u64::from(update.is_rebuilt);
        for question in questions(&stage.scene, rng, rays) {
            let batch = question.batch().unwrap();
            let ask = |tracer: &dyn Tracer| tracer.ask(question.query, batch).unwrap();
            let [found, found_anew] = [ask(&updated), ask(&anew)];
            let place = format!(
                "--seed {seed}, state {state}, {}, {} (solid: {})",
                question.query.name(),
                question.name,
                question.is_solid
            );
            if !is_same(&ask(&updated_on_host), &ask(judge.reference())) {
                println!("{place}: the float64 tracer differs after an update");
                tally.faults += 1;
            }
            let verdicts = judge.judge(batch, &found).unwrap();
            tally.rates.extend(&verdicts);
            for (ray, verdict) in question.rays.rays.iter().zip(&verdicts) {
                tally.count(verdict);
                if verdict.class == Class::Mismatch {
                    println!("{place}: {ray}: {verdict:?}");
                }
            }
            if !is_same(&found, &found_anew) {
                let verdicts_anew = judge.judge(batch, &found_anew).unwrap();
                compare(&place, &question, &verdicts, &verdicts_anew, tally);
            }
        }
    }
}

/// Returns true if answers have the same bits. The t of an invalid ray is no number.
fn is_same(a: &Answers, b: &Answers) -> bool {
    match (a, b) {
        (Answers::Closest(a), Answers::Closest(b)) => {
            let is_same = |(a, b): (Hit, Hit)| a == b || (a.t.is_nan() && b.t.is_nan());
            a.iter().zip(b.iter()).all(is_same)
        }
        _ => a == b,
    }
}

impl Tally {
    fn count(&mut self, verdict: &Verdict) {
        self.classes[verdict.class as usize] += 1;
        self.faults += u64::from(verdict.class == Class::Mismatch);
    }
}

/// Compares the answers after an update with those of a tracer that is new: they may differ where the promise leaves an
/// answer open, and nowhere else.
fn compare(
    place: &str,
    question: &RayQuestion,
    found: &[Verdict],
    anew: &[Verdict],
    tally: &mut Tally,
) {
    let pairs = found.iter().zip(anew).zip(&question.rays.rays);
    for ((found, anew), ray) in pairs.filter(|((a, b), ray)| a.given != b.given && ray.is_valid()) {
        tally.differing += 1;
        let is_open = |verdict: &Verdict| {
            matches!(verdict.class, Class::Tie | Class::Silhouette | Class::Range)
        };
        if !is_open(found) && !is_open(anew) {
            println!("{place}: {ray}: after an update {found:?}, anew {anew:?}");
            tally.faults += 1;
        }
    }
}

fn pack(scene: &Scene) -> PackedScene {
    PackedScene::with_quality(scene.clone(), Quality::Fast).unwrap()
}

/// Returns rays of all families, plain, filtered and solid, and rays at edges and outlines.
fn questions(scene: &Scene, rng: &mut Rng, rays: usize) -> Vec<RayQuestion> {
    let mut questions = ray_questions(scene, &Query::KINDS, rays / 2, rng.u64(..));
    let at_edges: Vec<Ray> = (0..rays / 2).filter_map(|_| ray_at_edge(rng, scene)).collect();
    let masks = Some(at_edges.iter().map(|_| [u32::MAX, u32::MAX, 1, 2][rng.usize(..4)]).collect());
    let plain = Arc::new(Rays { rays: at_edges, ..Rays::default() });
    let ignored =
        plain.rays.iter().map(|_| [NONE, rng.u32(..scene.geometry_count())][rng.usize(..2)]);
    let filtered = Arc::new(Rays {
        rays: plain.rays.clone(),
        masks,
        ignored: Some(ignored.collect()),
        ..Rays::default()
    });
    for query in Query::KINDS {
        for (name, rays) in [("edges", &plain), ("filtered edges", &filtered)] {
            let rays = Arc::clone(rays);
            questions.push(RayQuestion { name, query, is_solid: false, rays });
        }
    }
    questions
}

/// Returns a ray that passes an outline of a shape, or a corner of a triangle, as nearly as float32 can distinguish.
fn ray_at_edge(rng: &mut Rng, scene: &Scene) -> Option<Ray> {
    let id = rng.u32(..scene.geometry_count());
    let count = scene.geometry(id)?.primitive_count() as u32;
    let primitive = scene.primitive(id, rng.u32(..count))?;
    let size = if primitive.radius() > 0.0 { primitive.radius() } else { 1.0 };
    let away = size * 10.0_f64.powf(between(rng, -0.5, 4.0));
    let origin = (primitive.center() + away * direction(rng)).as_vec3().as_dvec3();
    let stretch = 10.0_f64.powf(between(rng, -2.0, 2.0));
    let ray_to =
        |target: DVec3| Ray::new(origin.as_vec3(), (stretch * (target - origin)).as_vec3());
    if let (Some(raytwin::Shape::Triangle(triangle)), true) = (primitive.shape(), rng.bool()) {
        let [a, b, _] = triangle.vertices;
        let on_edge = a + [0.0, 0.5, rng.f64()][rng.usize(..3)] * (b - a);
        let place = primitive.placement().map(|place| *place.world_from_object());
        return Some(ray_to(place.map_or(on_edge, |place| place.point(on_edge))));
    }
    let is_hit = |target: DVec3| {
        !primitive.crossings(&Line { origin, direction: target - origin }).is_empty()
    };
    let mut inside = primitive.center() + 0.5 * size * rng.f64() * direction(rng);
    let mut outside = primitive.center() + 1.5 * size * direction(rng);
    if !is_hit(inside) || is_hit(outside) {
        return Some(ray_to(inside));
    }
    for _ in 0..50 {
        let middle = 0.5 * (inside + outside);
        *(if is_hit(middle) { &mut inside } else { &mut outside }) = middle;
    }
    Some(ray_to(inside))
}
