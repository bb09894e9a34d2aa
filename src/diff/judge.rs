//! One answer against the exact one.

use super::{Class, K};
use crate::cpu::{CpuTracer, Nearest};
use crate::math::U;
use crate::ray::{Hit, Line, NONE, Ray};
use crate::scene::Scene;
use crate::shapes::{Crossing, DELTA, Shape, Span};

/// What became of one answer.
#[derive(Clone, Copy, Debug)]
pub struct Verdict {
    /// How it stands to the exact one.
    pub class: Class,
    /// The type of the shape that the ray meets, by the exact answer or else by the given one; `none`
    /// where both miss, `invalid` for a ray that cannot be cast.
    pub row: &'static str,
    /// |t − t_exact| as a fraction of its bound, where both met the same geometry.
    pub error: Option<f64>,
    /// The answer that was judged.
    pub given: Hit,
    /// The exact answer.
    pub exact: Hit,
}

/// Judges answers to rays at one scene.
#[derive(Debug)]
pub struct Judge<'a> {
    scene: &'a Scene,
    cpu: CpuTracer<'a>,
    center: glam::DVec3,
    radius: f64,
}

impl<'a> Judge<'a> {
    /// A judge that asks this reference.
    pub fn new(scene: &'a Scene, cpu: CpuTracer<'a>) -> Self {
        let bounds = scene.bounds();
        Self { scene, cpu, center: bounds.center(), radius: bounds.radius() }
    }

    /// Classes one answer.
    pub fn judge(&self, ray: &Ray, given: &Hit) -> Verdict {
        if !ray.is_valid() {
            return self.judge_invalid(given);
        }
        let nearest = self.cpu.nearest(ray);
        let error = self.error(ray, given, nearest.as_ref());
        let class = if !is_an_answer(given, ray, self.scene) {
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

    /// Holds an answer of the reference's own walk of the tree against asking every shape: any
    /// difference is a mismatch.
    pub fn judge_walk(&self, ray: &Ray, given: &Hit) -> Verdict {
        if !ray.is_valid() {
            return self.judge_invalid(given);
        }
        let nearest = self.cpu.brute_force(ray);
        let exact = nearest.map_or(Hit::MISS, |nearest| nearest.hit());
        let is_equal =
            exact.t.to_bits() == given.t.to_bits() && exact.geometry_id == given.geometry_id;
        let class = if is_equal { Class::Exact } else { Class::Mismatch };
        self.verdict(given, nearest, self.error(ray, given, nearest.as_ref()), class)
    }

    fn judge_invalid(&self, given: &Hit) -> Verdict {
        let is_refused = given.t.is_nan() && given.geometry_id == NONE;
        let class = if is_refused { Class::Exact } else { Class::Mismatch };
        let exact = Hit::INVALID;
        Verdict { class, row: "invalid", error: None, given: *given, exact }
    }

    /// |t − t_exact| as a fraction of its bound, where both met the same geometry.
    fn error(&self, ray: &Ray, given: &Hit, nearest: Option<&Nearest>) -> Option<f64> {
        let nearest = nearest.filter(|nearest| nearest.geometry_id == given.geometry_id)?;
        Some(Cast::new(self.scene, ray, nearest.geometry_id).error(given.t, &nearest.crossing))
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
        let row = self.scene.shape(met).map_or("none", |shape| shape.kind().name);
        Verdict { class, row, error, given: *given, exact }
    }

    /// Whether moving surfaces by δ can give this answer, and by which doubt.
    fn doubt(&self, ray: &Ray, given: &Hit, nearest: Option<Nearest>) -> Class {
        let claimed = given.is_hit().then(|| Cast::new(self.scene, ray, given.geometry_id));
        // The earliest that the claimed crossing may be, before which nothing may surely be hit.
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
        for id in self.cpu.near(&line, interval, 2.0 * DELTA * U * reach) {
            let latest = Cast::new(self.scene, ray, id).surely_hit_by(interval);
            if latest.is_some_and(|latest| latest < earliest) {
                return Class::Mismatch;
            }
        }
        let exact =
            nearest.map(|nearest| (Cast::new(self.scene, ray, nearest.geometry_id), nearest));
        if let (Some(claimed), Some((cast, nearest))) = (&claimed, &exact)
            && given.geometry_id != nearest.geometry_id
            && cast.earliest(f64::from(given.t)).is_some()
        {
            // The same shape twice is crossed at the same t in any arithmetic: the lower id wins.
            let is_the_same = cast.shape == claimed.shape;
            return if is_the_same { Class::Mismatch } else { Class::Tie };
        }
        let near_an_end = |cast: &Cast<'_>| interval.iter().any(|&end| cast.crosses_near(end));
        if claimed.iter().any(near_an_end) || exact.iter().any(|(cast, _)| near_an_end(cast)) {
            return Class::Range;
        }
        Class::Silhouette
    }
}

/// Whether a hit is of a form that a tracer may return for a valid ray.
fn is_an_answer(hit: &Hit, ray: &Ray, scene: &Scene) -> bool {
    if hit.geometry_id == NONE {
        return hit.t == f32::INFINITY;
    }
    scene.shape(hit.geometry_id).is_some()
        && scene.mask(hit.geometry_id) != 0
        && hit.t >= ray.t_min
        && hit.t <= ray.t_max
}

/// One shape under one ray, as it is and with its surface moved by δ both ways.
struct Cast<'a> {
    shape: &'a Shape,
    line: Line,
    exact: Option<Span>,
    grown: Option<Span>,
    shrunk: Option<Span>,
}

impl<'a> Cast<'a> {
    fn new(scene: &'a Scene, ray: &Ray, geometry_id: u32) -> Self {
        let shape = &scene.shapes()[geometry_id as usize];
        let line = ray.line();
        let delta = shape.delta(line.origin);
        let moved = |delta| shape.grown(delta).and_then(|moved| moved.span(&line));
        Self { shape, exact: shape.span(&line), grown: moved(delta), shrunk: moved(-delta), line }
    }

    /// The bound on |t − t_exact| at a crossing of the exact surface. A grazing ray makes it infinite.
    fn bound(&self, crossing: &Crossing) -> f64 {
        let length = self.line.direction.length();
        let distance = (self.line.origin - self.shape.center()).length();
        let normal = self.shape.normal(crossing.face, self.line.at(crossing.t));
        let cos = normal.dot(self.line.direction).abs() / length;
        let scale = distance + self.shape.bounding_radius() + crossing.t.abs() * length;
        K * U * scale / cos / length
    }

    /// |t − t_exact| as a fraction of its bound; beyond the grown shape no bound, however large, lets
    /// it pass.
    fn error(&self, t: f32, crossing: &Crossing) -> f64 {
        let t = f64::from(t);
        let error = (t - crossing.t).abs();
        if error == 0.0 {
            return 0.0;
        }
        if self.is_beyond(t) { f64::INFINITY } else { error / self.bound(crossing) }
    }

    /// Whether `t` lies outside of the grown shape. It was itself rounded to float32.
    fn is_beyond(&self, t: f64) -> bool {
        let slack = 4.0 * U * t.abs();
        self.grown.is_none_or(|grown| t < grown.enter.t - slack || t > grown.exit.t + slack)
    }

    /// If the shape may be crossed at `t`, the earliest that this crossing may be.
    fn earliest(&self, t: f64) -> Option<f64> {
        let grown = self.grown?;
        if self.is_beyond(t) {
            return None;
        }
        for crossing in self.exact.iter().flat_map(|span| [span.enter, span.exit]) {
            let bound = self.bound(&crossing);
            if (t - crossing.t).abs() <= bound {
                let layer = self.layer(t).unwrap_or(f64::INFINITY);
                return Some(layer.min(crossing.t - bound).max(grown.enter.t));
            }
        }
        self.layer(t)
    }

    /// If `t` lies between the shrunk surface and the grown one, where that layer begins.
    fn layer(&self, t: f64) -> Option<f64> {
        let grown = self.grown?;
        let slack = 4.0 * U * t.abs();
        match self.shrunk {
            _ if self.is_beyond(t) => None,
            Some(shrunk) if t <= shrunk.enter.t + slack => Some(grown.enter.t),
            Some(shrunk) if t >= shrunk.exit.t - slack => Some(shrunk.exit.t),
            Some(_) => None,
            None => Some(grown.enter.t),
        }
    }

    /// If the shape is hit wherever its surface lies, the latest that its first crossing may be.
    fn surely_hit_by(&self, [t_min, t_max]: [f64; 2]) -> Option<f64> {
        let mut latest = f64::NEG_INFINITY;
        for span in [self.exact, self.grown, self.shrunk] {
            let first = span?.first_from(t_min)?;
            if first.t > t_max {
                return None;
            }
            latest = latest.max(first.t);
        }
        let first = self.exact?.first_from(t_min)?;
        let by_bound = (first.t + self.bound(&first)).min(self.grown?.exit.t);
        Some(latest.max(by_bound))
    }

    /// Whether a crossing of the exact surface, or the layer about it, lies at `end` of the interval.
    fn crosses_near(&self, end: f64) -> bool {
        end.is_finite() && self.earliest(end).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packed::Packed;
    use crate::shapes::Sphere;
    use glam::DVec3;

    /// Unit spheres along x at 10, 20 and 20 again, a hair thicker there, and behind a tangent one.
    fn scene() -> Scene {
        let mut scene = Scene::new();
        let spheres = [
            (10.0, 0.0, 1.0),
            (20.0, 0.0, 1.0),
            (20.0, 0.0, 1.0),
            (20.0, 0.0, 0.999_999_9),
            (30.0, 1.0, 1.0),
        ];
        for (x, y, radius) in spheres {
            scene.add(Sphere { center: DVec3::new(x, y, 0.0), radius }).unwrap();
        }
        scene
    }

    fn class(ray: Ray, t: f32, geometry_id: u32) -> Class {
        let scene = scene();
        let packed = Packed::new(&scene).unwrap();
        let judge = Judge::new(&scene, CpuTracer::new(&scene, &packed));
        judge.judge(&ray, &Hit { t, geometry_id }).class
    }

    fn along_x() -> Ray {
        Ray::new([0.0; 3], [1.0, 0.0, 0.0])
    }

    #[test]
    fn right_answers_are_exact_or_within() {
        assert_eq!(class(along_x(), 9.0, 0), Class::Exact);
        assert_eq!(class(along_x(), 9.0_f32.next_up(), 0), Class::Within);
        assert_eq!(class(along_x().within(12.0, 15.0), f32::INFINITY, NONE), Class::Exact);
        assert_eq!(class(along_x().within(2.0, 1.0), f32::NAN, NONE), Class::Exact);
    }

    #[test]
    fn wrong_answers_are_mismatches() {
        let far = f32::INFINITY;
        for (t, id) in [
            (9.001, 0),  // beyond the bound
            (11.0, 0),   // the far wall
            (19.0, 1),   // the sphere behind
            (9.0, 1),    // another's distance
            (far, NONE), // a miss
            (f32::NAN, NONE),
            (9.0, NONE), // a distance of nothing
            (9.0, 7),    // no such geometry
            (30.0, 4),   // a tangent sphere behind, whose bound is infinite
            (15.0, 4),   // nowhere near it
        ] {
            assert_eq!(class(along_x(), t, id), Class::Mismatch, "{t} {id}");
        }
        let short = along_x().within(0.0, 5.0);
        assert_eq!(class(short, 9.0, 0), Class::Mismatch, "beyond t_max");
        assert_eq!(class(along_x().within(2.0, 1.0), 9.0, 0), Class::Mismatch, "an invalid ray");
    }

    #[test]
    fn what_is_thinner_than_the_doubt_may_be_missed_and_what_is_thicker_may_not() {
        // δ is 16 u times 100: about 1e-4.
        let verdict = |thickness: f64| {
            let mut scene = Scene::new();
            let wire = crate::shapes::Cylinder {
                start: DVec3::new(-1.0, 0.0, 100.0),
                end: DVec3::new(1.0, 0.0, 100.0),
                radius: thickness,
            };
            scene.add(wire).unwrap();
            let packed = Packed::new(&scene).unwrap();
            let judge = Judge::new(&scene, CpuTracer::new(&scene, &packed));
            judge.judge(&Ray::new([0.25, 0.0, 0.0], [0.0, 0.0, 1.0]), &Hit::MISS).class
        };
        assert_eq!(verdict(5e-5), Class::Silhouette);
        assert_eq!(verdict(2e-4), Class::Mismatch);
    }

    #[test]
    fn doubts_are_told_apart() {
        let behind = along_x().within(15.0, 100.0);
        assert_eq!(class(behind, 19.0, 1), Class::Exact);
        assert_eq!(class(behind, 19.0, 2), Class::Mismatch, "the same sphere, a higher id");
        assert_eq!(class(behind, 19.0, 3), Class::Tie);

        let miss = (f32::INFINITY, NONE);
        let grazing = Ray::new([0.0, 1.0 - 1e-7, 0.0], [1.0, 0.0, 0.0]).within(0.0, 15.0);
        assert_eq!(class(grazing, miss.0, miss.1), Class::Silhouette);
        let outside = Ray::new([0.0, 1.0 + 2e-6, 0.0], [1.0, 0.0, 0.0]).within(0.0, 15.0);
        assert_eq!(class(outside, 10.0, 0), Class::Silhouette);
        let clear = Ray::new([0.0, 1.001, 0.0], [1.0, 0.0, 0.0]).within(0.0, 15.0);
        assert_eq!(class(clear, 10.0, 0), Class::Mismatch);

        assert_eq!(class(along_x().within(0.0, 9.0), miss.0, miss.1), Class::Range);
        assert_eq!(class(along_x().within(9.0, 15.0), 11.0, 0), Class::Range);
        assert_eq!(class(along_x().within(8.0, 15.0), 11.0, 0), Class::Mismatch);
    }
}
