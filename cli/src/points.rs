//! `raytwin points`: points from a file, and to files what holds each and which surface is nearest, of any length.

use super::Failure;
use super::device::DeviceFlag;
use super::report::Report;
use super::source::SceneArguments;
use super::stages::{BATCH, End, in_stages, is_file, read_to_its_end, refuse_own_input};
use clap::Args;
use raytwin::io::answer_files;
use raytwin::io::points::{PointAnswerWriter, PointReader};
use raytwin::query::{PointAnswer, PointHit};
use raytwin::scene::Scene;
use raytwin::tracer::Tracer;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::mpsc::{Receiver, SyncSender};
use std::time::{Duration, Instant};

#[derive(Debug, Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    scene: SceneArguments,
    /// The points: an .npy of (N, 3) float32, or an .npz with such an array named points.
    points: PathBuf,
    /// The answers, contains, containing_ids, closest_points, signed_distance, geometry_ids and primitive_ids: an
    /// .npz, or a folder for an .npy of each. An .npz needs twice its place on the disk while it is written.
    #[arg(short, long, value_name = "ANSWERS.npz|DIR/")]
    output: PathBuf,
}

/// Points, and what was found around each.
type Batch = (Vec<[f32; 3]>, Vec<PointHit>);

pub(super) fn run(
    arguments: Arguments,
    device: &str,
    report: &Report,
) -> Result<ExitCode, Failure> {
    let is_archive = is_file(&arguments.output, &["npz"], "an .npz")?;
    let outputs: Vec<PathBuf> = match is_archive {
        true => vec![arguments.output.clone()],
        false => answer_files().map(|name| arguments.output.join(name)).collect(),
    };
    refuse_own_input(&outputs, &[&arguments.points, arguments.scene.path()])?;
    let loaded = arguments.scene.load(report)?;
    let reader = PointReader::open(&arguments.points)?;
    let count = reader.len();
    let writer = match is_archive {
        true => PointAnswerWriter::archive(&arguments.output)?,
        false => PointAnswerWriter::folder(&arguments.output)?,
    };
    let tracer = DeviceFlag::new(device).tracer(&loaded, None, report)?;

    let start = Instant::now();
    let bar = report.bar("points", "points", count);
    let strict = arguments.scene.strict.then_some(arguments.points.as_path());
    let done = in_stages(
        move |points_out| read(reader, strict, &points_out),
        |points_in, found_out| ask(tracer.as_ref(), points_in, found_out),
        |found_in| write(writer, &loaded.scene, found_in, |points| bar.inc(points as u64)),
    );
    bar.finish_and_clear();
    let ((), time, answers) = done?;
    let files = answers.writer.finish()?;
    let total_time = start.elapsed();

    let files: Vec<String> = files.iter().map(|file| file.display().to_string()).collect();
    let mpoints_per_s = count as f64 / 1e6 / time.as_secs_f64().max(1e-9);
    report.summary(
        &json!({
            "command": "points", "scene": loaded.name, "device": tracer.device(),
            "points": count, "contained": answers.contained, "invalid": answers.invalid,
            "load_s": loaded.load_time.as_secs_f64(), "trace_s": time.as_secs_f64(),
            "mpoints_per_s": mpoints_per_s, "total_s": total_time.as_secs_f64(), "files": files,
        }),
        &format!(
            "{count} points, {} in solids, {} invalid, {mpoints_per_s:.1} M points/s, {:.2} s with reading and writing -> {}",
            answers.contained,
            answers.invalid,
            total_time.as_secs_f64(),
            arguments.output.display()
        ),
    )?;
    Ok(ExitCode::SUCCESS)
}

/// The first stage: reads, until the points end or nobody wants more. With `strict`, refuses what cannot be asked
/// about, by the name of the file.
fn read(
    reader: PointReader,
    strict: Option<&Path>,
    points_out: &SyncSender<Vec<[f32; 3]>>,
) -> Result<(), Failure> {
    let mut before = 0;
    let read = reader.batches(BATCH, |points| {
        let invalid = points.iter().position(|&point| !PointAnswer::is_valid_point(point));
        if let (Some(path), Some(index)) = (strict, invalid) {
            return Err(End::Failure(Failure::input(format!(
                "{}: point {} is {:?}: {}",
                path.display(),
                before + index,
                points[index],
                PointAnswer::RULE
            ))));
        }
        before += points.len();
        points_out.send(points).map_err(|_| End::Unwanted)
    });
    read_to_its_end(read)
}

/// The second stage: asks, and returns how long that took.
fn ask(
    tracer: &dyn Tracer,
    points_in: Receiver<Vec<[f32; 3]>>,
    found_out: SyncSender<Batch>,
) -> Result<Duration, Failure> {
    let mut time = Duration::ZERO;
    for points in points_in {
        let start = Instant::now();
        let found = tracer.points(&points)?;
        time += start.elapsed();
        if found_out.send((points, found)).is_err() {
            break;
        }
    }
    Ok(time)
}

/// What the last stage has written.
struct Answers {
    writer: PointAnswerWriter,
    contained: usize,
    invalid: usize,
}

/// The last stage: takes distances, and writes; `progress` hears of the points that are written.
fn write(
    writer: PointAnswerWriter,
    scene: &Scene,
    found_in: Receiver<Batch>,
    progress: impl Fn(usize),
) -> Result<Answers, Failure> {
    let mut answers = Answers { writer, contained: 0, invalid: 0 };
    for (points, found) in found_in {
        let surroundings = PointAnswer::all(scene, &points, &found);
        answers.writer.write(&surroundings)?;
        progress(points.len());
        answers.contained += surroundings.iter().filter(|own| own.contains > 0).count();
        answers.invalid += surroundings.iter().filter(|own| own.signed_distance.is_nan()).count();
    }
    Ok(answers)
}
