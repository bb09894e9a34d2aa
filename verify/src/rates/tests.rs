use super::*;
use crate::Judge;
use fastrand::Rng;
use glam::DVec3;
use raytwin::math::U;
use raytwin::query::{Batch, Query};
use raytwin::ray::{Hit, Ray};
use raytwin::{CpuTracer, PackedScene, Scene, Sphere, Tracer};

/// The distance of every ray's origin, δ there, and the radius of the sphere.
const DISTANCE: f64 = 100.0;
const DELTA: f64 = 16.0 * U * DISTANCE;
const RADIUS: f64 = 1.0;

fn packed(radius: f64) -> PackedScene {
    let mut scene = Scene::new();
    scene.add(Sphere { center: DVec3::ZERO, radius }).unwrap();
    PackedScene::new(scene).unwrap()
}

/// Makes rays at a sphere about the origin, many of which pass within 2 δ of its outline.
fn rays(seed: u64, count: usize) -> Vec<Ray> {
    let rng = &mut Rng::with_seed(seed);
    let ray = |turn| {
        let mut vector = || DVec3::new(rng.f64(), rng.f64(), rng.f64()) - 0.5;
        let [away, aside] = [vector().normalize(), vector()];
        let aside = away.cross(aside).normalize();
        let share =
            if turn % 2 == 0 { rng.f64() } else { 1.0 + 2.0 * DELTA * (2.0 * rng.f64() - 1.0) };
        // A tangent touches a point nearer than the centre, and the closest point of the line is at
        // this distance.
        let sine = share * RADIUS / DISTANCE;
        let way = sine * aside - (1.0 - sine * sine).sqrt() * away;
        Ray::new((DISTANCE * away).as_vec3(), way.as_vec3())
    };
    (0..count).map(ray).collect()
}

/// Returns the rates of a device that sees the sphere's radius off by a random share of δ within an
/// interval.
fn rates(seed: u64, query: Query, [from, to]: [f64; 2]) -> Rates {
    const STEPS: usize = 9;
    let rays = rays(seed, 6000);
    let judge = Judge::new(&packed(RADIUS));
    let mut rates = Rates::default();
    let rng = &mut Rng::with_seed(seed);
    let mut by_step: Vec<Vec<Ray>> = vec![Vec::new(); STEPS];
    rays.into_iter().for_each(|ray| by_step[rng.usize(..STEPS)].push(ray));
    for (step, rays) in by_step.iter().enumerate() {
        let share = from + (to - from) * step as f64 / (STEPS - 1) as f64;
        let device = CpuTracer::new(&packed(RADIUS + share * DELTA));
        let batch = Batch::new(rays);
        let verdicts = judge.judge(batch, &device.ask(query, batch).unwrap()).unwrap();
        assert!(verdicts.iter().all(|verdict| verdict.class != Class::Mismatch));
        rates.extend(&verdicts);
    }
    rates
}

#[test]
fn a_device_that_is_wrong_by_most_of_the_allowance_everywhere_is_noticed() {
    for query in Query::KINDS {
        for share in [-0.8, 0.8, 0.5] {
            let rates = rates(1, query, [share; 2]);
            let [_, silhouette, _] = rates.rates();
            assert!(silhouette.is_excessive, "{query:?} {share}: {silhouette:?}");
            let biased = rates.biases().iter().any(|bias| bias.is_excessive);
            assert_eq!(biased, query == Query::CLOSEST, "{query:?} {share}: {:?}", rates.biases());
        }
    }
}

#[test]
fn a_device_that_rounds_is_never_suspected() {
    for seed in 0..60 {
        let query = Query::KINDS[seed as usize % Query::KINDS.len()];
        let rates = rates(seed, query, [-0.2, 0.2]);
        assert!(!rates.is_excessive(), "{seed}: {:?} {:?}", rates.rates(), rates.biases());
        assert!(rates.rates()[1].answers > 20);
    }
}

#[test]
fn the_mean_of_an_error_is_told_from_its_noise() {
    let verdict = |class, t: f32, error| Verdict {
        class,
        row: "sphere",
        error: Some(error),
        distance_error: None,
        cause: Some(super::super::Cause {
            geometry_id: 0,
            primitive_id: 0,
            t: 1.0,
            displacement: error,
        }),
        given: Answer::Closest(Hit { t, geometry_id: 0, primitive_id: 0 }),
        exact: Answer::Any(false),
    };
    let mut even = Rates::default();
    let mut biased = Rates::default();
    for turn in 0..1000 {
        let t = if turn % 2 == 0 { 0.9 } else { 1.1 };
        even.extend(&[verdict(Class::Within, t, 0.7)]);
        biased.extend(&[verdict(Class::Within, 1.1, 0.4)]);
    }
    assert!(!even.is_excessive() && even.biases()[0].mean.abs() < 1e-9);
    assert!(biased.is_excessive() && (biased.biases()[0].mean - 0.4).abs() < 1e-9);
    let mut few = Rates::default();
    few.extend(&vec![verdict(Class::Within, 1.1, 0.4); 2]);
    assert!(!few.is_excessive(), "two answers prove nothing");
    // Exact answers count as zero.
    biased.extend(&vec![verdict(Class::Exact, 1.0, 0.0); 3000]);
    assert!((biased.biases()[0].mean - 0.1).abs() < 1e-9);
}

#[test]
fn quantiles_leave_the_probability_of_a_false_alarm() {
    let tail = |mean: f64, number: u64| {
        let mut term = libm::exp(-mean);
        let mut sum = 0.0;
        for index in 1..2000 {
            term *= mean / index as f64;
            if index > number {
                sum += term;
            }
        }
        sum
    };
    for mean in [0.01, 0.5, 3.0, 40.0, 450.0] {
        let number = poisson_quantile(mean, FALSE_ALARM);
        assert!(tail(mean, number) <= 1.1 * FALSE_ALARM, "{mean}: {number}");
        assert!(tail(mean, number - 1) > 0.9 * FALSE_ALARM, "{mean}: {number}");
    }
    for mean in [601.0, 650.0, 690.0] {
        let tail = tail(mean, poisson_quantile(mean, FALSE_ALARM));
        assert!((0.1 * FALSE_ALARM..FALSE_ALARM).contains(&tail), "{mean}: {tail}");
    }
    assert_eq!(poisson_quantile(0.0, FALSE_ALARM), 0);
}
