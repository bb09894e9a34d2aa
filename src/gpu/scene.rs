//! A packed scene on a device: its slots, its words, and the nodes of a binary tree.

use super::pipeline::Pipelines;
use super::{Gpu, GpuError, Reading, buffer, buffer::scoped};
use crate::bvh::{Layout, Slot};
use crate::packed::Packed;
use wgpu::{BindingResource, BufferUsages, TextureUsages};

const SLOT_BYTES: u64 = size_of::<Slot>() as u64;

/// How many slots lie in a row of the texture.
pub(super) const SLOTS_PER_ROW: u32 = 1024;

/// Numbers of 16 bytes, of which a slot has four.
const TEXELS: u32 = (SLOT_BYTES / 16) as u32;

const ROW_BYTES: u64 = SLOTS_PER_ROW as u64 * SLOT_BYTES;

const SHAPES: &str = "the shapes";
const HEIGHTS: &str = "the heights";
const TREE: &str = "the tree";

/// How many rows are written at once: the host keeps a copy of what is under way.
const ROWS_AT_ONCE: usize = 256;

/// Whether a row of slots fits a texture of the device.
pub(super) fn fits_rows(limits: &wgpu::Limits) -> bool {
    limits.max_texture_dimension_2d >= SLOTS_PER_ROW * TEXELS
}

/// An error where some of a scene does not fit the device.
pub(super) fn check_size(gpu: &Gpu, packed: &Packed) -> Result<(), GpuError> {
    let tree = &packed.tree;
    let check = |what, bytes: &[u8]| {
        buffer::check_size(gpu, what, bytes.len() as u64, BufferUsages::STORAGE)
    };
    match gpu.reading {
        Reading::Buffer => check(SHAPES, bytemuck::cast_slice(tree.slots()))?,
        Reading::Texture => {
            let (rows, allowed) =
                (rows(tree.slots()), gpu.device.limits().max_texture_dimension_2d);
            if rows > u64::from(allowed) {
                return Err(GpuError::TooLarge {
                    what: SHAPES,
                    needed: rows * ROW_BYTES,
                    allowed: u64::from(allowed) * ROW_BYTES,
                    device: gpu.name.clone(),
                });
            }
        }
    }
    check(HEIGHTS, bytemuck::cast_slice(&packed.words))?;
    match tree.layout() {
        Layout::Binary => check(TREE, bytemuck::cast_slice(tree.pairs())),
        Layout::Wide => Ok(()),
    }
}

/// How many rows of the texture slots take.
fn rows(slots: &[Slot]) -> u64 {
    slots.len().div_ceil(SLOTS_PER_ROW as usize).max(1) as u64
}

/// Uploads a scene, which fits the device, and binds it for the kernels.
pub(super) async fn bind(
    gpu: &Gpu,
    pipelines: &Pipelines,
    packed: &Packed,
) -> Result<wgpu::BindGroup, GpuError> {
    let tree = &packed.tree;
    let slots = match gpu.reading {
        Reading::Buffer => {
            let bytes = bytemuck::cast_slice(tree.slots());
            Slots::Buffer(buffer::upload(gpu, SHAPES, bytes).await?)
        }
        Reading::Texture => Slots::Texture(upload_texture(gpu, tree.slots()).await?),
    };
    let words = buffer::upload(gpu, HEIGHTS, bytemuck::cast_slice(&packed.words)).await?;
    let nodes = match tree.layout() {
        Layout::Binary => {
            Some(buffer::upload(gpu, TREE, bytemuck::cast_slice(tree.pairs())).await?)
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
    let row = SLOTS_PER_ROW as usize;
    let size = |slots: usize, rows: u32| wgpu::Extent3d {
        width: slots as u32 * TEXELS,
        height: rows,
        depth_or_array_layers: 1,
    };
    let texture = scoped(gpu, SHAPES, || {
        gpu.device.create_texture(&wgpu::TextureDescriptor {
            label: Some(SHAPES),
            size: size(row, rows(slots) as u32),
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
            bytes_per_row: Some(ROW_BYTES as u32),
            ..Default::default()
        };
        gpu.queue.write_texture(target, bytemuck::cast_slice(slots), layout, extent);
        gpu.queue.submit([]);
    };
    let (whole, rest) = slots.split_at(slots.len() / row * row);
    for (turn, some) in whole.chunks(ROWS_AT_ONCE * row).enumerate() {
        let extent = size(row, (some.len() / row) as u32);
        scoped(gpu, SHAPES, || write(turn * ROWS_AT_ONCE, some, extent)).await?;
    }
    if !rest.is_empty() {
        scoped(gpu, SHAPES, || write(whole.len() / row, rest, size(rest.len(), 1))).await?;
    }
    scoped(gpu, SHAPES, || texture.create_view(&wgpu::TextureViewDescriptor::default())).await
}
