//! The flat ends of shapes about an axis.

use crate::crossings::{Crossing, Span};
use crate::fields::{MIN_SIZE, ShapeError};
use crate::math::Bounds;
use crate::ray::Line;
use glam::DVec3;

/// Checks that the two ends of an axis are apart.
pub(crate) fn check_axis(start: DVec3, end: DVec3) -> Result<(), ShapeError> {
    let length = (end - start).length();
    if length < MIN_SIZE {
        return Err(ShapeError {
            field: "end".to_owned(),
            reason: format!(
                "is {length:?} from start in float32: the axis must have a length of at least 1e-9"
            ),
        });
    }
    Ok(())
}

/// The face numbers of shapes with caps.
pub(super) const SIDE: u32 = 0;
pub(super) const START_CAP: u32 = 1;
pub(super) const END_CAP: u32 = 2;

/// Returns the span of a line between two parallel planes: both are perpendicular to `along`, which
/// leads from `start` on one plane to the other.
#[inline(always)]
pub(super) fn between_caps(line: &Line, start: DVec3, along: DVec3) -> Option<Span> {
    // Heights and the planes' distance are all times the length of `along`, so that nothing is
    // divided.
    let height = (line.origin - start).dot(along);
    let climb = line.direction.dot(along);
    let top = along.length_squared();
    if climb == 0.0 {
        return (0.0..=top).contains(&height).then_some(Span::whole(SIDE));
    }
    let start = Crossing { t: -height / climb, face: START_CAP };
    let end = Crossing { t: (top - height) / climb, face: END_CAP };
    let (enter, exit) = if climb > 0.0 { (start, end) } else { (end, start) };
    Some(Span { enter, exit })
}

/// Returns the box around a disc, which reaches `radius * sin(angle)` along a world axis, by the
/// angle between that axis and the normal.
pub(super) fn disc_bounds(center: DVec3, unit_normal: DVec3, radius: f64) -> Bounds {
    let reach = (DVec3::ONE - unit_normal * unit_normal).max(DVec3::ZERO).map(f64::sqrt);
    Bounds::around(center, radius * reach)
}

/// Returns the point of two discs that is farthest along a direction. Both are perpendicular to the
/// line between their centres.
pub(super) fn farthest_of_discs(discs: [(DVec3, f64); 2], direction: DVec3) -> DVec3 {
    let [(start, _), (end, _)] = discs;
    let across = unit_across(end - start, direction);
    let [first, second] = discs.map(|(center, radius)| center + radius * across);
    if (second - first).dot(direction) > 0.0 { second } else { first }
}

/// Returns the unit vector perpendicular to an axis that is nearest to a direction. For a direction
/// along the axis only rounding is left, which may point along the axis itself. Any perpendicular
/// vector is then equally near.
pub(super) fn unit_across(axis: DVec3, direction: DVec3) -> DVec3 {
    let axis = axis.normalize();
    let across = |direction: DVec3| direction.reject_from_normalized(axis).normalize_or_zero();
    let nearest = across(across(direction));
    let is_perpendicular = nearest.dot(axis).abs() < 1e-8 && nearest != DVec3::ZERO;
    if is_perpendicular { nearest } else { axis.any_orthonormal_vector() }
}
