//! A solid of a scene, with the functions that the search for overlaps needs: its crossings with
//! lines, the depth of a point in it, and its extent along a direction.

use super::compound::Compound;
use super::ellipsoid_method::Cut;
use crate::geometry::Primitive;
use crate::math::Bounds;
use crate::placement::Placement;
use crate::ray::Line;
use crate::shapes::{Convex, Shape, delta};
use glam::DVec3;
use std::f64::consts::PI;
use std::sync::Arc;

/// The largest error of the distance from a placed shape, as a share of its size.
const PLACED: f64 = 1e-6;

/// The rounding of a point in float64, as a share of the numbers from which it is computed: 64
/// units in the last place, more than any formula here adds up to.
const ROUNDING: f64 = 64.0 * f64::EPSILON;

/// The same for the nearest point of a surface, as [`Shape::closest_point`] documents it.
const NEAREST: f64 = 4e-13;

/// The distance by which a point is moved off the surface on which it is, as a share of the solid's
/// size.
const BESIDE: f64 = 1e-6;

/// The cosine of the angle up to which two axes count as parallel: one degree.
const ALONG: f64 = 0.999_85;

/// A solid of a scene, or the half-space behind a plane.
pub(super) struct Solid {
    pub geometry_id: u32,
    /// A box around it; infinite for a half-space.
    pub bounds: Bounds,
    /// The normal of the plane, if it is the half-space behind a plane.
    pub half_space: Option<DVec3>,
    form: SolidForm,
    placement: Option<Placement>,
    /// A bound on the numbers from which its points are computed.
    magnitude: f64,
}

pub(super) enum SolidForm {
    Shape(Box<Primitive>),
    Compound(Arc<Compound>),
}

impl Solid {
    /// Makes a solid of a form, with the box around it in the world.
    pub fn new(
        geometry_id: u32,
        form: SolidForm,
        placement: Option<Placement>,
        bounds: Bounds,
    ) -> Self {
        let largest = bounds.min.abs().max(bounds.max.abs()).max_element();
        let moved = placement.map_or(0.0, |placement| {
            // Rounding is relative to the image of the object's origin, which may be far away.
            let origin = placement.world_from_object().translation;
            let farthest = bounds.min.distance(origin).max(bounds.max.distance(origin));
            placement.stretch_ratio() * (origin.length() + farthest)
        });
        let magnitude = largest + moved;
        Self { geometry_id, bounds, half_space: None, form, placement, magnitude }
    }

    /// Makes the half-space behind a plane.
    pub fn half_space(geometry_id: u32, plane: Primitive) -> Self {
        let center = plane.center();
        Self {
            geometry_id,
            bounds: Bounds { min: DVec3::NEG_INFINITY, max: DVec3::INFINITY },
            half_space: Some(plane.normal(0, center)),
            placement: plane.placement().copied(),
            form: SolidForm::Shape(plane.into()),
            magnitude: center.abs().max_element(),
        }
    }

    pub fn is_half_space(&self) -> bool {
        self.half_space.is_some()
    }

    /// Returns true if it is convex: no line crosses it more than twice.
    pub fn is_convex(&self) -> bool {
        match &self.form {
            SolidForm::Shape(primitive) => primitive.most_crossings() <= 2,
            SolidForm::Compound(_) => false,
        }
    }

    /// Returns its centre; for a half-space, a point of the plane.
    pub fn center(&self) -> DVec3 {
        match (&self.form, self.half_space) {
            (SolidForm::Shape(plane), Some(_)) => plane.center(),
            _ => self.bounds.center(),
        }
    }

    /// Returns half the diagonal of the box around it; 0 for a half-space.
    pub fn radius(&self) -> f64 {
        if self.is_half_space() { 0.0 } else { self.bounds.radius() }
    }

    /// Returns the depth below which a point is neither certainly inside nor certainly outside: the
    /// bound δ for a ray from there, plus the rounding of float64.
    pub fn doubt(&self, point: DVec3) -> f64 {
        let ratio = self.placement.map_or(1.0, |placement| placement.stretch_ratio());
        let by_float32 = match &self.form {
            SolidForm::Shape(primitive) => primitive.delta(point),
            SolidForm::Compound(_) => delta(ratio, point, self.bounds.center(), self.radius()),
        };
        by_float32.max(self.rounding_of_distance() + self.error_of_placement())
    }

    /// Returns how far float64 may have moved one of its points.
    pub fn rounding(&self) -> f64 {
        ROUNDING * self.magnitude
    }

    /// Returns how far float64 may have moved a distance from its surface.
    pub fn rounding_of_distance(&self) -> f64 {
        NEAREST * self.magnitude
    }

    fn error_of_placement(&self) -> f64 {
        if self.placement.is_some() { PLACED * self.radius() } else { 0.0 }
    }

    /// Returns the error of [`Self::depth`]; `None` if the depth is only a lower bound.
    pub fn error_of_depth(&self) -> Option<f64> {
        let rounding = self.rounding_of_distance();
        let Some(placement) = &self.placement else { return Some(rounding) };
        let is_measured = matches!(self.form, SolidForm::Shape(_)) || placement.keeps_angles();
        is_measured.then_some(rounding + self.error_of_placement())
    }

    fn in_object(&self, point: DVec3) -> DVec3 {
        self.placement.map_or(point, |placement| placement.point_in_object(point))
    }

    fn in_world(&self, point: DVec3) -> DVec3 {
        self.placement.map_or(point, |placement| placement.world_from_object().point(point))
    }

    /// Appends where a line crosses it, in the order of t: an entry, an exit, and so on. An end
    /// that a half-space does not have is infinite.
    pub fn crossings(&self, line: &Line, crossings: &mut Vec<f64>) {
        match &self.form {
            SolidForm::Shape(primitive) => {
                let met = primitive.crossings(line);
                let Some(normal) = self.half_space else {
                    crossings.extend(met.iter().map(|crossing| crossing.t));
                    return;
                };
                let is_inside = self.holds(line.origin);
                crossings.extend(match met.first() {
                    Some(entry) if line.direction.dot(normal) < 0.0 => [entry.t, f64::INFINITY],
                    Some(exit) => [f64::NEG_INFINITY, exit.t],
                    None if is_inside => [f64::NEG_INFINITY, f64::INFINITY],
                    None => return,
                });
            }
            SolidForm::Compound(compound) => {
                let line = self.placement.map_or(*line, |it| it.line_in_object(line));
                compound.crossings(&line, crossings);
            }
        }
    }

    /// Returns true if it contains a point, including the boundary.
    pub fn holds(&self, point: DVec3) -> bool {
        match &self.form {
            SolidForm::Shape(plane) if self.is_half_space() => plane.half_space_contains(point),
            SolidForm::Shape(primitive) => primitive.crossings(&Line::upwards(point)).hold(0.0),
            SolidForm::Compound(compound) => compound.holds(self.in_object(point)),
        }
    }

    /// Returns a point of its surface: the nearest one, or the image of the nearest one for a
    /// compound that is stretched unevenly.
    pub fn closest_point(&self, point: DVec3) -> DVec3 {
        match &self.form {
            SolidForm::Shape(primitive) => primitive.closest_point(point),
            SolidForm::Compound(compound) => {
                self.in_world(compound.closest_point(self.in_object(point)))
            }
        }
    }

    /// Returns a lower bound on the depth of a point in it; `None` for a point outside.
    pub fn depth(&self, point: DVec3) -> Option<f64> {
        self.holds(point).then(|| match self.error_of_depth() {
            Some(_) => self.closest_point(point).distance(point),
            None => -self.distance(point).value,
        })
    }

    /// Returns a lower bound on the distance to its surface, negative inside, as a function of the
    /// point, with its gradient. It is the distance itself unless a placement stretches it, and it
    /// is convex if the solid is.
    pub fn distance(&self, point: DVec3) -> Cut {
        if let Some(normal) = self.half_space {
            return Cut { value: (point - self.center()).dot(normal), gradient: normal };
        }
        let cut = self.distance_beside_surface(point);
        if cut.value.abs() > self.rounding_of_distance() {
            return cut;
        }
        // On the surface, the vector from the nearest point is only rounding. A point next to it
        // has a gradient, which also bounds a convex function from below at this point.
        let beside = point + BESIDE * self.radius() * DVec3::new(0.48, 0.6, 0.64);
        let Cut { value, gradient } = self.distance_beside_surface(beside);
        Cut { value: value + gradient.dot(point - beside), gradient }
    }

    fn distance_beside_surface(&self, point: DVec3) -> Cut {
        let at = self.in_object(point);
        let nearest = match &self.form {
            SolidForm::Shape(primitive) => primitive.shape().map_or(at, |it| it.closest_point(at)),
            SolidForm::Compound(compound) => compound.closest_point(at),
        };
        let sign = if self.holds(point) { -1.0 } else { 1.0 };
        let distance = at.distance(nearest);
        let outward = sign * (at - nearest).normalize_or(DVec3::X);
        let (least, gradient) = self.placement.map_or((1.0, outward), |placement| {
            (placement.stretches()[0], placement.inverse_linear().transpose() * outward)
        });
        Cut { value: sign * least * distance, gradient: least * gradient }
    }

    /// Returns the point of its convex hull that is farthest along a direction; for a half-space, a
    /// point of the plane.
    pub fn support(&self, direction: DVec3) -> DVec3 {
        let along = self.placement.map_or(direction, |placement| {
            placement.world_from_object().linear.transpose() * direction
        });
        let farthest = match &self.form {
            _ if self.is_half_space() => return self.center(),
            SolidForm::Shape(primitive) => primitive.shape().map(|shape| shape.support(along)),
            SolidForm::Compound(compound) => {
                let hull = compound.hull.iter().copied();
                hull.max_by(|a, b| a.dot(along).total_cmp(&b.dot(along)))
            }
        };
        farthest.map_or_else(|| self.center(), |farthest| self.in_world(farthest))
    }

    /// Returns lines along it. Lines through all of space seldom meet a thin solid. For a tube,
    /// they are in its wall, one for each eighth of a turn. Otherwise it is about the longest line
    /// in the solid, found from the farthest points along a direction, then along the vector
    /// between these.
    pub fn lines_along(&self) -> Vec<Line> {
        if let Some(tube) = self.unplaced().filter(|shape| shape.bore() > 0.0)
            && let Some([(start, radius), (end, _)]) = tube.ends()
        {
            let direction = (end - start).normalize();
            let (right, up) = direction.any_orthonormal_pair();
            let middle = 0.5 * (radius + tube.bore());
            let origin = |eighth: u8| {
                let angle = 0.25 * PI * f64::from(eighth);
                start + middle * (libm::cos(angle) * right + libm::sin(angle) * up)
            };
            return (0..8).map(|eighth| Line { origin: origin(eighth), direction }).collect();
        }
        let mut direction = DVec3::new(1.0, 0.9, 0.8);
        for _ in 0..8 {
            let way = self.support(direction) - self.support(-direction);
            direction = way.normalize_or(direction);
        }
        let origin = 0.5 * (self.support(direction) + self.support(-direction));
        vec![Line { origin, direction }]
    }

    /// Returns the closed form, if it has one in the world.
    fn unplaced(&self) -> Option<&Shape> {
        match &self.form {
            SolidForm::Shape(primitive) if self.placement.is_none() => primitive.shape(),
            _ => None,
        }
    }

    /// Returns the middle and the half edges of a box, which a placement may shear.
    fn block(&self) -> Option<(DVec3, [DVec3; 3])> {
        let SolidForm::Shape(primitive) = &self.form else { return None };
        let Convex::Block { center, axes, half_extents } = primitive.shape()?.convex()? else {
            return None;
        };
        let middle = self.in_world(center);
        let edge = |axis: usize| self.in_world(center + half_extents[axis] * axes[axis]) - middle;
        Some((middle, [edge(0), edge(1), edge(2)]))
    }

    /// Returns the points whose convex hull it is, if there are finitely many.
    pub fn corners(&self) -> Option<Vec<DVec3>> {
        if let SolidForm::Compound(compound) = &self.form {
            return Some(compound.hull.iter().map(|corner| self.in_world(*corner)).collect());
        }
        let (middle, edges) = self.block()?;
        let side = |corner: usize, axis: usize| if corner >> axis & 1 == 1 { 1.0 } else { -1.0 };
        let corner = |corner| (0..3).fold(middle, |at, axis| at + side(corner, axis) * edges[axis]);
        Some((0..8).map(corner).collect())
    }

    /// Returns the outward unit normals of the planes that bound it, if nothing else does.
    pub fn face_normals(&self) -> Option<Vec<DVec3>> {
        if let Some(normal) = self.half_space {
            return Some(vec![normal]);
        }
        let (_, [a, b, c]) = self.block()?;
        let normals = [a.cross(b), b.cross(c), c.cross(a)].map(DVec3::normalize);
        Some(normals.into_iter().flat_map(|normal| [normal, -normal]).collect())
    }

    /// Returns the centres and the radius of two balls whose convex hull it is; the balls of a
    /// sphere are one.
    pub fn balls(&self) -> Option<([DVec3; 2], f64)> {
        self.unplaced()?.balls()
    }

    /// Returns true if it continues another solid: if their axes share an end, to float32
    /// precision, and are not parallel, or if one is a ball about an end of the other's axis.
    pub fn goes_on_with(&self, other: &Self) -> bool {
        let ends = |solid: &Self| {
            let axis = solid.unplaced().and_then(|shape| shape.ends());
            let ball = solid.balls().map(|(centers, _)| centers);
            axis.map(|ends| ends.map(|(end, _)| end)).or(ball)
        };
        let (Some([a, b]), Some([c, d])) = (ends(self), ends(other)) else { return false };
        let meets = |[a, b]: [DVec3; 2], [c, d]: [DVec3; 2]| {
            let [along, other_along] = [b - a, d - c].map(DVec3::normalize_or_zero);
            let is_there = a.distance(c) <= self.doubt(a).max(other.doubt(a));
            // Two balls have no axes, so neither continues the other.
            let are_balls = along == other_along;
            is_there && !are_balls && along.dot(other_along) < ALONG
        };
        [[a, b], [b, a]].iter().any(|own| [[c, d], [d, c]].iter().any(|its| meets(*own, *its)))
    }

    /// Returns a lower bound on the gap between the wall of its bore and another solid in that
    /// bore; `None` if it has no bore.
    pub fn gap_in_bore(&self, other: &Self) -> Option<f64> {
        let tube = self.unplaced().filter(|shape| shape.bore() > 0.0 && !other.is_half_space())?;
        let [(start, _), (end, _)] = tube.ends()?;
        let reach = other.farthest_from_axis(start, end - start);
        Some(tube.bore() - reach - self.rounding() - other.rounding())
    }

    /// Returns an upper bound on how far another solid sticks out of it, if it is a cylinder.
    pub fn protrusion_from_column(&self, other: &Self) -> Option<f64> {
        let column = self.unplaced()?.convex()?;
        let Convex::Column { center, axes: [_, _, along], radius, half_length } = column else {
            return None;
        };
        let beyond = [along, -along].map(|axis| (other.support(axis) - center).dot(axis));
        let aside = other.farthest_from_axis(center, along) - radius;
        Some(aside.max(beyond[0].max(beyond[1]) - half_length))
    }

    /// Returns a bound on the distance of its points from a line. That distance is a convex
    /// function, so it is largest at an extreme point of the solid: of its discs or balls, its
    /// corners, or the corners of the box around it.
    fn farthest_from_axis(&self, start: DVec3, along: DVec3) -> f64 {
        let axis = along.normalize();
        let from_axis = |point: DVec3| (point - start).reject_from_normalized(axis).length();
        let spanned = self.unplaced().and_then(|shape| {
            let balls = |(centers, radius): ([DVec3; 2], f64)| centers.map(|at| (at, radius));
            shape.ends().or(shape.balls().map(balls))
        });
        let points = match spanned {
            Some(ends) => ends.to_vec(),
            None => {
                let corners = self.corners().unwrap_or_else(|| self.bounds.corners().to_vec());
                corners.into_iter().map(|corner| (corner, 0.0)).collect()
            }
        };
        let farthest = points.into_iter().map(|(at, radius)| from_axis(at) + radius);
        farthest.fold(0.0, f64::max)
    }
}
