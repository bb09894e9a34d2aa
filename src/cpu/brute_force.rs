//! Answers from a test of every primitive, without a tree. The traversals of every kind of query
//! are checked against them.

use super::containment::rounding_of_point;
use super::tracer::CpuTracer;
use crate::geometry::Geometry;
use crate::placement::Placement;
use crate::query::{Containment, PointAnswer, PointHit, RayFilter};
use crate::ray::{Hit, Line, NONE, Ray};

/// A geometry that a ray may hit, with its id and its place if it is in an instance.
type Visible<'a> = (u32, &'a Geometry, Option<&'a Placement>);

impl CpuTracer {
    fn visible(&self, filter: RayFilter, ignored: u32) -> impl Iterator<Item = Visible<'_>> {
        let scene = self.packed.all_worlds();
        let all = scene.written_out();
        all.map(move |(number, geometry, placement)| {
            let is_in_world = scene.is_visible_in(filter.world, number);
            let is_masked = scene.mask(number) & filter.mask == 0;
            (is_in_world && !is_masked, (scene.id_of_number(number), geometry, placement))
        })
        .filter(move |&(is_visible, (geometry_id, ..))| is_visible && geometry_id != ignored)
        .map(|(_, visible)| visible)
    }

    /// Returns all crossings of a valid ray, sorted by t and then by ids. An edge that two
    /// triangles of a surface share is crossed in one of them if `is_counted`, and otherwise in
    /// both, as for closest hits.
    pub fn crossings_by_brute_force(
        &self,
        ray: &Ray,
        (filter, ignored): (RayFilter, u32),
        is_counted: bool,
    ) -> Vec<Hit> {
        let line = ray.line();
        let interval = [f64::from(ray.t_min), f64::from(ray.t_max)];
        let mut found: Vec<(f64, u32, u32)> = Vec::new();
        for (geometry_id, geometry, placement) in self.visible(filter, ignored) {
            let line = placement.map_or(line, |placement| placement.line_in_object(&line));
            let is_surface = matches!(geometry, Geometry::Mesh(_) | Geometry::Heightfield(_));
            for primitive_id in 0..geometry.primitive_count() as u32 {
                let Some(primitive) = geometry.primitive(primitive_id) else { continue };
                let crossings = match is_surface && is_counted {
                    true => primitive.own_crossings(&line),
                    false => primitive.crossings(&line),
                };
                let within = crossings.within(interval);
                found.extend(within.map(|crossing| (crossing.t, geometry_id, primitive_id)));
            }
        }
        found.sort_by(|a, b| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal));
        let hit = |(t, geometry_id, primitive_id)| Hit { t: t as f32, geometry_id, primitive_id };
        found.into_iter().map(hit).collect()
    }

    /// Returns the ids of the solids that contain a valid ray's point at a finite t, in their
    /// order.
    pub fn containers_by_brute_force(
        &self,
        ray: &Ray,
        t: f32,
        (filter, ignored): (RayFilter, u32),
    ) -> Vec<u32> {
        let (line, t) = (ray.line(), f64::from(t));
        let mut containers = Vec::new();
        for (geometry_id, geometry, placement) in self.visible(filter, ignored) {
            let line = placement.map_or(line, |placement| placement.line_in_object(&line));
            let holds = match geometry {
                Geometry::Shape(shape) => shape.is_solid() && shape.crossings(&line).hold(t),
                Geometry::Heightfield(field) => field.holds(line.at(t)),
                Geometry::Mesh(mesh) => mesh.is_closed() && is_in_mesh(geometry, &line, t),
                Geometry::Lines(_) | Geometry::Empty => false,
            };
            if holds {
                containers.push(geometry_id);
            }
        }
        containers
    }

    /// Returns the surface nearest to a point, from every primitive, without the tree.
    pub fn point_hit_by_brute_force(&self, point: [f32; 3]) -> PointHit {
        if !PointAnswer::is_valid_point(point) {
            return PointHit::NONE;
        }
        let mut containment = Containment::NOTHING;
        let upwards = Ray::upwards(point);
        let everything = (RayFilter::ALL, NONE);
        for geometry_id in self.containers_by_brute_force(&upwards, 0.0, everything) {
            containment.add(geometry_id);
        }
        for (geometry_id, geometry, placement) in self.visible(RayFilter::ALL, NONE) {
            let from = upwards.line().origin;
            let point = placement.map_or(from, |placement| placement.point_in_object(from));
            if geometry.shape(0).is_some_and(|shape| shape.half_space_holds(point)) {
                containment.add(geometry_id);
            }
        }
        let nearest = self.nearest_surface_by_brute_force(point);
        let [geometry_id, primitive_id] =
            nearest.map_or([NONE; 2], |nearest| [nearest.geometry_id, nearest.primitive_id]);
        let Containment { contains, containing_id } = containment;
        PointHit { contains, containing_id, geometry_id, primitive_id }
    }
}

/// Returns true if a closed mesh contains the point at t of a line: the line leaves it more often
/// than it enters from there on, or the point lies on it.
fn is_in_mesh(mesh: &Geometry, line: &Line, t: f64) -> bool {
    let point = line.at(t);
    let mut is_odd = false;
    for primitive_id in 0..mesh.primitive_count() as u32 {
        let Some(triangle) = mesh.primitive(primitive_id) else { continue };
        let distance = triangle.closest_point(point).distance(point);
        if distance <= rounding_of_point(&triangle, point) {
            return true;
        }
        is_odd ^= triangle.own_crossings(line).within([t, f64::INFINITY]).count() % 2 == 1;
    }
    is_odd
}
