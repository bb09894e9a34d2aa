use super::*;
use crate::camera::{Camera, Projection, View};
use crate::gpu::{AdapterChoice, GpuTracer, PointTester};
use crate::point_in_shape::SphereTest;
use crate::query::{Query, Rays};
use crate::question::{Question, RayQuestion};
use crate::sample::{RayGenerator, Sampler};
use crate::shapes::{Cuboid, Plane, Sphere};
use crate::{Batch, PackedScene, Ray, Scene, Tracer};
use glam::{DQuat, DVec3};
use std::sync::Arc;

fn spheres(count: u32) -> Scene {
    let mut scene = Scene::new();
    for index in 0..count {
        scene.add(Sphere { center: DVec3::X * f64::from(index), radius: 0.4 }).unwrap();
    }
    scene
}

/// Returns how many modules and pipelines the device has compiled.
fn compiled(gpu: &Gpu) -> [usize; 2] {
    [gpu.pipelines.modules.len(), gpu.pipelines.pipelines.len()]
}

/// Asks every kind of query of a scene on a device.
fn ask_all(gpu: &Gpu, scene: &Scene) {
    let packed = PackedScene::new(scene.clone()).unwrap();
    let tracer = GpuTracer::new(gpu, &packed).unwrap();
    let rays = [Ray::new([-3.0, 0.1, 0.0], [1.0, 0.0, 0.0]); 5];
    let batch = Batch::new(&rays);
    tracer.closest(batch).unwrap();
    tracer.closest(batch.solid()).unwrap();
    tracer.any(batch).unwrap();
    tracer.all(batch).unwrap();
    tracer.points(&[[0.0; 3]]).unwrap();
}

#[test]
fn scenes_that_differ_only_in_numbers_share_what_was_compiled() {
    let gpu = Gpu::open(&AdapterChoice::Any).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(compiled(&gpu), [0, 0]);
    ask_all(&gpu, &spheres(3));
    // Rays that meet surfaces and rays that meet solids need a module each; the pipelines are the
    // closest hits of both, any hit, all crossings, and points.
    assert_eq!(compiled(&gpu), [2, 5]);
    ask_all(&gpu.clone(), &spheres(50));
    assert_eq!(compiled(&gpu), [2, 5], "a second scene compiles nothing");

    let mut with_box = spheres(3);
    with_box.add(Plane::infinite(DVec3::ZERO, DVec3::Z)).unwrap();
    let half_extents = DVec3::ONE;
    with_box.add(Cuboid { center: DVec3::ZERO, half_extents, rotation: DQuat::IDENTITY }).unwrap();
    ask_all(&gpu, &with_box);
    assert_eq!(compiled(&gpu), [4, 10], "other primitives are other capabilities");
}

#[test]
fn a_tracer_compiles_nothing_until_it_is_asked() {
    let gpu = Gpu::open(&AdapterChoice::Any).unwrap_or_else(|error| panic!("{error}"));
    let packed = PackedScene::new(spheres(3)).unwrap();
    let tracer = GpuTracer::new(&gpu, &packed).unwrap();
    assert_eq!(compiled(&gpu), [0, 0]);
    tracer.any(Batch::new(&[Ray::new([-3.0, 0.1, 0.0], [1.0, 0.0, 0.0])])).unwrap();
    assert_eq!(compiled(&gpu), [1, 1]);
}

/// Asks an image, points, and queries of plain rays, of rays with masks and of those that meet
/// solids.
fn questions() -> Vec<Question> {
    let projection = Projection::Perspective { fov_y_degrees: 40.0 };
    let camera = Camera::look_at("c", DVec3::Z * 9.0, DVec3::ZERO, None, projection).unwrap();
    let image = Question::Image(Box::new((&View::new(camera, 4, 4).unwrap()).into()));
    let points = Question::Points(vec![[0.0; 3]]);
    let rays = vec![Ray::new([-3.0, 0.1, 0.0], [1.0, 0.0, 0.0]); 5];
    let plain = Arc::new(Rays { rays, ..Rays::default() });
    let masked = Arc::new(Rays { masks: Some(vec![1; 5]), ..Rays::clone(&plain) });
    let mut questions = vec![image, points, Question::Points(Vec::new())];
    for query in Query::KINDS {
        let kinds = [(&plain, query.takes_solids()), (&plain, false), (&masked, false)];
        questions.extend(kinds.map(|(rays, is_solid)| {
            let rays = Arc::clone(rays);
            Question::Rays(RayQuestion { name: "some", query, is_solid, rays })
        }));
    }
    questions
}

#[test]
fn what_is_prepared_is_what_questions_need() {
    let (few, more) = (spheres(3), {
        let mut scene = spheres(2);
        scene.add(Plane::infinite(DVec3::ZERO, DVec3::Z)).unwrap();
        scene
    });
    let [first, second] = [few, more].map(|scene| PackedScene::new(scene).unwrap());
    let asked = questions();
    let some = &asked[..2];
    let open = || Gpu::open(&AdapterChoice::Any).unwrap_or_else(|error| panic!("{error}"));
    let answer = |gpu: &Gpu| {
        for (packed, questions) in [(&first, &asked[..]), (&second, some)] {
            let tracer = GpuTracer::new(gpu, packed).unwrap();
            for question in questions {
                tracer.answer(question, 0..question.len()).unwrap();
            }
        }
        compiled(gpu)
    };
    let [prepared, unprepared] = [open(), open()];
    let of_first = asked.iter().map(|question| (&first, question));
    prepared.prepare(of_first.chain(some.iter().map(|question| (&second, question))), None);
    let before = compiled(&prepared);
    assert_eq!([before, answer(&prepared)], [answer(&unprepared); 2]);
}

#[test]
fn sampling_compiles_the_kernels_of_paths_only_for_paths() {
    let gpu = Gpu::open(&AdapterChoice::Any).unwrap_or_else(|error| panic!("{error}"));
    let packed = PackedScene::new(spheres(3)).unwrap();
    let tracer = GpuTracer::new(&gpu, &packed).unwrap();
    let lines = RayGenerator::lines_through(packed.scene());
    let sampler = || Sampler::new(packed.scene(), lines.clone(), 1).unwrap();
    tracer.sample(&sampler(), 0..10).unwrap();
    assert_eq!(compiled(&gpu), [2, 4], "rays, their interval, their closest hits and the sums");
    tracer.sample(&sampler().with_paths(), 0..10).unwrap();
    assert_eq!(compiled(&gpu), [2, 6], "crossings, and the sums over paths");
}

#[test]
fn tracers_of_many_threads_compile_a_pipeline_once() {
    let gpu = Gpu::open(&AdapterChoice::Any).unwrap_or_else(|error| panic!("{error}"));
    std::thread::scope(|scope| {
        for count in 1..5 {
            let gpu = &gpu;
            scope.spawn(move || ask_all(gpu, &spheres(count)));
        }
    });
    assert_eq!(compiled(&gpu), [2, 5]);
}

#[test]
fn point_tests_share_what_was_compiled() {
    let gpu = Gpu::open(&AdapterChoice::Any).unwrap_or_else(|error| panic!("{error}"));
    let ball = SphereTest::new(DVec3::ZERO, 1.0).unwrap();
    for _ in 0..2 {
        PointTester::new(&gpu).unwrap().contains(&[ball], &[[0.0; 3]]).unwrap();
        assert_eq!(compiled(&gpu), [1, 1]);
    }
}
