//! The relation of two solids.
//!
//! For two convex solids, the larger of a point's two signed distances is a convex function of the
//! point. Its minimum is the deepest point in both, or the point midway between them if they are
//! apart. The ellipsoid method finds it. For other solids this is true only near a point, so lines
//! give the points from which to start. All results are checked: a point is in both only if the
//! containment test confirms it, deeper than float32 may have moved either surface, and two solids
//! are apart only if a plane separates their hulls.

use super::ellipsoid_method::{Cut, Minimum, Precision, minimum};
use super::hull::{gap_along, widest_gap};
use super::inside::lies_inside;
use super::lines::Lattice;
use super::options::OverlapOptions;
use super::overlap::{Overlap, OverlapKind};
use super::solid::Solid;
use crate::math::Bounds;
use glam::DVec3;
use std::ops::ControlFlow;

/// The deepest points are searched for until none can be deeper by more than this share.
const DEPTH: Precision = Precision { absolute: 0.0, relative: 0.01, steps: 400 };

/// The number of points on lines from which a deeper point is searched.
const STARTS: usize = 8;

/// What was found about a pair.
pub(super) enum PairFinding {
    /// The two are apart, and no nearer than the clearance that was asked for.
    Apart {
        is_proved: bool,
    },
    Listed(Overlap),
}

/// Two solids, the one with the lower id first.
pub(super) struct Pair<'a> {
    pub solids: [&'a Solid; 2],
    pub options: &'a OverlapOptions,
}

impl Pair<'_> {
    /// Finds the relation of the two.
    pub fn finding(&self) -> PairFinding {
        let [a, b] = self.solids;
        let mut widest = f64::NEG_INFINITY;
        let best = match a.is_convex() && b.is_convex() {
            true => self.deepest_of_convex(&mut widest),
            false => {
                let in_bores = [a.gap_in_bore(b), b.gap_in_bore(a)].into_iter().flatten();
                widest = in_bores.fold(f64::NEG_INFINITY, f64::max);
                if widest <= 0.0 {
                    widest = self.widest_gap();
                }
                if self.is_parted(widest) { None } else { self.deepest_of_lines() }
            }
        };
        if let Some(overlap) = best.as_ref().and_then(|best| self.overlap(best.point)) {
            return PairFinding::Listed(overlap);
        }
        if !self.is_parted(widest) && a.is_convex() && b.is_convex() {
            widest = widest.max(self.widest_gap());
        }
        self.without_overlap(best, widest)
    }

    /// Returns true if a gap settles the pair.
    fn is_parted(&self, gap: f64) -> bool {
        gap > 0.0 && gap >= self.options.clearance
    }

    fn widest_gap(&self) -> f64 {
        let precision = match self.options.clearance > 0.0 {
            true => Precision { absolute: 1e-3 * self.doubt(), relative: 1e-6, steps: 400 },
            false => Precision { absolute: 0.1 * self.doubt(), relative: 0.0, steps: 400 },
        };
        widest_gap(self.solids, self.options.clearance.max(f64::MIN_POSITIVE), precision)
    }

    /// Returns the larger of the two doubts about a point in the space that both share.
    fn doubt(&self) -> f64 {
        let at = self.shared(0.0).center();
        self.solids.map(|solid| solid.doubt(at)).into_iter().fold(0.0, f64::max)
    }

    /// Returns the intersection of both boxes, or the box between them if they are apart, grown by
    /// a margin.
    fn shared(&self, margin: f64) -> Bounds {
        let [a, b] = self.solids.map(|solid| solid.bounds);
        let (low, high) = (a.min.max(b.min), a.max.min(b.max));
        Bounds { min: low.min(high) - margin, max: low.max(high) + margin }
    }

    /// Returns the larger of a point's signed distances from the two, with its gradient.
    fn distance(&self, point: DVec3) -> Cut {
        larger(self.solids.map(|solid| solid.distance(point)))
    }

    /// Searches for the deepest point in two convex solids. If a point is not in both, the gap
    /// along the gradient is tried, which usually settles the pair.
    fn deepest_of_convex(&self, widest: &mut f64) -> Option<Minimum> {
        let doubt = self.doubt();
        let region = self.shared(doubt);
        let precision = Precision { absolute: 0.1 * doubt, ..DEPTH };
        let best = minimum(region.center(), region.radius(), precision, |at| {
            let [a, b] = self.solids.map(|solid| solid.distance(at));
            let distance = larger([a, b]);
            if distance.value > 0.0 {
                *widest = widest.max(gap_along(self.solids, a.gradient - b.gradient));
                if self.is_parted(*widest) {
                    return ControlFlow::Break(());
                }
            }
            ControlFlow::Continue(distance)
        });
        best.value.is_finite().then_some(best)
    }

    /// Searches for the deepest point from where lines show the two to be nearest to each other, or
    /// to overlap most.
    fn deepest_of_lines(&self) -> Option<Minimum> {
        let [a, b] = self.solids;
        let (lattice, doubt) = (self.lattice(), self.doubt());
        // Points of lines, each with the length that lies in both, negative for a gap.
        let mut starts: Vec<(f64, DVec3)> = Vec::with_capacity(STARTS + 1);
        let [mut of_a, mut of_b] = [Vec::new(), Vec::new()];
        let along = [a, b].into_iter().flat_map(|solid| solid.lines_along());
        for line in along.chain(lattice.lines()) {
            // This many points in both lead to the deepest as well as all would.
            if starts.get(STARTS - 1).is_some_and(|(length, _)| *length > doubt) {
                break;
            }
            of_a.clear();
            of_b.clear();
            a.crossings(&line, &mut of_a);
            b.crossings(&line, &mut of_b);
            let pairs =
                of_a.chunks_exact(2).flat_map(|a| of_b.chunks_exact(2).map(move |b| (a, b)));
            let most = pairs.map(|(a, b)| {
                let (from, to) = (a[0].max(b[0]), a[1].min(b[1]));
                (to - from, 0.5 * (from + to))
            });
            let Some((length, t)) = most.reduce(|a, b| if b.0 > a.0 { b } else { a }) else {
                continue;
            };
            let at = starts.partition_point(|(other, _)| *other >= length);
            if at < STARTS {
                starts.insert(at, (length, line.at(t)));
                starts.truncate(STARTS);
            }
        }
        let start = |(_, point)| Minimum { point, value: self.distance(point).value };
        let mut starts: Vec<Minimum> = starts.into_iter().map(start).collect();
        starts.sort_unstable_by(|a, b| a.value.total_cmp(&b.value));
        // If points in both are already known, the deepest of them leads to a deeper one.
        if starts.first().is_some_and(|deepest| deepest.value < -doubt) {
            starts.truncate(1);
        }
        let deeper = |a: Minimum, b: Minimum| if b.value < a.value { b } else { a };
        let near = |start| self.deepest_near(start, lattice.spacing());
        let best = starts.into_iter().map(near).reduce(deeper)?;
        Some(if best.value < -doubt { best } else { self.deepest_where_surfaces_meet(best) })
    }

    /// Searches for a point in both next to a point where the surfaces meet, in balls that shrink
    /// to the thickness of a thin wall.
    fn deepest_where_surfaces_meet(&self, best: Minimum) -> Minimum {
        let (doubt, [on_a, on_b]) = (self.doubt(), nearest_points(self.solids, best.point));
        if on_a.distance(on_b) > doubt {
            return best;
        }
        let mut reach = self.shared(doubt).radius();
        while reach > doubt {
            let found = self.deepest_within(on_a, reach);
            if found.value < -doubt {
                return self.deepest_near(found, reach);
            }
            reach *= 0.25;
        }
        best
    }

    fn deepest_within(&self, center: DVec3, reach: f64) -> Minimum {
        let precision = Precision { absolute: 0.1 * self.doubt(), ..DEPTH };
        minimum(center, reach, precision, |at| ControlFlow::Continue(self.distance(at)))
    }

    /// Searches for a deeper point near one, in ever smaller balls.
    fn deepest_near(&self, start: Minimum, reach: f64) -> Minimum {
        let mut best = start;
        for radius in [1.0, 0.25, 0.0625].map(|share| share * reach) {
            // The distance changes by no more than the point moves.
            if best.value > radius {
                break;
            }
            let found = self.deepest_within(best.point, radius);
            let gain = best.value - found.value;
            if gain > 0.0 {
                best = found;
            }
            if best.value < 0.0 && gain <= DEPTH.relative * -best.value {
                break;
            }
        }
        best
    }

    /// Returns the distance between neighbouring lines.
    pub fn spacing(&self) -> f64 {
        self.lattice().spacing()
    }

    fn lattice(&self) -> Lattice {
        let ids = self.solids.map(|solid| solid.geometry_id);
        Lattice::new(&self.shared(self.doubt()), self.options.lines, self.options.seed, ids)
    }

    /// Returns the overlap of which a point is a witness, if it is one.
    fn overlap(&self, point: DVec3) -> Option<Overlap> {
        let [a, b] = self.solids;
        let [in_a, in_b] = [a.depth(point)?, b.depth(point)?];
        if in_a <= a.doubt(point) || in_b <= b.doubt(point) {
            return None;
        }
        let depth = in_a.min(in_b);
        let kind = match depth > self.options.tolerance {
            false => (OverlapKind::Touching, true),
            true => self.kind(),
        };
        Some(Overlap {
            geometry_ids: [a.geometry_id, b.geometry_id],
            kind: kind.0,
            depth,
            gap_at_least: f64::NAN,
            witness: [point; 2],
            is_proved: kind.1,
        })
    }

    /// Returns which of the two lies in the other, if one does, and whether that is proved.
    fn kind(&self) -> (OverlapKind, bool) {
        let [a, b] = self.solids;
        let [first, second] =
            [[a, b], [b, a]].map(|[inner, outer]| lies_inside(inner, outer, self.options));
        match (first, second) {
            // If each is inside the other, they coincide to float32 precision.
            (Some(_), Some(_)) => (OverlapKind::Pierces, true),
            (Some(is_proved), None) => (OverlapKind::Inside { inner: a.geometry_id }, is_proved),
            (None, Some(is_proved)) => (OverlapKind::Inside { inner: b.geometry_id }, is_proved),
            (None, None) => (OverlapKind::Pierces, true),
        }
    }

    /// Returns the finding about two solids without a witness of an overlap.
    fn without_overlap(&self, best: Option<Minimum>, widest: f64) -> PairFinding {
        if self.is_parted(widest) {
            return PairFinding::Apart { is_proved: true };
        }
        let is_proved = widest > 0.0;
        let [a, b] = self.solids;
        let start = best.map_or_else(|| self.shared(0.0).center(), |best| best.point);
        let gap_of = |[on_a, on_b]: [DVec3; 2]| on_a.distance(on_b);
        let starts = [start, a.center(), b.center()];
        let from = |start| nearest_points([a, b], start);
        let nearer = |one, other| if gap_of(other) < gap_of(one) { other } else { one };
        let nearest = starts[1..].iter().map(|start| from(*start)).fold(from(start), nearer);
        let gap = gap_of(nearest);
        let listed = |kind| {
            PairFinding::Listed(Overlap {
                geometry_ids: [a.geometry_id, b.geometry_id],
                kind,
                depth: -gap,
                gap_at_least: if is_proved { widest } else { 0.0 },
                witness: nearest,
                is_proved,
            })
        };
        let is_touching = gap.min(best.map_or(gap, |best| best.value)) <= self.doubt();
        match () {
            () if !is_proved && is_touching => listed(OverlapKind::Touching),
            () if gap < self.options.clearance => listed(OverlapKind::Near),
            () => PairFinding::Apart { is_proved },
        }
    }
}

/// Returns the larger of two signed distances, with its gradient.
fn larger([a, b]: [Cut; 2]) -> Cut {
    if b.value > a.value { b } else { a }
}

/// Returns two points of surfaces that are near each other, by projections from one to the other
/// and back: of convex solids that are apart they are the nearest two, up to rounding.
fn nearest_points([a, b]: [&Solid; 2], start: DVec3) -> [DVec3; 2] {
    let mut on_a = a.closest_point(start);
    let mut on_b = b.closest_point(on_a);
    for _ in 0..100 {
        let next = a.closest_point(on_b);
        let moved = next.distance(on_a);
        on_a = next;
        on_b = b.closest_point(on_a);
        if moved <= a.rounding() + b.rounding() {
            break;
        }
    }
    [on_a, on_b]
}
