//! The measured figures as tables and lines for people.

use crate::summary::{BenchResult, PhaseSummary};

/// The method for measuring the times of kernels. See [`GpuTracer::kernel_times`].
///
/// [`GpuTracer::kernel_times`]: raytwin::gpu::GpuTracer::kernel_times
pub const FULL_LOAD: &str =
    "at full load: after half a second of work, in submissions of at most 100 ms, three at a time";

impl BenchResult {
    /// Returns one row of the table, in the order of [`HEADER`].
    pub fn row(&self) -> [String; HEADER.len()] {
        let milliseconds = |seconds: f64| format!("{:.1}", 1e3 * seconds);
        let rate = |rate: f64| format!("{rate:.2}");
        let percent = self.ray_bytes_share_of_copy.map(|share| 100.0 * share);
        [
            self.scene.clone(),
            self.rays.clone(),
            self.kind.to_owned(),
            self.shapes.to_string(),
            self.ray_count.to_string(),
            self.hits.to_string(),
            self.quality.to_owned(),
            milliseconds(self.tree_s),
            milliseconds(self.build_s),
            milliseconds(self.total_s),
            rate(self.mrays_per_s),
            rate(self.mrays_per_s_min),
            rate(self.mrays_per_s_max),
            number_or_dash(self.gpu_mrays_per_s, 2),
            number_or_dash(percent, 2),
        ]
    }

    /// Returns the rows of the table of phases, in the order of [`PHASE_HEADER`].
    pub fn phase_rows(&self) -> impl Iterator<Item = [String; PHASE_HEADER.len()]> {
        self.phases.iter().map(|phases: &PhaseSummary| {
            let time = |seconds: Option<f64>| number_or_dash(seconds.map(|time| 1e3 * time), 2);
            [
                self.scene.clone(),
                self.rays.clone(),
                self.kind.to_owned(),
                phases.ray_count.to_string(),
                time(Some(phases.total_s)),
                time(phases.writing_s),
                time(phases.waiting_s),
                time(phases.reading_s),
                time(phases.kernel_s),
                time(phases.normals_s),
                number_or_dash(phases.host_ns_per_ray, 2),
            ]
        })
    }

    /// Returns the lines above the table, with what all rows have in common.
    pub fn lines(&self) -> String {
        let driver =
            self.driver.as_ref().map_or(String::new(), |driver| format!(", driver {driver}"));
        let copy = self.copy_gb_per_s.map_or_else(
            || "no clock to time a copy".to_owned(),
            |rate| format!("copies {rate:.1} GB/s, bytes read and written"),
        );
        let method = self.backend.as_ref().map_or(String::new(), |_| {
            format!("\ngpu Mray/s is the rate of the kernel {FULL_LOAD}")
        });
        format!(
            "{}{driver}; {copy}\n{}; {} threads\nmedians of {} runs after warming up; a ray and its answer take {} bytes{method}\n\n",
            self.device, self.processor, self.threads, self.repeat, self.bytes_per_ray
        )
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
