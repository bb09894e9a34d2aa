use super::*;
use crate::camera::{
    Beam, Camera, Elevation, Panorama, Projection, Pulse, ReturnRules, Sensor, View,
};
use crate::gpu::{AdapterChoice, FaultSite, Gpu, HostFault};
use crate::query::Batch;
use crate::ray::{Hit, Ray};
use crate::shapes::{Capsule, Sphere};
use crate::{CpuTracer, PackedScene, Scene, Tracer};

/// Balls and rods far from the world's origin.
fn scene() -> PackedScene {
    let mut scene = Scene::new();
    for index in 0..90 {
        let at = f64::from(index);
        let center = MIDDLE + DVec3::new(at % 5.0, at % 6.0 - 2.5, at % 7.0 - 3.0) * 1.3;
        match index % 2 {
            0 => scene.add(Sphere { center, radius: 0.3 }),
            _ => scene.add(Capsule { start: center, end: center + DVec3::ONE, radius: 0.1 }),
        }
        .unwrap();
    }
    PackedScene::new(scene).unwrap()
}

const MIDDLE: DVec3 = DVec3::new(800.0, -300.0, 60.0);

/// A lidar whose rays leave an exit as wide as the balls. Each hit is an echo of its own.
fn lidar() -> PosedView {
    let elevations = (0..20).map(|row| f64::from(row) - 10.0).collect();
    let panorama = Panorama::new([12.0, -12.0], Elevation::Table(elevations));
    let eye = MIDDLE - DVec3::new(12.0, 1.0, 2.0);
    let camera = Camera::look_at("l", eye, MIDDLE, None, Projection::Panoramic(panorama)).unwrap();
    let pulse = Pulse {
        beam: Some(Beam { divergence_mrad: 30.0, exit_diameter: 0.5, subrays: 37 }),
        returns: Some(ReturnRules { range_resolution: 0.0, ..ReturnRules::default() }),
        ..Pulse::default()
    };
    let camera = camera.with_sensor(Sensor { pulse, ..Sensor::default() }).unwrap();
    PosedView::from(View::new(camera, 20, 20).unwrap())
}

fn upload(packed: &PackedScene, fault: Option<FaultSite>) -> RecoverableScene {
    let gpu = Gpu::open(&AdapterChoice::Any).unwrap_or_else(|error| panic!("{error}"));
    let gpu = gpu.with_kernels(KernelVariant::Hardware);
    pollster::block_on(RecoverableScene::new(&gpu, packed, fault)).unwrap()
}

fn cast(scene: &RecoverableScene) -> Result<Vec<Vec<Echo>>, GpuError> {
    pollster::block_on(echoes(scene, &lidar(), 0..400)).map(Option::unwrap)
}

#[test]
fn each_ray_of_a_beam_hits_what_the_host_says_it_does() {
    let (packed, posed) = (scene(), lidar());
    let beams = Beams::new(&posed);
    let all = cast(&upload(&packed, None)).unwrap();
    let hits = (0..).zip(&all).flat_map(|(pixel, echoes)| echoes.iter().map(move |it| (pixel, it)));
    let (rays, hits): (Vec<Ray>, Vec<Hit>) =
        hits.map(|(pixel, echo)| (beams.ray(pixel, echo.strongest), echo.hit)).unzip();
    let exact = CpuTracer::new(&packed).closest(Batch::new(&rays)).unwrap();
    let is_same = |(hit, exact): &(&Hit, &Hit)| {
        hit.geometry_id == exact.geometry_id && (hit.t - exact.t).abs() <= 1e-4
    };
    let same = hits.iter().zip(exact.iter()).filter(is_same).count();
    println!("{same} of {} are the same", hits.len());
    // Beams of many echoes are among them, for which there is no room at first.
    assert!(all.iter().any(|echoes| echoes.len() > 4 * FEW_ECHOES));
    // The others graze an edge, where a device may miss what the host hits.
    assert!(same > 4000 && hits.len() - same <= hits.len() / 1000, "{same} of {}", hits.len());
}

#[test]
fn a_device_that_is_lost_changes_no_echo() {
    let packed = scene();
    let mut scene = upload(&packed, None);
    let expected = cast(&scene).unwrap();
    scene.tuner.limit(4000);
    scene.on_device().gpu.device.destroy();
    assert_eq!(cast(&scene).unwrap(), expected);
}

#[test]
fn a_beam_without_an_answer_is_an_error() {
    let scene = upload(&scene(), Some(FaultSite::Host(HostFault::LastWorkgroupDropped)));
    let error = cast(&scene).unwrap_err();
    assert!(matches!(error, GpuError::Unanswered(pixel) if pixel < 400), "{error}");
}
