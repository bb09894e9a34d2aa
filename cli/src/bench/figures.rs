//! What was measured, as JSON and as a table.

use super::kind::Kind;
use super::measure::Times;
use crate::console::mrays_per_s;
use raytwin::bvh::{Layout, Quality};
use serde_json::{Value, json};
use std::time::Duration;

/// What is cast on.
pub struct Machine {
    pub device: String,
    pub kind: &'static str,
    pub backend: Option<String>,
    pub driver: Option<String>,
    /// Of the host: they build, and cast where the device is the CPU.
    pub threads: usize,
    /// Of the ray and of its answer, as they lie in the memory of the device.
    pub bytes_per_ray: usize,
    /// Read and written, by a copy in the memory of the device.
    pub copied_bytes_per_s: Option<f64>,
}

/// A scene, and what it took to be cast at.
pub struct Stage {
    pub scene: String,
    pub shapes: usize,
    pub layout: Layout,
    pub quality: Quality,
    pub nodes: usize,
    pub node_bytes: usize,
    pub depth: usize,
    /// To generate or read.
    pub load: Duration,
    /// The tree alone.
    pub tree: Times,
    /// The tree, its checks, and the packing.
    pub build: Times,
    /// To compile and upload, or on the CPU to prepare the shapes.
    pub prepare: Duration,
}

/// Rays cast at a scene.
pub struct Cast {
    pub rays: String,
    pub kind: Kind,
    pub count: usize,
    pub hits: usize,
    pub invalid: usize,
    /// From host memory to host memory.
    pub times: Times,
    /// Of the kernels by the device's clock.
    pub gpu_times: Option<Times>,
}

fn milliseconds(time: Duration) -> f64 {
    1e3 * time.as_secs_f64()
}

impl Cast {
    /// Of closest hits, whose answers are all of one size. The kernels' time where there is one: the way to the device
    /// and back says nothing of its memory.
    fn share_of_copy(&self, machine: &Machine) -> Option<f64> {
        if self.kind != Kind::Closest {
            return None;
        }
        let time = self.gpu_times.as_ref().unwrap_or(&self.times).median();
        let moved = 1e6 * mrays_per_s(self.count, time) * machine.bytes_per_ray as f64;
        machine.copied_bytes_per_s.map(|most| moved / most)
    }

    fn gpu_mrays_per_s(&self) -> Option<f64> {
        self.gpu_times.as_ref().map(|times| mrays_per_s(self.count, times.median()))
    }

    /// One of the results.
    pub fn json(&self, machine: &Machine, stage: &Stage, repeat: usize) -> Value {
        json!({
            "version": env!("CARGO_PKG_VERSION"),
            "device": machine.device, "device_type": machine.kind, "backend": machine.backend,
            "driver": machine.driver, "threads": machine.threads, "repeat": repeat,
            "scene": stage.scene, "shapes": stage.shapes,
            "layout": stage.layout.name(), "quality": stage.quality.name(),
            "nodes": stage.nodes, "node_bytes": stage.node_bytes, "depth": stage.depth,
            "load_ms": milliseconds(stage.load), "tree_ms": milliseconds(stage.tree.median()),
            "build_ms": milliseconds(stage.build.median()), "prepare_ms": milliseconds(stage.prepare),
            "rays": self.rays, "kind": self.kind.name(), "ray_count": self.count, "hits": self.hits, "invalid": self.invalid,
            "total_ms": milliseconds(self.times.median()),
            "mrays_per_s": mrays_per_s(self.count, self.times.median()),
            "mrays_per_s_min": mrays_per_s(self.count, self.times.longest()),
            "mrays_per_s_max": mrays_per_s(self.count, self.times.shortest()),
            "gpu_ms": self.gpu_times.as_ref().map(|times| milliseconds(times.median())),
            "gpu_mrays_per_s": self.gpu_mrays_per_s(),
            "bytes_per_ray": machine.bytes_per_ray,
            "copy_gb_per_s": machine.copied_bytes_per_s.map(|rate| 1e-9 * rate),
            "ray_bytes_share_of_copy": self.share_of_copy(machine),
        })
    }

    /// One row of the table, in the order of [`HEADER`].
    pub fn row(&self, machine: &Machine, stage: &Stage) -> [String; HEADER.len()] {
        let rate = |time| format!("{:.2}", mrays_per_s(self.count, time));
        let optional = |number: Option<String>| number.unwrap_or_else(|| "-".to_owned());
        [
            stage.scene.clone(),
            self.rays.clone(),
            self.kind.name().to_owned(),
            stage.shapes.to_string(),
            self.count.to_string(),
            self.hits.to_string(),
            format!("{} {}", stage.layout.name(), stage.quality.name()),
            format!("{:.1}", milliseconds(stage.tree.median())),
            format!("{:.1}", milliseconds(stage.build.median())),
            format!("{:.1}", milliseconds(self.times.median())),
            rate(self.times.median()),
            rate(self.times.longest()),
            rate(self.times.shortest()),
            optional(self.gpu_mrays_per_s().map(|rate| format!("{rate:.2}"))),
            optional(self.share_of_copy(machine).map(|share| format!("{:.2}", 100.0 * share))),
        ]
    }
}

/// Over the table.
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

impl Machine {
    /// What holds for all rows, before the table.
    pub fn lines(&self, repeat: usize) -> String {
        let driver =
            self.driver.as_ref().map_or(String::new(), |driver| format!(", driver {driver}"));
        let copy = self.copied_bytes_per_s.map_or_else(
            || "no clock to time a copy by".to_owned(),
            |rate| format!("copies {:.1} GB/s, read and written", 1e-9 * rate),
        );
        format!(
            "{}{driver}; {} threads; {copy}\nmedians of {repeat} after one to warm up; a ray and its answer take {} bytes\n\n",
            self.device, self.threads, self.bytes_per_ray
        )
    }
}

/// The header and the rows in columns, names to the left and numbers to the right.
pub fn table(rows: &[[String; HEADER.len()]]) -> String {
    let header = HEADER.map(str::to_owned);
    let all = || std::iter::once(&header).chain(rows);
    let widths: [usize; HEADER.len()] = std::array::from_fn(|column| {
        all().map(|row| row[column].chars().count()).max().unwrap_or_default()
    });
    let is_name = |column: usize| matches!(HEADER[column], "scene" | "rays" | "kind" | "tree");
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
