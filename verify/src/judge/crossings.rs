//! The judgement of any hits, of numbers of crossings, and of all crossings.

use super::Judge;
use super::cast_primitive::CastPrimitive;
use super::closest::at_start;
use super::excuse::{Excuse, least_displacement};
use super::filtered_ray::FilteredRay;
use super::stretches::Stretch;
use crate::Class;
use crate::verdict::{Answer, Cause, Verdict};
use raytwin::query::Batch;
use raytwin::ray::Hit;

impl Judge {
    /// Judges whether a ray hits anything, given the exact answer.
    pub(super) fn judge_any(
        &self,
        batch: Batch<'_>,
        index: usize,
        given: bool,
        exact: bool,
    ) -> Verdict {
        let answers = [given, exact].map(Answer::Any);
        let Some(ray) = FilteredRay::of(batch, index) else {
            return self.invalid(given == exact, answers);
        };
        self.judge_number(given == exact, given || exact, answers, || {
            let near = self.near(&ray, 1.0);
            let containers = ray.may_start_inside().then(|| self.containers(&ray, false));
            let containers = containers.unwrap_or_default();
            least_displacement(|share| {
                let is_started = containers.sure(share).next().is_some();
                if given && containers.possible(share).next().is_some() {
                    return at_start(&ray, &containers);
                }
                let stretches = self.stretches(&ray, &near, share);
                let [least, most] = total(&stretches);
                let is_possible = if given { most > 0 } else { least == 0 && !is_started };
                let in_doubt = || {
                    let of_surfaces = self.free_stretch(&ray, &stretches, share);
                    of_surfaces.or_else(|| at_start(&ray, &containers))
                };
                if is_possible { in_doubt() } else { None }
            })
        })
    }

    /// Judges a number of crossings, given the exact one.
    pub(super) fn judge_count(
        &self,
        batch: Batch<'_>,
        index: usize,
        given: u32,
        exact: u32,
    ) -> Verdict {
        let answers = [given, exact].map(Answer::Count);
        let Some(ray) = FilteredRay::of(batch, index) else {
            return self.invalid(given == exact, answers);
        };
        self.judge_number(given == exact, given > 0 || exact > 0, answers, || {
            let near = self.near(&ray, 1.0);
            least_displacement(|share| {
                let stretches = self.stretches(&ray, &near, share);
                let [least, most] = total(&stretches);
                let keeps_parity =
                    stretches.iter().all(|stretch| !stretch.is_free() || stretch.keeps_parity);
                let is_possible = (least..=most).contains(&u64::from(given))
                    && (!keeps_parity || (u64::from(given) - least).is_multiple_of(2));
                if is_possible { self.free_stretch(&ray, &stretches, share) } else { None }
            })
        })
    }

    fn judge_number(
        &self,
        is_equal: bool,
        is_hit: bool,
        [given, exact]: [Answer; 2],
        explain: impl FnOnce() -> Option<(Class, Cause)>,
    ) -> Verdict {
        let row = if is_hit { "hit" } else { "none" };
        let (class, cause) = match is_equal {
            true => (Class::Exact, None),
            false => {
                explain().map_or((Class::Mismatch, None), |(class, cause)| (class, Some(cause)))
            }
        };
        Verdict { class, row, error: None, distance_error: None, cause, given, exact }
    }

    /// Explains a number of crossings with the first surface that may be crossed more often or less
    /// often.
    fn free_stretch(
        &self,
        ray: &FilteredRay<'_>,
        stretches: &[Stretch],
        share: f64,
    ) -> Option<Excuse> {
        let free = stretches.iter().find(|stretch| stretch.is_free())?;
        self.excuse_of(ray, free, share)
    }

    fn excuse_of(&self, ray: &FilteredRay<'_>, stretch: &Stretch, share: f64) -> Option<Excuse> {
        let ids = [stretch.geometry_id, *stretch.primitive_ids.first()?];
        let class = if stretch.is_cut { Class::Range } else { Class::Silhouette };
        let [from, to] = [0, 1].map(|end| stretch.span[end].clamp(-1e38, 1e38));
        let t = self.cast(ray, ids, share)?.middle(0.5 * (from + to));
        Some(Excuse { class, ids, t })
    }

    /// Judges all crossings of a ray, given the exact ones.
    pub(super) fn judge_all(
        &self,
        batch: Batch<'_>,
        index: usize,
        given: Box<[Hit]>,
        exact: Box<[Hit]>,
    ) -> Verdict {
        let Some(ray) = FilteredRay::of(batch, index) else {
            return self.invalid(given.is_empty(), [given, exact].map(Answer::All));
        };
        let (class, error, cause) = self.class_of_all(&ray, &given, &exact);
        let is_met = !exact.is_empty() && (class == Class::Exact || error.is_some());
        let distance_error = is_met.then(|| self.distance_error(&ray, &given, &exact)).flatten();
        let met = exact.first().or(given.first()).map_or(Hit::MISS, |hit| *hit);
        let row = self.type_of(met.geometry_id);
        let [given, exact] = [given, exact].map(Answer::All);
        Verdict { class, row, error, distance_error, cause, given, exact }
    }

    fn class_of_all(
        &self,
        ray: &FilteredRay<'_>,
        given: &[Hit],
        exact: &[Hit],
    ) -> (Class, Option<f64>, Option<Cause>) {
        if given == exact {
            return (Class::Exact, None, None);
        }
        let worst = self.worst_error(ray, given, exact);
        let error = worst.map(|worst| worst.displacement);
        if !given.iter().all(|hit| ray.may_cross(&self.scene, hit)) || !self.is_in_order(ray, given)
        {
            return (Class::Mismatch, error, None);
        }
        if error.is_some_and(|error| error <= 1.0) {
            return (Class::Within, error, worst);
        }
        let near = self.near(ray, 1.0);
        match least_displacement(|share| self.excuse_all(ray, given, exact, &near, share)) {
            Some((class, cause)) => (class, None, Some(cause)),
            None => (Class::Mismatch, error, None),
        }
    }

    /// Returns the crossing whose t is furthest from the exact one, relative to its bound, if both
    /// answers list the same primitives in the same order.
    fn worst_error(&self, ray: &FilteredRay<'_>, given: &[Hit], exact: &[Hit]) -> Option<Cause> {
        if given.len() != exact.len() {
            return None;
        }
        let mut worst: Option<Cause> = None;
        for (given, exact) in given.iter().zip(exact).filter(|(given, exact)| given != exact) {
            let found = self.error(ray, given, exact)?;
            if worst.is_none_or(|worst| found.displacement > worst.displacement) {
                worst = Some(found);
            }
        }
        worst
    }

    /// Returns the largest error of the distances of these crossings, which are of the same
    /// primitives; `None` if one has none.
    fn distance_error(&self, ray: &FilteredRay<'_>, given: &[Hit], exact: &[Hit]) -> Option<f64> {
        let error = |(given, exact): (&Hit, &Hit)| match given == exact {
            true => Some(0.0),
            false => ray.distance_error(given.t, self.error(ray, given, exact)?.t),
        };
        let errors: Option<Vec<f64>> = given.iter().zip(exact).map(error).collect();
        errors?.into_iter().reduce(f64::max)
    }

    /// Returns true if crossings are in order of t, and at equal t in order of ids. A tracer may
    /// compute t more precisely than it returns it, so at equal t the exact crossings may be in
    /// another order.
    fn is_in_order(&self, ray: &FilteredRay<'_>, hits: &[Hit]) -> bool {
        let ids = |hit: &Hit| [hit.geometry_id, hit.primitive_id];
        let exact_t = |hit: &Hit| {
            let crossings = self.primitive(ray, ids(hit))?.crossings(&ray.line);
            crossings.nearest_to(f64::from(hit.t)).map(|crossing| crossing.t)
        };
        hits.windows(2).all(|pair| {
            let [a, b] = [&pair[0], &pair[1]];
            let is_finer = || matches!((exact_t(a), exact_t(b)), (Some(a), Some(b)) if a < b);
            a.t < b.t || a.t == b.t && (ids(a) <= ids(b) || is_finer())
        })
    }

    /// Explains a list of crossings with surfaces that are displaced by a share of δ.
    fn excuse_all(
        &self,
        ray: &FilteredRay<'_>,
        given: &[Hit],
        exact: &[Hit],
        near: &[[u32; 2]],
        share: f64,
    ) -> Option<Excuse> {
        let stretches = self.stretches(ray, near, share);
        let counts = self.count_in(ray, given, &stretches, share)?;
        if !stretches.iter().zip(&counts).all(|(stretch, &count)| stretch.allows(count)) {
            return None;
        }
        let exact_counts = self.count_in(ray, exact, &stretches, share)?;
        let mut differing = stretches.iter().zip(counts.iter().zip(&exact_counts));
        if let Some((stretch, _)) = differing.find(|(_, (given, exact))| given != exact) {
            return self.excuse_of(ray, stretch, share);
        }
        let by_ids = |hits: &[Hit]| {
            let mut hits = hits.to_vec();
            hits.sort_by_key(|hit| [hit.geometry_id, hit.primitive_id]);
            hits
        };
        let [given_by_ids, exact_by_ids] = [given, exact].map(by_ids);
        let pairs = given.iter().zip(exact);
        let is_grazed = |(given, exact): (&Hit, &Hit)| {
            let error = self.error(ray, given, exact);
            error.is_some_and(|error| error.displacement > 1.0)
        };
        let grazed = given_by_ids.iter().zip(&exact_by_ids).find(|&pair| is_grazed(pair));
        let (class, (given, _)) = match grazed {
            Some(pair) => (Class::Silhouette, pair),
            None => (Class::Tie, pairs.into_iter().find(|(given, exact)| given != exact)?),
        };
        let ids = [given.geometry_id, given.primitive_id];
        let t = self.cast(ray, ids, share)?.middle(f64::from(given.t));
        Some(Excuse { class, ids, t })
    }

    /// Returns the number of crossings in each stretch; `None` if a crossing is in none, or if a
    /// primitive is crossed more often than its surface can be.
    pub(super) fn count_in(
        &self,
        ray: &FilteredRay<'_>,
        hits: &[Hit],
        stretches: &[Stretch],
        share: f64,
    ) -> Option<Vec<u32>> {
        let mut counts = vec![0; stretches.len()];
        let mut by_primitive: Vec<(CastPrimitive, u32)> = Vec::new();
        for hit in hits {
            let ids = [hit.geometry_id, hit.primitive_id];
            let known = by_primitive.iter().position(|(cast, _)| cast.ids == ids);
            let index = match known {
                Some(index) => index,
                None => {
                    by_primitive.push((self.cast(ray, ids, share)?, 0));
                    by_primitive.len() - 1
                }
            };
            let (cast, crossed) = &mut by_primitive[index];
            *crossed += 1;
            // A side of a heightfield is made up of many triangles.
            if cast.primitive.shape().is_some() && *crossed > cast.primitive.most_crossings() {
                return None;
            }
            counts[stretch_of(stretches, ids, cast.t_in_zone(hit.t)?)?] += 1;
        }
        Some(counts)
    }
}

/// Returns the index of the stretch in which a primitive is crossed at `t`.
fn stretch_of(
    stretches: &[Stretch],
    [geometry_id, primitive_id]: [u32; 2],
    t: f64,
) -> Option<usize> {
    let slack = 4.0 * raytwin::math::U * t.abs();
    let outside = |stretch: &Stretch| (stretch.span[0] - t).max(t - stretch.span[1]).max(0.0);
    let of_primitive = stretches.iter().enumerate().filter(|(_, stretch)| {
        stretch.geometry_id == geometry_id
            && stretch.primitive_ids.binary_search(&primitive_id).is_ok()
            && outside(stretch) <= slack
    });
    let nearest = of_primitive.min_by(|(_, a), (_, b)| outside(a).total_cmp(&outside(b)));
    nearest.map(|(index, _)| index)
}

/// Returns the least and the largest number of crossings in all stretches.
fn total(stretches: &[Stretch]) -> [u64; 2] {
    let sum = |count: fn(&Stretch) -> u32| stretches.iter().map(|one| u64::from(count(one))).sum();
    [sum(|stretch| stretch.least), sum(|stretch| stretch.most)]
}
