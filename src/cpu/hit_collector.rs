//! Collects a ray's hits, in one way for each kind of query.

use super::space::Space;
use crate::crossings::Crossing;
use crate::ray::{Hit, Line, NONE};
use crate::scene::{PrimitiveRef, Scene};
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
    type Answer: Clone + Send;
    /// True if a ray may be done before it has met everything near it.
    const ENDS_EARLY: bool;
    const CERTAIN: Certain<Self>;
    const INVALID: Self::Answer;

    /// Makes a collector without hits.
    fn new() -> Self;

    /// Intersects an item in a closed interval, and returns the largest t that is still of
    /// interest.
    fn meet(&mut self, space: Space<'_>, leaf: usize, line: &Line, interval: [f64; 2]) -> f64;

    /// Returns the answer, after every item near the ray was intersected.
    fn answer(self, world: &Scene) -> Self::Answer;
}

/// A primitive that is crossed, and where it stands.
#[derive(Clone, Copy)]
pub(super) struct Crossed {
    pub crossing: Crossing,
    pub primitive: PrimitiveRef,
    /// The index of its item among the leaves of its space.
    leaf: u32,
}

/// A hit, and the index of its item among the leaves of the world; [`NONE`] for a miss and where an
/// instance is hit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct LeafHit {
    pub hit: Hit,
    pub leaf: u32,
}

impl LeafHit {
    pub const MISS: Self = Self::nowhere(Hit::MISS);
    pub const INVALID: Self = Self::nowhere(Hit::INVALID);

    pub const fn nowhere(hit: Hit) -> Self {
        Self { hit, leaf: NONE }
    }
}

impl From<LeafHit> for Hit {
    fn from(found: LeafHit) -> Self {
        found.hit
    }
}

/// The closest hit; of hits at equal t the one of the lower primitive.
#[derive(Clone, Copy)]
pub(super) struct Closest(pub Option<Crossed>);

impl HitCollector for Closest {
    type Answer = LeafHit;
    const ENDS_EARLY: bool = false;
    const CERTAIN: Certain<Self> = Certain::Bound;
    const INVALID: LeafHit = LeafHit::INVALID;

    #[inline(always)]
    fn new() -> Self {
        Self(None)
    }

    #[inline(always)]
    fn meet(&mut self, space: Space<'_>, leaf: usize, line: &Line, interval: [f64; 2]) -> f64 {
        if let Some(found) = space.leaves.first_crossing(leaf, line, interval) {
            let primitive = PrimitiveRef { instance: space.instance, primitive: found.primitive };
            if found.crossing.t < interval[1]
                || self.0.is_none_or(|best| space.scene.precedes(primitive, best.primitive))
            {
                self.0 = Some(Crossed { crossing: found.crossing, primitive, leaf: leaf as u32 });
                return found.crossing.t;
            }
        }
        interval[1]
    }

    fn answer(self, world: &Scene) -> LeafHit {
        self.0.map_or(LeafHit::MISS, |Crossed { crossing, primitive, leaf }| LeafHit {
            hit: hit(world, crossing.t, primitive),
            leaf: if primitive.instance == NONE { leaf } else { NONE },
        })
    }
}

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
    fn meet(&mut self, space: Space<'_>, leaf: usize, line: &Line, interval: [f64; 2]) -> f64 {
        self.0 |= space.leaves.first_crossing(leaf, line, interval).is_some();
        if self.0 { f64::NEG_INFINITY } else { interval[1] }
    }

    fn answer(self, _: &Scene) -> bool {
        self.0
    }
}

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

    fn meet(&mut self, space: Space<'_>, leaf: usize, line: &Line, interval: [f64; 2]) -> f64 {
        space.leaves.each_crossing(leaf, line, interval, |_, _| self.0 += 1);
        interval[1]
    }

    fn answer(self, _: &Scene) -> u32 {
        self.0
    }
}

/// All crossings, as t and primitive.
pub(super) struct All(Vec<(f64, PrimitiveRef)>);

impl HitCollector for All {
    /// The crossings in the order of t, then of primitives.
    type Answer = Vec<Hit>;
    const ENDS_EARLY: bool = false;
    const CERTAIN: Certain<Self> = Certain::Nothing;
    const INVALID: Vec<Hit> = Vec::new();

    fn new() -> Self {
        Self(Vec::new())
    }

    fn meet(&mut self, space: Space<'_>, leaf: usize, line: &Line, interval: [f64; 2]) -> f64 {
        space.leaves.each_crossing(leaf, line, interval, |t, primitive| {
            self.0.push((t, PrimitiveRef { instance: space.instance, primitive }));
        });
        interval[1]
    }

    fn answer(mut self, world: &Scene) -> Vec<Hit> {
        // No t is NaN, and the two zeros are equal.
        let in_order = |a: &(f64, PrimitiveRef), b: &(f64, PrimitiveRef)| {
            let by_t = a.0.partial_cmp(&b.0).unwrap_or(Ordering::Equal);
            by_t.then_with(|| world.order(a.1, b.1))
        };
        self.0.sort_unstable_by(in_order);
        self.0.into_iter().map(|(t, primitive)| hit(world, t, primitive)).collect()
    }
}

/// Returns a crossing as tracers answer it, with t rounded to float32.
fn hit(world: &Scene, t: f64, primitive: PrimitiveRef) -> Hit {
    let [geometry_id, primitive_id] = world.ids_of(primitive);
    Hit { t: t as f32, geometry_id, primitive_id }
}
