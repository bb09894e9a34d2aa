//! A scene on one device, which lives until the device is lost.

use super::bindings::{bind, first, first_rays, part};
use super::buffer;
use super::capabilities::Capabilities;
use super::chunk_buffers::ChunkBuffers;
use super::device::Gpu;
use super::dispatch::record_pass;
use super::fault_site::{FaultSite, HostFault};
use super::hit::{HitKind, RAY_BYTES};
use super::kernel::{EntryPoint, KernelKey, ModuleContents, ModuleKey, RayHandling};
use super::lock::lock;
use super::numbering::NumberingOnDevice;
use super::once_map::OnceMap;
use super::part::ScenePart;
use super::pipeline_cache::GroupLayout;
use super::pipelines::{group_layout, pipeline};
use super::scene::{self, SceneBuffers};
use super::shader;
use super::surfaces::SurfacesOnDevice;
use crate::gpu_error::GpuError;
use crate::packed::{PackedScene, Update};
use crate::scene::Scene;
use std::sync::{Arc, Mutex};
use wgpu::BufferUsages;

/// How many chunks are under way at once: one is written, one is cast, one is read.
pub(super) const CHUNKS_UNDER_WAY: usize = 3;

/// The buffers of a query in `shaders/query.wgsl` and `shaders/all.wgsl`.
pub(super) struct QueryBuffers<'a> {
    pub rays: &'a wgpu::Buffer,
    /// Where the rays begin, in bytes.
    pub rays_offset: u64,
    pub hits: &'a wgpu::Buffer,
    pub ray_filters: &'a wgpu::Buffer,
    pub splits: &'a wgpu::Buffer,
    pub crossings: &'a wgpu::Buffer,
    pub row_length: &'a wgpu::Buffer,
}

/// A scene's buffers on one device, with access to the kernels that the device has compiled for
/// such scenes.
#[derive(Debug)]
pub(super) struct SceneOnDevice {
    pub gpu: Gpu,
    capabilities: Capabilities,
    fault: Option<FaultSite>,
    pub hit_kind: HitKind,
    query_layout: wgpu::BindGroupLayout,
    camera_layout: wgpu::BindGroupLayout,
    scene: SceneBuffers,
    /// Bound in place of a buffer that a kernel does not read.
    pub nothing: wgpu::Buffer,
    /// Bound in place of a buffer that a kernel does not write.
    pub nowhere: wgpu::Buffer,
    /// The length of rows of rays that are no image's.
    no_rows: wgpu::Buffer,
    /// The table of surfaces, made when a beam is first cast; `None` if it does not fit.
    surfaces: OnceMap<(), Option<SurfacesOnDevice>>,
    /// The numbering of primitives, made when answers first stay on the device.
    numbering: OnceMap<(), NumberingOnDevice>,
    /// The arrays of a chunk of such answers, kept for later calls.
    columns: Arc<Mutex<Option<wgpu::Buffer>>>,
    /// The buffers of chunks that are done, kept for later chunks.
    idle: Arc<Mutex<Vec<ChunkBuffers>>>,
}

async fn row_length(gpu: &Gpu, length: u32) -> Result<wgpu::Buffer, GpuError> {
    let usage = wgpu::BufferUsages::UNIFORM;
    buffer::upload_with(gpu, "the rows", &length.to_ne_bytes(), usage).await
}

impl SceneOnDevice {
    /// Uploads a scene. One that does not fit the device is refused before that, and so is a fault
    /// that does not fit its shader. Kernels are compiled when they are first asked for.
    pub async fn new(
        gpu: Gpu,
        packed: &PackedScene,
        fault: Option<FaultSite>,
    ) -> Result<Self, GpuError> {
        scene::check_size(&gpu, packed)?;
        let capabilities = Capabilities::of(packed, gpu.kernel_variant);
        let closest = kernel_key(&capabilities, fault, EntryPoint::Closest, RayHandling::default());
        // Only a fault of the shader may not fit it.
        if closest.module.fault.is_some() {
            shader::source(&closest.module)?;
        }
        Ok(Self {
            query_layout: group_layout(&gpu, GroupLayout::Query).await?,
            camera_layout: group_layout(&gpu, GroupLayout::Camera).await?,
            scene: scene::upload(&gpu, packed, fault.and_then(FaultSite::record_fault)).await?,
            nothing: buffer::upload(&gpu, "nothing", &[]).await?,
            nowhere: buffer::upload(&gpu, "nothing", &[]).await?,
            no_rows: row_length(&gpu, 0).await?,
            surfaces: OnceMap::default(),
            numbering: OnceMap::default(),
            columns: Arc::default(),
            idle: Arc::default(),
            capabilities,
            fault,
            hit_kind: HitKind::of(packed.all_worlds()),
            gpu,
        })
    }

    /// Returns the same scene for kernels that traverse a part of it.
    pub async fn confined_to(&self, part: &ScenePart) -> Result<Self, GpuError> {
        Ok(Self {
            gpu: self.gpu.clone(),
            capabilities: self.capabilities.clone(),
            fault: self.fault,
            hit_kind: self.hit_kind,
            query_layout: self.query_layout.clone(),
            camera_layout: self.camera_layout.clone(),
            scene: self.scene.confined_to(&self.gpu, part).await?,
            nothing: self.nothing.clone(),
            nowhere: self.nowhere.clone(),
            no_rows: self.no_rows.clone(),
            surfaces: OnceMap::default(),
            numbering: OnceMap::default(),
            columns: Arc::default(),
            idle: Arc::clone(&self.idle),
        })
    }

    /// Uploads what an update of the packed scene changed. The tree has the same shape as before.
    pub async fn update(&self, packed: &PackedScene, update: &Update) -> Result<(), GpuError> {
        let changed = match self.has(HostFault::MovedRecordsKept) {
            true => Vec::new(),
            false => packed.changed_records(update),
        };
        let instances = update.items.iter().filter_map(|&item| packed.instance_of(item)).collect();
        self.scene.update(&self.gpu, packed, changed, instances).await
    }

    fn has(&self, fault: HostFault) -> bool {
        self.fault.is_some_and(|given| given.host_fault() == Some(fault))
    }

    /// Returns the pipeline that finds closest hits of rays without filters, on surfaces.
    pub async fn closest_pipeline(&self) -> Result<wgpu::ComputePipeline, GpuError> {
        self.pipeline(EntryPoint::Closest, RayHandling::default()).await
    }

    /// It is compiled when the device is first asked for it.
    pub async fn pipeline(
        &self,
        entry_point: EntryPoint,
        ray_handling: RayHandling,
    ) -> Result<wgpu::ComputePipeline, GpuError> {
        pipeline(&self.gpu, &self.kernel(entry_point, ray_handling)).await
    }

    /// Returns the key of the kernel that answers rays.
    pub fn kernel(&self, entry_point: EntryPoint, ray_handling: RayHandling) -> KernelKey {
        kernel_key(&self.capabilities, self.fault, entry_point, ray_handling)
    }

    /// Returns the pipeline of a kernel that makes sampled rays or adds up their answers.
    pub async fn sample_pipeline(
        &self,
        entry_point: EntryPoint,
    ) -> Result<wgpu::ComputePipeline, GpuError> {
        pipeline(&self.gpu, &self.sample_kernel(entry_point)).await
    }

    /// Returns the key of such a kernel.
    pub fn sample_kernel(&self, entry_point: EntryPoint) -> KernelKey {
        let module = module_key(ModuleContents::Sample, self.fault);
        KernelKey { module, entry_point }
    }

    /// Returns the pipeline of the kernel that makes arrays of hits.
    pub async fn answering_pipeline(&self) -> Result<wgpu::ComputePipeline, GpuError> {
        let module = module_key(ModuleContents::Answers, self.fault);
        pipeline(&self.gpu, &KernelKey { module, entry_point: EntryPoint::AnswerOnDevice }).await
    }

    /// Returns the pipeline of a kernel that spreads beams or makes echoes of their rays' hits.
    pub async fn beam_pipeline(
        &self,
        entry_point: EntryPoint,
    ) -> Result<wgpu::ComputePipeline, GpuError> {
        pipeline(&self.gpu, &self.beam_kernel(entry_point)).await
    }

    /// Returns the key of such a kernel.
    pub fn beam_kernel(&self, entry_point: EntryPoint) -> KernelKey {
        let contents = ModuleContents::Beams(self.capabilities.clone());
        KernelKey { module: module_key(contents, self.fault), entry_point }
    }

    /// Returns the numbering of the primitives of the packed scene that was uploaded.
    pub async fn numbering(&self, world: &Scene) -> Result<NumberingOnDevice, GpuError> {
        let make = async || NumberingOnDevice::new(&self.gpu, world).await;
        self.numbering.get_or_make(&(), make).await
    }

    /// Returns a buffer of as many bytes or more for the arrays of a chunk of answers.
    pub async fn columns(&self, bytes: u64) -> Result<wgpu::Buffer, GpuError> {
        let kept = lock(&self.columns).take();
        match kept.filter(|columns| columns.size() >= bytes) {
            Some(columns) => Ok(columns),
            None => {
                let usage = BufferUsages::STORAGE | BufferUsages::COPY_SRC;
                buffer::create(&self.gpu, "the answers", bytes, usage).await
            }
        }
    }

    /// Keeps such a buffer for another call.
    pub fn keep_columns(&self, columns: wgpu::Buffer) {
        *lock(&self.columns) = Some(columns);
    }

    /// Returns the table of the surfaces of the packed scene that was uploaded; `None` if it does
    /// not fit the device.
    pub async fn surfaces(
        &self,
        packed: &PackedScene,
    ) -> Result<Option<SurfacesOnDevice>, GpuError> {
        let make = async || SurfacesOnDevice::new(&self.gpu, packed).await;
        self.surfaces.get_or_make(&(), make).await
    }

    /// Returns the buffers of a query of rays that are no image's, for a kernel that reads no
    /// filters and writes no crossings.
    pub fn query<'a>(&'a self, rays: &'a wgpu::Buffer, hits: &'a wgpu::Buffer) -> QueryBuffers<'a> {
        let (nothing, crossings) = (&self.nothing, &self.nowhere);
        let (ray_filters, splits, row_length) = (nothing, nothing, &self.no_rows);
        QueryBuffers { rays, rays_offset: 0, hits, ray_filters, splits, crossings, row_length }
    }

    /// Returns the buffer that holds how many rays a row of an image has; 0 for rays that are no
    /// image's.
    pub async fn row_length(&self, length: u32) -> Result<wgpu::Buffer, GpuError> {
        match length {
            0 => Ok(self.no_rows.clone()),
            length => row_length(&self.gpu, length).await,
        }
    }

    /// Binds the rays and the first hits of a query, as many as `counts` says.
    pub fn bind_query(&self, query: &QueryBuffers<'_>, counts: [u64; 2]) -> wgpu::BindGroup {
        let QueryBuffers { rays, rays_offset, hits, ray_filters, splits, crossings, row_length } =
            query;
        let rays = part(rays, *rays_offset, RAY_BYTES * counts[0]);
        let batch = [rays, first(hits, self.hit_kind.bytes() * counts[1])];
        let others = [ray_filters, splits, crossings, row_length];
        let others = others.map(|buffer| buffer.as_entire_binding());
        bind(&self.gpu.device, &self.query_layout, &[batch.as_slice(), &others].concat())
    }

    /// Binds a view, the table of a panoramic one, the buffer for its `count` rays, the places of
    /// its images, and the buffer for the rays' filters.
    pub fn bind_camera(
        &self,
        [view, panorama, rays, places, filters]: [&wgpu::Buffer; 5],
        count: u64,
    ) -> wgpu::BindGroup {
        let resources = [
            view.as_entire_binding(),
            panorama.as_entire_binding(),
            first_rays(rays, count),
            places.as_entire_binding(),
            filters.as_entire_binding(),
        ];
        bind(&self.gpu.device, &self.camera_layout, &resources)
    }

    /// Records one pass of a kernel in this many workgroups.
    pub fn record_pass(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        kernel: &wgpu::ComputePipeline,
        batch: &wgpu::BindGroup,
        workgroups: u64,
        timestamp_writes: Option<wgpu::ComputePassTimestampWrites<'_>>,
    ) {
        let dropped = u64::from(self.has(HostFault::LastWorkgroupDropped));
        let groups = [&self.scene.bind_group, batch];
        let workgroups = workgroups - dropped;
        record_pass(&self.gpu, encoder, (kernel, &groups), workgroups, timestamp_writes);
    }

    /// Returns buffers for a chunk of that many rays. New buffers have room for more, up to `most`.
    pub async fn buffers(&self, rays: usize, most: usize) -> Result<ChunkBuffers, GpuError> {
        let idle = lock(&self.idle).pop();
        match idle.filter(|buffers| buffers.capacity >= rays) {
            Some(buffers) => Ok(buffers),
            // The capacity is a power of two, so that chunks that grow little by little do not each
            // need new buffers.
            None => {
                let capacity = rays.next_power_of_two().min(most).max(rays);
                ChunkBuffers::new(&self.gpu, self.hit_kind, capacity).await
            }
        }
    }

    /// Keeps a chunk's buffers for another.
    pub fn keep(&self, mut buffers: ChunkBuffers) {
        buffers.is_stale = self.has(HostFault::StaleRays);
        let mut idle = lock(&self.idle);
        // Calls from many threads at once leave more buffers than one call needs.
        if idle.len() < CHUNKS_UNDER_WAY {
            idle.push(buffers);
        }
    }
}

pub(super) fn kernel_key(
    capabilities: &Capabilities,
    fault: Option<FaultSite>,
    entry_point: EntryPoint,
    ray_handling: RayHandling,
) -> KernelKey {
    let contents = ModuleContents::Scene(capabilities.clone(), ray_handling);
    KernelKey { module: module_key(contents, fault), entry_point }
}

fn module_key(contents: ModuleContents, fault: Option<FaultSite>) -> ModuleKey {
    // Other faults than those of shaders change no kernel.
    let fault = fault.filter(|fault| fault.shader_file().is_some());
    ModuleKey { contents, fault }
}
