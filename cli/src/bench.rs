//! `raytwin bench`: measures how fast a device casts.

mod cast_runs;
mod figures;
mod measure;
mod processor;
mod question;
mod tracer;
mod workload;

use super::Failure;
use super::compiling::CastTimes;
use super::console::{Console, speed};
use super::device::DeviceFlag;
use super::kinds::kind_parser;
use super::numbers::at_least_one;
use super::source::BuildArgument;
use super::summary::{BenchSummary, Summary};
use cast_runs::CastRuns;
use clap::Args;
use figures::{CastFigures, HEADER, Machine, PHASE_HEADER, SceneFigures, table};
use measure::{Times, copied_bytes_per_s, once, repeated};
use processor::processor;
use question::{KIND_HELP, KINDS, invalid, question};
use rayon::ThreadPoolBuilder;
use raytwin::bvh::Tree;
use raytwin::canonical::CanonicalTracer;
use raytwin::cpu::CpuTracer;
use raytwin::gpu::{Gpu, GpuHit, GpuTracer};
use raytwin::packed::{PackError, PackedScene};
use raytwin::query::{Query, Rays};
use raytwin::question::QuestionKind;
use raytwin::ray::{Hit, Ray};
use raytwin::scene::Scene;
use raytwin_formats::Options;
use std::num::NonZeroUsize;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;
use tracer::BenchTracer;
use workload::{RaySource, SceneSource};

#[derive(Debug, Args)]
#[command(before_help = EXAMPLES, next_help_heading = "Measurement")]
pub(super) struct Arguments {
    /// N shapes at random, or a scene file.
    ///
    /// The scenes are N random spheres, cylinders and boxes in a cube of side 100, of moderate size
    /// (w1m: a third of the inc rays hit) or dense (w1d), or a scene file. May be repeated, or
    /// separated by commas.
    #[arg(long = "scene", value_name = "w1m_N|w1d_N|FILE", value_delimiter = ',')]
    #[arg(default_value = "w1m_100000", value_parser = SceneSource::parse, help_heading = "Input")]
    scenes: Vec<SceneSource>,
    /// Random rays, those of an image, or a ray file.
    ///
    /// The rays are a million random rays that start in that cube (inc), the rays of an image that
    /// sees it from outside (coh), or a ray file. May be repeated, or separated by commas.
    #[arg(long, value_name = "inc|coh|FILE", value_delimiter = ',')]
    #[arg(default_values = ["inc", "coh"], value_parser = RaySource::parse, help_heading = "Input")]
    rays: Vec<RaySource>,
    /// What to find.
    ///
    /// It is the answer for each ray, or for the point at which it starts; by default closest. May
    /// be repeated, or separated by commas.
    #[arg(long = "kind", value_delimiter = ',', default_value = Query::CLOSEST.name())]
    #[arg(hide_default_value = true)]
    #[arg(value_parser = kind_parser(KINDS, QuestionKind::name, Some(KIND_HELP)))]
    kinds: Vec<QuestionKind>,
    /// Measure answers that have the same bits on every device.
    ///
    /// These are canonical answers (see raytwin query --help).
    #[arg(long, help_heading = "Device")]
    canonical: bool,
    #[command(flatten)]
    build: BuildArgument,
    /// The number of host threads; all cores by default.
    ///
    /// They build the tree, and cast if the device is the CPU.
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    threads: Option<NonZeroUsize>,
    /// Measure everything this often, and print medians.
    ///
    /// A GPU has cast for a second before, to warm up.
    #[arg(long, value_name = "N", default_value = "5", value_parser = at_least_one)]
    repeat: NonZeroUsize,
    /// Measure also the phases of a cast.
    ///
    /// It is measured how long the host writes rays, waits for a GPU, reads answers and computes
    /// normals, for the rays once and for eight times as many.
    #[arg(long)]
    phases: bool,
}

const EXAMPLES: &str = "\
raytwin bench --scene w1m_1000 --repeat 1
raytwin bench --scene examples/scenes/detector.json --rays examples/rays/tracks.npy --kind all";

/// How many times as many rays the larger batch has whose phases are measured.
const LARGER_BATCH: usize = 8;

pub(super) fn run(
    arguments: Arguments,
    device: &str,
    console: &Console,
) -> Result<ExitCode, Failure> {
    let choice = DeviceFlag::new(device);
    let bench =
        || Bench { arguments: &arguments, gpu: choice.opening(None).wait()?.0, console }.run();
    let Some(threads) = arguments.threads else { return bench() };
    let pool = ThreadPoolBuilder::new().num_threads(threads.get()).build();
    let pool = pool.map_err(|error| Failure::usage(format!("--threads {threads}: {error}")))?;
    pool.install(bench)
}

/// The measurements that the flags ask for, and the device that casts.
struct Bench<'a> {
    arguments: &'a Arguments,
    /// `None` if the CPU casts.
    gpu: Option<Gpu>,
    console: &'a Console,
}

impl Bench<'_> {
    fn run(&self) -> Result<ExitCode, Failure> {
        let machine = self.machine()?;
        self.console.say(&format!("device: {}", machine.device));
        let sources = &self.arguments.rays;
        let rays = sources.iter().map(|source| {
            let rays = Rays { rays: source.rays()?, ..Rays::default() };
            Ok((source.to_string(), Arc::new(rays)))
        });
        let rays: Vec<(String, Arc<Rays>)> = rays.collect::<Result<_, Failure>>()?;

        let repeat = self.arguments.repeat.get();
        let mut results = Vec::new();
        let mut rows = Vec::new();
        let mut phase_rows = Vec::new();
        for source in &self.arguments.scenes {
            let (scene, casts) = self.scene(source, &rays)?;
            rows.extend(casts.iter().map(|cast| cast.row(&machine, &scene)));
            phase_rows.extend(casts.iter().flat_map(|cast| cast.phase_rows(&scene)));
            results.extend(casts.into_iter().map(|cast| cast.result(&machine, &scene, repeat)));
        }
        let mut text = machine.lines(repeat) + &table(&HEADER, &rows);
        if !phase_rows.is_empty() {
            text +=
                &format!("\nwhere the time goes, in ms\n\n{}", table(&PHASE_HEADER, &phase_rows));
        }
        self.console.result(Summary::Bench(BenchSummary { results }), &text)?;
        Ok(ExitCode::SUCCESS)
    }

    fn machine(&self) -> Result<Machine, Failure> {
        let (processor, threads) = (processor(), rayon::current_num_threads());
        let Some(gpu) = &self.gpu else {
            return Ok(Machine {
                device: "CPU, float64".to_owned(),
                kind: "cpu",
                backend: None,
                driver: None,
                processor,
                threads,
                bytes_per_ray: size_of::<Ray>() + size_of::<Hit>(),
                copied_bytes_per_s: Some(copied_bytes_per_s()),
            });
        };
        let adapter = gpu.adapter();
        Ok(Machine {
            device: gpu.name().to_owned(),
            kind: adapter.map_or("other", |adapter| adapter.kind),
            backend: adapter.map(|adapter| adapter.backend.clone()),
            driver: adapter.map(|adapter| adapter.driver.clone()),
            processor,
            threads,
            bytes_per_ray: size_of::<Ray>() + size_of::<GpuHit>(),
            copied_bytes_per_s: gpu.copied_bytes_per_s()?,
        })
    }

    /// Builds one scene and casts all rays into it.
    fn scene(
        &self,
        source: &SceneSource,
        rays: &[(String, Arc<Rays>)],
    ) -> Result<(SceneFigures, Vec<CastFigures>), Failure> {
        let name = source.to_string();
        let (load, scene) = once(|| self.load(source))?;
        let scene = Arc::new(scene);
        let shapes = scene.geometry_count() as usize;
        self.console.say(&format!("{name}: {shapes} shapes in {load:.2?}"));

        let Arguments { build, repeat, .. } = self.arguments;
        let quality = build.quality();
        let packed = repeated(*repeat, Duration::ZERO, || {
            PackedScene::with_quality(Arc::clone(&scene), quality)
        });
        let (build, packed) = packed.map_err(|error| Failure::from(error).in_file(&name))?;
        let layout = packed.tree().layout();
        let boxes = PackedScene::boxes(&scene);
        let tree = repeated(*repeat, Duration::ZERO, || Tree::build(&boxes, layout, quality));
        let (times, _) =
            tree.map_err(|error| Failure::from(PackError::from(error)).in_file(&name))?;
        drop(boxes);
        let (prepare, tracer) = once(|| self.tracer(&packed))?;
        self.console.say(&format!("{name}: built in {:.2?}", build.median()));

        let mut casts = Vec::new();
        for (rays_name, rays) in rays {
            for &kind in &self.arguments.kinds {
                let cast = self.cast(&tracer, rays_name, rays, kind)?;
                let speed = speed(rays.len(), cast.times.median());
                let compiling = cast.first.compiling();
                self.console
                    .say(&format!("{name}: {rays_name}: {}: {compiling}{speed}", kind.name()));
                casts.push(cast);
            }
        }
        let figures = SceneFigures {
            shapes,
            layout,
            quality,
            nodes: packed.tree().node_count(),
            node_bytes: packed.tree().node_bytes(),
            depth: packed.tree().depth(),
            load,
            tree: times,
            build,
            prepare,
            name,
        };
        Ok((figures, casts))
    }

    fn load(&self, source: &SceneSource) -> Result<Scene, Failure> {
        let path = match source {
            SceneSource::Workload(workload) => return workload.scene(),
            SceneSource::File(path) => path,
        };
        let imported = raytwin_formats::load(path, &Options::default())?;
        for warning in &imported.warnings {
            self.console.warn(&format!("{}: {warning}", path.display()));
        }
        Ok(imported.scene)
    }

    fn tracer(&self, packed: &PackedScene) -> Result<BenchTracer, Failure> {
        Ok(match &self.gpu {
            Some(gpu) => {
                let tracer = GpuTracer::new(gpu, packed)?;
                match self.arguments.canonical {
                    true => BenchTracer::Canonical(Box::new(CanonicalTracer::new(tracer))),
                    false => BenchTracer::Gpu(tracer),
                }
            }
            None => BenchTracer::Cpu(CpuTracer::new(packed)),
        })
    }

    fn cast(
        &self,
        tracer: &BenchTracer,
        name: &str,
        rays: &Arc<Rays>,
        kind: QuestionKind,
    ) -> Result<CastFigures, Failure> {
        let about_rays = question(kind, rays);
        let mut first = CastTimes::default();
        let one = 0..about_rays.len().min(1);
        first.measure(|| tracer.as_tracer().answer(&about_rays, one).map(drop), || Ok(()))?;
        let repeat = self.arguments.repeat;
        let runs = CastRuns::measure(tracer, &about_rays, repeat)?;
        if let Some(in_doubt) = runs.in_doubt {
            self.console.say(&format!("{in_doubt} of {} rays were in doubt", rays.len()));
        }
        let mut phases = Vec::new();
        if self.arguments.phases {
            phases.push(runs.phases(tracer, &about_rays)?);
            let larger = Rays { rays: rays.rays.repeat(LARGER_BATCH), ..Rays::default() };
            let about_larger = question(kind, &Arc::new(larger));
            let runs = CastRuns::measure(tracer, &about_larger, repeat)?;
            phases.push(runs.phases(tracer, &about_larger)?);
        }
        Ok(CastFigures {
            rays: name.to_owned(),
            kind,
            count: rays.len(),
            hits: runs.answers.hits(),
            invalid: invalid(&about_rays),
            first,
            gpu_times: tracer.kernel_times(&about_rays, repeat.get())?.and_then(Times::new),
            times: runs.times,
            phases,
        })
    }
}
