//! Binds buffers for kernels.

use super::hit::RAY_BYTES;
use std::num::NonZeroU64;

/// The way in which a kernel uses a resource.
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

/// Binds one resource after another from binding 0 on.
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

pub(super) fn first_rays(buffer: &wgpu::Buffer, count: u64) -> wgpu::BindingResource<'_> {
    first(buffer, RAY_BYTES * count)
}

/// Returns a binding of the first `bytes` of a buffer. The shader takes the size of the batch from
/// the binding's length.
pub(super) fn first(buffer: &wgpu::Buffer, bytes: u64) -> wgpu::BindingResource<'_> {
    part(buffer, 0, bytes)
}

pub(super) fn part(buffer: &wgpu::Buffer, offset: u64, bytes: u64) -> wgpu::BindingResource<'_> {
    let size = NonZeroU64::new(bytes);
    wgpu::BindingResource::Buffer(wgpu::BufferBinding { buffer, offset, size })
}
