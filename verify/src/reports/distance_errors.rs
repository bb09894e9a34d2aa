//! The errors of distances as an object for files and programs, and in words.

use super::rounding::rounded_up;
use crate::DistanceErrors;
use schemars::JsonSchema;
use serde::Serialize;

/// The errors of distances, in the scene's unit of length: |t − t_exact| |d|. An answer that equals
/// the float64 answer, rounded, counts as 0. An answer that displaced surfaces explain does not
/// count.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct DistanceErrorSummary {
    /// The number of answers that are counted, including wrong ones that name the right primitive.
    pub answers: u64,
    /// The largest error.
    pub largest: f64,
    /// The error that 99 % of these answers do not exceed, rounded up by less than 1 %.
    pub percentile_99: f64,
}

impl DistanceErrorSummary {
    /// Makes the summary; `None` if there are no such answers.
    pub(super) fn new(errors: &DistanceErrors) -> Option<Self> {
        let (answers, largest) = (errors.answers(), errors.largest());
        let percentile_99 = errors.percentile(99.0);
        (answers > 0).then_some(Self { answers, largest, percentile_99 })
    }

    /// Returns the largest error and the error of 99 %, each as a text with three digits, rounded
    /// up.
    pub fn texts(&self) -> [String; 2] {
        [self.largest, self.percentile_99].map(rounded_up)
    }
}

/// States how far off distances are.
impl std::fmt::Display for DistanceErrorSummary {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { answers, largest, .. } = *self;
        if largest == 0.0 {
            return write!(f, "{answers} distances equal the exact ones, rounded");
        }
        let [largest, most] = self.texts();
        write!(
            f,
            "{answers} distances are off by at most {largest}, 99 % of them by at most {most}, in the scene's unit of length"
        )
    }
}
