//! The outcome of a comparison as objects for files and programs.

use super::distance_errors::DistanceErrorSummary;
use super::needed_tolerance::NeededToleranceSummary;
use super::worst_answer::{AnswerTexts, WorstAnswer};
use crate::{
    Bias, Class, ComparedPart, Histogram, Limits, Outcome, Rate, Row, SurfaceTolerance,
    VerdictCounts,
};
use schemars::JsonSchema;
use serde::Serialize;

/// The most worst answers that a summary lists.
const LISTED: usize = 20;
/// The most wrong answers of a part that are listed.
const WRONG: usize = 100;

/// The outcome of a comparison.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct OutcomeSummary {
    /// True if the answers are within the limits.
    pub sound: bool,
    /// The reasons why they are not.
    pub failures: Vec<String>,
    /// The tolerance by which answers were judged; null if only raytwin's bound applied.
    pub tolerance: Option<ToleranceSummary>,
    /// The percentage of wrong answers to allow.
    pub fail_percent: f64,
    /// The number of answers that this percentage allows to be wrong.
    pub allowed_mismatches: u64,
    /// The largest allowed error in t of any answer, as a fraction of its bound; null for no limit,
    /// because an error above the bound is a mismatch.
    pub hard_limit: Option<f64>,
    /// The worst error of a component of a camera's rays in units of 2^-24, for an image.
    pub camera_error_u: Option<f64>,
    /// The number of answers to rays.
    pub rays: usize,
    /// The number of answers to points.
    pub points: usize,
    /// The number of wrong answers.
    pub mismatches: u64,
    /// The numbers of answers of each class.
    pub classes: ClassCounts,
    /// The errors of distances; null if no answer has a distance.
    pub distance_error: Option<DistanceErrorSummary>,
    /// The least tolerances under which wrong answers from a file would be right; null if there are
    /// none.
    pub needed_tolerance: Option<NeededToleranceSummary>,
    /// What the wrong answers from a file point to, one sentence each.
    pub clues: Vec<String>,
    /// Which parts were judged of answers that were given in part, one sentence each.
    pub judged_in_part: Vec<String>,
    /// The answers by the type of the shape that was hit.
    pub types: Vec<TypeSummary>,
    /// The answers by question.
    pub parts: Vec<PartSummary>,
    /// How often answers of a class need more than rounding explains; empty if a tolerance is
    /// given.
    pub rates: Vec<RateSummary>,
    /// The mean errors of t; empty if a tolerance is given.
    pub biases: Vec<BiasSummary>,
    /// The worst answers, mismatches first.
    pub worst: Vec<WorstAnswer>,
    /// True if a part has more than 1,000 wrong answers, so that a report omits some of their rays.
    pub worst_is_cut: bool,
    /// Wrong answers of all parts, at most 100 of each, the worst of a part first.
    #[serde(skip)]
    pub(super) wrong: Vec<WorstAnswer>,
}

/// A tolerance by which answers were judged.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct ToleranceSummary {
    /// The part that is the same everywhere, in the scene's unit of length.
    pub absolute: f64,
    /// The part that grows with the distance from the ray's origin, as a share of that distance.
    pub relative: f64,
}

impl From<SurfaceTolerance> for ToleranceSummary {
    fn from(SurfaceTolerance { absolute, relative }: SurfaceTolerance) -> Self {
        Self { absolute, relative }
    }
}

/// States what answers were judged by, as [`SurfaceTolerance`] does.
impl std::fmt::Display for ToleranceSummary {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { absolute, relative } = *self;
        SurfaceTolerance { absolute, relative }.fmt(f)
    }
}

/// The number of answers of one class that need surfaces to move by more than a quarter of the
/// allowed distance.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RateSummary {
    /// The class.
    pub class: &'static str,
    /// The number of its answers.
    pub answers: u64,
    /// How many of them need more.
    pub observed: u64,
    /// The largest number that is expected on a device that only rounds.
    pub predicted: f64,
    /// The number that such a device exceeds with a probability of one in a million.
    pub limit: u64,
}

/// The mean of (t − t_exact) / bound on one type of shape.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct BiasSummary {
    /// The type of shape.
    #[serde(rename = "type")]
    pub type_name: &'static str,
    /// The number of answers.
    pub answers: u64,
    /// The mean.
    pub mean: f64,
    /// Its standard error.
    pub standard_error: f64,
    /// The magnitude that the mean on a device that only rounds exceeds with a probability of one
    /// in a million.
    pub limit: f64,
}

/// The number of answers of each class.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ClassCounts {
    /// Answers that are the float64 answer, rounded.
    pub exact: u64,
    /// Answers within the bound.
    pub within: u64,
    /// Answers that name another primitive at the same t.
    pub tie: u64,
    /// Rays that pass close to an edge or an outline.
    pub silhouette: u64,
    /// Crossings close to an end of the ray's interval.
    pub range: u64,
    /// Wrong answers.
    pub mismatch: u64,
}

/// The answers that hit one type of shape.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct TypeSummary {
    /// The type of shape.
    #[serde(rename = "type")]
    pub name: &'static str,
    /// The numbers of answers of each class.
    pub classes: ClassCounts,
    /// The largest error of t as a fraction of its bound, including wrong answers. Answers that
    /// displaced surfaces explain have none.
    pub worst_error: f64,
    /// The errors of distances; null if no answer has a distance.
    pub distance_error: Option<DistanceErrorSummary>,
    /// The numbers of errors of t in each twentieth of the bound. The last number counts the errors
    /// above the bound, which are wrong.
    pub errors: Vec<u64>,
}

/// The answers to one query of one set of rays or points.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PartSummary {
    /// The question, in words.
    pub title: String,
    /// The rays or points.
    pub name: String,
    /// The kind of query.
    pub kind: &'static str,
    /// True if solids were treated as solid.
    pub solid: bool,
    /// The number of answers.
    pub answers: usize,
    /// The numbers of answers of each class.
    pub classes: ClassCounts,
}

impl OutcomeSummary {
    /// Makes the summary. `texts` writes rays and shapes as the caller does.
    pub fn new(outcome: &Outcome, limits: &Limits, texts: &AnswerTexts<'_>) -> Self {
        let total = outcome.total();
        let failures = outcome.failures(limits);
        let parts = outcome.parts();
        let points: usize =
            parts.iter().filter(|part| part.is_of_points()).map(|part| part.counts.answers()).sum();
        let worst = outcome.worst().into_iter().take(LISTED);
        let wrong_of = |part| {
            let worst = ComparedPart::worst(part);
            let wrong = worst.filter(|worst| worst.verdict.class == Class::Mismatch).take(WRONG);
            wrong.map(move |worst| WorstAnswer::new(part, worst, texts))
        };
        let is_cut =
            |part: &ComparedPart| part.counts.count(Class::Mismatch) > VerdictCounts::KEPT as u64;
        let rates = outcome.rates().rates();
        let tolerance = outcome.tolerance();
        let mut judged_in_part: Vec<String> =
            parts.iter().filter_map(|part| part.given.sentence()).collect();
        judged_in_part.dedup();
        Self {
            sound: failures.is_empty(),
            failures,
            tolerance: tolerance.map(ToleranceSummary::from),
            fail_percent: limits.fail_percent,
            allowed_mismatches: limits.allowed_mismatches(total.answers()),
            hard_limit: limits.hard_limit.is_finite().then_some(limits.hard_limit),
            camera_error_u: outcome.camera_error(),
            rays: total.answers() - points,
            points,
            mismatches: total.count(Class::Mismatch),
            classes: ClassCounts::of(|class| total.count(class)),
            distance_error: DistanceErrorSummary::new(&total.distance_errors()),
            needed_tolerance: NeededToleranceSummary::new(outcome.needed_tolerances()),
            clues: outcome.clues(),
            judged_in_part,
            types: total.rows().into_iter().map(TypeSummary::new).collect(),
            parts: parts.iter().map(PartSummary::new).collect(),
            rates: rates.iter().filter(|_| tolerance.is_none()).map(RateSummary::new).collect(),
            biases: outcome.rates().biases().iter().map(BiasSummary::new).collect(),
            worst: worst.map(|(part, worst)| WorstAnswer::new(part, worst, texts)).collect(),
            worst_is_cut: parts.iter().any(is_cut),
            wrong: parts.iter().flat_map(wrong_of).collect(),
        }
    }
}

impl ClassCounts {
    /// Returns the counts in the order of [`Class::ALL`].
    pub fn in_order(&self) -> [u64; 6] {
        let Self { exact, within, tie, silhouette, range, mismatch } = *self;
        [exact, within, tie, silhouette, range, mismatch]
    }

    fn of(count: impl Fn(Class) -> u64) -> Self {
        Self {
            exact: count(Class::Exact),
            within: count(Class::Within),
            tie: count(Class::Tie),
            silhouette: count(Class::Silhouette),
            range: count(Class::Range),
            mismatch: count(Class::Mismatch),
        }
    }
}

impl TypeSummary {
    /// Returns the largest error of t as a fraction of its bound, as a text; it is empty if no t
    /// was judged.
    pub fn worst_text(&self) -> String {
        let is_judged = self.distance_error.is_some() || self.worst_error > 0.0;
        if is_judged { format!("{:.4}", self.worst_error) } else { String::new() }
    }

    fn new(row: &Row) -> Self {
        let Histogram { within, beyond } = row.errors;
        Self {
            name: row.name,
            classes: ClassCounts::of(|class| row.counts[class as usize]),
            worst_error: row.worst_error,
            distance_error: DistanceErrorSummary::new(&row.distance_errors),
            errors: within.into_iter().chain([beyond]).collect(),
        }
    }
}

impl RateSummary {
    fn new(rate: &Rate) -> Self {
        let &Rate { class, answers, observed, predicted, limit, .. } = rate;
        Self { class: class.name(), answers, observed, predicted, limit }
    }
}

impl BiasSummary {
    fn new(bias: &Bias) -> Self {
        let &Bias { type_name, answers, mean, standard_error, limit, .. } = bias;
        Self { type_name, answers, mean, standard_error, limit }
    }
}

impl PartSummary {
    fn new(part: &ComparedPart) -> Self {
        let counts = &part.counts;
        Self {
            title: part.title(),
            name: part.name.clone(),
            kind: part.kind,
            solid: part.is_solid,
            answers: counts.answers(),
            classes: ClassCounts::of(|class| counts.count(class)),
        }
    }
}
