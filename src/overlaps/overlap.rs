//! The results of a search for overlaps.

use glam::DVec3;
use std::ops::AddAssign;

/// The relation of two solids.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OverlapKind {
    /// They overlap and neither is inside the other, or they coincide.
    Pierces,
    /// One is inside the other.
    Inside {
        /// The `geometry_id` of the inner one.
        inner: u32,
    },
    /// The surfaces meet, but no point is certainly in both, or none is deeper than the tolerance.
    Touching,
    /// They are apart, and nearer than the clearance.
    Near,
}

impl OverlapKind {
    /// Returns its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pierces => "pierces",
            Self::Inside { .. } => "inside",
            Self::Touching => "touching",
            Self::Near => "near",
        }
    }
}

/// Two solids that overlap, touch or are near each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Overlap {
    /// Their ids, the lower one first.
    pub geometry_ids: [u32; 2],
    /// How they lie to each other.
    pub kind: OverlapKind,
    /// The depth of the witness in both, in scene units: its distance to the nearer of both
    /// surfaces. If no point in both is known, it is minus the distance of the two points of the
    /// witness.
    pub depth: f64,
    /// A lower bound on the gap, proved with a plane between them; 0 if none is proved, NaN if the
    /// two have a point in common.
    pub gap_at_least: f64,
    /// A point in both, twice, or a point of each near the other.
    pub witness: [DVec3; 2],
    /// True if the kind is proved: with a point in both, with a plane between them, or with checks
    /// that show one inside the other. If it is false, lines found no counterexample.
    pub is_proved: bool,
}

impl Overlap {
    /// Returns the depth of the witness in both; `None` if no point in both is known.
    pub fn common_depth(&self) -> Option<f64> {
        self.gap_at_least.is_nan().then_some(self.depth)
    }

    /// Returns the distance of the two points of the witness; `None` if it is one point.
    pub fn gap(&self) -> Option<f64> {
        (!self.gap_at_least.is_nan()).then_some(-self.depth)
    }
}

/// The numbers of pairs that a search examined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OverlapCounts {
    /// Pairs that the options include, whose boxes meet or are nearer than the clearance.
    pub candidates: u64,
    /// Pairs that were left out because they belong together.
    pub adjacent: u64,
    /// Pairs between which a plane was found.
    pub apart_proved: u64,
    /// Pairs in which lines found no overlap.
    pub apart_by_lines: u64,
}

impl AddAssign for OverlapCounts {
    fn add_assign(&mut self, other: Self) {
        self.candidates += other.candidates;
        self.adjacent += other.adjacent;
        self.apart_proved += other.apart_proved;
        self.apart_by_lines += other.apart_by_lines;
    }
}

/// The overlaps that a search found.
#[derive(Clone, Debug, Default)]
pub struct Overlaps {
    /// Pairs in the order of their ids.
    pub pairs: Vec<Overlap>,
    /// The numbers of examined pairs.
    pub counts: OverlapCounts,
    /// The largest distance between neighbouring lines, in scene units; 0 if none were cast.
    pub spacing: f64,
}

impl AddAssign for Overlaps {
    fn add_assign(&mut self, other: Self) {
        self.pairs.extend(other.pairs);
        self.counts += other.counts;
        self.spacing = self.spacing.max(other.spacing);
    }
}
