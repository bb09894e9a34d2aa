//! Point in ellipsoid, by the distance from the centre in the space where the ellipsoid is a ball.

use super::packing::{Form, Packing, TestParams};
use super::{OUTSIDE, SquaredDistance, is_somewhere};
use crate::fields::{FieldKind, ShapeError, check_alone, check_point, check_rotation};
use crate::math::vec4;
use glam::{DMat3, DQuat, DVec3};

/// A ball stretched along three axes of its own.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EllipsoidTest {
    center: DVec3,
    radii: DVec3,
    world_from_ellipsoid: DMat3,
    /// The factor of each axis that turns the ellipsoid into a ball: the product of the other two
    /// radii.
    stretch: DVec3,
    radius_squared: f64,
}

impl EllipsoidTest {
    /// Returns the test of an ellipsoid with a centre, radii along its own axes, and the rotation
    /// of those axes into the world's, a quaternion of any length.
    ///
    /// # Errors
    /// A [`ShapeError`] for a number out of range, and for a quaternion of no length.
    pub fn new(center: DVec3, radii: DVec3, rotation: DQuat) -> Result<Self, ShapeError> {
        check_point(center, || "center".to_owned())?;
        check_alone(FieldKind::Extents, &radii.to_array(), "radii")?;
        let rotation = check_rotation(rotation)?;
        let radius = radii.element_product();
        Ok(Self {
            center,
            radii,
            world_from_ellipsoid: DMat3::from_quat(rotation),
            stretch: DVec3::new(radii.y * radii.z, radii.z * radii.x, radii.x * radii.y),
            radius_squared: radius * radius,
        })
    }
}

impl SquaredDistance for EllipsoidTest {
    /// Returns the squared distance from the centre in the space where the ellipsoid is a ball of
    /// radius 1: Σ (xᵢ / rᵢ)² along its own axes, which has no unit, is 0 at the centre and 1 on
    /// the surface.
    fn squared_distance(&self, point: DVec3) -> f64 {
        let local_point = self.world_from_ellipsoid.transpose() * (point - self.center);
        let distance_squared = (self.stretch * local_point).length_squared();
        if distance_squared > self.radius_squared || !is_somewhere(point) {
            return OUTSIDE;
        }
        distance_squared / self.radius_squared
    }
}

impl Packing for EllipsoidTest {
    const FORM: Form = Form::EllipsoidTest;

    /// The layout is centre, radius x | own x axis in the world, radius y | own y axis, radius z.
    /// The third axis is the cross product of the other two.
    fn params(&self) -> TestParams {
        TestParams {
            first: vec4(self.center, self.radii.x),
            second: vec4(self.world_from_ellipsoid.x_axis, self.radii.y),
            third: vec4(self.world_from_ellipsoid.y_axis, self.radii.z),
        }
    }
}
