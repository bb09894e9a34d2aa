//! Returns of a lidar against formulas of their own: intensities on surfaces of known angles, and shares of a beam at
//! an edge.

use crate::common::gpu;
use raytwin::camera::{Beam, Elevation, Panorama, Pulse, ReturnMode, ReturnRules};
use raytwin::glam::{DQuat, DVec3};
use raytwin::gpu::{GpuTracer, KernelVariant};
use raytwin::image::Image;
use raytwin::returns::{RayScope, Return, cast_beams};
use raytwin::scene::Appearance;
use raytwin::shapes::{Cuboid, Disc, Plane, Sphere};
use raytwin::{
    Camera, CpuTracer, NONE, PackedScene, PosedView, Projection, RangeNoise, Scene, Sensor, Tracer,
    View,
};

/// A lidar at the origin that looks along x, with so many columns within a degree and one row.
fn lidar(columns: u32, sensor: Sensor) -> PosedView {
    let panorama = Panorama::new([0.5, -0.5], Elevation::Table(vec![0.0]));
    let camera =
        Camera::look_at("lidar", DVec3::ZERO, DVec3::X, None, Projection::Panoramic(panorama));
    PosedView::from(View::new(camera.unwrap().with_sensor(sensor).unwrap(), columns, 1).unwrap())
}

fn with_pulse(pulse: Pulse) -> Sensor {
    Sensor { pulse, ..Sensor::default() }
}

fn beam(divergence_mrad: f64, exit_diameter: f64, subrays: u32) -> Pulse {
    Pulse {
        beam: Some(Beam { divergence_mrad, exit_diameter, subrays }),
        returns: Some(ReturnRules { max: 15, ..ReturnRules::default() }),
        ..Pulse::default()
    }
}

fn cast(scene: &Scene, posed: &PosedView) -> Vec<Return> {
    let packed = PackedScene::new(scene.clone()).unwrap();
    cast_beams(&CpuTracer::new(&packed), posed, 0..posed.view().pixels(), RayScope::default())
        .unwrap()
}

fn assert_close(found: f64, wanted: f64, tolerance: f64) {
    assert!((found - wanted).abs() <= tolerance * wanted.abs(), "{found} is not {wanted}");
}

#[test]
fn the_intensity_is_that_of_the_lidar_equation() {
    for (angle, reflectance, distance) in [
        (0.0_f64, None, 7.0),
        (60.0, Some(0.25), 30.0),
        (85.0, Some(1.0), 2.5),
        (30.0, Some(0.0), 9.0),
    ] {
        let normal = DVec3::new(-angle.to_radians().cos(), angle.to_radians().sin(), 0.0);
        let mut scene = Scene::new();
        let disc = Disc { center: DVec3::X * distance, normal, radius: 1.0, inner_radius: 0.0 };
        let id = scene.add(disc).unwrap();
        scene.set_appearance(id, Appearance { reflectance, ..Appearance::NONE });
        let pulse = Pulse { attenuation_per_km: 20.0, ..Pulse::default() };
        // The middle column of three looks along x.
        let all = cast(&scene, &lidar(3, with_pulse(pulse)));
        let middle = all.iter().find(|it| it.pixel == 1).unwrap();
        let cosine = angle.to_radians().cos();
        let share = f64::from(reflectance.unwrap_or(0.5));
        let through = (-2.0 * 0.020 * distance).exp();
        let wanted = share * cosine * through / (distance * distance);
        assert_close(middle.intensity.into(), wanted, 1e-5);
        assert_close(middle.cosine.into(), cosine, 1e-6);
        assert_close(middle.distance.into(), distance, 1e-6);
        let posed = lidar(3, with_pulse(Pulse { attenuation_per_km: 20.0, ..Pulse::default() }));
        assert_close(middle.normalized_intensity(&posed).into(), share * cosine, 1e-5);
        assert_eq!((middle.number, middle.count, middle.weight), (1, 1, 1.0));
    }
    // On a sphere the angle follows from where the ray meets it.
    let mut scene = Scene::new();
    scene.add(Sphere { center: DVec3::X * 5.0, radius: 0.04 }).unwrap();
    let posed = lidar(101, Sensor::default());
    let all = cast(&scene, &posed);
    assert!(all.len() > 50);
    for it in all {
        let direction = posed.line(it.pixel).direction;
        let along = direction.x * 5.0;
        let off = (25.0 - along * along).max(0.0);
        let half = (0.04_f64.powi(2) - off).sqrt();
        let cosine = half / 0.04;
        // A grazing ray's angle depends on the last bits of its direction.
        let tolerance = 1e-5 / cosine.max(1e-3).powi(2);
        assert_close(it.cosine.into(), cosine, tolerance);
        assert_close(it.intensity.into(), 0.5 * cosine / (along - half).powi(2), tolerance);
    }
}

#[test]
fn at_an_edge_the_shares_are_those_of_the_footprint() {
    // A near plate covers what has y below the edge; the far wall takes the rest.
    let (near, far, spread, exit) = (10.0, 20.0, 0.02_f64, 0.1);
    let mut mean_errors = Vec::new();
    for subrays in [7, 37, 127] {
        let mut errors = Vec::new();
        for step in 0..40 {
            let radius = 0.5 * exit + near * (0.5 * spread).tan();
            let edge = radius * (-1.2 + 2.4 * (f64::from(step) + 0.37) / 40.0);
            let mut scene = Scene::new();
            let plate = Cuboid {
                center: DVec3::new(near + 0.005, edge - 5.0, 0.0),
                half_extents: DVec3::new(0.005, 5.0, 5.0),
                rotation: DQuat::IDENTITY,
            };
            scene.add(plate).unwrap();
            scene
                .add(Plane {
                    point: DVec3::X * far,
                    normal: DVec3::NEG_X,
                    rectangle: None,
                    one_sided: false,
                })
                .unwrap();
            let pulse = beam(1000.0 * spread, exit, subrays);
            let all = cast(&scene, &lidar(1, with_pulse(pulse.clone())));
            let share = |id: u32| -> f64 {
                all.iter()
                    .filter(|it| it.hit.geometry_id == id)
                    .map(|it| f64::from(it.weight))
                    .sum()
            };
            let shares = [share(0), share(1)];
            assert_close(shares[0] + shares[1], 1.0, 1e-6);
            // The beam's second axis is across its up; the pattern is symmetric, so either order of the axes does.
            let all_rays = pulse.beam.unwrap().subrays();
            let below = |axis: usize| -> f64 {
                let is_below = |offset: [f64; 2]| offset[axis] * radius < edge;
                all_rays.iter().filter(|it| is_below(it.offset)).map(|it| it.weight).sum()
            };
            let by_pattern = [below(0), below(1)];
            let nearest = by_pattern.iter().map(|it| (it - shares[0]).abs()).fold(1.0, f64::min);
            assert!(nearest < 1e-6, "{shares:?} {by_pattern:?}");
            errors.push((shares[0] - share_below(edge / radius)).abs());
            let count = all.iter().filter(|it| it.pixel == 0).count();
            assert!(all.iter().all(|it| usize::from(it.count) == count));
            // Each return is as far as its surface, which the outer rays meet a little later.
            for it in &all {
                let wanted = if it.hit.geometry_id == 0 { near } else { far };
                assert!((f64::from(it.distance) - wanted).abs() < 1e-3, "{it:?}");
            }
        }
        mean_errors.push(errors.iter().sum::<f64>() / errors.len() as f64);
    }
    assert!(mean_errors[1] < 0.05, "{mean_errors:?}");
    assert!(mean_errors[2] < mean_errors[1] && mean_errors[1] < mean_errors[0], "{mean_errors:?}");
}

/// The share of light of exp(-2 r²) in the unit circle that is below a coordinate, by a fine sum.
fn share_below(edge: f64) -> f64 {
    let (mut below, mut all) = (0.0, 0.0);
    for i in 0..400 {
        for j in 0..400 {
            let [x, y] = [i, j].map(|at| (f64::from(at) + 0.5) / 200.0 - 1.0);
            let square = x * x + y * y;
            if square <= 1.0 {
                let light = (-2.0 * square).exp();
                all += light;
                below += if y < edge { light } else { 0.0 };
            }
        }
    }
    below / all
}

#[test]
fn a_line_without_a_beam_is_the_closest_hit_in_range() {
    let mut scene = Scene::new();
    for at in 0..9 {
        let center = DVec3::new(5.0 + f64::from(at), 0.02 * f64::from(at - 4), 0.0);
        scene.add(Sphere { center, radius: 0.01 }).unwrap();
    }
    let noise = Some(RangeNoise { stddev: 0.5, seed: 3, image_number: 2, ..RangeNoise::default() });
    let sensor = Sensor { range_min: 6.0, range_max: 12.0, noise, ..Sensor::default() };
    let posed = lidar(200, sensor);
    let packed = PackedScene::new(scene.clone()).unwrap();
    let hits = posed.render(&CpuTracer::new(&packed), 0..200).unwrap();
    let all = cast(&scene, &posed);
    let sensor = &posed.view().camera.sensor;
    let mut expected = Vec::new();
    for (pixel, hit) in hits.iter().enumerate() {
        let distance = sensor.reported(pixel, hit.t);
        if distance.is_finite() {
            expected.push((pixel, distance, *hit));
        }
    }
    let found: Vec<_> = all.iter().map(|it| (it.pixel, it.distance, it.hit)).collect();
    assert!(found.len() > 20 && found == expected);
    assert!(hits.iter().filter(|hit| hit.geometry_id != NONE).count() > found.len());
}

#[test]
fn modes_limits_and_ranges_choose_among_the_echoes() {
    // Three rings of a growing radius, so that the beam meets each with a part of it.
    let mut scene = Scene::new();
    for (at, inner_radius) in [(10.0, 0.15), (20.0, 0.12), (30.0, 0.0)] {
        let center = DVec3::X * at;
        scene.add(Disc { center, normal: DVec3::NEG_X, radius: 9.0, inner_radius }).unwrap();
    }
    let distances = |max, mode, detection_limit, range_max: f64| -> Vec<i32> {
        let returns = Some(ReturnRules { max, mode, range_resolution: 0.5 });
        let pulse = Pulse { returns, detection_limit, ..beam(40.0, 0.0, 127) };
        let sensor = Sensor { range_max, ..with_pulse(pulse) };
        cast(&scene, &lidar(1, sensor)).iter().map(|it| it.distance.round() as i32).collect()
    };
    let all = f64::INFINITY;
    assert_eq!(distances(15, ReturnMode::All, 0.0, all), [10, 20, 30]);
    assert_eq!(distances(15, ReturnMode::First, 0.0, all), [10]);
    assert_eq!(distances(15, ReturnMode::Last, 0.0, all), [30]);
    assert_eq!(distances(15, ReturnMode::Last, 0.0, 25.0), [20]);
    let strongest = distances(1, ReturnMode::All, 0.0, all);
    assert_eq!(strongest, distances(9, ReturnMode::Strongest, 0.0, all));
    assert_eq!(strongest.len(), 1);
    assert_eq!(distances(15, ReturnMode::All, 1.0, all), [0; 0]);
    // Without rules the strongest is the return.
    let pulse = Pulse { returns: None, ..beam(40.0, 0.0, 127) };
    let alone = cast(&scene, &lidar(1, with_pulse(pulse)));
    assert_eq!((alone.len(), alone[0].distance.round() as i32), (1, strongest[0]));
}

#[test]
fn returns_are_numbered_from_the_nearest_as_reported() {
    // Before a wall a small disc for each of ten beams, by less than the noise of distances.
    let mut scene = Scene::new();
    let normal = DVec3::NEG_X;
    let wall =
        scene.add(Plane { point: DVec3::X * 10.0, normal, rectangle: None, one_sided: false });
    let wall = wall.unwrap();
    for pixel in 0..10 {
        let direction = lidar(10, Sensor::default()).line(pixel).direction;
        let center = 9.9 * direction / direction.x;
        scene.add(Disc { center, normal, radius: 0.004, inner_radius: 0.0 }).unwrap();
    }
    let packed = PackedScene::new(scene.clone()).unwrap();
    let device = GpuTracer::new(&gpu().with_kernels(KernelVariant::Hardware), &packed).unwrap();
    let tracers: [&dyn Tracer; 2] = [&CpuTracer::new(&packed), &device];
    let mut swapped = 0;
    for (seed, tracer) in (0..40).map(|seed| (seed, tracers[seed as usize % 2])) {
        let noise = RangeNoise { stddev: 0.1, dropout: 0.1, seed, ..RangeNoise::default() };
        let posed = |mode| {
            let returns = Some(ReturnRules { max: 5, mode, range_resolution: 0.05 });
            let pulse = Pulse { returns, ..beam(2.0, 0.0, 19) };
            lidar(10, Sensor { noise: Some(noise), range_max: 10.1, ..with_pulse(pulse) })
        };
        let by_mode = |mode| -> Vec<Vec<Return>> {
            let all = cast_beams(tracer, &posed(mode), 0..10, RayScope::default()).unwrap();
            (0..10).map(|at| all.iter().filter(|it| it.pixel == at).copied().collect()).collect()
        };
        let all = by_mode(ReturnMode::All);
        let [first, last] = [ReturnMode::First, ReturnMode::Last].map(by_mode);
        let flat = all.concat();
        let image = Image::of_returns(&scene, &posed(ReturnMode::All), 0..10, &flat);
        for (pixel, returns) in all.iter().enumerate() {
            assert!(returns.iter().map(|it| it.number).eq(1..=returns.len() as u8));
            assert!(returns.is_sorted_by(|near, far| near.distance <= far.distance), "{returns:?}");
            let alone = |it: Option<&Return>| -> Vec<Return> {
                it.map(|it| Return { number: 1, count: 1, ..*it }).into_iter().collect()
            };
            assert_eq!(
                [&first[pixel], &last[pixel]],
                [&alone(returns.first()), &alone(returns.last())]
            );
            let nearest = returns.first().map_or(f32::INFINITY, |it| it.distance);
            assert_eq!(image.distance[pixel], nearest);
            swapped += usize::from(returns.len() == 2 && returns[0].hit.geometry_id == wall);
        }
    }
    assert!(swapped > 10, "{swapped}");
}
