//! Faults of one character, each of which the comparison must notice. A row whose text does not occur in the shader
//! fails as stale.

use crate::common::faults::MUTANTS;
use crate::common::*;
use raytwin::glam::DVec3;
use raytwin::gpu::{Gpu, GpuTracer, KernelVariant};
use raytwin::{Batch, PackedScene, Ray, Scene, Tracer};
use raytwin_verify::Class;
use raytwin_verify::faults::Fault;

fn fault(file: &'static str, from: &'static str, to: &'static str) -> Fault {
    Fault::in_shader("a fault", file, from, to)
}

struct Trial {
    packed: PackedScene,
    rays: Vec<Ray>,
    to_the_bit: bool,
}

/// Makes a trial with rays of every family and a random scene of these forms.
fn random_trial(forms: &[Form], count: usize) -> Trial {
    let scene = scene_of(forms, 31, count, 1.0, DVec3::ZERO);
    let rays =
        Family::ALL.into_iter().flat_map(|family| rays(32, family, 2000, &scene, 1.0)).collect();
    Trial::new(scene, rays, false)
}

/// Makes a trial with rays of every family, and nearly level ones, and heightfields of many blocks.
fn fields_trial() -> Trial {
    let scene = fields_scene(36, 1.0, DVec3::ZERO);
    let mut all = level_rays(37, 4000, &scene, 1.0);
    all.extend(Family::ALL.into_iter().flat_map(|family| rays(38, family, 500, &scene, 1.0)));
    Trial::new(scene, all, false)
}

fn trials() -> Vec<Trial> {
    // Tubes, heightfields and the rarer forms have trials of their own, where few shapes hide them.
    let far_forms: Vec<Form> = Form::ALL.into_iter().filter(|form| !FIRST.contains(form)).collect();
    vec![
        Trial::new(lattice_scene(), lattice_rays(), true),
        Trial::new(other_lattice_scene(), lattice_rays(), true),
        random_trial(&FIRST, 48),
        random_trial(&far_forms, 45),
        fields_trial(),
    ]
}

impl Trial {
    fn new(scene: Scene, rays: Vec<Ray>, to_the_bit: bool) -> Self {
        Self { packed: PackedScene::new(scene).unwrap(), rays, to_the_bit }
    }

    /// Returns true if the scene runs the code that the fault changes.
    fn concerns(&self, fault: &Fault) -> bool {
        let of_shape = fault.site.shader_file().and_then(|file| file.strip_prefix("shapes/"));
        let stem = of_shape.and_then(|name| name.split(['/', '.']).next());
        let is_there = |stem: &str| {
            let mut names =
                self.packed.primitive_kinds().iter().map(|kind| format!("{kind:?}").to_lowercase());
            names.any(|name| name.ends_with(stem) || name == "tube" && stem == "cylinder")
        };
        stem.is_none_or(is_there)
    }
}

/// Counts the answers that the comparison finds wrong.
fn noticed(gpu: &Gpu, trial: &Trial, fault: Option<&Fault>) -> usize {
    let packed = &trial.packed;
    let gpu = match fault.and_then(|fault| fault.site.shader_file()) {
        Some("device/hardware.wgsl") => gpu.clone().with_kernels(KernelVariant::Hardware),
        Some("device/software.wgsl") => gpu.clone().with_kernels(KernelVariant::Software),
        _ => gpu.clone(),
    };
    let tracer = match fault {
        Some(fault) => GpuTracer::with_fault(&gpu, packed, fault.site),
        None => GpuTracer::new(&gpu, packed),
    };
    let tracer = tracer.unwrap_or_else(|error| panic!("{error}"));
    // A fault may also leave rays without an answer.
    let Ok(hits) = tracer.closest(Batch::new(&trial.rays)) else { return trial.rays.len() };
    let verdicts = verdicts(packed, &trial.rays, &hits);
    let is_wrong = |verdict: &&raytwin_verify::Verdict| {
        let whole = !verdict.exact.hit().is_hit()
            || (f64::from(verdict.exact.hit().t) * 8.0).fract() == 0.0;
        verdict.class == Class::Mismatch
            || trial.to_the_bit && whole && verdict.class != Class::Exact
    };
    verdicts.iter().filter(is_wrong).count()
}

#[test]
fn the_shader_as_it_is_passes_every_trial() {
    let gpu = own_gpu();
    // A device whose quotients are off by an ulp finds a t beside that of the lattice.
    let is_correct = arithmetic().is_correctly_rounded();
    for trial in trials() {
        let trial = Trial { to_the_bit: trial.to_the_bit && is_correct, ..trial };
        assert_eq!(noticed(&gpu, &trial, None), 0);
    }
}

#[test]
fn every_fault_is_noticed() {
    let gpu = own_gpu();
    let trials = trials();
    // A device that rounds by itself leaves the lattice at times, with no fault.
    let without_fault: Vec<usize> = trials.iter().map(|trial| noticed(&gpu, trial, None)).collect();
    let mut survivors = Vec::new();
    for (index, mutant) in MUTANTS.iter().enumerate() {
        if !is_planted(index) {
            assert_not_stale(&gpu, mutant);
            continue;
        }
        let mut concerned =
            trials.iter().zip(&without_fault).filter(|(trial, _)| trial.concerns(mutant));
        if concerned.all(|(trial, &least)| noticed(&gpu, trial, Some(mutant)) <= least) {
            survivors.push(mutant.name);
        }
    }
    assert!(survivors.is_empty(), "not noticed: {survivors:#?}");
}

#[test]
fn a_stale_row_is_an_error() {
    let gpu = own_gpu();
    let packed = PackedScene::new(random_scene(35, 3, 1.0, DVec3::ZERO)).unwrap();
    for (file, from) in [
        ("shapes/sphere.wgsl", "no such text"),
        ("shapes/sphere.wgsl", "ray"),
        ("no_such.wgsl", "ray"),
    ] {
        let stale = fault(file, from, "x");
        let error = GpuTracer::with_fault(&gpu, &packed, stale.site).unwrap_err();
        assert!(error.to_string().contains("must occur once"), "{error}");
    }
    let broken = fault("shapes/sphere.wgsl", "let radius = center_radius.w;", "let radius = ;");
    // A kernel is compiled when it is first asked.
    let ray = Ray::new([0.0; 3], [0.0, 0.0, 1.0]);
    let tracer = GpuTracer::with_fault(&gpu, &packed, broken.site).unwrap();
    let error = tracer.closest(Batch::new(&[ray])).unwrap_err();
    assert!(error.to_string().contains("shaders/shapes/sphere.wgsl:22:"), "{error}");
}
