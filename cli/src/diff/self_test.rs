//! `raytwin diff --self-test`: plants every named fault, and fails if one goes undetected.

use super::faults::needed;
use crate::Failure;
use crate::console::Console;
use crate::device::OpeningDevice;
use crate::source::LoadedScene;
use crate::summary::{FindingSummary, PlantedFault, SelfTestSummary, Summary, UnshownFault};
use raytwin::gpu::Gpu;
use raytwin_verify::faults::{self, Fault};
use raytwin_verify::self_test::{BuiltInScene, FaultFindings, Finding, SelfTest, TestScene};
use std::fmt::Write;
use std::process::ExitCode;
use std::time::Instant;

/// Runs the self-test in a scene, or in the built-in scenes if none is given.
pub(super) fn run(
    loaded: Option<&LoadedScene>,
    device: OpeningDevice,
    console: &Console,
) -> Result<ExitCode, Failure> {
    let (gpu, reason) = device.wait()?;
    let Some(gpu) = gpu else {
        return Err(Failure::usage(
            "--self-test plants faults in the engine of a GPU, which --device cpu does not use: give --device gpu",
        ));
    };
    console.say(&format!("device: {} ({reason})", gpu.name()));
    let start = Instant::now();
    let test = match loaded {
        Some(loaded) => in_scene(loaded, &gpu)?,
        None => in_built_in_scenes(&gpu, console)?,
    };
    if let (Some(loaded), true) = (loaded, test.faults.is_empty()) {
        return Err(Failure::input(format!(
            "{}: no fault changes an answer in this scene, so nothing was tested: choose another scene",
            loaded.name
        )));
    }
    let seconds = start.elapsed().as_secs_f64();
    let scene = loaded.map(|loaded| loaded.name.clone());
    let is_complete = loaded.is_some() || test.unshown.is_empty();
    let summary = SelfTestSummary {
        scene,
        device: gpu.name().to_owned(),
        sound: test.is_sound() && is_complete,
        total_s: seconds,
        without_fault: test.without_fault.iter().map(finding_summary).collect(),
        faults: test.faults.iter().map(planted_fault).collect(),
        not_shown: test.unshown.iter().map(|fault| unshown(fault)).collect(),
    };
    let is_sound = summary.sound;
    console.result(Summary::SelfTest(summary), &table(&test))?;
    for finding in test.without_fault.iter().filter(|finding| !finding.is_clean()) {
        let error = finding.error.as_deref().unwrap_or_default();
        console.error(&format!("without a fault, {} {error}", described(finding)));
    }
    for fault in test.passed() {
        console.error(&format!(
            "{} was not detected: it changed answers, and none was found wrong",
            fault.name
        ));
    }
    if !is_complete {
        let names: Vec<_> = test.unshown.iter().map(|fault| fault.name).collect();
        console.error(&format!("no built-in scene showed {}", names.join(", ")));
    }
    if !is_sound {
        return Ok(ExitCode::from(1));
    }
    let caught = test.faults.len();
    console.say(&format!("{caught} faults planted, all caught, in {seconds:.1} s"));
    Ok(ExitCode::SUCCESS)
}

fn in_scene(loaded: &LoadedScene, gpu: &Gpu) -> Result<SelfTest, Failure> {
    let refused = |error| Failure::input(format!("{}: {error}", loaded.name));
    let scene = TestScene::new(&loaded.packed).map_err(refused)?;
    let mut test = SelfTest::new(faults::all());
    test.plant(gpu, &scene)?;
    Ok(test)
}

fn in_built_in_scenes(gpu: &Gpu, console: &Console) -> Result<SelfTest, Failure> {
    let mut test = SelfTest::new(faults::all());
    let bar = console.bar("self-test", "faults", test.unshown.len());
    for scene in BuiltInScene::all() {
        let refused = |error| Failure::input(format!("the built-in scene of {scene}: {error}"));
        test.plant(gpu, &scene.test_scene().map_err(refused)?)?;
        bar.set_position(test.faults.len() as u64);
    }
    bar.finish_and_clear();
    Ok(test)
}

/// Writes a line for each fault with the questions that caught it, and a line for each fault that
/// the scene cannot show.
fn table(test: &SelfTest) -> String {
    let names = test.faults.iter().map(|found| found.fault).chain(test.unshown.iter().copied());
    let width = names.map(|fault| fault.name.len()).max().unwrap_or(0);
    let mut text = String::new();
    for found in &test.faults {
        let verdict = if found.is_caught() { "caught" } else { "NOT CAUGHT" };
        let findings: Vec<String> = found.findings.iter().map(described).collect();
        let _ = writeln!(text, "{:width$}  {verdict} by {}", found.fault.name, findings.join("; "));
    }
    for fault in &test.unshown {
        let _ = writeln!(text, "{:width$}  not shown here; it needs {}", fault.name, needed(fault));
    }
    text
}

/// Names a finding, such as `closest: 312 of 4000 answers wrong`.
fn described(finding: &Finding) -> String {
    let question = finding.traits.to_string();
    match &finding.error {
        Some(_) => format!("{question}: the engine itself reported an error"),
        None => format!("{question}: {} of {} answers wrong", finding.wrong, finding.asked),
    }
}

fn finding_summary(finding: &Finding) -> FindingSummary {
    FindingSummary {
        kind: finding.traits.to_string(),
        answers: finding.asked,
        wrong: finding.wrong,
        error: finding.error.clone(),
    }
}

fn planted_fault(found: &FaultFindings) -> PlantedFault {
    PlantedFault {
        name: found.fault.name,
        caught: found.is_caught(),
        findings: found.findings.iter().map(finding_summary).collect(),
    }
}

fn unshown(fault: &Fault) -> UnshownFault {
    UnshownFault { name: fault.name, needs: needed(fault) }
}
