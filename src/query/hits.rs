//! Closest hits as arrays.

use super::batch::Batch;
use super::hit_arrays::HitArrays;
use super::surface::{NO_SURFACE, Surface, surface_at};
use crate::parallel::{ITEMS_A_TASK, RAYS_A_TASK, extend};
use crate::ray::{Hit, NONE, Ray};
use crate::scene::Scene;
use rayon::prelude::*;
use std::collections::TryReserveError;
use std::mem::take;

/// The closest hits of a batch of rays. Each array has one row for each ray, or is empty if it was
/// not requested.
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
    /// The face that was hit: 0 side, 1 start cap, 2 end cap, 3 inner wall. For a box, 0 to 5 are
    /// −x +x −y +y −z +z. [`NONE`] if there is no normal.
    pub faces: Vec<u32>,
    /// The outermost instance that contains the geometry that was hit, numbered as in
    /// [`Scene::use_of`]. A node with a file counts as an instance. [`NONE`] for a miss, and for a
    /// geometry outside of any instance.
    pub instance_ids: Vec<u32>,
    /// The label of the geometry that was hit; 0 for a geometry without a label and for a miss.
    pub label_ids: Vec<u16>,
}

/// What is prefetched belongs to the hit this many hits later.
const AHEAD: usize = 12;

/// The surfaces at some hits, which whoever cast the rays knows already.
pub(crate) trait KnownSurfaces: Sync {
    /// Prefetches what [`Self::surface`] will read.
    fn prefetch(&self, _ray: usize) {}
    /// Returns the surface at the hit of a ray, if it is known.
    fn surface(&self, _ray: usize) -> Option<Surface> {
        None
    }
}

/// Nothing is known.
struct NoSurfaces;

impl KnownSurfaces for NoSurfaces {}

/// Splits off the rows that one task fills.
fn split<T>(rows: &mut [T]) -> (&mut [T], &mut [T]) {
    rows.split_at_mut(rows.len().min(RAYS_A_TASK))
}

impl Hits {
    /// Makes arrays of t and ids.
    pub fn of(hits: &[Hit]) -> Self {
        let mut all = Self::default();
        all.append(hits);
        all
    }

    /// Makes the given arrays from the hits that a tracer returned. t and ids are always included.
    /// Normals are computed in float64 from the shapes' own fields.
    pub fn new(scene: &Scene, batch: Batch<'_>, hits: &[Hit], arrays: HitArrays) -> Self {
        let mut all = Self::of(hits);
        all.complete(scene, batch, arrays);
        all
    }

    /// Makes the arrays for rays that are generated one by one, each with its world.
    pub(crate) fn of_image(
        scene: &Scene,
        hits: &[Hit],
        arrays: HitArrays,
        ray: impl Fn(usize) -> (Ray, u32) + Sync,
    ) -> Self {
        let mut all = Self::of(hits);
        all.complete_with(0, scene, arrays, &NoSurfaces, &|index, hit| {
            let (ray, world) = ray(index);
            surface_at(scene, world, &ray, hit)
        });
        all
    }

    /// Allocates memory for this many more rays.
    ///
    /// # Errors
    /// [`TryReserveError`], if there is not enough.
    pub fn try_reserve(&mut self, rays: usize, arrays: HitArrays) -> Result<(), TryReserveError> {
        let asked = |array| if arrays.has(array) { rays } else { 0 };
        self.t_hit.try_reserve_exact(rays)?;
        self.geometry_ids.try_reserve_exact(rays)?;
        self.primitive_ids.try_reserve_exact(rays)?;
        self.primitive_normals.try_reserve_exact(asked(HitArrays::PRIMITIVE_NORMALS))?;
        self.faces.try_reserve_exact(asked(HitArrays::FACES))?;
        self.instance_ids.try_reserve_exact(asked(HitArrays::INSTANCE_IDS))?;
        self.label_ids.try_reserve_exact(asked(HitArrays::LABEL_IDS))
    }

    /// Appends t and ids.
    pub(crate) fn append(&mut self, hits: &[Hit]) {
        self.extend(hits.len(), &|index| hits[index]);
    }

    /// Appends t and ids of this many hits. Each is written once, into its place.
    pub(crate) fn extend(&mut self, count: usize, hit: &(dyn Fn(usize) -> Hit + Sync)) {
        let Self { t_hit, geometry_ids, primitive_ids, .. } = self;
        let mut arrays = (take(t_hit), (take(geometry_ids), take(primitive_ids)));
        let hits = (0..count).into_par_iter().with_min_len(ITEMS_A_TASK).map(hit);
        arrays.par_extend(hits.map(|hit| (hit.t, (hit.geometry_id, hit.primitive_id))));
        (*t_hit, (*geometry_ids, *primitive_ids)) = arrays;
    }

    /// Appends the given arrays, except t and ids, for the rays of the batch, which must be the
    /// last rays.
    pub fn complete(&mut self, scene: &Scene, batch: Batch<'_>, arrays: HitArrays) {
        self.complete_knowing(scene, batch, arrays, &NoSurfaces);
    }

    /// Does the same, with surfaces that are already known.
    pub(crate) fn complete_knowing(
        &mut self,
        scene: &Scene,
        batch: Batch<'_>,
        arrays: HitArrays,
        known: &dyn KnownSurfaces,
    ) {
        let first = self.len().saturating_sub(batch.len());
        self.complete_with(first, scene, arrays, known, &|index, hit| {
            let is_at_start = || batch.is_solid() && hit.t == batch.ray(index).t_min;
            let is_solid = || scene.geometry(hit.geometry_id).is_some_and(|it| it.is_solid());
            if is_at_start() && is_solid() {
                return NO_SURFACE;
            }
            known
                .surface(index)
                .unwrap_or_else(|| surface_at(scene, batch.world(index), &batch.ray(index), hit))
        });
    }

    /// Makes the arrays for the rows from `first` on, whose rays are numbered from there.
    fn complete_with(
        &mut self,
        first: usize,
        scene: &Scene,
        arrays: HitArrays,
        known: &dyn KnownSurfaces,
        surface: &(dyn Fn(usize, &Hit) -> Surface + Sync),
    ) {
        let rays = self.len() - first;
        let (mut normals, mut faces) = (take(&mut self.primitive_normals), take(&mut self.faces));
        if arrays.has(HitArrays::PRIMITIVE_NORMALS) {
            extend(&mut normals, rays, &|_| NO_SURFACE.0);
        }
        if arrays.has(HitArrays::FACES) {
            extend(&mut faces, rays, &|_| NO_SURFACE.1);
        }
        // The arrays are given out in equal parts; one that was not requested stays empty.
        let mut normals_left = normals.get_mut(first..).unwrap_or_default();
        let mut faces_left = faces.get_mut(first..).unwrap_or_default();
        let mut parts = Vec::with_capacity(rays.div_ceil(RAYS_A_TASK));
        while !(normals_left.is_empty() && faces_left.is_empty()) {
            let (normals, faces);
            (normals, normals_left) = split(normals_left);
            (faces, faces_left) = split(faces_left);
            parts.push((normals, faces));
        }
        parts.into_par_iter().enumerate().for_each(|(part, (normals, faces))| {
            let start = part * RAYS_A_TASK;
            // The hits are listed first, without a branch: where rays hit and miss at random, no
            // processor predicts which is next.
            let mut hits = [0; RAYS_A_TASK];
            let mut count = 0;
            let ids = &self.geometry_ids[first + start..][..normals.len().max(faces.len())];
            for (ray, id) in ids.iter().enumerate() {
                hits[count] = ray;
                count += usize::from(*id != NONE);
            }
            let hits = &hits[..count];
            for (number, &ray) in hits.iter().enumerate() {
                if let Some(soon) = hits.get(number + AHEAD) {
                    known.prefetch(start + soon);
                }
                let index = start + ray;
                let (normal, face) = surface(index, &self.hit(first + index));
                if let Some(place) = normals.get_mut(ray) {
                    *place = normal;
                }
                if let Some(place) = faces.get_mut(ray) {
                    *place = face;
                }
            }
        });
        (self.primitive_normals, self.faces) = (normals, faces);
        let Self { geometry_ids, instance_ids, label_ids, .. } = self;
        if arrays.has(HitArrays::INSTANCE_IDS) {
            let uses = geometry_ids[first..].iter().map(|&id| scene.use_of(id).unwrap_or(NONE));
            instance_ids.extend(uses);
        }
        if arrays.has(HitArrays::LABEL_IDS) {
            label_ids.extend(scene.labels_of(&geometry_ids[first..]));
        }
    }

    /// Iterates over the hits.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Hit> {
        (0..self.len()).map(|ray| self.hit(ray))
    }

    /// Returns the hit of a ray. If an array was not requested, t is NaN and ids are [`NONE`].
    pub fn hit(&self, ray: usize) -> Hit {
        let id = |ids: &[u32]| ids.get(ray).copied().unwrap_or(NONE);
        Hit {
            t: self.t_hit.get(ray).copied().unwrap_or(f32::NAN),
            geometry_id: id(&self.geometry_ids),
            primitive_id: id(&self.primitive_ids),
        }
    }

    /// Replaces t and ids of a ray.
    #[cfg(feature = "gpu")]
    pub(crate) fn replace(&mut self, ray: usize, hit: Hit) {
        self.t_hit[ray] = hit.t;
        self.geometry_ids[ray] = hit.geometry_id;
        self.primitive_ids[ray] = hit.primitive_id;
    }

    /// Drops all rays but the first ones.
    pub(crate) fn truncate(&mut self, rays: usize) {
        let Self {
            t_hit,
            geometry_ids,
            primitive_ids,
            primitive_normals,
            faces,
            instance_ids,
            label_ids,
        } = self;
        t_hit.truncate(rays);
        geometry_ids.truncate(rays);
        primitive_ids.truncate(rays);
        primitive_normals.truncate(rays);
        faces.truncate(rays);
        instance_ids.truncate(rays);
        label_ids.truncate(rays);
    }

    /// Returns how many rays there are.
    pub fn len(&self) -> usize {
        self.t_hit.len().max(self.geometry_ids.len())
    }

    /// Returns true if there are no rays.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
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
