//! `raytwin sample`: casts rays that are generated from a seed, and adds up their answers.

mod generator;
mod table;

use super::Failure;
use super::compiling::CastTimes;
use super::console::{Console, STRIDE, mrays_per_s, speed};
use super::device::DeviceFlag;
use super::help::hidden;
use super::numbers::{comma_separated, count};
use super::source::{LoadedScene, SceneArguments};
use super::stages::has_extension;
use super::summary::{GeometrySample, HistogramSummary, PathText, SampleSummary, Summary};
use clap::{ArgGroup, Args};
use generator::GeneratorArguments;
use raytwin::{RayGenerator, Sampler, Scene, Tally, Tracer};
use raytwin_files::{read_tally, write_tally};
use std::ops::Range;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

#[derive(Debug, Args)]
#[command(
    mut_arg("scene", |scene| scene.required(false)),
    mut_args(hidden(&["view", "crop", "up", "fov_y", "orthographic"])),
    group = ArgGroup::new("rays_or_sums").args(["scene", "add"]).required(true),
    before_help = EXAMPLES,
    after_long_help = ABOUT_PARTS,
    next_help_heading = "Answers"
)]
pub(super) struct Arguments {
    #[command(flatten)]
    scene: SceneArguments,
    /// Cast the first N rays, or the rays from number A to B.
    ///
    /// B is excluded. Default for --generator view: all pixels of the views.
    #[arg(long, value_name = "N|A..B", allow_hyphen_values = true, value_parser = ray_numbers)]
    #[arg(help_heading = "Rays")]
    rays: Option<Range<u64>>,
    /// Generate the rays from this seed.
    #[arg(long, value_name = "NUMBER", default_value_t = 0, allow_hyphen_values = true)]
    #[arg(help_heading = "Rays")]
    seed: u64,
    /// Limit the rays to these distances from their origins.
    #[arg(long, value_name = "T_MIN,T_MAX", allow_hyphen_values = true)]
    #[arg(value_parser = comma_separated::<2>, help_heading = "Rays", hide_short_help = true)]
    interval: Option<[f64; 2]>,
    /// Count the distances of hits in this many bins.
    ///
    /// The bins have equal widths. raytwin counts hits nearer than NEAR, and hits at FAR or
    /// farther, separately.
    #[arg(long, value_name = "NEAR,FAR,BINS", allow_hyphen_values = true, value_parser = histogram)]
    histogram: Option<(f64, f64, u32)>,
    /// Measure paths through solids, and volumes.
    ///
    /// raytwin finds all crossings of each ray, and adds up its length in each solid. With
    /// --generator lines, the lengths also give volumes if the sphere contains the whole scene.
    #[arg(long)]
    paths: bool,
    /// Add up answers that have the same bits on every device.
    ///
    /// See --canonical in raytwin query --help.
    #[arg(long, help_heading = "Device")]
    canonical: bool,
    /// Add up the parts of a run in these files, and cast no rays.
    #[arg(long, value_name = "PART.json", num_args = 1.., conflicts_with = "rays")]
    #[arg(help_heading = "Input")]
    add: Vec<PathBuf>,
    /// Write the sums to this file, as exact whole numbers.
    #[arg(short, long = "out", visible_alias = "output", value_name = "SUMS.json")]
    #[arg(help_heading = "Output")]
    output: Option<PathBuf>,
    // They are the last fields, because their heading also applies to the fields after them.
    #[command(flatten)]
    generator: GeneratorArguments,
}

const EXAMPLES: &str = "\
raytwin sample examples/scenes/detector.json --rays 1e5 --paths
raytwin sample examples/scenes/stand.json --generator view --lidar VLP-16 -o sums.json";

/// The part of the help that explains how to split a run.
const ABOUT_PARTS: &str = "Parts: each ray of a run depends only on the scene, the generator, the seed and its number. \
    Several machines can therefore each cast a range of numbers (--rays 0..1000000, --rays 1000000..2000000) and write their \
    sums with -o. --add then adds up these files. The sums are whole numbers. On devices of one kind, the total therefore has \
    the same bits as the total of the whole run. With --canonical, the devices may be of any kind.";

fn ray_numbers(text: &str) -> Result<Range<u64>, String> {
    let wrong =
        || format!("'{text}' must be a number of rays, such as 1e6, or a range, such as 5..10");
    let number = |text: &str| count(text).map_err(|_| wrong());
    let numbers = match text.split_once("..") {
        Some((start, end)) => number(start)?..number(end)?,
        None => 0..number(text)?,
    };
    if numbers.start > numbers.end { Err(wrong()) } else { Ok(numbers) }
}

fn histogram(text: &str) -> Result<(f64, f64, u32), String> {
    let [near, far, bins] = comma_separated::<3>(text)?;
    let is_count = bins >= 1.0 && bins.fract() == 0.0;
    match is_count {
        // Too many bins are an error of the sampler.
        true => Ok((near, far, bins as u32)),
        false => Err(format!("'{text}' must end in a whole number of bins, such as 100")),
    }
}

impl Arguments {
    fn sampler(&self, scene: &Scene, generator: RayGenerator) -> Result<Sampler, Failure> {
        let mut sampler = Sampler::new(scene, generator, self.seed)?;
        if let Some([t_min, t_max]) = self.interval {
            sampler = sampler.within(t_min as f32, t_max as f32)?;
        }
        if let Some((near, far, bins)) = self.histogram {
            sampler = sampler.with_histogram(near, far, bins)?;
        }
        Ok(if self.paths { sampler.with_paths() } else { sampler })
    }

    /// Returns an error if the sums cannot be written, or would replace one of their inputs.
    fn check_output(&self) -> Result<(), Failure> {
        let inputs = self.add.iter().map(PathBuf::as_path).chain(self.generator.inputs());
        self.scene.check_outputs(self.output.as_slice(), inputs)
    }

    fn numbers(&self, sampler: &Sampler) -> Result<Range<u64>, Failure> {
        match (&self.rays, sampler.ray_count()) {
            (Some(numbers), _) => Ok(numbers.clone()),
            (None, Some(count)) => Ok(0..count),
            (None, None) => Err(Failure::usage(
                "give --rays, such as --rays 1000000, or cast all pixels of a camera with --generator view",
            )),
        }
    }
}

pub(super) fn run(
    arguments: &Arguments,
    device: &str,
    console: &Console,
) -> Result<ExitCode, Failure> {
    if let Some(output) = arguments.output.as_ref().filter(|it| !has_extension(it, &["json"])) {
        return Err(Failure::usage(format!(
            "-o {}: sums are written as JSON: give a name that ends in .json",
            output.display()
        )));
    }
    match arguments.add.is_empty() {
        true => cast(arguments, device, console),
        false => add(arguments, console),
    }
}

/// Adds up the parts of a run.
fn add(arguments: &Arguments, console: &Console) -> Result<ExitCode, Failure> {
    arguments.check_output()?;
    let mut whole: Option<Tally> = None;
    for path in &arguments.add {
        let part = read_tally(path)?;
        match &mut whole {
            None => whole = Some(part),
            Some(whole) => whole
                .add(&part)
                .map_err(|error| Failure::input(format!("{}: {error}", path.display())))?,
        }
    }
    let Some(tally) = whole else { return Err(Failure::usage("--add: give at least one file")) };
    let summary = summary(arguments, &tally, None);
    finish(arguments, &tally, summary, console)
}

/// Casts the rays of a run, or of a part of one.
fn cast(arguments: &Arguments, device: &str, console: &Console) -> Result<ExitCode, Failure> {
    let device = DeviceFlag::new(device).opening(Some(arguments.scene.path()));
    let (loaded, generator) = arguments.generator.load(&arguments.scene, console)?;
    arguments.check_output()?;
    let sampler = arguments.sampler(&loaded.scene, generator)?;
    let numbers = arguments.numbers(&sampler)?;
    let tracer = device.canonical(arguments.canonical).tracer(&loaded, console)?;
    let mut times = CastTimes::default();
    let tally = sample(tracer.as_ref(), &sampler, numbers, &mut times, console)?;
    let rays = tally.rays() as usize;
    console.say(&format!("{rays} rays, {}{}", times.compiling(), speed(rays, times.trace)));
    let of_casting = Casting { loaded: &loaded, tracer: tracer.as_ref(), times: &times };
    let summary = summary(arguments, &tally, Some(&of_casting));
    finish(arguments, &tally, summary, console)
}

/// The approximate time between two moves of the progress bar.
const PAUSE: Duration = Duration::from_millis(250);

/// Casts rays in strides. Each stride takes so long that its fixed costs do not matter.
fn sample(
    tracer: &dyn Tracer,
    sampler: &Sampler,
    numbers: Range<u64>,
    times: &mut CastTimes,
    console: &Console,
) -> Result<Tally, Failure> {
    let bar = console.bar("sample", "rays", (numbers.end - numbers.start) as usize);
    let mut tally = tracer.sample(sampler, numbers.start..numbers.start)?;
    let mut stride = STRIDE as u64;
    let mut next = numbers.start;
    console.casting(&bar, || -> Result<(), Failure> {
        while next < numbers.end {
            let part = next..numbers.end.min(next.saturating_add(stride));
            let start = Instant::now();
            let sums = times.measure(
                || tracer.sample(sampler, next..next + 1).map(drop),
                || tracer.sample(sampler, part.clone()),
            )?;
            if start.elapsed() < PAUSE {
                stride = stride.saturating_mul(2);
            }
            tally.add(&sums).map_err(|error| Failure::input(error.to_string()))?;
            bar.set_position(part.end - numbers.start);
            next = part.end;
        }
        Ok(())
    })?;
    bar.finish_and_clear();
    Ok(tally)
}

/// The part of a summary about a run that cast rays.
struct Casting<'a> {
    loaded: &'a LoadedScene,
    tracer: &'a dyn Tracer,
    times: &'a CastTimes,
}

fn summary(arguments: &Arguments, tally: &Tally, casting: Option<&Casting<'_>>) -> SampleSummary {
    let scene = casting.map(|casting| casting.loaded.scene.as_ref());
    let is_met = |id: &u32| {
        let passing = tally.path_rays().get(*id as usize).copied().unwrap_or(0);
        tally.hits()[*id as usize] > 0 || passing > 0
    };
    let geometry = |id: u32| {
        let [path, volume] = [tally.mean_path(id), tally.volume(id)];
        let type_name = scene.and_then(|scene| scene.geometry(id)).map(|it| it.type_name());
        let is_solid = tally.path_rays().get(id as usize).is_some_and(|&rays| rays > 0);
        let of_solid = |figure: Option<[f64; 2]>| figure.filter(|_| is_solid);
        GeometrySample {
            geometry_id: id,
            path: scene.map(|scene| scene.path(id)),
            type_name,
            hits: tally.hits()[id as usize],
            mean_t: tally.mean_distance(id),
            mean_path: of_solid(path).map(|[mean, _]| mean),
            mean_path_error: of_solid(path).map(|[_, error]| error),
            volume: of_solid(volume).map(|[volume, _]| volume),
            volume_error: of_solid(volume).map(|[_, error]| error),
        }
    };
    let geometries = 0..tally.hits().len() as u32;
    let times = casting.map(|casting| casting.loaded.times(casting.times));
    let trace = casting.map(|casting| casting.times.trace);
    SampleSummary {
        scene: casting.map(|casting| casting.loaded.name.clone()),
        device: casting.map(|casting| casting.tracer.device()),
        rays: tally.rays(),
        ranges: tally.ranges().iter().map(|range| [range.start, range.end]).collect(),
        misses: tally.misses(),
        invalid: tally.invalid(),
        beyond: tally.beyond(),
        geometries: geometries.filter(is_met).map(geometry).collect(),
        histogram: (!tally.histogram().is_empty()).then(|| HistogramSummary {
            edges: tally.histogram_edges(),
            counts: tally.histogram().to_vec(),
        }),
        load_s: times.as_ref().map(|times| times.load_s),
        compile_s: times.as_ref().map(|times| times.compile_s),
        trace_s: times.as_ref().map(|times| times.trace_s),
        mrays_per_s: trace.map(|trace| mrays_per_s(tally.rays() as usize, trace)),
        file: arguments.output.as_deref().map(PathText::from),
    }
}

/// Writes the sums, and prints the results.
fn finish(
    arguments: &Arguments,
    tally: &Tally,
    summary: SampleSummary,
    console: &Console,
) -> Result<ExitCode, Failure> {
    if let Some(output) = &arguments.output {
        write_tally(output, tally)?;
    }
    let table = table::table(&summary);
    console.result(Summary::Sample(summary), &table)?;
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rays_are_counted_or_given_by_their_numbers() {
        for (text, numbers) in [("5", 0..5), ("5..10", 5..10), ("1_000", 0..1000), ("7..7", 7..7)] {
            assert_eq!(ray_numbers(text), Ok(numbers));
        }
        for text in ["", "-1", "7..5", "..5", "5..", "1.5", "a"] {
            assert!(ray_numbers(text).is_err(), "{text}");
        }
        assert_eq!(histogram("0,5,10"), Ok((0.0, 5.0, 10)));
        assert!(histogram("0,5,1.5").is_err() && histogram("0,5").is_err());
    }
}
