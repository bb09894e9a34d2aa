//! One primitive under one ray: its exact crossings, and where it may be crossed if its surface is displaced.

use crate::crossings::{Crossing, Crossings, ZoneKind, Zones};
use crate::diff::class::K;
use crate::geometry::Primitive;
use crate::math::U;
use crate::ray::Line;

/// Returns the cosine between a line and the normal of a primitive at a crossing.
fn cosine(primitive: &Primitive, line: &Line, crossing: &Crossing) -> f64 {
    let normal = primitive.normal(crossing.face, line.at(crossing.t));
    normal.dot(line.direction).abs() / line.direction.length()
}

/// Returns the bound on |t − t_exact| at a crossing of the exact surface; it is infinite for a grazing ray.
fn bound(primitive: &Primitive, line: &Line, crossing: &Crossing) -> f64 {
    let length = line.direction.length();
    let distance = (line.origin - primitive.center()).length();
    let scale = distance + primitive.radius() + crossing.t.abs() * length;
    primitive.allowance() * K * U * scale / cosine(primitive, line, crossing) / length
}

/// Returns t − t_exact as a fraction of its bound, and infinity outside of every zone, however large the bound is.
/// A flat surface's zones end at its edges, which its plane's bound may pass unless it is grazed.
pub(super) fn signed_error(primitive: &Primitive, line: &Line, t: f32, crossing: &Crossing) -> f64 {
    const GRAZING: f64 = 1e-6;
    let t = f64::from(t);
    let error = t - crossing.t;
    if error == 0.0 {
        return 0.0;
    }
    let delta = primitive.delta(line.origin);
    // A point within δ of the surface lies in a zone.
    let is_in_a_zone = || {
        error.abs() * line.direction.length() <= delta
            // K (D + R + |t| |d|) may be up to twice 16 max(D, R).
            || primitive.zones(line, 2.0 * delta).holding(t).is_some()
    };
    let is_bound_by_zones = || primitive.is_solid() || cosine(primitive, line, crossing) < GRAZING;
    if !is_in_a_zone() && is_bound_by_zones() {
        return f64::INFINITY;
    }
    error / bound(primitive, line, crossing)
}

/// A primitive under a ray whose surface may be displaced by a share of δ both ways.
pub(super) struct CastPrimitive {
    pub ids: [u32; 2],
    pub primitive: Primitive,
    line: Line,
    pub exact: Crossings,
    pub zones: Zones,
    share: f64,
}

impl CastPrimitive {
    pub fn new(ids: [u32; 2], primitive: Primitive, line: Line, share: f64) -> Self {
        let delta = share * primitive.delta(line.origin);
        let (exact, zones) = (primitive.crossings(&line), primitive.zones(&line, delta));
        Self { ids, primitive, line, exact, zones, share }
    }

    /// Returns the same share of the bound on the t of a crossing.
    pub fn bound(&self, crossing: &Crossing) -> f64 {
        self.share * bound(&self.primitive, &self.line, crossing)
    }

    /// Returns the earliest t of the crossing that may be at `t`; `None` if there can be none.
    pub fn earliest(&self, t: f64) -> Option<f64> {
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
    pub fn surely_hit_by(&self, [t_min, t_max]: [f64; 2]) -> Option<f64> {
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
    pub fn crosses_near(&self, end: f64) -> bool {
        end.is_finite() && self.earliest(end).is_some()
    }

    /// Returns where the crossing that was found at `t` is, so that it falls into a zone which may be crossed: at `t` itself,
    /// or at the exact crossing from which rounding moved it. `None` if there is no such crossing.
    pub fn place(&self, t: f32) -> Option<f64> {
        let exact = self.exact.nearest_to(f64::from(t));
        let t = f64::from(t);
        let is_in_doubt = |index: usize| self.zones[index].kind != ZoneKind::Inside;
        if self.zones.holding(t).is_some_and(is_in_doubt) {
            return Some(t);
        }
        let crossing = exact?;
        let error = signed_error(&self.primitive, &self.line, t as f32, &crossing).abs();
        (error <= self.share.min(1.0)).then_some(crossing.t)
    }

    /// Returns the t that stands for it in a report: that of the exact crossing nearest to `t`, or else the middle of a zone.
    pub fn middle(&self, t: f64) -> f64 {
        let exact = self.exact.nearest_to(t).map(|crossing| crossing.t);
        let zone = || self.zones.first().map_or(t, |zone| 0.5 * (zone.from.t + zone.to.t));
        exact.unwrap_or_else(zone)
    }
}
