//! Counts verdicts and keeps the worst answers.

use super::{Class, DistanceErrors, NumberSet, Probe, Verdict};
use raytwin::geometry::type_names;
use std::sync::Arc;

/// The counts of one type of shape.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The type; `none` if nothing is hit, `hit` if the query does not return the geometry,
    /// `invalid` for invalid rays and points.
    pub name: &'static str,
    /// The number of answers of each class of [`Class::ALL`].
    pub counts: [u64; 6],
    /// The largest error in `t` as a fraction of its bound, including wrong answers.
    pub worst_error: f64,
    /// The errors in `t` by their fractions of the bound.
    pub errors: Histogram,
    /// The errors of distances in the scene's unit of length, including those of exact answers.
    pub distance_errors: DistanceErrors,
}

/// Counts of errors by their fraction of the bound.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Histogram {
    /// The counts of errors in each twentieth of the bound.
    pub within: [u64; Self::BINS],
    /// The number of errors above the bound, each of a wrong answer.
    pub beyond: u64,
}

impl Histogram {
    /// The number of equal parts of the bound.
    pub const BINS: usize = 20;

    fn add(&mut self, fraction: f64) {
        match fraction <= 1.0 {
            true => self.within[((fraction * Self::BINS as f64) as usize).min(Self::BINS - 1)] += 1,
            false => self.beyond += 1,
        }
    }

    fn add_all(&mut self, other: &Self) {
        self.within.iter_mut().zip(other.within).for_each(|(count, more)| *count += more);
        self.beyond += other.beyond;
    }
}

impl Row {
    fn new(name: &'static str) -> Self {
        Self {
            name,
            counts: [0; 6],
            worst_error: 0.0,
            errors: Histogram::default(),
            distance_errors: DistanceErrors::default(),
        }
    }

    fn add(&mut self, verdict: &Verdict) {
        self.counts[verdict.class as usize] += 1;
        if let Some(error) = verdict.error {
            self.errors.add(error);
            self.worst_error = self.worst_error.max(error);
        }
        if let Some(error) = verdict.distance_error {
            self.distance_errors.add(error);
        }
    }
}

/// One of the worst answers.
#[derive(Clone, Debug, PartialEq)]
pub struct Worst {
    /// Its index among the rays or points.
    pub index: usize,
    /// The ray or point.
    pub probe: Probe,
    /// The verdict on the answer.
    pub verdict: Verdict,
    /// The name of the scene, if the comparison has several.
    pub scene: Option<Arc<str>>,
}

impl Worst {
    /// Returns the sort key of the worst answers.
    pub(super) fn rank(&self) -> Rank {
        Rank::of(&self.verdict)
    }
}

/// The rank of an answer: mismatches first, then answers that needed displaced surfaces, then
/// errors.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub(super) struct Rank(bool, bool, f64);

impl Rank {
    const NONE: Self = Self(false, false, 0.0);

    fn of(verdict: &Verdict) -> Self {
        let is_excused = !matches!(verdict.class, Class::Exact | Class::Within | Class::Mismatch);
        let size = verdict.error.or(verdict.cause.map(|cause| cause.displacement));
        Self(verdict.class == Class::Mismatch, is_excused, size.unwrap_or(0.0))
    }
}

/// The counts of all verdicts on the answers to one query.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct VerdictCounts {
    rows: Vec<Row>,
    worst: Vec<Worst>,
    mismatches: NumberSet,
    answers: usize,
    /// The name of the scene of the questions, if there are several.
    pub(super) scene: Option<Arc<str>>,
}

impl VerdictCounts {
    /// The number of worst answers that it keeps.
    pub const KEPT: usize = 1000;

    /// Counts the verdicts on the next rays or points. `asked` returns a ray or point by its index
    /// in these verdicts.
    pub fn extend(&mut self, probe: impl Fn(usize) -> Probe, verdicts: &[Verdict]) {
        for (index, verdict) in verdicts.iter().enumerate() {
            self.row(verdict.row).add(verdict);
            if verdict.class == Class::Mismatch {
                self.mismatches.insert(self.answers + index);
            }
            let rank = Rank::of(verdict);
            let least = match self.worst.get(Self::KEPT - 1) {
                Some(last) => last.rank(),
                None => Rank::NONE,
            };
            if rank > least {
                let worst = Worst {
                    index: self.answers + index,
                    probe: probe(index),
                    verdict: verdict.clone(),
                    scene: self.scene.clone(),
                };
                let index = self.worst.partition_point(|kept| kept.rank() >= rank);
                self.worst.insert(index, worst);
                self.worst.truncate(Self::KEPT);
            }
        }
        self.answers += verdicts.len();
    }

    fn row(&mut self, name: &'static str) -> &mut Row {
        let index = self.rows.iter().position(|row| row.name == name).unwrap_or_else(|| {
            self.rows.push(Row::new(name));
            self.rows.len() - 1
        });
        &mut self.rows[index]
    }

    /// Adds the counts of other verdicts, but not their worst answers.
    pub(super) fn add_counts(&mut self, other: &Self) {
        for row in &other.rows {
            let sum = self.row(row.name);
            sum.counts.iter_mut().zip(row.counts).for_each(|(count, more)| *count += more);
            sum.worst_error = sum.worst_error.max(row.worst_error);
            sum.errors.add_all(&row.errors);
            sum.distance_errors.add_all(&row.distance_errors);
        }
        self.answers += other.answers;
    }

    /// Returns the counts of each type that was hit, in the order of the types, then the rows
    /// without a type.
    pub fn rows(&self) -> Vec<&Row> {
        let mut rows: Vec<&Row> = self.rows.iter().collect();
        let index = |name| type_names().position(|known| known == name).unwrap_or(usize::MAX);
        rows.sort_by_key(|row| (index(row.name), row.name == "invalid", row.name));
        rows
    }

    /// Returns the numbers of all rays or points whose answers are wrong, counted from 0 over all
    /// that were judged.
    pub fn mismatches(&self) -> &NumberSet {
        &self.mismatches
    }

    /// Returns the worst answers, mismatches first; at most [`Self::KEPT`].
    pub fn worst(&self) -> &[Worst] {
        &self.worst
    }

    /// Returns how many answers were judged.
    pub fn answers(&self) -> usize {
        self.answers
    }

    /// Returns the largest error in t as a fraction of its bound, including mismatches.
    pub fn largest_error(&self) -> f64 {
        self.rows.iter().map(|row| row.worst_error).fold(0.0, f64::max)
    }

    /// Returns the errors of all distances, in the scene's unit of length.
    pub fn distance_errors(&self) -> DistanceErrors {
        let mut all = DistanceErrors::default();
        self.rows.iter().for_each(|row| all.add_all(&row.distance_errors));
        all
    }

    /// Returns how many answers are of a class.
    pub fn count(&self, class: Class) -> u64 {
        self.rows.iter().map(|row| row.counts[class as usize]).sum()
    }
}
