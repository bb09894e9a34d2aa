//! Transforms from one space to another, in float64, as used by the nodes of a scene: similarities,
//! which keep every shape's type, and all other affine maps.

use crate::fields::ShapeError;
use crate::math::{Bounds, Similarity};
use glam::{DMat3, DVec3};

/// The largest ratio of a transform's largest to its smallest stretch.
pub const MAX_STRETCH_RATIO: f64 = 1e6;

/// The least and the most by which a transform may stretch lengths.
const STRETCHES: [f64; 2] = [1e-9, 1e9];

/// Relative deviations below this count as zero. They move a shape by less than rounding its
/// numbers to float32 does.
pub(crate) const NEARLY: f64 = 1.0 / (1_u64 << 27) as f64;

/// A matrix counts as a similarity, or a scale along a shape's axes, if it differs from one by at
/// most this share of its largest stretch. Rounding its numbers to float32, even twice, never moves
/// it as far.
pub(crate) const ROUNDED: f64 = 1.0 / (1_u64 << 22) as f64;

/// An affine map, p ↦ linear · p + translation.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Affine {
    /// The linear part, applied first. It may stretch, shear and mirror.
    pub linear: DMat3,
    /// The translation.
    pub translation: DVec3,
}

impl Affine {
    /// Returns the map that scales along the axes, then rotates, then translates, like the keys of
    /// a node in scene files.
    pub fn from_scale_rotation_translation(
        scale: DVec3,
        rotation: glam::DQuat,
        translation: DVec3,
    ) -> Self {
        Self { linear: DMat3::from_quat(rotation) * DMat3::from_diagonal(scale), translation }
    }

    /// Returns the map of a 3 × 4 matrix, given row by row. The fourth column is the translation.
    pub fn from_rows(rows: [f64; 12]) -> Self {
        let row = |index: usize| DVec3::from_slice(&rows[4 * index..]);
        let linear = DMat3::from_cols(row(0), row(1), row(2)).transpose();
        Self { linear, translation: DVec3::new(rows[3], rows[7], rows[11]) }
    }

    /// Transforms a point.
    pub fn point(&self, point: DVec3) -> DVec3 {
        self.linear * point + self.translation
    }

    /// Returns the composition that applies `inner` first.
    pub fn then_inner(&self, inner: &Self) -> Self {
        Self { linear: self.linear * inner.linear, translation: self.point(inner.translation) }
    }

    /// Returns the map whose numbers are rounded to float32.
    pub(crate) fn rounded(&self) -> Self {
        Self {
            linear: self.linear.as_mat3().as_dmat3(),
            translation: self.translation.as_vec3().as_dvec3(),
        }
    }

    /// Returns true if it mirrors, so that left becomes right.
    pub fn is_mirror(&self) -> bool {
        self.linear.determinant() < 0.0
    }

    /// Returns the images of the unit vectors, made perpendicular to each other by a rotation of
    /// object space, as columns: their lengths are the singular values. The method is the one-sided
    /// Jacobi iteration (Hestenes, 1958), which needs no trigonometry.
    pub(crate) fn perpendicular_columns(linear: &DMat3) -> DMat3 {
        let mut columns = [linear.x_axis, linear.y_axis, linear.z_axis];
        const SWEEPS: usize = 30;
        for _ in 0..SWEEPS {
            let mut is_done = true;
            for [p, q] in [[0, 1], [0, 2], [1, 2]] {
                let [a, b] = [columns[p].length_squared(), columns[q].length_squared()];
                let product = columns[p].dot(columns[q]);
                if product.abs() <= 1e-15 * (a * b).sqrt() {
                    continue;
                }
                is_done = false;
                // The tangent of the angle of the rotation that makes the two columns
                // perpendicular.
                let ratio = (b - a) / (2.0 * product);
                let tangent = ratio.signum() / (ratio.abs() + (1.0 + ratio * ratio).sqrt());
                let cosine = 1.0 / (1.0 + tangent * tangent).sqrt();
                let sine = cosine * tangent;
                [columns[p], columns[q]] = [
                    cosine * columns[p] - sine * columns[q],
                    sine * columns[p] + cosine * columns[q],
                ];
            }
            if is_done {
                break;
            }
        }
        DMat3::from_cols(columns[0], columns[1], columns[2])
    }

    /// Returns the smallest and the largest factor by which it stretches lengths: its singular
    /// values.
    pub fn stretches(&self) -> [f64; 2] {
        let columns = Self::perpendicular_columns(&self.linear);
        let lengths =
            DVec3::new(columns.x_axis.length(), columns.y_axis.length(), columns.z_axis.length());
        [lengths.min_element(), lengths.max_element()]
    }

    /// Returns bounds on the squares of its stretches, without iteration. These are the eigenvalues
    /// of the matrix of the columns' products, which lie in the discs of Gershgorin (1931). For
    /// perpendicular columns the bounds are exact.
    pub(crate) fn squared_stretch_bounds(&self) -> [f64; 2] {
        let [a, b, c] = [self.linear.x_axis, self.linear.y_axis, self.linear.z_axis];
        let [ab, bc, ca] = [a.dot(b), b.dot(c), c.dot(a)].map(f64::abs);
        let squares = DVec3::new(a.length_squared(), b.length_squared(), c.length_squared());
        let radii = DVec3::new(ab + ca, ab + bc, bc + ca);
        [(squares - radii).min_element(), (squares + radii).max_element()]
    }

    /// Returns an error for a map that is not finite, flattens space, or stretches it too unevenly.
    ///
    /// # Errors
    /// A [`ShapeError`] without a field.
    pub fn check(&self) -> Result<(), ShapeError> {
        let refuse = |reason: String| Err(ShapeError { field: String::new(), reason });
        if !self.linear.is_finite() || !self.translation.is_finite() {
            return refuse("has a transform with a number that is not finite".to_owned());
        }
        let [least, most] = self.squared_stretch_bounds();
        let [lower, upper] = STRETCHES.map(|stretch| stretch * stretch);
        const MARGIN: f64 = 1e-6;
        let is_surely_right = least > (1.0 + MARGIN) * lower
            && most < (1.0 - MARGIN) * upper
            && most < (1.0 - MARGIN) * MAX_STRETCH_RATIO * MAX_STRETCH_RATIO * least;
        if is_surely_right {
            return Ok(());
        }
        let [least, most] = self.stretches();
        // A comparison with NaN is false.
        let is_in_range = least >= STRETCHES[0] && most <= STRETCHES[1];
        if !is_in_range {
            return refuse(format!(
                "has a transform that stretches lengths by {least:?} to {most:?}: both must be between 1e-9 and 1e9, so \
                 no scale may be 0 and no matrix may be singular"
            ));
        }
        if most > MAX_STRETCH_RATIO * least {
            return refuse(format!(
                "has a transform that stretches lengths by {least:?} to {most:?}: the ratio may be at most 1e6"
            ));
        }
        Ok(())
    }

    /// Returns the smallest box around the image of a box.
    pub fn bounds(&self, bounds: &Bounds) -> Bounds {
        let half = 0.5 * (bounds.max - bounds.min);
        let columns = [self.linear.x_axis, self.linear.y_axis, self.linear.z_axis];
        let reach =
            columns[0].abs() * half.x + columns[1].abs() * half.y + columns[2].abs() * half.z;
        Bounds::around(self.point(bounds.center()), reach)
    }
}

impl From<&Similarity> for Affine {
    fn from(similarity: &Similarity) -> Self {
        Self::from_scale_rotation_translation(
            DVec3::splat(similarity.scale),
            similarity.rotation,
            similarity.translation,
        )
    }
}

/// A transform of a node. Compositions of similarities stay similarities, so that their numbers are
/// rounded as little as possible.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub enum Transform {
    /// A rotation, a uniform positive scale and a translation.
    Similarity(Similarity),
    /// Any other affine map.
    Affine(Affine),
}

impl Transform {
    /// The identity.
    pub const IDENTITY: Self = Self::Similarity(Similarity::IDENTITY);

    /// Returns it as an affine map.
    pub fn affine(&self) -> Affine {
        match self {
            Self::Similarity(similarity) => similarity.into(),
            Self::Affine(affine) => *affine,
        }
    }

    /// Returns the composition that applies `inner` first, as in
    /// `world_from_parent.then_inner(parent_from_child)`.
    pub fn then_inner(&self, inner: &Self) -> Self {
        match (self, inner) {
            (Self::Similarity(outer), Self::Similarity(inner)) => {
                Self::Similarity(outer.then_inner(inner))
            }
            _ => Self::Affine(self.affine().then_inner(&inner.affine())),
        }
    }

    /// Transforms a point.
    pub fn point(&self, point: DVec3) -> DVec3 {
        match self {
            Self::Similarity(similarity) => similarity.point(point),
            Self::Affine(affine) => affine.point(point),
        }
    }

    /// Returns the point whose image is `point`.
    pub fn inverse_point(&self, point: DVec3) -> DVec3 {
        let Affine { linear, translation } = self.affine();
        linear.inverse() * (point - translation)
    }

    /// Returns the transform followed by a translation.
    pub fn moved(&self, by: DVec3) -> Self {
        match *self {
            Self::Similarity(similarity) => Self::Similarity(Similarity {
                translation: similarity.translation + by,
                ..similarity
            }),
            Self::Affine(affine) => {
                Self::Affine(Affine { translation: affine.translation + by, ..affine })
            }
        }
    }
}

impl From<Similarity> for Transform {
    fn from(similarity: Similarity) -> Self {
        Self::Similarity(similarity)
    }
}

impl From<Affine> for Transform {
    fn from(affine: Affine) -> Self {
        Self::Affine(affine)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DQuat;

    #[test]
    fn stretches_are_those_of_the_parts() {
        let turns = [DQuat::from_xyzw(0.1, 0.7, -0.3, 0.6).normalize(), DQuat::IDENTITY];
        for scale in [DVec3::new(2.0, -3.0, 0.5), DVec3::ONE, DVec3::new(1e-3, 1e3, 1.0)] {
            for before in turns {
                for after in turns {
                    let inner = Affine::from_scale_rotation_translation(scale, after, DVec3::X);
                    let outer =
                        Affine::from_scale_rotation_translation(DVec3::ONE, before, DVec3::Y);
                    let size = scale.abs();
                    let [least, most] = outer.then_inner(&inner).stretches();
                    assert!((least / size.min_element() - 1.0).abs() < 1e-12, "{scale} {least}");
                    assert!((most / size.max_element() - 1.0).abs() < 1e-12, "{scale} {most}");
                    assert_eq!(inner.is_mirror(), scale.y < 0.0);
                }
            }
        }
        let shear = Affine::from_rows([1.0, 1.0, 0.0, 5.0, 0.0, 1.0, 0.0, 6.0, 0.0, 0.0, 1.0, 7.0]);
        assert_eq!(shear.point(DVec3::ONE), DVec3::new(7.0, 7.0, 8.0));
        let back = Transform::from(shear).inverse_point(DVec3::new(7.0, 7.0, 8.0));
        assert_eq!(back, DVec3::ONE);
        let [least, most] = shear.stretches();
        assert!((least * most - 1.0).abs() < 1e-14 && (most - 1.618_033_988_75).abs() < 1e-9);
    }

    #[test]
    fn a_transform_that_flattens_or_tears_space_is_refused() {
        let scaled = |scale: [f64; 3]| {
            Affine::from_scale_rotation_translation(scale.into(), DQuat::IDENTITY, DVec3::ZERO)
        };
        for scale in [[0.0, 1.0, 1.0], [1.0, f64::NAN, 1.0], [1e7, 1.0, 1.0], [1e-10; 3], [1e10; 3]]
        {
            assert!(scaled(scale).check().is_err(), "{scale:?}");
        }
        assert!(scaled([1e6, 1.0, -1.0]).check().is_ok());
        let singular = [1.0, 2.0, 3.0, 0.0, 2.0, 4.0, 6.0, 0.0, 1.0, 0.0, 1.0, 0.0];
        assert!(Affine::from_rows(singular).check().is_err());
    }
}
