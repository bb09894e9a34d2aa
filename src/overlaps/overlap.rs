//! What a search for overlaps finds.

use glam::DVec3;
use std::ops::AddAssign;

/// How two solids lie to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OverlapKind {
    /// They overlap, and neither lies in the other, or they coincide.
    Pierces,
    /// One lies in the other.
    Inside {
        /// The `geometry_id` of the one that lies in the other.
        inner: u32,
    },
    /// The surfaces meet, but no point lies surely in both, or none deeper than the tolerance.
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
    /// How deep the witness lies in both, in scene units: its distance to the nearer of both
    /// surfaces. Where no point is known that lies in both, it is minus the distance of the two
    /// points.
    pub depth: f64,
    /// A bound, proved by a plane between them, below which the gap is not; 0 where none is proved,
    /// NaN where the two have a point in common.
    pub gap_at_least: f64,
    /// A point in both, twice; or a point of each that is near the other.
    pub witness: [DVec3; 2],
    /// True if the kind is proved: by a point in both, by a plane between them, by as many checks as
    /// show that one is inside the other. Else lines showed nothing else.
    pub is_proved: bool,
}

impl Overlap {
    /// Returns how deep the witness lies in both; `None` where no point is known that does.
    pub fn common_depth(&self) -> Option<f64> {
        self.gap_at_least.is_nan().then_some(self.depth)
    }

    /// Returns the distance of the two points of the witness; `None` where it is one point.
    pub fn gap(&self) -> Option<f64> {
        (!self.gap_at_least.is_nan()).then_some(-self.depth)
    }
}

/// What a search has looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OverlapCounts {
    /// Pairs whose boxes meet, or are nearer than the clearance, and that were asked for.
    pub candidates: u64,
    /// Those that were left out because they belong together.
    pub adjacent: u64,
    /// Those between which a plane was found.
    pub apart_proved: u64,
    /// Those in which lines found nothing.
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

/// What a search has found.
#[derive(Clone, Debug, Default)]
pub struct Overlaps {
    /// Pairs in the order of their ids.
    pub pairs: Vec<Overlap>,
    /// What was looked at.
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
