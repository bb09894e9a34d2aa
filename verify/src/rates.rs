//! Counts how often answers are excused, and checks the counts against what rounding explains. This
//! finds a device that is a little wrong everywhere, although each of its answers is excused on its
//! own.
//!
//! The displacement that changes an answer is spread evenly from 0 to the device's own error,
//! because surfaces can be anywhere near a ray. At an edge that rays hit exactly, an answer changes
//! at no displacement at all, however many rays hit it. The bound is generous, so the error of a
//! device that only rounds stays below a quarter of δ, and hardly any answer needs more. On a
//! device that is wrong by 0.8 δ everywhere, two thirds of the answers that change need more.
//! Rounding also leaves the mean of (t − t_exact) / bound near zero, and a surface that is too
//! large or moved does not.

use super::{Answer, Class, Verdict};

/// The share of δ above which hardly any answer of a device that only rounds is in doubt.
const ROUNDING: f64 = 0.25;
/// The share of the answers in doubt that may need more.
const BEYOND: f64 = 0.02;
/// The probability of a false alarm: the number of such answers exceeds its limit on a device that
/// only rounds.
const FALSE_ALARM: f64 = 1e-6;
/// The largest mean of (t − t_exact) / bound that rounding leaves.
const BIAS: f64 = 0.25;
/// The least variance that is assumed for (t − t_exact) / bound, so that few answers prove nothing.
const LEAST_VARIANCE: f64 = 0.04;
/// The number of standard deviations that a normal variable exceeds, to either side, with the
/// probability of a false alarm.
const DEVIATIONS: f64 = 4.9;

/// How many answers of one class are excused, and by how much.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rate {
    /// The class: `tie`, `silhouette` or `range`.
    pub class: Class,
    /// The number of answers of that class.
    pub answers: u64,
    /// How many of them need surfaces to be displaced by more than a quarter of δ.
    pub observed: u64,
    /// The largest number that is expected on a device that only rounds.
    pub predicted: f64,
    /// The number that such a device exceeds with a probability of one in a million.
    pub limit: u64,
    /// True if more answers than this need it.
    pub is_excessive: bool,
}

/// The mean error of t on one type of shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bias {
    /// The type, as a report names it.
    pub type_name: &'static str,
    /// The number of its answers.
    pub answers: u64,
    /// The mean of (t − t_exact) / bound.
    pub mean: f64,
    /// Its standard error.
    pub standard_error: f64,
    /// The magnitude that the mean on a device that only rounds exceeds with a probability of one
    /// in a million.
    pub limit: f64,
    /// True if the mean exceeds it.
    pub is_excessive: bool,
}

#[derive(Clone, Copy, Debug)]
struct ErrorSums {
    type_name: &'static str,
    answers: u64,
    sum: f64,
    sum_of_squares: f64,
}

/// The classes whose answers are excused by displacements.
const IN_DOUBT: [Class; 3] = [Class::Tie, Class::Silhouette, Class::Range];

/// The rates of a comparison, counted batch by batch.
#[derive(Clone, Debug, Default)]
pub struct Rates {
    /// The answers of each class in doubt, and how many of them need more than rounding.
    doubts: [[u64; 2]; 3],
    errors: Vec<ErrorSums>,
}

impl Rates {
    /// Counts the verdicts on further answers.
    pub fn extend(&mut self, verdicts: &[Verdict]) {
        for verdict in verdicts {
            let doubt = IN_DOUBT.iter().position(|&class| class == verdict.class);
            if let (Some(doubt), Some(cause)) = (doubt, verdict.cause) {
                let [answers, beyond] = &mut self.doubts[doubt];
                *answers += 1;
                *beyond += u64::from(cause.displacement > ROUNDING);
            }
            if let Some(error) = signed_error(verdict) {
                self.add_error(verdict.row, error);
            }
        }
    }

    fn add_error(&mut self, type_name: &'static str, error: f64) {
        let known = self.errors.iter().position(|sums| sums.type_name == type_name);
        let index = known.unwrap_or_else(|| {
            self.errors.push(ErrorSums { type_name, answers: 0, sum: 0.0, sum_of_squares: 0.0 });
            self.errors.len() - 1
        });
        let sums = &mut self.errors[index];
        sums.answers += 1;
        sums.sum += error;
        sums.sum_of_squares += error * error;
    }

    /// Returns the rates of ties, of silhouettes and of ranges: the classes whose answers are
    /// excused by displacements.
    pub fn rates(&self) -> [Rate; 3] {
        [0, 1, 2].map(|index| {
            let [answers, observed] = self.doubts[index];
            let predicted = BEYOND * answers as f64;
            let limit = poisson_quantile(predicted, FALSE_ALARM);
            let is_excessive = observed > limit;
            Rate { class: IN_DOUBT[index], answers, observed, predicted, limit, is_excessive }
        })
    }

    /// Returns the mean error of t on each type of shape whose t is judged.
    pub fn biases(&self) -> Vec<Bias> {
        let bias = |sums: &ErrorSums| {
            let count = sums.answers as f64;
            let mean = sums.sum / count;
            let variance = (sums.sum_of_squares / count - mean * mean).max(LEAST_VARIANCE);
            let standard_error = (variance / count).sqrt();
            let limit = BIAS + DEVIATIONS * standard_error;
            Bias {
                type_name: sums.type_name,
                answers: sums.answers,
                mean,
                standard_error,
                limit,
                is_excessive: mean.abs() > limit,
            }
        };
        self.errors.iter().map(bias).collect()
    }

    /// Returns true if any rate or mean exceeds its limit.
    pub fn is_excessive(&self) -> bool {
        self.rates().iter().any(|rate| rate.is_excessive)
            || self.biases().iter().any(|bias| bias.is_excessive)
    }
}

/// Returns (t − t_exact) / bound of a closest hit that is exact, which counts as zero, or within
/// the bound.
fn signed_error(verdict: &Verdict) -> Option<f64> {
    let given = match &verdict.given {
        Answer::Closest(given) => *given,
        Answer::Partial(partial) if partial.t.is_some() => partial.hit(),
        _ => return None,
    };
    match (verdict.class, verdict.cause) {
        // The given hit may lack ids.
        (Class::Exact, _) => given.t.is_finite().then_some(0.0),
        (Class::Within, Some(cause)) => {
            Some(cause.displacement.copysign(f64::from(given.t) - cause.t))
        }
        _ => None,
    }
}

/// Returns the least number that a Poisson variable of this mean exceeds with at most this
/// probability.
fn poisson_quantile(mean: f64, probability: f64) -> u64 {
    // The distribution of large numbers is nearly normal; the constant is the first term of Cornish
    // and Fisher's expansion.
    if mean > 600.0 {
        return (mean + DEVIATIONS * (mean.sqrt() + DEVIATIONS / 6.0)).ceil() as u64;
    }
    let mut term = libm::exp(-mean);
    let mut below = term;
    let mut number: u64 = 0;
    // The terms beyond the mean shrink faster than a geometric series, so the loop ends.
    while 1.0 - below > probability && number < 1000 {
        number += 1;
        term *= mean / number as f64;
        below += term;
    }
    number
}

#[cfg(test)]
mod tests;
