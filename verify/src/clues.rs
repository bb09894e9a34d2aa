//! Clues to why another caster's answers are wrong: what many of the wrong answers have in common.

use super::{Class, Judge, NeededTolerances, Verdict};
use glam::DVec3;
use raytwin::math::U;

/// The number of wrong answers, and the share of all of them, that count as a pattern.
const MANY: usize = 10;
const SHARE: f64 = 0.9;

/// Counts of what is often wrong with the closest hits of a caster.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Clues {
    wrong: usize,
    /// How many have a t of at most 0 for a miss.
    zeros_for_misses: usize,
    /// t of wrong hits as multiples of the exact ones.
    ratios: Vec<f64>,
    /// How far rounding may move the coordinates of a scene without an origin near it.
    rounding: f64,
}

impl Clues {
    /// Adds the verdicts on answers to a question.
    pub fn add(&mut self, judge: &Judge, verdicts: &[Verdict]) {
        for verdict in verdicts.iter().filter(|verdict| verdict.class == Class::Mismatch) {
            let (given, exact) = (verdict.given.hit().t, verdict.exact.hit());
            self.wrong += 1;
            if !exact.is_hit() && given <= 0.0 {
                self.zeros_for_misses += 1;
            }
            if exact.is_hit() && exact.t > 0.0 && given > 0.0 && given.is_finite() {
                self.ratios.push(f64::from(given) / f64::from(exact.t));
            }
        }
        let farthest = judge.reach(DVec3::ZERO);
        if judge.is_far() {
            self.rounding = self.rounding.max(U * farthest);
        }
    }

    /// Returns what the wrong answers point to, one sentence each.
    pub fn sentences(&self, needed: &NeededTolerances) -> Vec<String> {
        let mut sentences = Vec::new();
        if self.zeros_for_misses >= MANY {
            sentences.push(format!(
                "{} of {} wrong answers have a distance of 0 or less although the ray misses: write inf for a miss",
                self.zeros_for_misses, self.wrong
            ));
        }
        if let Some(ratio) = self.common_ratio() {
            sentences.push(format!(
                "most wrong distances are about {} times the exact ones: write distances in the scene's unit of length, and t in units of the direction's length",
                if ratio < 100.0 { format!("{ratio:.3}") } else { format!("{ratio:.0}") }
            ));
        }
        // Three coordinates of a shape are rounded, and three of a ray's origin.
        if needed.tried() > 0 && needed.absolute(99.0) <= 4.0 * self.rounding {
            sentences.push(format!(
                "the wrong answers are off by no more than the rounding of the scene's coordinates to float32, which moves them by up to {:.1e}: give the scene an origin near its shapes, which raytwin subtracts in float64 before it rounds",
                self.rounding
            ));
        }
        sentences
    }

    /// Returns the factor that most wrong distances share, if it is not about 1.
    fn common_ratio(&self) -> Option<f64> {
        let mut sorted = self.ratios.clone();
        sorted.sort_by(f64::total_cmp);
        let median = *sorted.get(sorted.len() / 2)?;
        let alike = sorted.iter().filter(|ratio| (*ratio / median - 1.0).abs() < 0.01).count();
        let is_habit = alike >= MANY && alike as f64 >= SHARE * sorted.len() as f64;
        (is_habit && (median - 1.0).abs() > 0.05).then_some(median)
    }
}
