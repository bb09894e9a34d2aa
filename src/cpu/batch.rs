//! The cast of a batch of rays on all cores, by AVX-512 or AVX2 instructions if the processor has
//! them.

use super::cast::Casts;
use super::hit_collector::HitCollector;
use super::image_order::{SQUARE, squares};
use super::packet_cast::PacketMemory;
use super::ray_sort::morton_order;
use super::tracer::CpuTracer;
use super::triangle_sieve::TriangleSieve;
use crate::bvh::{BoxTester, PACKET, Portable, RayLanes};
use crate::image_rows::ImageRows;
use crate::parallel::filled;
use crate::query::{Batch, RayFilter};
use crate::ray::Ray;
use crate::scan::Views;
use rayon::prelude::*;
use std::mem;
use std::ops::Range;

/// How many rays a thread casts at a time.
const RUN: usize = 1024;

/// How many scattered rays a thread casts at a time.
const FEW: usize = 64;

/// The least number of rays of an image that one thread puts in order at a time.
const BLOCK: usize = 1 << 13;

/// The order in which a block of rays is cast.
#[derive(Clone, Copy)]
pub(super) enum Order {
    /// The order of small squares in an image whose rows have this many rays.
    Squares(usize),
    Morton,
}

/// Rays that one thread casts at a time.
struct Run {
    rays: Vec<Ray>,
    /// One filter for each ray; none if all rays may hit everything.
    filters: Vec<RayFilter>,
}

/// The number of rays for each thread that are cast before their hits become arrays. A processor's
/// cache holds so few hits, and their memory serves the next ones; with fewer, threads would often
/// wait for each other.
pub(super) const CHUNK: usize = 1 << 17;

impl CpuTracer {
    /// Casts a batch of rays, and converts each answer where it is written. Those of an image are
    /// cast in small squares, so that rays that go the same way are together. Others stay as they
    /// are: what a ray needs next arrives while the rays beside it have their turns, and sorting
    /// them would cost more than it spares.
    pub(super) fn cast_batch<C, T>(&self, batch: Batch<'_>) -> Vec<T>
    where
        C: HitCollector,
        T: From<C::Answer> + Send,
    {
        let Some(ImageRows { length: width, .. }) = ImageRows::of(batch.rays()) else {
            let run = |indices: Range<usize>| self.run_of(&batch, indices);
            return self.cast_runs::<C, T>(0..batch.len(), run);
        };
        let block = width * BLOCK.div_ceil(width).next_multiple_of(SQUARE);
        let mut answers = filled(batch.len(), || C::INVALID.into());
        answers.par_chunks_mut(block).enumerate().for_each(|(turn, answers)| {
            let first = turn * block;
            let batch = batch.slice(first..first + answers.len());
            self.cast_in_order::<C, T>(batch, Order::Squares(width), answers);
        });
        answers
    }

    /// Casts a block of rays in an order.
    pub(super) fn cast_in_order<C, T>(&self, batch: Batch<'_>, order: Order, answers: &mut [T])
    where
        C: HitCollector,
        T: From<C::Answer>,
    {
        let order = match order {
            Order::Squares(width) => squares(batch.len(), width),
            Order::Morton => morton_order(batch.rays(), self.packed.tree().size()),
        };
        let mut in_order = vec![C::INVALID; RUN];
        for indices in order.chunks(RUN) {
            // The rays are gathered first, because a processor fetches many scattered rays at once.
            let run = self.run_of(&batch, indices.iter().map(|&index| index as usize));
            let in_order = &mut in_order[..indices.len()];
            self.cast_run::<C>(&run, in_order);
            for (&index, answer) in indices.iter().zip(in_order) {
                answers[index as usize] = mem::replace(answer, C::INVALID).into();
            }
        }
    }

    /// Casts some rays of a batch, each by itself.
    pub(super) fn cast_some<C, T>(&self, batch: Batch<'_>, indices: &[usize]) -> Vec<T>
    where
        C: HitCollector,
        T: From<C::Answer> + Send,
    {
        let cast = |indices: &[usize]| {
            let mut answers = vec![C::INVALID; indices.len()];
            self.cast_run::<C>(&self.run_of(&batch, indices.iter().copied()), &mut answers);
            answers.into_iter().map(T::from)
        };
        indices.par_chunks(FEW).flat_map_iter(cast).collect()
    }

    /// Gathers some rays of a batch.
    fn run_of(&self, batch: &Batch<'_>, indices: impl Iterator<Item = usize> + Clone) -> Run {
        let filter = |ray| batch.ray_filter(ray, self.packed.all_worlds());
        let filters = batch.is_filtered().then(|| indices.clone().map(filter).collect());
        let rays = batch.rays();
        let rays = indices.map(|index| rays.get(index)).collect();
        Run { rays, filters: filters.unwrap_or_default() }
    }

    /// Casts the rays of these pixels of images, which are generated run by run.
    pub(super) fn cast_views<C, T>(&self, views: &Views, pixels: Range<usize>) -> Vec<T>
    where
        C: HitCollector,
        T: From<C::Answer> + Send,
    {
        let is_filtered = views.is_filtered();
        let run = |pixels: Range<usize>| Run {
            filters: match is_filtered {
                true => pixels.clone().map(|pixel| views.filter(pixel)).collect(),
                false => Vec::new(),
            },
            rays: pixels.map(|pixel| views.ray(pixel)).collect(),
        };
        self.cast_runs::<C, T>(pixels, run)
    }

    fn cast_runs<C, T>(
        &self,
        indices: Range<usize>,
        run: impl Fn(Range<usize>) -> Run + Sync,
    ) -> Vec<T>
    where
        C: HitCollector,
        T: From<C::Answer> + Send,
    {
        let mut answers = filled(indices.len(), || C::INVALID.into());
        answers.par_chunks_mut(RUN).enumerate().for_each(|(turn, answers)| {
            let start = indices.start + turn * RUN;
            let mut of_run = vec![C::INVALID; answers.len()];
            self.cast_run::<C>(&run(start..start + answers.len()), &mut of_run);
            answers.iter_mut().zip(of_run).for_each(|(answer, of_ray)| *answer = of_ray.into());
        });
        answers
    }

    /// Answers a run; the answers are those to invalid rays at first. Packets of rays that go the
    /// same way come first, then the other rays, interleaved.
    fn cast_run<C: HitCollector>(&self, run: &Run, answers: &mut [C::Answer]) {
        let others = self.cast_packets::<C>(run, answers);
        // Single rays are slower by a quarter if they are compiled for AVX-512.
        #[cfg(target_arch = "x86_64")]
        if let Some(boxes) = self.avx2 {
            let tracer = self;
            return boxes.vectorize(SingleRays::<C, _> { tracer, boxes, run, others, answers });
        }
        self.cast_others::<C>(Portable, run, others, answers);
    }

    /// Casts the packets of a run. Returns the first ray of each sixteen that are no packet.
    #[cfg(target_arch = "x86_64")]
    fn cast_packets<C: HitCollector>(&self, run: &Run, answers: &mut [C::Answer]) -> Vec<usize> {
        let tracer = self;
        match (self.avx512, self.avx2) {
            (Some(boxes), _) => {
                boxes.vectorize(PacketsOfRays::<C, _> { tracer, boxes, run, answers })
            }
            (_, Some(boxes)) => {
                boxes.vectorize(PacketsOfRays::<C, _> { tracer, boxes, run, answers })
            }
            // Without such instructions packets gain too little for what they take to compile.
            _ => (0..run.rays.len()).step_by(PACKET).collect(),
        }
    }

    /// Casts the packets of a run. Returns the first ray of each sixteen that are no packet.
    #[cfg(not(target_arch = "x86_64"))]
    fn cast_packets<C: HitCollector>(&self, run: &Run, answers: &mut [C::Answer]) -> Vec<usize> {
        self.cast_packets_with::<C>(Portable, run, answers)
    }

    #[inline(always)]
    fn cast_packets_with<C: HitCollector>(
        &self,
        boxes: impl BoxTester,
        run: &Run,
        answers: &mut [C::Answer],
    ) -> Vec<usize> {
        let rays = &run.rays;
        let mut memory = PacketMemory::default();
        let mut others = Vec::new();
        let mut start = 0;
        while start < rays.len() {
            let lanes = start..rays.len().min(start + PACKET);
            let filters = run.filters.get(lanes.clone()).unwrap_or_default();
            let is_one_world = filters.windows(2).all(|pair| pair[0].world == pair[1].world);
            let packet = <&[Ray; PACKET]>::try_from(&rays[lanes.clone()]).ok();
            let packet = packet.map(|rays| (rays, RayLanes::new(rays)));
            if is_one_world
                && let Some((rays, side_by_side)) = &packet
                && self.packed.tree().suits(boxes.lanes(), side_by_side)
            {
                let (rays, answers) = ((*rays, side_by_side), &mut answers[lanes]);
                self.cast_together::<C>(boxes, rays, filters, &mut memory, answers);
            } else {
                others.push(start);
            }
            start += PACKET;
        }
        others
    }

    #[inline(always)]
    fn cast_others<C: HitCollector>(
        &self,
        boxes: impl BoxTester + TriangleSieve,
        run: &Run,
        others: Vec<usize>,
        answers: &mut [C::Answer],
    ) {
        let finish = |index: usize, collector: C| {
            answers[index] = collector.answer(self.packed.all_worlds())
        };
        let mut casts = Casts::new(self, boxes, (&run.rays, &run.filters), others, finish);
        self.packed.tree().traverse(boxes, &mut casts);
    }
}

/// The cast of a run's packets, compiled for the processor's instructions. It is not a closure,
/// because the compiler may not inline one.
#[cfg(target_arch = "x86_64")]
struct PacketsOfRays<'a, C: HitCollector, B> {
    tracer: &'a CpuTracer,
    boxes: B,
    run: &'a Run,
    answers: &'a mut [C::Answer],
}

#[cfg(target_arch = "x86_64")]
impl<C: HitCollector, B: BoxTester> pulp::NullaryFnOnce for PacketsOfRays<'_, C, B> {
    type Output = Vec<usize>;

    #[inline(always)]
    fn call(self) -> Vec<usize> {
        self.tracer.cast_packets_with::<C>(self.boxes, self.run, self.answers)
    }
}

/// The cast of the other rays, in the same way.
#[cfg(target_arch = "x86_64")]
struct SingleRays<'a, C: HitCollector, B> {
    tracer: &'a CpuTracer,
    boxes: B,
    run: &'a Run,
    others: Vec<usize>,
    answers: &'a mut [C::Answer],
}

#[cfg(target_arch = "x86_64")]
impl<C: HitCollector, B: BoxTester + TriangleSieve> pulp::NullaryFnOnce for SingleRays<'_, C, B> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        self.tracer.cast_others::<C>(self.boxes, self.run, self.others, self.answers);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::hit_collector::{Closest, LeafHit};
    use crate::packed::PackedScene;
    use crate::scene::Scene;
    use crate::shapes::Sphere;
    use fastrand::Rng;
    use glam::DVec3;

    #[test]
    fn sorted_rays_get_the_answers_that_they_get_in_the_given_order() {
        let rng = &mut Rng::with_seed(6);
        let mut scene = Scene::new();
        for _ in 0..300 {
            let center = DVec3::new(rng.f64(), rng.f64(), rng.f64());
            scene.add(Sphere { center, radius: 0.05 }).unwrap();
        }
        let tracer = CpuTracer::new(&PackedScene::new(scene).unwrap());
        let mut vector = || [rng.f32(), rng.f32(), rng.f32()];
        let rays: Vec<Ray> = (0..10_000).map(|_| Ray::new(vector(), vector())).collect();
        let mut sorted = vec![LeafHit::INVALID; rays.len()];
        tracer.cast_in_order::<Closest, _>(Batch::new(&rays), Order::Morton, &mut sorted);
        assert_eq!(sorted, tracer.cast_batch::<Closest, _>(Batch::new(&rays)));
        assert!(
            sorted.iter().any(|it| it.hit.is_hit()) && !sorted.iter().all(|it| it.hit.is_hit())
        );
    }
}
