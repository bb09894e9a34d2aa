//! A primitive wraps the closed form, or the face of a heightfield's base, that a ray is intersected with. Answers, the judge and containment ask a primitive
//! and never its shape, so that a transform can be added here alone.

use crate::crossings::{Crossings, Zones};
use crate::ray::Line;
use crate::shapes::{BaseFace, Shape, delta};
use glam::DVec3;

/// One primitive of a geometry, in world space.
#[derive(Clone, Debug, PartialEq)]
pub struct Primitive {
    form: PrimitiveForm,
    center: DVec3,
    radius: f64,
}

/// The surface of a primitive.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum PrimitiveForm {
    Shape(Shape),
    BaseFace(BaseFace),
}

impl Primitive {
    /// Makes a primitive whose precision is measured by another centre and radius than its own form's.
    pub(super) fn within(form: PrimitiveForm, center: DVec3, radius: f64) -> Self {
        Self { form, center, radius }
    }

    /// Returns the point from which the precision promise measures the distance D.
    pub fn center(&self) -> DVec3 {
        self.center
    }

    /// Returns the radius R about that point.
    pub fn radius(&self) -> f64 {
        self.radius
    }

    /// Returns its closed form; `None` for a side or the bottom of a heightfield, which have none.
    pub fn shape(&self) -> Option<&Shape> {
        match &self.form {
            PrimitiveForm::Shape(shape) => Some(shape),
            PrimitiveForm::BaseFace(_) => None,
        }
    }

    /// Returns how many times wider its precision promise is than that of most shapes.
    pub fn allowance(&self) -> f64 {
        self.shape().map_or(1.0, |shape| shape.shape_type().allowance)
    }

    /// Returns δ = 16 u max(D, R), 128 u for a torus: the distance by which float32 may have moved the surface, for rays
    /// from `origin`.
    pub fn delta(&self, origin: DVec3) -> f64 {
        delta(self.allowance(), origin, self.center, self.radius)
    }

    /// Returns true if it has an inside by itself; a triangle of a closed mesh has not.
    pub fn is_solid(&self) -> bool {
        self.shape().is_some_and(Shape::is_solid)
    }

    /// Returns where a line crosses it.
    pub fn crossings(&self, line: &Line) -> Crossings {
        match &self.form {
            PrimitiveForm::Shape(shape) => shape.crossings(line),
            PrimitiveForm::BaseFace(face) => face.crossings(line),
        }
    }

    /// Returns where a line crosses it as one of the primitives of a surface: an edge that two triangles share is crossed
    /// in one of them.
    pub fn own_crossings(&self, line: &Line) -> Crossings {
        match &self.form {
            PrimitiveForm::Shape(shape) => shape.own_crossings(line),
            PrimitiveForm::BaseFace(face) => face.own_crossings(line),
        }
    }

    /// Returns what is known of a line if every surface may lie up to `delta` from where it is.
    pub fn zones(&self, line: &Line, delta: f64) -> Zones {
        match &self.form {
            PrimitiveForm::Shape(shape) => shape.zones(line, delta),
            PrimitiveForm::BaseFace(face) => face.zones(line, delta),
        }
    }

    /// Returns the outward unit normal of a face at a point on or near it.
    pub fn normal(&self, face: u32, point: DVec3) -> DVec3 {
        match &self.form {
            PrimitiveForm::Shape(shape) => shape.normal(face, point),
            PrimitiveForm::BaseFace(base_face) => base_face.normal(),
        }
    }

    /// Returns the nearest point of its surface, for a point inside of it too.
    pub fn closest_point(&self, point: DVec3) -> DVec3 {
        match &self.form {
            PrimitiveForm::Shape(shape) => shape.closest_point(point),
            PrimitiveForm::BaseFace(face) => face.closest_point(point),
        }
    }

    /// Returns true if the half-space behind it, as a plane has one, holds a point; the boundary belongs to it.
    pub fn half_space_contains(&self, point: DVec3) -> bool {
        self.shape().is_some_and(|shape| shape.half_space_holds(point))
    }
}

impl From<Shape> for Primitive {
    fn from(shape: Shape) -> Self {
        let (center, radius) = (shape.center(), shape.bounding_radius());
        Self { form: PrimitiveForm::Shape(shape), center, radius }
    }
}
