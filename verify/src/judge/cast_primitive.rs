//! One primitive under one ray: its exact crossings, and where it may be crossed if its surface is
//! displaced.

use crate::SurfaceTolerance;
use crate::class::K;
use raytwin::crossings::{Crossing, Crossings, Zone, ZoneKind, Zones};
use raytwin::geometry::Primitive;
use raytwin::math::U;
use raytwin::ray::Line;

/// The least bound that errors are divided by: the least positive float32, so that every error is a
/// finite number of bounds.
const LEAST: f64 = 1.5e-45;

/// The cosine between the line and the normal, without a sign.
fn cosine(primitive: &Primitive, line: &Line, crossing: &Crossing) -> f64 {
    let normal = primitive.normal(crossing.face, line.at(crossing.t));
    normal.dot(line.direction).abs() / line.direction.length()
}

/// Returns the distance by which the surface of a primitive may be displaced: δ or, if that is
/// more, the tolerance at the furthest crossing. On a line that does not cross the primitive, the
/// tolerance applies where the line passes it.
pub(super) fn displacement(primitive: &Primitive, line: &Line, tolerance: SurfaceTolerance) -> f64 {
    let passed = || {
        let ahead = (primitive.center() - line.origin).dot(line.direction);
        ahead.abs() / line.direction.length()
    };
    let distance = match tolerance.relative {
        0.0 => 0.0,
        _ => {
            let crossings = primitive.crossings(line);
            let furthest = crossings.iter().map(|crossing| crossing.t.abs()).reduce(f64::max);
            furthest.map_or_else(passed, |t| t * line.direction.length())
        }
    };
    primitive.delta(line.origin).max(tolerance.at(distance))
}

/// Returns the bound on |t − t_exact| at a crossing of the exact surface; it is infinite for a
/// grazing ray. It grows with the distance of both crossings, because an answer is where a
/// displaced surface is: if a line meets a plane at less than u, tilting the plane by u moves the
/// crossing a hundred times further away.
fn bound(
    primitive: &Primitive,
    line: &Line,
    tolerance: SurfaceTolerance,
    t: f64,
    crossing: &Crossing,
) -> f64 {
    let length = line.direction.length();
    let along = t.abs().max(crossing.t.abs()) * length;
    let distance = (line.origin - primitive.center()).length();
    let promised = primitive.allowance() * K * U * (distance + primitive.radius() + along);
    promised.max(tolerance.at(along)) / cosine(primitive, line, crossing) / length
}

/// Returns t − t_exact as a fraction of its bound. However large the bound is for a ray that grazes
/// a solid, it ends where the zones do. The zones of a flat surface end at its edges; unless the
/// ray grazes it, the bound of its plane may extend past them.
pub(super) fn signed_error(
    primitive: &Primitive,
    line: &Line,
    tolerance: SurfaceTolerance,
    t: f32,
    crossing: &Crossing,
) -> f64 {
    const GRAZING: f64 = 1e-6;
    let t = f64::from(t);
    let error = t - crossing.t;
    if error == 0.0 {
        return 0.0;
    }
    let bound = bound(primitive, line, tolerance, t, crossing);
    let delta = primitive.delta(line.origin);
    // A point within δ of the surface lies in a zone.
    let hair = delta / line.direction.length();
    let is_bound_by_zones = primitive.is_solid() || cosine(primitive, line, crossing) < GRAZING;
    if error.abs() <= hair || !is_bound_by_zones {
        return error / bound.max(LEAST);
    }
    // K (D + R + |t| |d|) may be up to twice 16 max(D, R).
    let zones = primitive.zones(line, (2.0 * delta).max(displacement(primitive, line, tolerance)));
    if zones.holding(t).is_some() {
        return error / bound.max(LEAST);
    }
    let reach = zones.holding(crossing.t).map_or(hair, |index| {
        let [from, to] = zones.reach(index);
        if error < 0.0 { crossing.t - from } else { to - crossing.t }
    });
    error / bound.min(reach.max(hair)).max(LEAST)
}

/// A primitive under a ray whose surface may be displaced by a share of δ in both directions.
pub(super) struct CastPrimitive {
    pub ids: [u32; 2],
    pub primitive: Primitive,
    line: Line,
    pub exact: Crossings,
    pub zones: Zones,
    tolerance: SurfaceTolerance,
    /// The share of the allowed displacement, and the displacement itself.
    share: f64,
    delta: f64,
}

impl CastPrimitive {
    pub fn new(
        ids: [u32; 2],
        primitive: Primitive,
        line: Line,
        tolerance: SurfaceTolerance,
        share: f64,
    ) -> Self {
        let delta = share * displacement(&primitive, &line, tolerance);
        let (exact, zones) = (primitive.crossings(&line), primitive.zones(&line, delta));
        Self { ids, primitive, line, exact, zones, tolerance, share, delta }
    }

    /// Returns the same share of the bound on the t of a crossing.
    pub fn bound(&self, crossing: &Crossing) -> f64 {
        self.bound_of(crossing.t, crossing)
    }

    /// Returns the same share of the bound on the `t` of a crossing.
    fn bound_of(&self, t: f64, crossing: &Crossing) -> f64 {
        self.share * bound(&self.primitive, &self.line, self.tolerance, t, crossing)
    }

    /// Returns true if `t`, which is rounded to float32, is off from an exact crossing by at most a
    /// multiple of this share of the bound.
    fn is_within(&self, multiple: f64, t: f64, crossing: &Crossing) -> bool {
        let bound = multiple * self.bound_of(t, crossing);
        let with_rounding = (bound + 4.0 * U * t.abs()).min(bound / self.share);
        (t - crossing.t).abs() <= with_rounding
    }

    /// Returns true if `t` may be that of an exact crossing, within the share of its bound.
    fn is_within_bound(&self, t: f64, crossing: &Crossing) -> bool {
        self.is_within(1.0, t, crossing)
    }

    /// Returns true if `t` may be that of the only crossing in a zone, within the share of its
    /// bound. Near an outline, where the surface curves away, a displacement moves the crossing
    /// further than the displacement over the cosine, and the bound grows by the same factor.
    fn follows(&self, zone: &Zone, t: f64, crossing: &Crossing) -> bool {
        let length = self.line.direction.length();
        let straight = self.delta / cosine(&self.primitive, &self.line, crossing) / length;
        let moved = if t < crossing.t { crossing.t - zone.from.t } else { zone.to.t - crossing.t };
        let curved = if self.is_flat() { 1.0 } else { (moved / straight).max(1.0) };
        self.is_within(curved, t, crossing)
    }

    fn is_flat(&self) -> bool {
        self.primitive.most_crossings() == 1
    }

    /// Returns the exact crossing in a zone that has one crossing of one face, so that no
    /// displacement changes which face is hit there. Its t must then be within the bound.
    pub fn only_crossing(&self, zone: &Zone) -> Option<Crossing> {
        let is_one_face = || {
            zone.kind == ZoneKind::Crossed
                && zone.from.face == zone.to.face
                && !self.primitive.may_meet_rim(&self.line, self.delta, zone)
        };
        let mut within = self.exact.within([zone.from.t, zone.to.t]);
        let first = within.next().filter(|_| self.is_flat() || is_one_face())?;
        within.next().is_none().then_some(first)
    }

    /// Returns the earliest t of a crossing that may be at `t`; `None` if there can be none.
    pub fn earliest(&self, t: f64) -> Option<f64> {
        let index = self.zones.holding(t)?;
        let zone = &self.zones[index];
        let layer = (zone.kind != ZoneKind::Inside).then_some(zone.from.t);
        for crossing in self.exact.iter() {
            if self.is_within_bound(t, crossing) {
                let earliest =
                    layer.unwrap_or(f64::INFINITY).min(crossing.t - self.bound(crossing));
                return Some(earliest.max(self.zones.reach(index)[0]));
            }
        }
        layer.filter(|_| self.only_crossing(zone).is_none_or(|only| self.follows(zone, t, &only)))
    }

    /// Returns true if a displaced surface, or the bound on a crossing of the exact one, reaches
    /// `t`.
    pub fn reaches(&self, t: f64) -> bool {
        let is_near = || self.exact.iter().any(|crossing| self.is_within_bound(t, crossing));
        let zone = self.zones.holding(t).map(|index| self.zones[index].kind);
        zone.is_some_and(|kind| kind != ZoneKind::Inside || is_near())
    }

    /// Returns the latest t of the first crossing, if the primitive is hit however its surface
    /// moves.
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

    /// Returns the position of the crossing that was found at `t`, so that it is in a zone that may
    /// be crossed: `t` itself, or the exact crossing from which rounding moved it. `None` if there
    /// is no such crossing.
    pub fn t_in_zone(&self, t: f32) -> Option<f64> {
        let of_zone = self.zones.holding(f64::from(t)).map(|index| &self.zones[index]);
        if let Some(zone) = of_zone.filter(|zone| zone.kind != ZoneKind::Inside) {
            let at = f64::from(t);
            return match self.only_crossing(zone) {
                None => Some(at),
                Some(crossing) => self.follows(zone, at, &crossing).then_some(crossing.t),
            };
        }
        let crossing = self.exact.nearest_to(f64::from(t))?;
        let error = signed_error(&self.primitive, &self.line, self.tolerance, t, &crossing).abs();
        (error <= self.share.min(1.0)).then_some(crossing.t)
    }

    /// Returns the t for a report: that of the exact crossing nearest to `t`, or else the middle of
    /// a zone.
    pub fn middle(&self, t: f64) -> f64 {
        let exact = self.exact.nearest_to(t).map(|crossing| crossing.t);
        let zone = || self.zones.first().map_or(t, |zone| 0.5 * (zone.from.t + zone.to.t));
        exact.unwrap_or_else(zone)
    }
}
