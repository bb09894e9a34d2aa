//! `raytwin query`: rays from files, answers to files, of any length.

mod output;
mod pipeline;
mod portion;
mod tally;

use super::Failure;
use super::device::DeviceFlag;
use super::report::Report;
use super::source::SceneArguments;
use super::stages::refuse_own_input;
use clap::{Args, ValueEnum};
use indicatif::ProgressBar;
use output::{Place, Task, tasks};
use pipeline::{Asked, Pipeline};
use raytwin::io::rays::{RayReader, note_of};
use raytwin::io::{Fingerprint, probe_output};
use raytwin::query::Query;
use raytwin::ray::NONE;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;
use tally::Tally;

#[derive(Debug, Args)]
#[command(after_long_help = SEVERAL)]
pub(super) struct Arguments {
    #[command(flatten)]
    scene: SceneArguments,
    /// The rays: an .npy of (N, 6) or (N, 8) float32; an .npz with such an array rays and, if wanted, ray_masks and
    /// ignore_ids, (N,) uint32; a .parquet with columns ox oy oz dx dy dz and, if wanted, t_min t_max (float32),
    /// ray_mask ignore_id (uint32). Of several files each has answers of its own: see below.
    #[arg(required = true)]
    rays: Vec<PathBuf>,
    /// The answers: an .npz, a .parquet, or a folder for an .npy of each array. An .npz needs twice its place on the
    /// disk while it is written. Of several ray files, a folder.
    #[arg(short, long, value_name = "HITS.npz|HITS.parquet|DIR/")]
    output: PathBuf,
    /// What to ask of each ray.
    #[arg(long, value_enum, default_value_t = Kind::Closest)]
    kind: Kind,
    /// Solids are met where a ray begins, if it begins in or on them (closest and any).
    #[arg(long)]
    solid: bool,
    /// The geometry that all rays pass through.
    #[arg(long, value_name = "ID", allow_hyphen_values = true)]
    ignore: Option<u32>,
    /// Write faces, too: which face of its shape was met (closest).
    #[arg(long)]
    faces: bool,
    /// Keep answers in NAME.partial, beside the answers called NAME, until all are there: where a run was ended early,
    /// the same command goes on from them. Answers need twice their place on the disk for a while. For one ray file,
    /// and a .parquet or a folder.
    #[arg(long)]
    resume: bool,
}

/// What the help says of several files.
const SEVERAL: &str = "Several ray files, such as a scheduler hands out: the answers to each are DIR/NAME.parquet, or \
    DIR/NAME.npz where the rays are no .parquet. They note a hash of what they were made from: what is cast at, the \
    bytes of the ray file, what was asked, and the version of raytwin. Where such a note is there already the file is \
    skipped, so a run that was killed goes on where it stopped; what changed, or has no such note, is cast again. The \
    device does not count, for each keeps the same promise. A bad file does not stop the others: the run ends with 3 \
    and names it. None of this needs --resume.";

#[derive(Clone, Copy, Debug, PartialEq, ValueEnum)]
enum Kind {
    /// The first surface that it meets.
    Closest,
    /// Whether it meets one.
    Any,
    /// How many surfaces it crosses.
    Count,
    /// All of those crossings, in their order.
    All,
}

impl Arguments {
    fn query(&self) -> Result<Query, Failure> {
        if self.solid && matches!(self.kind, Kind::Count | Kind::All) {
            return Err(Failure::usage(
                "--solid says what a ray meets first: --kind count and --kind all list surfaces, so leave it out",
            ));
        }
        if self.faces && self.kind != Kind::Closest {
            return Err(Failure::usage("--faces are those of --kind closest: leave it out"));
        }
        Ok(match self.kind {
            Kind::Closest => Query::Closest { faces: self.faces },
            Kind::Any => Query::Any,
            Kind::Count => Query::Count,
            Kind::All => Query::All,
        })
    }

    /// An error for an id that the scene does not have.
    fn refuse_unknown_id(&self, geometries: usize) -> Result<(), Failure> {
        match self.ignore.filter(|&id| id as usize >= geometries && id != NONE) {
            Some(id) => Err(Failure::input(format!(
                "--ignore {id}: the scene has {geometries} geometries, numbered from 0: give one of these"
            ))),
            None => Ok(()),
        }
    }

    /// An error where answers cannot be kept, or need not be.
    fn refuse_to_resume(tasks: &[Task]) -> Result<(), Failure> {
        let [task] = tasks else {
            return Err(Failure::usage(
                "--resume is for one ray file: of several, those that are answered are skipped anyway, so leave it out",
            ));
        };
        match task.answers.can_be_kept() {
            true => Ok(()),
            false => Err(Failure::usage(
                "--resume keeps no answers for an .npz: let -o name a .parquet or a folder",
            )),
        }
    }

    /// All that the answers depend on beside the scene and the rays.
    fn options(&self, query: Query) -> String {
        format!(
            "{} {query:?} solid {} ignore {:?} strict {}",
            env!("CARGO_PKG_VERSION"),
            self.solid,
            self.ignore,
            self.scene.strict
        )
    }
}

pub(super) fn run(
    arguments: Arguments,
    device: &str,
    report: &Report,
) -> Result<ExitCode, Failure> {
    let query = arguments.query()?;
    let tasks = tasks(&arguments.rays, &arguments.output)?;
    if arguments.resume {
        Arguments::refuse_to_resume(&tasks)?;
    }
    let outputs: Vec<PathBuf> = tasks.iter().flat_map(|task| task.answers.files()).collect();
    let rays = arguments.rays.iter().map(PathBuf::as_path);
    let inputs: Vec<&Path> = rays.chain([arguments.scene.path()]).collect();
    refuse_own_input(&outputs, &inputs)?;
    let loaded = arguments.scene.load(report)?;
    arguments.refuse_unknown_id(loaded.scene.geometries().len())?;
    let counts = count_rays(&tasks)?;
    if let Some(first) = outputs.first() {
        probe_output(first)?;
    }
    let tracer = DeviceFlag::new(device).tracer(&loaded, None, report)?;

    let start = Instant::now();
    let run = Run {
        pipeline: Pipeline {
            tracer: tracer.as_ref(),
            scene: &loaded.scene,
            asked: Asked {
                query,
                is_solid: arguments.solid,
                ignored: arguments.ignore,
                is_strict: arguments.scene.strict,
            },
        },
        options: arguments.options(query),
        resumes_on: arguments.resume.then(|| {
            let (layout, quality) = (loaded.packed.tree().layout(), arguments.scene.quality());
            format!("{} {layout:?} {quality:?}", tracer.device())
        }),
        bar: report.bar("query", "rays", counts.iter().sum()),
        report,
    };
    let tally = match &tasks[..] {
        [one] => run.one(one),
        several => run.several(several, &counts),
    };
    run.bar.finish_and_clear();
    let tally = tally?;
    let total_time = start.elapsed();
    let about = json!({
        "scene": loaded.name, "device": tracer.device(),
        "load_s": loaded.load_time.as_secs_f64(), "total_s": total_time.as_secs_f64(),
    });
    let mut line = tally.line(query, total_time, &arguments.output);
    if tasks.len() > 1 {
        let [skipped, failed] = [tally.skipped.len(), tally.failed.len()];
        let cast = tasks.len() - skipped - failed;
        line += &format!(": {cast} files cast, {skipped} skipped, {failed} failed");
    }
    report.summary(&tally.object(query, about), &line)?;
    Ok(if tally.failed.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(3) })
}

/// How many rays there are in each file; of several, none in one that cannot be read, which is told in its turn.
fn count_rays(tasks: &[Task]) -> Result<Vec<usize>, Failure> {
    let count = |task: &Task| RayReader::open(&task.rays).map(|reader| reader.len());
    match tasks {
        [one] => Ok(vec![count(one)?]),
        several => Ok(several.iter().map(|task| count(task).unwrap_or(0)).collect()),
    }
}

/// What is the same for all files.
struct Run<'a> {
    pipeline: Pipeline<'a>,
    /// All that the answers depend on beside the scene and the rays.
    options: String,
    /// What beside that their bits depend on, which are to be those of one go: the device and the tree. None where no
    /// run goes on with them.
    resumes_on: Option<String>,
    bar: ProgressBar,
    report: &'a Report,
}

impl Run<'_> {
    fn one(&self, task: &Task) -> Result<Tally, Failure> {
        let mut writer = task.answers.writer(self.pipeline.asked.query)?;
        if let Some(bits) = &self.resumes_on {
            let partial = task.answers.partial();
            let made_from = self.fingerprint().with_word(bits).with_file(&task.rays)?;
            writer = writer.keeping_in(&partial, made_from)?;
            self.report.keeps(format!(
                "their answers are kept in {}: the same command goes on from there",
                partial.display()
            ));
        } else if task.answers.can_be_kept() {
            self.report.keeps(
                "nothing is kept: run the same command again, with --resume to go on from there the next time",
            );
        }
        self.pipeline.run(&task.rays, writer, self.progress())
    }

    fn fingerprint(&self) -> Fingerprint {
        Fingerprint::of(self.pipeline.scene).with_word(&self.options)
    }

    fn progress(&self) -> impl Fn(usize) + Send + use<> {
        let bar = self.bar.clone();
        move |rays| bar.inc(rays as u64)
    }

    /// Answers each file whose answers are not there. Bad input and what cannot be written is told and passed over; a
    /// device that fails would fail the others too.
    fn several(&self, tasks: &[Task], counts: &[usize]) -> Result<Tally, Failure> {
        let fingerprint = self.fingerprint();
        let mut all = Tally::of(&self.pipeline.asked.query.unanswered());
        let mut before = 0;
        for (place, (task, count)) in tasks.iter().zip(counts).enumerate() {
            self.bar.set_message(format!("query {}/{}", place + 1, tasks.len()));
            self.report.keeps(format!(
                "{place} of {} files are done: the same command goes on with the others",
                tasks.len()
            ));
            match self.unless_done(task, fingerprint.clone()) {
                Ok(tally) => all.add(tally),
                Err(failure) if failure.code == 3 => {
                    self.bar.suspend(|| self.report.error(&failure.message));
                    all.failed.push(task.rays.clone());
                }
                Err(failure) => return Err(failure),
            }
            before += *count as u64;
            self.bar.set_position(before);
        }
        Ok(all)
    }

    fn unless_done(&self, task: &Task, fingerprint: Fingerprint) -> Result<Tally, Failure> {
        let note = fingerprint.with_file(&task.rays)?.to_string();
        let is_done = match &task.answers {
            Place::File(path) => note_of(path).as_ref() == Some(&note),
            Place::Folder(_) => false,
        };
        if is_done {
            return Ok(Tally { skipped: vec![task.rays.clone()], ..Tally::default() });
        }
        let writer = task.answers.writer(self.pipeline.asked.query)?.with_note(note);
        self.pipeline.run(&task.rays, writer, self.progress())
    }
}
