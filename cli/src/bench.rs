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
use super::console::{Console, mrays_per_s, speed};
use super::device::DeviceFlag;
use super::kinds::kind_parser;
use super::numbers::at_least_one;
use super::source::BuildArgument;
use super::summary::{BenchResult, BenchSummary, Summary};
use cast_runs::CastRuns;
use clap::Args;
use figures::{FULL_LOAD, HEADER, PHASE_HEADER, table};
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
    /// Use N random shapes, or a scene file.
    ///
    /// w1m_N and w1d_N are N random spheres, cylinders and boxes in a cube of side 100. Those of
    /// w1m have moderate sizes: a third of the rays of --rays inc hit one. Those of w1d are dense.
    /// May be repeated, or separated by commas.
    #[arg(long = "scene", value_name = "w1m_N|w1d_N|FILE", value_delimiter = ',')]
    #[arg(default_value = "w1m_100000", value_parser = SceneSource::parse, help_heading = "Input")]
    scenes: Vec<SceneSource>,
    /// Cast random rays, image rays, or a ray file.
    ///
    /// inc means a million random rays that start in the cube of w1m_N, and coh means the rays of
    /// an image of this cube from outside. May be repeated, or separated by commas.
    #[arg(long, value_name = "inc|coh|FILE", value_delimiter = ',')]
    #[arg(default_values = ["inc", "coh"], value_parser = RaySource::parse, help_heading = "Input")]
    rays: Vec<RaySource>,
    /// What to find.
    ///
    /// Default: closest. May be repeated, or separated by commas.
    #[arg(long = "kind", value_delimiter = ',', default_value = Query::CLOSEST.name())]
    #[arg(hide_default_value = true)]
    #[arg(value_parser = kind_parser(KINDS, QuestionKind::name, Some(KIND_HELP)))]
    kinds: Vec<QuestionKind>,
    /// Measure answers that have the same bits on every device.
    ///
    /// See --canonical in raytwin query --help.
    #[arg(long, help_heading = "Device")]
    canonical: bool,
    #[command(flatten)]
    build: BuildArgument,
    /// Use this many host threads (default: all cores).
    ///
    /// They build the BVH, and cast rays if the device is the CPU.
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    threads: Option<NonZeroUsize>,
    /// Repeat each measurement this many times, and print medians.
    ///
    /// A GPU first casts for one second to warm up.
    #[arg(long, value_name = "N", default_value = "5", value_parser = at_least_one)]
    repeat: NonZeroUsize,
    /// Also measure the phases of a cast.
    ///
    /// raytwin measures how long the host writes rays, waits for a GPU, reads answers and computes
    /// normals. It measures this for the given rays, and again for eight times as many.
    #[arg(long)]
    phases: bool,
}

const EXAMPLES: &str = "\
raytwin bench --scene w1m_1000 --repeat 1
raytwin bench --scene examples/scenes/detector.json --rays examples/rays/tracks.npy --kind all";

/// The size of the larger batch whose phases are measured, in batches of the given rays.
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

/// The measurements to make, and the device that casts.
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

        let mut results = Vec::new();
        for source in &self.arguments.scenes {
            results.extend(self.scene(source, &rays, &machine)?);
        }
        let rows: Vec<_> = results.iter().map(BenchResult::row).collect();
        let phase_rows: Vec<_> = results.iter().flat_map(BenchResult::phase_rows).collect();
        let mut text = machine.lines() + &table(&HEADER, &rows);
        if !phase_rows.is_empty() {
            text +=
                &format!("\nwhere the time goes, in ms\n\n{}", table(&PHASE_HEADER, &phase_rows));
        }
        self.console.result(Summary::Bench(BenchSummary { results }), &text)?;
        Ok(ExitCode::SUCCESS)
    }

    /// Returns the fields of the device and its host, which all results share.
    fn machine(&self) -> Result<BenchResult, Failure> {
        let adapter = self.gpu.as_ref().and_then(Gpu::adapter);
        let (device, device_type, answer_bytes, copied_bytes_per_s) = match &self.gpu {
            None => ("CPU, float64", "cpu", size_of::<Hit>(), Some(copied_bytes_per_s())),
            Some(gpu) => {
                let kind = adapter.map_or("other", |adapter| adapter.kind);
                (gpu.name(), kind, size_of::<GpuHit>(), gpu.copied_bytes_per_s()?)
            }
        };
        Ok(BenchResult {
            version: env!("CARGO_PKG_VERSION"),
            device: device.to_owned(),
            device_type,
            backend: adapter.map(|adapter| adapter.backend.clone()),
            driver: adapter.map(|adapter| adapter.driver.clone()),
            processor: processor(),
            threads: rayon::current_num_threads(),
            repeat: self.arguments.repeat.get(),
            bytes_per_ray: size_of::<Ray>() + answer_bytes,
            copy_gb_per_s: copied_bytes_per_s.map(|rate| 1e-9 * rate),
            ..BenchResult::default()
        })
    }

    /// Builds one scene and casts all rays into it.
    fn scene(
        &self,
        source: &SceneSource,
        rays: &[(String, Arc<Rays>)],
        machine: &BenchResult,
    ) -> Result<Vec<BenchResult>, Failure> {
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
        let boxes = PackedScene::boxes(&scene);
        let tree = repeated(*repeat, Duration::ZERO, || Tree::build(&boxes, quality));
        let (times, _) =
            tree.map_err(|error| Failure::from(PackError::from(error)).in_file(&name))?;
        drop(boxes);
        let (prepare, tracer) = once(|| self.tracer(&packed))?;
        self.console.say(&format!("{name}: built in {:.2?}", build.median()));

        let of_scene = BenchResult {
            scene: name.clone(),
            shapes,
            quality: quality.name(),
            nodes: packed.tree().node_count(),
            node_bytes: packed.tree().node_bytes(),
            depth: packed.tree().depth(),
            load_s: load.as_secs_f64(),
            tree_s: times.median().as_secs_f64(),
            build_s: build.median().as_secs_f64(),
            prepare_s: prepare.as_secs_f64(),
            ..machine.clone()
        };
        let mut results = Vec::new();
        for rays in rays {
            for &kind in &self.arguments.kinds {
                results.push(self.cast(&tracer, &of_scene, rays, kind)?);
            }
        }
        Ok(results)
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
        of_scene: &BenchResult,
        (name, rays): &(String, Arc<Rays>),
        kind: QuestionKind,
    ) -> Result<BenchResult, Failure> {
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
        let gpu_times = tracer.kernel_times(&about_rays, repeat.get())?.and_then(Times::new);
        let (times, gpu_time) = (runs.times, gpu_times.map(|times| times.median()));
        let rate = |time| mrays_per_s(rays.len(), time);
        // Only answers of closest hits all have the same size. The transfer between host and device
        // shows nothing about the memory of the device, so the time of the kernels is used if it is
        // known.
        let is_of_hits = kind == QuestionKind::Rays(Query::CLOSEST);
        let moved = rate(gpu_time.unwrap_or(times.median())) * of_scene.bytes_per_ray as f64;
        let copied = of_scene.copy_gb_per_s.filter(|_| is_of_hits);
        let speed = speed(rays.len(), times.median());
        let (scene, kind, compiling) = (&of_scene.scene, kind.name(), first.compiling());
        self.console.say(&format!("{scene}: {name}: {kind}: {compiling}{speed}"));
        Ok(BenchResult {
            compile_s: first.compile.as_secs_f64(),
            rays: name.clone(),
            kind,
            ray_count: rays.len(),
            hits: runs.answers.hits(),
            invalid: invalid(&about_rays),
            total_s: times.median().as_secs_f64(),
            mrays_per_s: rate(times.median()),
            mrays_per_s_min: rate(times.longest()),
            mrays_per_s_max: rate(times.shortest()),
            gpu_s: gpu_time.map(|time| time.as_secs_f64()),
            gpu_mrays_per_s: gpu_time.map(rate),
            gpu_method: gpu_time.map(|_| FULL_LOAD),
            ray_bytes_share_of_copy: copied.map(|gb_per_s| 1e-3 * moved / gb_per_s),
            phases,
            ..of_scene.clone()
        })
    }
}
