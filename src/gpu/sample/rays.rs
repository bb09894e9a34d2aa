//! Returns sampled rays as the device makes them.

use super::on_device::{ChunkGroup, SamplerOnDevice};
use crate::gpu::buffer::scoped;
use crate::gpu::chunk_buffers::ChunkBuffers;
use crate::gpu::hit::{ChunkAnswers, RAY_BYTES, refuse_unanswered};
use crate::gpu::recovery::RecoverableScene;
use crate::gpu::ring::{Job, run_job};
use crate::gpu::scene_on_device::SceneOnDevice;
use crate::gpu_error::GpuError;
use crate::ray::Ray;
use crate::sample::Sampler;
use crate::scene::Scene;
use std::ops::Range;

/// The job of making the rays of a sampler from a number on.
struct SampledRaysJob<'a> {
    world: &'a Scene,
    sampler: &'a Sampler,
    first: u64,
    rays: Vec<Ray>,
}

impl Job for SampledRaysJob<'_> {
    type Answer = Ray;

    async fn record(
        &self,
        on_device: &SceneOnDevice,
        buffers: &mut ChunkBuffers,
        chunk: Range<usize>,
    ) -> Result<wgpu::CommandEncoder, GpuError> {
        let numbers = self.first + chunk.start as u64..self.first + chunk.end as u64;
        let group = ChunkGroup { numbers: numbers.clone(), chunk: chunk.len(), room: 0 };
        let sampler = SamplerOnDevice::new(on_device, self.world, self.sampler).await?;
        let prepared = sampler.chunk(&group, numbers).await?;
        scoped(&on_device.gpu, "sampled rays", || {
            let mut encoder = on_device.gpu.device.create_command_encoder(&Default::default());
            sampler.record_rays(&mut encoder, buffers, &prepared, buffers.timestamps([true, true]));
            buffers.fetch(&mut encoder, &buffers.rays, chunk.len() as u64 * RAY_BYTES);
            encoder
        })
        .await
    }

    fn take(&mut self, chunk: Range<usize>, found: &ChunkAnswers<'_, Ray>) -> Result<(), GpuError> {
        let rays = found.answers();
        refuse_unanswered(chunk, rays, |ray| ray.direction == [0.0; 3])?;
        self.rays.extend(rays);
        Ok(())
    }
}

/// Returns the rays of these numbers, which are of one view if they are any's.
pub(in crate::gpu) async fn generate_rays(
    scene: &RecoverableScene,
    sampler: &Sampler,
    numbers: Range<u64>,
) -> Result<Vec<Ray>, GpuError> {
    let world = scene.all_worlds();
    let mut job = SampledRaysJob { world, sampler, first: numbers.start, rays: Vec::new() };
    let count = (numbers.end - numbers.start) as usize;
    run_job(scene, &mut job, 0..count).await?;
    Ok(job.rays)
}
