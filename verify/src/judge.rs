//! Judges answers against the exact ones, which are those of the float64 tracer. Equal bits are
//! exact at once. An answer that differs is checked against the stretches of its ray in which
//! surfaces may be crossed (`stretches.rs`), and for the least displacement that excuses it
//! (`excuse.rs`).

mod cast_primitive;
mod closest;
mod containers;
mod crossings;
mod excuse;
mod filtered_ray;
mod parts;
mod points;
mod stretches;

use super::verdict::{Answer, Verdict};
use super::{Class, GivenParts, SurfaceTolerance};
use cast_primitive::CastPrimitive;
use filtered_ray::FilteredRay;
use raytwin::cpu::CpuTracer;
use raytwin::geometry::Primitive;
use raytwin::math::{Bounds, U};
use raytwin::packed::PackedScene;
use raytwin::parallel::{RAYS_A_TASK, mapped};
use raytwin::query::{AllHits, Answers, Batch, BatchError, Hits, PointHit};
use raytwin::question::{Question, QuestionAnswers};
use raytwin::ray::{Hit, Line, NONE};
use raytwin::scene::Scene;
use raytwin::shapes::DELTA;
use raytwin::tracer::{TraceError, Tracer};
use std::ops::Range;
use std::sync::Arc;

/// Judges answers to rays and points in one scene. Clones share its reference.
#[derive(Clone, Debug)]
pub struct Judge {
    packed: PackedScene,
    scene: Arc<Scene>,
    reference: Arc<CpuTracer>,
    center: glam::DVec3,
    radius: f64,
    /// The largest allowance of the scene's primitives.
    allowance: f64,
    /// True if the reference tests every primitive, and any difference from it is a mismatch.
    is_by_brute_force: bool,
    /// The tolerance, which applies where it is wider than raytwin's bound; zero for the bound
    /// only.
    tolerance: SurfaceTolerance,
}

impl Judge {
    /// Makes a judge with a reference of its own.
    pub fn new(packed: &PackedScene) -> Self {
        let scene = Arc::clone(packed.scene());
        let reference = Arc::new(CpuTracer::new(packed));
        // Planes have no bounding boxes and need none to be found.
        let bounds = packed.all_worlds().bounded();
        let bounds = match bounds.min.is_finite() {
            true => bounds,
            false => Bounds { min: glam::DVec3::ZERO, max: glam::DVec3::ZERO },
        };
        Self {
            center: bounds.center(),
            radius: bounds.radius(),
            allowance: packed.all_worlds().widest_allowance(),
            packed: packed.clone(),
            scene,
            reference,
            is_by_brute_force: false,
            tolerance: SurfaceTolerance::default(),
        }
    }

    /// Makes a judge whose reference tests every primitive, for answers of the reference's own BVH
    /// traversal: any difference in bits is a mismatch.
    pub fn by_brute_force(packed: &PackedScene) -> Self {
        Self { is_by_brute_force: true, ..Self::new(packed) }
    }

    /// Uses a tolerance where it is wider than raytwin's bound.
    pub fn with_tolerance(self, tolerance: SurfaceTolerance) -> Self {
        Self { tolerance, ..self }
    }

    pub(super) fn with_share_of_tolerance(&self, share: f64) -> Self {
        let SurfaceTolerance { absolute, relative } = self.tolerance;
        let tolerance = SurfaceTolerance { absolute: share * absolute, relative: share * relative };
        self.clone().with_tolerance(tolerance)
    }

    /// Returns the share of its tolerance that is as wide as a rounding of the scene's size; at
    /// most 1.
    pub(super) fn share_of_rounding(&self) -> f64 {
        let size = self.center.length() + self.radius;
        (U * size / self.tolerance.at(size)).clamp(1e-12, 1.0)
    }

    /// Returns true if the scene has no origin and is so far from 0 for its size that rounding its
    /// coordinates moves its shapes by more than the rounding of a caster.
    pub(super) fn is_far(&self) -> bool {
        let has_origin = self.scene.origin() != glam::DVec3::ZERO;
        !has_origin && self.center.length() > 4.0 * self.radius
    }

    /// Returns the distance from a point to the farthest part of the scene's bounded shapes.
    pub(super) fn reach(&self, point: glam::DVec3) -> f64 {
        (point - self.center).length() + self.radius
    }

    /// Returns the tolerance; `None` if only raytwin's bound applies.
    pub fn tolerance(&self) -> Option<SurfaceTolerance> {
        (self.tolerance != SurfaceTolerance::default()).then_some(self.tolerance)
    }

    /// Returns the tracer whose answers count as exact.
    pub fn reference(&self) -> &CpuTracer {
        &self.reference
    }

    /// Judges the answers to a batch of rays, in their order. The type of the answers determines
    /// the query. Closest hits may lack t or ids, but not both: the given part is right if it
    /// belongs to a right hit.
    ///
    /// # Errors
    /// [`BatchError`], if the batch does not match the scene or the answers do not match the batch.
    pub fn judge(&self, batch: Batch<'_>, answers: &Answers) -> Result<Vec<Verdict>, TraceError> {
        check_count(answers.rays(), batch.len())?;
        if let Answers::Closest(Hits { t_hit, geometry_ids, primitive_ids, .. }) = answers {
            // The answers of our own traversal have all parts. A primitive id means nothing without
            // its geometry id.
            let may_lack = |count| count == 0 && !self.is_by_brute_force;
            let is_alone = geometry_ids.is_empty() && !primitive_ids.is_empty();
            let counts = [t_hit.len(), geometry_ids.len(), primitive_ids.len()];
            for count in counts.into_iter().filter(|&count| is_alone || !may_lack(count)) {
                check_count(count, batch.len())?;
            }
        }
        if self.is_by_brute_force {
            batch.check(&self.scene)?;
            return Ok(self.compare_with_brute_force(batch, answers));
        }
        let rays = batch.len();
        Ok(match answers {
            Answers::Closest(given) => {
                let exact = self.reference.closest(batch)?;
                let parts = GivenParts::of(given);
                let judge = |ray: usize| match parts {
                    GivenParts::ALL => self.judge_closest(batch, ray, given.hit(ray), exact[ray]),
                    parts => self.judge_parts(batch, ray, (given, parts), exact[ray]),
                };
                mapped(rays, RAYS_A_TASK, judge)
            }
            Answers::Any(given) => {
                let exact = self.reference.any(batch)?;
                let judge = |ray| self.judge_any(batch, ray, given[ray], exact[ray]);
                mapped(rays, RAYS_A_TASK, judge)
            }
            Answers::Count(given) => {
                let exact = self.reference.count(batch)?;
                let judge = |ray| self.judge_count(batch, ray, given[ray], exact[ray]);
                mapped(rays, RAYS_A_TASK, judge)
            }
            Answers::All(given) => {
                let exact = self.reference.all(batch)?;
                let of_ray = |all: &AllHits, ray| all.of_ray(ray).collect();
                let judge =
                    |ray| self.judge_all(batch, ray, of_ray(given, ray), of_ray(&exact, ray));
                mapped(rays, RAYS_A_TASK, judge)
            }
        })
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
        if self.is_by_brute_force {
            let verdict = |index: usize| {
                let given = hits[index];
                let exact = self.reference.point_hit_by_brute_force(points[index]);
                self.verdict_by_bits(given == exact, [given, exact].map(Answer::Point))
            };
            return Ok(mapped(points.len(), 1, verdict));
        }
        let exact = self.reference.points(points)?;
        let verdict = |index: usize| self.judge_point(points[index], hits[index], exact[index]);
        Ok(mapped(points.len(), RAYS_A_TASK, verdict))
    }

    /// Judges the answers to a piece of a question, in their order. Answers to an image are judged
    /// against the rays that the device reports; [`camera_error`](super::camera_error) returns the
    /// error of these rays.
    ///
    /// # Errors
    /// [`BatchError`], if the question does not match the scene or the answers do not match the
    /// question.
    pub fn judge_answers(
        &self,
        question: &Question,
        piece: Range<usize>,
        answers: &QuestionAnswers,
    ) -> Result<Vec<Verdict>, TraceError> {
        match (question, answers) {
            (Question::Image(views), QuestionAnswers::Image { rays, hits })
                if rays.len() == piece.len() =>
            {
                let query = views.as_query(piece, rays.clone());
                self.judge(query.batch()?, &Answers::Closest(hits.clone()))
            }
            (Question::Rays(question), QuestionAnswers::Rays(answers))
                if question.query.kind() == answers.query() =>
            {
                self.judge(question.batch()?.slice(piece), answers)
            }
            (Question::Points(points), QuestionAnswers::Points(hits)) => {
                self.judge_points(&points[piece], hits)
            }
            _ => Err(BatchError::Answers { given: answers.len(), asked: piece.len() }.into()),
        }
    }

    /// Judges answers of the reference's own traversal.
    fn compare_with_brute_force(&self, batch: Batch<'_>, answers: &Answers) -> Vec<Verdict> {
        let verdict = |index: usize| {
            let ray = FilteredRay::of(batch, index);
            let crossings = |is_counted| {
                ray.map_or(Vec::new(), |ray| {
                    let filter = (ray.filter(&self.packed), ray.ignored());
                    self.reference.crossings_by_brute_force(&ray.ray, filter, is_counted)
                })
            };
            let start = ray.filter(FilteredRay::may_start_inside).and_then(|ray| {
                let (t, filter) = (ray.ray.t_min, (ray.filter(&self.packed), ray.ignored()));
                let containers = self.reference.containers_by_brute_force(&ray.ray, t, filter);
                let geometry_id = containers.into_iter().min()?;
                Some(Hit { t, geometry_id, primitive_id: 0 })
            });
            let bits = |hit: &Hit| (hit.t.to_bits(), hit.geometry_id, hit.primitive_id);
            let (is_equal, answers) = match answers {
                Answers::Closest(given) => {
                    let (given, valid) = (given.hit(index), ray.map(|_| Hit::MISS));
                    let found = start.or_else(|| crossings(false).first().copied());
                    let exact = found.or(valid).unwrap_or(Hit::INVALID);
                    (bits(&given) == bits(&exact), [given, exact].map(Answer::Closest))
                }
                Answers::Any(given) => {
                    let exact = start.is_some() || !crossings(false).is_empty();
                    (given[index] == exact, [given[index], exact].map(Answer::Any))
                }
                Answers::Count(given) => {
                    let exact = crossings(true).len() as u32;
                    (given[index] == exact, [given[index], exact].map(Answer::Count))
                }
                Answers::All(given) => {
                    let both: [Box<[Hit]>; 2] =
                        [given.of_ray(index).collect(), crossings(true).into()];
                    let [given, exact] = [0, 1].map(|of| both[of].iter().map(bits));
                    (given.eq(exact), both.map(Answer::All))
                }
            };
            match ray {
                Some(_) => self.verdict_by_bits(is_equal, answers),
                None => self.invalid(is_equal, answers),
            }
        };
        mapped(batch.len(), 1, verdict)
    }

    fn verdict_by_bits(&self, is_equal: bool, [given, exact]: [Answer; 2]) -> Verdict {
        let class = if is_equal { Class::Exact } else { Class::Mismatch };
        let met = [&exact, &given].into_iter().find_map(Answer::geometry_id);
        let row = match &exact {
            Answer::Any(_) | Answer::Count(_) => {
                if exact.is_hit() || given.is_hit() {
                    "hit"
                } else {
                    "none"
                }
            }
            _ => self.type_of(met.unwrap_or(NONE)),
        };
        Verdict { class, row, error: None, distance_error: None, cause: None, given, exact }
    }

    fn invalid(&self, is_refused: bool, [given, exact]: [Answer; 2]) -> Verdict {
        let class = if is_refused { Class::Exact } else { Class::Mismatch };
        Verdict {
            class,
            row: "invalid",
            error: None,
            distance_error: None,
            cause: None,
            given,
            exact,
        }
    }

    /// Returns the type of a geometry, as reports name it.
    fn type_of(&self, geometry_id: u32) -> &'static str {
        self.scene.geometry(geometry_id).map_or("none", |geometry| geometry.type_name())
    }

    fn primitive(
        &self,
        ray: &FilteredRay<'_>,
        [geometry_id, primitive_id]: [u32; 2],
    ) -> Option<Primitive> {
        self.scene.primitive_in(ray.world(), geometry_id, primitive_id)
    }

    /// Returns a primitive under a ray whose surface may be displaced by a share of δ.
    fn cast(&self, ray: &FilteredRay<'_>, ids: [u32; 2], share: f64) -> Option<CastPrimitive> {
        self.primitive(ray, ids)
            .map(|primitive| CastPrimitive::new(ids, primitive, ray.line, self.tolerance, share))
    }

    /// Returns twice the largest displacement by a share of δ of any primitive.
    fn pad(&self, line: &Line, share: f64) -> f64 {
        let reach = self.reach(line.origin);
        2.0 * share * (self.allowance * DELTA * U * reach).max(self.tolerance.at(reach))
    }

    /// Returns the primitives that a ray may cross if surfaces are displaced by a share of δ.
    fn near(&self, ray: &FilteredRay<'_>, share: f64) -> Vec<[u32; 2]> {
        let filter = ray.filter(&self.packed);
        self.reference.near(&ray.ray, &filter, self.pad(&ray.line, share))
    }
}

fn check_count(given: usize, asked: usize) -> Result<(), BatchError> {
    if given == asked { Ok(()) } else { Err(BatchError::Answers { given, asked }) }
}

#[cfg(test)]
mod tests;
