//! `raytwin scan`: casts one camera from many poses.

mod output;
mod stage;

use super::Failure;
use super::cloud::FrameFlag;
use super::compiling::CastTimes;
use super::console::{Console, STRIDE, mrays_per_s, speed};
use super::lidars;
use super::source::{SceneArguments, ViewArguments};
use super::summary::{PathText, ScanSummary, Summary};
use clap::Args;
use output::{FormatFlag, ScanOutput, ScanTarget};
use raytwin::NONE;
use raytwin::camera::{Projection, View};
use raytwin::io::trajectories::read_trajectory;
use raytwin::scan::{PosedView, Trajectory};
use stage::Stage;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

#[derive(Debug, Args)]
#[command(
    mut_arg("scene", |scene| scene.required(false).required_unless_present("list_lidars")),
    after_long_help = FRAMES
)]
pub(super) struct Arguments {
    #[command(flatten)]
    scene: SceneArguments,
    #[command(flatten)]
    view: ViewArguments,
    /// The trajectory: a .csv with a column time and the columns x y z qx qy qz qw, or with columns
    /// named as a robot's joints, or with both; an .npy of (N, 8) in the order time x y z qx qy qz
    /// qw; or a .txt or .tum of such lines.
    #[arg(long, value_name = "TRAJECTORY", required_unless_present = "list_lidars")]
    poses: Option<PathBuf>,
    /// Mount the sensor on this link of the robot whose joints the trajectory moves: the sensor's
    /// frame is the link's.
    #[arg(long, value_name = "NAME")]
    link: Option<String>,
    /// The seconds in which a lidar sweeps over its columns, from left to right; each row of the
    /// trajectory begins a sweep, and poses between rows are interpolated. Column c of N is cast
    /// when (c + 0.5) / N of the sweep has passed. By default it is the camera's own; 0 casts all
    /// columns at once.
    #[arg(long, value_name = "SECONDS", allow_hyphen_values = true, value_parser = seconds)]
    sweep: Option<f64>,
    /// Write the points of all poses to this .ply, .pcd, .las or .npy, each with its time,
    /// distance, geometry_id, primitive_id, ring (row) and column; or files for each pose to this
    /// folder, with --each or --depth-png.
    #[arg(
        short,
        long = "out",
        visible_alias = "output",
        value_name = "CLOUD|DIR/",
        required_unless_present = "list_lidars"
    )]
    output: Option<PathBuf>,
    /// Write a file of this format for each pose to the folder: a cloud (ply, pcd, las, npy), or
    /// the arrays of the image (npz). May be several, separated by commas.
    #[arg(long, value_enum, value_name = "FORMAT", value_delimiter = ',')]
    each: Vec<FormatFlag>,
    /// Write a 16-bit PNG for each pose to the folder, which holds round(z * SCALE), or 0 where
    /// nothing was hit.
    #[arg(long, value_name = "SCALE", allow_hyphen_values = true, value_parser = super::render::scale)]
    depth_png: Option<f64>,
    /// Give each point of a cloud its normal.
    #[arg(long)]
    cloud_normals: bool,
    /// The space in which the points of clouds are given; the sensor's is that of each point's own
    /// time.
    #[arg(long, value_enum, default_value = "world")]
    frame: FrameFlag,
    /// List the lidars that --lidar knows, each with the source of its numbers.
    #[arg(long)]
    list_lidars: bool,
}

/// The part of the help that explains poses.
const FRAMES: &str = "Poses: a row's position and quaternion put the sensor's frame in the world, in place of the camera's \
    own eye, target and up. The frame is that of --frame sensor: x forward, y left, z up for a lidar, so a quaternion of \
    0 0 0 1 looks along +x; and x right, y down, z forward for other cameras. Times must increase. A sweep that would end \
    after the last row is not cast, because nothing is known of the motion there.";

fn seconds(text: &str) -> Result<f64, String> {
    let seconds = text.parse().ok().filter(|seconds: &f64| seconds.is_finite() && *seconds >= 0.0);
    seconds.ok_or_else(|| format!("'{text}' must be a number of seconds from 0, such as 0.1"))
}

impl Arguments {
    /// Returns an error if a trajectory of poses, or a link, places the sensor otherwise than flags
    /// do.
    fn refuse_two_places(&self, has_poses: bool, has_joints: bool) -> Result<(), Failure> {
        let refuse = |reason: &str| Err(Failure::usage(reason));
        match (&self.link, has_poses, has_joints) {
            (Some(_), true, _) => {
                refuse("--link: the trajectory has poses of the sensor: leave one of the two out")
            }
            (Some(_), false, false) => refuse("--link is for a trajectory of joints: leave it out"),
            (None, false, _) => Ok(()),
            _ if self.view.places_camera() => refuse(
                "--eye, --target and --up: the trajectory places the sensor, so leave them out",
            ),
            _ => Ok(()),
        }
    }

    /// Returns the view with the time of a sweep that the flag gives.
    fn swept(&self, mut view: View) -> Result<View, Failure> {
        match (self.sweep, &mut view.camera.projection) {
            (None, _) => {}
            (Some(seconds), Projection::Panoramic(panorama)) => panorama.sweep_s = seconds,
            (Some(_), _) => {
                return Err(Failure::usage(format!(
                    "--sweep is for panoramic cameras, and {} is not: leave it out",
                    view.camera.name
                )));
            }
        }
        Ok(view)
    }
}

fn sweep_s(view: &View) -> f64 {
    match &view.camera.projection {
        Projection::Panoramic(panorama) => panorama.sweep_s,
        _ => 0.0,
    }
}

/// Counts the rows from which a sweep can be cast; the others are the last ones.
fn castable_rows(view: &View, trajectory: &Trajectory, stage: &Stage) -> Result<usize, Failure> {
    let origin = stage.origin();
    let mut count = 0;
    for row in 0..trajectory.len() {
        match PosedView::new(view, trajectory, row, origin) {
            Ok(Some(_)) => count += 1,
            Ok(None) => break,
            Err(error) => return Err(Failure::input(format!("row {row} of --poses: {error}"))),
        }
    }
    if count == 0 {
        let times = trajectory.times();
        return Err(Failure::input(format!(
            "no sweep of {} s fits between the first time, {}, and the last, {}: add a row for its end, or cast all columns at once with --sweep 0",
            sweep_s(view),
            times[0],
            times[times.len() - 1]
        )));
    }
    Ok(count)
}

pub(super) fn run(
    arguments: &Arguments,
    device: &str,
    console: &Console,
) -> Result<ExitCode, Failure> {
    if arguments.list_lidars {
        return lidars::list(console);
    }
    let (Some(poses), Some(output)) = (&arguments.poses, &arguments.output) else {
        return Err(Failure::usage("--poses and -o: give both"));
    };
    let target = ScanTarget::new(output, &arguments.each, arguments.depth_png)?;
    arguments.scene.refuse_swap(poses, "poses")?;
    let rows = read_trajectory(poses)?;
    arguments.refuse_two_places(rows.poses.is_some(), !rows.joints.is_empty())?;
    let (mut stage, view, trajectory) = Stage::new(arguments, rows, device, console)?;
    let outputs = target.files(trajectory.len());
    arguments.scene.refuse_own_input(&outputs, [poses.as_path()])?;
    let view = arguments.swept(view)?;
    let count = castable_rows(&view, &trajectory, &stage)?;
    let mut output = ScanOutput::new(target, arguments, stage.origin(), console)?;

    let start = Instant::now();
    let mut times = CastTimes::default();
    let [mut hit_count, mut invalid_count] = [0, 0];
    let rays = count * view.pixels();
    let bar = console.bar("scan", "rays", rays);
    console.casting(&bar, || -> Result<(), Failure> {
        for row in 0..count {
            let (scene, tracer) = stage.at(row, console)?;
            let posed = PosedView::new(&view, &trajectory, row, scene.origin())?;
            let Some(posed) = posed else { break };
            output.begin(row, &posed)?;
            for first in (0..view.pixels()).step_by(STRIDE) {
                let pixels = first..view.pixels().min(first + STRIDE);
                let hits = times.measure(
                    || posed.render(tracer, first..first + 1).map(drop),
                    || posed.render(tracer, pixels.clone()),
                )?;
                hit_count += hits.iter().filter(|hit| hit.geometry_id != NONE).count() as u64;
                invalid_count += hits.iter().filter(|hit| hit.t.is_nan()).count() as u64;
                output.add(scene, &posed, first, &hits)?;
                bar.inc(pixels.len() as u64);
            }
            output.end(row, &trajectory, console)?;
        }
        Ok(())
    })?;
    let written = console.phase("writing", || output.finish())?;
    bar.finish_and_clear();
    let total_time = start.elapsed();
    let left_out = trajectory.len() - count;
    let mut line = format!(
        "{count} poses of {}x{} pixels by camera {}, {hit_count} hits, {}{}",
        view.width,
        view.height,
        view.camera.name,
        times.compiling(),
        speed(rays, times.trace),
    );
    if let Some(points) = written.points {
        line += &format!(", {points} points");
    }
    line += &format!(" -> {}", written.target.display());
    line += &match left_out {
        0 => String::new(),
        1 => "; no sweep begins at the last row".to_owned(),
        rows => format!("; no sweep begins at the last {rows} rows"),
    };
    let summary = ScanSummary {
        scene: arguments.scene.name(),
        camera: view.camera.name.clone(),
        device: stage.device(),
        poses: count,
        left_out,
        width: view.width,
        height: view.height,
        sweep_s: sweep_s(&view),
        rays: rays as u64,
        hits: hit_count,
        invalid: invalid_count,
        cloud_points: written.points,
        saturated: written.saturated,
        times: stage.times(&times),
        mrays_per_s: mrays_per_s(rays, times.trace),
        total_s: total_time.as_secs_f64(),
        files: PathText::all(written.files),
    };
    console.summary(Summary::Scan(summary), &line)?;
    Ok(ExitCode::SUCCESS)
}
