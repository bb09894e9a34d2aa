//! The traits of a question that decide which faults its answers show.

use super::kind::QuestionKind;
use std::fmt;

/// A circumstance of a question. Some faults show only under one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Circumstance {
    /// Answers depend on the solids that contain a point: a point of a question about points, or
    /// the start of a ray that hits a solid there.
    Solids,
    /// Rays have masks.
    Masks,
    /// Rays are cast in several worlds.
    Worlds,
    /// An update of the scene came before.
    Update,
}

/// The kind and the circumstances of a question. A fault lists the traits under which it shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct QuestionTraits {
    // An update leaves a tracer with another scene, so these questions are the last in order.
    is_after_update: bool,
    kind: QuestionKind,
    is_solid: bool,
    has_masks: bool,
    has_worlds: bool,
}

impl QuestionTraits {
    /// Makes the traits of a question of this kind, with no other circumstances than those of the
    /// kind itself.
    pub const fn new(kind: QuestionKind) -> Self {
        let is_solid = matches!(kind, QuestionKind::Points);
        Self { is_after_update: false, kind, is_solid, has_masks: false, has_worlds: false }
    }

    /// Returns the traits of the same question under a circumstance.
    pub const fn under(self, circumstance: Circumstance) -> Self {
        match circumstance {
            Circumstance::Solids => Self { is_solid: true, ..self },
            Circumstance::Masks => Self { has_masks: true, ..self },
            Circumstance::Worlds => Self { has_worlds: true, ..self },
            Circumstance::Update => Self { is_after_update: true, ..self },
        }
    }

    /// Returns the kind of the question.
    pub fn kind(self) -> QuestionKind {
        self.kind
    }

    /// Returns true if the question is asked under a circumstance.
    pub fn is_under(self, circumstance: Circumstance) -> bool {
        match circumstance {
            Circumstance::Solids => self.is_solid,
            Circumstance::Masks => self.has_masks,
            Circumstance::Worlds => self.has_worlds,
            Circumstance::Update => self.is_after_update,
        }
    }
}

/// Writes the question's name in reports, such as `closest, solid`.
impl fmt::Display for QuestionTraits {
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
