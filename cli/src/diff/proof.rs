//! Judges a report of Prove my GPU again. The program generates the scenes and rays of the report
//! itself. The report is a file, a link that contains the report, or a text file with such a link.

use super::Arguments;
use super::conclusion::{Conclusion, exit};
use super::idle_limits;
use crate::summary::{DiffSummary, ProofSummary, Times};
use crate::{Console, Failure};
use raytwin_files::Outputs;
use raytwin_verify::SurfaceTolerance;
use raytwin_verify::proof::Proof;
use raytwin_verify::reports::proof::{JudgedProof, LINK, ProofReport, is_link};
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

/// The name of the scenes, in summaries and pages.
const SCENE: &str = "the scenes of the proof";

/// Returns true if answers are a report of Prove my GPU: a link, or a file of that name.
pub(super) fn is_report(path: &Path) -> bool {
    let is_named = |name: &str| path.extension().is_some_and(|end| end.eq_ignore_ascii_case(name));
    link_in(path).is_some() || is_named("json") || is_named("txt")
}

/// Returns the link to a report, if the argument is a link and not a path.
fn link_in(path: &Path) -> Option<&str> {
    path.to_str().filter(|text| is_link(text))
}

/// Judges every answer of a report, and prints the result.
pub(super) fn judge(
    arguments: &Arguments,
    path: &Path,
    console: &Console,
) -> Result<ExitCode, Failure> {
    if !is_report(path) {
        return Err(Failure::usage(format!(
            "the answers in {} belong to a scene: give this SCENE before --against",
            path.display()
        )));
    }
    let link = link_in(path);
    let path = if link.is_some() { Path::new(LINK) } else { path };
    if arguments.scene.is_given() {
        return Err(Failure::usage(format!(
            "{} is a link, .json or .txt, so it is read as a report of Prove my GPU, which has scenes of its own: leave SCENE out, or give answers in .npz, .parquet or a folder",
            path.display()
        )));
    }
    let asks = arguments.points.is_some() || !arguments.kinds.is_empty() || arguments.solid;
    if arguments.view.are_given() || asks {
        return Err(Failure::usage(
            "a report of Prove my GPU has questions of its own: leave the camera's flags, --kind, --solid and --points out",
        ));
    }
    if arguments.tolerance() != SurfaceTolerance::default() {
        return Err(Failure::usage(
            "a report of Prove my GPU must keep raytwin's bound: leave --tolerance-abs and --tolerance-rel out",
        ));
    }
    arguments.check_reports(arguments.report.clone())?;
    let start = Instant::now();
    let report = match link {
        Some(link) => ProofReport::of_link(link)?,
        None => ProofReport::read(path)?,
    };
    let proof = Proof::new(report.rays_per_scene)
        .map_err(|error| Failure::input(format!("the proof's own scenes: {error}")))?;
    let parts: Vec<_> = proof.parts().map(|(scene, question)| (scene.judge(), question)).collect();
    idle_limits::refuse(arguments, parts.iter().copied())?;
    let load_s = start.elapsed().as_secs_f64();
    let bar = console.bar("diff", "answers", proof.len());
    let judged =
        report.judge(&proof, path, &arguments.limits(), &|answers| bar.inc(answers as u64))?;
    bar.finish_and_clear();
    let share = report.share();
    let not_cast =
        format!("{:.0} % of the proof's rays, which were not cast", 100.0 * (1.0 - share));
    let not_judged = (share < 1.0).then_some(not_cast).into_iter().collect();
    let JudgedProof { outcome, summary: judged, exact_hash } = judged;
    let summary = DiffSummary {
        scene: SCENE.to_owned(),
        device: device_of(&report),
        arithmetic: Some(report.arithmetic.clone()),
        mutate: report.fault().map(|fault| fault.name),
        times: Times { load_s, compile_s: 0.0, trace_s: 0.0 },
        not_judged,
        proof: Some(Box::new(ProofSummary {
            definition: report.raytwin_proof,
            browser: report.visit.browser.clone(),
            date: report.visit.date.clone(),
            run_s: report.visit.seconds,
            share,
            canonical_hash: report.canonical_hash.clone(),
            exact_hash,
        })),
        outcome: judged,
    };
    let facts = facts(&report, &summary);
    let conclusion = Conclusion { summary, outcome: &outcome, facts };
    let mut outputs = Outputs::default();
    let report = (arguments.report.as_deref(), &mut outputs);
    let summary = conclusion.conclude(report, &|worst| proof.reference(worst), console)?;
    console.publish(outputs)?;
    exit(vec![summary], None, arguments.scene.strict, console)
}

/// Returns the adapter and the interface that was used to reach it.
fn device_of(report: &ProofReport) -> String {
    let adapter = match report.adapter.as_str() {
        "" => "a GPU without a name",
        name => name,
    };
    format!("{adapter} ({})", report.backend)
}

/// Returns the facts that the page of a report shows in addition to the verdicts.
fn facts(report: &ProofReport, summary: &DiffSummary) -> Vec<(&'static str, String)> {
    let visit = &report.visit;
    let mut facts = vec![("Raytwin there", report.raytwin.clone())];
    facts.extend(visit.browser.clone().map(|browser| ("Browser", browser)));
    facts.extend(visit.date.clone().map(|date| ("Date", date)));
    facts.push(("It took", format!("{:.1} s", visit.seconds)));
    if let Some(proof) = &summary.proof {
        let is_equal = proof.canonical_hash == proof.exact_hash;
        let word = if is_equal { "as on every device" } else { "NOT as on every device" };
        facts.push(("Canonical answers", format!("{} ({word})", proof.canonical_hash)));
    }
    facts
}
