//! The classes of answers, and the constants of their bounds.

/// The factor K of the bound on `t`.
pub const K: f64 = 8.0;
/// The bound on each component of a camera's ray, in units of u.
pub const CAMERA: f64 = 4.0;

/// The class of an answer: its relation to the exact one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// The float64 answer, rounded to float32.
    Exact,
    /// The same primitive, with `t` within the bound.
    Within,
    /// Another primitive at the same t, within the precision of the bound.
    Tie,
    /// A ray that passes so close to an edge or an outline that it may hit or miss.
    Silhouette,
    /// A crossing at `t_min` or `t_max` that may lie inside or outside of the interval.
    Range,
    /// None of these: the answer is wrong.
    Mismatch,
}

impl Class {
    /// All classes, in the order of a report's columns.
    pub const ALL: [Self; 6] =
        [Self::Exact, Self::Within, Self::Tie, Self::Silhouette, Self::Range, Self::Mismatch];

    /// Returns its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Within => "within",
            Self::Tie => "tie",
            Self::Silhouette => "silhouette",
            Self::Range => "range",
            Self::Mismatch => "mismatch",
        }
    }
}
