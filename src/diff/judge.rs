//! The judgement of one answer against the exact one.

use super::class::{Class, K};
use super::verdict::{Answer, Verdict};
use crate::cpu::{CpuTracer, Nearest};
use crate::crossings::{Crossing, Crossings, ZoneKind, Zones};
use crate::geometry::Primitive;
use crate::math::{Bounds, U};
use crate::packed::PackedScene;
use crate::query::{AllHits, Batch, BatchError, PointHit, TracedAnswers};
use crate::ray::{Hit, Line, NONE, Ray};
use crate::scene::Scene;
use crate::shapes::DELTA;
use crate::tracer::{TraceError, Tracer};
use rayon::prelude::*;
use std::sync::Arc;

/// Judges answers to rays in one scene.
#[derive(Debug)]
pub struct Judge {
    scene: Arc<Scene>,
    reference: CpuTracer,
    center: glam::DVec3,
    radius: f64,
    /// The largest allowance of the scene's primitives.
    allowance: f64,
    /// True if the reference tests every primitive, and any difference from it is a mismatch.
    is_by_brute_force: bool,
}

impl Judge {
    /// Makes a judge with a reference of its own.
    pub fn new(packed: &PackedScene) -> Self {
        let scene = Arc::clone(packed.scene());
        let reference = CpuTracer::new(packed);
        // Planes have no bounds, and need none to be found.
        let bounds = scene.bounded();
        let bounds = match bounds.min.is_finite() {
            true => bounds,
            false => Bounds { min: glam::DVec3::ZERO, max: glam::DVec3::ZERO },
        };
        let allowance = scene.widest_allowance();
        Self {
            center: bounds.center(),
            radius: bounds.radius(),
            scene,
            reference,
            allowance,
            is_by_brute_force: false,
        }
    }

    /// Makes a judge whose reference tests every primitive, for answers of the reference's own traversal: any difference
    /// is a mismatch.
    pub fn by_brute_force(packed: &PackedScene) -> Self {
        Self { is_by_brute_force: true, ..Self::new(packed) }
    }

    /// Judges the answers to a batch of rays, in their order. The kind of the query is that of the answers.
    ///
    /// # Errors
    /// [`BatchError`], if the batch does not fit the scene or the answers do not fit the batch.
    pub fn judge(
        &self,
        batch: Batch<'_>,
        answers: &TracedAnswers,
    ) -> Result<Vec<Verdict>, TraceError> {
        let rays = batch.rays();
        check_count(answers.rays(), rays.len())?;
        match answers {
            TracedAnswers::Closest(hits) => {
                batch.check(&self.scene)?;
                let pairs = rays.par_iter().zip(hits);
                Ok(match self.is_by_brute_force {
                    true => pairs.map(|(ray, hit)| self.judge_traversal(ray, hit)).collect(),
                    false => pairs.map(|(ray, hit)| self.judge_closest(ray, hit)).collect(),
                })
            }
            TracedAnswers::Any(given) => {
                Ok(compared(given, &self.reference.any(batch)?, Answer::Any))
            }
            TracedAnswers::Count(given) => {
                Ok(compared(given, &self.reference.count(batch)?, Answer::Count))
            }
            TracedAnswers::All(given) => {
                let of_rays = |all: &AllHits| -> Vec<Box<[Hit]>> {
                    (0..rays.len()).map(|ray| all.of_ray(ray).collect()).collect()
                };
                Ok(compared(&of_rays(given), &of_rays(&self.reference.all(batch)?), Answer::All))
            }
        }
    }

    /// Judges the answers to points, in their order.
    ///
    /// # Errors
    /// [`BatchError::Answers`].
    pub fn judge_points(
        &self,
        points: &[[f32; 3]],
        hits: &[PointHit],
    ) -> Result<Vec<Verdict>, TraceError> {
        check_count(hits.len(), points.len())?;
        Ok(compared(hits, &self.reference.points(points)?, Answer::Point))
    }

    /// Classifies one answer.
    fn judge_closest(&self, ray: &Ray, given: &Hit) -> Verdict {
        if !ray.is_valid() {
            return self.judge_invalid(given);
        }
        let nearest = self.reference.nearest(ray);
        let error = self.error(ray, given, nearest.as_ref());
        let class = if !is_an_answer(given, ray, &self.scene) {
            Class::Mismatch
        } else if *given == nearest.map_or(Hit::MISS, |nearest| nearest.hit()) {
            Class::Exact
        } else if error.is_some_and(|error| error <= 1.0) {
            Class::Within
        } else {
            self.doubt(ray, given, nearest)
        };
        self.verdict(given, nearest, error, class)
    }

    /// Compares an answer of the reference's own traversal with brute force: any difference is a mismatch.
    fn judge_traversal(&self, ray: &Ray, given: &Hit) -> Verdict {
        if !ray.is_valid() {
            return self.judge_invalid(given);
        }
        let nearest = self.reference.brute_force(ray);
        let exact = nearest.map_or(Hit::MISS, |nearest| nearest.hit());
        let is_equal = exact.t.to_bits() == given.t.to_bits()
            && exact.geometry_id == given.geometry_id
            && exact.primitive_id == given.primitive_id;
        let class = if is_equal { Class::Exact } else { Class::Mismatch };
        self.verdict(given, nearest, self.error(ray, given, nearest.as_ref()), class)
    }

    fn judge_invalid(&self, given: &Hit) -> Verdict {
        let is_refused =
            given.t.is_nan() && given.geometry_id == NONE && given.primitive_id == NONE;
        let class = if is_refused { Class::Exact } else { Class::Mismatch };
        let [given, exact] = [*given, Hit::INVALID].map(Answer::Closest);
        Verdict { class, row: "invalid", error: None, cause: None, given, exact }
    }

    /// Returns |t − t_exact| as a fraction of its bound, if both hit the same primitive.
    fn error(&self, ray: &Ray, given: &Hit, nearest: Option<&Nearest>) -> Option<f64> {
        let nearest = nearest.filter(|nearest| {
            nearest.geometry_id == given.geometry_id && nearest.primitive_id == given.primitive_id
        })?;
        let cast = self.cast(ray, [nearest.geometry_id, nearest.primitive_id])?;
        Some(cast.error(given.t, &nearest.crossing))
    }

    /// Returns a primitive under a ray.
    fn cast(&self, ray: &Ray, [geometry_id, primitive_id]: [u32; 2]) -> Option<Cast> {
        self.scene.primitive(geometry_id, primitive_id).map(|primitive| Cast::new(primitive, ray))
    }

    fn verdict(
        &self,
        given: &Hit,
        nearest: Option<Nearest>,
        error: Option<f64>,
        class: Class,
    ) -> Verdict {
        let exact = nearest.map_or(Hit::MISS, |nearest| nearest.hit());
        let met = if exact.is_hit() { exact.geometry_id } else { given.geometry_id };
        let row = self.scene.geometry(met).map_or("none", |geometry| geometry.type_name());
        let [given, exact] = [*given, exact].map(Answer::Closest);
        Verdict { class, row, error, cause: None, given, exact }
    }

    /// Classifies an answer that is not within the bound: can it arise when surfaces move by δ, and how?
    fn doubt(&self, ray: &Ray, given: &Hit, nearest: Option<Nearest>) -> Class {
        let claimed = self.cast(ray, [given.geometry_id, given.primitive_id]);
        // The claimed crossing is no earlier than this; nothing may surely be hit before.
        let earliest = match &claimed {
            Some(cast) => match cast.earliest(f64::from(given.t)) {
                Some(earliest) => earliest,
                None => return Class::Mismatch,
            },
            None => f64::INFINITY,
        };
        let line = ray.line();
        let interval = [f64::from(ray.t_min), f64::from(ray.t_max)];
        let reach = (line.origin - self.center).length() + self.radius;
        let near = self.reference.near(ray, 2.0 * self.allowance * DELTA * U * reach);
        for &ids in &near {
            let latest = self.cast(ray, ids).and_then(|cast| cast.surely_hit_by(interval));
            if latest.is_some_and(|latest| latest < earliest) {
                return Class::Mismatch;
            }
        }
        if self.passes_a_surface(near, &line, interval, earliest) {
            return Class::Mismatch;
        }
        let exact = nearest.and_then(|nearest| {
            Some((self.cast(ray, [nearest.geometry_id, nearest.primitive_id])?, nearest))
        });
        if let (Some(claimed), Some((cast, nearest))) = (&claimed, &exact)
            && (given.geometry_id, given.primitive_id)
                != (nearest.geometry_id, nearest.primitive_id)
            && cast.earliest(f64::from(given.t)).is_some()
        {
            // Two equal primitives are crossed at the same t in any arithmetic, so the lower id must win. A heightfield's
            // triangles are solved in the field's own frame.
            let is_the_same = cast.primitive == claimed.primitive;
            return if is_the_same { Class::Mismatch } else { Class::Tie };
        }
        let near_an_end = |cast: &Cast| interval.iter().any(|&end| cast.crosses_near(end));
        if claimed.iter().any(near_an_end) || exact.iter().any(|(cast, _)| near_an_end(cast)) {
            return Class::Range;
        }
        Class::Silhouette
    }
}

impl Judge {
    /// Returns true if an answer at `earliest` or later lies behind a surface of many triangles that is surely crossed
    /// before, though no single triangle of it is.
    fn passes_a_surface(
        &self,
        mut near: Vec<[u32; 2]>,
        line: &Line,
        [t_min, t_max]: [f64; 2],
        earliest: f64,
    ) -> bool {
        // A primitive may be found in two leaves.
        near.sort_unstable();
        near.dedup();
        near.chunk_by(|a, b| a[0] == b[0]).filter(|primitives| primitives.len() > 1).any(
            |primitives| {
                let geometry_id = primitives[0][0];
                let primitive_ids: Vec<u32> = primitives.iter().map(|ids| ids[1]).collect();
                let delta = |&id: &u32| {
                    let primitive = self.scene.primitive(geometry_id, id);
                    primitive.map_or(0.0, |primitive| primitive.delta(line.origin))
                };
                let delta = primitive_ids.iter().map(delta).fold(0.0, f64::max);
                let sure = self.scene.sure_crossings(geometry_id, &primitive_ids, line, delta);
                sure.iter().any(|&[from, to]| from >= t_min && to <= t_max && to < earliest)
            },
        )
    }
}

fn check_count(given: usize, asked: usize) -> Result<(), BatchError> {
    if given == asked { Ok(()) } else { Err(BatchError::Answers { given, asked }) }
}

/// Judges answers that are right if they are equal to the exact ones.
fn compared<T: Clone + PartialEq>(
    given: &[T],
    exact: &[T],
    answer: impl Fn(T) -> Answer,
) -> Vec<Verdict> {
    let verdict = |(given, exact): (&T, &T)| {
        let class = if given == exact { Class::Exact } else { Class::Mismatch };
        let [given, exact] = [given, exact].map(|of| answer(of.clone()));
        Verdict { class, row: "hit", error: None, cause: None, given, exact }
    };
    given.iter().zip(exact).map(verdict).collect()
}

/// Returns true if a tracer may return such a hit for a valid ray.
fn is_an_answer(hit: &Hit, ray: &Ray, scene: &Scene) -> bool {
    if hit.geometry_id == NONE {
        return hit.t == f32::INFINITY && hit.primitive_id == NONE;
    }
    scene.primitive(hit.geometry_id, hit.primitive_id).is_some()
        && scene.mask(hit.geometry_id) != 0
        && hit.t >= ray.t_min
        && hit.t <= ray.t_max
}

/// One primitive under one ray: its exact crossings, and its zones when the surface moves by δ both ways.
struct Cast {
    primitive: Primitive,
    line: Line,
    exact: Crossings,
    zones: Zones,
}

impl Cast {
    fn new(primitive: Primitive, ray: &Ray) -> Self {
        let line = ray.line();
        let delta = primitive.delta(line.origin);
        let (exact, zones) = (primitive.crossings(&line), primitive.zones(&line, delta));
        Self { primitive, exact, zones, line }
    }

    /// Returns the cosine between the line and the normal at a crossing.
    fn cosine(&self, crossing: &Crossing) -> f64 {
        let normal = self.primitive.normal(crossing.face, self.line.at(crossing.t));
        normal.dot(self.line.direction).abs() / self.line.direction.length()
    }

    /// Returns the bound on |t − t_exact| at a crossing of the exact surface; it is infinite for a grazing ray.
    fn bound(&self, crossing: &Crossing) -> f64 {
        let length = self.line.direction.length();
        let distance = (self.line.origin - self.primitive.center()).length();
        let scale = distance + self.primitive.radius() + crossing.t.abs() * length;
        self.primitive.allowance() * K * U * scale / self.cosine(crossing) / length
    }

    /// Returns |t − t_exact| as a fraction of its bound, and infinity outside of every zone, however large the bound is.
    /// A flat surface's zones end at its edges, which its plane's bound may pass unless it is grazed.
    fn error(&self, t: f32, crossing: &Crossing) -> f64 {
        const GRAZING: f64 = 1e-6;
        let t = f64::from(t);
        let error = (t - crossing.t).abs();
        if error == 0.0 {
            return 0.0;
        }
        let is_bound_by_zones = self.primitive.is_solid() || self.cosine(crossing) < GRAZING;
        if is_bound_by_zones && self.zones.holding(t).is_none() {
            // K (D + R + |t| |d|) may be up to twice 16 max(D, R).
            let delta = 2.0 * self.primitive.delta(self.line.origin);
            if self.primitive.zones(&self.line, delta).holding(t).is_none() {
                return f64::INFINITY;
            }
        }
        error / self.bound(crossing)
    }

    /// Returns the earliest t of the crossing that may be at `t`; `None` if there can be none.
    fn earliest(&self, t: f64) -> Option<f64> {
        let index = self.zones.holding(t)?;
        let zone = &self.zones[index];
        let layer = (zone.kind != ZoneKind::Inside).then_some(zone.from.t);
        for crossing in self.exact.iter() {
            let bound = self.bound(crossing);
            if (t - crossing.t).abs() <= bound {
                let earliest = layer.unwrap_or(f64::INFINITY).min(crossing.t - bound);
                return Some(earliest.max(self.zones.reach(index)[0]));
            }
        }
        layer
    }

    /// Returns the latest t of the first crossing, if the primitive is hit however its surface moves.
    fn surely_hit_by(&self, [t_min, t_max]: [f64; 2]) -> Option<f64> {
        let index = self.zones.iter().position(|zone| {
            zone.kind == ZoneKind::Crossed && zone.from.t >= t_min && zone.to.t <= t_max
        })?;
        let zone = &self.zones[index];
        // The answer may be later than the end of the zone, by the bound.
        let by_bound = |crossing: Crossing| crossing.t + self.bound(&crossing);
        let latest = self.exact.first_from(zone.from.t).map_or(zone.to.t, by_bound);
        Some(zone.to.t.max(latest.min(self.zones.reach(index)[1])))
    }

    /// Returns true if a crossing of the exact surface, or the layer about it, lies at `end` of the interval.
    fn crosses_near(&self, end: f64) -> bool {
        end.is_finite() && self.earliest(end).is_some()
    }
}

#[cfg(test)]
mod tests;
