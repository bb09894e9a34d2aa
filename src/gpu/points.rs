//! The nearest surfaces to points and the solids that contain them. Points go to the device as the origins of rays.

use super::buffer::scoped;
use super::chunk_buffers::ChunkBuffers;
use super::dispatch::one_thread_each;
use super::error::GpuError;
use super::hit::{GpuHit, HIT_BYTES, refuse_unanswered};
use super::kernel::{EntryPoint, RayHandling};
use super::recovery::RecoverableScene;
use super::ring::{Job, run_job};
use super::scene_on_device::SceneOnDevice;
use crate::query::PointHit;
use crate::ray::Ray;
use crate::scene::Scene;
use rayon::prelude::*;
use std::ops::Range;

struct Points<'a> {
    points: &'a [[f32; 3]],
    world: &'a Scene,
    point_hits: Vec<PointHit>,
}

impl Job for Points<'_> {
    /// The nearest surface, with its distance in place of t, and the lowest solid that contains the point, with the
    /// number of such solids in place of t.
    type Answer = [GpuHit; 2];

    async fn record(
        &self,
        on_device: &SceneOnDevice,
        buffers: &mut ChunkBuffers,
        chunk: Range<usize>,
    ) -> Result<wgpu::CommandEncoder, GpuError> {
        let gpu = &on_device.gpu;
        let kernel = on_device.pipeline(EntryPoint::Points, RayHandling::default()).await?;
        let rays: Vec<Ray> =
            self.points[chunk].par_iter().map(|&point| Ray::upwards(point)).collect();
        let counts = [rays.len() as u64, 2 * rays.len() as u64];
        scoped(gpu, "the points", || {
            let mut encoder = gpu.device.create_command_encoder(&Default::default());
            buffers.forget_hits(&mut encoder, 2 * rays.len());
            let rays = buffers.upload(&mut encoder, &rays)?;
            let others = [&on_device.nothing, &on_device.nothing, &on_device.nowhere];
            let rays_and_hits = [&rays, &buffers.hits];
            let bound = on_device.bind_query(rays_and_hits, others, counts);
            let timestamps = buffers.timestamps([true, true]);
            let workgroups = one_thread_each(counts[0]);
            on_device.record_pass(&mut encoder, &kernel, &bound, workgroups, timestamps);
            buffers.fetch(&mut encoder, &buffers.hits, counts[1] * HIT_BYTES);
            Ok(encoder)
        })
        .await?
    }

    fn take(&mut self, chunk: Range<usize>, found: &[[GpuHit; 2]]) -> Result<(), GpuError> {
        refuse_unanswered(chunk, found, |[nearest, container]| {
            nearest.is_never() || container.is_never()
        })?;
        let point_hit = |[nearest, container]: &[GpuHit; 2]| {
            let [nearest_ids, container_ids] =
                [nearest, container].map(|found| found.ids(self.world));
            PointHit {
                contains: container.t.to_bits(),
                containing_id: container_ids[0],
                geometry_id: nearest_ids[0],
                primitive_id: nearest_ids[1],
            }
        };
        self.point_hits.par_extend(found.par_iter().map(point_hit));
        Ok(())
    }
}

pub(super) async fn point_hits(
    scene: &RecoverableScene,
    points: &[[f32; 3]],
) -> Result<Vec<PointHit>, GpuError> {
    let point_hits = Vec::with_capacity(points.len());
    let mut job = Points { points, world: scene.world(), point_hits };
    run_job(scene, &mut job, 0..points.len()).await?;
    Ok(job.point_hits)
}
