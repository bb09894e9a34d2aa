use super::*;
use crate::camera::{
    Beam, Camera, Elevation, Panorama, Projection, Pulse, ReturnRules, Sensor, View,
};
use crate::gpu::{AdapterChoice, FaultSite, Gpu, HostFault};
use crate::math::U;
use crate::query::Batch;
use crate::ray::{Hit, Ray};
use crate::shapes::{Capsule, Sphere};
use crate::{CpuTracer, PackedScene, Scene, Tracer};

/// The farthest that the contract lets a surface lie from where it is, at the lidar's distance from
/// these shapes: 16 u max(D, R).
const DELTA: f64 = 16.0 * U * 25.0;

/// Balls and rods far from the world's origin.
fn scene() -> PackedScene {
    grown_scene(0.0)
}

/// The same shapes, whose surfaces lie so much farther out.
fn grown_scene(growth: f64) -> PackedScene {
    let mut scene = Scene::new();
    for index in 0..90 {
        let at = f64::from(index);
        let center = MIDDLE + DVec3::new(at % 5.0, at % 6.0 - 2.5, at % 7.0 - 3.0) * 1.3;
        match index % 2 {
            0 => scene.add(Sphere { center, radius: 0.3 + growth }),
            _ => {
                scene.add(Capsule { start: center, end: center + DVec3::ONE, radius: 0.1 + growth })
            }
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
    let [exact, grown, shrunk] = [packed, grown_scene(DELTA), grown_scene(-DELTA)]
        .map(|packed| CpuTracer::new(&packed).closest(Batch::new(&rays)).unwrap());
    // The bound on t at a surface that is not grazed: 8 u (D + R + t).
    let is_same = |hit: &Hit, exact: &Hit| {
        hit.geometry_id == exact.geometry_id && (hit.t - exact.t).abs() <= 3e-5
    };
    let sure = (0..).zip(&hits).filter(|&(at, hit): &(usize, _)| is_same(hit, &exact[at])).count();
    // Any other answer is that of surfaces within δ, or lies between theirs where they are grazed.
    let is_explained = |at: usize, hit: &Hit| {
        let seen = [exact[at], grown[at], shrunk[at]];
        let ts = || seen.iter().filter(|one| one.geometry_id == hit.geometry_id).map(|one| one.t);
        let [nearest, farthest] =
            [ts().fold(f32::INFINITY, f32::min), ts().fold(f32::NEG_INFINITY, f32::max)];
        nearest - 3e-5 <= hit.t && hit.t <= farthest + 3e-5
    };
    let wrong = (0..).zip(&hits).filter(|&(at, hit)| !is_explained(at, hit)).count();
    println!("{sure} of {} are sure, {wrong} wrong", hits.len());
    // Beams of many echoes are among them, for which there is no room at first.
    assert!(all.iter().any(|echoes| echoes.len() > 4 * FEW_ECHOES));
    assert!(sure > 4000 && wrong == 0, "{sure} of {} are sure, {wrong} wrong", hits.len());
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
