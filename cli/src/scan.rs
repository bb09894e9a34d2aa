//! `raytwin scan`: casts one camera from many poses.

mod arguments;
mod format_flag;
mod joint_columns;
mod legs;
mod output;
mod stage;
mod states;
mod target;

pub(super) use arguments::Arguments;

use super::Failure;
use super::compiling::CastTimes;
use super::console::{Console, STRIDE, mrays_per_s, speed};
use super::device::DeviceFlag;
use super::hits_per::{self, require_columns};
use super::lidars;
use super::summary::{PathText, ScanSummary, Summary};
use output::{CastPixels, ScanOutput};
use raytwin::camera::{CameraError, View};
use raytwin::glam::DVec3;
use raytwin::returns::{Seen, cast_beams};
use raytwin::scan::{PosedView, SweepStart, Trajectory};
use raytwin::scene::Scene;
use raytwin_files::CoordinateSystem;
use raytwin_files::legs::read_legs;
use raytwin_files::stations::{Station, read_stations};
use raytwin_files::trajectories::{TrajectoryRows, read_trajectory};
use stage::Stage;
use std::process::ExitCode;
use std::time::Instant;
use target::ScanTarget;

/// Puts a view at a row of a trajectory, or at a station; `None` if the trajectory ends before its
/// sweep does.
fn posed(
    view: &View,
    trajectory: &Trajectory,
    row: usize,
    origin: DVec3,
    stands: bool,
) -> Result<Option<PosedView>, CameraError> {
    if !stands {
        return PosedView::new(view, trajectory, row, origin);
    }
    let (time, pose) = (trajectory.times()[row], &trajectory.poses()[row]);
    PosedView::standing(view, pose, time, row, origin).map(Some)
}

/// The pixels that are cast at a time. Returns are in memory until they are written.
fn stride(view: &View) -> usize {
    STRIDE / usize::from(view.camera.sensor.pulse.most_returns())
}

/// Finds the rows from which a sweep can be cast; the others are the last ones.
fn castable_rows(
    view: &View,
    trajectory: &Trajectory,
    stage: &Stage,
    stands: bool,
) -> Result<Vec<SweepStart>, Failure> {
    let origin = stage.origin();
    let mut count = 0;
    for row in 0..trajectory.len() {
        match posed(view, trajectory, row, origin, stands) {
            Ok(Some(_)) => count += 1,
            Ok(None) => break,
            Err(error) => return Err(Failure::input(format!("row {row} of --poses: {error}"))),
        }
    }
    if count == 0 {
        let times = trajectory.times();
        return Err(Failure::input(format!(
            "no sweep of {} s fits between the first time, {}, and the last, {}: add a row for its end, or cast all columns at once with --sweep 0",
            view.camera.projection.sweep_s(),
            times[0],
            times[times.len() - 1]
        )));
    }
    Ok((0..count).map(|row| SweepStart { row, source: row as u32 + 1 }).collect())
}

/// The error of a sweep that was counted, and ends after the trajectory does.
fn too_late(view: &View, trajectory: &Trajectory, row: usize) -> Failure {
    let times = trajectory.times();
    Failure::input(format!(
        "the sweep at row {row} takes {} s from {} s on, and nothing is known of the motion after {} s: add a row for its end",
        view.camera.projection.sweep_s(),
        times[row],
        times[times.len() - 1]
    ))
}

/// Returns the poses of a scanner at stations, a second apart.
fn standing(stations: &[Station], arguments: &Arguments) -> Result<TrajectoryRows, Failure> {
    if arguments.view.sets_camera() {
        return Err(Failure::usage(
            "--eye, --target and --up: the stations place the sensor, so leave them out",
        ));
    }
    let pose = |station: &Station| station.pose().map_err(Failure::input);
    Ok(TrajectoryRows {
        times: (0..stations.len()).map(|number| number as f64).collect(),
        poses: Some(stations.iter().map(pose).collect::<Result<_, _>>()?),
        ..TrajectoryRows::default()
    })
}

/// A warning for a scan of nothing, which is mostly one in other coordinates than the scene's.
fn nothing_hit(scene: &Scene) -> String {
    let bounds = scene.bounds();
    let [least, most] = [bounds.min, bounds.max].map(|corner| corner + scene.origin());
    format!(
        "nothing was hit: the scene lies between {least} and {most}, so see where the sensor stands, where it looks, and its range"
    )
}

pub(super) fn run(
    arguments: &Arguments,
    device: &str,
    console: &Console,
) -> Result<ExitCode, Failure> {
    if arguments.list_lidars {
        return lidars::list(console);
    }
    let Some(output) = &arguments.output else {
        return Err(Failure::usage("-o: name the cloud, or the folder"));
    };
    arguments.refuse_useless_resume()?;
    let target = ScanTarget::new(output, &arguments.each, arguments.depth_png)?;
    let poses = arguments.poses.as_deref();
    let rows = match poses {
        Some(poses) => {
            arguments.scene.refuse_swap(poses, "poses")?;
            let rows = read_trajectory(poses)?;
            arguments.refuse_two_places(rows.poses.is_some(), !rows.joints.is_empty())?;
            Some(rows)
        }
        None => None,
    };
    let stations = arguments.stations.as_deref().map(read_stations).transpose()?;
    let rows = match &stations {
        Some(stations) => Some(standing(stations, arguments)?),
        None => rows,
    };
    let flown = match arguments.legs.as_deref() {
        Some(path) => {
            let legs = read_legs(path)?;
            arguments.refuse_two_places(true, false)?;
            let (stage, view) = Stage::still(arguments, &DeviceFlag::new(device), console)?;
            let view = arguments.swept(view)?;
            let swept = (&view, view.camera.projection.sweep_s());
            let flight = legs::flight(arguments, (path, &legs), swept, stage.packed(), console)?;
            (stage, view, flight.trajectory, Some(flight.sweeps))
        }
        None => {
            let (stage, view, trajectory) = Stage::new(arguments, rows, device, console)?;
            (stage, arguments.swept(view)?, trajectory, None)
        }
    };
    let (mut stage, view, trajectory, sweeps) = flown;
    let outputs = target.files(sweeps.as_ref().map_or(trajectory.len(), Vec::len));
    let inputs = [
        poses,
        arguments.stations.as_deref(),
        arguments.legs.as_deref(),
        arguments.crs.as_ref().and_then(CoordinateSystem::file),
    ];
    let inputs = inputs.into_iter().flatten();
    arguments.scene.check_outputs(&outputs, inputs)?;
    let stands = stations.is_some();
    if stands && !view.camera.projection.is_lidar() {
        return Err(Failure::usage(format!(
            "--stations is for panoramic cameras, and {} is not: give --poses",
            view.camera.name
        )));
    }
    let (sweeps, left_out) = match sweeps {
        Some(sweeps) => (sweeps, 0),
        None => {
            let castable = || castable_rows(&view, &trajectory, &stage, stands);
            let sweeps = console.phase("finding where sweeps begin", castable)?;
            let left_out = trajectory.len() - sweeps.len();
            (sweeps, left_out)
        }
    };
    let count = sweeps.len();
    arguments.hits_per.refuse_unknown(stage.scene())?;
    require_columns("--keep", &arguments.keep, stage.scene())?;
    if target.is_one_cloud() && !arguments.resume {
        console.keeps_nothing_yet();
    }
    let scene = stage.scene();
    let names = stations.map(|all| all.into_iter().map(|it| it.name).collect::<Vec<_>>());
    let mut output = ScanOutput::new(target, arguments, &view, &trajectory, scene, console)?
        .with_names(names.filter(|names| names.iter().any(|name| !name.is_empty())));
    output.announce(&view, &sweeps, console)?;
    if arguments.resume {
        output = output.keeping(&arguments.made_from(scene, &view, &stage.device())?, console)?;
    }
    let stride = stride(&view);
    let kept = output.kept_start(view.pixels(), stride);

    let start = Instant::now();
    let mut times = CastTimes::default();
    let mut counts = arguments.hits_per.counts();
    let rays = count * view.pixels();
    let kept_rays = kept.poses * view.pixels() + kept.pixels;
    let bar = console.bar("scan", "rays", rays);
    bar.inc(kept_rays as u64);
    console.casting(&bar, || -> Result<(), Failure> {
        for (number, sweep) in sweeps.iter().enumerate() {
            if number < kept.poses {
                output.pass_over(number, sweep.row, &trajectory)?;
                continue;
            }
            let (scene, tracer) = stage.at(sweep.row, console)?;
            let posed = posed(&view, &trajectory, sweep.row, scene.origin(), stands)?;
            let posed = posed.ok_or_else(|| too_late(&view, &trajectory, sweep.row))?;
            output.begin(number, sweep, &posed)?;
            let first = if number == kept.poses { kept.pixels } else { 0 };
            for first in (first..view.pixels()).step_by(stride) {
                let pixels = first..view.pixels().min(first + stride);
                if output.has_returns() {
                    let returns = times.measure(
                        || cast_beams(tracer, &posed, first..first + 1, Seen::default()).map(drop),
                        || cast_beams(tracer, &posed, pixels.clone(), Seen::default()),
                    )?;
                    counts.add(returns.iter().map(|it| it.hit.geometry_id));
                    output.add(scene, &posed, pixels.clone(), CastPixels::Beams(&returns))?;
                } else {
                    let hits = times.measure(
                        || posed.render(tracer, first..first + 1).map(drop),
                        || posed.render(tracer, pixels.clone()),
                    )?;
                    let sensor = &posed.view().camera.sensor;
                    let in_range = pixels.clone().zip(&hits).filter(|(pixel, hit)| {
                        // As in a cloud, what the sensor does not report is no hit.
                        sensor.reported(*pixel, hit.t).is_finite()
                    });
                    counts.add(in_range.map(|(_, hit)| hit.geometry_id));
                    output.add(scene, &posed, pixels.clone(), CastPixels::Closest(&hits))?;
                }
                bar.inc(pixels.len() as u64);
            }
            output.end(number, sweep.row, &trajectory, scene, console)?;
        }
        Ok(())
    })?;
    let output_has_returns = output.has_returns();
    let written = console.phase("writing", || output.finish(console))?;
    bar.finish_and_clear();
    let total_time = start.elapsed();
    let mut line = format!(
        "{count} poses of {}x{} pixels by camera {},{} {} {}, {}{}",
        view.width,
        view.height,
        view.camera.name,
        match kept_rays {
            0 => String::new(),
            kept => format!(" {kept} rays cast by an earlier run,"),
        },
        written.counts.hits,
        if output_has_returns { "returns" } else { "hits" },
        times.compiling(),
        speed(rays - kept_rays, times.trace),
    );
    let points = written.has_cloud.then_some(written.counts.points);
    if let Some(points) = points {
        line += &format!(", {points} points");
    }
    line += &format!(" -> {}", written.target.display());
    line += &match left_out {
        0 => String::new(),
        1 => "; no sweep begins at the last row".to_owned(),
        rows => format!("; no sweep begins at the last {rows} rows"),
    };
    if written.counts.hits == 0 {
        console.warn(&nothing_hit(stage.scene()));
    }
    let hits_per = counts.of(stage.scene());
    hits_per::print(hits_per.as_deref(), console)?;
    let summary = ScanSummary {
        scene: arguments.scene.name(),
        camera: view.camera.name.clone(),
        device: stage.device(),
        poses: count,
        left_out,
        width: view.width,
        height: view.height,
        sweep_s: if stands { 0.0 } else { view.camera.projection.sweep_s() },
        rays: rays as u64,
        kept: kept_rays as u64,
        hits: written.counts.hits,
        hits_per,
        invalid: written.counts.invalid,
        cloud_points: points,
        saturated: arguments.depth_png.map(|_| written.counts.saturated),
        times: stage.times(&times),
        mrays_per_s: mrays_per_s(rays - kept_rays, times.trace),
        total_s: total_time.as_secs_f64(),
        files: PathText::all(written.files),
    };
    console.summary(Summary::Scan(summary), &line)?;
    Ok(ExitCode::SUCCESS)
}
