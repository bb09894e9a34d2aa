//! The pose of a sensor: its position and orientation.

use super::error::CameraError;
use crate::ray::MAX_COORDINATE;
use glam::{DQuat, DVec3};

/// The length of the shortest quaternion that is accepted as a rotation.
const MIN_QUATERNION: f64 = 1e-6;

/// The pose of a sensor in the world: a point p of the sensor's frame is at position + rotation ·
/// p.
///
/// The frame is that of [`Camera::sensor_axes`](super::Camera::sensor_axes).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    /// The position of the sensor's origin.
    pub position: DVec3,
    /// The rotation, a unit quaternion.
    pub rotation: DQuat,
}

impl Pose {
    /// Makes a pose from a position and a quaternion x y z w, which it normalises.
    ///
    /// # Errors
    /// [`CameraError::Field`] for numbers that are not finite, coordinates beyond 1e9, and a
    /// quaternion shorter than 1e-6.
    pub fn new(position: DVec3, rotation_xyzw: [f64; 4]) -> Result<Self, CameraError> {
        // A comparison with NaN is always false.
        let is_near =
            position.to_array().iter().all(|number| number.abs() <= f64::from(MAX_COORDINATE));
        let rule = "its coordinates must be numbers between -1e9 and 1e9";
        CameraError::unless(is_near, "position", position, rule)?;
        let rotation = DQuat::from_array(rotation_xyzw);
        let largest = rotation_xyzw.iter().fold(0.0, |largest: f64, part| largest.max(part.abs()));
        // Divide by the largest component first, because the square of a large one is infinite.
        let scaled = rotation * (1.0 / largest);
        let is_rotation = rotation.is_finite()
            && scaled.is_finite()
            && largest * scaled.length() >= MIN_QUATERNION;
        let rule = "a rotation is a quaternion of finite numbers that is not shorter than 1e-6";
        CameraError::unless(is_rotation, "quaternion", format!("{rotation_xyzw:?}"), rule)?;
        Ok(Self { position, rotation: scaled.normalize() })
    }

    /// The pose of a frame that coincides with the world's frame.
    pub const IDENTITY: Self = Self { position: DVec3::ZERO, rotation: DQuat::IDENTITY };

    /// Returns the pose in the world of a frame whose pose in this frame is `inner`.
    pub fn then_inner(&self, inner: &Self) -> Self {
        Self {
            position: self.position + self.rotation * inner.position,
            rotation: (self.rotation * inner.rotation).normalize(),
        }
    }

    /// Returns the pose of the world in this frame.
    pub fn inverse(&self) -> Self {
        let rotation = self.rotation.conjugate();
        Self { position: -(rotation * self.position), rotation }
    }

    /// Returns the pose at a share of the way to another pose, from 0 to 1. The position moves
    /// along a line, and the rotation turns about one axis, the shorter way round.
    pub fn toward(&self, other: &Self, share: f64) -> Self {
        Self {
            position: self.position + share * (other.position - self.position),
            rotation: slerp(self.rotation, other.rotation, share),
        }
    }
}

/// Spherical linear interpolation (Shoemake, "Animating rotation with quaternion curves", 1985). It
/// uses the sine of the crate `libm`, because the last bit of the C library's sine differs from one
/// machine to the next.
fn slerp(from: DQuat, to: DQuat, share: f64) -> DQuat {
    // A quaternion and its negative are the same rotation, and the nearer of the two gives the
    // shorter way.
    let to = if from.dot(to) < 0.0 { -to } else { to };
    // The two chords give the angle to all digits. The arc cosine would lose half of them for small
    // angles.
    let angle = 2.0 * libm::atan2((to - from).length(), (to + from).length());
    let sine = libm::sin(angle);
    let [first, second] = match sine > 1e-9 {
        true => [1.0 - share, share].map(|share| libm::sin(share * angle) / sine),
        false => [1.0 - share, share],
    };
    (from * first + to * second).normalize()
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
        // Between opposite rotations neither way is shorter, but the result is still a rotation.
        assert!(slerp(turned(0.0), turned(180.0), 0.5).is_normalized());
    }

    #[test]
    fn a_frame_in_another_is_placed_by_both_and_undone_by_the_inverse() {
        let outer = Pose { position: DVec3::new(1.0, 2.0, 3.0), rotation: turned(90.0) };
        let inner = Pose { position: DVec3::X, rotation: turned(-30.0) };
        let both = outer.then_inner(&inner);
        assert!((both.position - DVec3::new(1.0, 3.0, 3.0)).length() < 1e-15);
        assert!(1.0 - both.rotation.dot(turned(60.0)).abs() < 1e-15);
        let back = outer.inverse().then_inner(&both);
        assert!((back.position - inner.position).length() < 1e-15);
        assert!(1.0 - back.rotation.dot(inner.rotation).abs() < 1e-15);
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
}
