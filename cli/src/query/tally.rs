//! Counts of rays and hits for the summary.

use crate::console::{mrays_per_s, speed};
use raytwin::io::rays::Kept;
use raytwin::query::{Answers, Query};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Counts for one ray file, or for several.
#[derive(Debug, Default)]
pub(super) struct Tally {
    pub rays: usize,
    pub hits: usize,
    pub crossings: Option<u64>,
    pub invalid: usize,
    /// The rays that an earlier run answered; `rays` includes them.
    pub kept: usize,
    pub trace_time: Duration,
    pub files: Vec<PathBuf>,
    /// The ray files that an earlier run answered.
    pub skipped: Vec<PathBuf>,
    /// The ray files that could not be answered.
    pub failed: Vec<PathBuf>,
}

impl Tally {
    pub fn of(answers: &Answers) -> Self {
        Self {
            rays: answers.rays(),
            hits: answers.hits(),
            crossings: answers.crossings(),
            ..Self::default()
        }
    }

    pub fn of_kept(Kept { rays, hits, crossings }: Kept) -> Self {
        Self { rays, hits, crossings, kept: rays, ..Self::default() }
    }

    pub fn add(&mut self, other: Self) {
        self.rays += other.rays;
        self.hits += other.hits;
        let both = self.crossings.zip(other.crossings);
        self.crossings = both.map(|(count, other)| count + other).or(self.crossings);
        self.invalid += other.invalid;
        self.kept += other.kept;
        self.trace_time += other.trace_time;
        self.files.extend(other.files);
        self.skipped.extend(other.skipped);
        self.failed.extend(other.failed);
    }

    /// The summary as one object, completed by the entries of `about`.
    pub fn object(&self, query: Query, about: Value) -> Value {
        let names = |paths: &[PathBuf]| -> Vec<String> {
            paths.iter().map(|path| path.display().to_string()).collect()
        };
        let mut object = json!({
            "command": "query", "kind": query.name(), "rays": self.rays, "hits": self.hits,
            "crossings": self.crossings, "invalid": self.invalid,
            "kept": self.kept, "trace_s": self.trace_time.as_secs_f64(),
            "mrays_per_s": mrays_per_s(self.rays - self.kept, self.trace_time), "files": names(&self.files),
            "skipped": names(&self.skipped), "failed": names(&self.failed),
        });
        if let (Value::Object(object), Value::Object(about)) = (&mut object, about) {
            object.extend(about);
        }
        object
    }

    /// The summary as one line.
    pub fn line(&self, query: Query, total_time: Duration, output: &Path) -> String {
        let hits = if query == Query::Any { "occluded" } else { "hits" };
        let crossings =
            self.crossings.map_or(String::new(), |count| format!(" {count} crossings,"));
        let kept = match self.kept {
            0 => String::new(),
            kept => format!(" {kept} answered by an earlier run,"),
        };
        format!(
            "{} rays,{kept} {} {hits},{crossings} {} invalid, {}, {:.2} s including reading and writing -> {}",
            self.rays,
            self.hits,
            self.invalid,
            speed(self.rays - self.kept, self.trace_time),
            total_time.as_secs_f64(),
            output.display()
        )
    }
}
