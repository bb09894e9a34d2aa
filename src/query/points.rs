//! Answers to points: the solids that contain a point, and the nearest surface.

use crate::ray::{MAX_COORDINATE, NONE};
use crate::scene::Scene;
use glam::{DVec3, Vec3};
use rayon::prelude::*;

/// The answer to a point as a tracer gives it, by ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PointHit {
    /// How many solids, and half-spaces behind planes, contain the point; surfaces belong to them.
    pub contains: u32,
    /// The lowest `geometry_id` of those, [`NONE`] if there are none.
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

/// The answer to a point, with the nearest point and its distance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PointAnswer {
    /// How many solids, and half-spaces behind planes, contain the point; surfaces belong to them.
    pub contains: u32,
    /// The lowest `geometry_id` of those, [`NONE`] if there are none.
    pub containing_id: u32,
    /// The nearest point of all surfaces; NaN if there is no surface, and for an invalid point.
    pub closest_point: [f32; 3],
    /// The distance to that point, negative if a solid contains the point; +∞ if there is no surface, NaN for an
    /// invalid point.
    pub signed_distance: f32,
    /// The geometry with that surface, [`NONE`] if there is none.
    pub geometry_id: u32,
    /// The primitive of that geometry, 0 for the analytic shapes.
    pub primitive_id: u32,
}

impl PointAnswer {
    /// The rule that [`Self::is_valid_point`] checks, for messages.
    pub const RULE: &str = "a point must be finite, with coordinates up to 1e9";

    /// Completes the answers of a tracer. The nearest point and its distance are computed in float64 from the
    /// primitive's own fields.
    pub fn all(scene: &Scene, points: &[[f32; 3]], hits: &[PointHit]) -> Vec<Self> {
        let pairs = points.par_iter().zip(hits);
        pairs.map(|(&point, hit)| Self::new(scene, point, hit)).collect()
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

    /// Returns true if a point is finite, with coordinates up to 1e9.
    pub fn is_valid_point(point: [f32; 3]) -> bool {
        point.iter().all(|coordinate| coordinate.abs() <= MAX_COORDINATE)
    }
}
