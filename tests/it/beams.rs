//! Beams on two devices: returns differ only where the contract lets them, and canonical ones are equal to the bit.

use crate::common::beam_judge::{BeamJudge, Body, refusal, scene_of};
use crate::common::*;
use fastrand::Rng;
use raytwin::camera::{Beam, Elevation, Panorama, Pulse, ReturnMode, ReturnRules};
use raytwin::glam::DVec3;
use raytwin::gpu::GpuTracer;
use raytwin::returns::{RayScope, Return, cast_beams};
use raytwin::{
    Camera, CanonicalTracer, CpuTracer, PackedScene, PosedView, Projection, RangeNoise, Sensor,
    Tracer, View,
};
use std::ops::Range;

/// A lidar that looks along x, over a third of a turn.
fn lidar(eye: DVec3, size: [u32; 2], sensor: Sensor) -> PosedView {
    let panorama = Panorama::new([60.0, -60.0], Elevation::Range([25.0, -25.0]));
    let projection = Projection::Panoramic(panorama);
    let camera = Camera::look_at("lidar", eye, eye + DVec3::X, None, projection).unwrap();
    let view = View::new(camera.with_sensor(sensor).unwrap(), size[0], size[1]).unwrap();
    PosedView::from(view)
}

fn sensor(divergence_mrad: f64, subrays: u32, mode: ReturnMode, max: u8) -> Sensor {
    let pulse = Pulse {
        beam: Some(Beam { divergence_mrad, exit_diameter: 0.01, subrays }),
        returns: Some(ReturnRules { max, mode, range_resolution: 0.3 }),
        attenuation_per_km: 2.0,
        detection_limit: 0.0,
    };
    Sensor { pulse, ..Sensor::default() }
}

/// Bodies of one kind or of several, ahead of a lidar.
fn bodies(
    seed: u64,
    kinds: &[usize],
    count: usize,
    [near, far]: [f64; 2],
    size: f64,
) -> Vec<(Body, f32)> {
    let rng = &mut Rng::with_seed(seed);
    let mut all = Vec::new();
    for turn in 0..count {
        let away = near + (far - near) * rng.f64();
        let [side, up] = [0, 1].map(|_| rng.f64() - 0.5);
        let middle = away * DVec3::new(1.0, 1.6 * side, 0.5 * up);
        let length = size * (0.3 + rng.f64());
        let body = match kinds[turn % kinds.len()] {
            0 => Body::Ball { center: middle, radius: length },
            1 => {
                let sizes = DVec3::new(rng.f64(), rng.f64(), rng.f64());
                Body::Block { center: middle, half_extents: length * (0.2 + sizes) }
            }
            _ => {
                let way = direction(rng);
                Body::Post { start: middle, end: middle + 8.0 * length * way, radius: 0.2 * length }
            }
        };
        all.push((body.rounded(), 0.25 + 0.125 * rng.u8(..6) as f32));
    }
    let wall = Body::Wall { point: DVec3::X * (far + 4.0 * size), normal: DVec3::NEG_X };
    all.push((wall.rounded(), 0.5));
    all
}

/// A scene with a lidar before it.
struct Trial {
    name: &'static str,
    bodies: Vec<(Body, f32)>,
    posed: PosedView,
    /// The largest share of beams that may be in doubt, so that the rest prove something.
    in_doubt: f64,
}

fn trials() -> Vec<Trial> {
    let size = [sweep(48, 480), sweep(24, 240)];
    let eye = DVec3::new(0.0, 0.25, -0.5);
    let with = |change: &dyn Fn(&mut Sensor), mut sensor: Sensor| {
        change(&mut sensor);
        sensor
    };
    let trial = |name, bodies, sensor, in_doubt| Trial {
        name,
        bodies,
        posed: lidar(eye, size, sensor),
        in_doubt,
    };
    let all = ReturnMode::All;
    vec![
        trial("edges", bodies(1, &[1], 40, [5.0, 30.0], 0.8), sensor(8.0, 19, all, 5), 0.01),
        trial("poles", bodies(2, &[2], 60, [4.0, 20.0], 0.3), sensor(20.0, 37, all, 2), 0.01),
        trial(
            "far",
            bodies(3, &[0, 1, 2], 60, [2e3, 2e4], 300.0),
            with(
                &|it| {
                    it.pulse.attenuation_per_km = 0.05;
                    it.pulse.returns.as_mut().unwrap().range_resolution = 30.0;
                },
                sensor(15.0, 7, all, 5),
            ),
            0.05,
        ),
        trial(
            "limits",
            bodies(4, &[0, 1, 2], 60, [4.0, 40.0], 0.6),
            with(
                &|it| {
                    it.pulse.detection_limit = 1.5e-4;
                    (it.range_min, it.range_max) = (6.0, 48.0);
                },
                sensor(12.0, 19, ReturnMode::Last, 15),
            ),
            0.01,
        ),
        trial(
            "strongest",
            bodies(5, &[0, 2], 50, [3.0, 9.0], 0.2),
            sensor(30.0, 37, ReturnMode::Strongest, 15),
            0.01,
        ),
        trial("lines", bodies(6, &[0, 1, 2], 60, [4.0, 40.0], 0.6), Sensor::default(), 0.01),
    ]
}

fn cast(tracer: &dyn Tracer, posed: &PosedView, pixels: Range<usize>) -> Vec<Return> {
    cast_beams(tracer, posed, pixels, RayScope::default()).unwrap()
}

/// The returns of each pixel.
fn by_pixel(posed: &PosedView, returns: &[Return]) -> Vec<Vec<Return>> {
    let mut all = vec![Vec::new(); posed.view().pixels()];
    returns.iter().for_each(|it| all[it.pixel].push(*it));
    all
}

/// The numbers of a return that differ in no bit where answers are canonical.
fn bits(it: &Return) -> [u32; 13] {
    let [x, y, z] = it.normal.map(f32::to_bits);
    [
        it.pixel as u32,
        it.distance.to_bits(),
        it.hit.t.to_bits(),
        it.hit.geometry_id,
        it.hit.primitive_id,
        x,
        y,
        z,
        it.cosine.to_bits(),
        it.intensity.to_bits(),
        it.weight.to_bits(),
        it.number.into(),
        it.count.into(),
    ]
}

fn all_bits(returns: &[Return]) -> Vec<[u32; 13]> {
    returns.iter().map(bits).collect()
}

#[test]
fn returns_differ_only_within_the_bounds_of_the_contract() {
    for Trial { name, bodies, posed, in_doubt: allowed } in trials() {
        let packed = PackedScene::new(scene_of(&bodies)).unwrap();
        let judge = BeamJudge::new(&bodies, &posed);
        let pixels = posed.view().pixels();
        let tracers: [&dyn Tracer; 2] =
            [&CpuTracer::new(&packed), &GpuTracer::new(&gpu(), &packed).unwrap()];
        let answers = tracers.map(|tracer| by_pixel(&posed, &cast(tracer, &posed, 0..pixels)));
        let [mut in_doubt, mut of_several] = [0, 0];
        for pixel in 0..pixels {
            let Some(sure) = judge.sure_returns(pixel) else {
                in_doubt += 1;
                continue;
            };
            of_several += usize::from(sure.len() > 1);
            for (answer, device) in answers.iter().zip(["the CPU", "the GPU"]) {
                let refused = refusal(&sure, &answer[pixel]);
                assert!(refused.is_none(), "{name}, pixel {pixel} on {device}: {refused:?}");
            }
        }
        let share = in_doubt as f64 / pixels as f64;
        assert!(share <= allowed, "{name}: {share} of the beams are in doubt");
        let returns: usize = answers[1].iter().map(Vec::len).sum();
        assert!(returns > pixels / 4, "{name}: {returns} returns");
        let is_several = answers[0].iter().any(|it| it.len() > 1);
        assert_eq!(of_several > 20, is_several, "{name}: {of_several} beams of several returns");
    }
}

/// A change that must be noticed, and its name.
type Change<T> = (&'static str, fn(&mut T));

#[test]
fn returns_that_are_wrong_by_more_are_refused() {
    let Trial { bodies, posed, .. } = trials().swap_remove(0);
    let packed = PackedScene::new(scene_of(&bodies)).unwrap();
    let (tracer, judge) = (CpuTracer::new(&packed), BeamJudge::new(&bodies, &posed));
    let pixels = posed.view().pixels();
    let answers = by_pixel(&posed, &cast(&tracer, &posed, 0..pixels));
    let sure: Vec<_> = (0..pixels).filter_map(|it| Some((it, judge.sure_returns(it)?))).collect();
    let faults: [Change<Vec<Return>>; 9] = [
        ("one is lost", |all| all.truncate(all.len() - 1)),
        ("one comes twice", |all| all.push(all[0])),
        ("two are swapped", |all| all.swap(0, 1)),
        ("another body", |all| all[0].hit.geometry_id ^= 1),
        ("a thousandth farther", |all| all[1].distance *= 1.001),
        ("a thousandth brighter", |all| all[0].intensity *= 1.001),
        ("a ray less", |all| all[1].intensity *= 18.0 / 19.0),
        ("another number", |all| all[0].number = 2),
        ("another count", |all| all[1].count += 1),
    ];
    for (what, fault) in faults {
        let mut tried = 0;
        for (pixel, sure) in sure.iter().filter(|(_, sure)| sure.len() > 1) {
            let mut returns = answers[*pixel].clone();
            assert!(refusal(sure, &returns).is_none());
            fault(&mut returns);
            assert!(refusal(sure, &returns).is_some(), "{what}, pixel {pixel}");
            tried += 1;
        }
        assert!(tried > 20, "{what}: {tried}");
    }
    // An instrument of slightly other rules is told apart, too.
    let changes: [Change<Pulse>; 3] = [
        ("resolution", |pulse| pulse.returns.as_mut().unwrap().range_resolution = 2.0),
        ("divergence", |pulse| pulse.beam.as_mut().unwrap().divergence_mrad *= 1.1),
        ("air", |pulse| pulse.attenuation_per_km *= 1.1),
    ];
    for (what, change) in changes {
        let mut sensor = posed.view().camera.sensor.clone();
        change(&mut sensor.pulse);
        let size = [posed.view().width, posed.view().height];
        let other = lidar(posed.view().camera.extrinsics().eye, size, sensor);
        let answers = by_pixel(&other, &cast(&tracer, &other, 0..pixels));
        let is_refused =
            |(pixel, sure): &(usize, Vec<_>)| refusal(sure, &answers[*pixel]).is_some();
        assert!(sure.iter().any(is_refused), "{what}");
    }
}

#[test]
fn canonical_returns_are_equal_to_the_bit() {
    let noise = RangeNoise {
        stddev: 0.01,
        reference_intensity: 1e-3,
        jitter_mrad: 1.0,
        dropout: 0.1,
        ..RangeNoise::default()
    };
    for (at, mut trial) in trials().into_iter().enumerate() {
        if at % 2 == 0 {
            let view = trial.posed.view();
            let sensor = Sensor { noise: Some(noise), ..view.camera.sensor.clone() };
            trial.posed = lidar(view.camera.extrinsics().eye, [view.width, view.height], sensor);
        }
        let Trial { name, bodies, posed, .. } = trial;
        let packed = PackedScene::new(scene_of(&bodies)).unwrap();
        let pixels = posed.view().pixels();
        let exact = all_bits(&cast(&CpuTracer::new(&packed), &posed, 0..pixels));
        let canonical = CanonicalTracer::new(GpuTracer::new(&gpu(), &packed).unwrap());
        let on_device = cast(&canonical, &posed, 0..pixels);
        assert!(exact == all_bits(&on_device), "{name}: on the device");
        for threads in [1, 3] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let cast = || pool.install(|| cast(&canonical, &posed, 0..pixels));
            assert!(exact == all_bits(&cast()), "{name}: {threads} threads");
        }
        let mut pieces = Vec::new();
        for first in (0..pixels).step_by(301) {
            pieces.extend(cast(&canonical, &posed, first..pixels.min(first + 301)));
        }
        assert!(exact == all_bits(&pieces), "{name}: in pieces");
    }
}
