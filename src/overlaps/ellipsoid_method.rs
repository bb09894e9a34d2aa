//! The minimum of a convex function of three variables, by the ellipsoid method with deep cuts
//! (Shor 1977; Yudin and Nemirovski 1976; the formulas are those of Bland, Goldfarb and Todd, The
//! Ellipsoid Method: A Survey, 1981). It needs only a value and a subgradient, so edges and corners
//! need no special treatment, and it bounds the minimum from below.

use glam::{DMat3, DVec3};
use std::ops::ControlFlow;

/// The value of a function at a point, and a subgradient there.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cut {
    pub value: f64,
    pub gradient: DVec3,
}

/// The required precision of a minimum. The search ends once the minimum cannot be lower by more
/// than `absolute`, or by more than the share `relative` of its own size.
#[derive(Clone, Copy, Debug)]
pub(super) struct Precision {
    pub absolute: f64,
    pub relative: f64,
    pub steps: usize,
}

/// The lowest value found.
#[derive(Clone, Copy, Debug)]
pub(super) struct Minimum {
    pub point: DVec3,
    pub value: f64,
}

/// Returns the lowest value found within a ball. If the function is convex and the ball contains
/// its minimum, the value has the required precision. `cut` may end the search.
pub(super) fn minimum(
    center: DVec3,
    radius: f64,
    precision: Precision,
    mut cut: impl FnMut(DVec3) -> ControlFlow<(), Cut>,
) -> Minimum {
    let mut at = center;
    // The ellipsoid is the points x with (x − at)ᵀ shape⁻¹ (x − at) <= 1.
    let mut shape = DMat3::from_diagonal(DVec3::splat(radius * radius));
    let mut best = Minimum { point: center, value: f64::INFINITY };
    for _ in 0..precision.steps {
        let ControlFlow::Continue(Cut { value, gradient }) = cut(at) else { break };
        if value < best.value {
            best = Minimum { point: at, value };
        }
        let along = shape * gradient;
        // The function is nowhere in the ellipsoid lower than its value by more than this.
        let fall = along.dot(gradient).sqrt();
        let known = precision.absolute.max(precision.relative * best.value.abs());
        // It is NaN if rounding has left no ellipsoid.
        if fall.is_nan() || fall <= 0.0 || best.value - (value - fall) <= known {
            break;
        }
        // Only points with a value below the best one are kept.
        let depth = (value - best.value) / fall;
        let [step, squash] = [(1.0 + 3.0 * depth) / 4.0, (1.0 + 3.0 * depth) / (2.0 + 2.0 * depth)];
        let along = along / fall;
        at -= step * along;
        let outer = DMat3::from_cols(along * along.x, along * along.y, along * along.z);
        shape = (shape - outer * squash) * (9.0 / 8.0 * (1.0 - depth * depth));
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the minimum of the largest of some functions, each value + gradient · x.
    fn minimum_of(planes: &[(f64, DVec3)]) -> Minimum {
        let precision = Precision { absolute: 1e-9, relative: 0.0, steps: 1000 };
        minimum(DVec3::new(0.3, -0.2, 0.1), 4.0, precision, |at| {
            let cuts = planes
                .iter()
                .map(|&(value, gradient)| Cut { value: value + gradient.dot(at), gradient });
            let highest = cuts.reduce(|a, b| if b.value > a.value { b } else { a });
            ControlFlow::Continue(highest.unwrap())
        })
    }

    #[test]
    fn a_corner_is_found_to_the_precision_that_is_asked() {
        let [x, y, z] = [DVec3::X, DVec3::Y, DVec3::Z];
        let found = minimum_of(&[(-1.0, x), (1.0, -x), (-1.0, y), (1.0, -y), (-1.0, z), (1.0, -z)]);
        assert!(found.value.abs() < 1e-9 && found.point.distance(DVec3::ONE) < 1e-8, "{found:?}");
        // Two planes that are nearly parallel leave a long groove, which falls a little to where a
        // third one ends it.
        let tilted = DVec3::new(-1.0, 1e-6, 0.0);
        let found = minimum_of(&[(0.0, x), (0.0, tilted), (-2.0, -y), (-2.0, z), (-2.0, -z)]);
        assert!((found.value + 1e-6).abs() < 2e-9, "{found:?}");
    }
}
