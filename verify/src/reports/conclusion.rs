//! The conclusion of a comparison, in words.

use super::summary::OutcomeSummary;
use super::worst_answer::WorstAnswer;
use crate::{Class, VerdictCounts};

impl OutcomeSummary {
    /// States the number of answers and of wrong answers, with the given limit and tolerance, and
    /// which parts were judged if answers were given in part.
    pub fn conclusion(&self) -> String {
        let answers = self.rays + self.points;
        let mut text = match self.mismatches {
            0 => format!("{answers} answers, no mismatch"),
            1 => format!("{answers} answers, 1 mismatch"),
            mismatches => format!("{answers} answers, {mismatches} mismatches"),
        };
        if self.mismatches > 0 && self.fail_percent > 0.0 {
            let side = if self.mismatches > self.allowed_mismatches { "above" } else { "within" };
            let Self { fail_percent, allowed_mismatches, .. } = self;
            text += &format!(
                ", {side} the limit of {fail_percent} %, which allows {allowed_mismatches}"
            );
        }
        if let Some(tolerance) = &self.tolerance {
            text += &format!("; {tolerance}");
        }
        for sentence in &self.judged_in_part {
            text += &format!("; {sentence}");
        }
        text
    }

    /// Returns the worst answers; only wrong ones if there are any.
    pub fn worst_wrong(&self) -> impl Iterator<Item = &WorstAnswer> {
        let is_wrong = |worst: &WorstAnswer| worst.class == Class::Mismatch.name();
        self.worst.iter().filter(move |worst| self.mismatches == 0 || is_wrong(worst))
    }

    /// States which files list the wrong answers, if there are more than the file of the worst rays
    /// contains.
    pub fn cut(&self) -> Option<String> {
        self.worst_is_cut.then(|| {
            format!(
                "worst.npy or worst.npz contains the rays of the {} worst answers of each part, and mismatches.npz the numbers of all {} wrong answers",
                VerdictCounts::KEPT,
                self.mismatches
            )
        })
    }
}
