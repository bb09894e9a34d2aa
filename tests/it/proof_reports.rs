//! A report on a proof lists all that the device answered.

use raytwin::gpu::{AdapterChoice, Gpu};
use raytwin_verify::faults;
use raytwin_verify::proof::{Proof, ProofRun};
use raytwin_verify::reports::proof::{ProofReport, Visit, summary_of};
use raytwin_verify::{ComparedPart, Limits, Outcome};
use std::path::Path;

/// The rays that these tests aim at each scene, a hundredth of the whole.
const RAYS: usize = Proof::RAYS / 100;

/// Writes the report on a run to a file in a folder.
fn written(run: &ProofRun, folder: &Path) -> std::path::PathBuf {
    let path = folder.join("raytwin-proof.json");
    let visit = Visit { browser: Some("a test".to_owned()), ..Visit::default() };
    let report = ProofReport::of_run(run, visit).unwrap();
    std::fs::write(&path, serde_json::to_string(&report).unwrap()).unwrap();
    path
}

/// Returns all that an outcome counts.
fn counts(outcome: &Outcome) -> impl PartialEq + std::fmt::Debug {
    let part = |part: &ComparedPart| (part.title(), part.counts.clone());
    let rates = (outcome.rates().rates(), outcome.rates().biases());
    (outcome.parts().iter().map(part).collect::<Vec<_>>(), rates, outcome.camera_error())
}

#[test]
fn what_is_read_of_a_report_is_judged_as_the_run_was() {
    let gpu = Gpu::open(&AdapterChoice::Any).unwrap();
    let folder = tempfile::tempdir().unwrap();
    for name in [None, Some("masks-ignored")] {
        let fault = name.map(|name| faults::named(name).unwrap());
        let run = ProofRun::to_the_end(&gpu, Proof::new(RAYS).unwrap(), fault).unwrap();
        let limits = Limits::default();
        assert_eq!(summary_of(run.outcome(), &limits).sound, name.is_none(), "{name:?}");
        let path = written(&run, folder.path());
        let report = ProofReport::read(&path).unwrap();
        assert_eq!(report.fault().map(|fault| fault.name), name);
        let judged = report.judge(run.proof(), &path, &limits, &|_| {}).unwrap();
        assert_eq!(judged.summary.sound, name.is_none(), "{name:?}");
        assert_eq!(counts(&judged.outcome), counts(run.outcome()), "{name:?}");
        assert_eq!(judged.exact_hash, run.canonical_hashes()[1].to_string());
    }
}

#[test]
fn no_report_is_made_of_a_part_of_the_proof() {
    let gpu = Gpu::open(&AdapterChoice::Any).unwrap();
    let proof = Proof::new(RAYS).unwrap();
    let parts = proof.parts().count();
    let unfinished = pollster::block_on(async {
        let mut run = ProofRun::begin(&gpu, proof, None).await.unwrap();
        assert!(run.step().await.unwrap());
        ProofReport::of_run(&run, Visit::default()).unwrap_err().to_string()
    });
    assert!(unfinished.starts_with(&format!("{} parts", parts - 1)), "{unfinished}");
}
