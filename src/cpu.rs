//! The float64 tracer: reference for the GPU, and what casts where there is none.
//!
//! It walks the same tree as the GPU but reads the shapes' own fields, not the words packed for the
//! GPU: packing is part of what it proves. [`CpuTracer::brute_force`] asks every shape, without a
//! tree, and has the last word.

mod batch;
mod bounding_sphere;
mod cast;
mod containment;
mod hit_collector;
mod points;
mod ray_filter;
mod ray_sort;

pub use points::NearestSurface;

use crate::answers::{AllHits, PointHit};
use crate::batch::{Batch, RayFilter};
use crate::bvh::{Portable, RayFeeder, Stack, Start};
use crate::camera::View;
use crate::crossings::Crossing;
use crate::geometry::Geometry;
use crate::packed::PackedScene;
use crate::ray::{Hit, NONE, Ray};
use crate::scene::Scene;
use crate::shapes::{Heightfield, PreparedShape};
use crate::tracer::{TraceError, Tracer};
use bounding_sphere::BoundingSphere;
use cast::Casts;
use hit_collector::{All, Any, Closest, Count, PrimitiveCrossing};
use rayon::prelude::*;
use std::ops::Range;

/// What a line meets first, in float64.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Nearest {
    /// Where, and through which face.
    pub crossing: Crossing,
    /// Which geometry.
    pub geometry_id: u32,
    /// Which part of it.
    pub primitive_id: u32,
}

impl Nearest {
    /// As a tracer answers: `t` rounded to float32.
    pub(crate) fn hit(&self) -> Hit {
        Hit {
            t: self.crossing.t as f32,
            geometry_id: self.geometry_id,
            primitive_id: self.primitive_id,
        }
    }

    /// The nearer of two; of two at the same place the one with the lower ids.
    fn or(self, other: Option<Self>) -> Self {
        let rank = |nearest: &Self| (nearest.crossing.t, nearest.geometry_id, nearest.primitive_id);
        match other {
            Some(other) if rank(&other) < rank(&self) => other,
            _ => self,
        }
    }
}

/// What stands at a place, at hand.
#[derive(Debug)]
enum Item<'a> {
    Nothing,
    Shape(PreparedShape),
    /// Of a mesh: it shares its edges with others.
    MeshTriangle(PreparedShape),
    Heightfield(&'a Heightfield),
}

/// Casts rays in float64 on all cores.
#[derive(Debug)]
pub struct CpuTracer<'a> {
    scene: &'a Scene,
    packed: &'a PackedScene,
    /// Around the shape at each place: what is read of most.
    bounding_spheres: Vec<BoundingSphere>,
    /// At each place.
    items: Vec<Item<'a>>,
    /// At each place; empty where all masks are all ones.
    masks: Vec<u32>,
    has_closed_mesh: bool,
    /// The widest instructions that this uses, where the processor has them.
    #[cfg(target_arch = "x86_64")]
    wide: Option<pulp::x86::V3>,
}

impl<'a> CpuTracer<'a> {
    /// A tracer of a scene and the tree that was packed from it.
    pub fn new(scene: &'a Scene, packed: &'a PackedScene) -> Self {
        let item = |&primitive: &u32| {
            if primitive == NONE {
                return Some((BoundingSphere::EVERYWHERE, Item::Nothing));
            }
            // The primitive is one of the scene that it was packed from.
            let [geometry_id, primitive_id] = scene.primitive_ids().ids(primitive);
            match scene.geometry(geometry_id)? {
                Geometry::Heightfield(field) => {
                    let bounding_sphere =
                        BoundingSphere::new(field.center, field.bounding_radius());
                    Some((bounding_sphere, Item::Heightfield(field.as_ref())))
                }
                geometry => {
                    let shape = geometry.shape(primitive_id)?;
                    let bounding_sphere = match shape.bounds() {
                        Some(_) => BoundingSphere::new(shape.center(), shape.bounding_radius()),
                        None => BoundingSphere::EVERYWHERE,
                    };
                    let item = match geometry {
                        Geometry::Mesh(_) => Item::MeshTriangle(shape.into()),
                        _ => Item::Shape(shape.into()),
                    };
                    Some((bounding_sphere, item))
                }
            }
        };
        let (bounding_spheres, items) = packed.primitives_at.par_iter().filter_map(item).unzip();
        let mask = |&primitive: &u32| match primitive {
            NONE => 0,
            _ => scene.mask(scene.primitive_ids().ids(primitive)[0]),
        };
        let masks = match scene.has_masks() {
            true => packed.primitives_at.iter().map(mask).collect(),
            false => Vec::new(),
        };
        let is_closed = |own: &Geometry| matches!(own, Geometry::Mesh(mesh) if mesh.is_closed());
        let has_closed_mesh = scene.geometries().iter().any(is_closed);
        Self {
            scene,
            packed,
            bounding_spheres,
            items,
            masks,
            has_closed_mesh,
            #[cfg(target_arch = "x86_64")]
            wide: pulp::x86::V3::try_new(),
        }
    }

    /// What a valid ray meets first, by a walk of the tree; `None` for a miss.
    pub fn nearest(&self, ray: &Ray) -> Option<Nearest> {
        let mut best = None;
        let rays = std::iter::once((0, *ray, RayFilter::ALL));
        let mut casts = Casts::new(self, rays, |_, Closest(found)| best = found);
        self.packed.tree.walk(Portable, &mut Stack::default(), &mut casts);
        let PrimitiveCrossing { crossing, primitive } = best?;
        let [geometry_id, primitive_id] = self.scene.primitive_ids().ids(primitive);
        Some(Nearest { crossing, geometry_id, primitive_id })
    }

    /// What a valid ray meets first, by asking every primitive.
    pub fn brute_force(&self, ray: &Ray) -> Option<Nearest> {
        let line = ray.line();
        let interval = [f64::from(ray.t_min), f64::from(ray.t_max)];
        let primitives = self.scene.visible().flat_map(|(geometry_id, geometry)| {
            let count = geometry.primitive_count() as u32;
            (0..count).map(move |primitive_id| (geometry_id, geometry, primitive_id))
        });
        primitives
            .filter_map(|(geometry_id, geometry, primitive_id)| {
                let crossing = geometry.first_crossing(primitive_id, &line, interval)?;
                Some(Nearest { crossing, geometry_id, primitive_id })
            })
            .reduce(|best, found| found.or(Some(best)))
    }

    /// The primitives whose boxes, grown by `pad`, the ray meets, and every plane: their `geometry_id` and
    /// `primitive_id`.
    pub(crate) fn near(&self, ray: &Ray, pad: f64) -> Vec<[u32; 2]> {
        let line = ray.line();
        let interval = [f64::from(ray.t_min), f64::from(ray.t_max)];
        let mut ids = Vec::new();
        let mut add = |leaf_index: u32| {
            let primitive = self.packed.primitives_at[leaf_index as usize];
            let [geometry_id, primitive_id] = self.scene.primitive_ids().ids(primitive);
            match &self.items[leaf_index as usize] {
                Item::Heightfield(field) => field.walk(&line, interval, pad, |leaf_index| {
                    ids.push([geometry_id, leaf_index as u32]);
                    interval[1]
                }),
                Item::Nothing | Item::Shape(_) | Item::MeshTriangle(_) => {
                    ids.push([geometry_id, primitive_id])
                }
            }
            interval[1]
        };
        let unbounded = self.packed.unbounded as u32;
        (0..unbounded).for_each(|leaf_index| _ = add(leaf_index));
        let start = self.packed.tree.start(ray, interval[1], pad);
        let mut one = One { start, visit: |leaf_index| add(unbounded + leaf_index) };
        self.packed.tree.walk(Portable, &mut Stack::default(), &mut one);
        ids
    }
}

/// A ray that visits whatever it comes near.
struct One<V> {
    start: Option<Start>,
    visit: V,
}

impl<V: FnMut(u32) -> f64> RayFeeder for One<V> {
    const ENDS_EARLY: bool = false;

    fn next(&mut self, _lane: usize) -> Option<Start> {
        self.start.take()
    }

    fn visit(&mut self, _lane: usize, leaf_index: u32) -> f64 {
        (self.visit)(leaf_index)
    }
}

impl Tracer for CpuTracer<'_> {
    fn closest(&self, batch: Batch<'_>) -> Result<Vec<Hit>, TraceError> {
        batch.check(self.scene.primitive_ids().geometries())?;
        let mut hits = self.cast_batch::<Closest>(batch);
        self.for_each_start_inside(batch, &mut hits, |hit, ray, geometry_id| {
            *hit = Hit { t: ray.t_min, geometry_id, primitive_id: 0 };
        });
        Ok(hits)
    }

    fn any(&self, batch: Batch<'_>) -> Result<Vec<bool>, TraceError> {
        batch.check(self.scene.primitive_ids().geometries())?;
        let mut are_hits = self.cast_batch::<Any>(batch);
        self.for_each_start_inside(batch, &mut are_hits, |is_hit, _, _| *is_hit = true);
        Ok(are_hits)
    }

    fn count(&self, batch: Batch<'_>) -> Result<Vec<u32>, TraceError> {
        batch.check(self.scene.primitive_ids().geometries())?;
        Ok(self.cast_batch::<Count>(batch))
    }

    fn all(&self, batch: Batch<'_>) -> Result<AllHits, TraceError> {
        batch.check(self.scene.primitive_ids().geometries())?;
        let mut all = AllHits::default();
        self.cast_batch::<All>(batch).into_iter().for_each(|hits| all.push(hits));
        Ok(all)
    }

    fn points(&self, points: &[[f32; 3]]) -> Result<Vec<PointHit>, TraceError> {
        Ok(self.point_hits(points))
    }

    fn camera_rays(&self, view: &View, pixels: Range<usize>) -> Result<Vec<Ray>, TraceError> {
        Ok(pixels.into_par_iter().map(|pixel| view.ray(pixel)).collect())
    }

    fn render(&self, view: &View, pixels: Range<usize>) -> Result<Vec<Hit>, TraceError> {
        Ok(self.cast_all::<Closest>(pixels, |pixel| view.ray(pixel)))
    }

    fn device(&self) -> String {
        format!("CPU, float64, {} threads", rayon::current_num_threads())
    }
}

#[cfg(feature = "io")]
#[cfg(test)]
mod tests;
