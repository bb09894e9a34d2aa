//! `raytwin diff`: checks each answer of a device, or of a file, against the float64 reference.

mod asked_scene;
mod faults;
mod job_summary;
mod live;
mod proof;
mod questions;
mod saved;
mod self_test;
mod table;

use super::Failure;
use super::compiling::CastTimes;
use super::console::Console;
use super::device::DeviceFlag;
use super::kinds::kind_parser;
use super::numbers::count;
use super::pick::PickCommand;
use super::source::{Loaded, SceneArguments, ViewArguments, shell_quoted};
use super::summary::{DeviceDifference, DiffSummary, DiffsSummary, Summary};
use asked_scene::AskedScene;
use clap::Args;
use faults::{named_fault, refuse_unshown_fault, refuse_unused_fault};
use live::{Device, Difference};
use questions::Questions;
use raytwin::Query;
use raytwin::diff::{
    Limits, Outcome, OutcomeSummary, RayText, ReportHeading, SurfaceTolerance, report_files,
    write_report,
};
use raytwin::faults::Fault;
use raytwin::gpu::{AdapterChoice, Arithmetic, ArithmeticSummary, Gpu};
use raytwin::io::{SavedAnswers, probe_output};
use std::path::PathBuf;
use std::process::ExitCode;
use table::table;

#[derive(Debug, Args)]
#[command(mut_arg("scene", |scene| scene.index(1).required(false).required_unless_present_any(["list_faults", "self_test", "against"])))]
pub(super) struct Arguments {
    #[command(flatten)]
    scene: SceneArguments,
    /// The rays to cast. Without a file of rays or points, they are those of a camera's image, and
    /// rays and points that are aimed at the scene by a seed.
    #[arg(index = 2)]
    rays: Option<PathBuf>,
    #[command(flatten)]
    view: ViewArguments,
    /// Ask only these queries, separated by commas. By default a file of rays is asked for its
    /// closest hits, and seeded rays for everything.
    #[arg(long = "kind", value_name = "KIND", value_delimiter = ',', value_parser = kind_parser(Query::KINDS, Query::name, None))]
    kinds: Vec<Query>,
    /// Let a ray that starts in or on a solid hit it there.
    #[arg(long)]
    solid: bool,
    /// Ask which solids contain the points of this file, and which surface is nearest.
    #[arg(long, value_name = "FILE")]
    points: Option<PathBuf>,
    /// Aim about so many rays and points at the scene.
    #[arg(long, value_name = "NUMBER", default_value_t = 14_000, value_parser = count::<usize>, conflicts_with_all = ["rays", "points", "against"])]
    random: usize,
    /// Aim them by this seed. The same seed gives the same rays on every machine.
    #[arg(long, value_name = "NUMBER", default_value_t = 1, conflicts_with_all = ["rays", "points", "against"])]
    seed: u64,
    /// Judge the answers of this file or folder, which any program may have cast, in place of a
    /// device's: .npz, .parquet, a folder of .npy files, or the render.npz of an image; or a
    /// raytwin-proof.json of Prove my GPU, which has scenes and rays of its own and takes no SCENE.
    #[arg(long, value_name = "ANSWERS", conflicts_with = "mutate")]
    against: Option<PathBuf>,
    /// Let so many percent of the answers be wrong.
    #[arg(long, value_name = "PERCENT", default_value_t = 0.0, value_parser = percent)]
    fail_percent: f64,
    /// Fail if any t is off by more than this fraction of its bound. By default an error beyond the
    /// bound counts as a wrong answer, and no other limit holds.
    #[arg(long, value_name = "FRACTION", value_parser = fraction)]
    hard_limit: Option<f64>,
    /// Let surfaces lie so far elsewhere where that is more than raytwin's bound, for answers of
    /// casters that promise less: a t may be off by it over the cosine between ray and normal. It
    /// is in the scene's unit of length.
    #[arg(long, value_name = "DISTANCE", default_value_t = 0.0, value_parser = tolerance)]
    #[arg(conflicts_with = "self_test")]
    tolerance_abs: f64,
    /// Let surfaces lie elsewhere likewise by this share of their distance from the ray's origin,
    /// which adds to --tolerance-abs.
    #[arg(long, value_name = "SHARE", default_value_t = 0.0, value_parser = tolerance)]
    #[arg(conflicts_with = "self_test")]
    tolerance_rel: f64,
    /// Write a report to this folder: report.html, report.json, junit.xml, worst.npy with the rays
    /// of the worst answers, mismatches.npz with the numbers of all wrong ones, and pictures.
    #[arg(short = 'o', long, visible_aliases = ["out", "output"], value_name = "DIR")]
    report: Option<PathBuf>,
    /// Plant a deliberate fault in the engine, to see the comparison fail.
    #[arg(long, value_name = "NAME")]
    mutate: Option<String>,
    /// List the faults that --mutate knows, each with what the scene must have for it to show.
    #[arg(long, conflicts_with_all = ["mutate", "self_test"])]
    list_faults: bool,
    /// Plant each of these faults in turn, in SCENE or in small built-in scenes that show all of
    /// them, and fail if one passes.
    #[arg(long, conflicts_with_all = ["mutate", "report", "rays", "points", "against", "kinds", "solid", "random",
          "seed", "fail_percent", "hard_limit"])]
    self_test: bool,
}

fn percent(text: &str) -> Result<f64, String> {
    let percent = text.parse().ok().filter(|percent| (0.0..=100.0).contains(percent));
    percent.ok_or_else(|| format!("'{text}' must be a number from 0 to 100"))
}

fn fraction(text: &str) -> Result<f64, String> {
    let fraction = text.parse().ok().filter(|&fraction: &f64| fraction >= 0.0);
    fraction.ok_or_else(|| format!("'{text}' must be a number of at least 0"))
}

fn tolerance(text: &str) -> Result<f64, String> {
    let tolerance = text.parse().ok().filter(|&tolerance: &f64| (0.0..=1e9).contains(&tolerance));
    tolerance.ok_or_else(|| format!("'{text}' must be a number from 0 to 1e9"))
}

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
        if arguments.view.are_given() {
            return Err(Failure::usage(
                "--self-test chooses its own rays: leave the camera's flags out",
            ));
        }
        let loaded = match arguments.scene.is_given() {
            true => Some(arguments.scene.load(console)?),
            false => None,
        };
        return self_test::run(loaded.as_ref(), &choice, console);
    }
    if let (DeviceFlag::Cpu, Some(fault)) = (&choice, fault) {
        return Err(Failure::usage(format!(
            "--mutate {} changes the engine of a GPU, which --device cpu does not use: give --device gpu",
            fault.name
        )));
    }
    let mut saved = arguments.against.as_ref().map(SavedAnswers::open).transpose()?;
    // The CPU's traversal is compared with a test of every primitive, which finds an error in the
    // tree.
    let is_of_cpu = matches!(choice, DeviceFlag::Cpu) && saved.is_none();
    if is_of_cpu && arguments.tolerance() != SurfaceTolerance::default() {
        return Err(Failure::usage(
            "--device cpu is held to its own answers to the bit: leave --tolerance-abs and --tolerance-rel out",
        ));
    }
    let Questions { loaded, scenes, unasked } =
        questions::read(&arguments, saved.as_ref(), is_of_cpu, console)?;
    if let Some(folder) = &arguments.report {
        probe_output(&folder.join("report.json"))?;
    }
    if let Some(fault) = fault {
        refuse_unused_fault(fault, &loaded.name, &scenes)?;
    }
    let mut gate = Gate {
        arguments: &arguments,
        loaded: &loaded,
        scenes: &scenes,
        fault,
        not_judged: unasked,
        console,
    };
    if let (Some(saved), Some(path)) = (&mut saved, &arguments.against) {
        arguments.refuse_own_input(arguments.report.clone())?;
        let mut outcome = gate.outcome();
        saved::compare(&mut outcome, &scenes, &loaded.scene, saved)?;
        gate.not_judged.extend(saved.unjudged());
        let subject = Subject {
            name: path.display().to_string(),
            flag: "auto".to_owned(),
            arithmetic: None,
            times: CastTimes::default(),
        };
        let summary = gate.conclude(subject, &outcome, arguments.report.as_deref())?;
        return gate.exit(vec![summary], None);
    }
    let is_all = device == "all";
    let gpus = match is_all {
        true => all_gpus()?,
        false => vec![choice.open()?],
    };
    // Each of several devices has a folder of its own.
    let folder_of = |index: usize| match is_all {
        true => arguments.report.as_ref().map(|folder| folder.join(format!("device_{index}"))),
        false => arguments.report.clone(),
    };
    arguments.refuse_own_input((0..gpus.len()).filter_map(folder_of))?;
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
    let mut summaries = Vec::new();
    for (index, Device { tracer, outcome, times, .. }) in devices.into_iter().enumerate() {
        let subject = Subject {
            name: tracer.device(),
            // In diff auto means any GPU, and in pick it does not.
            flag: match device {
                "auto" => "gpu".to_owned(),
                "all" => adapter_name(&names[index]),
                device => device.to_owned(),
            },
            arithmetic: tracer.measure_arithmetic()?,
            times,
        };
        summaries.push(gate.conclude(subject, &outcome, folder_of(index).as_deref())?);
    }
    let differences = differences.iter().map(|found| difference_of(found, &names));
    gate.exit(summaries, is_all.then(|| differences.collect()))
}

impl Arguments {
    fn limits(&self) -> Limits {
        let default = Limits::default();
        Limits {
            fail_percent: self.fail_percent,
            hard_limit: self.hard_limit.unwrap_or(default.hard_limit),
        }
    }

    /// Returns an error if a report in one of these folders would replace a file that it is made
    /// from.
    fn refuse_own_input(&self, folders: impl IntoIterator<Item = PathBuf>) -> Result<(), Failure> {
        let outputs: Vec<PathBuf> =
            folders.into_iter().flat_map(|folder| report_files(&folder)).collect();
        let inputs = [&self.rays, &self.points, &self.against];
        self.scene.refuse_own_input(&outputs, inputs.into_iter().flatten().map(PathBuf::as_path))
    }

    /// Returns the tolerance by which answers are judged where it is wider than raytwin's bound.
    fn tolerance(&self) -> SurfaceTolerance {
        SurfaceTolerance { absolute: self.tolerance_abs, relative: self.tolerance_rel }
    }

    /// Tells whether no flag chooses what is asked.
    fn asks_everything(&self) -> bool {
        let has_files = self.rays.is_some() || self.points.is_some();
        !has_files && self.kinds.is_empty() && !self.solid && self.random > 0
    }
}

/// Opens every adapter of this machine, and tells the reason for each.
fn all_gpus() -> Result<Vec<(Option<Gpu>, String)>, Failure> {
    let mut gpus = Vec::new();
    for (adapter, gpu) in Gpu::open_all() {
        let gpu = gpu.map_err(|error| Failure::from(error).in_file(&adapter.to_string()))?;
        gpus.push((Some(gpu), "one of all".to_owned()));
    }
    if gpus.is_empty() {
        // The error tells what was looked for.
        gpus.push((Some(Gpu::open(&AdapterChoice::Any)?), "the only one".to_owned()));
    }
    Ok(gpus)
}

/// What was compared: a device, or a file of answers.
struct Subject {
    name: String,
    /// The value of `--device` with which `pick` casts the same rays.
    flag: String,
    arithmetic: Option<Arithmetic>,
    times: CastTimes,
}

/// All that the conclusions on several devices share.
struct Gate<'a> {
    arguments: &'a Arguments,
    loaded: &'a Loaded,
    scenes: &'a [AskedScene],
    fault: Option<&'static Fault>,
    /// The answers in the files, and the questions of a whole comparison, that were not judged.
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

    /// Prints what an outcome amounts to, writes the report, and returns the summary.
    fn conclude(
        &self,
        subject: Subject,
        outcome: &Outcome,
        folder: Option<&std::path::Path>,
    ) -> Result<DiffSummary, Failure> {
        let &Self { arguments, loaded, fault, console, .. } = self;
        let pick = PickCommand::new(&arguments.scene, &subject.flag, loaded.scene.origin());
        let text =
            |ray: &raytwin::Ray| RayText { numbers: pick.ray_text(ray), command: pick.of(ray) };
        let summary = DiffSummary {
            scene: loaded.name.clone(),
            device: subject.name,
            arithmetic: subject.arithmetic.as_ref().map(ArithmeticSummary::from),
            mutate: fault.map(|fault| fault.name),
            times: loaded.times(&subject.times),
            not_judged: self.not_judged.clone(),
            proof: None,
            outcome: OutcomeSummary::new(outcome, &arguments.limits(), &text),
        };
        let heading = ReportHeading {
            scene: &summary.scene,
            device: &summary.device,
            arithmetic: summary.arithmetic.iter().flat_map(ArithmeticSummary::lines).collect(),
            command: typed_command(),
            fault: summary.mutate,
            facts: self.not_judged.iter().map(|what| ("Not judged", what.clone())).collect(),
        };
        if let Some(folder) = folder {
            let printed = Summary::Diff(Box::new(summary.clone()));
            let judged = (outcome, &summary.outcome);
            let as_read = self.scenes.iter().find(|scene| !scene.is_altered());
            let reference = as_read.map(|scene| scene.judge.reference());
            write_report(folder, &heading, &printed, judged, &|_| reference)?;
            if let Some(cut) = summary.outcome.cut() {
                console.say(&format!("{}: {cut}", folder.display()));
            }
        }
        say(&summary, &heading, console)?;
        Ok(summary)
    }

    /// Prints the result, and returns the exit code. Several devices have differences, if only a
    /// list of none.
    fn exit(
        &self,
        mut summaries: Vec<DiffSummary>,
        differences: Option<Vec<DeviceDifference>>,
    ) -> Result<ExitCode, Failure> {
        let is_sound = summaries.iter().all(|summary| summary.outcome.sound);
        let text = table(&summaries, differences.as_deref().unwrap_or_default());
        let summary = match (differences, summaries.pop()) {
            (None, Some(only)) => Summary::Diff(Box::new(only)),
            (differences, last) => {
                summaries.extend(last);
                let differences = differences.unwrap_or_default();
                Summary::Diffs(DiffsSummary { sound: is_sound, devices: summaries, differences })
            }
        };
        self.console.result(summary, &text)?;
        Ok(if is_sound { ExitCode::SUCCESS } else { ExitCode::from(1) })
    }
}

/// Says what an outcome amounts to.
fn say(
    summary: &DiffSummary,
    heading: &ReportHeading<'_>,
    console: &Console,
) -> Result<(), Failure> {
    job_summary::add(heading, &summary.outcome)?;
    for what in &summary.not_judged {
        console.warn(&format!("{}: not judged: {what}", summary.device));
    }
    for fault in &summary.outcome.failures {
        console.error(&format!("{}: {fault}", summary.device));
    }
    if summary.outcome.sound || summary.outcome.tolerance.is_some() {
        console.say(&summary.outcome.conclusion());
    }
    Ok(())
}

/// Returns the command of this run, as it is typed in a shell.
fn typed_command() -> String {
    let words = std::env::args_os().skip(1).map(|word| shell_quoted(&word.to_string_lossy()));
    ["raytwin".to_owned()].into_iter().chain(words).collect::<Vec<_>>().join(" ")
}

/// Returns the part of a device's description that `--device` takes.
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
