//! The judgement of closest hits.

use super::Judge;
use super::cast_primitive::{CastPrimitive, signed_error};
use super::containers::Containers;
use super::excuse::{Excuse, least_displacement};
use super::filtered_ray::FilteredRay;
use crate::Class;
use crate::verdict::{Answer, Cause, Verdict};
use raytwin::math::U;
use raytwin::query::Batch;
use raytwin::ray::Hit;
use raytwin::tracer::Tracer;

/// The largest reported error, in bounds. A larger number would only fill a line.
const MOST_BOUNDS: f64 = 1e12;

impl Judge {
    pub(super) fn judge_closest(
        &self,
        batch: Batch<'_>,
        index: usize,
        given: Hit,
        exact: Hit,
    ) -> Verdict {
        let Some(ray) = FilteredRay::of(batch, index) else {
            let is_refused =
                given.t.is_nan() && [given.geometry_id, given.primitive_id] == ids(&exact);
            return self.invalid(is_refused, [given, exact].map(Answer::Closest));
        };
        let within = if given == exact { None } else { self.error(&ray, &given, &exact) };
        let verdict = |class, error: Option<f64>, cause| {
            let met = if exact.is_hit() { exact.geometry_id } else { given.geometry_id };
            let distance_error = match class {
                Class::Exact => exact.is_hit().then_some(0.0),
                _ => error.and(within).and_then(|within| ray.distance_error(given.t, within.t)),
            };
            let [given, exact] = [given, exact].map(Answer::Closest);
            let row = self.type_of(met);
            Verdict { class, row, error, distance_error, cause, given, exact }
        };
        if given == exact {
            return verdict(Class::Exact, None, None);
        }
        let error = within.map(|within| within.displacement);
        if !ray.may_hit(&self.scene, &given) {
            return verdict(Class::Mismatch, error, None);
        }
        if error.is_some_and(|error| error <= 1.0) {
            return verdict(Class::Within, error, within);
        }
        match self.explain_any_of(&ray, exact, &|_| vec![given]) {
            Some((class, cause)) => verdict(class, None, Some(cause)),
            None => verdict(Class::Mismatch, error, None),
        }
    }

    /// Returns the exact crossing of a hit and |t − t_exact| as a fraction of its bound, if both
    /// hits are of one primitive. A t that is not finite has the largest reported error.
    pub(super) fn error(&self, ray: &FilteredRay<'_>, given: &Hit, exact: &Hit) -> Option<Cause> {
        if ids(given) != ids(exact) {
            return None;
        }
        let primitive = self.primitive(ray, ids(exact))?;
        let crossings = primitive.crossings(&ray.line);
        let crossing = crossings.nearest_to(f64::from(exact.t))?;
        // A hit at the start of a ray that begins in a solid is no crossing.
        if crossing.t as f32 != exact.t {
            return None;
        }
        let error = signed_error(&primitive, &ray.line, self.tolerance, given.t, &crossing).abs();
        // The minimum of a NaN and a number is the number.
        let error = error.min(MOST_BOUNDS);
        let [geometry_id, primitive_id] = ids(exact);
        Some(Cause { geometry_id, primitive_id, t: crossing.t, displacement: error })
    }

    /// Explains one of several closest hits, which may depend on the share of δ, with surfaces that
    /// are displaced by that share.
    pub(super) fn explain_any_of(
        &self,
        ray: &FilteredRay<'_>,
        exact: Hit,
        hits: &dyn Fn(f64) -> Vec<Hit>,
    ) -> Option<(Class, Cause)> {
        let near = self.near(ray, 1.0);
        let surely_hit_by = self.surely_hit_by(ray, &near, 1.0);
        let explain = |share: f64, excuse: &dyn Fn(&Hit) -> Option<Excuse>| {
            let hits = hits(share);
            hits.iter().filter(|hit| !is_beaten(hit, surely_hit_by)).find_map(excuse)
        };
        if !ray.may_start_inside() {
            return least_displacement(|share| {
                explain(share, &|given| self.excuse_surface_hit(ray, given, &exact, &near, share))
            });
        }
        let containers = self.containers(ray, false);
        let on_surface = match containers.possible(0.0).next() {
            Some(_) => self.reference.closest(ray.alone().surfaces()).ok()?[0],
            None => exact,
        };
        least_displacement(|share| {
            explain(share, &|given| {
                excuse_start(ray, given, &containers, share).or_else(|| {
                    if containers.sure(share).next().is_some() {
                        return None;
                    }
                    let error = || self.error(ray, given, &on_surface);
                    let is_right = *given == on_surface
                        || error().is_some_and(|error| error.displacement <= 1.0);
                    let excuse = || self.excuse_surface_hit(ray, given, &on_surface, &near, share);
                    if is_right { at_start(ray, &containers) } else { excuse() }
                })
            })
        })
    }

    /// Explains a hit on a surface with surfaces that are displaced by a share of δ.
    fn excuse_surface_hit(
        &self,
        ray: &FilteredRay<'_>,
        given: &Hit,
        exact: &Hit,
        near: &[[u32; 2]],
        share: f64,
    ) -> Option<Excuse> {
        let given_t = f64::from(given.t);
        let claimed = self.cast(ray, ids(given), share);
        // The claimed crossing is at this t or later; nothing may surely be hit before.
        let earliest = match &claimed {
            Some(cast) => cast.earliest(given_t)?,
            None => f64::INFINITY,
        };
        if self.surely_hit_by(ray, near, share) < earliest
            || self.passes_a_surface(ray, near, earliest, share)
        {
            return None;
        }
        let exact_cast = self.cast(ray, ids(exact), share);
        let is_missed = exact.is_hit() && (!given.is_hit() || exact.t <= given.t);
        let in_doubt = if is_missed { exact_cast.as_ref() } else { claimed.as_ref() };
        let t = f64::from(if is_missed { exact.t } else { given.t });
        let excuse =
            |class| in_doubt.map(|cast| Excuse { class, ids: cast.ids, t: cast.middle(t) });
        if let (Some(claimed), Some(cast)) = (&claimed, &exact_cast)
            && claimed.ids != cast.ids
            && (cast.reaches(given_t) || are_sure([claimed, cast], ray.interval))
        {
            // Two equal primitives are crossed at the same t in any arithmetic, so the lower id
            // must win. raytwin promises this, and other casters do not. A heightfield's triangles
            // are solved in the field's own frame.
            let is_the_same = cast.primitive == claimed.primitive && self.tolerance().is_none();
            return if is_the_same { None } else { excuse(Class::Tie) };
        }
        let near_an_end = |cast: &CastPrimitive| {
            ray.interval.iter().any(|&end| end.is_finite() && cast.reaches(end))
        };
        let is_cut = claimed.iter().chain(&exact_cast).any(near_an_end);
        excuse(if is_cut { Class::Range } else { Class::Silhouette })
    }

    /// Returns the t before which a primitive is surely hit, however surfaces are displaced by a
    /// share of δ; infinity if there is none.
    fn surely_hit_by(&self, ray: &FilteredRay<'_>, near: &[[u32; 2]], share: f64) -> f64 {
        let latest = |&ids: &[u32; 2]| self.cast(ray, ids, share)?.surely_hit_by(ray.interval);
        near.iter().filter_map(latest).fold(f64::INFINITY, f64::min)
    }

    /// Returns true if an answer at `earliest` or later is behind a surface of many triangles that
    /// is surely crossed before, although no single triangle of it is.
    fn passes_a_surface(
        &self,
        ray: &FilteredRay<'_>,
        near: &[[u32; 2]],
        earliest: f64,
        share: f64,
    ) -> bool {
        let [t_min, t_max] = ray.interval;
        let is_passed = |&[from, to]: &[f64; 2]| from >= t_min && to <= t_max && to < earliest;
        near.chunk_by(|a, b| a[0] == b[0]).any(|of_geometry| {
            let parts = self.surface_parts(ray, of_geometry, share).unwrap_or_default();
            parts.iter().any(|part| part.sure.iter().any(is_passed))
        })
    }
}

/// Returns true if a surface is crossed before the t of a hit, however surfaces are displaced.
/// `surely_hit_by` is the t by which one surely is. A caster returns the least t that it finds, so
/// a displacement that puts the hit's own surface in front does not excuse a t behind another
/// surface.
fn is_beaten(given: &Hit, surely_hit_by: f64) -> bool {
    // Both compared values of t are rounded to float32.
    given.is_hit() && surely_hit_by < f64::from(given.t) - 4.0 * U * f64::from(given.t).abs()
}

/// Explains a hit at the start of a ray with a solid that may contain that point.
fn excuse_start(
    ray: &FilteredRay<'_>,
    given: &Hit,
    containers: &Containers,
    share: f64,
) -> Option<Excuse> {
    if given.t != ray.ray.t_min || given.primitive_id != 0 {
        return None;
    }
    containers.lowest(given.geometry_id, share)?;
    at_start(ray, containers)
}

/// Explains an answer with the doubt about which solids contain the start of a ray.
pub(super) fn at_start(ray: &FilteredRay<'_>, containers: &Containers) -> Option<Excuse> {
    let nearest = containers.nearest()?;
    let ids = [nearest.geometry_id, nearest.primitive_id];
    Some(Excuse { class: Class::Range, ids, t: f64::from(ray.ray.t_min) })
}

/// Returns true if all of these are hit however their surfaces are displaced, so that only their
/// order is in doubt.
fn are_sure(casts: [&CastPrimitive; 2], interval: [f64; 2]) -> bool {
    casts.iter().all(|cast| cast.surely_hit_by(interval).is_some())
}

pub(super) fn ids(hit: &Hit) -> [u32; 2] {
    [hit.geometry_id, hit.primitive_id]
}
