//! The self-test: every named fault is caught in the built-in scenes, by each question that is said to show it, and the
//! engine without a fault answers right there.

use crate::common::*;
use raytwin::diff::faults::{self, BuiltInScene, Question, SelfTest};
use raytwin::gpu::KernelVariant;

fn tested(variant: KernelVariant) -> SelfTest {
    let gpu = own_gpu().with_kernels(variant);
    let mut test = SelfTest::new(faults::all());
    for scene in BuiltInScene::all() {
        test.plant(&gpu, &scene.trial().unwrap()).unwrap();
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
        assert!(test.waiting.is_empty(), "no scene shows {:#?}", test.waiting);
        for trial in &test.faults {
            let asked: Vec<Question> =
                trial.findings.iter().map(|finding| finding.question).collect();
            assert_eq!(asked, trial.fault.shown_by, "{}", trial.fault.name);
            for finding in &trial.findings {
                assert!(!finding.is_clean(), "{variant:?}, {}: {finding:?}", trial.fault.name);
            }
        }
        assert!(test.is_sound());
        assert_eq!(test.faults.len(), faults::all().count());
    }
}
