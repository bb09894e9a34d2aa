//! The camera of a molecule.

use super::drawing::Ball;
use crate::graph::{Aim, CameraPlace, GraphCamera};
use glam::{DMat3, DVec3};
use raytwin::camera::{Projection, Sensor};
use raytwin::math::{principal_axes, radians};

const FOV_Y_DEGREES: f64 = 40.0;
/// The part by which the eye is farther away than it must be.
const ROOM: f64 = 1.05;

/// Makes a camera that sees all of a molecule in an image that is at least as wide as high, and
/// looks along the direction in which the molecule is thinnest; the widest one is across the image.
pub(super) fn camera(balls: &[Ball]) -> GraphCamera {
    let count = balls.len() as f64;
    let mean = balls.iter().map(|(center, _)| *center).sum::<DVec3>() / count;
    let outer = |a: DVec3| DMat3::from_cols(a * a.x, a * a.y, a * a.z);
    let covariance = balls.iter().fold(DMat3::ZERO, |all, (center, _)| all + outer(*center - mean));
    let (_, rotation) = principal_axes(covariance * (1.0 / count));
    let axes = DMat3::from_quat(rotation);
    // An axis has two directions, of which the one with a positive largest coordinate is taken.
    let toward_positive = |axis: DVec3| {
        let sizes = axis.abs();
        let largest = (0..3).find(|&index| sizes[index] == sizes.max_element());
        if largest.is_some_and(|index| axis[index] < 0.0) { -axis } else { axis }
    };
    let [right, up] = [axes.x_axis, axes.y_axis].map(toward_positive);
    let forward = up.cross(right);
    let along = |axis: DVec3| {
        let ends =
            |sign: f64| balls.iter().map(move |(center, radius)| center.dot(axis) + sign * radius);
        let (least, most) =
            (ends(-1.0).fold(f64::INFINITY, f64::min), ends(1.0).fold(f64::NEG_INFINITY, f64::max));
        0.5 * (least + most)
    };
    let middle = right * along(right) + up * along(up) + forward * along(forward);
    let slope = libm::tan(radians(0.5 * FOV_Y_DEGREES));
    let distances = balls.iter().map(|(center, radius)| {
        let offset = *center - middle;
        let aside = offset.dot(right).abs().max(offset.dot(up).abs());
        // A ball is in view if it touches the plane of the image's edge and the eye at most.
        (aside + radius * (1.0 + slope * slope).sqrt()) / slope - offset.dot(forward)
    });
    let distance = ROOM * distances.fold(0.0, f64::max);
    GraphCamera {
        name: "molecule".to_owned(),
        eye: middle - distance * forward,
        aim: Aim::Target(middle),
        up: Some(up),
        projection: Projection::Perspective { fov_y_degrees: FOV_Y_DEGREES },
        sensor: Sensor::default(),
        hidden: 0..0,
        carrier: 0..0,
        parent: None,
        place: CameraPlace::Made,
    }
}
