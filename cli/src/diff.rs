//! `raytwin diff`: the GPU's answers held against the float64 reference.

mod table;

use super::Failure;
use super::device::DeviceFlag;
use super::rays::{plain_rays, refuse_invalid};
use super::report::Report;
use super::source::{Loaded, SceneArguments, ViewArguments};
use clap::Args;
use raytwin::camera::View;
use raytwin::diff::{self, CAMERA, Class, Judge, Verdict, write_report};
use raytwin::gpu::{FAULTS, Fault};
use raytwin::io::probe_output;
use raytwin::query::Batch;
use raytwin::ray::{Hit, Ray};
use raytwin::shapes::PrimitiveKind;
use raytwin::tracer::Tracer;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::process::ExitCode;
use table::table;

#[derive(Debug, Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    scene: SceneArguments,
    /// The rays; without them, those of a camera's image.
    rays: Option<PathBuf>,
    #[command(flatten)]
    view: ViewArguments,
    /// Write report.json, mismatches.npy (the rays) and, of an image, classes.png into this folder.
    #[arg(long, value_name = "DIR")]
    report: Option<PathBuf>,
    /// Put a deliberate fault into the shader, to see the comparison fail.
    #[arg(long, value_name = "NAME")]
    mutate: Option<String>,
}

pub(super) fn run(
    arguments: Arguments,
    device: &str,
    report: &Report,
) -> Result<ExitCode, Failure> {
    if arguments.rays.is_some() && arguments.view.are_given() {
        return Err(Failure::usage("a ray file needs no camera: leave the camera's flags out"));
    }
    let fault = arguments.mutate.as_deref().map(named_fault).transpose()?;
    let choice = DeviceFlag::new(device).or_any_gpu();
    if let (DeviceFlag::Cpu, Some(fault)) = (&choice, fault) {
        return Err(Failure::usage(format!(
            "--mutate {} spoils the shader, and --device cpu uses none: take --device gpu",
            fault.name
        )));
    }
    let loaded = arguments.scene.load(report)?;
    let rays = arguments.rays.as_deref().map(plain_rays).transpose()?;
    if let (Some(rays), Some(path), true) = (&rays, &arguments.rays, arguments.scene.strict) {
        refuse_invalid(rays, 0, path)?;
    }
    let view = match rays {
        Some(_) => None,
        None => Some(arguments.view.view(&loaded.scene)?),
    };
    if let Some(folder) = &arguments.report {
        probe_output(&folder.join("report.json"))?;
    }
    if let Some(fault) = fault {
        refuse_without_use(fault, &loaded)?;
    }
    let tracer = choice.tracer(&loaded, fault, report)?;

    let compared = Comparison {
        judge: Judge::new(&loaded.packed),
        tracer: tracer.as_ref(),
        against_brute_force: matches!(choice, DeviceFlag::Cpu),
    };
    let outcome = match (&rays, &view) {
        (Some(rays), _) => compared.ray_file(rays, report)?,
        (None, Some(view)) => compared.image(view, report)?,
        (None, None) => return Err(Failure::usage("give rays or a camera")),
    };

    let object = outcome.summary(&loaded, tracer.as_ref(), fault);
    if let Some(folder) = &arguments.report {
        let size = view.as_ref().map(|view| (view.width, view.height));
        write_report(folder, &object, &outcome.mismatches, &outcome.classes, size)?;
    }
    let mut table = table(&outcome.report);
    if let Some(error) = outcome.camera_error {
        table += &format!("\ncamera rays: worst component {error:.2} u of {CAMERA} u allowed\n");
    }
    report.result(&object, &table)?;
    let rays = outcome.report.rays();
    if outcome.is_sound() {
        report.say(&format!("{rays} answers, no mismatch"));
        return Ok(ExitCode::SUCCESS);
    }
    let mismatches = outcome.mismatches.len();
    if mismatches > 0 {
        report.error(&format!("{mismatches} of {rays} answers are wrong"));
    }
    if let Some(error) = outcome.camera_error.filter(|error| !Outcome::camera_is_sound(*error)) {
        report.error(&format!("a camera ray is off by {error:.2} u, and {CAMERA} u are allowed"));
    }
    Ok(ExitCode::from(1))
}

fn named_fault(name: &str) -> Result<&'static Fault, Failure> {
    Fault::named(name).ok_or_else(|| {
        let known: Vec<_> = FAULTS.iter().map(|fault| fault.name).collect();
        Failure::usage(format!("--mutate {name}: no such fault; there are {}", known.join(", ")))
    })
}

/// A fault needs a shape in the scene that can show it, and the walk of a tree one of its layout.
fn refuse_without_use(fault: &Fault, loaded: &Loaded) -> Result<(), Failure> {
    if fault.layout().is_some_and(|layout| layout != loaded.packed.tree().layout()) {
        return Err(Failure::input(format!(
            "--mutate {} spoils the walk of a tree of another layout: see --tree",
            fault.name
        )));
    }
    let is_read = |kind: &PrimitiveKind| {
        loaded.packed.primitive_kinds().iter().any(|own| own.reading() == *kind)
    };
    match fault.kind.filter(|kind| !is_read(kind)) {
        Some(_) => Err(Failure::input(format!(
            "{}: --mutate {} spoils a shape of which the scene has none to show it",
            loaded.name, fault.name
        ))),
        None => Ok(()),
    }
}

/// What is compared with what.
struct Comparison<'a> {
    judge: Judge,
    tracer: &'a dyn Tracer,
    against_brute_force: bool,
}

/// What came of it.
#[derive(Default)]
struct Outcome {
    report: diff::Report,
    classes: Vec<Class>,
    mismatches: Vec<Ray>,
    /// In u; of an image.
    camera_error: Option<f64>,
}

impl Comparison<'_> {
    fn ray_file(&self, rays: &[Ray], report: &Report) -> Result<Outcome, Failure> {
        let mut outcome = Outcome::default();
        report.by_strides("diff", rays.len(), |batch| {
            let rays = &rays[batch];
            outcome.add(rays, &self.judge(rays, &self.tracer.closest(Batch::new(rays))?));
            Ok(())
        })?;
        Ok(outcome)
    }

    fn image(&self, view: &View, report: &Report) -> Result<Outcome, Failure> {
        let mut outcome = Outcome::default();
        let mut worst: f64 = 0.0;
        report.by_strides("diff", view.pixels(), |pixels| {
            let rays = self.tracer.camera_rays(view, pixels.clone())?;
            let error = diff::camera_error(view, pixels.start, &rays);
            // A NaN replaces what came before and is not replaced.
            worst = if error <= worst { worst } else { error };
            outcome.add(&rays, &self.judge(&rays, &self.tracer.render(view, pixels)?));
            Ok(())
        })?;
        outcome.camera_error = Some(worst);
        Ok(outcome)
    }

    fn judge(&self, rays: &[Ray], hits: &[Hit]) -> Vec<Verdict> {
        if self.against_brute_force {
            diff::judge_walks(&self.judge, rays, hits)
        } else {
            diff::judge_all(&self.judge, rays, hits)
        }
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

    /// NaN is nowhere.
    fn camera_is_sound(error: f64) -> bool {
        error <= CAMERA
    }

    /// No mismatch, and a camera's rays where they should be.
    fn is_sound(&self) -> bool {
        self.mismatches.is_empty() && self.camera_error.is_none_or(Self::camera_is_sound)
    }

    fn summary(&self, loaded: &Loaded, tracer: &dyn Tracer, fault: Option<&Fault>) -> Value {
        let mut object = json!({
            "command": "diff", "scene": loaded.name, "device": tracer.device(),
            "mutate": fault.map(|fault| fault.name), "sound": self.is_sound(),
            "camera_error_u": self.camera_error,
        });
        if let (Value::Object(all), Value::Object(report)) = (&mut object, self.report.to_json()) {
            all.extend(report);
        }
        object
    }
}
