//! One ray, or a few that go the same way, through the tree.

use super::CpuTracer;
use super::ball::Sight;
use super::quest::Quest;
use crate::batch::Choice;
use crate::bvh::{ABREAST, Caller, Lanes, PACKET, Stack, Start};
use crate::ray::{Line, Ray};
use arrayvec::ArrayVec;

/// A ray on its way, and what it has met.
pub(super) struct Cast<Q> {
    line: Line,
    sight: Sight,
    choice: Choice,
    t_min: f64,
    /// Up to which there may be more of interest.
    t_max: f64,
    quest: Q,
}

impl<Q: Quest> Cast<Q> {
    /// Asks what has no box, as planes have none.
    #[inline(always)]
    fn begin(tracer: &CpuTracer<'_>, ray: &Ray, choice: Choice) -> Self {
        let mut cast = Self {
            line: ray.line(),
            sight: Sight::of(ray),
            choice,
            t_min: ray.t_min.into(),
            t_max: ray.t_max.into(),
            quest: Q::new(),
        };
        for place in 0..tracer.packed.unbounded {
            cast.meet(tracer, place);
        }
        cast
    }

    /// Asks what stands at a place of the tree's order; returns up to which t there may be more.
    #[inline(always)]
    fn visit(&mut self, tracer: &CpuTracer<'_>, place: u32) -> f64 {
        let place = tracer.packed.unbounded + place as usize;
        if !tracer.balls[place].is_missed(&self.sight) {
            self.meet(tracer, place);
        }
        self.t_max
    }

    /// Asks what stands at a place of all, those that have no box first.
    fn meet(&mut self, tracer: &CpuTracer<'_>, place: usize) {
        if tracer.may_meet(place, &self.choice) {
            self.t_max = self.quest.meet(tracer, place, &self.line, [self.t_min, self.t_max]);
        }
    }
}

impl CpuTracer<'_> {
    /// What rays find that are walked together.
    #[inline(always)]
    pub(super) fn cast_together<Q: Quest>(
        &self,
        lanes: impl Lanes,
        rays: &[Ray; PACKET],
        choice: impl Fn(usize) -> Choice,
        stack: &mut Stack,
    ) -> impl Iterator<Item = Q> {
        // By loops, for what an array's map calls is not compiled for the wide instructions.
        let mut casts = ArrayVec::<Cast<Q>, PACKET>::new();
        let mut t_max = [0.0; PACKET];
        for lane in 0..PACKET {
            let cast = Cast::begin(self, &rays[lane], choice(lane));
            t_max[lane] = cast.t_max;
            casts.push(cast);
        }
        let visit = |place, lane: usize| casts[lane].visit(self, place);
        self.packed.tree.walk_together(lanes, rays, &t_max, stack, visit);
        casts.into_iter().map(|cast| cast.quest)
    }
}

/// Rays that are cast some at a time.
pub(super) struct Casts<'a, Q, R, D> {
    tracer: &'a CpuTracer<'a>,
    /// Valid ones, each with its place in the batch.
    rays: R,
    lanes: [Option<(usize, Cast<Q>)>; ABREAST],
    /// Is told what each has found.
    done: D,
}

impl<'a, Q, R, D> Casts<'a, Q, R, D> {
    pub fn new(tracer: &'a CpuTracer<'a>, rays: R, done: D) -> Self {
        Self { tracer, rays, lanes: [const { None }; ABREAST], done }
    }
}

impl<Q, R, D> Caller for Casts<'_, Q, R, D>
where
    Q: Quest,
    R: Iterator<Item = (usize, Ray, Choice)>,
    D: FnMut(usize, Q),
{
    const ENDS_EARLY: bool = Q::ENDS_EARLY;

    #[inline(always)]
    fn next(&mut self, lane: usize) -> Option<Start> {
        if let Some((place, cast)) = self.lanes[lane].take() {
            (self.done)(place, cast.quest);
        }
        loop {
            let (place, ray, choice) = self.rays.next()?;
            let cast = Cast::begin(self.tracer, &ray, choice);
            if let Some(start) = self.tracer.packed.tree.start(&ray, cast.t_max, 0.0) {
                self.lanes[lane] = Some((place, cast));
                return Some(start);
            }
            (self.done)(place, cast.quest);
        }
    }

    #[inline(always)]
    fn visit(&mut self, lane: usize, place: u32) -> f64 {
        match &mut self.lanes[lane] {
            Some((_, cast)) => cast.visit(self.tracer, place),
            // No lane is walked without a ray.
            None => f64::NEG_INFINITY,
        }
    }
}
