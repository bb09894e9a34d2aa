//! Batches of rays on all cores, by the widest instructions that the processor has.

use super::CpuTracer;
use super::cast::Casts;
use super::hit_collector::HitCollector;
use super::ray_sort::morton_order;
use crate::batch::{Batch, RayFilter};
use crate::bvh::{BoxTester, PACKET, Portable, Stack};
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
    filters: Vec<RayFilter>,
}

impl Run {
    fn filter(&self, ray: usize) -> RayFilter {
        self.filters.get(ray).copied().unwrap_or(RayFilter::ALL)
    }
}

impl CpuTracer<'_> {
    /// Casts a batch of rays, in an order in which those that go the same way follow each other where that pays.
    pub(super) fn cast_batch<Q: HitCollector>(&self, batch: Batch<'_>) -> Vec<Q::Answer> {
        let is_large = self.packed.tree.node_bytes() > LARGE;
        if !is_large || batch.len() < BLOCK.start {
            let run = |indices: Range<usize>| self.run_of(&batch, indices);
            return self.cast_runs::<Q>(0..batch.len(), run);
        }
        let mut answers = vec![Q::INVALID; batch.len()];
        // Some for each thread, so that none waits for another for long.
        let block = batch.len() / (4 * rayon::current_num_threads());
        let block = block.clamp(BLOCK.start, BLOCK.end);
        answers.par_chunks_mut(block).enumerate().for_each(|(turn, answers)| {
            let first = turn * block;
            self.cast_sorted::<Q>(batch.slice(first..first + answers.len()), answers);
        });
        answers
    }

    fn cast_sorted<Q: HitCollector>(&self, batch: Batch<'_>, answers: &mut [Q::Answer]) {
        let order = morton_order(batch.rays(), self.packed.tree.size);
        for indices in order.chunks(RUN) {
            // All at first: where they lie scattered in memory, a processor fetches many of them at once.
            let run = self.run_of(&batch, indices.iter().map(|&index| index as usize));
            for (&index, answer) in indices.iter().zip(self.cast_run::<Q>(&run)) {
                answers[index as usize] = answer;
            }
        }
    }

    /// Some rays of a batch.
    fn run_of(&self, batch: &Batch<'_>, indices: impl Iterator<Item = usize> + Clone) -> Run {
        let filter = |ray| RayFilter::of(batch, ray, self.scene.primitive_ids());
        let filters = batch.is_filtered().then(|| indices.clone().map(filter).collect());
        let rays = indices.map(|index| batch.rays()[index]).collect();
        Run { rays, filters: filters.unwrap_or_default() }
    }

    /// Casts rays that may meet everything, in the order of their places.
    pub(super) fn cast_all<Q: HitCollector>(
        &self,
        indices: Range<usize>,
        ray: impl Fn(usize) -> Ray + Sync,
    ) -> Vec<Q::Answer> {
        let run = |indices: Range<usize>| {
            let rays = indices.map(&ray).collect();
            Run { rays, filters: Vec::new() }
        };
        self.cast_runs::<Q>(indices, run)
    }

    fn cast_runs<Q: HitCollector>(
        &self,
        indices: Range<usize>,
        run: impl Fn(Range<usize>) -> Run + Sync,
    ) -> Vec<Q::Answer> {
        let cast = |start: usize| self.cast_run::<Q>(&run(start..indices.end.min(start + RUN)));
        indices.clone().into_par_iter().step_by(RUN).flat_map_iter(cast).collect()
    }

    fn cast_run<Q: HitCollector>(&self, run: &Run) -> Vec<Q::Answer> {
        #[cfg(target_arch = "x86_64")]
        if let Some(lanes) = self.wide {
            return lanes.vectorize(VectorizedRun::<Q, _> {
                tracer: self,
                lanes,
                run,
                collector: PhantomData,
            });
        }
        self.cast_run_by::<Q>(Portable, run)
    }

    /// Rays that go the same way are walked together, the others one beside another.
    #[inline(always)]
    fn cast_run_by<Q: HitCollector>(&self, lanes: impl BoxTester, run: &Run) -> Vec<Q::Answer> {
        let rays = &run.rays;
        let mut stack = Stack::default();
        let mut answers = vec![Q::INVALID; rays.len()];
        let mut alike = 0;
        for packet in rays.as_chunks::<PACKET>().0 {
            if !packet.iter().all(Ray::is_valid) || !self.packed.tree.suits(packet) {
                break;
            }
            let filter = |lane| run.filter(alike + lane);
            let found = self.cast_together::<Q>(lanes, packet, filter, &mut stack);
            for (answer, collector) in answers[alike..].iter_mut().zip(found) {
                *answer = collector.answer(self);
            }
            alike += PACKET;
        }
        let others = (alike..rays.len()).filter(|&index| rays[index].is_valid());
        let others = others.map(|index| (index, rays[index], run.filter(index)));
        let done = |index: usize, collector: Q| answers[index] = collector.answer(self);
        self.packed.tree.walk(lanes, &mut stack, &mut Casts::new(self, others, done));
        answers
    }
}

/// What is compiled for the wide instructions. Not a closure, which a compiler may leave to itself.
#[cfg(target_arch = "x86_64")]
struct VectorizedRun<'a, Q, L> {
    tracer: &'a CpuTracer<'a>,
    lanes: L,
    run: &'a Run,
    collector: PhantomData<Q>,
}

#[cfg(target_arch = "x86_64")]
impl<Q: HitCollector, L: BoxTester> pulp::NullaryFnOnce for VectorizedRun<'_, Q, L> {
    type Output = Vec<Q::Answer>;

    #[inline(always)]
    fn call(self) -> Self::Output {
        self.tracer.cast_run_by::<Q>(self.lanes, self.run)
    }
}
