//! The placement of an object in the world: an affine map whose numbers were rounded once to
//! float32, with the derived numbers for rays, normals and bounds. Shapes without a closed form in
//! the world are intersected in object space.

use crate::fields::{ShapeError, check_point};
use crate::math::Bounds;
use crate::ray::Line;
use crate::transform::Affine;
use glam::{DMat3, DVec3};

/// The largest ratio of stretches of a map that keeps angles. Rounding a similarity to float32
/// never exceeds it.
const EVEN: f64 = 1.0 + 1e-6;

/// An affine map from object space to world space, p ↦ linear · p + translation. Its numbers are
/// float32 numbers, stored in float64, and count as exact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Placement {
    world_from_object: Affine,
    /// The inverse of the linear part is this divided by the determinant. Products with it are
    /// exact on small integers.
    adjugate: DMat3,
    determinant: f64,
    /// The smallest and the largest factor by which lengths grow.
    stretches: [f64; 2],
}

impl Placement {
    /// Rounds a transform to float32 and checks it.
    ///
    /// # Errors
    /// A [`ShapeError`] without a field, if a number is not finite or too large, and if the ratio
    /// of the largest to the smallest stretch of lengths exceeds 10⁶.
    #[inline]
    pub(crate) fn new(world_from_object: &Affine) -> Result<Self, ShapeError> {
        world_from_object.check()?;
        let rounded = world_from_object.rounded();
        check_point(rounded.translation, || "translation".to_owned())?;
        rounded.check()?;
        let linear = rounded.linear;
        let [a, b, c] = [linear.x_axis, linear.y_axis, linear.z_axis];
        // The rows of the adjugate are the cross products of the columns (Cramer's rule).
        let adjugate = DMat3::from_cols(b.cross(c), c.cross(a), a.cross(b)).transpose();
        Ok(Self {
            world_from_object: rounded,
            adjugate,
            determinant: a.dot(b.cross(c)),
            stretches: stretches(&rounded),
        })
    }

    /// Returns the identity placement.
    pub(crate) fn identity() -> Self {
        Self {
            world_from_object: Affine { linear: DMat3::IDENTITY, translation: DVec3::ZERO },
            adjugate: DMat3::IDENTITY,
            determinant: 1.0,
            stretches: [1.0; 2],
        }
    }

    /// Returns the map. Its numbers are float32 numbers, stored in float64.
    pub fn world_from_object(&self) -> &Affine {
        &self.world_from_object
    }

    /// Returns the smallest and the largest factor by which it stretches lengths; bounds on them
    /// for a map that keeps angles up to float32 rounding.
    pub fn stretches(&self) -> [f64; 2] {
        self.stretches
    }

    /// Returns κ, the ratio of the largest to the smallest stretch; exactly 1 for a map that keeps
    /// angles, up to float32 rounding.
    pub fn stretch_ratio(&self) -> f64 {
        let [least, most] = self.stretches;
        let ratio = most / least;
        if ratio < EVEN { 1.0 } else { ratio }
    }

    /// Returns true if lengths grow by one factor in all directions, up to float32 rounding.
    pub fn keeps_angles(&self) -> bool {
        self.stretch_ratio() == 1.0
    }

    /// Returns the factor by which volumes grow.
    pub fn volume_ratio(&self) -> f64 {
        self.determinant.abs()
    }

    pub(crate) fn inverse_linear(&self) -> DMat3 {
        DMat3::from_cols_array(&self.adjugate.to_cols_array().map(|entry| entry / self.determinant))
    }

    #[inline(always)]
    pub(crate) fn object_from_world(&self) -> ObjectFromWorld {
        let Self { world_from_object: Affine { translation, .. }, adjugate, determinant, .. } =
            *self;
        ObjectFromWorld { adjugate, determinant, translation }
    }

    pub(crate) fn line_in_object(&self, line: &Line) -> Line {
        self.object_from_world().line(line)
    }

    pub(crate) fn point_in_object(&self, point: DVec3) -> DVec3 {
        self.object_from_world().point(point)
    }

    /// Returns the unit normal of the image of a surface, from the normal in object space. The
    /// inverse transpose transforms normals, also for a mirror.
    pub(crate) fn normal_in_world(&self, normal_in_object: DVec3) -> DVec3 {
        let cofactor = self.adjugate.transpose() * normal_in_object;
        (self.determinant.signum() * cofactor).normalize_or(normal_in_object)
    }

    /// Returns a box around the image of a box.
    pub(crate) fn bounds_in_world(&self, bounds: &Bounds) -> Bounds {
        if !bounds.min.is_finite() {
            return *bounds;
        }
        self.world_from_object.bounds(bounds)
    }
}

/// Returns the smallest and the largest factor by which a map stretches lengths. Most maps keep
/// angles up to rounding. For these it returns bounds whose ratio is below [`EVEN`], which need no
/// iteration.
fn stretches(map: &Affine) -> [f64; 2] {
    let [least, most] = map.squared_stretch_bounds();
    if most < EVEN * least { [least.sqrt(), most.sqrt()] } else { map.stretches() }
}

/// The map back from world space to object space, in few bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ObjectFromWorld {
    adjugate: DMat3,
    determinant: f64,
    translation: DVec3,
}

impl ObjectFromWorld {
    /// The direction is not normalised, so t is the same in both spaces.
    #[inline(always)]
    pub fn line(&self, line: &Line) -> Line {
        Line { origin: self.point(line.origin), direction: self.vector(line.direction) }
    }

    #[inline(always)]
    pub fn point(&self, point: DVec3) -> DVec3 {
        self.vector(point - self.translation)
    }

    #[inline(always)]
    pub fn vector(&self, vector: DVec3) -> DVec3 {
        // The division comes last, so that small integers with an integer image keep it exactly.
        self.adjugate * vector / self.determinant
    }
}
