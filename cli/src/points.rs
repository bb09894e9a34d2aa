//! `raytwin points`: finds the solids that contain each point of a file of any length, and the
//! nearest surface.

use super::Failure;
use super::compiling::CastTimes;
use super::console::Console;
use super::device::DeviceFlag;
use super::source::SceneArguments;
use super::stages::{BATCH, ReadStop, has_extension, in_stages, is_file, read_result};
use super::summary::{PathText, PointsSummary, Summary};
use clap::Args;
use raytwin::query::{PointAnswer, PointHit};
use raytwin::scene::Scene;
use raytwin::tracer::{TraceError, Tracer};
use raytwin_files::points::{
    PointAnswerLayout, PointAnswerWriter, PointReader, point_answer_files,
};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::mpsc::{Receiver, SyncSender};
use std::time::Instant;

#[derive(Debug, Args)]
#[command(before_help = EXAMPLES)]
pub(super) struct Arguments {
    #[command(flatten)]
    scene: SceneArguments,
    /// The points: a table, a cloud, an .npy or an .npz.
    ///
    /// A table (.csv, .parquet) has the columns x y z. A cloud is a .las, .laz, .ply, .pcd or .xyz.
    /// If the answers are a table, it also gets the other columns, such as intensity and
    /// classification. An .npy has the shape (N, 3), or more axes in front, in float32 or float64.
    /// An .npz has such an array named points.
    #[arg(help_heading = "Input")]
    points: PathBuf,
    /// Write the answers to this .csv, .parquet, .npz or folder.
    ///
    /// A table has a row for each point, with its x y z, the other columns of its file, contains,
    /// containing_id, containing_path, containing_depth, signed_distance, closest_x, closest_y,
    /// closest_z, geometry_id, primitive_id and path. containing_depth is the depth of the point in
    /// the shape of containing_path. path is the shape with the nearest surface. signed_distance is
    /// the distance to that surface, and negative if any solid contains the point. A cell without a
    /// value is empty.
    ///
    /// The arrays are contains, containing_ids, closest_points, signed_distance, geometry_ids and
    /// primitive_ids. A folder gets an .npy for each array. Writing an .npz needs twice its size on
    /// disk.
    #[arg(
        short,
        long = "out",
        visible_alias = "output",
        value_name = "ANSWERS.csv|ANSWERS.npz|DIR/"
    )]
    #[arg(help_heading = "Output")]
    output: PathBuf,
    /// Also write innermost_ids, the smallest solid by volume around each point.
    ///
    /// If volumes are equal, it is the solid with the lowest id. A half-space has no volume. A
    /// table gets innermost_id and innermost_path. The CPU finds the solids in float64, whatever
    /// the --device.
    #[arg(long, help_heading = "Answers")]
    innermost: bool,
}

const EXAMPLES: &str = "\
raytwin points examples/scenes/detector.json examples/rays/vertices.npy -o around.npz
raytwin points examples/tables/tank_farm.csv examples/rays/survey.csv --origin auto -o near.csv";

/// A batch of points and the tracer's answers to them.
struct AnsweredPoints {
    points: Vec<[f32; 3]>,
    hits: Vec<PointHit>,
    /// The innermost solids; empty without --innermost.
    innermost: Vec<u32>,
}

pub(super) fn run(
    arguments: Arguments,
    device: &str,
    console: &Console,
) -> Result<ExitCode, Failure> {
    arguments.scene.refuse_swap(&arguments.points, "points")?;
    let is_table = has_extension(&arguments.output, &["csv", "parquet"]);
    let is_one_file =
        is_file(&arguments.output, &["npz", "csv", "parquet"], "a .csv, a .parquet or an .npz")?;
    let outputs: Vec<PathBuf> = match is_one_file {
        true => vec![arguments.output.clone()],
        false => point_answer_files(arguments.innermost)
            .map(|name| arguments.output.join(name))
            .collect(),
    };
    let device = DeviceFlag::new(device).opening(Some(arguments.scene.path()));
    let loaded = arguments.scene.load(console)?;
    arguments.scene.check_outputs(&outputs, [arguments.points.as_path()])?;
    let origin = loaded.scene.origin();
    let reader = match is_table {
        true => PointReader::open_with_columns(&arguments.points)?,
        false => PointReader::open(&arguments.points)?,
    };
    if !arguments.scene.has_origin(&loaded.scene) {
        let coarse = reader.refuse_coarse();
        coarse.map_err(|error| Failure::from(error).with_flags(&["--origin auto"]))?;
    }
    let reader = reader.relative_to(origin);
    let count = reader.len();
    let layout = PointAnswerLayout { origin, has_innermost: arguments.innermost };
    let writer = match is_one_file {
        true if is_table => PointAnswerWriter::table(&arguments.output, layout, reader.table())?,
        true => PointAnswerWriter::archive(&arguments.output, layout)?,
        false => PointAnswerWriter::folder(&arguments.output, layout)?,
    };
    let writer = writer.shaped(reader.shape())?;
    let tracer = device.tracer(&loaded, console)?;

    let start = Instant::now();
    let bar = console.bar("points", "points", count);
    let strict = arguments.scene.strict.then_some(arguments.points.as_path());
    let done = console.casting(&bar, || {
        in_stages(
            move |points_out| read(reader, strict, &points_out),
            |points_in, hits_out| ask(tracer.as_ref(), arguments.innermost, points_in, hits_out),
            |hits_in| write(writer, &loaded.scene, hits_in, |points| bar.inc(points as u64)),
        )
    });
    bar.finish_and_clear();
    let ((), times, written) = done?;
    let (files, outputs) = written.writer.complete()?;
    console.publish(outputs)?;
    let total_time = start.elapsed();

    let mpoints_per_s = count as f64 / 1e6 / times.trace.as_secs_f64().max(1e-9);
    console.summary(
        Summary::Points(PointsSummary {
            scene: loaded.name.clone(),
            device: tracer.device(),
            points: count,
            contained: written.contained,
            invalid: written.invalid,
            times: loaded.times(&times),
            mpoints_per_s,
            total_s: total_time.as_secs_f64(),
            files: PathText::all(files),
        }),
        &format!(
            "{count} points, {} in solids, {} invalid, {}{mpoints_per_s:.1} M points/s, {:.2} s including reading and writing -> {}",
            written.contained,
            written.invalid,
            times.compiling(),
            total_time.as_secs_f64(),
            arguments.output.display()
        ),
    )?;
    Ok(ExitCode::SUCCESS)
}

/// The first stage: reads points until the file ends or the next stage stops. If `strict` gives the
/// name of the file, an invalid point is an error that names it.
fn read(
    reader: PointReader,
    strict: Option<&Path>,
    points_out: &SyncSender<Vec<[f32; 3]>>,
) -> Result<(), Failure> {
    let mut before = 0;
    let read = reader.batches(BATCH, |points| {
        let invalid = points.iter().position(|&point| !PointAnswer::is_valid_point(point));
        if let (Some(path), Some(index)) = (strict, invalid) {
            return Err(ReadStop::Failure(Failure::input(format!(
                "{}: point {} is {:?}: {}",
                path.display(),
                before + index,
                points[index],
                PointAnswer::RULE
            ))));
        }
        before += points.len();
        points_out.send(points).map_err(|_| ReadStop::Closed)
    });
    read_result(read)
}

/// The second stage: asks the tracer, and returns its times.
fn ask(
    tracer: &dyn Tracer,
    has_innermost: bool,
    points_in: Receiver<Vec<[f32; 3]>>,
    hits_out: SyncSender<AnsweredPoints>,
) -> Result<CastTimes, Failure> {
    let mut times = CastTimes::default();
    for points in points_in {
        let first = &points[..points.len().min(1)];
        let innermost = || match has_innermost {
            true => tracer.innermost(&points),
            false => Ok(Vec::new()),
        };
        let answer = || Ok::<_, TraceError>((tracer.points(&points)?, innermost()?));
        let (hits, innermost) = times.measure(|| tracer.points(first).map(drop), answer)?;
        if hits_out.send(AnsweredPoints { points, hits, innermost }).is_err() {
            break;
        }
    }
    Ok(times)
}

/// The writer of the last stage, and counts of the points that it wrote.
struct WrittenPoints {
    writer: PointAnswerWriter,
    contained: usize,
    invalid: usize,
}

/// The last stage: computes distances and writes them. Calls `progress` with the number of points
/// in each written batch.
fn write(
    writer: PointAnswerWriter,
    scene: &Scene,
    hits_in: Receiver<AnsweredPoints>,
    progress: impl Fn(usize),
) -> Result<WrittenPoints, Failure> {
    let mut written = WrittenPoints { writer, contained: 0, invalid: 0 };
    for AnsweredPoints { points, hits, innermost } in hits_in {
        let answers = PointAnswer::all(scene, &points, &hits);
        written.writer.write(scene, &points, &answers, &innermost)?;
        progress(points.len());
        written.contained += answers.iter().filter(|answer| answer.contains > 0).count();
        written.invalid += answers.iter().filter(|answer| answer.signed_distance.is_nan()).count();
    }
    Ok(written)
}
