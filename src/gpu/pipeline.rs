//! What a device compiles once for a scene: layouts, shader module, pipelines.

use super::stream::{HIT_BYTES, RAY_BYTES};
use super::{Fault, Gpu, GpuError, Reading, buffer::scoped, shader};
use crate::bvh::Layout;
use std::num::NonZeroU64;

/// Threads of a workgroup, one a ray.
pub(super) const WORKGROUP: u32 = 64;

/// The compiled kernels, with the layouts that their buffers are bound by.
#[derive(Debug)]
pub(super) struct Pipelines {
    scene_layout: wgpu::BindGroupLayout,
    query_layout: wgpu::BindGroupLayout,
    camera_layout: wgpu::BindGroupLayout,
    pub query_closest: wgpu::ComputePipeline,
    pub generate_rays: wgpu::ComputePipeline,
}

impl Pipelines {
    /// Compiles for a scene.
    pub async fn new(
        gpu: &Gpu,
        variant: shader::Variant<'_>,
        fault: Option<&Fault>,
    ) -> Result<Self, GpuError> {
        let text = shader::source(variant, fault)?;
        let module = shader::compile(gpu, text, variant.files()).await?;
        scoped(gpu, "the pipelines", || Self::compile(&gpu.device, &module, variant)).await
    }

    fn compile(
        device: &wgpu::Device,
        module: &wgpu::ShaderModule,
        variant: shader::Variant<'_>,
    ) -> Self {
        use Access::{Read, Texture, Uniform, Write};
        // Explicit layouts: automatic ones cannot be shared between pipelines.
        let slots = match variant.reading {
            Reading::Buffer => Read,
            Reading::Texture => Texture,
        };
        let scene_layout = match variant.layout {
            Layout::Binary => layout(device, "scene", &[slots, Read, Read]),
            Layout::Wide => layout(device, "scene", &[slots, Read]),
        };
        let query_layout = layout(device, "query", &[Read, Write]);
        let camera_layout = layout(device, "camera", &[Uniform, Read, Write]);
        let pipeline = |entry, own: &wgpu::BindGroupLayout| {
            device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                label: Some(entry),
                layout: Some(&device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
                    label: Some(entry),
                    bind_group_layouts: &[Some(&scene_layout), Some(own)],
                    immediate_size: 0,
                })),
                module,
                entry_point: Some(entry),
                compilation_options: wgpu::PipelineCompilationOptions::default(),
                cache: None,
            })
        };
        Self {
            query_closest: pipeline("query_closest", &query_layout),
            generate_rays: pipeline("generate_rays", &camera_layout),
            scene_layout,
            query_layout,
            camera_layout,
        }
    }

    /// Slots, words and, of a binary tree, nodes.
    pub fn bind_scene(
        &self,
        device: &wgpu::Device,
        resources: &[wgpu::BindingResource<'_>],
    ) -> wgpu::BindGroup {
        bind(device, &self.scene_layout, resources)
    }

    /// The first `count` rays and hits of two buffers.
    pub fn bind_query(
        &self,
        device: &wgpu::Device,
        [rays, hits]: [&wgpu::Buffer; 2],
        count: u64,
    ) -> wgpu::BindGroup {
        bind(
            device,
            &self.query_layout,
            &[first(rays, RAY_BYTES * count), first(hits, HIT_BYTES * count)],
        )
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
            &self.camera_layout,
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
