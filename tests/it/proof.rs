//! The proof of a device: what it asks, that faults fail it, and that its report tells all that the device answered.

use crate::common::*;
use raytwin::diff::proof::{CanonicalHash, Proof, ProofReport, ProofRun, Visit};
use raytwin::diff::{Limits, Outcome};
use raytwin::faults;
use raytwin::question::{Circumstance, Question, QuestionKind, QuestionTraits};
use raytwin::shapes::PrimitiveKind;
use std::collections::BTreeSet;
use std::path::Path;

/// The rays that these tests aim at each scene, a hundredth of the whole.
const RAYS: usize = Proof::RAYS / 100;

fn run(fault: Option<&str>) -> ProofRun {
    let fault = fault.map(|name| faults::named(name).unwrap());
    ProofRun::to_the_end(&gpu(), Proof::new(RAYS).unwrap(), fault).unwrap()
}

/// Writes the report on a run to a file in a folder.
fn written(run: &ProofRun, folder: &Path) -> std::path::PathBuf {
    let path = folder.join("raytwin-proof.json");
    let report = run.report(Visit { browser: Some("a test".to_owned()), ..Visit::default() });
    std::fs::write(&path, serde_json::to_string(&report.unwrap()).unwrap()).unwrap();
    path
}

#[test]
fn it_casts_a_million_rays_at_every_kind_of_primitive_in_every_kind_of_query() {
    let proof = Proof::new(Proof::RAYS).unwrap();
    let rays = |(_, question): &(_, &Question)| !matches!(question, Question::Points(_));
    let cast: usize = proof.parts().filter(rays).map(|(_, question)| question.len()).sum();
    assert!(cast > 1_000_000, "{cast}");
    let scenes = || proof.scenes().iter();
    let asked: BTreeSet<QuestionTraits> =
        proof.parts().map(|(_, question)| question.traits()).collect();
    for kind in QuestionKind::ALL {
        assert!(asked.iter().any(|traits| traits.kind() == kind), "{}", kind.name());
    }
    for circumstance in [Circumstance::Solids, Circumstance::Masks, Circumstance::Worlds] {
        let is_of_rays = |traits: &&QuestionTraits| traits.kind() != QuestionKind::Points;
        let mut rays = asked.iter().filter(is_of_rays);
        assert!(rays.any(|traits| traits.is_under(circumstance)), "{circumstance:?}");
    }
    for kind in PrimitiveKind::ALL {
        let have = scenes().filter(|scene| scene.packed().primitive_kinds().contains(kind));
        // Together, scattered and in pairs.
        assert!(have.count() >= 3, "{}", kind.name());
    }
    let names: BTreeSet<&str> = scenes().map(|scene| scene.name()).collect();
    assert_eq!(names.len(), proof.scenes().len());
}

#[test]
fn scenes_are_up_to_a_hundred_million_times_as_wide_as_their_smallest_shape() {
    let proof = Proof::new(1).unwrap();
    let spread = |scene: &raytwin::Scene| {
        let radii = (0..scene.geometry_count()).filter_map(|id| scene.primitive(id, 0));
        let radii = radii.map(|primitive| primitive.radius()).filter(|&radius| radius > 0.0);
        scene.bounds().radius() / radii.fold(f64::INFINITY, f64::min)
    };
    let spreads: Vec<f64> = proof
        .scenes()
        .iter()
        .filter(|scene| scene.name().ends_with("of many sizes"))
        .map(|scene| spread(scene.packed().scene()))
        .collect();
    assert!(spreads.len() >= 5 && spreads.iter().all(|&spread| spread > 1e5), "{spreads:?}");
    assert!(spreads.iter().any(|&spread| spread > 1e6), "{spreads:?}");
}

#[test]
fn a_right_device_passes_and_its_report_is_judged_alike() {
    let run = run(None);
    let (summary, [canonical, exact]) = (run.summary(), run.canonical_hashes());
    assert!(summary.sound, "{:#?}", summary.worst.first());
    assert_eq!(run.progress(), [run.proof().len(); 2]);
    assert_eq!(canonical.to_string(), exact.to_string());
    assert_eq!(CanonicalHash::exact(run.proof()).unwrap().to_string(), exact.to_string());
    let folder = tempfile::tempdir().unwrap();
    let path = written(&run, folder.path());
    let report = ProofReport::read(&path).unwrap();
    let judged = report.judge(run.proof(), &path, &Limits::default(), &|_| {}).unwrap();
    assert_eq!(counts(&judged.outcome), counts(run.outcome()));
    assert!(judged.summary.sound && judged.exact_hash == report.canonical_hash);
}

/// Returns all that an outcome counts.
fn counts(outcome: &Outcome) -> impl PartialEq + std::fmt::Debug {
    let part = |part: &raytwin::diff::ComparedPart| (part.title(), part.report.clone());
    let rates = (outcome.rates().rates(), outcome.rates().biases());
    (outcome.parts().iter().map(part).collect::<Vec<_>>(), rates, outcome.camera_error())
}

#[test]
fn faults_fail_it_and_their_reports() {
    let proof = Proof::new(RAYS).unwrap();
    let shown: Vec<&str> =
        faults::all().filter(|fault| proof.shows(fault)).map(|fault| fault.name).collect();
    assert!(2 * shown.len() > faults::all().count(), "{shown:?}");
    let folder = tempfile::tempdir().unwrap();
    for name in [
        "sphere-diameter-for-radius",
        "torus-first-half-only",
        "records-of-half-precision",
        "masks-ignored",
        "camera-pixel-corners",
        "mesh-containment-without-parity",
    ] {
        assert!(shown.contains(&name), "{name}");
        let run = run(Some(name));
        assert!(!run.summary().sound, "{name}");
        let path = written(&run, folder.path());
        let report = ProofReport::read(&path).unwrap();
        assert_eq!(report.fault().map(|fault| fault.name), Some(name));
        let judged = report.judge(run.proof(), &path, &Limits::default(), &|_| {}).unwrap();
        assert!(!judged.summary.sound, "{name}");
        assert_eq!(counts(&judged.outcome), counts(run.outcome()), "{name}");
        // A wrong answer names its scene, in which it can be drawn.
        let worst = judged.outcome.worst()[0].1.clone();
        assert!(run.proof().reference(&worst).is_some(), "{name}");
    }
}

#[test]
fn no_report_is_made_of_a_part_of_the_proof() {
    let proof = Proof::new(RAYS).unwrap();
    let parts = proof.parts().count();
    let unfinished = pollster::block_on(async {
        let mut run = ProofRun::begin(&gpu(), proof, None).await.unwrap();
        assert!(run.step().await.unwrap());
        run.report(Visit::default()).unwrap_err().to_string()
    });
    assert!(unfinished.starts_with(&format!("{} parts", parts - 1)), "{unfinished}");
}
