//! Closest hits as arrays, with the normals and faces that are computed from a hit.

use super::batch::Batch;
use crate::crossings::Crossing;
use crate::parallel::ITEMS_A_TASK;
use crate::ray::{Hit, NONE, Ray};
use crate::scene::Scene;
use rayon::prelude::*;

/// The closest hits of a batch of rays. Each array has one row for each ray.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Hits {
    /// The ray parameter of the hit, in units of the direction's length; +∞ for a miss, NaN for an
    /// invalid ray.
    pub t_hit: Vec<f32>,
    /// The geometry that was hit, [`NONE`] for a miss.
    pub geometry_ids: Vec<u32>,
    /// The primitive of that geometry, 0 for the analytic shapes, [`NONE`] for a miss.
    pub primitive_ids: Vec<u32>,
    /// The outward unit normal at the hit; zero for a miss, and for a solid that the ray starts in.
    pub primitive_normals: Vec<[f32; 3]>,
    /// The face that was hit: 0 side, 1 start cap, 2 end cap, 3 inner wall; for a box 0..5 = −x +x
    /// −y +y −z +z; [`NONE`] where there is no normal.
    pub faces: Vec<u32>,
    /// The outermost use of a definition or file that the hit geometry comes from, as
    /// [`Scene::use_of`] numbers them; [`NONE`] for a miss and outside of any use.
    pub instance_ids: Vec<u32>,
    /// The label of the geometry that was hit, 0 where it has none and for a miss. It is empty
    /// until [`Self::with_labels`] finds it.
    pub label_ids: Vec<u16>,
}

impl Hits {
    /// Makes the arrays from what a tracer returned. Normals are computed in float64 from the
    /// shapes' own fields.
    pub fn new(scene: &Scene, batch: Batch<'_>, hits: &[Hit]) -> Self {
        let starts_inside = |ray: &Ray, hit: &Hit| {
            let is_at_start = batch.is_solid() && hit.t == ray.t_min;
            is_at_start
                && scene.geometry(hit.geometry_id).is_some_and(|geometry| geometry.is_solid())
        };
        Self::with_surfaces(scene, hits, |index, hit| {
            let ray = &batch.rays()[index];
            if starts_inside(ray, hit) {
                NO_SURFACE
            } else {
                surface_at(scene, batch.world(index), ray, hit)
            }
        })
    }

    /// Makes the arrays for rays that are generated one by one.
    pub(crate) fn of_image(scene: &Scene, hits: &[Hit], ray: impl Fn(usize) -> Ray + Sync) -> Self {
        Self::with_surfaces(scene, hits, |index, hit| surface_at(scene, 0, &ray(index), hit))
    }

    fn with_surfaces(
        scene: &Scene,
        hits: &[Hit],
        surface: impl Fn(usize, &Hit) -> ([f32; 3], u32) + Sync,
    ) -> Self {
        let (mut primitive_normals, mut faces) = Default::default();
        hits.par_iter()
            .enumerate()
            .map(|(index, hit)| surface(index, hit))
            .unzip_into_vecs(&mut primitive_normals, &mut faces);
        Self {
            t_hit: column(hits, |hit| hit.t),
            geometry_ids: column(hits, |hit| hit.geometry_id),
            primitive_ids: column(hits, |hit| hit.primitive_id),
            primitive_normals,
            faces,
            instance_ids: column(hits, |hit| scene.use_of(hit.geometry_id).unwrap_or(NONE)),
            label_ids: Vec::new(),
        }
    }

    /// Finds the labels of the geometries that were hit.
    pub fn with_labels(self, scene: &Scene) -> Self {
        Self { label_ids: scene.labels_of(&self.geometry_ids), ..self }
    }

    /// Returns how many rays there are.
    pub fn len(&self) -> usize {
        self.t_hit.len()
    }

    /// Returns true if there are no rays.
    pub fn is_empty(&self) -> bool {
        self.t_hit.is_empty()
    }

    /// Returns how many rays hit something.
    pub fn hit_count(&self) -> usize {
        self.geometry_ids.iter().filter(|&&id| id != NONE).count()
    }

    /// Returns how many rays were invalid.
    pub fn invalid_count(&self) -> usize {
        self.t_hit.iter().filter(|t| t.is_nan()).count()
    }
}

/// Returns something of each hit.
fn column<T: Send>(hits: &[Hit], of: impl Fn(&Hit) -> T + Sync + Send) -> Vec<T> {
    hits.par_iter().with_min_len(ITEMS_A_TASK).map(of).collect()
}

/// The normal and the face of a miss.
const NO_SURFACE: ([f32; 3], u32) = ([0.0; 3], NONE);

/// Returns the outward unit normal of a hit in a world, and the face that was hit.
pub(crate) fn surface_at(scene: &Scene, world: u32, ray: &Ray, hit: &Hit) -> ([f32; 3], u32) {
    let Some(geometry) = scene.geometry_in(world, hit.geometry_id) else {
        return NO_SURFACE;
    };
    // The normal of a triangle does not depend on where it is hit.
    if let Some(normal) = geometry.mesh_normal(hit.primitive_id) {
        return (normal.as_vec3().to_array(), 0);
    }
    let Some(primitive) = geometry.primitive(hit.primitive_id) else {
        return NO_SURFACE;
    };
    let t = f64::from(hit.t);
    let line = ray.line();
    let crossings = primitive.crossings(&line);
    let zones = primitive.zones(&line, primitive.delta(line.origin));
    // The zone that holds t tells which of several passes through the surface was hit.
    let [from, to] = zones.holding(t).map_or([t, t], |zone| zones.reach(zone));
    let mut passed = crossings.iter().filter(|crossing| crossing.t >= from && crossing.t <= to);
    // The hit is the pass's first crossing, unless that may lie before t_min. The nearest crossing
    // to t would be wrong for a plate thinner than t is precise, and for a corner that a grazing
    // ray cuts.
    let met =
        if from < f64::from(ray.t_min) { crossings.nearest_to(t) } else { passed.next().copied() };
    // In float64 the ray may just pass by: it then met the layer of width δ about the surface.
    let crossing = met
        .or_else(|| zones.iter().find(|zone| zone.to.t >= t).map(|zone| zone.from))
        .unwrap_or(Crossing { t, face: 0 });
    let normal = primitive.normal(crossing.face, line.at(crossing.t));
    (normal.as_vec3().to_array(), crossing.face)
}
