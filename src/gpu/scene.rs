//! Uploads a packed scene: its records, its params, its header, and the nodes of a binary tree.

use super::bindings;
use super::buffer::{self, scoped};
use super::device::Gpu;
use super::error::GpuError;
use super::header::SceneHeader;
use super::pipeline_cache::GroupLayout;
use super::pipelines::group_layout;
use super::record_storage::{RECORD_BYTES, RECORDS_PER_ROW, RecordStorage, TEXELS_PER_RECORD};
use crate::bvh::{Layout, Record};
use crate::packed::PackedScene;
use wgpu::{BindingResource, BufferUsages, TextureUsages};

const ROW_BYTES: u64 = RECORDS_PER_ROW as u64 * RECORD_BYTES;

const SHAPES: &str = "the shapes";
const HEIGHTS: &str = "the heights";
const TREE: &str = "the tree";

/// How many rows are written at once: the host keeps a copy of what is under way.
const ROWS_AT_ONCE: usize = 256;

/// An error where some of a scene does not fit the device.
pub(super) fn check_size(gpu: &Gpu, packed: &PackedScene) -> Result<(), GpuError> {
    let tree = &packed.tree;
    let check = |what, bytes: &[u8]| {
        buffer::check_size(gpu, what, bytes.len() as u64, BufferUsages::STORAGE)
    };
    match gpu.record_storage {
        RecordStorage::Buffer => check(SHAPES, bytemuck::cast_slice(tree.records()))?,
        RecordStorage::Texture => {
            let (rows, allowed) =
                (rows(tree.records()), gpu.device.limits().max_texture_dimension_2d);
            if rows > u64::from(allowed) {
                return Err(GpuError::TooLarge {
                    what: SHAPES,
                    needed: rows * ROW_BYTES,
                    allowed: u64::from(allowed) * ROW_BYTES,
                    device: gpu.name().to_owned(),
                });
            }
        }
    }
    check(HEIGHTS, bytemuck::cast_slice(&packed.params))?;
    match tree.layout() {
        Layout::Binary => check(TREE, bytemuck::cast_slice(tree.pairs())),
        Layout::Wide => Ok(()),
    }
}

/// How many rows of the texture records take.
fn rows(records: &[Record]) -> u64 {
    records.len().div_ceil(RECORDS_PER_ROW as usize).max(1) as u64
}

/// Uploads a scene, which fits the device, and binds it for the kernels.
pub(super) async fn upload(gpu: &Gpu, packed: &PackedScene) -> Result<wgpu::BindGroup, GpuError> {
    let tree = &packed.tree;
    let records = match gpu.record_storage {
        RecordStorage::Buffer => {
            let bytes = bytemuck::cast_slice(tree.records());
            Records::Buffer(buffer::upload(gpu, SHAPES, bytes).await?)
        }
        RecordStorage::Texture => Records::Texture(upload_texture(gpu, tree.records()).await?),
    };
    let params = buffer::upload(gpu, HEIGHTS, bytemuck::cast_slice(&packed.params)).await?;
    let header = SceneHeader::of(packed);
    let header = bytemuck::bytes_of(&header);
    let header = buffer::upload_with(gpu, "the header", header, BufferUsages::UNIFORM).await?;
    let nodes = match tree.layout() {
        Layout::Binary => {
            Some(buffer::upload(gpu, TREE, bytemuck::cast_slice(tree.pairs())).await?)
        }
        Layout::Wide => None,
    };
    let layout = group_layout(gpu, GroupLayout::Scene(gpu.record_storage, tree.layout())).await?;
    scoped(gpu, "the scene's bindings", || {
        let records = match &records {
            Records::Buffer(buffer) => buffer.as_entire_binding(),
            Records::Texture(view) => BindingResource::TextureView(view),
        };
        let beside = [Some(&params), Some(&header), nodes.as_ref()].into_iter().flatten();
        let resources: Vec<_> =
            [records].into_iter().chain(beside.map(wgpu::Buffer::as_entire_binding)).collect();
        bindings::bind(&gpu.device, &layout, &resources)
    })
    .await
}

enum Records {
    Buffer(wgpu::Buffer),
    Texture(wgpu::TextureView),
}

async fn upload_texture(gpu: &Gpu, records: &[Record]) -> Result<wgpu::TextureView, GpuError> {
    let row = RECORDS_PER_ROW as usize;
    let size = |records: usize, rows: u32| wgpu::Extent3d {
        width: records as u32 * TEXELS_PER_RECORD,
        height: rows,
        depth_or_array_layers: 1,
    };
    let texture = scoped(gpu, SHAPES, || {
        gpu.device.create_texture(&wgpu::TextureDescriptor {
            label: Some(SHAPES),
            size: size(row, rows(records) as u32),
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format: wgpu::TextureFormat::Rgba32Uint,
            usage: TextureUsages::STORAGE_BINDING | TextureUsages::COPY_DST,
            view_formats: &[],
        })
    })
    .await?;
    let write = |first_row: usize, records: &[Record], extent| {
        let target = wgpu::TexelCopyTextureInfo {
            origin: wgpu::Origin3d { x: 0, y: first_row as u32, z: 0 },
            ..texture.as_image_copy()
        };
        let layout = wgpu::TexelCopyBufferLayout {
            bytes_per_row: Some(ROW_BYTES as u32),
            ..Default::default()
        };
        gpu.queue.write_texture(target, bytemuck::cast_slice(records), layout, extent);
        gpu.queue.submit([]);
    };
    let (whole, rest) = records.split_at(records.len() / row * row);
    for (turn, some) in whole.chunks(ROWS_AT_ONCE * row).enumerate() {
        let extent = size(row, (some.len() / row) as u32);
        scoped(gpu, SHAPES, || write(turn * ROWS_AT_ONCE, some, extent)).await?;
    }
    if !rest.is_empty() {
        scoped(gpu, SHAPES, || write(whole.len() / row, rest, size(rest.len(), 1))).await?;
    }
    scoped(gpu, SHAPES, || texture.create_view(&wgpu::TextureViewDescriptor::default())).await
}
