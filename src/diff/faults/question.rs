//! What is asked, as far as it decides which faults show: the one description that the table of faults, the self-test and
//! every comparison share.

use crate::diff::Trial;
use crate::query::Query;
use std::fmt;

/// A kind of question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum QuestionKind {
    /// The rays of a camera and their closest hits.
    Image,
    /// Closest hits.
    Closest,
    /// Any hits.
    Any,
    /// The number of crossings.
    Count,
    /// All crossings.
    All,
    /// The nearest surface to points, and the solids that contain them.
    Points,
}

/// A circumstance of a question, without which some faults do not show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Circumstance {
    /// Answers depend on which solids contain a point: that of a question about points, or the start of a ray that hits
    /// a solid there.
    Solids,
    /// Rays have masks.
    Masks,
    /// Rays are cast in several worlds.
    Worlds,
    /// An update came before.
    Update,
}

/// What is asked: its kind, and its circumstances.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Question {
    // An update leaves a tracer with another scene, so these questions are the last in order.
    is_after_update: bool,
    kind: QuestionKind,
    is_solid: bool,
    has_masks: bool,
    has_worlds: bool,
}

impl QuestionKind {
    /// All kinds.
    pub const ALL: [Self; 6] =
        [Self::Image, Self::Closest, Self::Any, Self::Count, Self::All, Self::Points];

    /// Returns its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Image => "image",
            Self::Closest => "closest",
            Self::Any => "any",
            Self::Count => "count",
            Self::All => "all",
            Self::Points => "points",
        }
    }
}

impl Question {
    /// Makes a question of this kind without circumstances.
    pub const fn new(kind: QuestionKind) -> Self {
        let is_solid = matches!(kind, QuestionKind::Points);
        Self { is_after_update: false, kind, is_solid, has_masks: false, has_worlds: false }
    }

    /// Makes the question of a trial.
    pub fn of(trial: &Trial) -> Self {
        let kind = match trial.query {
            Query::Closest { .. } => QuestionKind::Closest,
            Query::Any => QuestionKind::Any,
            Query::Count => QuestionKind::Count,
            Query::All => QuestionKind::All,
        };
        Self {
            is_solid: trial.is_solid,
            has_masks: trial.rays.masks.is_some(),
            has_worlds: trial.rays.worlds.is_some(),
            ..Self::new(kind)
        }
    }

    /// Returns the same question under a circumstance.
    pub const fn under(self, circumstance: Circumstance) -> Self {
        match circumstance {
            Circumstance::Solids => Self { is_solid: true, ..self },
            Circumstance::Masks => Self { has_masks: true, ..self },
            Circumstance::Worlds => Self { has_worlds: true, ..self },
            Circumstance::Update => Self { is_after_update: true, ..self },
        }
    }

    /// Returns its kind.
    pub fn kind(self) -> QuestionKind {
        self.kind
    }

    /// Returns true if it is asked under a circumstance.
    pub fn is_under(self, circumstance: Circumstance) -> bool {
        match circumstance {
            Circumstance::Solids => self.is_solid,
            Circumstance::Masks => self.has_masks,
            Circumstance::Worlds => self.has_worlds,
            Circumstance::Update => self.is_after_update,
        }
    }
}

/// Writes its name in reports, such as `closest, solid`.
impl fmt::Display for Question {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kind.name())?;
        let is_solid = self.is_solid && self.kind != QuestionKind::Points;
        let circumstances = [
            (is_solid, ", solid"),
            (self.has_masks, ", masks"),
            (self.has_worlds, ", worlds"),
            (self.is_after_update, ", after an update"),
        ];
        circumstances
            .iter()
            .filter(|(is_there, _)| *is_there)
            .try_for_each(|(_, name)| f.write_str(name))
    }
}
