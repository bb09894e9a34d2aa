//! Float64 geometry that glam lacks: the unit roundoff, boxes and similarities.

use glam::{DMat3, DQuat, DVec3};
use std::f64::consts::PI;

/// The unit roundoff of float32, 2⁻²⁴. It is the unit of every precision bound.
pub const U: f64 = 1.0 / 16_777_216.0;

pub(crate) fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(((exponent + 1023) as u64) << 52)
}

/// Converts an angle to radians. The standard library's function is not used because it does not
/// specify its rounding.
pub fn radians(degrees: f64) -> f64 {
    degrees * (PI / 180.0)
}

/// Returns the angle in radians, from 0 to one turn, at a time, of a uniform rotation that starts
/// at time 0.
pub fn turn_at(turns_per_s: f64, time: f64) -> f64 {
    let turns = turns_per_s * time;
    2.0 * PI * (turns - turns.floor())
}

/// Returns the rotation by an angle in radians about a unit vector. glam's function calls the C
/// library, whose sines differ from one machine to the next.
pub fn rotation_about(axis: DVec3, angle: f64) -> DQuat {
    let half = 0.5 * angle;
    DQuat::from_vec4((libm::sin(half) * axis).extend(libm::cos(half)))
}

/// Returns the matrix of a rotation, whose quaternion need not be normalised. If all nonzero
/// components have one magnitude, the rotation permutes the axes, and the matrix is exact.
pub(crate) fn rotation_matrix(rotation: DQuat) -> DMat3 {
    if rotation.w != 0.0 && rotation.xyz().to_array().map(f64::to_bits) == [0; 3] {
        return DMat3::IDENTITY;
    }
    let matrix = DMat3::from_quat(rotation.normalize());
    let sizes = rotation.to_array().map(f64::abs);
    let largest = sizes.into_iter().fold(0.0, f64::max);
    let count = sizes.into_iter().filter(|&size| size == largest).count();
    let is_even = sizes.into_iter().all(|size| size == largest || size == 0.0);
    // A rotation with three equal components takes no axis to another.
    if !is_even || count == 3 {
        return matrix;
    }
    DMat3::from_cols(matrix.x_axis.round(), matrix.y_axis.round(), matrix.z_axis.round())
}

/// Returns the eigenvalues of a symmetric matrix, the largest first, and the rotation to the frame
/// of its eigenvectors, by Jacobi's method. Like MuJoCo's method it starts with the identity, so
/// equal eigenvalues leave the axes unchanged.
pub fn principal_axes(matrix: DMat3) -> (DVec3, DQuat) {
    const EPSILON: f64 = 1e-12;
    let mut rotation = DQuat::IDENTITY;
    let mut turned = matrix;
    for _ in 0..500 {
        let axes = DMat3::from_quat(rotation);
        turned = axes.transpose() * matrix * axes;
        let [xy, xz, yz] = [turned.y_axis.x, turned.z_axis.x, turned.z_axis.y];
        let (row, column, axis, off) = if xy.abs() > xz.abs() && xy.abs() > yz.abs() {
            (0, 1, 2, xy)
        } else if xz.abs() > yz.abs() {
            (0, 2, 1, xz)
        } else {
            (1, 2, 0, yz)
        };
        if off.abs() < EPSILON {
            break;
        }
        let tau = (turned.col(column)[column] - turned.col(row)[row]) / (2.0 * off);
        let tangent = 1.0 / (tau.abs() + (1.0 + tau * tau).sqrt());
        let cosine = 1.0 / (1.0 + tangent * tangent).sqrt();
        if cosine > 1.0 - EPSILON {
            break;
        }
        let sine = (0.5 - 0.5 * cosine).sqrt();
        let sine = if (tau >= 0.0) == (axis == 1) { sine } else { -sine };
        let mut part = DVec3::ZERO;
        part[axis] = sine;
        rotation *= DQuat::from_vec4(part.extend((1.0 - sine * sine).sqrt()));
        rotation = rotation.normalize();
    }
    let mut values = DVec3::new(turned.x_axis.x, turned.y_axis.y, turned.z_axis.z);
    for lead in [0, 1, 0] {
        if values[lead] + EPSILON < values[lead + 1] {
            (values[lead], values[lead + 1]) = (values[lead + 1], values[lead]);
            let mut part = DVec3::ZERO;
            part[(lead + 2) % 3] = std::f64::consts::FRAC_1_SQRT_2;
            rotation *= DQuat::from_vec4(part.extend(std::f64::consts::FRAC_1_SQRT_2));
        }
    }
    (values, rotation.normalize())
}

/// An axis-aligned box in float64.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// The corner with the smallest coordinates.
    pub min: DVec3,
    /// The corner with the largest coordinates.
    pub max: DVec3,
}

impl Bounds {
    /// The empty box, from which every union starts.
    pub const EMPTY: Self = Self { min: DVec3::INFINITY, max: DVec3::NEG_INFINITY };

    /// Returns the box that reaches `half` to either side of `center`.
    pub fn around(center: DVec3, half: DVec3) -> Self {
        Self { min: center - half, max: center + half }
    }

    /// Returns the smallest box around both.
    pub fn union(self, other: Self) -> Self {
        Self { min: self.min.min(other.min), max: self.max.max(other.max) }
    }

    /// Returns its centre.
    pub fn center(&self) -> DVec3 {
        0.5 * (self.min + self.max)
    }

    /// Returns half its diagonal, the radius of the sphere through its corners.
    pub fn radius(&self) -> f64 {
        0.5 * (self.max - self.min).length()
    }

    /// Returns its eight corners.
    pub(crate) fn corners(&self) -> [DVec3; 8] {
        std::array::from_fn(|corner| {
            let at = |axis: usize| if corner >> axis & 1 == 1 { self.max } else { self.min }[axis];
            DVec3::new(at(0), at(1), at(2))
        })
    }

    /// Returns the least product of one of its points with a direction.
    pub(crate) fn least_along(&self, direction: DVec3) -> f64 {
        let nearest = DVec3::select(direction.cmpgt(DVec3::ZERO), self.min, self.max);
        nearest.dot(direction)
    }

    /// Returns true if `other` is inside, including the boundary.
    pub fn contains(&self, other: &Self) -> bool {
        self.min.cmple(other.min).all() && other.max.cmple(self.max).all()
    }
}

/// A rotation, a uniform scale and a translation: p ↦ translation + rotation · (scale · p).
#[doc(alias("Isometry", "translation", "rotation"))]
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Similarity {
    /// The translation, applied last.
    pub translation: DVec3,
    /// The rotation, a unit quaternion.
    pub rotation: DQuat,
    /// The scale, above 0 and applied first.
    pub scale: f64,
}

impl Similarity {
    /// The identity.
    pub const IDENTITY: Self =
        Self { translation: DVec3::ZERO, rotation: DQuat::IDENTITY, scale: 1.0 };

    /// Transforms a point.
    pub fn point(&self, point: DVec3) -> DVec3 {
        self.translation + self.rotation * (self.scale * point)
    }

    /// Returns the composition that applies `inner` first, as in
    /// `world_from_parent.then_inner(parent_from_child)`.
    pub fn then_inner(&self, inner: &Self) -> Self {
        Self {
            translation: self.point(inner.translation),
            rotation: self.rotation * inner.rotation,
            scale: self.scale * inner.scale,
        }
    }
}

/// Returns a vector as the GPU reads it, from float64 numbers that are float32 numbers.
pub(crate) fn vec4(xyz: DVec3, w: f64) -> [f32; 4] {
    let [x, y, z] = xyz.as_vec3().to_array();
    [x, y, z, w as f32]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_of_axes_onto_each_other_are_exact() {
        let q = |x, y, z, w| rotation_matrix(DQuat::from_xyzw(x, y, z, w)).to_cols_array();
        let rounded = f64::from(0.707_106_77_f32);
        assert_eq!(q(0.0, 0.0, rounded, rounded), [0., 1., 0., -1., 0., 0., 0., 0., 1.]);
        assert_eq!(q(0.5, 0.5, 0.5, 0.5), [0., 1., 0., 0., 0., 1., 1., 0., 0.]);
        assert_eq!(q(0.0, -3.0, 0.0, 0.0), [-1., 0., 0., 0., 1., 0., 0., 0., -1.]);
        for other in [[0.5, 0.5, 0.5, 0.0], [0.1, 0.0, 0.0, 0.9], [0.5, 0.5, -0.5, 0.4]] {
            let rotation = DQuat::from_array(other);
            let matrix = DMat3::from_quat(rotation.normalize());
            assert_eq!(rotation_matrix(rotation), matrix);
            assert!(matrix.to_cols_array().iter().any(|entry| entry.fract() != 0.0));
        }
    }
}
