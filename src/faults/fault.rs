//! The type of a fault: its name, what shows it, and where it acts.

use super::need::Need;
use crate::bvh::Layout;
use crate::query::Query;
use crate::question::{QuestionKind, QuestionTraits};

/// All kinds of questions, the clearest first and points last.
pub(super) const ALL: &[QuestionKind] = &QuestionKind::ALL;

/// The kinds of questions about rays.
pub(super) const RAYS: &[QuestionKind] = ALL.split_at(ALL.len() - 1).0;

/// A deliberate fault of the GPU engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The name by which it is chosen: words joined by hyphens.
    pub name: &'static str,
    /// A sentence that says what it does.
    pub about: &'static str,
    /// What a scene must have or what must be asked for it to show, besides a tree of its
    /// [layout](Self::layout).
    pub needs: &'static [Need],
    /// The kinds of questions whose answers show it, the clearest first.
    pub shown_by: &'static [QuestionKind],
    /// The place where it acts.
    pub site: FaultSite,
}

/// The place where a fault acts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FaultSite {
    /// A piece of a shader's text is replaced by a wrong one.
    Shader {
        /// The file in `shaders/`.
        file: &'static str,
        /// The text that is replaced, which occurs once in the file.
        from: &'static str,
        /// The wrong text.
        to: &'static str,
    },
    /// The records that are packed for the device are spoilt.
    Records(RecordFault),
    /// The host spoils its dispatches or its buffers.
    Host(HostFault),
}

/// A fault of the records that are packed for the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RecordFault {
    /// The first three numbers of each shape are rounded to float16.
    RoundedToHalf,
    /// Two of every sixteen records of shapes are swapped.
    Swapped,
    /// The transform of every sixteenth instance is transposed.
    InstanceTransposed,
}

/// A fault of the host's dispatches and buffers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum HostFault {
    /// One workgroup fewer is dispatched than the batch takes.
    LastWorkgroupDropped,
    /// A chunk's rays are not uploaded if its buffers have served another chunk, whose rays stay in
    /// them.
    StaleRays,
    /// An update does not upload the records of what moved.
    MovedRecordsKept,
}

impl Fault {
    /// Makes a fault of a shader that rays show by their closest hits, where a test has no more to
    /// say of it.
    pub const fn in_shader(
        name: &'static str,
        file: &'static str,
        from: &'static str,
        to: &'static str,
    ) -> Self {
        let site = FaultSite::Shader { file, from, to };
        Self { name, about: "", needs: &[], shown_by: &[QuestionKind::Rays(Query::CLOSEST)], site }
    }

    /// Returns the file in `shaders/` that it changes; `None` for a fault of the records or of the
    /// host.
    pub fn shader_file(&self) -> Option<&'static str> {
        match self.site {
            FaultSite::Shader { file, .. } => Some(file),
            FaultSite::Records(_) | FaultSite::Host(_) => None,
        }
    }

    /// Returns the layout of the trees whose traversal it spoils; `None` for a fault in code that
    /// both layouts share.
    pub fn layout(&self) -> Option<Layout> {
        match self.shader_file() {
            Some("trace/binary.wgsl" | "nearest/binary.wgsl") => Some(Layout::Binary),
            Some("trace/wide.wgsl" | "nearest/wide.wgsl") => Some(Layout::Wide),
            _ => None,
        }
    }

    /// Iterates over all that a scene must have for it to show.
    pub fn all_needs(&self) -> impl Iterator<Item = Need> {
        self.needs.iter().copied().chain(self.layout().map(Need::Tree))
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

    /// Returns how it spoils records, if it does.
    pub(crate) fn of_records(&self) -> Option<RecordFault> {
        match self.site {
            FaultSite::Records(fault) => Some(fault),
            FaultSite::Shader { .. } | FaultSite::Host(_) => None,
        }
    }

    /// Returns how it spoils dispatches or buffers, if it does.
    pub(crate) fn of_host(&self) -> Option<HostFault> {
        match self.site {
            FaultSite::Host(fault) => Some(fault),
            FaultSite::Shader { .. } | FaultSite::Records(_) => None,
        }
    }
}

impl HostFault {
    /// Returns how many rays a chunk may have so that the fault shows in a small batch.
    pub(crate) fn chunk(self) -> Option<usize> {
        match self {
            // Of several workgroups of the kernels for hardware, those that are left answer the
            // rays of the last one.
            Self::LastWorkgroupDropped => Some(64),
            Self::StaleRays => Some(256),
            Self::MovedRecordsKept => None,
        }
    }
}
