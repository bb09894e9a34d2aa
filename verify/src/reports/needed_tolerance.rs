//! The tolerances that wrong answers need as an object for files and programs, and in words.

use super::rounding::rounded_up;
use crate::NeededTolerances;
use schemars::JsonSchema;
use serde::Serialize;

/// The least tolerances under which a caster's wrong answers would be right, each given on its own.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct NeededToleranceSummary {
    /// The number of wrong answers.
    pub wrong: usize,
    /// The number of wrong answers from which the percentile and the median follow: all, or up to
    /// 1,024 of a part.
    pub tried: usize,
    /// The values for `--tolerance-abs`, in the scene's unit of length.
    pub absolute: ToleranceSizes,
    /// The values for `--tolerance-rel`, as shares of the distance.
    pub relative: ToleranceSizes,
}

/// The needed width of a tolerance of one kind.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ToleranceSizes {
    /// For all wrong answers; null if some are wrong under any tolerance up to a
    /// hundredth of the distance.
    pub all: Option<f64>,
    /// For 99 % of the wrong answers that were tried; null as above.
    pub percentile_99: Option<f64>,
    /// For half of them; null as above.
    pub median: Option<f64>,
}

impl NeededToleranceSummary {
    /// Makes the summary; `None` if nothing was tried.
    pub(super) fn new(needed: &NeededTolerances) -> Option<Self> {
        let sizes = |of: &dyn Fn(f64) -> f64| {
            let of = |percent| Some(of(percent)).filter(|size| size.is_finite());
            ToleranceSizes { all: of(100.0), percentile_99: of(99.0), median: of(50.0) }
        };
        (needed.tried() > 0).then(|| Self {
            wrong: needed.wrong(),
            tried: needed.tried(),
            absolute: sizes(&|percent| needed.absolute(percent)),
            relative: sizes(&|percent| needed.relative(percent)),
        })
    }
}

impl ToleranceSizes {
    fn text(&self, kind: &str) -> Option<String> {
        let Self { all, percentile_99, median } = *self;
        let shares = [("all", all), ("99 %", percentile_99), ("half", median)];
        let mut texts: Vec<String> = Vec::new();
        for (share, size) in shares {
            texts.extend(size.map(|size| format!("{} for {share}", rounded_up(size))));
        }
        (!texts.is_empty()).then(|| format!("{kind} {}", texts.join(", ")))
    }
}

/// States which tolerances would suffice.
impl std::fmt::Display for NeededToleranceSummary {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { wrong, tried, absolute, relative } = self;
        let sampled = match tried < wrong {
            true => format!(", with 99 % and half estimated from {tried} of them"),
            false => String::new(),
        };
        let sizes = [absolute.text("absolute"), relative.text("relative")];
        let texts: Vec<String> = sizes.into_iter().flatten().collect();
        match &texts[..] {
            [] => write!(
                f,
                "no tolerance up to a hundredth of the distance makes most of the {wrong} wrong answers right"
            ),
            texts => write!(
                f,
                "tolerance under which the {wrong} wrong answers are right{sampled}: {}",
                texts.join("; or ")
            ),
        }
    }
}
