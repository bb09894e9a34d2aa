//! The faces of a base: four upright sides, each bounded above by a row of heights, and the bottom.

use super::Heightfield;
use super::faces::{BASE_FACES, BOTTOM};
use crate::crossings::{Crossing, Crossings, Span, ZoneKind, Zones};
use crate::placement::Placement;
use crate::ray::Line;
use crate::shapes::{ClosedForm, Triangle};
use glam::DVec3;
use std::sync::Arc;

/// A side or the bottom of a heightfield. It is one primitive, made up of the facets of its cells.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct BaseFace {
    field: Arc<Heightfield>,
    /// 0 to 3 for the sides at −x, +x, −y and +y, 4 for the bottom.
    face: usize,
}

impl BaseFace {
    /// Returns the face that is a primitive of a field, if it is one.
    pub fn of(field: &Arc<Heightfield>, primitive_id: u32) -> Option<Self> {
        let face = (primitive_id as usize).checked_sub(field.triangle_count())?;
        let is_face = field.base.is_some() && face < BASE_FACES;
        is_face.then(|| Self { field: Arc::clone(field), face })
    }

    /// Returns true if it is the bottom.
    pub fn is_bottom(&self) -> bool {
        self.face == BOTTOM
    }

    /// Calls `visit` with the triangles that a line passes within `pad`.
    pub fn each_triangle(&self, line: &Line, pad: f64, mut visit: impl FnMut(Triangle)) {
        let axes = self.field.world_from_field();
        let primitive = Some(self.primitive_id());
        let whole_line = [f64::NEG_INFINITY, f64::INFINITY];
        self.field.walk(line, whole_line, pad, |facet| {
            if self.field.primitive_of(facet) == primitive {
                visit(self.field.triangle_of(&axes, facet));
            }
            whole_line[1]
        });
    }

    fn first_of_facets(
        &self,
        line: &Line,
        crossings_of: impl Fn(&Triangle) -> Crossings,
    ) -> Crossings {
        let mut first: Option<Crossing> = None;
        self.each_triangle(line, self.field.pad(line), |triangle| {
            let found = crossings_of(&triangle).first().copied();
            first = match (first, found) {
                (Some(first), Some(found)) if found.t >= first.t => Some(first),
                (first, found) => found.or(first),
            };
        });
        first.map_or_else(Crossings::none, |first| Crossings::one(first.t))
    }

    /// Returns where a line crosses it.
    pub fn crossings(&self, line: &Line) -> Crossings {
        self.first_of_facets(line, |triangle| ClosedForm::crossings(triangle, line))
    }

    /// Returns where a line crosses it as a part of a closed surface.
    pub fn own_crossings(&self, line: &Line) -> Crossings {
        self.first_of_facets(line, |triangle| ClosedForm::own_crossings(triangle, line))
    }

    /// Returns the zones of a line if every surface may be displaced by up to `delta`. The line
    /// certainly crosses the face if it certainly crosses one of its facets.
    pub fn zones(&self, line: &Line, delta: f64) -> Zones {
        let mut hull: Option<Span> = None;
        let mut is_crossed = false;
        self.each_triangle(line, 2.0 * delta, |triangle| {
            for zone in triangle.zones(line, delta).iter() {
                let span = Span { enter: zone.from, exit: zone.to };
                hull = Some(hull.map_or(span, |hull| hull.hull(span)));
                is_crossed |= zone.kind == ZoneKind::Crossed;
            }
        });
        Zones::of_surface(&hull.into(), is_crossed)
    }

    /// Returns the outward unit normal.
    pub fn normal(&self) -> DVec3 {
        let axes = self.field.world_from_field();
        match self.face {
            0 => -axes.x_axis,
            1 => axes.x_axis,
            2 => -axes.y_axis,
            3 => axes.y_axis,
            _ => -axes.z_axis,
        }
    }

    pub fn closest_point_of_image(&self, placement: &Placement, point: DVec3) -> DVec3 {
        let map = placement.world_from_object();
        let mut nearest = (f64::INFINITY, DVec3::NAN);
        self.field.each_triangle_of(self.primitive_id(), |Triangle { vertices }| {
            let image = Triangle { vertices: vertices.map(|vertex| map.point(vertex)) };
            let found = ClosedForm::closest_point(&image, point);
            let squared = found.distance_squared(point);
            if squared < nearest.0 {
                nearest = (squared, found);
            }
        });
        nearest.1
    }

    fn primitive_id(&self) -> u32 {
        (self.field.triangle_count() + self.face) as u32
    }

    /// Returns its nearest point.
    pub fn closest_point(&self, point: DVec3) -> DVec3 {
        self.field.closest_point_of_face(point, self.face)
    }
}
