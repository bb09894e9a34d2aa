//! Beams whose echoes the device finds are compared with those whose rays the host casts, and the cosines of the device
//! with exact normals.

use crate::common::*;
use fastrand::Rng;
use raytwin::camera::{Beam, Elevation, Panorama, Pulse, ReturnMode, ReturnRules};
use raytwin::glam::{DQuat, DVec3};
use raytwin::gpu::{Gpu, GpuTracer, KernelVariant};
use raytwin::math::Similarity;
use raytwin::returns::{RayScope, Return, cast_beams};
use raytwin::scene::Appearance;
use raytwin::scene::NodeId;
use raytwin::shapes::{Cuboid, Disc, Plane, Sphere};
use raytwin::{
    Camera, CanonicalTracer, CpuTracer, Definition, PackedScene, Pose, PosedView, Projection,
    RangeNoise, Scene, Sensor, Tracer, Trajectory, Transform, View,
};

/// By how much an intensity of the device may differ relative to that of the host.
const INTENSITY: f64 = 1e-4;

pub fn beam(divergence_mrad: f64, exit_diameter: f64, subrays: u32) -> Pulse {
    Pulse {
        beam: Some(Beam { divergence_mrad, exit_diameter, subrays }),
        returns: Some(ReturnRules { max: 15, ..ReturnRules::default() }),
        ..Pulse::default()
    }
}

/// A lidar at a place that looks at another one, `degrees` wide and high.
pub fn lidar(eye: DVec3, target: DVec3, degrees: f64, size: [u32; 2], sensor: Sensor) -> PosedView {
    let half = 0.5 * degrees;
    let height = f64::from(size[1]);
    let rows = (0..size[1]).map(|row| half - degrees * (f64::from(row) + 0.5) / height);
    let panorama = Panorama::new([half, -half], Elevation::Table(rows.collect()));
    let camera = Camera::look_at("lidar", eye, target, None, Projection::Panoramic(panorama));
    let camera = camera.unwrap().with_sensor(sensor).unwrap();
    PosedView::from(View::new(camera, size[0], size[1]).unwrap())
}

pub fn with_pulse(pulse: Pulse) -> Sensor {
    Sensor { pulse, ..Sensor::default() }
}

pub fn cast(tracer: &dyn Tracer, posed: &PosedView) -> Vec<Return> {
    cast_beams(tracer, posed, 0..posed.view().pixels(), RayScope::default()).unwrap()
}

/// Gives each second geometry a reflectance, black among them.
fn with_reflectances(mut scene: Scene, rng: &mut Rng) -> Scene {
    for id in (0..scene.geometry_count()).step_by(2) {
        let reflectance = if rng.usize(..6) == 0 { 0.0 } else { rng.f32() };
        scene.set_appearance(id, Appearance { reflectance: Some(reflectance), ..Appearance::NONE });
    }
    scene
}

fn is_close(found: f32, wanted: f32, tolerance: f64) -> bool {
    (f64::from(found) - f64::from(wanted)).abs() <= tolerance * f64::from(wanted).abs()
}

/// Returns the returns of each pixel.
pub fn by_pixel(all: &[Return], pixels: usize) -> Vec<Vec<Return>> {
    let mut rows = vec![Vec::new(); pixels];
    all.iter().for_each(|it| rows[it.pixel].push(*it));
    rows
}

/// Returns true if returns of a beam are the same, but for rounding and for which of equally strong
/// rays is the strongest.
pub fn are_alike(found: &[Return], wanted: &[Return]) -> bool {
    let is_alike = |(a, b): (&Return, &Return)| {
        // A grazing ray's hit, and its angle, depend on the last bits of its direction.
        let grazing = 1e-6 * f64::from(b.distance) / f64::from(b.cosine).powi(2);
        (a.number, a.count) == (b.number, b.count)
            && is_close(a.distance, b.distance, 1e-6 / f64::from(b.cosine))
            && is_close(a.intensity, b.intensity, INTENSITY + grazing)
            && is_close(a.weight, b.weight, 1e-5)
    };
    found.len() == wanted.len() && found.iter().zip(wanted).all(is_alike)
}

/// A device that finds echoes, as those do whose kernels are for hardware.
pub fn hardware() -> Gpu {
    gpu().with_kernels(KernelVariant::Hardware)
}

/// Compares the returns of both roads, and says how many beams have any, and how many differ.
fn compare(packed: &PackedScene, posed: &PosedView) -> [usize; 2] {
    let pixels = posed.view().pixels();
    let wanted = by_pixel(&cast(&CpuTracer::new(packed), posed), pixels);
    let tracer = GpuTracer::new(&hardware(), packed).unwrap();
    assert!(tracer.beam_echoes(posed, 0..1).unwrap().is_some());
    let found = by_pixel(&cast(&tracer, posed), pixels);
    let differing = found.iter().zip(&wanted).filter(|(a, b)| !are_alike(a, b)).count();
    [wanted.iter().filter(|returns| !returns.is_empty()).count(), differing]
}

/// The rays of such thin beams hit one place, so that the intensity of a return gives the cosine that the device found.
fn cosines_are_exact(forms: &[Form], seed: u64, size: f64, distance: f64) {
    let rng = &mut Rng::with_seed(seed);
    let scene = with_reflectances(scene_of(forms, seed, 24, size, DVec3::ZERO), rng);
    cosines_of(&scene, rng, size, distance);
}

fn cosines_of(scene: &Scene, rng: &mut Rng, size: f64, distance: f64) {
    let packed = PackedScene::new(scene.clone()).unwrap();
    let eye = distance * direction(rng);
    let degrees = (16.0 * size / distance).min(1.0).to_degrees();
    let posed = lidar(eye, DVec3::ZERO, degrees, [90, 60], with_pulse(beam(0.0, 0.0, 7)));
    let tracer = GpuTracer::new(&hardware(), &packed).unwrap();
    let all = cast(&tracer, &posed);
    assert!(all.len() > 50, "only {} returns", all.len());
    let mut unlike = 0;
    for it in &all {
        let reflectance = f64::from(scene.reflectance(it.hit.geometry_id));
        let square = f64::from(it.distance).powi(2);
        let found = f64::from(it.intensity) * square;
        let wanted = reflectance * f64::from(it.cosine);
        // Rounding moves the line by some u of its length, by which a hit moves the more the ray grazes.
        let moved = 32.0 * raytwin::math::U * (distance + 8.0 * size) / size;
        let tolerance =
            1e-6 * wanted + reflectance * moved / f64::from(it.cosine).max(moved.sqrt());
        if (found - wanted).abs() > tolerance {
            unlike += 1;
            println!("{found} is not {wanted}: {it:?}");
        }
    }
    println!("{unlike} of {} unlike", all.len());
    // Beside an edge the normal is that of either face.
    assert!(unlike * 500 <= all.len(), "{unlike} of {} differ", all.len());
}

#[test]
fn the_cosine_is_that_of_the_exact_normal() {
    // A plane would hide other forms.
    let bounded: Vec<Form> =
        Form::ALL.into_iter().filter(|form| ![Form::Plane, Form::Sheet].contains(form)).collect();
    let unbounded = [Form::Plane, Form::Sheet];
    for (group, forms) in bounded.chunks(3).chain([unbounded.as_slice()]).enumerate() {
        for (seed, [size, distance]) in (0..).zip([[1.0, 20.0], [1e-2, 1.0], [1.0, 1e3]]) {
            println!("{forms:?}, {distance} away");
            cosines_are_exact(forms, 100 * group as u64 + seed, size, distance);
        }
    }
}

#[test]
fn the_cosine_in_instances_is_that_of_the_image() {
    let forms =
        [Form::Sphere, Form::Cone, Form::Cuboid, Form::Ellipsoid, Form::Mesh, Form::Heightfield];
    let rng = &mut Rng::with_seed(41);
    let inner = with_reflectances(scene_of(&forms, 42, 12, 1.0, DVec3::ZERO), rng);
    let definition = Definition::new(inner);
    let mut scene = Scene::new();
    for turn in 0..8 {
        let reflectance = (turn % 3 > 0).then(|| 0.3 * turn as f32 / 8.0);
        let appearance = Appearance { reflectance, ..Appearance::NONE };
        scene.add_instance(&definition, &transform(rng, 12.0), None, appearance).unwrap();
        let middle = 9.0 * direction(rng);
        scene.add(forms[turn % forms.len()].random(rng, 1.0, middle)).unwrap();
    }
    cosines_of(&scene, rng, 2.0, 60.0);
}

#[test]
fn returns_are_those_of_the_host_but_for_rays_at_an_edge() {
    let rng = &mut Rng::with_seed(5);
    let forms = [Form::Sphere, Form::Cuboid, Form::Cylinder, Form::Cone, Form::Disc, Form::Mesh];
    let scene = with_reflectances(scene_of(&forms, 6, 90, 1.0, DVec3::ZERO), rng);
    let packed = PackedScene::new(scene).unwrap();
    let (mut beams, mut differing) = (0, 0);
    let modes = [ReturnMode::All, ReturnMode::First, ReturnMode::Last, ReturnMode::Strongest];
    for (turn, subrays) in [7, 19, 37, 127, 1261].into_iter().enumerate() {
        let rules = ReturnRules { max: 5, mode: modes[turn % 4], range_resolution: 0.3 };
        let pulse = Pulse {
            returns: (turn < 4).then_some(rules),
            attenuation_per_km: 30.0,
            detection_limit: 1e-6,
            ..beam(20.0, 0.05, subrays)
        };
        let sensor = Sensor { range_max: 19.0, ..with_pulse(pulse) };
        let size = if subrays > 100 { [12, 8] } else { [40, 30] };
        let posed = lidar(DVec3::new(-14.0, 6.0, 3.0), DVec3::ZERO, 40.0, size, sensor);
        let [found, unlike] = compare(&packed, &posed);
        println!("{subrays} rays: {unlike} of {found} beams differ");
        beams += found;
        differing += unlike;
    }
    assert!(beams > 1000 && differing * 500 <= beams, "{differing} of {beams} differ");
}

/// Rings of growing holes behind each other, each of which a part of a beam along x meets.
fn rings(count: u32) -> Scene {
    let mut scene = Scene::new();
    for at in 0..count {
        let radius = 0.4 - 0.4 * f64::from(at) / f64::from(count);
        let disc = Disc {
            center: DVec3::X * (10.0 + f64::from(at)),
            normal: DVec3::NEG_X,
            radius: 9.0,
            inner_radius: if at + 1 < count { radius * (1.0 + 0.1 * f64::from(at)) } else { 0.0 },
        };
        let id = scene.add(disc).unwrap();
        let reflectance = Some(0.1 + 0.8 * f32::from(u8::from(at % 2 == 0)));
        scene.set_appearance(id, Appearance { reflectance, ..Appearance::NONE });
    }
    scene
}

#[test]
fn beams_of_more_echoes_than_there_was_room_for_have_all_of_them() {
    let packed = PackedScene::new(rings(11)).unwrap();
    let aim = |pulse| lidar(DVec3::ZERO, DVec3::X, 0.5, [5, 2], with_pulse(pulse));
    let all = cast(&CpuTracer::new(&packed), &aim(beam(80.0, 0.0, 1261)));
    assert_eq!(all[0].count, 11, "{all:?}");
    for mode in [ReturnMode::All, ReturnMode::First, ReturnMode::Last, ReturnMode::Strongest] {
        for max in [1, 4, 5, 15] {
            let returns = Some(ReturnRules { max, mode, range_resolution: 0.5 });
            let posed = aim(Pulse { returns, ..beam(80.0, 0.0, 1261) });
            let [found, differing] = compare(&packed, &posed);
            assert_eq!([found, differing], [10, 0], "{mode:?}, {max}");
        }
    }
}

#[test]
fn equal_rays_tie_for_the_first_and_black_surfaces_have_a_place() {
    // Rays of one place and one direction are equally strong but for their weights, of which the first one's is the most.
    let wall =
        Plane { point: DVec3::X * 8.0, normal: DVec3::NEG_X, rectangle: None, one_sided: false };
    for reflectance in [0.8, 0.0] {
        let mut scene = Scene::new();
        let id = scene.add(wall).unwrap();
        scene.set_appearance(id, Appearance { reflectance: Some(reflectance), ..Appearance::NONE });
        let posed = lidar(DVec3::ZERO, DVec3::X, 2.0, [9, 7], with_pulse(beam(1.0, 0.01, 19)));
        let packed = PackedScene::new(scene).unwrap();
        let echoes =
            GpuTracer::new(&hardware(), &packed).unwrap().beam_echoes(&posed, 0..63).unwrap();
        let echoes = echoes.unwrap();
        assert!(echoes.iter().all(|echoes| echoes.len() == 1 && echoes[0].strongest == 0));
        assert_eq!(compare(&packed, &posed), [63, 0]);
    }
}

#[test]
fn pieces_noise_and_what_no_beam_meets_are_as_on_the_host() {
    let mut scene = Scene::new();
    scene.add(Sphere { center: DVec3::X * 6.0, radius: 1.0 }).unwrap();
    let rotation = DQuat::IDENTITY;
    let wall = Cuboid { center: DVec3::X * 9.0, half_extents: DVec3::new(0.5, 3.0, 3.0), rotation };
    scene.add(wall).unwrap();
    let packed = PackedScene::new(scene).unwrap();
    let tracer = GpuTracer::new(&hardware(), &packed).unwrap();
    let noise = RangeNoise {
        stddev: 0.02,
        stddev_per_distance: 0.001,
        reference_intensity: 0.01,
        dropout: 0.2,
        seed: 7,
        ..RangeNoise::default()
    };
    let sensor = Sensor { noise: Some(noise), range_max: 8.0, ..with_pulse(beam(8.0, 0.02, 37)) };
    let posed = lidar(DVec3::ZERO, DVec3::X, 60.0, [30, 20], sensor);
    let [beams, differing] = compare(&packed, &posed);
    assert!(beams > 30 && differing <= beams / 50, "{differing} of {beams}");
    let whole = cast(&tracer, &posed);
    for chunk in [1, 7, 1000] {
        let tracer = GpuTracer::new(&hardware(), &packed).unwrap().with_chunk(chunk);
        let pieces: Vec<Return> = [0..1, 1..17, 17..17, 17..599, 599..600]
            .into_iter()
            .flat_map(|piece| cast_beams(&tracer, &posed, piece, RayScope::default()).unwrap())
            .collect();
        assert_eq!(pieces, whole, "{chunk}");
    }
    assert_eq!(tracer.beam_echoes(&posed, 5..5).unwrap(), Some(Vec::new()));
    let away = lidar(DVec3::ZERO, DVec3::NEG_X, 10.0, [9, 9], with_pulse(beam(1.0, 0.0, 7)));
    assert_eq!(cast(&tracer, &away), []);
    let nothing = PackedScene::new(Scene::new()).unwrap();
    assert_eq!(cast(&GpuTracer::new(&hardware(), &nothing).unwrap(), &away), []);
    // A direction with noise is made on the host.
    let noise = Some(RangeNoise { jitter_mrad: 5.0, seed: 3, ..RangeNoise::default() });
    let sensor = Sensor { noise, ..with_pulse(beam(8.0, 0.02, 37)) };
    let posed = lidar(DVec3::ZERO, DVec3::X, 60.0, [30, 20], sensor);
    let [beams, differing] = compare(&packed, &posed);
    assert!(beams > 100 && differing <= beams / 50, "{differing} of {beams}");
}

#[test]
fn other_tracers_and_lines_leave_the_rays_to_the_host() {
    let packed = PackedScene::new(rings(3)).unwrap();
    let posed = lidar(DVec3::ZERO, DVec3::X, 0.5, [5, 2], with_pulse(beam(80.0, 0.0, 37)));
    let line = lidar(DVec3::ZERO, DVec3::X, 0.5, [5, 2], with_pulse(beam(80.0, 0.0, 1)));
    let on_device = || GpuTracer::new(&hardware(), &packed).unwrap();
    let canonical = CanonicalTracer::new(on_device());
    let host = CpuTracer::new(&packed);
    assert_eq!(on_device().beam_echoes(&line, 0..10).unwrap(), None);
    let software = gpu().with_kernels(KernelVariant::Software);
    let software = GpuTracer::new(&software, &packed).unwrap();
    assert_eq!(software.beam_echoes(&posed, 0..10).unwrap(), None);
    assert_eq!(canonical.beam_echoes(&posed, 0..10).unwrap(), None);
    assert_eq!(host.beam_echoes(&posed, 0..10).unwrap(), None);
    assert_eq!(cast(&canonical, &posed), cast(&host, &posed));
    // Worlds and masks are the host's, too.
    let mut several = Scene::new();
    let definition = Definition::new(rings(3));
    let node = several.add_node(None, &at(0.0, 0.0), None).unwrap();
    several.add_instance_at(node, &definition, None).unwrap();
    let mut other = several.clone();
    other.set_transform(node, &at(1.0, 0.0)).unwrap();
    several.add_world(&other).unwrap();
    let several = PackedScene::new(several).unwrap();
    let tracer = GpuTracer::new(&hardware(), &several).unwrap();
    assert_eq!(tracer.beam_echoes(&posed, 0..10).unwrap(), None);
    assert!(!cast(&tracer, &posed).is_empty());
    let seen = RayScope { mask: 1, world: 0 };
    assert!(!cast_beams(&on_device(), &posed, 0..10, seen).unwrap().is_empty());
    assert_eq!(cast_beams(&on_device(), &posed, 0..10, RayScope { mask: 0, ..seen }).unwrap(), []);
}

#[test]
fn sweeps_and_instances_that_moved_are_as_on_the_host() {
    let rng = &mut Rng::with_seed(71);
    let forms = [Form::Cuboid, Form::Capsule];
    let inner = with_reflectances(scene_of(&forms, 72, 6, 0.3, DVec3::ZERO), rng);
    let definition = Definition::new(inner);
    let mut scene = Scene::new();
    let nodes: Vec<NodeId> = (0..40)
        .map(|turn| {
            let node = scene.add_node(None, &at(f64::from(turn), 0.0), None).unwrap();
            let reflectance = (turn % 2 == 0).then_some(0.9);
            let appearance = Appearance { reflectance, ..Appearance::NONE };
            scene.add_instance_at(node, &definition, appearance).unwrap();
            node
        })
        .collect();
    let panorama = Panorama::new([40.0, -40.0], Elevation::Table(vec![4.0, 2.0, 0.0, -2.0]));
    let panorama = Panorama { sweep_s: 0.5, ..panorama };
    let projection = Projection::Panoramic(panorama);
    let camera = Camera::look_at("l", DVec3::ZERO, DVec3::X, None, projection).unwrap();
    let camera = camera.with_sensor(with_pulse(beam(15.0, 0.1, 19))).unwrap();
    let view = View::new(camera, 200, 4).unwrap();
    // It drives along the row, which lies to its left.
    let pose = |x| Pose::new(DVec3::new(x, -9.0, 0.0), [0.0, 0.0, 1.0, 1.0]).unwrap();
    let trajectory = Trajectory::new(vec![0.0, 1.0], vec![pose(2.0), pose(12.0)]).unwrap();
    let posed = PosedView::new(&view, &trajectory, 0, DVec3::ZERO).unwrap().unwrap();
    let mut tracer =
        GpuTracer::new(&hardware(), &PackedScene::new(scene.clone()).unwrap()).unwrap();
    let pixels = view.pixels();
    let mut moves = Vec::new();
    for is_far in [None, Some(false), Some(true)] {
        if let Some(is_far) = is_far {
            let place = |index: usize| match is_far {
                false => at(index as f64 + 0.3, 0.2),
                true => at((7 * index % 40) as f64, 0.4),
            };
            let places: Vec<_> =
                nodes.iter().enumerate().map(|(at, node)| (*node, place(at))).collect();
            scene.set_transforms(&places).unwrap();
            moves.push(tracer.update(&scene).unwrap().is_rebuilt);
        }
        let host = CpuTracer::new(&PackedScene::new(scene.clone()).unwrap());
        let [found, wanted] =
            [cast(&tracer, &posed), cast(&host, &posed)].map(|all| by_pixel(&all, pixels));
        let differing = found.iter().zip(&wanted).filter(|(a, b)| !are_alike(a, b)).count();
        let beams = wanted.iter().filter(|returns| !returns.is_empty()).count();
        assert!(beams > 100 && differing * 100 <= beams, "{differing} of {beams} differ");
    }
    assert_eq!(moves, [false, true]);
}

fn at(x: f64, y: f64) -> Transform {
    Similarity { translation: DVec3::new(x, y, 0.0), ..Similarity::IDENTITY }.into()
}
