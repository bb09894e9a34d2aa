//! Counts verdicts and keeps the worst rays.

use super::{Class, Verdict};
use crate::geometry::type_names;
use crate::ray::Ray;

/// How many of the worst rays a report keeps.
const KEPT: usize = 5;

/// The counts of one type of shape.
#[derive(Clone, Debug)]
pub struct Row {
    /// The type; `none` for misses, `invalid` for invalid rays.
    pub name: &'static str,
    /// The number of rays of each class of [`Class::ALL`].
    pub counts: [u64; 6],
    /// The largest error in `t` as a fraction of its bound.
    pub worst_error: f64,
}

/// A ray worth looking at.
#[derive(Clone, Debug)]
pub struct Worst {
    /// Its index in the batch.
    pub index: usize,
    /// The ray.
    pub ray: Ray,
    /// The verdict on its answer.
    pub verdict: Verdict,
}

impl Worst {
    /// Returns the key by which the worst rays are sorted: mismatches first, then by the error.
    fn rank(&self) -> (bool, f64) {
        (self.verdict.class == Class::Mismatch, self.verdict.error.unwrap_or(0.0))
    }
}

/// All verdicts of a batch, counted.
#[derive(Clone, Debug, Default)]
pub struct Report {
    rows: Vec<Row>,
    worst: Vec<Worst>,
    rays: usize,
}

impl Report {
    /// Counts the verdicts on the rays that follow those counted so far.
    pub fn extend(&mut self, rays: &[Ray], verdicts: &[Verdict]) {
        for (ray, verdict) in rays.iter().zip(verdicts) {
            let index = self.rows.iter().position(|row| row.name == verdict.row);
            let index = index.unwrap_or_else(|| {
                self.rows.push(Row { name: verdict.row, counts: [0; 6], worst_error: 0.0 });
                self.rows.len() - 1
            });
            let row = &mut self.rows[index];
            row.counts[verdict.class as usize] += 1;
            if matches!(verdict.class, Class::Exact | Class::Within) {
                row.worst_error = row.worst_error.max(verdict.error.unwrap_or(0.0));
            }
            let worst = Worst { index: self.rays, ray: *ray, verdict: verdict.clone() };
            self.rays += 1;
            if worst.rank() > (false, 0.0) {
                let index = self.worst.partition_point(|kept| kept.rank() >= worst.rank());
                self.worst.insert(index, worst);
                self.worst.truncate(KEPT);
            }
        }
    }

    /// Returns the counts of each type that was hit, in the order of the types, then `none` and `invalid`.
    pub fn rows(&self) -> Vec<&Row> {
        let mut rows: Vec<&Row> = self.rows.iter().collect();
        let index = |name| type_names().position(|known| known == name).unwrap_or(usize::MAX);
        rows.sort_by_key(|row| (index(row.name), row.name == "invalid"));
        rows
    }

    /// Returns the worst rays, mismatches first.
    pub fn worst(&self) -> &[Worst] {
        &self.worst
    }

    /// Returns how many rays were judged.
    pub fn rays(&self) -> usize {
        self.rays
    }

    /// Returns how many answers are of a class.
    pub fn count(&self, class: Class) -> u64 {
        self.rows.iter().map(|row| row.counts[class as usize]).sum()
    }
}
