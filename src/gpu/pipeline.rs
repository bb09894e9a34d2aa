//! What a device compiles once for a scene: layouts, shader module, pipelines.

use super::resident::lock;
use super::shader::{self, Variant};
use super::stream::{HIT_BYTES, RAY_BYTES};
use super::{Fault, Gpu, GpuError, RecordStorage, buffer::scoped};
use crate::query::Batch;
use crate::bvh::Layout;
use std::collections::HashMap;
use std::num::NonZeroU64;
use std::sync::Mutex;

/// Threads of a workgroup, one a ray.
pub(super) const WORKGROUP: u32 = 64;

/// What a kernel answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum EntryPoint {
    Closest,
    Any,
    /// How many crossings, and which.
    All,
    /// What is around the point where each ray begins.
    Points,
    /// No entry_point, but a camera's rays.
    Rays,
}

impl EntryPoint {
    fn entry_point(self) -> &'static str {
        match self {
            EntryPoint::Closest => "query_closest",
            EntryPoint::Any => "query_any",
            EntryPoint::All => "query_all",
            EntryPoint::Points => "query_points",
            EntryPoint::Rays => "generate_rays",
        }
    }
}

/// A kernel in one of its ways, each of which is compiled by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Kernel {
    pub entry_point: EntryPoint,
    /// Whether rays may differ in what they may meet.
    pub is_filtered: bool,
    /// Whether solids are met where a ray begins in or on them.
    pub is_solid: bool,
}

impl Kernel {
    /// For rays that may meet everything, as surfaces.
    pub fn plain(entry_point: EntryPoint) -> Self {
        Self { entry_point, is_filtered: false, is_solid: false }
    }

    /// For a batch.
    pub fn of(entry_point: EntryPoint, batch: &Batch<'_>) -> Self {
        Self { entry_point, is_filtered: batch.is_filtered(), is_solid: batch.is_solid() }
    }
}

/// The kernels of a scene, with the layouts that their buffers are bound by. What is asked for most is compiled at
/// once, the others when they are first asked for.
#[derive(Debug)]
pub(super) struct Pipelines {
    variant: Variant,
    fault: Option<Fault>,
    layouts: Layouts,
    pub query_closest: wgpu::ComputePipeline,
    others: Mutex<HashMap<Kernel, wgpu::ComputePipeline>>,
}

/// Explicit ones: automatic ones cannot be shared between pipelines.
#[derive(Debug)]
struct Layouts {
    scene: wgpu::BindGroupLayout,
    query: wgpu::BindGroupLayout,
    camera: wgpu::BindGroupLayout,
}

impl Layouts {
    fn new(device: &wgpu::Device, variant: &Variant) -> Self {
        use Access::{Read, Texture, Uniform, Write};
        let records = match variant.record_storage {
            RecordStorage::Buffer => Read,
            RecordStorage::Texture => Texture,
        };
        let scene = match variant.layout {
            Layout::Binary => layout(device, "scene", &[records, Read, Read]),
            Layout::Wide => layout(device, "scene", &[records, Read]),
        };
        Self {
            scene,
            query: layout(device, "query", &[Read, Write, Read, Read, Write]),
            camera: layout(device, "camera", &[Uniform, Read, Write]),
        }
    }

    async fn compile(
        &self,
        gpu: &Gpu,
        module: &wgpu::ShaderModule,
        entry_point: EntryPoint,
    ) -> Result<wgpu::ComputePipeline, GpuError> {
        let own_layout = match entry_point {
            EntryPoint::Rays => &self.camera,
            _ => &self.query,
        };
        let entry_point = entry_point.entry_point();
        scoped(gpu, "a pipeline", || {
            let layout = gpu.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
                label: Some(entry_point),
                bind_group_layouts: &[Some(&self.scene), Some(own_layout)],
                immediate_size: 0,
            });
            gpu.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                label: Some(entry_point),
                layout: Some(&layout),
                module,
                entry_point: Some(entry_point),
                compilation_options: wgpu::PipelineCompilationOptions::default(),
                cache: None,
            })
        })
        .await
    }
}

impl Pipelines {
    /// For a scene.
    pub async fn new(gpu: &Gpu, variant: Variant, fault: Option<&Fault>) -> Result<Self, GpuError> {
        let text = shader::source(&variant, fault)?;
        let module = shader::compile(gpu, text, variant.files()).await?;
        let layouts = || Layouts::new(&gpu.device, &variant);
        let layouts = scoped(gpu, "the pipelines' layouts", layouts).await?;
        let query_closest = layouts.compile(gpu, &module, EntryPoint::Closest).await?;
        let fault = fault.copied();
        Ok(Self { variant, fault, layouts, query_closest, others: Mutex::default() })
    }

    /// A kernel of any kind.
    pub async fn kernel(
        &self,
        gpu: &Gpu,
        kernel: Kernel,
    ) -> Result<wgpu::ComputePipeline, GpuError> {
        if kernel == Kernel::plain(EntryPoint::Closest) {
            return Ok(self.query_closest.clone());
        }
        if let Some(pipeline) = lock(&self.others).get(&kernel) {
            return Ok(pipeline.clone());
        }
        let Kernel { entry_point, is_filtered, is_solid } = kernel;
        let variant = Variant { is_filtered, is_solid, ..self.variant.clone() };
        let text = shader::source(&variant, self.fault.as_ref())?;
        let module = shader::compile(gpu, text, variant.files()).await?;
        let pipeline = self.layouts.compile(gpu, &module, entry_point).await?;
        lock(&self.others).insert(kernel, pipeline.clone());
        Ok(pipeline)
    }

    /// Records, params and, of a binary tree, nodes.
    pub fn bind_scene(
        &self,
        device: &wgpu::Device,
        resources: &[wgpu::BindingResource<'_>],
    ) -> wgpu::BindGroup {
        bind(device, &self.layouts.scene, resources)
    }

    /// As many of the first rays and hits of two buffers as counted; what each ray may meet, where its crossings begin,
    /// and where they go, if that is asked.
    pub fn bind_query(
        &self,
        device: &wgpu::Device,
        [rays, hits]: [&wgpu::Buffer; 2],
        others: [&wgpu::Buffer; 3],
        counts: [u64; 2],
    ) -> wgpu::BindGroup {
        let batch = [first(rays, RAY_BYTES * counts[0]), first(hits, HIT_BYTES * counts[1])];
        let others = others.map(wgpu::Buffer::as_entire_binding);
        bind(device, &self.layouts.query, &[batch.as_slice(), &others].concat())
    }

    /// A view's numbers, those of a panoramic one's columns and rows, and where to put its `count` rays.
    pub fn bind_camera(
        &self,
        device: &wgpu::Device,
        [view, panorama, rays]: [&wgpu::Buffer; 3],
        count: u64,
    ) -> wgpu::BindGroup {
        bind(
            device,
            &self.layouts.camera,
            &[
                view.as_entire_binding(),
                panorama.as_entire_binding(),
                first(rays, RAY_BYTES * count),
            ],
        )
    }
}

/// How a kernel uses what is bound.
#[derive(Clone, Copy)]
pub(super) enum Access {
    Read,
    Write,
    Uniform,
    Texture,
}

impl Access {
    fn binding_type(self) -> wgpu::BindingType {
        let buffer = |ty| wgpu::BindingType::Buffer {
            ty,
            has_dynamic_offset: false,
            min_binding_size: None,
        };
        match self {
            Self::Read => buffer(wgpu::BufferBindingType::Storage { read_only: true }),
            Self::Write => buffer(wgpu::BufferBindingType::Storage { read_only: false }),
            Self::Uniform => buffer(wgpu::BufferBindingType::Uniform),
            Self::Texture => wgpu::BindingType::StorageTexture {
                access: wgpu::StorageTextureAccess::ReadOnly,
                format: wgpu::TextureFormat::Rgba32Uint,
                view_dimension: wgpu::TextureViewDimension::D2,
            },
        }
    }
}

/// Bindings from 0 on, one for each access.
pub(super) fn layout(
    device: &wgpu::Device,
    label: &str,
    bindings: &[Access],
) -> wgpu::BindGroupLayout {
    let entries: Vec<_> = (0..)
        .zip(bindings)
        .map(|(binding, &access)| wgpu::BindGroupLayoutEntry {
            binding,
            visibility: wgpu::ShaderStages::COMPUTE,
            ty: access.binding_type(),
            count: None,
        })
        .collect();
    device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
        label: Some(label),
        entries: &entries,
    })
}

/// What stands at those bindings.
pub(super) fn bind(
    device: &wgpu::Device,
    layout: &wgpu::BindGroupLayout,
    resources: &[wgpu::BindingResource<'_>],
) -> wgpu::BindGroup {
    let entries: Vec<_> = (0..)
        .zip(resources)
        .map(|(binding, resource)| wgpu::BindGroupEntry { binding, resource: resource.clone() })
        .collect();
    device.create_bind_group(&wgpu::BindGroupDescriptor { label: None, layout, entries: &entries })
}

/// The first `bytes` of a buffer, by which the shader knows the size of the batch.
fn first(buffer: &wgpu::Buffer, bytes: u64) -> wgpu::BindingResource<'_> {
    wgpu::BindingResource::Buffer(wgpu::BufferBinding {
        buffer,
        offset: 0,
        size: NonZeroU64::new(bytes),
    })
}
