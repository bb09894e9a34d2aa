//! Collects a ray's hits, in one way for each kind of query.

use super::leaves::{Leaves, PrimitiveCrossing};
use crate::ray::{Hit, Line};
use std::cmp::Ordering;

/// The use of a crossing that certainly exists, though its t is only bounded.
pub(super) enum Certain<C> {
    /// It is of no use: each crossing is wanted with its t.
    Nothing,
    /// It bounds the t of the hit.
    Bound,
    /// It decides the answer.
    Answer(fn() -> C),
}

/// Collects the hits of one ray.
pub(super) trait HitCollector: Sized {
    /// The answer of a tracer.
    type Answer: Clone + Send;
    /// True if a ray may be done before it has met everything near it.
    const ENDS_EARLY: bool;
    const CERTAIN: Certain<Self>;
    /// The answer to an invalid ray.
    const INVALID: Self::Answer;

    /// Makes a collector without hits.
    fn new() -> Self;

    /// Intersects an item in a closed interval, and returns the largest t that is still of interest.
    fn meet(&mut self, leaves: &Leaves, leaf: usize, line: &Line, interval: [f64; 2]) -> f64;

    /// Returns the answer, after every item near the ray was intersected.
    fn answer(self, leaves: &Leaves) -> Self::Answer;
}

/// The closest hit; of hits at equal t the one of the lower primitive.
#[derive(Clone, Copy)]
pub(super) struct Closest(pub Option<PrimitiveCrossing>);

impl HitCollector for Closest {
    type Answer = Hit;
    const ENDS_EARLY: bool = false;
    const CERTAIN: Certain<Self> = Certain::Bound;
    const INVALID: Hit = Hit::INVALID;

    #[inline(always)]
    fn new() -> Self {
        Self(None)
    }

    #[inline(always)]
    fn meet(&mut self, leaves: &Leaves, leaf: usize, line: &Line, interval: [f64; 2]) -> f64 {
        let found = leaves.first_crossing(leaf, line, interval);
        if let Some(found) = found
            && (found.crossing.t < interval[1]
                || self.0.is_none_or(|best| found.primitive < best.primitive))
        {
            self.0 = Some(found);
            return found.crossing.t;
        }
        interval[1]
    }

    fn answer(self, leaves: &Leaves) -> Hit {
        self.0.map_or(Hit::MISS, |PrimitiveCrossing { crossing, primitive }| {
            leaves.hit(crossing.t, primitive)
        })
    }
}

/// Any hit.
#[derive(Clone, Copy)]
pub(super) struct Any(bool);

impl HitCollector for Any {
    type Answer = bool;
    const ENDS_EARLY: bool = true;
    const CERTAIN: Certain<Self> = Certain::Answer(|| Self(true));
    const INVALID: bool = false;

    #[inline(always)]
    fn new() -> Self {
        Self(false)
    }

    #[inline(always)]
    fn meet(&mut self, leaves: &Leaves, leaf: usize, line: &Line, interval: [f64; 2]) -> f64 {
        self.0 |= leaves.first_crossing(leaf, line, interval).is_some();
        if self.0 { f64::NEG_INFINITY } else { interval[1] }
    }

    fn answer(self, _: &Leaves) -> bool {
        self.0
    }
}

/// The number of crossings.
#[derive(Clone, Copy)]
pub(super) struct Count(u32);

impl HitCollector for Count {
    type Answer = u32;
    const ENDS_EARLY: bool = false;
    const CERTAIN: Certain<Self> = Certain::Nothing;
    const INVALID: u32 = 0;

    fn new() -> Self {
        Self(0)
    }

    fn meet(&mut self, leaves: &Leaves, leaf: usize, line: &Line, interval: [f64; 2]) -> f64 {
        leaves.each_crossing(leaf, line, interval, |_, _| self.0 += 1);
        interval[1]
    }

    fn answer(self, _: &Leaves) -> u32 {
        self.0
    }
}

/// All crossings, as t and primitive.
pub(super) struct All(Vec<(f64, u32)>);

impl HitCollector for All {
    /// The crossings in the order of t, then of primitives.
    type Answer = Vec<Hit>;
    const ENDS_EARLY: bool = false;
    const CERTAIN: Certain<Self> = Certain::Nothing;
    const INVALID: Vec<Hit> = Vec::new();

    fn new() -> Self {
        Self(Vec::new())
    }

    fn meet(&mut self, leaves: &Leaves, leaf: usize, line: &Line, interval: [f64; 2]) -> f64 {
        leaves.each_crossing(leaf, line, interval, |t, primitive| self.0.push((t, primitive)));
        interval[1]
    }

    fn answer(mut self, leaves: &Leaves) -> Vec<Hit> {
        // No t is NaN, and the two zeros are equal.
        let in_order = |a: &(f64, u32), b: &(f64, u32)| {
            a.0.partial_cmp(&b.0).unwrap_or(Ordering::Equal).then(a.1.cmp(&b.1))
        };
        self.0.sort_unstable_by(in_order);
        self.0.into_iter().map(|(t, primitive)| leaves.hit(t, primitive)).collect()
    }
}
