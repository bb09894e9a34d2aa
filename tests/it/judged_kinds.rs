//! A device's answers to every kind of query are judged, for all forms of geometry, and none is a mismatch.

use crate::common::*;
use fastrand::Rng;
use raytwin::glam::DVec3;
use raytwin::gpu::GpuTracer;
use raytwin::query::Query;
use raytwin::{Batch, NONE, PackedScene, Ray, Scene, Tracer};
use raytwin_verify::{Class, Judge, Rates, Verdict};

/// The rays of each family in each scene.
pub const RAYS: usize = 400;

/// Judges the answers of a tracer to a batch, as surfaces and as solids.
fn judge_batch(judge: &Judge, tracer: &dyn Tracer, batch: Batch<'_>, label: &str) -> Vec<Verdict> {
    let mut all = Vec::new();
    let as_surfaces = Query::KINDS.into_iter().map(|query| (query, batch));
    let solid = Query::KINDS.into_iter().filter(|query| query.takes_solids());
    for (query, batch) in as_surfaces.chain(solid.map(|query| (query, batch.solid()))) {
        let answers = tracer.ask(query, batch).unwrap();
        let verdicts = judge.judge(batch, &answers).unwrap();
        for (ray, verdict) in batch.rays().iter().zip(&verdicts) {
            let is_solid = batch.is_solid();
            assert_ne!(
                verdict.class,
                Class::Mismatch,
                "{label}, solid {is_solid}: {ray}: {verdict:?}"
            );
            let is_excused = !matches!(verdict.class, Class::Exact);
            assert_eq!(verdict.cause.is_some(), is_excused, "{label}: {ray}: {verdict:?}");
        }
        all.extend(verdicts);
    }
    all
}

/// Judges rays with masks and ignored ids, and in a full sweep also without these: the kernels without filters are those with filters
/// less one condition, and `queries` asks them of each form.
pub fn judge_rays(
    packed: &PackedScene,
    tracer: &dyn Tracer,
    rays: &[Ray],
    label: &str,
) -> Vec<Verdict> {
    let judge = Judge::new(packed);
    let rng = &mut Rng::with_seed(rays.len() as u64);
    let masks: Vec<u32> = rays.iter().map(|_| [1, 2, u32::MAX][rng.usize(..3)]).collect();
    let count = packed.scene().geometry_count();
    let ignored: Vec<u32> =
        rays.iter().map(|_| if rng.bool() { NONE } else { rng.u32(..count) }).collect();
    let unfiltered = Batch::new(rays);
    let filtered = unfiltered.with_masks(&masks).unwrap().ignoring(&ignored).unwrap();
    let mut verdicts = judge_batch(&judge, tracer, filtered, &format!("{label}, filtered"));
    if sweep(false, true) {
        verdicts.extend(judge_batch(&judge, tracer, unfiltered, label));
    }
    verdicts
}

/// Gives the geometries of a scene masks.
pub fn masked(mut scene: Scene) -> Scene {
    for id in 0..scene.geometry_count() {
        scene.set_mask(id, [u32::MAX, 1, 2][id as usize % 3]);
    }
    scene
}

/// An honest device needs small displacements, and its errors have no bias.
pub fn is_as_rounding_predicts(rates: &Rates) {
    assert!(!rates.is_excessive(), "{:?} {:?}", rates.rates(), rates.biases());
}

#[test]
fn no_answer_about_placed_shapes_is_wrong() {
    let gpu = gpu();
    let mut rates = Rates::default();
    // Each form has kernels of its own, which a software device takes seconds to compile.
    for (seed, &form) in (600..).zip(&Form::ALL).step_by(sweep(9, 1)) {
        let (scene, rays) = placed_scene(&[form], seed, 60, DVec3::ZERO);
        let scene = masked(scene);
        let packed = PackedScene::new(scene).unwrap();
        let tracer = GpuTracer::new(&gpu, &packed).unwrap();
        let label = format!("placed {form:?}");
        rates.extend(&judge_rays(&packed, &tracer, &rays, &label));
    }
    is_as_rounding_predicts(&rates);
}

/// Of coincident shapes, and of shapes a thousand to a million times smaller than the scene, none is answered wrongly.
#[test]
fn no_answer_in_a_scene_of_coincident_or_tiny_shapes_is_wrong() {
    let gpu = gpu();
    for (seed, size) in (700..).zip([1.0, 1e-3, 1e-6]).take(sweep(2, 3)) {
        let rng = &mut Rng::with_seed(seed);
        let mut scene = Scene::new();
        for turn in 0..3 * Form::ALL.len() {
            let form = Form::ALL[turn % Form::ALL.len()];
            let middle = 0.3 * direction(rng);
            let one = form.random(rng, size, middle);
            // Some are too small to be shapes.
            if scene.add(one.clone()).is_ok() {
                scene.add(one).unwrap();
            }
        }
        let scene = masked(scene);
        let packed = PackedScene::new(scene.clone()).unwrap();
        let tracer = GpuTracer::new(&gpu, &packed).unwrap();
        for (seed, family) in (710..).zip(Family::ALL) {
            let rays = rays(seed, family, RAYS, &scene, size);
            let label = format!("coincident, {size}, {family:?}");
            judge_rays(&packed, &tracer, &rays, &label);
        }
    }
}

/// The traversals of the CPU answer each kind of query as brute force does, to the bit.
#[test]
fn traversals_of_every_kind_answer_as_brute_force_does() {
    for (seed, setting) in (800..).zip(SCENES) {
        let (size, offset, shapes) = setting;
        let middle = offset * DVec3::new(1.0, 0.7, -0.4);
        let scene = masked(scene_of(&Form::ALL, seed, shapes.max(36), size, middle));
        let packed = PackedScene::new(scene.clone()).unwrap();
        let tracer = raytwin::CpuTracer::new(&packed);
        let judge = Judge::by_brute_force(&packed);
        for (seed, family) in (810..).zip(Family::ALL) {
            let rays = rays(seed, family, 100, &scene, size);
            let label = format!("{setting:?} {family:?}");
            let verdicts = judge_batch(&judge, &tracer, Batch::new(&rays), &label);
            assert_eq!(count(&verdicts, Class::Exact), verdicts.len(), "{label}");
        }
        for (seed, spot) in (820..).zip(Spot::ALL) {
            let points = points(seed, spot, 100, &scene, size);
            let verdicts = judge.judge_points(&points, &tracer.points(&points).unwrap()).unwrap();
            for (point, verdict) in points.iter().zip(&verdicts) {
                assert_eq!(
                    verdict.class,
                    Class::Exact,
                    "{setting:?} {spot:?} {point:?}: {verdict:?}"
                );
            }
        }
    }
}
