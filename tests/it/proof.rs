//! The proof of a device: what it asks, and that faults fail it.

use crate::common::*;
use raytwin::question::{Circumstance, Question, QuestionKind, QuestionTraits};
use raytwin::shapes::PrimitiveKind;
use raytwin_verify::Limits;
use raytwin_verify::faults;
use raytwin_verify::proof::{Proof, ProofRun};
use std::collections::BTreeSet;

/// The rays that these tests aim at each scene.
const RAYS: usize = Proof::RAYS / 100;

/// Returns a hundredth of the whole.
pub fn proof() -> Proof {
    Proof::new(RAYS).unwrap()
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
fn faults_fail_it() {
    let whole = proof();
    let shown: Vec<&str> =
        faults::all().filter(|fault| whole.shows(fault)).map(|fault| fault.name).collect();
    assert!(2 * shown.len() > faults::all().count(), "{shown:?}");
    for (index, name) in [
        "sphere-diameter-for-radius",
        "torus-first-half-only",
        "records-of-half-precision",
        "masks-ignored",
        "camera-pixel-corners",
        "mesh-containment-without-parity",
    ]
    .into_iter()
    .enumerate()
    {
        assert!(shown.contains(&name), "{name}");
        // Each takes a run of the proof up to the scene that shows it.
        if index >= sweep(1, 6) {
            continue;
        }
        let fault = faults::named(name).unwrap();
        let mut run = pollster::block_on(ProofRun::begin(&gpu(), proof(), Some(fault))).unwrap();
        // The run stops at its first wrong answer, because the rest would compile kernels for nothing.
        let is_sound = |run: &ProofRun| run.outcome().failures(&Limits::default()).is_empty();
        while is_sound(&run) && pollster::block_on(run.step()).unwrap() {}
        assert!(!is_sound(&run), "{name}");
        // A wrong answer names its scene, in which it can be drawn.
        let worst = run.outcome().worst()[0].1.clone();
        assert!(run.proof().reference(&worst).is_some(), "{name}");
    }
}
