//! `raytwin scan`: casts one camera from many poses.

mod answers;
mod arguments;
mod format_flag;
mod intensity_flag;
mod joint_columns;
mod legs;
mod link_frames;
mod message_arguments;
mod mounting;
mod named_link;
mod output;
mod plan;
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
use super::console::{Console, mrays_per_s, speed};
use super::hits_per::{self, GroupCounts};
use super::lidars;
use super::summary::{PathText, ScanSummary, Summary};
use answers::SweepAnswers;
use indicatif::ProgressBar;
use plan::ScanPlan;
use raytwin::scene::Scene;
use shell::FirstSweep;
use std::process::ExitCode;
use std::time::Instant;
use sweeps::Sweeps;

pub(super) fn run(
    arguments: &Arguments,
    device: &str,
    console: &Console,
) -> Result<ExitCode, Failure> {
    if arguments.list_lidars {
        return lidars::list(console);
    }
    let mut plan = ScanPlan::new(arguments, device, console)?;
    let (rays, kept_rays) = (plan.rays(), plan.kept_rays());
    let start = Instant::now();
    let mut counts = arguments.hits_per.counts();
    let bar = console.bar("scan", "rays", rays);
    bar.inc(kept_rays as u64);
    let times = console.casting(&bar, || cast(&mut plan, &mut counts, &bar, console))?;
    let ScanPlan { stage, sweeps, output, has_returns, .. } = plan;
    let kind = if has_returns { "returns" } else { "hits" };
    let written = console.phase("writing", || output.finish(console))?;
    bar.finish_and_clear();
    let total_time = start.elapsed();

    let Sweeps { view, starts, left_out, .. } = &sweeps;
    let mut line = format!(
        "{} poses of {}x{} pixels by camera {},{} {} {kind}, {}{}",
        starts.len(),
        view.width,
        view.height,
        view.camera.name,
        match kept_rays {
            0 => String::new(),
            kept => format!(" {kept} rays cast by an earlier run,"),
        },
        written.counts.hits,
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

/// Casts all sweeps except those that an earlier run kept.
fn cast(
    plan: &mut ScanPlan<'_>,
    counts: &mut GroupCounts,
    bar: &ProgressBar,
    console: &Console,
) -> Result<CastTimes, Failure> {
    let ScanPlan { stage, sweeps, output, has_returns, kept, stride } = plan;
    let Sweeps { view, trajectory, starts, .. } = &*sweeps;
    let mut times = CastTimes::default();
    for (number, sweep) in starts.iter().enumerate() {
        if number < kept.poses {
            output.pass_over(number, sweep.row, trajectory)?;
            continue;
        }
        let (scene, tracer) = stage.at(sweep.row, console)?;
        let posed = sweeps.posed(sweep, scene.origin())?;
        output.begin(number, sweep, &posed)?;
        let cast = |pixels| SweepAnswers::cast(tracer, &posed, pixels, *has_returns);
        let first = if number == kept.poses { kept.pixels } else { 0 };
        let mut first_sweep = (number == 0 && first == 0).then(FirstSweep::default);
        for first in (first..view.pixels()).step_by(*stride) {
            let pixels = first..view.pixels().min(first + *stride);
            let answers =
                times.measure(|| cast(first..first + 1).map(drop), || cast(pixels.clone()))?;
            counts.add(answers.reported(&posed, first));
            if let Some(sweep) = &mut first_sweep {
                sweep.add(pixels.len(), answers.nearest());
            }
            output.add(scene, &posed, pixels.clone(), &answers)?;
            bar.inc(pixels.len() as u64);
        }
        if let Some(warning) = first_sweep.and_then(|sweep| sweep.warning(scene, &posed)) {
            console.warn(&warning);
        }
        output.end(number, sweep.row, trajectory, scene, console)?;
    }
    Ok(times)
}

/// Returns the warning for a scan without hits. Mostly, such a scan has other coordinates than the
/// scene.
fn nothing_hit(scene: &Scene) -> String {
    let bounds = scene.bounds();
    let [least, most] = [bounds.min, bounds.max].map(|corner| corner + scene.origin());
    format!(
        "nothing was hit: the scene is between {least} and {most}: check the sensor's position, direction and range"
    )
}
