//! The position and the orientation of a camera.

use super::error::CameraError;
use super::pose::Pose;
use super::projection::Projection;
use crate::ray::MAX_COORDINATE;
use glam::DVec3;

/// The position of a camera and its axes, each of unit length.
#[derive(Clone, Copy, Debug)]
pub struct Extrinsics {
    /// The position of the camera.
    pub eye: DVec3,
    /// The direction to the right of the image.
    pub right: DVec3,
    /// The direction upwards in the image.
    pub up: DVec3,
    /// The direction of the optical axis; for a panorama, the direction of azimuth 0.
    pub forward: DVec3,
}

impl Extrinsics {
    /// Returns the extrinsics of a camera at a pose, in a scene with this origin.
    pub fn at(pose: &Pose, projection: &Projection, scene_origin: DVec3) -> Self {
        let eye = pose.position - scene_origin;
        let [x, y, z] = DVec3::AXES.map(|axis| pose.rotation * axis);
        match projection.is_lidar() {
            true => Self { eye, right: -y, up: z, forward: x },
            false => Self { eye, right: x, up: -y, forward: z },
        }
    }

    /// Returns the extrinsics of a camera that casts rays from a pose, in a scene with this origin.
    ///
    /// # Errors
    /// [`CameraError::Field`], if the position is more than 1e9 from the origin along an axis.
    pub fn in_scene(
        pose: &Pose,
        projection: &Projection,
        scene_origin: DVec3,
    ) -> Result<Self, CameraError> {
        let place = Self::at(pose, projection, scene_origin);
        if place.eye.abs().max_element() > f64::from(MAX_COORDINATE) {
            let rule = "it must be within 1e9 of the scene's origin along each axis";
            return Err(CameraError::field("position", pose.position, rule));
        }
        // The GPU's rays start at float32 numbers, so the camera's position is rounded to them.
        Ok(Self { eye: place.eye.as_vec3().as_dvec3(), ..place })
    }

    /// Returns the unit vector at this azimuth, in radians, about `up` and perpendicular to it.
    pub fn level(&self, azimuth: f64) -> DVec3 {
        libm::cos(azimuth) * self.forward - libm::sin(azimuth) * self.right
    }

    /// Returns the direction in the scene of a direction in a lidar's frame: x forward, y left, z
    /// up.
    pub(crate) fn of_lidar(&self, direction: DVec3) -> DVec3 {
        direction.x * self.forward - direction.y * self.right + direction.z * self.up
    }

    /// Returns the axes of the frame of a camera's sensor.
    pub fn sensor_axes(&self, projection: &Projection) -> [DVec3; 3] {
        match projection.is_lidar() {
            true => [self.forward, -self.right, self.up],
            false => [self.right, -self.up, self.forward],
        }
    }
}
