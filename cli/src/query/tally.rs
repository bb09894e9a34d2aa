//! Counts of rays and hits for the summary.

use crate::compiling::CastTimes;
use crate::console::speed;
use raytwin::query::{Answers, Query};
use raytwin_files::HitGroup;
use raytwin_files::rays::AnswerCounts;
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
    pub times: CastTimes,
    /// The points of the cloud, if one was written.
    pub cloud_points: Option<u64>,
    /// The hits of each group, if they were counted.
    pub hits_per: Option<Vec<HitGroup>>,
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

    pub fn of_kept(AnswerCounts { rays, hits, crossings }: AnswerCounts) -> Self {
        Self { rays, hits, crossings, kept: rays, ..Self::default() }
    }

    pub fn add(&mut self, other: Self) {
        self.rays += other.rays;
        self.hits += other.hits;
        let both = self.crossings.zip(other.crossings);
        self.crossings = both.map(|(count, other)| count + other).or(self.crossings);
        self.invalid += other.invalid;
        self.kept += other.kept;
        self.times.compile += other.times.compile;
        self.times.trace += other.times.trace;
        self.cloud_points = other.cloud_points.or(self.cloud_points);
        self.hits_per = other.hits_per.or(self.hits_per.take());
        self.files.extend(other.files);
        self.skipped.extend(other.skipped);
        self.failed.extend(other.failed);
    }

    pub fn line(&self, query: Query, total_time: Duration, output: &Path) -> String {
        let hits = if query == Query::Any { "occluded" } else { "hits" };
        let crossings =
            self.crossings.map_or(String::new(), |count| format!(" {count} crossings,"));
        let kept = match self.kept {
            0 => String::new(),
            kept => format!(" {kept} answered by an earlier run,"),
        };
        format!(
            "{} rays,{kept} {} {hits},{crossings} {} invalid, {}{}, {:.2} s including reading and writing -> {}",
            self.rays,
            self.hits,
            self.invalid,
            self.times.compiling(),
            speed(self.rays - self.kept, self.times.trace),
            total_time.as_secs_f64(),
            output.display()
        )
    }
}
