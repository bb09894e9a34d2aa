//! Batches of rays on all cores, by the widest instructions that the processor has.

use super::CpuTracer;
use super::cast::Casts;
use super::quest::Quest;
use super::ways::in_order_of_ways;
use crate::batch::{Batch, Choice};
use crate::bvh::{Lanes, PACKET, Portable, Stack};
use crate::ray::Ray;
use rayon::prelude::*;
#[cfg(target_arch = "x86_64")]
use std::marker::PhantomData;
use std::ops::Range;

/// The rays that a thread casts one after another.
const RUN: usize = 1024;

/// Rays are sorted at a tree of more bytes than this, which a processor's nearest memory does not hold.
const LARGE: usize = 1 << 20;

/// So many rays are sorted at a time, by one thread. More would follow each other more closely, and lie where they are
/// slow to fetch.
const BLOCK: Range<usize> = 1 << 13..1 << 19;

/// Rays that follow one another.
struct Run {
    rays: Vec<Ray>,
    /// One for each ray; none where all may meet everything.
    choices: Vec<Choice>,
}

impl Run {
    fn choice(&self, ray: usize) -> Choice {
        self.choices.get(ray).copied().unwrap_or(Choice::ALL)
    }
}

impl CpuTracer<'_> {
    /// Casts a batch of rays, in an order in which those that go the same way follow each other where that pays.
    pub(super) fn cast_batch<Q: Quest>(&self, batch: Batch<'_>) -> Vec<Q::Answer> {
        let is_large = self.packed.tree.node_bytes() > LARGE;
        if !is_large || batch.len() < BLOCK.start {
            let run = |places: Range<usize>| self.run_of(&batch, places);
            return self.cast_runs::<Q>(0..batch.len(), run);
        }
        let mut answers = vec![Q::INVALID; batch.len()];
        // Some for each thread, so that none waits for another for long.
        let block = batch.len() / (4 * rayon::current_num_threads());
        let block = block.clamp(BLOCK.start, BLOCK.end);
        answers.par_chunks_mut(block).enumerate().for_each(|(turn, answers)| {
            let first = turn * block;
            self.cast_sorted::<Q>(batch.part(first..first + answers.len()), answers);
        });
        answers
    }

    fn cast_sorted<Q: Quest>(&self, batch: Batch<'_>, answers: &mut [Q::Answer]) {
        let order = in_order_of_ways(batch.rays(), self.packed.tree.size);
        for places in order.chunks(RUN) {
            // All at first: where they lie scattered in memory, a processor fetches many of them at once.
            let run = self.run_of(&batch, places.iter().map(|&place| place as usize));
            for (&place, answer) in places.iter().zip(self.cast_run::<Q>(&run)) {
                answers[place as usize] = answer;
            }
        }
    }

    /// Some rays of a batch.
    fn run_of(&self, batch: &Batch<'_>, places: impl Iterator<Item = usize> + Clone) -> Run {
        let choice = |ray| Choice::of(batch, ray, self.scene.parts());
        let choices = batch.is_choosy().then(|| places.clone().map(choice).collect());
        let rays = places.map(|place| batch.rays()[place]).collect();
        Run { rays, choices: choices.unwrap_or_default() }
    }

    /// Casts rays that may meet everything, in the order of their places.
    pub(super) fn cast_all<Q: Quest>(
        &self,
        places: Range<usize>,
        ray: impl Fn(usize) -> Ray + Sync,
    ) -> Vec<Q::Answer> {
        let run = |places: Range<usize>| {
            let rays = places.map(&ray).collect();
            Run { rays, choices: Vec::new() }
        };
        self.cast_runs::<Q>(places, run)
    }

    fn cast_runs<Q: Quest>(
        &self,
        places: Range<usize>,
        run: impl Fn(Range<usize>) -> Run + Sync,
    ) -> Vec<Q::Answer> {
        let cast = |start: usize| self.cast_run::<Q>(&run(start..places.end.min(start + RUN)));
        places.clone().into_par_iter().step_by(RUN).flat_map_iter(cast).collect()
    }

    fn cast_run<Q: Quest>(&self, run: &Run) -> Vec<Q::Answer> {
        #[cfg(target_arch = "x86_64")]
        if let Some(lanes) = self.wide {
            return lanes.vectorize(Wide::<Q, _> { tracer: self, lanes, run, quest: PhantomData });
        }
        self.cast_run_by::<Q>(Portable, run)
    }

    /// Rays that go the same way are walked together, the others one beside another.
    #[inline(always)]
    fn cast_run_by<Q: Quest>(&self, lanes: impl Lanes, run: &Run) -> Vec<Q::Answer> {
        let rays = &run.rays;
        let mut stack = Stack::default();
        let mut answers = vec![Q::INVALID; rays.len()];
        let mut alike = 0;
        for packet in rays.as_chunks::<PACKET>().0 {
            if !packet.iter().all(Ray::is_valid) || !self.packed.tree.suits(packet) {
                break;
            }
            let choice = |lane| run.choice(alike + lane);
            let found = self.cast_together::<Q>(lanes, packet, choice, &mut stack);
            for (answer, quest) in answers[alike..].iter_mut().zip(found) {
                *answer = quest.answer(self);
            }
            alike += PACKET;
        }
        let others = (alike..rays.len()).filter(|&place| rays[place].is_valid());
        let others = others.map(|place| (place, rays[place], run.choice(place)));
        let done = |place: usize, quest: Q| answers[place] = quest.answer(self);
        self.packed.tree.walk(lanes, &mut stack, &mut Casts::new(self, others, done));
        answers
    }
}

/// What is compiled for the wide instructions. Not a closure, which a compiler may leave to itself.
#[cfg(target_arch = "x86_64")]
struct Wide<'a, Q, L> {
    tracer: &'a CpuTracer<'a>,
    lanes: L,
    run: &'a Run,
    quest: PhantomData<Q>,
}

#[cfg(target_arch = "x86_64")]
impl<Q: Quest, L: Lanes> pulp::NullaryFnOnce for Wide<'_, Q, L> {
    type Output = Vec<Q::Answer>;

    #[inline(always)]
    fn call(self) -> Self::Output {
        self.tracer.cast_run_by::<Q>(self.lanes, self.run)
    }
}
