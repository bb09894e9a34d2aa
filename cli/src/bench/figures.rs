//! The measured figures, as JSON and as a table.

use super::measure::Times;
use crate::compiling::CastTimes;
use crate::console::mrays_per_s;
use crate::summary::{BenchResult, PhaseSummary};
use raytwin::bvh::{Layout, Quality};
use raytwin::query::Query;
use raytwin::question::QuestionKind;
use std::time::Duration;

/// The device that casts, and its host.
pub struct Machine {
    pub device: String,
    pub kind: &'static str,
    pub backend: Option<String>,
    pub driver: Option<String>,
    /// The host's processor.
    pub processor: String,
    /// The host's threads, which build the tree and cast if the device is the CPU.
    pub threads: usize,
    /// The size of a ray and its answer in the memory of the device.
    pub bytes_per_ray: usize,
    /// The bytes read and written each second by a copy in the memory of the device.
    pub copied_bytes_per_s: Option<f64>,
}

/// A scene, its tree, and the times to make them ready.
pub struct SceneFigures {
    pub name: String,
    pub shapes: usize,
    pub layout: Layout,
    pub quality: Quality,
    pub nodes: usize,
    pub node_bytes: usize,
    pub depth: usize,
    /// The time to generate or read the scene.
    pub load: Duration,
    /// The times to build the tree alone.
    pub tree: Times,
    /// The times to build the tree, check it and pack the scene.
    pub build: Times,
    /// The time to upload the scene, or on the CPU to prepare the shapes.
    pub prepare: Duration,
}

/// Rays that were cast into a scene, and the times that this took.
pub struct CastFigures {
    pub rays: String,
    pub kind: QuestionKind,
    pub count: usize,
    pub hits: usize,
    pub invalid: usize,
    /// The time until the first ray or point was answered.
    pub first: CastTimes,
    /// The times from rays in host memory to answers in host memory.
    pub times: Times,
    /// The times of the kernel at full load.
    pub gpu_times: Option<Times>,
    /// Where the time went, of these rays and of a larger batch; empty unless it was asked.
    pub phases: Vec<PhaseSummary>,
}

/// How the times of kernels are measured, which [`GpuTracer::kernel_times`] explains.
///
/// [`GpuTracer::kernel_times`]: raytwin::gpu::GpuTracer::kernel_times
const FULL_LOAD: &str = "at full load: after half a second of work, by submissions of at most 100 ms, three of them under way";

fn milliseconds(time: Duration) -> f64 {
    1e3 * time.as_secs_f64()
}

impl CastFigures {
    /// Divides the rate at which rays and answers move by the rate of a copy. Only closest hits
    /// have one, because all of their answers have the same size. It takes the kernels' time if it
    /// is known, because the transfer between host and device says nothing about the memory of the
    /// device.
    fn share_of_copy(&self, machine: &Machine) -> Option<f64> {
        if self.kind != QuestionKind::Rays(Query::CLOSEST) {
            return None;
        }
        let time = self.gpu_times.as_ref().unwrap_or(&self.times).median();
        let bytes_per_s = 1e6 * mrays_per_s(self.count, time) * machine.bytes_per_ray as f64;
        machine.copied_bytes_per_s.map(|copied_bytes_per_s| bytes_per_s / copied_bytes_per_s)
    }

    fn gpu_mrays_per_s(&self) -> Option<f64> {
        self.gpu_times.as_ref().map(|times| mrays_per_s(self.count, times.median()))
    }

    pub fn result(self, machine: &Machine, scene: &SceneFigures, repeat: usize) -> BenchResult {
        BenchResult {
            version: env!("CARGO_PKG_VERSION"),
            device: machine.device.clone(),
            device_type: machine.kind,
            backend: machine.backend.clone(),
            driver: machine.driver.clone(),
            processor: machine.processor.clone(),
            threads: machine.threads,
            repeat,
            scene: scene.name.clone(),
            shapes: scene.shapes,
            layout: scene.layout.name(),
            quality: scene.quality.name(),
            nodes: scene.nodes,
            node_bytes: scene.node_bytes,
            depth: scene.depth,
            load_s: scene.load.as_secs_f64(),
            tree_s: scene.tree.median().as_secs_f64(),
            build_s: scene.build.median().as_secs_f64(),
            prepare_s: scene.prepare.as_secs_f64(),
            compile_s: self.first.compile.as_secs_f64(),
            rays: self.rays.clone(),
            kind: self.kind.name(),
            ray_count: self.count,
            hits: self.hits,
            invalid: self.invalid,
            total_s: self.times.median().as_secs_f64(),
            mrays_per_s: mrays_per_s(self.count, self.times.median()),
            mrays_per_s_min: mrays_per_s(self.count, self.times.longest()),
            mrays_per_s_max: mrays_per_s(self.count, self.times.shortest()),
            gpu_s: self.gpu_times.as_ref().map(|times| times.median().as_secs_f64()),
            gpu_mrays_per_s: self.gpu_mrays_per_s(),
            gpu_method: self.gpu_times.as_ref().map(|_| FULL_LOAD),
            bytes_per_ray: machine.bytes_per_ray,
            copy_gb_per_s: machine.copied_bytes_per_s.map(|rate| 1e-9 * rate),
            ray_bytes_share_of_copy: self.share_of_copy(machine),
            phases: self.phases,
        }
    }

    /// Returns one row of the table, in the order of [`HEADER`].
    pub fn row(&self, machine: &Machine, scene: &SceneFigures) -> [String; HEADER.len()] {
        let rate = |time| format!("{:.2}", mrays_per_s(self.count, time));
        [
            scene.name.clone(),
            self.rays.clone(),
            self.kind.name().to_owned(),
            scene.shapes.to_string(),
            self.count.to_string(),
            self.hits.to_string(),
            format!("{} {}", scene.layout.name(), scene.quality.name()),
            format!("{:.1}", milliseconds(scene.tree.median())),
            format!("{:.1}", milliseconds(scene.build.median())),
            format!("{:.1}", milliseconds(self.times.median())),
            rate(self.times.median()),
            rate(self.times.longest()),
            rate(self.times.shortest()),
            number_or_dash(self.gpu_mrays_per_s(), 2),
            number_or_dash(self.share_of_copy(machine).map(|share| 100.0 * share), 2),
        ]
    }

    /// Returns the rows of the table of phases, in the order of [`PHASE_HEADER`].
    pub fn phase_rows(&self, scene: &SceneFigures) -> Vec<[String; PHASE_HEADER.len()]> {
        let row = |phases: &PhaseSummary| {
            let time = |seconds: Option<f64>| number_or_dash(seconds.map(|time| 1e3 * time), 2);
            [
                scene.name.clone(),
                self.rays.clone(),
                self.kind.name().to_owned(),
                phases.ray_count.to_string(),
                time(Some(phases.total_s)),
                time(phases.writing_s),
                time(phases.waiting_s),
                time(phases.reading_s),
                time(phases.kernel_s),
                time(phases.normals_s),
                number_or_dash(phases.host_ns_per_ray, 2),
            ]
        };
        self.phases.iter().map(row).collect()
    }
}

fn number_or_dash(number: Option<f64>, digits: usize) -> String {
    number.map_or_else(|| "-".to_owned(), |number| format!("{number:.digits$}"))
}

/// The titles of the table's columns.
pub const HEADER: [&str; 15] = [
    "scene",
    "rays",
    "kind",
    "shapes",
    "count",
    "hits",
    "tree",
    "tree ms",
    "build ms",
    "cast ms",
    "Mray/s",
    "min",
    "max",
    "gpu Mray/s",
    "% of copy",
];

/// The titles of the columns of the table of phases.
pub const PHASE_HEADER: [&str; 11] = [
    "scene",
    "rays",
    "kind",
    "count",
    "cast",
    "writing",
    "waiting",
    "reading",
    "kernels",
    "normals",
    "host ns/ray",
];

impl Machine {
    /// Describes what all rows have in common, for the lines above the table.
    pub fn lines(&self, repeat: usize) -> String {
        let driver =
            self.driver.as_ref().map_or(String::new(), |driver| format!(", driver {driver}"));
        let copy = self.copied_bytes_per_s.map_or_else(
            || "it has no clock to time a copy".to_owned(),
            |rate| format!("copies {:.1} GB/s, bytes read and written", 1e-9 * rate),
        );
        let method = self.backend.as_ref().map_or(String::new(), |_| {
            format!("\ngpu Mray/s is the rate of the kernel {FULL_LOAD}")
        });
        format!(
            "{}{driver}; {copy}\n{}; {} threads\nmedians of {repeat} runs after warming up; a ray and its answer take {} bytes{method}\n\n",
            self.device, self.processor, self.threads, self.bytes_per_ray
        )
    }
}

/// Aligns the header and the rows in columns, names to the left and numbers to the right.
pub fn table<const COLUMNS: usize>(titles: &[&str; COLUMNS], rows: &[[String; COLUMNS]]) -> String {
    let header = titles.map(str::to_owned);
    let all = || std::iter::once(&header).chain(rows);
    let widths: [usize; COLUMNS] = std::array::from_fn(|column| {
        all().map(|row| row[column].chars().count()).max().unwrap_or_default()
    });
    let is_name = |column: usize| matches!(titles[column], "scene" | "rays" | "kind" | "tree");
    let mut text = String::new();
    for row in all() {
        let mut line = String::new();
        for (column, cell) in row.iter().enumerate() {
            let width = widths[column];
            line += &match is_name(column) {
                true => format!("{cell:<width$}  "),
                false => format!("{cell:>width$}  "),
            };
        }
        text += line.trim_end();
        text.push('\n');
    }
    text
}
