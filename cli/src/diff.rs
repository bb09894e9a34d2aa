//! `raytwin diff`: checks each answer of the GPU against the float64 reference.

mod faults;
mod self_test;
mod table;

use super::Failure;
use super::arithmetic;
use super::compiling::CastTimes;
use super::console::Console;
use super::device::DeviceFlag;
use super::pick::PickCommand;
use super::rays::{plain_rays, refuse_invalid};
use super::source::{Loaded, SceneArguments, ViewArguments};
use super::summary::{ClassCounts, DiffSummary, Summary, TypeSummary, WorstRay};
use clap::Args;
use faults::{named_fault, refuse_unused_fault};
use raytwin::camera::View;
use raytwin::diff::faults::{Fault, Question};
use raytwin::diff::{self, CAMERA, Class, Judge, Verdict, write_report};
use raytwin::io::probe_output;
use raytwin::query::{Batch, TracedAnswers};
use raytwin::ray::Ray;
use raytwin::tracer::Tracer;
use std::path::PathBuf;
use std::process::ExitCode;
use table::{table, worst_rays};

#[derive(Debug, Args)]
#[command(mut_arg("scene", |scene| scene.index(1).required(false).required_unless_present_any(["list_faults", "self_test"])))]
pub(super) struct Arguments {
    #[command(flatten)]
    scene: SceneArguments,
    /// The rays to cast. By default they are the rays of a camera's image.
    #[arg(index = 2)]
    rays: Option<PathBuf>,
    #[command(flatten)]
    view: ViewArguments,
    /// Write report.json, mismatches.npy (the rays) and, for an image, classes.png to this folder.
    #[arg(long, value_name = "DIR")]
    report: Option<PathBuf>,
    /// Plant a deliberate fault in the engine, to see the comparison fail.
    #[arg(long, value_name = "NAME")]
    mutate: Option<String>,
    /// List the faults that --mutate knows, each with what the scene must have for it to show.
    #[arg(long, conflicts_with_all = ["mutate", "self_test"])]
    list_faults: bool,
    /// Plant each of these faults in turn, in SCENE or in small built-in scenes that show all of them, and fail if one
    /// passes.
    #[arg(long, conflicts_with_all = ["mutate", "report", "rays"])]
    self_test: bool,
}

pub(super) fn run(
    arguments: Arguments,
    device: &str,
    console: &Console,
) -> Result<ExitCode, Failure> {
    if arguments.list_faults {
        return faults::list(console);
    }
    let scene = &arguments.scene;
    if let Some(rays) = &arguments.rays {
        scene.refuse_swap(rays, "rays")?;
    }
    if arguments.rays.is_some() && arguments.view.are_given() {
        return Err(Failure::usage("a ray file needs no camera: leave the camera's flags out"));
    }
    let fault = arguments.mutate.as_deref().map(named_fault).transpose()?;
    let choice = DeviceFlag::new(device).or_any_gpu();
    if arguments.self_test {
        if arguments.view.are_given() {
            return Err(Failure::usage(
                "--self-test chooses its own rays: leave the camera's flags out",
            ));
        }
        let loaded = match scene.is_given() {
            true => Some(scene.load(console)?),
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
    let (loaded, rays, view) = match &arguments.rays {
        Some(path) => {
            let loaded = scene.load(console)?;
            let rays = plain_rays(path, loaded.scene.origin())?;
            if scene.strict {
                refuse_invalid(&rays, 0, path)?;
            }
            (loaded, Some(rays), None)
        }
        None => {
            let (loaded, view) = scene.load_with_view(&arguments.view, console)?;
            (loaded, None, Some(view))
        }
    };
    if let Some(folder) = &arguments.report {
        probe_output(&folder.join("report.json"))?;
    }
    if let Some(fault) = fault {
        let question = if view.is_some() { Question::Image } else { Question::Closest };
        refuse_unused_fault(fault, &loaded, question)?;
    }
    let tracer = choice.tracer(&loaded, fault, console)?;

    // The CPU's traversal is compared with a test of every primitive, which finds an error in the tree.
    let judge = match choice {
        DeviceFlag::Cpu => Judge::by_brute_force(&loaded.packed),
        _ => Judge::new(&loaded.packed),
    };
    let comparison = Comparison { judge, tracer: tracer.as_ref() };
    let outcome = match (&rays, &view) {
        (Some(rays), _) => comparison.ray_file(rays, console)?,
        (None, Some(view)) => comparison.image(view, console)?,
        (None, None) => return Err(Failure::usage("give rays or a camera")),
    };

    // In diff auto means any GPU, and in pick it does not.
    let device = if device == "auto" { "gpu" } else { device };
    let pick = PickCommand::new(scene, device, loaded.scene.origin());
    let summary = outcome.summary(&loaded, tracer.as_ref(), fault, &pick)?;
    let summary = Summary::Diff(summary);
    if let Some(folder) = &arguments.report {
        let size = view.as_ref().map(|view| (view.width, view.height));
        let mismatches = (&outcome.mismatches[..], loaded.scene.origin());
        write_report(folder, &summary, mismatches, &outcome.classes, size)?;
    }
    let mut table = table(&outcome.report);
    if let Some(error) = outcome.camera_error {
        table += &format!(
            "\ncamera rays: the worst component is off by {error:.2} u of {CAMERA} u allowed\n"
        );
    }
    if !outcome.is_sound() {
        table += &worst_rays(&outcome.report, &pick);
    }
    console.result(summary, &table)?;
    let rays = outcome.report.rays();
    if outcome.is_sound() {
        console.say(&format!("{rays} answers, no mismatch"));
        return Ok(ExitCode::SUCCESS);
    }
    let mismatches = outcome.mismatches.len();
    if mismatches > 0 {
        console.error(&format!("{mismatches} of {rays} answers are wrong"));
    }
    if let Some(error) = outcome.camera_error.filter(|error| !Outcome::camera_is_sound(*error)) {
        console.error(&format!("a camera ray is off by {error:.2} u, and {CAMERA} u are allowed"));
    }
    Ok(ExitCode::from(1))
}

/// A tracer, and the judge of its answers.
struct Comparison<'a> {
    judge: Judge,
    tracer: &'a dyn Tracer,
}

/// The verdicts of a comparison.
#[derive(Default)]
struct Outcome {
    report: diff::Report,
    classes: Vec<Class>,
    mismatches: Vec<Ray>,
    /// The worst error of an image's rays, in u.
    camera_error: Option<f64>,
    times: CastTimes,
}

impl Comparison<'_> {
    fn ray_file(&self, rays: &[Ray], console: &Console) -> Result<Outcome, Failure> {
        let mut outcome = Outcome::default();
        console.by_strides("diff", rays.len(), |batch| {
            let rays = &rays[batch];
            let cast = |rays| self.tracer.closest(Batch::new(rays));
            let hits = outcome
                .times
                .measure(|| cast(&rays[..rays.len().min(1)]).map(drop), || cast(rays))?;
            let answers = TracedAnswers::Closest(hits);
            outcome.add(rays, &self.judge.judge(Batch::new(rays), &answers)?);
            Ok(())
        })?;
        Ok(outcome)
    }

    fn image(&self, view: &View, console: &Console) -> Result<Outcome, Failure> {
        let mut outcome = Outcome::default();
        let mut worst: f64 = 0.0;
        console.by_strides("diff", view.pixels(), |pixels| {
            let rays = self.tracer.camera_rays(view, pixels.clone())?;
            let error = diff::camera_error(view, pixels.start, &rays);
            // A NaN fails the comparison: it replaces any error, and no error replaces it.
            worst = if error <= worst { worst } else { error };
            let first = pixels.start..pixels.start + 1;
            let hits = outcome.times.measure(
                || self.tracer.render(view, first).map(drop),
                || self.tracer.render(view, pixels),
            )?;
            let answers = TracedAnswers::Closest(hits);
            outcome.add(&rays, &self.judge.judge(Batch::new(&rays), &answers)?);
            Ok(())
        })?;
        outcome.camera_error = Some(worst);
        Ok(outcome)
    }
}

impl Outcome {
    fn add(&mut self, rays: &[Ray], verdicts: &[Verdict]) {
        self.report.extend(rays, verdicts);
        for (ray, verdict) in rays.iter().zip(verdicts) {
            self.classes.push(verdict.class);
            if verdict.class == Class::Mismatch {
                self.mismatches.push(*ray);
            }
        }
    }

    /// Tells whether the camera's rays are where they should be. A NaN is not.
    fn camera_is_sound(error: f64) -> bool {
        error <= CAMERA
    }

    /// Tells whether there is no mismatch and the camera's rays are where they should be.
    fn is_sound(&self) -> bool {
        self.mismatches.is_empty() && self.camera_error.is_none_or(Self::camera_is_sound)
    }

    /// Makes the summary.
    fn summary(
        &self,
        loaded: &Loaded,
        tracer: &dyn Tracer,
        fault: Option<&Fault>,
        pick: &PickCommand,
    ) -> Result<DiffSummary, Failure> {
        let report = &self.report;
        Ok(DiffSummary {
            scene: loaded.name.clone(),
            device: tracer.device(),
            arithmetic: tracer.measure_arithmetic()?.as_ref().map(arithmetic::summary),
            mutate: fault.map(|fault| fault.name),
            sound: self.is_sound(),
            camera_error_u: self.camera_error,
            times: loaded.times(&self.times),
            rays: report.rays(),
            mismatches: report.count(Class::Mismatch),
            classes: ClassCounts::of(|class| report.count(class)),
            types: TypeSummary::all(report),
            worst: report.worst().iter().map(|worst| WorstRay::new(worst, pick)).collect(),
        })
    }
}
