//! The self-test: every named fault is caught in the built-in scenes by the first question that shows it, and the engine
//! without a fault answers right there.

use crate::common::*;
use raytwin::Query;
use raytwin::gpu::KernelVariant;
use raytwin::question::{Circumstance, QuestionKind, QuestionTraits};
use raytwin_verify::faults;
use raytwin_verify::self_test::{BuiltInScene, SelfTest};
use std::collections::BTreeSet;

fn tested(variant: KernelVariant) -> SelfTest {
    let gpu = own_gpu().with_kernels(variant);
    let planted = faults::all().enumerate().filter(|(index, _)| is_planted(*index));
    let mut test = SelfTest::new(planted.map(|(_, fault)| fault));
    for scene in BuiltInScene::all() {
        test.plant(&gpu, &scene.test_scene().unwrap()).unwrap();
    }
    test
}

#[test]
fn every_named_fault_is_caught_by_a_question_that_shows_it() {
    for &variant in kernel_variants() {
        let test = tested(variant);
        for finding in &test.without_fault {
            assert!(finding.is_clean(), "{variant:?}, without a fault: {finding:?}");
        }
        assert!(test.unshown.is_empty(), "no scene shows {:#?}", test.unshown);
        for found in &test.faults {
            let asked: Vec<QuestionTraits> =
                found.findings.iter().map(|finding| finding.traits).collect();
            let shown: Vec<QuestionTraits> = found.fault.traits().take(1).collect();
            assert_eq!(asked, shown, "{}", found.fault.name);
            assert!(found.is_caught(), "{variant:?}: {found:?}");
        }
        assert!(test.is_sound());
        assert_eq!(test.faults.len(), faults::all().count().div_ceil(sweep(10, 1)));
    }
}

#[test]
fn faults_have_names_of_their_own_and_say_what_they_do() {
    let names: BTreeSet<_> = faults::all().map(|fault| fault.name).collect();
    assert_eq!(names.len(), faults::all().count());
    for fault in faults::all() {
        let is_of_words =
            fault.name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-');
        assert!(is_of_words && fault.about.ends_with('.'), "{fault:?}");
        assert_eq!(faults::named(fault.name), Some(fault));
    }
    assert_eq!(faults::named("no-such-fault"), None);
}

/// Returns the traits of every question: each kind under each choice of circumstances.
fn all_traits() -> impl Iterator<Item = QuestionTraits> {
    let all =
        [Circumstance::Solids, Circumstance::Masks, Circumstance::Worlds, Circumstance::Update];
    QuestionKind::ALL.into_iter().flat_map(move |kind| {
        (0..1 << all.len()).map(move |choice: u32| {
            let chosen = (0..all.len()).filter(|index| choice >> index & 1 == 1);
            chosen.fold(QuestionTraits::new(kind), |traits, index| traits.under(all[index]))
        })
    })
}

#[test]
fn a_fault_shows_wherever_its_code_runs_and_nowhere_else() {
    use QuestionKind::{Image, Points, Rays};
    let closest = Rays(Query::CLOSEST);
    let shows = |name, traits| faults::named(name).unwrap().shows_in(traits);
    for fault in faults::all() {
        let file = fault.site.shader_file().unwrap_or_default();
        for traits in all_traits() {
            let kind = traits.kind();
            let is_shown = fault.shows_in(traits);
            let may_show = match file {
                "camera.wgsl" => kind == Image,
                "closest/float32.wgsl" => [closest, Image].contains(&kind),
                "containment.wgsl" => traits.is_under(Circumstance::Solids),
                _ if file.starts_with("nearest/") => kind == Points,
                _ => true,
            };
            assert!(may_show || !is_shown, "{} {traits}", fault.name);
            // Every kind of query crosses shapes by the same code.
            let must_show = file.starts_with("shapes/") && kind != Points;
            assert!(is_shown || !must_show, "{} {traits}", fault.name);
        }
        assert!(fault.traits().all(|traits| fault.shows_in(traits)), "{}", fault.name);
        assert!(fault.traits().next().is_some(), "{}", fault.name);
    }
    let [any, points] = [Rays(Query::Any), Points].map(QuestionTraits::new);
    let parity = "mesh-containment-without-parity";
    assert!(shows(parity, any.under(Circumstance::Solids)) && shows(parity, points));
    assert!(!shows(parity, any));
    assert!(shows("masks-ignored", any.under(Circumstance::Masks)) && !shows("masks-ignored", any));
}
