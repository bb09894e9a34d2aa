//! A packed scene on a device: its slots, its words, and the nodes of a binary tree.

use super::pipeline::Pipelines;
use super::{Gpu, GpuError, Reading, buffer, buffer::scoped};
use crate::bvh::{Layout, Slot};
use crate::packed::Packed;
use wgpu::{BindingResource, TextureUsages};

const SLOT_BYTES: u64 = size_of::<Slot>() as u64;

/// How many slots lie in a row of the texture.
pub(super) const SLOTS_PER_ROW: u32 = 1024;

/// Numbers of 16 bytes, of which a slot has four.
const TEXELS: u32 = (SLOT_BYTES / 16) as u32;

/// How many rows are written at once: the host keeps a copy of what is under way.
const ROWS_AT_ONCE: usize = 256;

/// Uploads a scene and binds it for the kernels.
pub(super) async fn bind(
    gpu: &Gpu,
    pipelines: &Pipelines,
    packed: &Packed,
) -> Result<wgpu::BindGroup, GpuError> {
    let tree = &packed.tree;
    let slots = match gpu.reading {
        Reading::Buffer => {
            let bytes = bytemuck::cast_slice(tree.slots());
            Slots::Buffer(buffer::upload(gpu, "the shapes", bytes).await?)
        }
        Reading::Texture => Slots::Texture(upload_texture(gpu, tree.slots()).await?),
    };
    let words = buffer::upload(gpu, "the heights", bytemuck::cast_slice(&packed.words)).await?;
    let nodes = match tree.layout() {
        Layout::Binary => {
            Some(buffer::upload(gpu, "the tree", bytemuck::cast_slice(tree.pairs())).await?)
        }
        Layout::Wide => None,
    };
    scoped(gpu, "the scene's bindings", || {
        let slots = match &slots {
            Slots::Buffer(buffer) => buffer.as_entire_binding(),
            Slots::Texture(view) => BindingResource::TextureView(view),
        };
        let beside = [Some(&words), nodes.as_ref()].into_iter().flatten();
        let resources: Vec<_> =
            [slots].into_iter().chain(beside.map(wgpu::Buffer::as_entire_binding)).collect();
        pipelines.bind_scene(&gpu.device, &resources)
    })
    .await
}

enum Slots {
    Buffer(wgpu::Buffer),
    Texture(wgpu::TextureView),
}

async fn upload_texture(gpu: &Gpu, slots: &[Slot]) -> Result<wgpu::TextureView, GpuError> {
    let what = "the shapes";
    let row = SLOTS_PER_ROW as usize;
    let rows = slots.len().div_ceil(row).max(1) as u64;
    let allowed = gpu.device.limits().max_texture_dimension_2d;
    let row_bytes = u64::from(SLOTS_PER_ROW) * SLOT_BYTES;
    if rows > u64::from(allowed) {
        return Err(GpuError::TooLarge {
            what,
            needed: rows * row_bytes,
            allowed: u64::from(allowed) * row_bytes,
            device: gpu.name.clone(),
        });
    }
    let size = |slots: usize, rows: u32| wgpu::Extent3d {
        width: slots as u32 * TEXELS,
        height: rows,
        depth_or_array_layers: 1,
    };
    let texture = scoped(gpu, what, || {
        gpu.device.create_texture(&wgpu::TextureDescriptor {
            label: Some(what),
            size: size(row, rows as u32),
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format: wgpu::TextureFormat::Rgba32Uint,
            usage: TextureUsages::STORAGE_BINDING | TextureUsages::COPY_DST,
            view_formats: &[],
        })
    })
    .await?;
    let write = |first_row: usize, slots: &[Slot], extent| {
        let target = wgpu::TexelCopyTextureInfo {
            origin: wgpu::Origin3d { x: 0, y: first_row as u32, z: 0 },
            ..texture.as_image_copy()
        };
        let layout = wgpu::TexelCopyBufferLayout {
            bytes_per_row: Some(row_bytes as u32),
            ..Default::default()
        };
        gpu.queue.write_texture(target, bytemuck::cast_slice(slots), layout, extent);
        gpu.queue.submit([]);
    };
    let (whole, rest) = slots.split_at(slots.len() / row * row);
    for (turn, some) in whole.chunks(ROWS_AT_ONCE * row).enumerate() {
        let extent = size(row, (some.len() / row) as u32);
        scoped(gpu, what, || write(turn * ROWS_AT_ONCE, some, extent)).await?;
    }
    if !rest.is_empty() {
        scoped(gpu, what, || write(whole.len() / row, rest, size(rest.len(), 1))).await?;
    }
    Ok(texture.create_view(&wgpu::TextureViewDescriptor::default()))
}
