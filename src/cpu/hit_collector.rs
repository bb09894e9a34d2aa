//! What rays are cast for: the first crossing, any, their number, or all of them.

use super::{CpuTracer, Item};
use crate::crossings::Crossing;
use crate::ray::{Hit, Line};
use std::cmp::Ordering;

/// The best so far, by the number of its primitive.
#[derive(Clone, Copy)]
pub(super) struct PrimitiveCrossing {
    pub crossing: Crossing,
    pub primitive: u32,
}

/// What a ray is cast for, with what it has found.
pub(super) trait HitCollector {
    /// What a tracer answers.
    type Answer: Clone + Send;
    /// Whether a ray may be done before it has met all that it comes near.
    const ENDS_EARLY: bool;
    /// The answer to a ray that cannot be cast.
    const INVALID: Self::Answer;

    /// Nothing yet.
    fn new() -> Self;

    /// Asks what stands at a place for crossings in a closed interval, and returns up to which t there may be more of
    /// interest.
    fn meet(
        &mut self,
        tracer: &CpuTracer<'_>,
        leaf_index: usize,
        line: &Line,
        interval: [f64; 2],
    ) -> f64;

    /// The answer, once all is met.
    fn answer(self, tracer: &CpuTracer<'_>) -> Self::Answer;
}

/// The first crossing; of equal ones that of the lower primitive.
#[derive(Clone, Copy)]
pub(super) struct Closest(pub Option<PrimitiveCrossing>);

impl HitCollector for Closest {
    type Answer = Hit;
    const ENDS_EARLY: bool = false;
    const INVALID: Hit = Hit::INVALID;

    #[inline(always)]
    fn new() -> Self {
        Self(None)
    }

    #[inline(always)]
    fn meet(
        &mut self,
        tracer: &CpuTracer<'_>,
        leaf_index: usize,
        line: &Line,
        interval: [f64; 2],
    ) -> f64 {
        let found = tracer.first_crossing(leaf_index, line, interval);
        if let Some(found) = found
            && (found.crossing.t < interval[1]
                || self.0.is_none_or(|best| found.primitive < best.primitive))
        {
            self.0 = Some(found);
            return found.crossing.t;
        }
        interval[1]
    }

    fn answer(self, tracer: &CpuTracer<'_>) -> Hit {
        self.0.map_or(Hit::MISS, |PrimitiveCrossing { crossing, primitive }| {
            tracer.hit(crossing.t, primitive)
        })
    }
}

/// Whether there is a crossing.
#[derive(Clone, Copy)]
pub(super) struct Any(bool);

impl HitCollector for Any {
    type Answer = bool;
    const ENDS_EARLY: bool = true;
    const INVALID: bool = false;

    #[inline(always)]
    fn new() -> Self {
        Self(false)
    }

    #[inline(always)]
    fn meet(
        &mut self,
        tracer: &CpuTracer<'_>,
        leaf_index: usize,
        line: &Line,
        interval: [f64; 2],
    ) -> f64 {
        self.0 |= tracer.first_crossing(leaf_index, line, interval).is_some();
        if self.0 { f64::NEG_INFINITY } else { interval[1] }
    }

    fn answer(self, _: &CpuTracer<'_>) -> bool {
        self.0
    }
}

/// How many crossings there are.
#[derive(Clone, Copy)]
pub(super) struct Count(u32);

impl HitCollector for Count {
    type Answer = u32;
    const ENDS_EARLY: bool = false;
    const INVALID: u32 = 0;

    fn new() -> Self {
        Self(0)
    }

    fn meet(
        &mut self,
        tracer: &CpuTracer<'_>,
        leaf_index: usize,
        line: &Line,
        interval: [f64; 2],
    ) -> f64 {
        tracer.each_crossing(leaf_index, line, interval, |_, _| self.0 += 1);
        interval[1]
    }

    fn answer(self, _: &CpuTracer<'_>) -> u32 {
        self.0
    }
}

/// All of them, as t and primitive.
pub(super) struct All(Vec<(f64, u32)>);

impl HitCollector for All {
    /// In order.
    type Answer = Vec<Hit>;
    const ENDS_EARLY: bool = false;
    const INVALID: Vec<Hit> = Vec::new();

    fn new() -> Self {
        Self(Vec::new())
    }

    fn meet(
        &mut self,
        tracer: &CpuTracer<'_>,
        leaf_index: usize,
        line: &Line,
        interval: [f64; 2],
    ) -> f64 {
        tracer
            .each_crossing(leaf_index, line, interval, |t, primitive| self.0.push((t, primitive)));
        interval[1]
    }

    fn answer(mut self, tracer: &CpuTracer<'_>) -> Vec<Hit> {
        // No t is NaN, and the two zeros are one place.
        let in_order = |a: &(f64, u32), b: &(f64, u32)| {
            a.0.partial_cmp(&b.0).unwrap_or(Ordering::Equal).then(a.1.cmp(&b.1))
        };
        self.0.sort_unstable_by(in_order);
        self.0.into_iter().map(|(t, primitive)| tracer.hit(t, primitive)).collect()
    }
}

impl CpuTracer<'_> {
    /// A crossing as a tracer answers it.
    fn hit(&self, t: f64, primitive: u32) -> Hit {
        let [geometry_id, primitive_id] = self.scene.primitive_ids().ids(primitive);
        Hit { t: t as f32, geometry_id, primitive_id }
    }

    /// The first crossing of what stands at a place.
    #[inline(always)]
    fn first_crossing(
        &self,
        leaf_index: usize,
        line: &Line,
        [t_min, t_max]: [f64; 2],
    ) -> Option<PrimitiveCrossing> {
        let first = || self.packed.primitives_at[leaf_index];
        match &self.items[leaf_index] {
            Item::Nothing => None,
            Item::Shape(shape) | Item::MeshTriangle(shape) => {
                let crossing = shape.first_crossing(line, t_min)?;
                (crossing.t <= t_max).then_some(PrimitiveCrossing { crossing, primitive: first() })
            }
            Item::Heightfield(field) => {
                let (crossing, triangle) = field.first_crossing(line, [t_min, t_max])?;
                Some(PrimitiveCrossing { crossing, primitive: first() + triangle })
            }
        }
    }

    /// Tells every crossing of what stands at a place, and of which primitive.
    fn each_crossing(
        &self,
        leaf_index: usize,
        line: &Line,
        interval: [f64; 2],
        mut tell: impl FnMut(f64, u32),
    ) {
        let first = self.packed.primitives_at[leaf_index];
        let crossings = match &self.items[leaf_index] {
            Item::Nothing => return,
            Item::Shape(shape) => shape.crossings(line),
            Item::MeshTriangle(shape) => shape.own_crossings(line),
            Item::Heightfield(field) => {
                return field
                    .each_crossing(line, interval, |t, triangle| tell(t, first + triangle));
            }
        };
        for crossing in crossings.within(interval) {
            tell(crossing.t, first);
        }
    }
}
