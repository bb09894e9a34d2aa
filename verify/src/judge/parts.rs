//! The judgement of closest hits that were given in part: t without ids, or ids without t.

use super::Judge;
use super::closest::ids;
use super::filtered_ray::FilteredRay;
use crate::verdict::{Answer, PartialHit, Verdict};
use crate::{Class, GivenParts};
use raytwin::crossings::ZoneKind;
use raytwin::query::{Batch, Hits};
use raytwin::ray::{Hit, NONE};

impl Judge {
    /// Judges the given parts of a closest hit: they are right if some values of the other parts
    /// make the whole hit right. The verdict shows the hit as it was given.
    pub(super) fn judge_parts(
        &self,
        batch: Batch<'_>,
        index: usize,
        (hits, given): (&Hits, GivenParts),
        exact: Hit,
    ) -> Verdict {
        let known = |is_given: bool, ids: &[u32]| is_given.then(|| ids[index]);
        let partial = PartialHit {
            t: given.t.then(|| hits.t_hit[index]),
            geometry_id: known(given.geometry_ids, &hits.geometry_ids),
            primitive_id: known(given.primitive_ids, &hits.primitive_ids),
        };
        let ray = FilteredRay::of(batch, index);
        let judge = |ids: [u32; 2]| {
            let verdict = match (partial.t, &ray) {
                (Some(t), _) => {
                    let [geometry_id, primitive_id] = ids;
                    let hit = Hit { t, geometry_id, primitive_id };
                    self.judge_closest(batch, index, hit, exact)
                }
                (None, Some(ray)) => self.judge_ids(ray, ids, exact),
                (None, None) => self.judge_closest(batch, index, with_t(f32::NAN, ids), exact),
            };
            Verdict { given: Answer::Partial(partial), ..verdict }
        };
        let is_sound = |verdict: &Verdict| verdict.class != Class::Mismatch;
        let of_exact = Some(ids(&exact)).filter(|ids| partial.may_have(ids)).map(judge);
        if let Some(verdict) = of_exact.clone().filter(is_sound) {
            return verdict;
        }
        let near = ray.as_ref().map(|ray| self.near(ray, 1.0));
        let others = near.into_iter().flatten().chain([[NONE; 2]]);
        let others = others.filter(|ids| partial.may_have(ids)).map(judge).filter(is_sound);
        let moved = |verdict: &Verdict| verdict.cause.map_or(0.0, |cause| cause.displacement);
        let sound = others.min_by(|a, b| moved(a).total_cmp(&moved(b)));
        sound.or(of_exact).unwrap_or_else(|| self.wrong_parts(partial, exact))
    }

    fn wrong_parts(&self, given: PartialHit, exact: Hit) -> Verdict {
        let met = if exact.is_hit() { exact.geometry_id } else { given.hit().geometry_id };
        Verdict {
            class: Class::Mismatch,
            row: self.type_of(met),
            error: None,
            distance_error: None,
            cause: None,
            given: Answer::Partial(given),
            exact: Answer::Closest(exact),
        }
    }

    /// Judges the ids of a closest hit whose t was not given.
    fn judge_ids(&self, ray: &FilteredRay<'_>, given: [u32; 2], exact: Hit) -> Verdict {
        let met = if exact.is_hit() { exact.geometry_id } else { given[0] };
        let explained = match given == ids(&exact) {
            true => Some((Class::Exact, None)),
            false => {
                let hits = |share| self.hits_of(ray, given, share);
                let explained = self.explain_any_of(ray, exact, &hits);
                explained.map(|(class, cause)| (class, Some(cause)))
            }
        };
        let (class, cause) = explained.unwrap_or((Class::Mismatch, None));
        Verdict {
            class,
            row: self.type_of(met),
            error: None,
            distance_error: None,
            cause,
            given: Answer::Closest(with_t(f32::NAN, given)),
            exact: Answer::Closest(exact),
        }
    }

    /// Returns the hits with these ids that a caster may find if surfaces are displaced by a share
    /// of δ: the earliest of each zone, and the exact crossings.
    fn hits_of(&self, ray: &FilteredRay<'_>, ids: [u32; 2], share: f64) -> Vec<Hit> {
        if ids[0] == NONE {
            return vec![Hit::MISS].into_iter().filter(|_| ids[1] == NONE).collect();
        }
        let Some(cast) = self.cast(ray, ids, share) else {
            return Vec::new();
        };
        let zones = cast.zones.iter().filter(|zone| zone.kind != ZoneKind::Inside);
        let starts = zones.map(|zone| zone.from.t);
        let crossings = cast.exact.iter().map(|crossing| crossing.t);
        let in_solid = ray.may_start_inside().then_some(ray.interval[0]);
        let within = |t: f64| (t as f32).clamp(ray.ray.t_min, ray.ray.t_max);
        let hits = starts.chain(crossings).chain(in_solid).map(|t| with_t(within(t), ids));
        hits.filter(|hit| ray.may_cross(&self.scene, hit)).collect()
    }
}

impl PartialHit {
    /// Returns true if a hit of these ids may be the one that was given.
    fn may_have(&self, &[geometry_id, primitive_id]: &[u32; 2]) -> bool {
        let is_known = |known: Option<u32>, id: u32| known.is_none_or(|known| known == id);
        // Only a t states whether there is a hit, and the t of an invalid ray states nothing.
        let agrees = match (self.t, self.geometry_id) {
            (Some(t), None) => t.is_nan() || (t == f32::INFINITY) == (geometry_id == NONE),
            _ => true,
        };
        agrees
            && is_known(self.geometry_id, geometry_id)
            && is_known(self.primitive_id, primitive_id)
    }
}

fn with_t(t: f32, [geometry_id, primitive_id]: [u32; 2]) -> Hit {
    Hit { t, geometry_id, primitive_id }
}

#[cfg(test)]
mod tests;
