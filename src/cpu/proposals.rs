//! Completes the answers that a device proposes. Only the proposed primitive is intersected, by the
//! code that a cast would use, so the answers have the bits of a cast. Rays that are in doubt are
//! cast.

use super::containment::{hit_at_start, occlude_at_start};
use super::hit_collector::{Any, Closest, HitCollector};
use super::tracer::CpuTracer;
use crate::query::{Batch, Proposal};
use crate::ray::{Hit, NONE, Ray};
use rayon::prelude::*;

impl CpuTracer {
    /// Completes the closest hits of some rays.
    pub(crate) fn complete_closest(&self, batch: Batch<'_>, proposals: &[Proposal]) -> Vec<Hit> {
        let complete = |proposal, ray: &Ray| match proposal {
            Proposal::Invalid => Some(Hit::INVALID),
            Proposal::Miss => Some(Hit::MISS),
            Proposal::Primitive { instance, record } => self.hit_of_record(ray, instance, record),
            Proposal::InDoubt => None,
        };
        self.complete::<Closest, Hit>(batch, proposals, complete, hit_at_start)
    }

    /// Completes the answers of some rays to whether they hit anything.
    pub(crate) fn complete_any(&self, batch: Batch<'_>, proposals: &[Proposal]) -> Vec<bool> {
        let complete = |proposal, _: &Ray| match proposal {
            Proposal::Invalid | Proposal::Miss => Some(false),
            Proposal::Primitive { .. } => Some(true),
            Proposal::InDoubt => None,
        };
        self.complete::<Any, bool>(batch, proposals, complete, occlude_at_start)
    }

    /// Completes answers by `complete`, which returns none for a ray that is to be cast, and by
    /// `start_inside` for a ray of a solid batch that starts in a solid. Such rays are in doubt,
    /// unless the solid is of many primitives.
    fn complete<C, T>(
        &self,
        batch: Batch<'_>,
        proposals: &[Proposal],
        complete: impl Fn(Proposal, &Ray) -> Option<T> + Sync,
        start_inside: impl Fn(&mut T, &Ray, u32) + Sync,
    ) -> Vec<T>
    where
        C: HitCollector,
        T: From<C::Answer> + Send,
    {
        let proposals = proposals.par_iter().enumerate();
        let completed: Vec<Option<T>> =
            proposals.map(|(ray, &proposal)| complete(proposal, &batch.ray(ray))).collect();
        let rest: Vec<usize> = (0..batch.len()).filter(|&ray| completed[ray].is_none()).collect();
        let mut cast = self.cast_some::<C, T>(batch, &rest);
        let rest = rest.par_iter().copied();
        self.for_each_start_inside(batch, rest, &mut cast, &start_inside);
        let mut cast = cast.into_iter();
        // There is an answer for each ray of the rest.
        let mut answers: Vec<_> =
            completed.into_iter().filter_map(|answer| answer.or_else(|| cast.next())).collect();
        if self.has_solid_of_many {
            self.for_each_start_inside(batch, 0..batch.len(), &mut answers, &start_inside);
        }
        answers
    }

    /// Returns where a ray hits the item in a record; `None` if it does not.
    fn hit_of_record(&self, ray: &Ray, instance: u32, record: u32) -> Option<Hit> {
        let world = self.top_level();
        let (space, line) = match instance {
            NONE => (world, ray.line()),
            instance => {
                let leaf = self.packed.leaf_of_instance(instance)?;
                let instance = world.leaves.instance(leaf)?;
                (self.space_of(instance), instance.object_from_world.line(&ray.line()))
            }
        };
        let leaf = space.leaves.index_of_record(record)?;
        let mut closest = Closest::new();
        let interval = [ray.t_min.into(), ray.t_max.into()];
        closest.meet(space, leaf, &line, interval);
        let Closest(found) = closest;
        found.map(|_| closest.answer(self.packed.all_worlds()).hit)
    }
}
