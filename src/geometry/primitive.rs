//! A primitive wraps the closed form that a ray is intersected with. Answers, the judge and containment ask a primitive
//! and never its shape, so that a transform can be added here alone.

use crate::crossings::{Crossings, Zones};
use crate::placement::Placement;
use crate::ray::Line;
use crate::shapes::{Shape, delta};
use glam::DVec3;

/// One primitive of a geometry, in world space: a closed form, or the image of one under a [`Placement`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Primitive {
    shape: Shape,
    center: DVec3,
    radius: f64,
    placement: Option<Placement>,
}

impl Primitive {
    /// Makes a primitive whose precision is measured by another centre and radius than its own shape's.
    pub(super) fn within(shape: Shape, center: DVec3, radius: f64) -> Self {
        Self { shape, center, radius, placement: None }
    }

    /// Returns the image of a primitive that is not placed yet.
    pub(crate) fn placed(self, placement: &Placement) -> Self {
        let [_, most] = placement.stretches();
        Self {
            center: placement.world_from_object().point(self.center),
            radius: most * self.radius,
            placement: Some(*placement),
            ..self
        }
    }

    /// Returns the point from which the precision promise measures the distance D.
    pub fn center(&self) -> DVec3 {
        self.center
    }

    /// Returns the radius R about that point.
    pub fn radius(&self) -> f64 {
        self.radius
    }

    /// Returns its closed form, in the space of its [`Self::placement`].
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// Returns its place, if its closed form is not in world space.
    pub fn placement(&self) -> Option<&Placement> {
        self.placement.as_ref()
    }

    /// Returns κ, the ratio of the largest to the smallest stretch of its placement, by which its precision promise widens.
    fn stretch_ratio(&self) -> f64 {
        self.placement.map_or(1.0, |placement| placement.stretch_ratio())
    }

    /// Returns how many times wider its precision promise is than that of most shapes.
    pub fn allowance(&self) -> f64 {
        self.stretch_ratio() * self.shape.shape_type().allowance
    }

    /// Returns δ = 16 u max(D, R), 128 u for a torus, times κ of a placement: the distance by which float32 may have moved
    /// the surface, for rays from `origin`.
    pub fn delta(&self, origin: DVec3) -> f64 {
        self.stretch_ratio() * delta(self.shape.shape_type(), origin, self.center, self.radius)
    }

    /// Returns true if it has an inside by itself; a triangle of a closed mesh has not.
    pub fn is_solid(&self) -> bool {
        self.shape.is_solid()
    }

    /// Returns a line in the space of the closed form. Its t are the same.
    fn line_in_shape(&self, line: &Line) -> Line {
        self.placement.map_or(*line, |placement| placement.line_in_object(line))
    }

    /// Returns where a line crosses it.
    pub fn crossings(&self, line: &Line) -> Crossings {
        self.shape.crossings(&self.line_in_shape(line))
    }

    /// Returns where a line crosses it as one of the primitives of a surface: an edge that two triangles share is crossed
    /// in one of them.
    pub fn own_crossings(&self, line: &Line) -> Crossings {
        self.shape.own_crossings(&self.line_in_shape(line))
    }

    /// Returns what is known of a line if every surface may lie up to `delta` from where it is. A placed surface is moved in
    /// object space, by `delta` where the placement stretches most and by less elsewhere.
    pub fn zones(&self, line: &Line, delta: f64) -> Zones {
        let most = self.placement.map_or(1.0, |placement| placement.stretches()[1]);
        self.shape.zones(&self.line_in_shape(line), delta / most)
    }

    /// Returns the outward unit normal of a face at a point on or near it.
    pub fn normal(&self, face: u32, point: DVec3) -> DVec3 {
        match &self.placement {
            None => self.shape.normal(face, point),
            Some(placement) => {
                let in_object = self.shape.normal(face, placement.point_in_object(point));
                placement.normal_in_world(in_object)
            }
        }
    }

    /// Returns the nearest point of its surface, for a point inside of it too.
    pub fn closest_point(&self, point: DVec3) -> DVec3 {
        match &self.placement {
            None => self.shape.closest_point(point),
            Some(placement) => self.shape.closest_point_of_image(placement, point),
        }
    }

    /// Returns true if the half-space behind it, as a plane has one, holds a point; the boundary belongs to it.
    pub fn half_space_contains(&self, point: DVec3) -> bool {
        let point = self.placement.map_or(point, |placement| placement.point_in_object(point));
        self.shape.half_space_holds(point)
    }
}

impl From<Shape> for Primitive {
    fn from(shape: Shape) -> Self {
        Self { shape, center: shape.center(), radius: shape.bounding_radius(), placement: None }
    }
}
