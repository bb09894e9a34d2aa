//! Answers to points: the solids that contain a point, and the nearest surface.

use crate::geometry::Primitive;
use crate::parallel::{RAYS_A_TASK, mapped};
use crate::ray::{Line, MAX_COORDINATE, NONE};
use crate::scene::Scene;
use glam::{DVec3, Vec3};

/// The ids in the answer to a point, as a tracer returns them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PointHit {
    /// The number of solids, and of half-spaces behind planes, that contain the point, including
    /// their surfaces.
    pub contains: u32,
    /// The lowest `geometry_id` of these; [`NONE`] if there are none.
    pub containing_id: u32,
    /// The geometry with the nearest surface, [`NONE`] if there is no surface.
    pub geometry_id: u32,
    /// The primitive of that geometry, 0 for the analytic shapes.
    pub primitive_id: u32,
}

impl PointHit {
    /// The answer to an invalid point.
    pub const NONE: Self =
        Self { contains: 0, containing_id: NONE, geometry_id: NONE, primitive_id: NONE };
}

/// The solids, and half-spaces behind planes, that contain a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Containment {
    /// The number of them. A point on the surface of a solid is in it.
    pub contains: u32,
    /// The lowest `geometry_id` of these; [`NONE`] if there are none.
    pub containing_id: u32,
}

impl Containment {
    /// The answer to a point that nothing contains, and to an invalid point.
    pub const NOTHING: Self = Self { contains: 0, containing_id: NONE };

    pub(crate) fn add(&mut self, geometry_id: u32) {
        self.contains += 1;
        self.containing_id = self.containing_id.min(geometry_id);
    }
}

impl From<&PointHit> for Containment {
    fn from(&PointHit { contains, containing_id, .. }: &PointHit) -> Self {
        Self { contains, containing_id }
    }
}

/// The answer to a point, with the nearest point and its distance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PointAnswer {
    /// The number of solids, and of half-spaces behind planes, that contain the point, including
    /// their surfaces.
    pub contains: u32,
    /// The lowest `geometry_id` of these; [`NONE`] if there are none.
    pub containing_id: u32,
    /// The nearest point of all surfaces; NaN if there is no surface, and for an invalid point.
    pub closest_point: [f32; 3],
    /// The distance to the nearest point, negative if a solid contains the point; +∞ if there is no
    /// surface, NaN for an invalid point.
    pub signed_distance: f32,
    /// The geometry with that surface, [`NONE`] if there is none.
    pub geometry_id: u32,
    /// The primitive of that geometry, 0 for the analytic shapes.
    pub primitive_id: u32,
}

impl PointAnswer {
    /// The rule that [`Self::is_valid_point`] checks, for messages.
    pub const RULE: &str = "a point must be finite, with coordinates up to 1e9";

    /// Completes the answers of a tracer with the nearest points and their distances, in float64
    /// from the primitives' own fields.
    pub fn all(scene: &Scene, points: &[[f32; 3]], hits: &[PointHit]) -> Vec<Self> {
        let answer = |index: usize| Self::new(scene, points[index], &hits[index]);
        mapped(points.len().min(hits.len()), RAYS_A_TASK, answer)
    }

    fn new(scene: &Scene, point: [f32; 3], hit: &PointHit) -> Self {
        let &PointHit { contains, containing_id, geometry_id, primitive_id } = hit;
        let from = Vec3::from(point).as_dvec3();
        let primitive = scene.primitive(geometry_id, primitive_id);
        let nearest = primitive.map(|primitive| primitive.closest_point(from));
        let distance = match nearest {
            Some(nearest) => nearest.distance(from),
            None if Self::is_valid_point(point) => f64::INFINITY,
            None => f64::NAN,
        };
        let sign = if contains > 0 { -1.0 } else { 1.0 };
        Self {
            contains,
            containing_id,
            closest_point: nearest.unwrap_or(DVec3::NAN).as_vec3().to_array(),
            signed_distance: (sign * distance) as f32,
            geometry_id,
            primitive_id,
        }
    }

    /// Returns the outward unit normals of the surfaces at the nearest points, like
    /// [`Hits::primitive_normals`](crate::Hits::primitive_normals) for rays; zero if there is no
    /// surface. At an edge it is the normal of one of the faces.
    pub fn normals(scene: &Scene, points: &[[f32; 3]], hits: &[PointHit]) -> Vec<[f32; 3]> {
        let normal = |index: usize| {
            let (point, hit) = (points[index], &hits[index]);
            let primitive = scene.primitive(hit.geometry_id, hit.primitive_id);
            let from = Vec3::from(point).as_dvec3();
            let normal = primitive.map(|primitive| normal_nearest_to(&primitive, from));
            normal.unwrap_or(DVec3::ZERO).as_vec3().to_array()
        };
        mapped(points.len().min(hits.len()), RAYS_A_TASK, normal)
    }

    /// Returns true if a point is finite, with coordinates up to 1e9.
    pub fn is_valid_point(point: [f32; 3]) -> bool {
        point.iter().all(|coordinate| coordinate.abs() <= MAX_COORDINATE)
    }
}

/// Returns the normal of a surface at its point nearest to another point. The line between both
/// crosses the surface there, which decides the face. If both are one point, a line along an axis
/// does. At a rim each line may just pass by, but it meets the layer of width δ about the surface.
fn normal_nearest_to(primitive: &Primitive, from: DVec3) -> DVec3 {
    let nearest = primitive.closest_point(from);
    let delta = primitive.delta(nearest);
    let directions = [(nearest - from).normalize_or_zero(), DVec3::X, DVec3::Y, DVec3::Z];
    let lines = directions.map(|direction| Line { origin: nearest, direction });
    let met = lines.iter().filter(|line| line.direction != DVec3::ZERO).find_map(|line| {
        let crossing = primitive.crossings(line).nearest_to(0.0);
        let in_layer = || {
            let zones = primitive.zones(line, delta);
            zones.holding(0.0).and_then(|index| zones.get(index).map(|zone| zone.from))
        };
        crossing.filter(|crossing| crossing.t.abs() <= delta).or_else(in_layer)
    });
    met.map_or(DVec3::ZERO, |crossing| primitive.normal(crossing.face, nearest))
}
