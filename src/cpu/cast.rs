//! One ray, or a few that go the same way, through the tree.

use super::ball::Sight;
use super::{CpuTracer, Item};
use crate::bvh::{ABREAST, Caller, Lanes, PACKET, Stack, Start};
use crate::crossings::Crossing;
use crate::ray::{Line, Ray};
use glam::DVec3;

/// The best so far, by the number of its part.
#[derive(Clone, Copy)]
pub(super) struct Best {
    pub crossing: Crossing,
    pub part: u32,
}

/// A ray on its way, and what it has met.
#[derive(Clone, Copy)]
pub(super) struct Cast {
    line: Line,
    sight: Sight,
    t_min: f64,
    /// The best's t, or t_max.
    nearest: f64,
    best: Option<Best>,
}

impl Cast {
    /// Of no ray.
    pub const NONE: Self = Self {
        line: Line { origin: DVec3::ZERO, direction: DVec3::ZERO },
        sight: Sight::NONE,
        t_min: 0.0,
        nearest: 0.0,
        best: None,
    };

    /// Asks what has no box, as planes have none.
    #[inline(always)]
    fn begin(tracer: &CpuTracer<'_>, ray: &Ray) -> Self {
        let mut cast = Self {
            line: ray.line(),
            sight: Sight::of(ray),
            t_min: ray.t_min.into(),
            nearest: ray.t_max.into(),
            best: None,
        };
        for place in 0..tracer.packed.unbounded {
            cast.meet(tracer, place);
        }
        cast
    }

    /// Asks what stands at a place of the tree's order; returns the best's t.
    #[inline(always)]
    fn visit(&mut self, tracer: &CpuTracer<'_>, place: u32) -> f64 {
        let place = tracer.packed.unbounded + place as usize;
        if !tracer.balls[place].is_missed(&self.sight) {
            self.meet(tracer, place);
        }
        self.nearest
    }

    /// Asks what stands at a place of all, those that have no box first.
    fn meet(&mut self, tracer: &CpuTracer<'_>, place: usize) {
        let found = tracer.meet(place, &self.line, [self.t_min, self.nearest]);
        // Of two at the same place the one with the lower number.
        if let Some(found) = found
            && (found.crossing.t < self.nearest
                || self.best.is_none_or(|best| found.part < best.part))
        {
            self.nearest = found.crossing.t;
            self.best = Some(found);
        }
    }
}

impl CpuTracer<'_> {
    /// What rays meet first that are walked together.
    #[inline(always)]
    pub(super) fn cast_together(
        &self,
        lanes: impl Lanes,
        rays: &[Ray; PACKET],
        stack: &mut Stack,
    ) -> [Option<Best>; PACKET] {
        // By loops, for what an array's map calls is not compiled for the wide instructions.
        let mut casts = [Cast::NONE; PACKET];
        let mut t_max = [0.0; PACKET];
        for lane in 0..PACKET {
            casts[lane] = Cast::begin(self, &rays[lane]);
            t_max[lane] = casts[lane].nearest;
        }
        let visit = |place, lane: usize| casts[lane].visit(self, place);
        self.packed.tree.walk_together(lanes, rays, &t_max, stack, visit);
        casts.map(|cast| cast.best)
    }

    /// What the shape at a place answers.
    #[inline(always)]
    fn meet(&self, place: usize, line: &Line, [t_min, t_max]: [f64; 2]) -> Option<Best> {
        let first = || self.packed.parts_at[place];
        match &self.items[place] {
            Item::Nothing => None,
            Item::Shape(shape) => {
                let crossing = shape.first_crossing(line, t_min)?;
                (crossing.t <= t_max).then_some(Best { crossing, part: first() })
            }
            Item::Heightfield(field) => {
                let (crossing, triangle) = field.first_crossing(line, [t_min, t_max])?;
                Some(Best { crossing, part: first() + triangle })
            }
        }
    }
}

/// Rays that are cast some at a time.
pub(super) struct Casts<'a, R, D> {
    tracer: &'a CpuTracer<'a>,
    /// Valid ones, each with its place in the batch.
    rays: R,
    lanes: [Option<(usize, Cast)>; ABREAST],
    /// Is told what each has met first.
    done: D,
}

impl<'a, R, D> Casts<'a, R, D> {
    pub fn new(tracer: &'a CpuTracer<'a>, rays: R, done: D) -> Self {
        Self { tracer, rays, lanes: [None; ABREAST], done }
    }
}

impl<R: Iterator<Item = (usize, Ray)>, D: FnMut(usize, Option<Best>)> Caller for Casts<'_, R, D> {
    #[inline(always)]
    fn next(&mut self, lane: usize) -> Option<Start> {
        if let Some((place, cast)) = self.lanes[lane].take() {
            (self.done)(place, cast.best);
        }
        loop {
            let (place, ray) = self.rays.next()?;
            let cast = Cast::begin(self.tracer, &ray);
            if let Some(start) = self.tracer.packed.tree.start(&ray, cast.nearest, 0.0) {
                self.lanes[lane] = Some((place, cast));
                return Some(start);
            }
            (self.done)(place, cast.best);
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
