//! The summary of `raytwin diff`.

use super::{ArithmeticSummary, Times};
use crate::pick::PickCommand;
use raytwin::diff::{Answer, Class, Report, Row, Verdict, Worst};
use raytwin::ray::Hit;
use schemars::JsonSchema;
use serde::Serialize;

/// The faults that `--mutate` knows.
#[derive(Serialize, JsonSchema)]
pub(crate) struct FaultList {
    pub faults: Vec<FaultSummary>,
}

/// A fault.
#[derive(Serialize, JsonSchema)]
pub(crate) struct FaultSummary {
    pub name: &'static str,
    /// A sentence that says what it does.
    pub about: &'static str,
    /// What the scene must have for the fault to show.
    pub needs: String,
    /// The kinds of questions whose answers show it.
    pub shown_by: Vec<&'static str>,
}

/// The verdicts on a device's answers.
#[derive(Serialize, JsonSchema)]
pub(crate) struct DiffSummary {
    pub scene: String,
    pub device: String,
    /// The arithmetic of the device; null for the CPU.
    pub arithmetic: Option<ArithmeticSummary>,
    /// The fault that was planted in the engine.
    pub mutate: Option<&'static str>,
    /// True if no answer and no camera ray is wrong.
    pub sound: bool,
    /// The worst error of a component of a camera's rays in units of 2^-24, for an image.
    pub camera_error_u: Option<f64>,
    #[serde(flatten)]
    pub times: Times,
    pub rays: usize,
    pub mismatches: u64,
    pub classes: ClassCounts,
    pub types: Vec<TypeSummary>,
    /// The worst rays, mismatches first.
    pub worst: Vec<WorstRay>,
}

/// The number of answers of each class.
#[derive(Serialize, JsonSchema)]
pub(crate) struct ClassCounts {
    pub exact: u64,
    pub within: u64,
    pub tie: u64,
    pub silhouette: u64,
    pub range: u64,
    pub mismatch: u64,
}

/// The answers that hit one type of shape.
#[derive(Serialize, JsonSchema)]
pub(crate) struct TypeSummary {
    #[serde(rename = "type")]
    pub name: &'static str,
    pub classes: ClassCounts,
    /// The largest error of t as a fraction of its bound.
    pub worst_error: f64,
}

/// A ray worth looking at.
#[derive(Serialize, JsonSchema)]
pub(crate) struct WorstRay {
    pub index: usize,
    /// The ray, as `pick --ray` takes it.
    pub ray: String,
    /// The command that casts it again.
    pub pick: String,
    pub class: &'static str,
    #[serde(rename = "type")]
    pub type_name: &'static str,
    pub error: Option<f64>,
    pub given: AnswerSummary,
    pub exact: AnswerSummary,
}

/// An answer; all of it is null for a miss.
#[derive(Serialize, JsonSchema)]
pub(crate) struct AnswerSummary {
    pub t: Option<f32>,
    pub geometry_id: Option<u32>,
    pub primitive_id: Option<u32>,
}

impl ClassCounts {
    pub fn of(count: impl Fn(Class) -> u64) -> Self {
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
    /// Returns the rows of a report.
    pub fn all(report: &Report) -> Vec<Self> {
        let summary = |row: &Row| Self {
            name: row.name,
            classes: ClassCounts::of(|class| row.counts[class as usize]),
            worst_error: row.worst_error,
        };
        report.rows().into_iter().map(summary).collect()
    }
}

impl WorstRay {
    pub fn new(worst: &Worst, pick: &PickCommand) -> Self {
        let Verdict { class, row, error, given, exact, .. } = &worst.verdict;
        let [given, exact] = [given, exact].map(Answer::hit);
        Self {
            index: worst.index,
            ray: pick.ray_text(&worst.ray),
            pick: pick.of(&worst.ray),
            class: class.name(),
            type_name: row,
            error: *error,
            given: AnswerSummary::new(&given),
            exact: AnswerSummary::new(&exact),
        }
    }
}

impl AnswerSummary {
    fn new(hit: &Hit) -> Self {
        let known = |id: u32| hit.is_hit().then_some(id);
        Self {
            // JSON has no infinity.
            t: hit.t.is_finite().then_some(hit.t),
            geometry_id: known(hit.geometry_id),
            primitive_id: known(hit.primitive_id),
        }
    }
}
