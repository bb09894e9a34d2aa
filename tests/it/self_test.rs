//! The self-test: every named fault is caught in the built-in scenes, by each question that is said to show it, and the
//! engine without a fault answers right there.

use crate::common::*;
use raytwin::diff::faults::{self, BuiltInScene, Question, SelfTest};
use raytwin::gpu::KernelVariant;
use std::collections::BTreeSet;

fn tested(variant: KernelVariant) -> SelfTest {
    let gpu = own_gpu().with_kernels(variant);
    let mut test = SelfTest::new(faults::all());
    for scene in BuiltInScene::all() {
        test.plant(&gpu, &scene.test_scene().unwrap()).unwrap();
    }
    test
}

#[test]
fn every_named_fault_is_caught_by_each_question_that_shows_it() {
    for variant in [KernelVariant::Software, KernelVariant::Hardware] {
        let test = tested(variant);
        for finding in &test.without_fault {
            assert!(finding.is_clean(), "{variant:?}, without a fault: {finding:?}");
        }
        assert!(test.unshown.is_empty(), "no scene shows {:#?}", test.unshown);
        for found in &test.faults {
            let asked: Vec<Question> =
                found.findings.iter().map(|finding| finding.question).collect();
            assert_eq!(asked, found.fault.shown_by, "{}", found.fault.name);
            for finding in &found.findings {
                assert!(!finding.is_clean(), "{variant:?}, {}: {finding:?}", found.fault.name);
            }
        }
        assert!(test.is_sound());
        assert_eq!(test.faults.len(), faults::all().count());
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
