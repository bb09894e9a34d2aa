//! A fault: its name, what shows it, and where it acts.

use super::need::Need;
use raytwin::gpu::FaultSite;
use raytwin::query::Query;
use raytwin::question::{QuestionKind, QuestionTraits};

/// All kinds of questions, the clearest first and points last.
pub(super) const ALL: &[QuestionKind] = &QuestionKind::ALL;

pub(super) const RAYS: &[QuestionKind] = ALL.split_at(ALL.len() - 1).0;

/// A deliberate fault of the GPU engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The name by which it is chosen: words joined by hyphens.
    pub name: &'static str,
    /// A sentence that describes its effect.
    pub about: &'static str,
    /// What a scene must have, or which questions are needed, to show it.
    pub needs: &'static [Need],
    /// The kinds of questions whose answers show it, the clearest first.
    pub shown_by: &'static [QuestionKind],
    /// The place where it acts.
    pub site: FaultSite,
}

impl Fault {
    /// Makes a fault of a shader that the closest hits of rays show, for tests that need no more
    /// details.
    pub const fn in_shader(
        name: &'static str,
        file: &'static str,
        from: &'static str,
        to: &'static str,
    ) -> Self {
        let site = FaultSite::Shader { file, from, to };
        Self { name, about: "", needs: &[], shown_by: &[QuestionKind::Rays(Query::CLOSEST)], site }
    }

    /// Returns true if the answers to a question of these traits show it, in a scene that has what
    /// it needs.
    pub fn shows_in(&self, traits: QuestionTraits) -> bool {
        let is_asked = |need: &Need| match need {
            Need::Circumstance(circumstance) => traits.is_under(*circumstance),
            _ => true,
        };
        self.shown_by.contains(&traits.kind()) && self.needs.iter().all(is_asked)
    }

    /// Iterates over the traits of questions that show it, with no more circumstances than it
    /// needs.
    pub fn traits(&self) -> impl Iterator<Item = QuestionTraits> {
        self.shown_by.iter().map(|kind| {
            self.needs.iter().fold(QuestionTraits::new(*kind), |traits, need| match need {
                Need::Circumstance(circumstance) => traits.under(*circumstance),
                _ => traits,
            })
        })
    }
}
