//! Linear maps that keep shapes: similarities and scales along a shape's axes, with the factors by
//! which lengths grow.
//!
//! A matrix whose numbers were rounded to float32 is not exactly one of these maps. It counts as
//! one if it differs from it by at most [`ROUNDED`] of its largest stretch. The nearest such map is
//! used.

use crate::math::rotation_matrix;
use crate::transform::{Affine, NEARLY, ROUNDED};
use glam::{DMat3, DQuat, DVec3};

/// Returns the factor by which all lengths grow, if it is one for all directions.
pub(crate) fn uniform_scale(linear: &DMat3) -> Option<f64> {
    if are_perpendicular(linear)
        && let Some(scale) = equal_lengths(&[linear.x_axis, linear.y_axis, linear.z_axis])
    {
        return Some(scale);
    }
    let [least, most] = Affine { linear: *linear, translation: DVec3::ZERO }.stretches();
    middle([least, most], most)
}

/// Returns the factor by which lengths in a plane grow, if it is one for all directions in it. How
/// lengths grow across the plane does not matter.
pub(super) fn scale_in_plane(linear: &DMat3, normal: DVec3) -> Option<f64> {
    even_scale(linear, normal, 0.0)
}

/// Returns the same for the plane across an axis, if the axis stays perpendicular to it.
pub(super) fn scale_across(linear: &DMat3, along: DVec3) -> Option<f64> {
    let unit = along / along.length();
    let (e, f) = unit.any_orthonormal_pair();
    let along = *linear * unit;
    let largest = largest_stretch(linear);
    let stays = [e, f].iter().all(|across| is_right(along, *linear * *across, largest));
    stays.then(|| even_scale(linear, e.cross(f), largest)).flatten()
}

/// Returns the factor for a plane, given a stretch of the map that counts if it is larger than
/// those in the plane.
fn even_scale(linear: &DMat3, normal: DVec3, largest: f64) -> Option<f64> {
    let (e, f) = (normal / normal.abs().max_element()).normalize().any_orthonormal_pair();
    let [e, f] = [*linear * e, *linear * f];
    if is_perpendicular(e, f)
        && let Some(scale) = equal_lengths(&[e, f])
    {
        return Some(scale);
    }
    let columns = Affine::perpendicular_columns(&DMat3::from_cols(e, f, DVec3::ZERO));
    let [a, b] = [columns.x_axis.length(), columns.y_axis.length()];
    middle([a.min(b), a.max(b)], largest.max(a).max(b))
}

/// Returns the scale of the nearest map with a single scale, given the least and the largest factor
/// by which lengths grow; `None` if it is too far away.
fn middle([least, most]: [f64; 2], largest: f64) -> Option<f64> {
    (0.5 * (most - least) <= ROUNDED * largest).then_some(0.5 * (least + most))
}

fn largest_stretch(linear: &DMat3) -> f64 {
    Affine { linear: *linear, translation: DVec3::ZERO }.stretches()[1]
}

fn equal_lengths(vectors: &[DVec3]) -> Option<f64> {
    let length = vectors[0].length();
    let is_equal = |vector: &DVec3| (vector.length() - length).abs() <= NEARLY * length;
    vectors.iter().all(is_equal).then_some(length)
}

fn is_perpendicular(a: DVec3, b: DVec3) -> bool {
    a.dot(b).abs() <= NEARLY * a.length() * b.length()
}

fn are_perpendicular(columns: &DMat3) -> bool {
    let [x, y, z] = [columns.x_axis, columns.y_axis, columns.z_axis];
    is_perpendicular(x, y) && is_perpendicular(x, z) && is_perpendicular(y, z)
}

/// Returns true if two columns are perpendicular once each has moved by [`ROUNDED`] of the largest
/// stretch.
fn is_right(a: DVec3, b: DVec3, largest: f64) -> bool {
    a.dot(b).abs() <= ROUNDED * largest * (a.length() + b.length())
}

/// Returns the nearest columns that are perpendicular; `None` if they are too far away.
fn right_angles(columns: &DMat3) -> Option<DMat3> {
    const PAIRS: [[usize; 2]; 3] = [[0, 1], [0, 2], [1, 2]];
    let mut axes = [columns.x_axis, columns.y_axis, columns.z_axis];
    let largest = largest_stretch(columns);
    if !PAIRS.into_iter().all(|[a, b]| is_right(axes[a], axes[b], largest)) {
        return None;
    }
    // Each step squares the remaining error, so two or three are enough, except for columns of very
    // different lengths.
    for _ in 0..16 {
        let before = axes;
        for [a, b] in PAIRS {
            let [long, wide] = [before[a].length(), before[b].length()];
            // Both move by the same distance.
            let part = before[a].dot(before[b]) / (long + wide);
            axes[a] -= part / wide * before[b];
            axes[b] -= part / long * before[a];
        }
        let found = DMat3::from_cols(axes[0], axes[1], axes[2]);
        if are_perpendicular(&found) {
            return Some(found);
        }
    }
    None
}

/// Returns the nearest vectors to two that are perpendicular; `None` if they are too far away.
pub(super) fn right_angle(x: DVec3, y: DVec3) -> Option<[DVec3; 2]> {
    if is_perpendicular(x, y) {
        return Some([x, y]);
    }
    let across = x.cross(y) / y.length();
    let found = right_angles(&DMat3::from_cols(x, y, across))?;
    Some([found.x_axis, found.y_axis])
}

/// Returns the rotation and the half extents of a box's image; `None` if its axes do not stay
/// perpendicular. The axes keep their order, which decides the faces. A mirror reverses the first
/// axis.
pub(super) fn box_axes(
    linear: &DMat3,
    rotation: DQuat,
    half_extents: DVec3,
) -> Option<(DQuat, DVec3)> {
    let turned = rotation_matrix(rotation);
    let extents = DMat3::from_diagonal(half_extents);
    let columns = *linear * (turned * extents);
    let columns = match are_perpendicular(&columns) {
        true => columns,
        false => right_angles(&(*linear * turned))? * extents,
    };
    let mirrored = DMat3::from_cols(-columns.x_axis, columns.y_axis, columns.z_axis);
    right_handed(&columns).or_else(|| right_handed(&mirrored))
}

/// Returns the rotation that takes the world's axes to these columns in their order, and their
/// lengths; `None` if they are not perpendicular to each other and right-handed.
pub(crate) fn right_handed_axes(columns: &DMat3) -> Option<(DQuat, DVec3)> {
    match are_perpendicular(columns) {
        true => right_handed(columns),
        false => right_handed(&right_angles(columns)?),
    }
}

/// Returns the rotation and the lengths of perpendicular columns, if they are right-handed.
fn right_handed(columns: &DMat3) -> Option<(DQuat, DVec3)> {
    let [x, y, z] = [columns.x_axis, columns.y_axis, columns.z_axis];
    if x.cross(y).dot(z) <= 0.0 {
        return None;
    }
    let units = DMat3::from_cols(x.normalize(), y.normalize(), z.normalize());
    Some((DQuat::from_mat3(&units).normalize(), DVec3::new(x.length(), y.length(), z.length())))
}
