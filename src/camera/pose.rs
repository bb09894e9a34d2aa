//! The poses of a sensor: where it is and how it is turned, and the camera that is put there.

use super::error::CameraError;
use super::{Camera, Projection};
use crate::ray::MAX_COORDINATE;
use glam::{DMat3, DQuat, DVec3};

/// The shortest quaternion that is taken for a rotation.
const MIN_QUATERNION: f64 = 1e-6;

/// The pose of a sensor in the world: a point p of the sensor's frame is at position + rotation ·
/// p.
///
/// The frame is that of [`Camera::sensor_axes`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    /// The place of the sensor's origin.
    pub position: DVec3,
    /// The rotation, a unit quaternion.
    pub rotation: DQuat,
}

/// The place of a camera and its axes, each of unit length.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Extrinsics {
    pub eye: DVec3,
    pub right: DVec3,
    pub up: DVec3,
    pub forward: DVec3,
}

impl Pose {
    /// Makes a pose from a position and a quaternion x y z w, which is normalised.
    ///
    /// # Errors
    /// [`CameraError::Field`] for numbers that are not finite, coordinates beyond 1e9, and a
    /// quaternion shorter than 1e-6.
    pub fn new(position: DVec3, rotation_xyzw: [f64; 4]) -> Result<Self, CameraError> {
        let refuse = |field: &str, value: String, rule| {
            Err(CameraError::Field { field: field.to_owned(), value, rule })
        };
        // A comparison with NaN is false.
        if !position.to_array().iter().all(|number| number.abs() <= f64::from(MAX_COORDINATE)) {
            let rule = "its coordinates must be numbers between -1e9 and 1e9";
            return refuse("position", position.to_string(), rule);
        }
        let rotation = DQuat::from_array(rotation_xyzw);
        let largest = rotation_xyzw.iter().fold(0.0, |largest: f64, part| largest.max(part.abs()));
        // The largest part is divided by first, because the square of a large one is infinite.
        let scaled = rotation * (1.0 / largest);
        if !(rotation.is_finite()
            && scaled.is_finite()
            && largest * scaled.length() >= MIN_QUATERNION)
        {
            let rule = "a rotation is a quaternion of finite numbers that is not shorter than 1e-6";
            return refuse("quaternion", format!("{rotation_xyzw:?}"), rule);
        }
        Ok(Self { position, rotation: scaled.normalize() })
    }

    /// Returns the pose at a share of the way to another one, from 0 to 1: the position moves along
    /// a line, and the rotation about one axis, the shorter way round.
    pub fn toward(&self, other: &Self, share: f64) -> Self {
        Self {
            position: self.position + share * (other.position - self.position),
            rotation: slerp(self.rotation, other.rotation, share),
        }
    }
}

/// Spherical linear interpolation of Shoemake, "Animating rotation with quaternion curves" (1985),
/// by software in place of the C library's sine, whose last bit differs from one machine to the
/// next.
fn slerp(from: DQuat, to: DQuat, share: f64) -> DQuat {
    // A quaternion and its negative are one rotation, and the nearer of the two lies on the shorter
    // way.
    let to = if from.dot(to) < 0.0 { -to } else { to };
    // The two chords give the angle to all digits, where the arc cosine would lose half of them for
    // small angles.
    let angle = 2.0 * libm::atan2((to - from).length(), (to + from).length());
    let sine = libm::sin(angle);
    let [first, second] = match sine > 1e-9 {
        true => [1.0 - share, share].map(|share| libm::sin(share * angle) / sine),
        false => [1.0 - share, share],
    };
    (from * first + to * second).normalize()
}

impl Extrinsics {
    /// Returns those of a camera at a pose in a scene about an origin.
    pub fn at(pose: &Pose, projection: &Projection, scene_origin: DVec3) -> Self {
        let eye = pose.position - scene_origin;
        let [x, y, z] = DVec3::AXES.map(|axis| pose.rotation * axis);
        match projection {
            Projection::Panoramic(_) => Self { eye, right: -y, up: z, forward: x },
            _ => Self { eye, right: x, up: -y, forward: z },
        }
    }

    /// Returns the unit vector at this azimuth, in radians, about `up` and perpendicular to it.
    pub fn level(&self, azimuth: f64) -> DVec3 {
        libm::cos(azimuth) * self.forward - libm::sin(azimuth) * self.right
    }

    /// The axes are those that [`Camera::sensor_axes`] describes.
    pub fn sensor_axes(&self, projection: &Projection) -> [DVec3; 3] {
        match projection {
            Projection::Panoramic(_) => [self.forward, -self.right, self.up],
            _ => [self.right, -self.up, self.forward],
        }
    }
}

impl Camera {
    /// Returns the axes x, y and z of the frame of its sensor: for a panoramic camera forward, left
    /// and up, as ROS has it for lidars (REP 103); for others right, down and forward, as OpenCV
    /// has it and ROS for optical frames.
    pub fn sensor_axes(&self) -> [DVec3; 3] {
        self.extrinsics().sensor_axes(&self.projection)
    }

    /// Returns the pose of its sensor in the world, for a scene about an origin.
    pub fn pose(&self, scene_origin: DVec3) -> Pose {
        let [x, y, z] = self.sensor_axes();
        let rotation = DQuat::from_mat3(&DMat3::from_cols(x, y, z));
        Pose { position: self.eye + scene_origin, rotation: rotation.normalize() }
    }

    /// Returns the camera with its sensor at a pose, in a scene about an origin. The pose takes the
    /// place of the eye, the target and the upward direction.
    ///
    /// # Errors
    /// [`CameraError::Field`] for a position that lies beyond 1e9 from the origin.
    pub fn at_pose(&self, pose: &Pose, scene_origin: DVec3) -> Result<Self, CameraError> {
        let Extrinsics { eye, right, up, forward } =
            Extrinsics::at(pose, &self.projection, scene_origin);
        if eye.abs().max_element() > f64::from(MAX_COORDINATE) {
            return Err(CameraError::Field {
                field: "position".to_owned(),
                value: pose.position.to_string(),
                rule: "it must lie within 1e9 of the scene's origin along each axis",
            });
        }
        // The GPU's rays start at float32 numbers, so the camera's position is rounded to them.
        let eye = eye.as_vec3().as_dvec3();
        let target = eye + forward;
        Ok(Self { eye, target, right, up, forward, requested_up: Some(up), ..self.clone() })
    }

    pub(crate) fn extrinsics(&self) -> Extrinsics {
        let Self { eye, right, up, forward, .. } = *self;
        Extrinsics { eye, right, up, forward }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::FRAC_1_SQRT_2;

    fn turned(degrees: f64) -> DQuat {
        DQuat::from_rotation_z(degrees.to_radians())
    }

    #[test]
    fn rotations_are_interpolated_at_an_even_speed_the_shorter_way_round() {
        for (from, to, share, between) in [
            (0.0, 90.0, 1.0 / 3.0, 30.0),
            (10.0, 170.0, 0.25, 50.0),
            (350.0, 370.0, 0.5, 0.0),
            (170.0, -170.0, 0.5, 180.0),
            (5.0, 5.0, 0.7, 5.0),
            (0.0, 1e-7, 0.5, 5e-8),
        ] {
            let between_by_slerp = slerp(turned(from), turned(to), share);
            let error = 1.0 - between_by_slerp.dot(turned(between)).abs();
            assert!(error.abs() < 1e-15, "{from} {to}: {between_by_slerp:?}");
            assert!((between_by_slerp.length() - 1.0).abs() < 1e-15);
        }
        // Half a turn between opposite rotations has no shorter way, but is a rotation all the
        // same.
        assert!(slerp(turned(0.0), turned(180.0), 0.5).is_normalized());
    }

    #[test]
    fn a_quaternion_of_any_length_is_normalised_and_none_is_refused() {
        for length in [1e-5, 1.0, 1e200] {
            let pose = Pose::new(DVec3::ZERO, [0.0, 0.0, length, length]).unwrap();
            assert!((pose.rotation.w - FRAC_1_SQRT_2).abs() < 1e-15, "{length}");
        }
        for rotation in [[0.0; 4], [1e-7, 0.0, 0.0, 0.0], [f64::NAN, 0.0, 0.0, 1.0]] {
            assert!(Pose::new(DVec3::ZERO, rotation).is_err(), "{rotation:?}");
        }
        for x in [f64::NAN, f64::INFINITY, 1.1e9] {
            assert!(Pose::new(DVec3::X * x, [0.0, 0.0, 0.0, 1.0]).is_err(), "{x}");
        }
    }

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
            Projection::Panoramic(crate::camera::Lidar::ALL[0].panorama()),
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
