//! The arrays that tracers answer with, one row for each ray, point or crossing.

use crate::batch::Batch;
use crate::crossings::Crossing;
use crate::ray::{Hit, MAX_COORDINATE, NONE, Ray};
use crate::scene::Scene;
use glam::{DVec3, Vec3};
use rayon::prelude::*;

/// The closest hits of a batch of rays, one row of each array for each ray.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Hits {
    /// Where along each ray, in units of its direction's length; +∞ for a miss, NaN for an invalid ray.
    pub t_hit: Vec<f32>,
    /// Which geometry, [`NONE`] for a miss.
    pub geometry_ids: Vec<u32>,
    /// Which part of that geometry, 0 for the analytic shapes, [`NONE`] for a miss.
    pub primitive_ids: Vec<u32>,
    /// The outward unit normal there, zero for a miss and where a solid is met from within.
    pub primitive_normals: Vec<[f32; 3]>,
    /// Which face was met: 0 side, 1 start cap, 2 end cap, 3 inner wall; of a box 0..5 = −x +x −y +y −z +z;
    /// [`NONE`] where there is no normal.
    pub faces: Vec<u32>,
}

impl Hits {
    /// The arrays for what a tracer returned; normals are taken in float64 from the shapes' own fields.
    pub fn new(scene: &Scene, batch: Batch<'_>, hits: &[Hit]) -> Self {
        let is_within = |ray: &Ray, hit: &Hit| {
            let is_at_begin = batch.is_solid() && hit.t == ray.t_min;
            is_at_begin && scene.geometry(hit.geometry_id).is_some_and(|own| own.is_solid())
        };
        Self::of(hits, |index, hit| {
            let ray = &batch.rays()[index];
            if is_within(ray, hit) { NO_SURFACE } else { surface_at(scene, ray, hit) }
        })
    }

    /// As [`Self::new`], with rays that are made when they are asked for.
    pub(crate) fn of_image(scene: &Scene, hits: &[Hit], ray: impl Fn(usize) -> Ray + Sync) -> Self {
        Self::of(hits, |index, hit| surface_at(scene, &ray(index), hit))
    }

    fn of(hits: &[Hit], surface: impl Fn(usize, &Hit) -> ([f32; 3], u32) + Sync) -> Self {
        let (primitive_normals, faces) =
            hits.par_iter().enumerate().map(|(index, hit)| surface(index, hit)).unzip();
        Self {
            t_hit: hits.iter().map(|hit| hit.t).collect(),
            geometry_ids: hits.iter().map(|hit| hit.geometry_id).collect(),
            primitive_ids: hits.iter().map(|hit| hit.primitive_id).collect(),
            primitive_normals,
            faces,
        }
    }

    /// How many rays there are.
    pub fn len(&self) -> usize {
        self.t_hit.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.t_hit.is_empty()
    }

    /// How many rays met something.
    pub fn hit_count(&self) -> usize {
        self.geometry_ids.iter().filter(|&&id| id != NONE).count()
    }

    /// How many rays could not be cast.
    pub fn invalid_count(&self) -> usize {
        self.t_hit.iter().filter(|t| t.is_nan()).count()
    }
}

/// Every crossing of a batch of rays, ray by ray and in the order of `t`.
#[derive(Clone, Debug, PartialEq)]
pub struct AllHits {
    /// Where each ray's crossings begin in the other arrays, and after the last where they end: one more than
    /// there are rays.
    pub ray_splits: Vec<u64>,
    /// Of each crossing the place of its ray in the batch.
    pub ray_ids: Vec<u32>,
    /// Where along that ray, in units of its direction's length.
    pub t_hit: Vec<f32>,
    /// Which geometry.
    pub geometry_ids: Vec<u32>,
    /// Which part of it, 0 for the analytic shapes.
    pub primitive_ids: Vec<u32>,
}

impl Default for AllHits {
    fn default() -> Self {
        Self {
            ray_splits: vec![0],
            ray_ids: Vec::new(),
            t_hit: Vec::new(),
            geometry_ids: Vec::new(),
            primitive_ids: Vec::new(),
        }
    }
}

impl AllHits {
    /// Without a ray, though with room for so many and their crossings; `None` where memory has not so much.
    #[cfg(feature = "gpu")]
    pub(crate) fn with_room_for(rays: usize, crossings: u64) -> Option<Self> {
        let crossings = usize::try_from(crossings).ok()?;
        let mut all = Self::default();
        all.ray_splits.try_reserve_exact(rays).ok()?;
        all.t_hit.try_reserve_exact(crossings).ok()?;
        for ids in [&mut all.ray_ids, &mut all.geometry_ids, &mut all.primitive_ids] {
            ids.try_reserve_exact(crossings).ok()?;
        }
        Some(all)
    }

    /// What so many take in memory.
    #[cfg(feature = "gpu")]
    pub(crate) fn bytes(rays: usize, crossings: u64) -> u64 {
        8 * (rays as u64 + 1) + 16 * crossings
    }

    /// How many crossings there are.
    pub fn len(&self) -> usize {
        self.t_hit.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.t_hit.is_empty()
    }

    /// How many rays there are.
    pub fn ray_count(&self) -> usize {
        self.ray_splits.len() - 1
    }

    /// The crossings of one ray.
    pub fn of_ray(&self, ray: usize) -> impl ExactSizeIterator<Item = Hit> + '_ {
        let [from, to] = [ray, ray + 1].map(|place| self.ray_splits[place] as usize);
        (from..to).map(|place| Hit {
            t: self.t_hit[place],
            geometry_id: self.geometry_ids[place],
            primitive_id: self.primitive_ids[place],
        })
    }

    /// Adds the next ray's crossings, which are in order.
    pub(crate) fn push(&mut self, crossings: impl IntoIterator<Item = Hit>) {
        // A batch in memory has fewer rays than that.
        let ray = self.ray_count() as u32;
        for hit in crossings {
            self.ray_ids.push(ray);
            self.t_hit.push(hit.t);
            self.geometry_ids.push(hit.geometry_id);
            self.primitive_ids.push(hit.primitive_id);
        }
        self.ray_splits.push(self.t_hit.len() as u64);
    }
}

/// What is around a point, by ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PointHit {
    /// How many solids, and half-spaces behind planes, hold the point, their surfaces included.
    pub contains: u32,
    /// The lowest `geometry_id` of those, [`NONE`] where there is none.
    pub containing_id: u32,
    /// Whose surface is nearest, [`NONE`] where there is no surface.
    pub geometry_id: u32,
    /// Which part of it, 0 for the analytic shapes.
    pub primitive_id: u32,
}

impl PointHit {
    /// Of a point that cannot be asked about.
    pub const NONE: Self =
        Self { contains: 0, containing_id: NONE, geometry_id: NONE, primitive_id: NONE };
}

/// What is around a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PointAnswer {
    /// How many solids, and half-spaces behind planes, hold the point, their surfaces included.
    pub contains: u32,
    /// The lowest `geometry_id` of those, [`NONE`] where there is none.
    pub containing_id: u32,
    /// The point of all surfaces that is nearest; NaN where there is none, and for a point that is not finite.
    pub closest_point: [f32; 3],
    /// How far that is, below zero where a solid holds the point; +∞ where there is no surface, NaN for a point
    /// that is not finite.
    pub signed_distance: f32,
    /// Whose surface that is, [`NONE`] where there is none.
    pub geometry_id: u32,
    /// Which part of it, 0 for the analytic shapes.
    pub primitive_id: u32,
}

impl PointAnswer {
    /// What [`Self::exist_at`] asks for, for messages.
    pub const RULE: &str = "a point must be finite, with coordinates up to 1e9";

    /// Of what a tracer answered; where the surface is and how far is taken in float64 from the primitive's own fields.
    pub fn all(scene: &Scene, points: &[[f32; 3]], point_hits: &[PointHit]) -> Vec<Self> {
        let pairs = points.par_iter().zip(point_hits);
        pairs.map(|(&point, point_hit)| Self::of(scene, point, point_hit)).collect()
    }

    fn of(scene: &Scene, point: [f32; 3], point_hit: &PointHit) -> Self {
        let &PointHit { contains, containing_id, geometry_id, primitive_id } = point_hit;
        let from = Vec3::from(point).as_dvec3();
        let primitive = scene.primitive(geometry_id, primitive_id);
        let nearest = primitive.map(|primitive| primitive.shape.closest_point(from));
        let distance = match nearest {
            Some(nearest) => nearest.distance(from),
            None if Self::exist_at(point) => f64::INFINITY,
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

    /// Whether a point can be asked about: finite, with coordinates up to 1e9.
    pub fn exist_at(point: [f32; 3]) -> bool {
        point.iter().all(|coordinate| coordinate.abs() <= MAX_COORDINATE)
    }
}

/// What stands for the normal and the face of a miss.
const NO_SURFACE: ([f32; 3], u32) = ([0.0; 3], NONE);

/// The outward unit normal of a hit, and the face that was met.
pub(crate) fn surface_at(scene: &Scene, ray: &Ray, hit: &Hit) -> ([f32; 3], u32) {
    let Some(primitive) = scene.primitive(hit.geometry_id, hit.primitive_id) else {
        return NO_SURFACE;
    };
    let (shape, t) = (primitive.shape, f64::from(hit.t));
    let line = ray.line();
    let crossings = shape.crossings(&line);
    let zones = shape.zones(&line, primitive.delta(line.origin));
    // Of several passes the one that was met.
    let [from, to] = zones.holding(t).map_or([t, t], |place| zones.reach(place));
    let mut own = crossings.iter().filter(|crossing| crossing.t >= from && crossing.t <= to);
    // The way in, unless what may be met lies before t_min too; t alone could not tell for a plate thinner than
    // t is precise, nor for a corner cut by a grazing ray.
    let met =
        if from < f64::from(ray.t_min) { crossings.nearest_to(t) } else { own.next().copied() };
    // A ray that float64 sees passing by met the layer about the surface.
    let crossing = met
        .or_else(|| zones.iter().find(|zone| zone.to.t >= t).map(|zone| zone.from))
        .unwrap_or(Crossing { t, face: 0 });
    let normal = shape.normal(crossing.face, line.at(crossing.t));
    (normal.as_vec3().to_array(), crossing.face)
}
