//! A scene on one device, until that is lost.

use super::bindings::{bind, first_hits, first_rays};
use super::buffer;
use super::capabilities::Capabilities;
use super::chunk_buffers::ChunkBuffers;
use super::device::Gpu;
use super::dispatch::dispatch;
use super::error::GpuError;
use super::fault::Fault;
use super::kernel::{Contents, EntryPoint, KernelKey, ModuleKey, RayHandling};
use super::lock::lock;
use super::pipeline_cache::GroupLayout;
use super::pipelines::{group_layout, pipeline};
use super::scene;
use crate::packed::PackedScene;
use std::sync::Mutex;

/// How many chunks are under way at once: one is written, one is cast, one is read.
pub(super) const CHUNKS_UNDER_WAY: usize = 3;

/// A scene's buffers on one device, and the way to the kernels that the device has compiled for such scenes.
#[derive(Debug)]
pub(super) struct SceneOnDevice {
    pub gpu: Gpu,
    capabilities: Capabilities,
    fault: Option<Fault>,
    /// It is at hand for the cast of rays that already lie on the device, which cannot wait for a pipeline.
    query_closest: wgpu::ComputePipeline,
    query_layout: wgpu::BindGroupLayout,
    camera_layout: wgpu::BindGroupLayout,
    scene: wgpu::BindGroup,
    /// Bound where a kernel reads nothing.
    pub nothing: wgpu::Buffer,
    /// Bound where a kernel writes nothing.
    pub nowhere: wgpu::Buffer,
    /// Buffers of chunks that are done, kept for the next.
    idle: Mutex<Vec<ChunkBuffers>>,
}

impl SceneOnDevice {
    /// Compiles and uploads; what does not fit the device is refused before that.
    pub async fn new(
        gpu: Gpu,
        packed: &PackedScene,
        fault: Option<&Fault>,
    ) -> Result<Self, GpuError> {
        scene::check_size(&gpu, packed)?;
        let capabilities = Capabilities::of(packed, gpu.record_storage);
        let closest = kernel_key(&capabilities, fault, EntryPoint::Closest, RayHandling::default());
        Ok(Self {
            query_closest: pipeline(&gpu, &closest).await?,
            query_layout: group_layout(&gpu, GroupLayout::Query).await?,
            camera_layout: group_layout(&gpu, GroupLayout::Camera).await?,
            scene: scene::upload(&gpu, packed).await?,
            nothing: buffer::upload(&gpu, "nothing", &[]).await?,
            nowhere: buffer::upload(&gpu, "nothing", &[]).await?,
            idle: Mutex::default(),
            capabilities,
            fault: fault.copied(),
            gpu,
        })
    }

    /// The pipeline that casts closest hits of rays that may meet everything, as surfaces.
    pub fn query_closest(&self) -> &wgpu::ComputePipeline {
        &self.query_closest
    }

    /// The pipeline of a kernel, which is compiled when the device is first asked for it.
    pub async fn pipeline(
        &self,
        entry_point: EntryPoint,
        ray_handling: RayHandling,
    ) -> Result<wgpu::ComputePipeline, GpuError> {
        let fault = self.fault.as_ref();
        let key = kernel_key(&self.capabilities, fault, entry_point, ray_handling);
        pipeline(&self.gpu, &key).await
    }

    /// As many of the first rays and hits of two buffers as counted; what each ray may meet, where its crossings begin,
    /// and where they go, if that is asked.
    pub fn bind_query(
        &self,
        [rays, hits]: [&wgpu::Buffer; 2],
        others: [&wgpu::Buffer; 3],
        counts: [u64; 2],
    ) -> wgpu::BindGroup {
        let batch = [first_rays(rays, counts[0]), first_hits(hits, counts[1])];
        let others = others.map(wgpu::Buffer::as_entire_binding);
        bind(&self.gpu.device, &self.query_layout, &[batch.as_slice(), &others].concat())
    }

    /// A view's numbers, those of a panoramic one's columns and rows, and where to put its `count` rays.
    pub fn bind_camera(
        &self,
        [view, panorama, rays]: [&wgpu::Buffer; 3],
        count: u64,
    ) -> wgpu::BindGroup {
        let resources =
            [view.as_entire_binding(), panorama.as_entire_binding(), first_rays(rays, count)];
        bind(&self.gpu.device, &self.camera_layout, &resources)
    }

    /// Records one pass of a kernel over `count` rays.
    pub fn record_pass(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        kernel: &wgpu::ComputePipeline,
        batch: &wgpu::BindGroup,
        count: u64,
        timestamp_writes: Option<wgpu::ComputePassTimestampWrites<'_>>,
    ) {
        let mut pass = encoder
            .begin_compute_pass(&wgpu::ComputePassDescriptor { label: None, timestamp_writes });
        pass.set_pipeline(kernel);
        pass.set_bind_group(0, &self.scene, &[]);
        pass.set_bind_group(1, batch, &[]);
        dispatch(&mut pass, &self.gpu.device.limits(), count);
    }

    /// Buffers for a chunk of that many rays; new ones have place for a few more, up to `most`.
    pub async fn buffers(&self, rays: usize, most: usize) -> Result<ChunkBuffers, GpuError> {
        let idle = lock(&self.idle).pop();
        match idle.filter(|buffers| buffers.capacity >= rays) {
            Some(buffers) => Ok(buffers),
            // So that chunks which grow little by little do not each want new ones.
            None => {
                ChunkBuffers::new(&self.gpu, rays.next_power_of_two().min(most).max(rays)).await
            }
        }
    }

    /// Keeps a chunk's buffers for another.
    pub fn keep(&self, buffers: ChunkBuffers) {
        let mut idle = lock(&self.idle);
        // Calls from many threads at once leave more than one needs.
        if idle.len() < CHUNKS_UNDER_WAY {
            idle.push(buffers);
        }
    }
}

fn kernel_key(
    capabilities: &Capabilities,
    fault: Option<&Fault>,
    entry_point: EntryPoint,
    ray_handling: RayHandling,
) -> KernelKey {
    let contents = Contents::Scene(capabilities.clone(), ray_handling);
    KernelKey { module: ModuleKey { contents, fault: fault.copied() }, entry_point }
}
