//! Faults of few characters in the shaders that spread beams and find their echoes. Each must change returns, which `beams`
//! holds to those of the host.

use crate::common::*;
use crate::device_beams::{are_alike, beam, by_pixel, cast, hardware, lidar, with_pulse};
use fastrand::Rng;
use raytwin::camera::{Pulse, ReturnRules};
use raytwin::glam::{DMat3, DQuat, DVec3};
use raytwin::gpu::{Gpu, GpuTracer, KernelVariant};
use raytwin::returns::{RayScope, Return, cast_beams};
use raytwin::scene::Appearance;
use raytwin::shapes::{Disc, Plane};
use raytwin::{Affine, Definition, PackedScene, PosedView, Scene, Tracer};
use raytwin_verify::faults::Fault;

const SPREAD: &str = "beams/spread.wgsl";
const LIGHT: &str = "beams/light.wgsl";
const NORMALS: &str = "beams/normals.wgsl";
const ECHOES: &str = "beams/echoes.wgsl";

const fn fault(file: &'static str, from: &'static str, to: &'static str) -> Fault {
    Fault::in_shader(to, file, from, to)
}

/// A scene with a lidar before it.
struct Trial {
    packed: PackedScene,
    posed: PosedView,
}

impl Trial {
    fn new(scene: Scene, posed: PosedView) -> Self {
        Self { packed: PackedScene::new(scene).unwrap(), posed }
    }

    /// Returns what a tracer with a fault returns, and the strongest ray of each echo; `None` if it ends in an error.
    fn cast(&self, gpu: &Gpu, fault: Option<&Fault>) -> Option<(Vec<Vec<Return>>, Vec<usize>)> {
        let tracer = match fault {
            Some(fault) => GpuTracer::with_fault(gpu, &self.packed, fault.site),
            None => GpuTracer::new(gpu, &self.packed),
        };
        let (tracer, pixels) = (tracer.unwrap(), self.posed.view().pixels());
        let all = cast_beams(&tracer, &self.posed, 0..pixels, RayScope::default()).ok()?;
        let echoes = tracer.beam_echoes(&self.posed, 0..pixels).ok()??;
        let strongest = echoes.iter().flatten().map(|echo| echo.strongest).collect();
        Some((by_pixel(&all, pixels), strongest))
    }

    fn notices(&self, gpu: &Gpu, fault: &Fault) -> bool {
        let (expected, expected_strongest) = self.cast(gpu, None).unwrap();
        self.cast(gpu, Some(fault)).is_none_or(|(found, strongest)| {
            let mut pairs = found.iter().zip(&expected);
            strongest != expected_strongest
                || pairs.any(|(found, wanted)| !are_alike(found, wanted))
        })
    }
}

/// Shapes of some forms, with air between them.
fn forms(forms: &[Form]) -> Trial {
    let mut scene = scene_of(forms, 3, 60, 1.0, DVec3::ZERO);
    for (id, reflectance) in [(1, 0.9), (2, 0.0), (4, 0.0)] {
        let reflectance = Some(reflectance);
        scene.set_appearance(id, Appearance { reflectance, ..Appearance::NONE });
    }
    let pulse = Pulse { attenuation_per_km: 60.0, ..beam(30.0, 0.4, 19) };
    let eye = DVec3::new(-13.0, 5.0, 4.0);
    Trial::new(scene, lidar(eye, DVec3::ZERO, 50.0, [50, 40], with_pulse(pulse)))
}

/// Instances that are stretched, some of which say what their reflectance is.
fn instances() -> Trial {
    let rng = &mut Rng::with_seed(8);
    let mut inner = scene_of(&[Form::Cone, Form::Cuboid], 9, 8, 1.0, DVec3::ZERO);
    inner.set_appearance(0, Appearance { reflectance: Some(0.9), ..Appearance::NONE });
    let definition = Definition::new(inner);
    let mut scene = Scene::new();
    for turn in 0..4 {
        let linear = DMat3::from_quat(DQuat::from_axis_angle(direction(rng), 1.0))
            * DMat3::from_diagonal(DVec3::new(2.2, 3.0, 6.0))
            * DMat3::from_quat(DQuat::from_axis_angle(direction(rng), 1.0));
        let place = Affine { linear, translation: 15.0 * direction(rng) };
        let reflectance = (turn > 1).then_some(0.1);
        let appearance = Appearance { reflectance, ..Appearance::NONE };
        scene.add_instance(&definition, &place.into(), None, appearance).unwrap();
    }
    let posed = lidar(
        DVec3::new(0.0, -150.0, 3.0),
        DVec3::ZERO,
        30.0,
        [40, 30],
        with_pulse(beam(9.0, 0.0, 7)),
    );
    Trial::new(scene, posed)
}

/// A beam of parallel rays at discs whose distances are small numbers: between the first two is exactly the resolution, and
/// each has a hole before its middle.
fn lattice() -> Trial {
    let mut scene = Scene::new();
    for (distance, inner_radius) in [(10.0, 0.75), (10.5, 0.5), (12.0, 0.3)] {
        let center = DVec3::X * distance;
        scene.add(Disc { center, normal: DVec3::NEG_X, radius: 9.0, inner_radius }).unwrap();
    }
    let wall =
        Plane { point: DVec3::X * 14.0, normal: DVec3::NEG_X, rectangle: None, one_sided: false };
    scene.add(wall).unwrap();
    let returns = Some(ReturnRules { range_resolution: 0.5, max: 15, ..ReturnRules::default() });
    let pulse = Pulse { returns, ..beam(0.0, 2.0, 61) };
    Trial::new(scene, lidar(DVec3::ZERO, DVec3::X, 1.0, [1, 1], with_pulse(pulse)))
}

fn mutants() -> Vec<(Trial, Vec<Fault>)> {
    vec![
        (
            forms(&[Form::Heightfield, Form::Cuboid, Form::Sphere]),
            vec![
                fault(SPREAD, "place.y * vec3", "place.x * vec3"),
                fault(SPREAD, "beams.exit_radius * offset", "0.0 * offset"),
                fault(SPREAD, "3u * (index / beams", "3u * (index % beams"),
                fault(SPREAD, "+ beams.spread * offset", "- beams.spread * across.xyz"),
                fault(LIGHT, "<= primitive", "< primitive"),
                fault(LIGHT, "2u * (primitive - surfaces[segment])", "2u * primitive"),
                fault(LIGHT, "(entry & OF_ONE_ENTRY) != 0u", "false"),
                fault(LIGHT, "bitcast<u32>(weight * ", "bitcast<u32>("),
                fault(NORMALS, "spans_from(Near(start.offset, 0.0)", "spans_from(start"),
                fault(NORMALS, "error < least", "error > least"),
                fault(NORMALS, "beyond.x >= beyond.y)", "beyond.x <= beyond.y)"),
                fault(NORMALS, "(primitive % 2u) == 1u", "false"),
                fault(NORMALS, "cell % columns + rim", "cell % rows + rim"),
                fault(ECHOES, "lit_sum += own_light", "lit_sum += own_weight"),
                fault(ECHOES, "return ratio * ratio", "return ratio"),
                fault(ECHOES, "beams.attenuation * (distance - reference)", "0.0"),
                fault(ECHOES, "weighted_sum / weight", "0.0 * weighted_sum"),
            ],
        ),
        (
            forms(&[Form::Tube, Form::Cone, Form::Capsule]),
            vec![
                fault(NORMALS, "hole - distance", "distance - hole"),
                fault(NORMALS, "- slope.y * height", "+ slope.y * height"),
                fault(NORMALS, "- slope.y * axis", "+ slope.y * axis"),
                fault(NORMALS, "max(-height, height - top)", "-height"),
                fault(NORMALS, "clamp(share, 0.0, 1.0)", "share"),
                fault(NORMALS, "vec2<f32>(first), second, point", "vec2<f32>(first), 0.0, point"),
            ],
        ),
        (
            forms(&[Form::Ellipsoid, Form::Torus, Form::ClosedHeightfield, Form::Disc]),
            vec![
                fault(NORMALS, "* shares * shares;", "* shares;"),
                fault(NORMALS, "from_center - aside * (", "from_center + aside * ("),
                fault(NORMALS, "select(z, y, face < 4u)", "z"),
                fault(NORMALS, "face < 2u", "face < 1u"),
                fault(NORMALS, "cell / columns + rim", "cell / columns"),
            ],
        ),
        (
            instances(),
            vec![
                fault(LIGHT, "own == OF_INSTANCE", "own != OF_INSTANCE"),
                fault(LIGHT, "size = visit.t_unit * length", "size = length"),
                fault(LIGHT, "normal * inverse.high", "inverse.high * normal"),
                fault(LIGHT, "t = t_in_object(t);", ""),
                fault(LIGHT, "return 4u * (instance + 1u);", "return 4u * ((instance + 1u) / 2u);"),
            ],
        ),
        (
            lattice(),
            vec![
                fault(ECHOES, "> beams.range_resolution", ">= beams.range_resolution"),
                fault(ECHOES, "(subray < strongest)", "(subray > strongest)"),
                fault(ECHOES, "& (other < subray)", "& (other <= subray)"),
                fault(ECHOES, "distances[other] < distance)", "distances[other] > distance)"),
                fault(ECHOES, "begin = end;", "begin = end + 1u;"),
                fault(ECHOES, "strongest = count + 1u", "strongest = count"),
                fault(ECHOES, "own_light > most", "own_light < most"),
            ],
        ),
    ]
}

#[test]
fn every_fault_of_beams_changes_returns() {
    let mut survivors = Vec::new();
    let mut index = 0;
    for (trial, faults) in mutants() {
        let gpu = own_gpu().with_kernels(KernelVariant::Hardware);
        for fault in faults {
            assert_not_stale(&gpu, &fault);
            if is_planted(index) && !trial.notices(&gpu, &fault) {
                survivors.push((fault.site.shader_file(), fault.name));
            }
            index += 1;
        }
    }
    assert!(survivors.is_empty(), "{survivors:#?}");
}

#[test]
fn the_trials_have_returns_of_all_they_hold() {
    for (trial, _) in mutants() {
        let tracer = GpuTracer::new(&hardware(), &trial.packed).unwrap();
        let all = cast(&tracer, &trial.posed);
        let ids: std::collections::BTreeSet<u32> =
            all.iter().map(|it| it.hit.geometry_id).collect();
        let count = tracer.scene().geometry_count() as usize;
        assert!(ids.len() * 2 > count, "{} of {count} are hit", ids.len());
        assert!(all.iter().any(|it| it.count > 1));
    }
}
