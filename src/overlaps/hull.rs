//! The plane that separates two convex hulls, computed from their support points. Along any
//! direction, the gap is the distance from the farthest point of one to the nearest point of the
//! other. The direction of the widest gap is the minimum of a convex function, as in the algorithm
//! of Gilbert, Johnson and Keerthi (1988), which uses the same support points.

use super::ellipsoid_method::{Cut, Precision, minimum};
use super::solid::Solid;
use glam::DVec3;
use std::ops::ControlFlow;

/// Returns the gap between two hulls along a direction from the first to the second, minus all
/// rounding of float64; negative if they overlap. For a half-space its own direction is used.
pub(super) fn gap_along([a, b]: [&Solid; 2], direction: DVec3) -> f64 {
    let of_b = b.half_space.map(|normal| -normal);
    let along = a.half_space.or(of_b).unwrap_or_else(|| direction.normalize_or_zero());
    (b.support(-along) - a.support(along)).dot(along) - a.rounding() - b.rounding()
}

/// Returns the widest gap found between two hulls. The search ends at a gap of `enough`, or when
/// the gap is known to `precision`.
pub(super) fn widest_gap(pair: [&Solid; 2], enough: f64, precision: Precision) -> f64 {
    let [a, b] = pair;
    let start = (b.center() - a.center()).normalize_or(DVec3::X);
    let mut widest = gap_along(pair, start);
    if a.half_space.or(b.half_space).is_some() {
        return widest;
    }
    // Gaps are along unit vectors. Beyond the unit ball the function rises more steeply than any
    // gap falls, which keeps it convex and its minimum within.
    let steepness = 2.0 * (a.center().distance(b.center()) + a.radius() + b.radius());
    minimum(start, 2.0, precision, |direction| {
        let length = direction.length();
        let between = a.support(direction) - b.support(-direction);
        let mut cut = Cut { value: between.dot(direction), gradient: between };
        if cut.value < 0.0 {
            widest = widest.max(-cut.value / length - a.rounding() - b.rounding());
        }
        if widest >= enough {
            return ControlFlow::Break(());
        }
        if length > 1.0 {
            cut.value += steepness * (length - 1.0);
            cut.gradient += steepness / length * direction;
        }
        ControlFlow::Continue(cut)
    });
    widest
}
