//! Point in box, and the closest point on it, for axis-aligned and for oriented boxes.

use super::packing::{Form, Packing, TestParams};
use super::{ClosestPoint, Contains, is_somewhere};
use crate::fields::{FieldKind, ShapeError, check_alone, check_point, check_rotation};
use crate::math::vec4;
use glam::{DMat3, DQuat, DVec3};

/// An axis-aligned box (AABB), which may be flat. A GPU computes it as exactly as this code,
/// wherever it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AlignedBoxTest {
    min: DVec3,
    max: DVec3,
}

impl AlignedBoxTest {
    /// Returns the test of the box between the corners with the smallest and the largest
    /// coordinates.
    ///
    /// # Errors
    /// A [`ShapeError`] for a number out of range, and for a coordinate of `min` above that of
    /// `max`.
    pub fn new(min: DVec3, max: DVec3) -> Result<Self, ShapeError> {
        check_point(min, || "min".to_owned())?;
        check_point(max, || "max".to_owned())?;
        if !min.cmple(max).all() {
            return Err(ShapeError {
                field: "min".to_owned(),
                reason: format!(
                    "is {:?}: its coordinates must not be above those of max, {:?}",
                    min.to_array(),
                    max.to_array()
                ),
            });
        }
        Ok(Self { min, max })
    }
}

impl Contains for AlignedBoxTest {
    /// Tests min ≤ p ≤ max along each axis.
    fn contains(&self, point: DVec3) -> bool {
        // No range contains an invalid point.
        holds(point, self.min, self.max)
    }
}

impl ClosestPoint for AlignedBoxTest {
    /// Clamps each coordinate to the box (Ericson, *Real-Time Collision Detection*, 5.1.3). A point
    /// inside goes to the nearest face, or to the first of −x +x −y +y −z +z that are equally near.
    fn closest_point(&self, point: DVec3) -> DVec3 {
        if !is_somewhere(point) {
            return DVec3::NAN;
        }
        onto_faces(point, self.min, self.max)
    }
}

impl Packing for AlignedBoxTest {
    const FORM: Form = Form::AlignedBoxTest;

    /// The layout is min, 0 | max, 0 | 0.
    fn params(&self) -> TestParams {
        TestParams { first: vec4(self.min, 0.0), second: vec4(self.max, 0.0), third: [0.0; 4] }
    }
}

/// An oriented box (OBB).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OrientedBoxTest {
    center: DVec3,
    half_extents: DVec3,
    world_from_box: DMat3,
}

impl OrientedBoxTest {
    /// Returns the test of a box with a centre, half its edges along its own axes, and the rotation
    /// of those axes into the world's, a quaternion of any length.
    ///
    /// # Errors
    /// A [`ShapeError`] for a number out of range, and for a quaternion of no length.
    pub fn new(center: DVec3, half_extents: DVec3, rotation: DQuat) -> Result<Self, ShapeError> {
        check_point(center, || "center".to_owned())?;
        check_alone(FieldKind::Extents, &half_extents.to_array(), "half_extents")?;
        let world_from_box = DMat3::from_quat(check_rotation(rotation)?);
        Ok(Self { center, half_extents, world_from_box })
    }

    fn in_box(&self, point: DVec3) -> DVec3 {
        self.world_from_box.transpose() * (point - self.center)
    }
}

impl Contains for OrientedBoxTest {
    /// Tests |(p − c) · aᵢ| ≤ hᵢ along each of its own axes a.
    fn contains(&self, point: DVec3) -> bool {
        is_somewhere(point) && holds(self.in_box(point), -self.half_extents, self.half_extents)
    }
}

impl ClosestPoint for OrientedBoxTest {
    /// Clamps as [`AlignedBoxTest`] does, along its own axes (Ericson, 5.1.4).
    fn closest_point(&self, point: DVec3) -> DVec3 {
        if !is_somewhere(point) {
            return DVec3::NAN;
        }
        let half = self.half_extents;
        self.center + self.world_from_box * onto_faces(self.in_box(point), -half, half)
    }
}

impl Packing for OrientedBoxTest {
    const FORM: Form = Form::OrientedBoxTest;

    /// The layout is centre, half x | own x axis in the world, half y | own y axis, half z. The
    /// third axis is the cross product of the other two.
    fn params(&self) -> TestParams {
        TestParams {
            first: vec4(self.center, self.half_extents.x),
            second: vec4(self.world_from_box.x_axis, self.half_extents.y),
            third: vec4(self.world_from_box.y_axis, self.half_extents.z),
        }
    }
}

fn holds(point: DVec3, min: DVec3, max: DVec3) -> bool {
    min.cmple(point).all() && point.cmple(max).all()
}

fn onto_faces(point: DVec3, min: DVec3, max: DVec3) -> DVec3 {
    if !holds(point, min, max) {
        return point.clamp(min, max);
    }
    let faces = (0..3).flat_map(|axis| [(axis, min[axis]), (axis, max[axis])]);
    let distance = |&(axis, face): &(usize, f64)| (point[axis] - face).abs();
    // `min_by` returns the first of equals.
    let nearest = faces.min_by(|a, b| distance(a).total_cmp(&distance(b)));
    let mut onto = point;
    if let Some((axis, face)) = nearest {
        onto[axis] = face;
    }
    onto
}
