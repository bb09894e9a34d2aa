//! What every tracer can do, and the arrays that it answers with.

use crate::camera::View;
use crate::crossings::Crossing;
use crate::ray::{Hit, NONE, Ray};
use crate::scene::Scene;
use rayon::prelude::*;
use thiserror::Error;

/// Why rays could not be cast.
#[derive(Debug, Error)]
pub enum TraceError {
    /// The GPU could not answer.
    #[cfg(feature = "gpu")]
    #[error(transparent)]
    Gpu(#[from] crate::gpu::GpuError),
}

/// Something that casts rays at the scene that it was made for.
///
/// Batches of any size give the same answers to the bit: cut a long one up to show progress.
pub trait Tracer {
    /// The closest hit of each ray, in their order.
    ///
    /// # Errors
    /// [`TraceError`], only from a device that fails.
    fn closest(&self, rays: &[Ray]) -> Result<Vec<Hit>, TraceError>;

    /// The rays of `pixels` of a view, counted row by row from the top left, just as this tracer
    /// generates them.
    ///
    /// # Errors
    /// [`TraceError`], only from a device that fails.
    fn camera_rays(
        &self,
        view: &View,
        pixels: std::ops::Range<usize>,
    ) -> Result<Vec<Ray>, TraceError>;

    /// The closest hit of each of those rays; they cross no bus.
    ///
    /// # Errors
    /// [`TraceError`], only from a device that fails.
    fn render(&self, view: &View, pixels: std::ops::Range<usize>) -> Result<Vec<Hit>, TraceError>;

    /// One line that says what it runs on.
    fn device(&self) -> String;
}

/// The answers to a batch of rays, one row of each array for each ray.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Hits {
    /// Where along each ray, in units of its direction's length; +∞ for a miss, NaN for an invalid ray.
    pub t_hit: Vec<f32>,
    /// Which geometry, [`NONE`] for a miss.
    pub geometry_ids: Vec<u32>,
    /// Which part of that geometry, 0 for the analytic shapes, [`NONE`] for a miss.
    pub primitive_ids: Vec<u32>,
    /// The outward unit normal there, zero for a miss.
    pub primitive_normals: Vec<[f32; 3]>,
}

impl Hits {
    /// The arrays for what a tracer returned; normals are taken in float64 from the shapes' own fields.
    pub fn new(scene: &Scene, rays: &[Ray], hits: &[Hit]) -> Self {
        Self::of(scene, hits, |index| rays[index])
    }

    /// As [`Self::new`], with rays that are made when they are asked for.
    pub(crate) fn of(scene: &Scene, hits: &[Hit], ray: impl Fn(usize) -> Ray + Sync) -> Self {
        let normal = |(index, hit)| normal_at(scene, &ray(index), hit);
        Self {
            t_hit: hits.iter().map(|hit| hit.t).collect(),
            geometry_ids: hits.iter().map(|hit| hit.geometry_id).collect(),
            primitive_ids: hits.iter().map(|hit| hit.primitive_id).collect(),
            primitive_normals: hits.par_iter().enumerate().map(normal).collect(),
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

/// The outward unit normal of a hit, zero for a miss.
pub(crate) fn normal_at(scene: &Scene, ray: &Ray, hit: &Hit) -> [f32; 3] {
    let Some(part) = scene.part(hit.geometry_id, hit.primitive_id) else {
        return [0.0; 3];
    };
    let (shape, t) = (part.shape, f64::from(hit.t));
    let line = ray.line();
    let crossings = shape.crossings(&line);
    let zones = shape.zones(&line, part.delta(line.origin));
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
    shape.normal(crossing.face, line.at(crossing.t)).as_vec3().to_array()
}
