//! The spine-aligned cross-section planes (SCP) of an Extrusion.

use glam::{DMat3, DVec3};
use raytwin::math::U;

/// Returns the axes of the plane at each point of a spine: y along the spine, and x and z in the
/// plane.
pub(super) fn spine_aligned(spine: &[DVec3]) -> Vec<DMat3> {
    let mut path = spine.to_vec();
    path.dedup();
    let planes = along(&path);
    // Points that coincide with the one before share its plane.
    let mut steps = 0;
    let plane = |(index, point): (usize, &DVec3)| {
        if index > 0 && spine[index - 1] != *point {
            steps += 1;
        }
        planes[steps]
    };
    spine.iter().enumerate().map(plane).collect()
}

/// The planes of a path whose neighbouring points differ.
fn along(path: &[DVec3]) -> Vec<DMat3> {
    let count = path.len();
    let last = count.saturating_sub(1);
    if last == 0 {
        return vec![DMat3::IDENTITY; count];
    }
    let is_closed = path[0] == path[last];
    // The points before and after one; at an open end that is the end itself.
    let neighbors = |index: usize| match index {
        _ if is_closed && (index == 0 || index == last) => [path[last - 1], path[1]],
        _ => [path[index.saturating_sub(1)], path[(index + 1).min(last)]],
    };
    let z_axes: Vec<Option<DVec3>> =
        (0..count).map(|index| bend(path[index], neighbors(index), rounding(path))).collect();
    let Some(first) = z_axes.iter().find_map(|axis| *axis) else {
        return vec![turned_from_y((path[1] - path[0]).normalize()); count];
    };
    let mut previous = first;
    let mut planes: Vec<DMat3> = (0..count)
        .map(|index| {
            let [before, after] = neighbors(index);
            // A spine that turns back onto itself has no direction there but the one that it comes
            // from.
            let arrival = || (path[index] - before).normalize();
            let y = (after - before).try_normalize().unwrap_or_else(arrival);
            if let Some(z) = z_axes[index] {
                // A cross-section does not flip where a bend to one side follows a bend to the
                // other.
                previous = if z.dot(previous) < 0.0 { -z } else { z };
            }
            let x = y.cross(previous.normalize()).normalize_or(y.any_orthonormal_vector());
            DMat3::from_cols(x, y, x.cross(y))
        })
        .collect();
    if is_closed {
        planes[last] = planes[0];
    }
    planes
}

/// The error that rounding a point of the path to float32 may make: X3D's numbers are of that
/// precision.
fn rounding(path: &[DVec3]) -> f64 {
    let largest =
        path.iter().fold(0.0, |largest: f64, point| largest.max(point.abs().max_element()));
    4.0 * U * largest
}

/// The normal of the bend at a point, of any length, so that the product of two that are
/// perpendicular is zero; `None` if the three points are collinear but for rounding, whose normal
/// would be arbitrary.
fn bend(point: DVec3, [before, after]: [DVec3; 2], rounding: f64) -> Option<DVec3> {
    let [onward, back] = [after - point, before - point];
    let normal = onward.cross(back);
    let is_bend = normal.length() > rounding * (onward.length() + back.length());
    is_bend.then_some(normal)
}

/// The axes after the shortest turn that takes +y to a unit vector. The shortest turn to −y may be
/// about any horizontal axis: this is the one about z, as other readers take it.
fn turned_from_y(y: DVec3) -> DMat3 {
    let aside = y.x * y.x + y.z * y.z;
    if aside == 0.0 && y.y < 0.0 {
        return DMat3::from_cols(-DVec3::X, y, DVec3::Z);
    }
    // Both are 1 / (1 + y.y), and neither cancels.
    let share = if y.y < 0.0 { (1.0 - y.y) / aside } else { 1.0 / (1.0 + y.y) };
    let x = DVec3::new(1.0 - share * y.x * y.x, -y.x, -share * y.x * y.z);
    let z = DVec3::new(-share * y.x * y.z, -y.z, 1.0 - share * y.z * y.z);
    DMat3::from_cols(x, y, z)
}

#[cfg(test)]
mod tests;
