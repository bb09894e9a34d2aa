//! `raytwin query`: rays from a file, answers to files, of any length.
//!
//! One batch is read, one is cast and one is written at the same time, so that the tracer does not wait
//! for files, and memory does not grow with them.

use super::Failure;
use super::device::Wish;
use super::report::{Report, mrays_per_s, speed};
use super::source::SceneArguments;
use crate::answers::Hits;
use crate::batch::Batch;
use crate::diff::as_flag;
use crate::files::FileError;
use crate::ray::{Hit, Ray};
use crate::rays::{HitWriter, RayReader};
use crate::scene::Scene;
use crate::tracer::Tracer;
use clap::{Args, ValueEnum};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

/// The rays that are read, cast and written at a time. Answers do not depend on it.
const BATCH: usize = 1 << 20;

#[derive(Debug, Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    scene: SceneArguments,
    /// The rays: an .npy of (N, 6) or (N, 8) float32, or an .npz with such an array named rays.
    rays: PathBuf,
    /// The answers, t_hit, geometry_ids, primitive_ids and primitive_normals: an .npz, or a folder for an
    /// .npy of each. An .npz needs twice its place on the disk while it is written.
    #[arg(short, long, value_name = "HITS.npz|DIR/")]
    output: PathBuf,
    /// What to ask of each ray.
    #[arg(long, value_enum, default_value_t = Kind::Closest)]
    kind: Kind,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Kind {
    /// The first surface that it meets.
    Closest,
}

/// An error that names the first ray that cannot be cast; `before` of the file came before these.
pub(super) fn refuse_invalid(rays: &[Ray], before: usize, path: &Path) -> Result<(), Failure> {
    match rays.iter().position(|ray| !ray.is_valid()) {
        Some(index) => Err(Failure::input(format!(
            "{}: ray {} cannot be cast, {}: {}",
            path.display(),
            before + index,
            as_flag(&rays[index]),
            Ray::RULE
        ))),
        None => Ok(()),
    }
}

/// Whether `-o` names an archive, by its ending, or a folder: one that is there, ends in a slash or has no
/// ending.
pub(super) fn is_archive(output: &Path) -> Result<bool, Failure> {
    let ends_in_slash = output.to_string_lossy().ends_with(std::path::is_separator);
    match output.extension() {
        Some(ending) if !ends_in_slash && ending.eq_ignore_ascii_case("npz") => Ok(true),
        Some(_) if !ends_in_slash && !output.is_dir() => Err(Failure::usage(format!(
            "-o {}: answers are written as an .npz file, or into a folder, whose name ends in a slash",
            output.display()
        ))),
        _ => Ok(false),
    }
}

pub(super) fn run(
    arguments: Arguments,
    device: &str,
    report: &Report,
) -> Result<ExitCode, Failure> {
    let is_archive = is_archive(&arguments.output)?;
    let loaded = arguments.scene.load(report)?;
    let reader = RayReader::open(&arguments.rays)?;
    let count = reader.len();
    let writer = match is_archive {
        true => HitWriter::archive(&arguments.output, count)?,
        false => HitWriter::folder(&arguments.output, count)?,
    };
    let tracer = Wish::new(device).tracer(&loaded, None, report)?;

    let Kind::Closest = arguments.kind;
    let start = Instant::now();
    let bar = report.bar("query", count);
    let strict = arguments.scene.strict.then_some(arguments.rays.as_path());
    let done = thread::scope(|scope| {
        // One batch waits between two stages, while each has one at work.
        let (rays_out, rays_in) = sync_channel(1);
        let (hits_out, hits_in) = sync_channel(1);
        let reading = scope.spawn(move || read(reader, strict, &rays_out));
        let writing = scope.spawn(|| write(writer, &loaded.scene, hits_in));
        let cast = cast(tracer.as_ref(), rays_in, hits_out, |rays| bar.inc(rays as u64));
        // Of several failures the first in the rays' way: the others may follow from it.
        join(reading)?;
        let trace_time = cast?;
        Ok::<_, Failure>((trace_time, join(writing)?))
    });
    bar.finish_and_clear();
    let (time, answers) = done?;
    let files = answers.writer.finish()?;
    let total_time = start.elapsed();

    let files: Vec<String> = files.iter().map(|file| file.display().to_string()).collect();
    report.summary(
        &json!({
            "command": "query", "kind": "closest", "scene": loaded.name,
            "device": tracer.device(), "rays": count, "hits": answers.hits,
            "invalid": answers.invalid, "load_s": loaded.load_time.as_secs_f64(),
            "trace_s": time.as_secs_f64(), "mrays_per_s": mrays_per_s(count, time),
            "total_s": total_time.as_secs_f64(), "files": files,
        }),
        &format!(
            "{count} rays, {} hits, {} invalid, {}, {:.2} s with reading and writing -> {}",
            answers.hits,
            answers.invalid,
            speed(count, time),
            total_time.as_secs_f64(),
            arguments.output.display()
        ),
    )?;
    Ok(ExitCode::SUCCESS)
}

/// The first stage: reads, until the rays end or nobody wants more. With `strict`, refuses what cannot be
/// cast, by the name of the file.
fn read(
    reader: RayReader,
    strict: Option<&Path>,
    rays_out: &SyncSender<Vec<Ray>>,
) -> Result<(), Failure> {
    let mut before = 0;
    let read = reader.batches(BATCH, |rays| {
        if let Some(path) = strict {
            refuse_invalid(&rays, before, path)?;
        }
        before += rays.len();
        rays_out.send(rays).map_err(|_| End::Unwanted)
    });
    match read {
        Err(End::Failure(failure)) => Err(failure),
        // The stage that no longer takes rays says why.
        Ok(()) | Err(End::Unwanted) => Ok(()),
    }
}

/// Why reading ended before the rays did.
enum End {
    Failure(Failure),
    Unwanted,
}

impl From<Failure> for End {
    fn from(failure: Failure) -> Self {
        Self::Failure(failure)
    }
}

impl From<FileError> for End {
    fn from(error: FileError) -> Self {
        Self::Failure(error.into())
    }
}

/// The second stage: casts, and returns how long that took.
fn cast(
    tracer: &dyn Tracer,
    rays_in: Receiver<Vec<Ray>>,
    hits_out: SyncSender<(Vec<Ray>, Vec<Hit>)>,
    progress: impl Fn(usize),
) -> Result<Duration, Failure> {
    let mut time = Duration::ZERO;
    for rays in rays_in {
        let start = Instant::now();
        let hits = tracer.closest(Batch::new(&rays))?;
        time += start.elapsed();
        progress(rays.len());
        if hits_out.send((rays, hits)).is_err() {
            // The last stage says why.
            break;
        }
    }
    Ok(time)
}

/// What the last stage has written.
struct Answers {
    writer: HitWriter,
    hits: usize,
    invalid: usize,
}

/// The last stage: takes normals, and writes.
fn write(
    writer: HitWriter,
    scene: &Scene,
    hits_in: Receiver<(Vec<Ray>, Vec<Hit>)>,
) -> Result<Answers, Failure> {
    let mut answers = Answers { writer, hits: 0, invalid: 0 };
    for (rays, hits) in hits_in {
        let hits = Hits::new(scene, Batch::new(&rays), &hits);
        answers.writer.write(&hits)?;
        answers.hits += hits.hit_count();
        answers.invalid += hits.invalid_count();
    }
    Ok(answers)
}

/// What a thread returns; its panic goes on here.
pub(super) fn join<T>(
    thread: thread::ScopedJoinHandle<'_, Result<T, Failure>>,
) -> Result<T, Failure> {
    thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}
