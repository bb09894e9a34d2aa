//! The camera of a molecule.

use super::drawing::Ball;
use crate::graph::{CameraPlace, GraphCamera};
use glam::{DMat3, DVec3};
use raytwin::camera::{Camera, DEFAULT_SIZE, Projection};
use raytwin::math::principal_axes;

const FOV_Y_DEGREES: f64 = 40.0;

/// Makes a camera that looks along the direction in which a molecule is thinnest; the widest
/// direction is across the image. It sees the whole molecule in an image of the default size, and
/// is fitted to other sizes and to the visible atoms. `None` for no atoms and for atoms too far
/// from each other.
pub(super) fn camera(balls: &[Ball]) -> Option<GraphCamera> {
    let count = balls.len() as f64;
    let mean = balls.iter().map(|(center, _)| *center).sum::<DVec3>() / count;
    let outer = |a: DVec3| DMat3::from_cols(a * a.x, a * a.y, a * a.z);
    let covariance = balls.iter().fold(DMat3::ZERO, |all, (center, _)| all + outer(*center - mean));
    let (_, rotation) = principal_axes(covariance * (1.0 / count));
    let axes = DMat3::from_quat(rotation);
    // An axis has two directions; the one with a positive largest coordinate is used.
    let toward_positive = |axis: DVec3| {
        let sizes = axis.abs();
        let largest = (0..3).find(|&index| sizes[index] == sizes.max_element());
        if largest.is_some_and(|index| axis[index] < 0.0) { -axis } else { axis }
    };
    let [right, up] = [axes.x_axis, axes.y_axis].map(toward_positive);
    let forward = up.cross(right);
    let projection = Projection::Perspective { fov_y_degrees: FOV_Y_DEGREES };
    // About the middle, float32 numbers are as exact as the molecule is large.
    let least = |direction: DVec3| {
        let reach =
            |(center, radius): &Ball| (*center - mean).dot(direction) - radius * direction.length();
        balls.iter().map(reach).fold(f64::INFINITY, f64::min)
    };
    let looking = Camera::look_at("", -forward, DVec3::ZERO, up, projection.clone()).ok()?;
    let (width, height) = DEFAULT_SIZE;
    let fitted = looking.framing(least, DVec3::ZERO, [width, height]).ok()?;
    let [eye, target] = [fitted.eye, fitted.target].map(|point| mean + point);
    let name = "molecule".to_owned();
    Some(GraphCamera::looking_at(name, [eye, target], up, projection, CameraPlace::Made))
}
