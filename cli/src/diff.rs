//! `raytwin diff`: checks each answer of a device, or of a file, against the float64 reference.

mod arguments;
mod comparison_scene;
mod conclusion;
mod faults;
mod idle_limits;
mod job_summary;
mod live;
mod proof;
mod questions;
mod saved;
mod self_test;
mod table;

pub(super) use arguments::Arguments;

use super::Failure;
use super::compiling::CastTimes;
use super::console::Console;
use super::device::DeviceFlag;
use super::pick::PickCommand;
use super::source::LoadedScene;
use super::summary::{DeviceDifference, DiffSummary};
use comparison_scene::ComparisonScene;
use conclusion::{Conclusion, exit};
use faults::{named_fault, refuse_unshown_fault, refuse_unused_fault};
use live::{Device, Difference};
use questions::Questions;
use raytwin::Query;
use raytwin::gpu::{AdapterChoice, Arithmetic, Gpu};
use raytwin_files::{Outputs, SavedAnswers};
use raytwin_verify::faults::Fault;
use raytwin_verify::reports::ArithmeticSummary;
use raytwin_verify::reports::{AnswerTexts, OutcomeSummary, RayText};
use raytwin_verify::{ComparedPart, Outcome, SurfaceTolerance};
use std::process::ExitCode;

pub(super) fn run(
    arguments: Arguments,
    device: &str,
    console: &Console,
) -> Result<ExitCode, Failure> {
    if arguments.list_faults {
        return faults::list(console);
    }
    for (file, content) in [(&arguments.rays, "rays"), (&arguments.points, "points")] {
        if let Some(file) = file {
            arguments.scene.refuse_swap(file, content)?;
        }
    }
    if let Some(path) = arguments.against.as_deref()
        && (proof::is_report(path) || !arguments.scene.is_given())
    {
        return proof::judge(&arguments, path, console);
    }
    let fault = arguments.mutate.as_deref().map(named_fault).transpose()?;
    let choice = DeviceFlag::new(device).or_any_gpu();
    if arguments.self_test {
        if device == "all" {
            return Err(Failure::usage("--self-test tests one device: name it in place of all"));
        }
        if arguments.view.are_given() {
            return Err(Failure::usage(
                "--self-test chooses its own rays: leave the camera's flags out",
            ));
        }
        let device = choice.opening(Some(arguments.scene.path()));
        let loaded = match arguments.scene.is_given() {
            true => Some(arguments.scene.load(console)?),
            false => None,
        };
        return self_test::run(loaded.as_ref(), device, console);
    }
    if let (DeviceFlag::Cpu, Some(fault)) = (&choice, fault) {
        return Err(Failure::usage(format!(
            "--mutate {} changes the engine of a GPU, which --device cpu does not use: give --device gpu",
            fault.name
        )));
    }
    let mut saved = arguments.against.as_ref().map(SavedAnswers::open).transpose()?;
    // The CPU's traversal is checked against a test of every primitive, which finds errors in the
    // tree.
    let is_of_cpu = matches!(choice, DeviceFlag::Cpu) && saved.is_none();
    if is_of_cpu && arguments.tolerance() != SurfaceTolerance::default() {
        return Err(Failure::usage(
            "--device cpu must match the reference bit for bit: leave --tolerance-abs and --tolerance-rel out",
        ));
    }
    let is_all = device == "all";
    // Saved answers need no device, and several devices are opened at once.
    let opening =
        (saved.is_none() && !is_all).then(|| choice.opening(Some(arguments.scene.path())));
    let Questions { loaded, scenes, unasked } =
        questions::read(&arguments, saved.as_ref(), is_of_cpu, console)?;
    if let Some(fault) = fault {
        refuse_unused_fault(fault, &loaded.name, &scenes)?;
    }
    idle_limits::refuse(&arguments, scenes.iter().flat_map(ComparisonScene::asked))?;
    let mut gate = Gate {
        arguments: &arguments,
        loaded: &loaded,
        scenes: &scenes,
        fault,
        not_judged: unasked,
        console,
    };
    if let (Some(saved), Some(path)) = (&mut saved, &arguments.against) {
        arguments.check_reports(arguments.report.clone())?;
        let mut outcome = gate.outcome();
        saved::compare(&mut outcome, &scenes, &loaded.scene, saved)?;
        if arguments.hard_limit.is_some() && outcome.parts().iter().all(has_no_t) {
            return Err(Failure::usage(format!(
                "--hard-limit limits errors of t, and {} has no t to check: leave it out",
                path.display()
            )));
        }
        gate.not_judged.extend(saved.unjudged());
        let subject = Subject {
            name: path.display().to_string(),
            flag: "auto".to_owned(),
            arithmetic: None,
            times: CastTimes::default(),
        };
        let mut outputs = Outputs::default();
        let report = (arguments.report.as_deref(), &mut outputs);
        let summary = gate.summarize(subject, &outcome, report)?;
        console.publish(outputs)?;
        return exit(vec![summary], None, arguments.scene.strict, console);
    }
    let gpus = match opening {
        Some(device) => vec![device.wait()?],
        None => all_gpus()?,
    };
    // Each of several devices has its own folder.
    let folder_of = |index: usize| match is_all {
        true => arguments.report.as_ref().map(|folder| folder.join(format!("device_{index}"))),
        false => arguments.report.clone(),
    };
    arguments.check_reports((0..gpus.len()).filter_map(folder_of))?;
    let mut devices = Vec::new();
    for (gpu, reason) in gpus {
        let device = Device::new(gpu, &scenes[0], fault, gate.outcome())?;
        console.say(&format!("device: {} ({reason})", device.tracer.device()));
        devices.push(device);
    }
    let differences = live::compare(&mut devices, &scenes, fault, console)?;
    if let Some(fault) = fault {
        refuse_unshown_fault(fault, &devices, &arguments.limits())?;
    }
    let names: Vec<String> = devices.iter().map(|device| device.tracer.device()).collect();
    let (mut summaries, mut outputs) = (Vec::new(), Outputs::default());
    for (index, Device { tracer, outcome, times, .. }) in devices.into_iter().enumerate() {
        let subject = Subject {
            name: tracer.device(),
            // In diff, auto chooses any GPU, and in pick it does not.
            flag: match device {
                "auto" => "gpu".to_owned(),
                "all" => adapter_name(&names[index]),
                device => device.to_owned(),
            },
            arithmetic: tracer.measure_arithmetic()?,
            times,
        };
        let folder = folder_of(index);
        let report = (folder.as_deref(), &mut outputs);
        summaries.push(gate.summarize(subject, &outcome, report)?);
    }
    console.publish(outputs)?;
    let differences = differences.iter().map(|found| difference_of(found, &names));
    exit(summaries, is_all.then(|| differences.collect()), arguments.scene.strict, console)
}

/// Returns true if a part has no t that could have an error.
fn has_no_t(part: &ComparedPart) -> bool {
    let has_t = [Query::CLOSEST, Query::All].iter().any(|query| query.name() == part.kind);
    !(has_t && part.given.t)
}

/// Opens every adapter of this machine, and returns the reason for each.
fn all_gpus() -> Result<Vec<(Option<Gpu>, String)>, Failure> {
    let mut gpus = Vec::new();
    for (adapter, gpu) in Gpu::open_all() {
        let gpu = gpu.map_err(|error| Failure::from(error).in_file(&adapter.to_string()))?;
        gpus.push((Some(gpu), "one of all".to_owned()));
    }
    if gpus.is_empty() {
        // The error states what was searched for.
        gpus.push((Some(Gpu::open(&AdapterChoice::Any)?), "the only one".to_owned()));
    }
    Ok(gpus)
}

/// The subject of a comparison: a device, or a file of answers.
struct Subject {
    name: String,
    /// The value of `--device` for `pick` to cast the same rays.
    flag: String,
    arithmetic: Option<Arithmetic>,
    times: CastTimes,
}

/// The data that the conclusions on several devices share.
struct Gate<'a> {
    arguments: &'a Arguments,
    loaded: &'a LoadedScene,
    scenes: &'a [ComparisonScene],
    fault: Option<&'static Fault>,
    /// The answers in files, and the questions of a full comparison, that were not judged.
    not_judged: Vec<String>,
    console: &'a Console,
}

impl Gate<'_> {
    /// Returns an outcome without answers.
    fn outcome(&self) -> Outcome {
        match self.arguments.report {
            Some(_) => Outcome::default().keeping_image(),
            None => Outcome::default(),
        }
    }

    /// Prints the conclusion on an outcome, writes the report, and returns the summary.
    fn summarize(
        &self,
        subject: Subject,
        outcome: &Outcome,
        report: (Option<&std::path::Path>, &mut Outputs),
    ) -> Result<DiffSummary, Failure> {
        let &Self { arguments, loaded, fault, console, .. } = self;
        let pick = PickCommand::new(&arguments.scene, &subject.flag, loaded.scene.origin());
        let text =
            |ray: &raytwin::Ray| RayText { numbers: pick.ray_text(ray), command: pick.of(ray) };
        let path = |geometry_id| Some(loaded.scene.path(geometry_id));
        let texts = AnswerTexts { ray: &text, path: &path };
        let summary = DiffSummary {
            scene: loaded.name.clone(),
            device: subject.name,
            arithmetic: subject.arithmetic.as_ref().map(ArithmeticSummary::from),
            mutate: fault.map(|fault| fault.name),
            times: loaded.times(&subject.times),
            not_judged: self.not_judged.clone(),
            proof: None,
            outcome: OutcomeSummary::new(outcome, &arguments.limits(), &texts),
        };
        let as_read = self.scenes.iter().find(|scene| !scene.is_altered());
        let reference = as_read.map(|scene| scene.judge.reference());
        Conclusion { summary, outcome, facts: Vec::new() }.conclude(report, &|_| reference, console)
    }
}

/// Returns the part of a device's description that `--device` accepts.
fn adapter_name(device: &str) -> String {
    device.split(" (").next().unwrap_or(device).to_owned()
}

fn difference_of(found: &Difference, names: &[String]) -> DeviceDifference {
    let &Difference { devices, answers, unequal, otherwise_unequal } = found;
    DeviceDifference {
        devices: devices.map(|index| names[index].clone()),
        answers,
        unequal,
        otherwise_unequal,
    }
}
