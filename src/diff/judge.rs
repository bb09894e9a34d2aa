//! One answer against the exact one.

use super::{Class, K};
use crate::cpu::{CpuTracer, Nearest};
use crate::crossings::{Crossing, Crossings, ZoneKind, Zones};
use crate::geometry::Primitive;
use crate::math::{Bounds, U};
use crate::ray::{Hit, Line, NONE, Ray};
use crate::scene::Scene;
use crate::shapes::DELTA;

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
    /// The widest of the scene's kinds.
    allowance: f64,
}

impl<'a> Judge<'a> {
    /// A judge that asks this reference.
    pub fn new(scene: &'a Scene, cpu: CpuTracer<'a>) -> Self {
        // Planes have no bounds, and are asked without.
        let bounds = scene.geometries().iter().filter_map(|geometry| geometry.bounds());
        let bounds = bounds
            .reduce(Bounds::union)
            .unwrap_or(Bounds { min: glam::DVec3::ZERO, max: glam::DVec3::ZERO });
        let allowances = scene.geometries().iter().filter_map(|geometry| geometry.shape(0));
        let allowance = allowances.map(|shape| shape.shape_type().allowance).fold(1.0, f64::max);
        Self { scene, cpu, center: bounds.center(), radius: bounds.radius(), allowance }
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
        let exact = Hit::INVALID;
        Verdict { class, row: "invalid", error: None, given: *given, exact }
    }

    /// |t − t_exact| as a fraction of its bound, where both met the same primitive.
    fn error(&self, ray: &Ray, given: &Hit, nearest: Option<&Nearest>) -> Option<f64> {
        let nearest = nearest.filter(|nearest| {
            nearest.geometry_id == given.geometry_id && nearest.primitive_id == given.primitive_id
        })?;
        let cast = self.cast(ray, [nearest.geometry_id, nearest.primitive_id])?;
        Some(cast.error(given.t, &nearest.crossing))
    }

    /// A part of the scene under a ray.
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
        Verdict { class, row, error, given: *given, exact }
    }

    /// Whether moving surfaces by δ can give this answer, and by which doubt.
    fn doubt(&self, ray: &Ray, given: &Hit, nearest: Option<Nearest>) -> Class {
        let claimed = self.cast(ray, [given.geometry_id, given.primitive_id]);
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
        let near = self.cpu.near(ray, 2.0 * self.allowance * DELTA * U * reach);
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
            // The same shape twice is crossed at the same t in any arithmetic: the lower id wins. But a
            // heightfield's triangles are solved in the field's own frame.
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

impl Judge<'_> {
    /// Whether an answer at `earliest` or later lies behind a surface of many triangles that is surely crossed
    /// before, though which of its triangles is not sure.
    fn passes_a_surface(
        &self,
        mut near: Vec<[u32; 2]>,
        line: &Line,
        [t_min, t_max]: [f64; 2],
        earliest: f64,
    ) -> bool {
        // A thing alone stands in both leaves of its tree.
        near.sort_unstable();
        near.dedup();
        near.chunk_by(|a, b| a[0] == b[0]).filter(|primitives| primitives.len() > 1).any(
            |primitives| {
                let geometry = &self.scene.geometries()[primitives[0][0] as usize];
                let primitive_ids: Vec<u32> = primitives.iter().map(|ids| ids[1]).collect();
                let delta = |&id: &u32| {
                    geometry.primitive(id).map_or(0.0, |primitive| primitive.delta(line.origin))
                };
                let delta = primitive_ids.iter().map(delta).fold(0.0, f64::max);
                let sure = geometry.sure_crossings(&primitive_ids, line, delta);
                sure.iter().any(|&[from, to]| from >= t_min && to <= t_max && to < earliest)
            },
        )
    }
}

/// Whether a hit is of a form that a tracer may return for a valid ray.
fn is_an_answer(hit: &Hit, ray: &Ray, scene: &Scene) -> bool {
    if hit.geometry_id == NONE {
        return hit.t == f32::INFINITY && hit.primitive_id == NONE;
    }
    scene.primitive(hit.geometry_id, hit.primitive_id).is_some()
        && scene.mask(hit.geometry_id) != 0
        && hit.t >= ray.t_min
        && hit.t <= ray.t_max
}

/// One primitive under one ray, as it is and with its surface moved by δ both ways.
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
        Self {
            primitive,
            exact: primitive.shape.crossings(&line),
            zones: primitive.shape.zones(&line, delta),
            line,
        }
    }

    /// The cosine between the line and the normal at a crossing.
    fn cosine(&self, crossing: &Crossing) -> f64 {
        let normal = self.primitive.shape.normal(crossing.face, self.line.at(crossing.t));
        normal.dot(self.line.direction).abs() / self.line.direction.length()
    }

    /// The bound on |t − t_exact| at a crossing of the exact surface. A grazing ray makes it infinite.
    fn bound(&self, crossing: &Crossing) -> f64 {
        let Primitive { shape, center, radius } = &self.primitive;
        let length = self.line.direction.length();
        let distance = (self.line.origin - *center).length();
        let scale = distance + radius + crossing.t.abs() * length;
        shape.shape_type().allowance * K * U * scale / self.cosine(crossing) / length
    }

    /// |t − t_exact| as a fraction of its bound; outside of every zone no bound, however large, lets it
    /// pass. A flat surface's zones end at its edges, which its plane's bound may pass unless it is grazed.
    fn error(&self, t: f32, crossing: &Crossing) -> f64 {
        const GRAZING: f64 = 1e-6;
        let t = f64::from(t);
        let error = (t - crossing.t).abs();
        if error == 0.0 {
            return 0.0;
        }
        let is_bound_by_zones = self.primitive.shape.is_solid() || self.cosine(crossing) < GRAZING;
        if is_bound_by_zones && self.zones.holding(t).is_none() {
            // K (D + R + |t| |d|) may be as much as twice 16 max(D, R).
            let delta = 2.0 * self.primitive.delta(self.line.origin);
            if self.primitive.shape.zones(&self.line, delta).holding(t).is_none() {
                return f64::INFINITY;
            }
        }
        error / self.bound(crossing)
    }

    /// If the primitive may be crossed at `t`, the earliest that this crossing may be.
    fn earliest(&self, t: f64) -> Option<f64> {
        let place = self.zones.holding(t)?;
        let zone = &self.zones[place];
        let layer = (zone.kind != ZoneKind::Inside).then_some(zone.from.t);
        for crossing in self.exact.iter() {
            let bound = self.bound(crossing);
            if (t - crossing.t).abs() <= bound {
                let earliest = layer.unwrap_or(f64::INFINITY).min(crossing.t - bound);
                return Some(earliest.max(self.zones.reach(place)[0]));
            }
        }
        layer
    }

    /// If the primitive is hit wherever its surface lies, the latest that its first crossing may be.
    fn surely_hit_by(&self, [t_min, t_max]: [f64; 2]) -> Option<f64> {
        let place = self.zones.iter().position(|zone| {
            zone.kind == ZoneKind::Crossed && zone.from.t >= t_min && zone.to.t <= t_max
        })?;
        let zone = &self.zones[place];
        // The answer may come later than the zone ends, by the bound.
        let by_bound = |crossing: Crossing| crossing.t + self.bound(&crossing);
        let latest = self.exact.first_from(zone.from.t).map_or(zone.to.t, by_bound);
        Some(zone.to.t.max(latest.min(self.zones.reach(place)[1])))
    }

    /// Whether a crossing of the exact surface, or the layer about it, lies at `end` of the interval.
    fn crosses_near(&self, end: f64) -> bool {
        end.is_finite() && self.earliest(end).is_some()
    }
}

#[cfg(test)]
mod tests;
