//! A primitive wraps the closed form, or the face of a heightfield's base, with which a ray is
//! intersected. Answers, the judge and containment use a primitive and never its shape, so
//! transforms are handled only here.

use crate::crossings::{Crossings, Zone, Zones};
use crate::placement::Placement;
use crate::ray::Line;
use crate::shapes::{BaseFace, Shape, delta};
use glam::DVec3;

/// One primitive of a geometry, in world space: a closed form, or the image of one under a
/// [`Placement`].
#[derive(Clone, Debug, PartialEq)]
pub struct Primitive {
    form: PrimitiveForm,
    /// The centre and the radius that determine its precision, if they are not those of its form.
    sphere: Option<(DVec3, f64)>,
    placement: Option<Placement>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum PrimitiveForm {
    Shape(Shape),
    BaseFace(BaseFace),
}

impl Primitive {
    /// Makes a primitive whose precision depends on another centre and radius than its own form's.
    pub(super) fn within(form: PrimitiveForm, center: DVec3, radius: f64) -> Self {
        Self { form, sphere: Some((center, radius)), placement: None }
    }

    /// Returns the primitive with a placement, if there is one. It must not have one yet.
    pub(crate) fn placed(self, placement: Option<&Placement>) -> Self {
        Self { placement: placement.copied(), ..self }
    }

    /// Returns the centre and the radius in the space of the closed form.
    fn sphere(&self) -> (DVec3, f64) {
        let own = || self.shape().map(|shape| (shape.center(), shape.bounding_radius()));
        // A side or a bottom always has the sphere of its heightfield.
        self.sphere.or_else(own).unwrap_or_default()
    }

    /// Returns the point from which the precision bound measures the distance D.
    pub fn center(&self) -> DVec3 {
        let (center, _) = self.sphere();
        self.placement.map_or(center, |placement| placement.world_from_object().point(center))
    }

    /// Returns the radius R about that point.
    pub fn radius(&self) -> f64 {
        let (_, radius) = self.sphere();
        self.placement.map_or(radius, |placement| placement.stretches()[1] * radius)
    }

    /// Returns its closed form, in the space of its [`Self::placement`]; `None` for a side or the
    /// bottom of a heightfield.
    pub fn shape(&self) -> Option<&Shape> {
        match &self.form {
            PrimitiveForm::Shape(shape) => Some(shape),
            PrimitiveForm::BaseFace(_) => None,
        }
    }

    /// Returns its placement, if its closed form is not in world space.
    pub fn placement(&self) -> Option<&Placement> {
        self.placement.as_ref()
    }

    /// Returns κ, the ratio of the largest to the smallest stretch of its placement. Its precision
    /// bound grows by this factor.
    fn stretch_ratio(&self) -> f64 {
        self.placement.map_or(1.0, |placement| placement.stretch_ratio())
    }

    /// Returns how many times wider its precision bound is than that of most shapes.
    pub fn allowance(&self) -> f64 {
        self.stretch_ratio() * self.shape().map_or(1.0, |shape| shape.shape_type().allowance)
    }

    /// Returns δ, the distance by which float32 may have moved the surface, for rays from `origin`.
    ///
    /// It is 16 u max(D, R), or 128 u max(D, R) for a torus, times κ of a placement.
    pub fn delta(&self, origin: DVec3) -> f64 {
        delta(self.allowance(), origin, self.center(), self.radius())
    }

    /// Returns true if it has an inside of its own. A triangle of a closed mesh does not.
    pub fn is_solid(&self) -> bool {
        self.shape().is_some_and(Shape::is_solid)
    }

    /// Returns a line in the space of the closed form. Its t are the same.
    fn line_in_shape(&self, line: &Line) -> Line {
        self.placement.map_or(*line, |placement| placement.line_in_object(line))
    }

    /// Returns a displacement of its surface in the space of the closed form. It is exact where the
    /// placement stretches most, and smaller elsewhere.
    fn delta_in_shape(&self, delta: f64) -> f64 {
        delta / self.placement.map_or(1.0, |placement| placement.stretches()[1])
    }

    /// Returns where a line crosses it.
    pub fn crossings(&self, line: &Line) -> Crossings {
        let line = &self.line_in_shape(line);
        match &self.form {
            PrimitiveForm::Shape(shape) => shape.crossings(line),
            PrimitiveForm::BaseFace(face) => face.crossings(line),
        }
    }

    /// Returns where a line crosses it as one of the primitives of a surface: an edge that two
    /// triangles share is crossed in one of them.
    pub fn own_crossings(&self, line: &Line) -> Crossings {
        let line = &self.line_in_shape(line);
        match &self.form {
            PrimitiveForm::Shape(shape) => shape.own_crossings(line),
            PrimitiveForm::BaseFace(face) => face.own_crossings(line),
        }
    }

    /// Returns the most crossings that a line can have with it.
    pub fn most_crossings(&self) -> u32 {
        self.shape().map_or(1, Shape::most_crossings)
    }

    /// Returns the zones of a line if every surface may be displaced by up to `delta`.
    pub fn zones(&self, line: &Line, delta: f64) -> Zones {
        let (line, delta) = (&self.line_in_shape(line), self.delta_in_shape(delta));
        match &self.form {
            PrimitiveForm::Shape(shape) => shape.zones(line, delta),
            PrimitiveForm::BaseFace(face) => face.zones(line, delta),
        }
    }

    /// Returns true if a line may meet the rim of a hole within a zone, if surfaces may be
    /// displaced by up to `delta`.
    pub fn may_meet_rim(&self, line: &Line, delta: f64, zone: &Zone) -> bool {
        let (line, delta) = (&self.line_in_shape(line), self.delta_in_shape(delta));
        self.shape().is_some_and(|shape| shape.may_meet_rim(line, delta, zone))
    }

    /// Returns the outward unit normal of a face at a point on or near it.
    pub fn normal(&self, face: u32, point: DVec3) -> DVec3 {
        let in_shape = self.placement.map_or(point, |placement| placement.point_in_object(point));
        let normal = match &self.form {
            PrimitiveForm::Shape(shape) => shape.normal(face, in_shape),
            PrimitiveForm::BaseFace(base_face) => base_face.normal(),
        };
        self.placement.map_or(normal, |placement| placement.normal_in_world(normal))
    }

    /// Returns the nearest point of its surface, also for a point inside.
    pub fn closest_point(&self, point: DVec3) -> DVec3 {
        match (&self.form, &self.placement) {
            (PrimitiveForm::Shape(shape), None) => shape.closest_point(point),
            (PrimitiveForm::Shape(shape), Some(placement)) => {
                shape.closest_point_of_image(placement, point)
            }
            (PrimitiveForm::BaseFace(face), None) => face.closest_point(point),
            (PrimitiveForm::BaseFace(face), Some(placement)) => {
                face.closest_point_of_image(placement, point)
            }
        }
    }

    /// Returns true if a point is in the half-space behind it, as a plane has one. The boundary is
    /// part of the half-space.
    pub fn half_space_contains(&self, point: DVec3) -> bool {
        let point = self.placement.map_or(point, |placement| placement.point_in_object(point));
        self.shape().is_some_and(|shape| shape.half_space_holds(point))
    }
}

impl From<Shape> for Primitive {
    fn from(shape: Shape) -> Self {
        Self { form: PrimitiveForm::Shape(shape), sphere: None, placement: None }
    }
}
