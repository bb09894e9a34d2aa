//! Converts between a camera and the pose of its sensor.

use super::{Camera, CameraError, Extrinsics, Pose};
use glam::{DMat3, DQuat, DVec3};

impl Camera {
    /// Returns the axes x, y and z of its sensor's frame.
    ///
    /// For a lidar they are forward, left and up, as in ROS (REP 103). For other cameras they are
    /// right, down and forward, as in OpenCV and in the optical frames of ROS.
    pub fn sensor_axes(&self) -> [DVec3; 3] {
        self.extrinsics().sensor_axes(&self.projection)
    }

    /// Returns the pose of its sensor in the world, for a scene with this origin.
    pub fn pose(&self, scene_origin: DVec3) -> Pose {
        let [x, y, z] = self.sensor_axes();
        let rotation = DQuat::from_mat3(&DMat3::from_cols(x, y, z));
        Pose { position: self.eye + scene_origin, rotation: rotation.normalize() }
    }

    /// Returns the camera with its sensor at a pose, in a scene with this origin. The pose replaces
    /// the eye, the target and the upward direction.
    ///
    /// # Errors
    /// [`CameraError::Field`], if the position is more than 1e9 from the origin along an axis.
    pub fn at_pose(&self, pose: &Pose, scene_origin: DVec3) -> Result<Self, CameraError> {
        Ok(self.at(&Extrinsics::in_scene(pose, &self.projection, scene_origin)?))
    }

    /// Returns the camera at a place, which replaces its eye, target and upward direction.
    pub fn at(&self, place: &Extrinsics) -> Self {
        let Extrinsics { eye, right, up, forward } = *place;
        let target = eye + forward;
        Self { eye, target, right, up, forward, requested_up: Some(up), ..self.clone() }
    }

    /// Returns the position of the camera and its axes.
    pub fn extrinsics(&self) -> Extrinsics {
        let Self { eye, right, up, forward, .. } = *self;
        Extrinsics { eye, right, up, forward }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::camera::Projection;
    use crate::lidar::Lidar;

    #[test]
    fn a_camera_is_where_its_own_pose_puts_it() {
        let at = |projection| {
            let up = DVec3::new(0.1, 0.2, 1.0);
            Camera::look_at(
                "c",
                DVec3::new(1.0, 2.0, 3.0),
                DVec3::new(4.0, 1.0, 2.0),
                up,
                projection,
            )
            .unwrap()
        };
        let origin = DVec3::new(100.0, 0.0, -50.0);
        for projection in [
            Projection::Perspective { fov_y_degrees: 40.0 },
            Lidar::ALL[0].projection(),
            Lidar::named("Mid-40").unwrap().projection(),
        ] {
            let camera = at(projection);
            let again = camera.at_pose(&camera.pose(origin), origin).unwrap();
            assert_eq!(again.eye, camera.eye);
            for (a, b) in again.sensor_axes().into_iter().zip(camera.sensor_axes()) {
                assert!((a - b).length() < 1e-15, "{a} {b}");
            }
        }
    }
}
