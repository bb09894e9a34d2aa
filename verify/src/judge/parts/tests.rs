use crate::{Class, Judge};
use glam::DVec3;
use raytwin::cpu::CpuTracer;
use raytwin::math::U;
use raytwin::packed::PackedScene;
use raytwin::query::{Answers, Batch, Hits};
use raytwin::ray::{NONE, Ray};
use raytwin::scene::Scene;
use raytwin::shapes::Sphere;
use raytwin::tracer::Tracer;

/// Unit balls at 10 and 20 on x, the second one twice but for a rounding, and one to which the axis
/// is a tangent.
fn scene() -> PackedScene {
    let mut scene = Scene::new();
    for (x, y, radius) in
        [(10.0, 0.0, 1.0), (20.0, 0.0, 1.0), (20.0, 0.0, 0.999_999_9), (30.0, 1.0, 1.0)]
    {
        scene.add(Sphere { center: DVec3::new(x, y, 0.0), radius }).unwrap();
    }
    PackedScene::new(scene).unwrap()
}

fn of_ids(geometry_ids: &[u32], primitive_ids: &[u32]) -> Answers {
    let [geometry_ids, primitive_ids] = [geometry_ids, primitive_ids].map(<[u32]>::to_vec);
    Answers::Closest(Hits { geometry_ids, primitive_ids, ..Hits::default() })
}

fn class(ray: Ray, id: u32) -> Class {
    let judge = Judge::new(&scene());
    let primitive = if id == NONE { NONE } else { 0 };
    let classes = [of_ids(&[id], &[primitive]), of_ids(&[id], &[])].map(|answers| {
        let verdict = judge.judge(Batch::new(&[ray]), &answers).unwrap().remove(0);
        assert_eq!((verdict.error, verdict.distance_error), (None, None));
        verdict.class
    });
    assert_eq!(classes[0], classes[1], "{id}");
    classes[0]
}

#[test]
fn ids_alone_are_those_of_the_closest_hit_or_of_a_tie() {
    let along = Ray::new([0.0; 3], [1.0, 0.0, 0.0]);
    assert_eq!(class(along, 0), Class::Exact);
    for wrong in [1, 2, 3, NONE] {
        assert_eq!(class(along, wrong), Class::Mismatch, "{wrong}");
    }
    let behind = along.within(12.0, 100.0);
    assert_eq!([1, 2, 3].map(|id| class(behind, id)), [Class::Exact, Class::Tie, Class::Mismatch]);
    let between = along.within(12.0, 15.0);
    assert_eq!([NONE, 0].map(|id| class(between, id)), [Class::Exact, Class::Mismatch]);
    let outside = Ray::new([0.0, 1.0 + 2e-6, 0.0], [1.0, 0.0, 0.0]).within(0.0, 15.0);
    assert_eq!([NONE, 0].map(|id| class(outside, id)), [Class::Exact, Class::Silhouette]);
    let at_end = along.within(0.0, 9.0);
    assert_eq!([0, NONE].map(|id| class(at_end, id)), [Class::Exact, Class::Range]);
    let invalid = along.within(2.0, 1.0);
    assert_eq!([NONE, 0].map(|id| class(invalid, id)), [Class::Exact, Class::Mismatch]);
}

#[test]
fn what_is_not_given_is_neither_judged_nor_an_error() {
    let judge = Judge::new(&scene());
    let ray = [Ray::new([0.0; 3], [1.0, 0.0, 0.0])];
    let of_t = |t: f32| Answers::Closest(Hits { t_hit: vec![t], ..Hits::default() });
    let verdict = |answers| judge.judge(Batch::new(&ray), &answers).unwrap().remove(0);
    let near = verdict(of_t(9.0_f32.next_up()));
    assert_eq!((near.class, near.given.hit().geometry_id), (Class::Within, NONE));
    let error = near.distance_error.unwrap();
    assert!((error - 9.5e-7).abs() < 1e-8, "{error}");
    let far = verdict(of_t(9.5));
    assert_eq!((far.class, far.distance_error), (Class::Mismatch, Some(0.5)));
    assert_eq!(verdict(of_t(f32::INFINITY)).class, Class::Mismatch);
    assert!(judge.judge(Batch::new(&ray), &of_ids(&[], &[0])).is_err(), "of no geometry");
    assert!(judge.judge(Batch::new(&ray), &of_ids(&[], &[])).is_err(), "of nothing");
    assert!(judge.judge(Batch::new(&ray), &of_ids(&[0, 0], &[])).is_err(), "of two rays");
    let brute = Judge::by_brute_force(&scene());
    assert!(brute.judge(Batch::new(&ray), &of_ids(&[0], &[0])).is_err(), "of our own traversal");
}

/// A ball of almost the radius of another that stands in the same place, both seen from afar.
fn twins(radii: [f64; 2]) -> Scene {
    let mut scene = Scene::new();
    for radius in radii {
        scene.add(Sphere { center: DVec3::ZERO, radius }).unwrap();
    }
    scene
}

/// A device whose surfaces are displaced answers rightly, and so does each part of its answers: by a
/// displacement that is no larger.
#[test]
fn parts_of_right_answers_are_right_and_need_no_larger_displacement() {
    let delta = 16.0 * U * 100.0;
    let scene = twins([1.0, 1.0 - 0.4 * delta]);
    let judge = Judge::new(&PackedScene::new(scene.clone()).unwrap());
    let from = DVec3::new(100.0, 0.0, 0.0);
    let ray = |number: i32| {
        let aside = 1.0 + 0.04 * f64::from(number) * delta;
        let target = [DVec3::new(0.0, aside, 0.0), DVec3::new(0.0, 0.01 * f64::from(number), 0.3)];
        target.map(|target| Ray::new(from.as_vec3(), (target - from).normalize().as_vec3()))
    };
    let rays: Vec<Ray> = (-50..50).flat_map(ray).collect();
    let mut excused = 0;
    for shares in [[-0.9, 0.3], [-0.3, 0.6], [0.4, -0.2], [0.9, 0.9]] {
        let [a, b] = shares.map(|share| share * delta);
        let device = twins([1.0 + a, 1.0 - 0.4 * delta + b]);
        let device = CpuTracer::new(&PackedScene::new(device).unwrap());
        for batch in [Batch::new(&rays), Batch::new(&rays).solid()] {
            let whole = Hits::of(&device.closest(batch).unwrap());
            let t_hit = Vec::new();
            let parts = [
                Hits { t_hit: t_hit.clone(), ..whole.clone() },
                Hits { t_hit, primitive_ids: Vec::new(), ..whole.clone() },
                Hits { t_hit: whole.t_hit.clone(), ..Hits::default() },
                Hits { primitive_ids: Vec::new(), ..whole.clone() },
            ];
            let verdicts = |hits: Hits| judge.judge(batch, &Answers::Closest(hits)).unwrap();
            let of_whole = verdicts(whole);
            for of_part in parts.map(verdicts) {
                for (part, whole) in of_part.iter().zip(&of_whole) {
                    assert_ne!(whole.class, Class::Mismatch, "{shares:?} {whole:?}");
                    assert_ne!(part.class, Class::Mismatch, "{shares:?} {part:?} {whole:?}");
                    if let (Some(part), Some(whole)) = (part.cause, whole.cause) {
                        let most = whole.displacement + 0.1;
                        assert!(part.displacement <= most, "{shares:?} {part:?} {whole:?}");
                        excused += 1;
                    }
                }
            }
        }
    }
    assert!(excused > 300, "{excused}");
}
