//! `raytwin scan`: casts one camera from many poses.

mod arguments;
mod format_flag;
mod hits_in_range;
mod intensity_flag;
mod joint_columns;
mod legs;
mod link_frames;
mod message_arguments;
mod mounting;
mod named_link;
mod output;
mod pose_rows;
mod posed_link;
mod sensor_poses;
mod shell;
mod stage;
mod states;
mod sweep_rate;
mod sweeps;
mod target;

pub(super) use arguments::Arguments;

use super::Failure;
use super::compiling::CastTimes;
use super::console::{Console, STRIDE, mrays_per_s, speed};
use super::hits_per::{self, GroupCounts, require_columns};
use super::lidars;
use super::summary::{PathText, ScanSummary, Summary};
use hits_in_range::hits_in_range;
use indicatif::ProgressBar;
use output::{CastPixels, KeptStart, ScanOutput};
use raytwin::camera::View;
use raytwin::returns::{RayScope, cast_beams};
use raytwin::scene::Scene;
use shell::FirstSweep;
use stage::Stage;
use std::process::ExitCode;
use std::time::Instant;
use sweeps::Sweeps;
use target::ScanTarget;

/// The pixels that are cast at a time. Returns are in memory until they are written.
fn stride(view: &View) -> usize {
    STRIDE / usize::from(view.camera.sensor.pulse.most_returns())
}

/// A warning for a scan of nothing, which is mostly one in other coordinates than the scene's.
fn nothing_hit(scene: &Scene) -> String {
    let bounds = scene.bounds();
    let [least, most] = [bounds.min, bounds.max].map(|corner| corner + scene.origin());
    format!(
        "nothing was hit: the scene lies between {least} and {most}, so see where the sensor stands, where it looks, and its range"
    )
}

/// Casts all sweeps but those that are kept of an earlier run.
fn cast(
    sweeps: &Sweeps,
    stage: &mut Stage<'_>,
    output: &mut ScanOutput,
    kept: &KeptStart,
    (counts, bar, console): (&mut GroupCounts, &ProgressBar, &Console),
) -> Result<CastTimes, Failure> {
    let Sweeps { view, trajectory, starts, .. } = sweeps;
    let stride = stride(view);
    let mut times = CastTimes::default();
    for (number, sweep) in starts.iter().enumerate() {
        if number < kept.poses {
            output.pass_over(number, sweep.row, trajectory)?;
            continue;
        }
        let (scene, tracer) = stage.at(sweep.row, console)?;
        let posed = sweeps.posed(sweep, scene.origin())?;
        output.begin(number, sweep, &posed)?;
        let first = if number == kept.poses { kept.pixels } else { 0 };
        let mut first_sweep = (number == 0 && first == 0).then(FirstSweep::default);
        for first in (first..view.pixels()).step_by(stride) {
            let pixels = first..view.pixels().min(first + stride);
            if output.has_returns() {
                let returns = times.measure(
                    || cast_beams(tracer, &posed, first..first + 1, RayScope::default()).map(drop),
                    || cast_beams(tracer, &posed, pixels.clone(), RayScope::default()),
                )?;
                counts.add(returns.iter().map(|it| it.hit.geometry_id));
                if let Some(sweep) = &mut first_sweep {
                    // The nearest return of each beam.
                    let nearest = returns.iter().filter(|it| it.number == 1);
                    sweep.add(pixels.len(), nearest.map(|it| it.hit.geometry_id));
                }
                output.add(scene, &posed, pixels.clone(), CastPixels::Beams(&returns))?;
            } else {
                let hits = times.measure(
                    || posed.render(tracer, first..first + 1).map(drop),
                    || posed.render(tracer, pixels.clone()),
                )?;
                if let Some(sweep) = &mut first_sweep {
                    sweep.add(pixels.len(), hits.iter().map(|hit| hit.geometry_id));
                }
                let in_range = hits_in_range(&posed, pixels.start, &hits);
                counts.add(in_range.map(|hit| hit.geometry_id));
                output.add(scene, &posed, pixels.clone(), CastPixels::Closest(&hits))?;
            }
            bar.inc(pixels.len() as u64);
        }
        if let Some(warning) = first_sweep.and_then(|sweep| sweep.warning(scene, &posed)) {
            console.warn(&warning);
        }
        output.end(number, sweep.row, trajectory, scene, console)?;
    }
    Ok(times)
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
    arguments.messages.refuse_without_messages(&target)?;
    let (mut stage, sweeps) = Sweeps::plan(arguments, &target, device, console)?;
    let Sweeps { view, trajectory, starts, left_out, .. } = &sweeps;
    arguments.hits_per.refuse_unknown(stage.scene())?;
    require_columns("--keep", &arguments.keep, stage.scene())?;
    arguments.color_by.refuse_unknown(stage.scene())?;
    if target.is_one_cloud() && !arguments.resume {
        console.keeps_nothing_yet();
    }
    let links = stage.take_links();
    let scene = stage.scene();
    let mut output = ScanOutput::new(target, arguments, view, trajectory, scene, console)?
        .with_names(sweeps.station_names())
        .with_links(links, console);
    output.announce(view, starts, console)?;
    if arguments.resume {
        output = output.keeping(&arguments.made_from(scene, view, &stage.device())?, console)?;
    }
    let kept = output.kept_start(view.pixels(), stride(view));

    let start = Instant::now();
    let mut counts = arguments.hits_per.counts();
    let rays = starts.len() * view.pixels();
    let kept_rays = kept.poses * view.pixels() + kept.pixels;
    let bar = console.bar("scan", "rays", rays);
    bar.inc(kept_rays as u64);
    let times = console.casting(&bar, || {
        cast(&sweeps, &mut stage, &mut output, &kept, (&mut counts, &bar, console))
    })?;
    let output_has_returns = output.has_returns();
    let written = console.phase("writing", || output.finish(console))?;
    bar.finish_and_clear();
    let total_time = start.elapsed();
    let mut line = format!(
        "{} poses of {}x{} pixels by camera {},{} {} {}, {}{}",
        starts.len(),
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
        poses: starts.len(),
        left_out: *left_out,
        width: view.width,
        height: view.height,
        sweep_s: if sweeps.stand() { 0.0 } else { view.camera.projection.sweep_s() },
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
