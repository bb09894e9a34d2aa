//! The float64 tracer: the reference for the GPU, and the tracer on machines without one.
//!
//! It traverses the same tree as the GPU, but reads the shapes' own fields and not the params
//! packed for the GPU, so it verifies packing too. [`CpuTracer::brute_force`] intersects every
//! primitive without a tree. Its answer decides.
//!
//! Answers are computed only with +, −, ×, ÷ and √, and angles with the crate `libm`, so they have
//! the same bits on every machine. A table of hashes in `cpu/tests.rs` and a rule of
//! `tests/it/house.rs` check this.

mod batch;
mod bounding_sphere;
mod brute_force;
mod cast;
mod containers;
mod containment;
mod crossing_bounds;
mod hit_collector;
mod image_order;
mod instances;
mod leaf_triangle;
mod leaves;
mod line_in_float32;
mod packet_cast;
mod paths;
mod points;
mod proposals;
mod ray_sort;
mod reference;
mod space;
mod tracer;
mod triangle_bounds;
mod triangle_sieve;
mod volumes;

pub use points::NearestSurface;
pub use reference::Nearest;
pub use tracer::CpuTracer;

use crate::packed::Update;
use crate::parallel::{RAYS_A_TASK, mapped};
use crate::query::{
    AllHits, Batch, BatchError, Containment, HitArrays, Hits, KnownSurfaces, PathRule, PointHit,
    SolidPaths, Surface,
};
use crate::ray::{Hit, Ray};
use crate::scan::Views;
use crate::scene::Scene;
use crate::tracer::{TraceError, Tracer};
use batch::CHUNK;
use containment::{hit_at_start, occlude_at_start};
use hit_collector::{All, Any, Closest, Count, LeafHit};
use leaf_triangle::LeafTriangles;
use std::ops::Range;

impl CpuTracer {
    fn check(&self, batch: &Batch<'_>) -> Result<(), BatchError> {
        batch.check(self.packed.scene())
    }

    /// Returns the closest hits of a checked batch.
    fn closest_hits<T: From<LeafHit> + Send>(&self, batch: Batch<'_>) -> Vec<T> {
        let mut hits = self.cast_batch::<Closest, T>(batch);
        self.for_each_start_inside(batch, 0..batch.len(), &mut hits, hit_at_start);
        hits
    }
}

/// The triangles of meshes that rays hit.
struct TrianglesHit<'a> {
    triangles: &'a LeafTriangles,
    found: &'a [LeafHit],
}

impl KnownSurfaces for TrianglesHit<'_> {
    fn prefetch(&self, ray: usize) {
        self.triangles.prefetch(self.found[ray].leaf as usize);
    }

    fn surface(&self, ray: usize) -> Option<Surface> {
        self.triangles.surface(self.found[ray].leaf as usize)
    }
}

impl Tracer for CpuTracer {
    fn scene(&self) -> &Scene {
        self.packed.scene()
    }

    fn update(&mut self, scene: &Scene) -> Result<Update, TraceError> {
        Ok(self.move_instances(scene)?)
    }

    fn closest(&self, batch: Batch<'_>) -> Result<Vec<Hit>, TraceError> {
        self.check(&batch)?;
        Ok(self.closest_hits(batch))
    }

    fn append_hits(
        &self,
        batch: Batch<'_>,
        arrays: HitArrays,
        hits: &mut Hits,
    ) -> Result<(), TraceError> {
        self.check(&batch)?;
        let most = (CHUNK * rayon::current_num_threads()).min(batch.len()).max(1);
        for first in (0..batch.len()).step_by(most) {
            let chunk = batch.slice(first..batch.len().min(first + most));
            let found: Vec<LeafHit> = self.closest_hits(chunk);
            hits.extend(found.len(), &|ray| found[ray].hit);
            if self.leaves.triangles().is_empty() {
                hits.complete(self.scene(), chunk, arrays);
                continue;
            }
            // A triangle is at one place in memory here, and at four in the scene.
            let known = TrianglesHit { triangles: self.leaves.triangles(), found: &found };
            hits.complete_knowing(self.scene(), chunk, arrays, &known);
        }
        Ok(())
    }

    fn any(&self, batch: Batch<'_>) -> Result<Vec<bool>, TraceError> {
        self.check(&batch)?;
        let mut occluded = self.cast_batch::<Any, bool>(batch);
        self.for_each_start_inside(batch, 0..batch.len(), &mut occluded, occlude_at_start);
        Ok(occluded)
    }

    fn count(&self, batch: Batch<'_>) -> Result<Vec<u32>, TraceError> {
        self.check(&batch)?;
        Ok(self.cast_batch::<Count, u32>(batch))
    }

    fn all(&self, batch: Batch<'_>) -> Result<AllHits, TraceError> {
        self.check(&batch)?;
        let mut all = AllHits::default();
        self.cast_batch::<All, Vec<Hit>>(batch).into_iter().for_each(|hits| all.push(hits));
        Ok(all)
    }

    fn points(&self, points: &[[f32; 3]]) -> Result<Vec<PointHit>, TraceError> {
        Ok(self.point_hits(points))
    }

    fn containment(&self, points: &[[f32; 3]]) -> Result<Vec<Containment>, TraceError> {
        Ok(self.containers(points))
    }

    fn innermost(&self, points: &[[f32; 3]]) -> Result<Vec<u32>, TraceError> {
        Ok(self.innermost_solids(points))
    }

    fn paths(&self, batch: Batch<'_>, rule: PathRule) -> Result<SolidPaths, TraceError> {
        self.check(&batch)?;
        Ok(self.paths_in_solids(batch, rule))
    }

    fn rays_of_views(&self, views: &Views, pixels: Range<usize>) -> Result<Vec<Ray>, TraceError> {
        views.check(self.scene(), &pixels)?;
        Ok(mapped(pixels.len(), RAYS_A_TASK, |index| views.ray(pixels.start + index)))
    }

    fn render_views(&self, views: &Views, pixels: Range<usize>) -> Result<Vec<Hit>, TraceError> {
        views.check(self.scene(), &pixels)?;
        Ok(self.cast_views::<Closest, Hit>(views, pixels))
    }

    fn device(&self) -> String {
        format!("CPU, float64, {} threads", rayon::current_num_threads())
    }
}

#[cfg(test)]
mod tests;
