//! Uploads a packed scene: its records, its params and its header.

use super::bindings;
use super::buffer::{self, scoped};
use super::device::Gpu;
use super::fault_site::RecordFault;
use super::header::SceneHeader;
use super::kernel_variant::KernelVariant;
use super::part::ScenePart;
use super::pipeline_cache::GroupLayout;
use super::pipelines::group_layout;
use super::record_texture::{RECORD_BYTES, RECORDS_PER_ROW, TEXELS_PER_RECORD};
use crate::gpu_error::GpuError;
use crate::packed::{INSTANCE_ROWS, PackedScene, Record};
use std::ops::Range;
use wgpu::{BindingResource, BufferUsages, TextureUsages};

const ROW_BYTES: u64 = RECORDS_PER_ROW as u64 * RECORD_BYTES;

const SHAPES: &str = "the shapes";
const PARAMS: &str = "the heights and instances";

/// How many records are written at a time. The host holds a copy of only these.
const RECORDS_AT_ONCE: usize = 256 * RECORDS_PER_ROW as usize;

/// Refuses a scene that does not fit the device.
pub(super) fn check_size(gpu: &Gpu, packed: &PackedScene) -> Result<(), GpuError> {
    let check = |what, bytes: u64| buffer::check_size(gpu, what, bytes, BufferUsages::STORAGE);
    match gpu.kernel_variant {
        KernelVariant::Hardware => check(SHAPES, packed.record_count() as u64 * RECORD_BYTES)?,
        KernelVariant::Software => {
            let rows = rows(packed.record_count());
            let allowed = gpu.device.limits().max_texture_dimension_2d;
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
    check(PARAMS, packed.params_bytes())
}

/// Returns how many rows of the texture this many records need.
fn rows(records: usize) -> u64 {
    records.div_ceil(RECORDS_PER_ROW as usize).max(1) as u64
}

/// A scene's buffers, as kernels bind them.
#[derive(Debug)]
pub(super) struct SceneBuffers {
    pub bind_group: wgpu::BindGroup,
    records: Records,
    params: wgpu::Buffer,
    header: SceneHeader,
}

/// Uploads a scene that fits the device, with a fault of its records if one is given, and binds it
/// for the kernels.
pub(super) async fn upload(
    gpu: &Gpu,
    packed: &PackedScene,
    fault: Option<RecordFault>,
) -> Result<SceneBuffers, GpuError> {
    let records = match gpu.kernel_variant {
        KernelVariant::Hardware => Records::Buffer(upload_buffer(gpu, packed, fault).await?),
        KernelVariant::Software => upload_texture(gpu, packed, fault).await?,
    };
    let params = buffer::upload(gpu, PARAMS, bytemuck::cast_slice(&packed.params())).await?;
    bind(gpu, records, params, SceneHeader::new(packed)).await
}

async fn bind(
    gpu: &Gpu,
    records: Records,
    params: wgpu::Buffer,
    header: SceneHeader,
) -> Result<SceneBuffers, GpuError> {
    let header_bytes = bytemuck::bytes_of(&header);
    let header_buffer =
        buffer::upload_with(gpu, "the header", header_bytes, BufferUsages::UNIFORM).await?;
    let layout = group_layout(gpu, GroupLayout::Scene(gpu.kernel_variant)).await?;
    let bind_group = scoped(gpu, "the scene's bindings", || {
        let records = match &records {
            Records::Buffer(buffer) => buffer.as_entire_binding(),
            Records::Texture(_, view) => BindingResource::TextureView(view),
        };
        let [params, header] = [&params, &header_buffer].map(wgpu::Buffer::as_entire_binding);
        bindings::bind(&gpu.device, &layout, &[records, params, header])
    })
    .await?;
    Ok(SceneBuffers { bind_group, records, params, header })
}

#[derive(Clone, Debug)]
enum Records {
    Buffer(wgpu::Buffer),
    Texture(wgpu::Texture, wgpu::TextureView),
}

impl Records {
    /// Writes some records, which lie in one row of a texture.
    fn write(&self, gpu: &Gpu, first: usize, records: &[Record]) {
        let bytes = bytemuck::cast_slice(records);
        match self {
            Self::Buffer(buffer) => {
                gpu.queue.write_buffer(buffer, first as u64 * RECORD_BYTES, bytes);
            }
            Self::Texture(texture, _) => {
                let row = RECORDS_PER_ROW as usize;
                let origin = wgpu::Origin3d {
                    x: (first % row) as u32 * TEXELS_PER_RECORD,
                    y: (first / row) as u32,
                    z: 0,
                };
                let target = wgpu::TexelCopyTextureInfo { origin, ..texture.as_image_copy() };
                let layout = wgpu::TexelCopyBufferLayout {
                    bytes_per_row: Some(ROW_BYTES as u32),
                    ..Default::default()
                };
                gpu.queue.write_texture(target, bytes, layout, extent(records.len(), 1));
            }
        }
    }
}

/// Two records to write with fewer others than this between them are written at once.
const GAP: u32 = 16;

impl SceneBuffers {
    /// Binds the same buffers for kernels that traverse a part of the scene.
    pub async fn confined_to(&self, gpu: &Gpu, part: &ScenePart) -> Result<Self, GpuError> {
        let header = self.header.confined_to(part);
        bind(gpu, self.records.clone(), self.params.clone(), header).await
    }

    /// Uploads what an update changed: the records of nodes and instances, and the params of
    /// instances.
    pub async fn update(
        &self,
        gpu: &Gpu,
        packed: &PackedScene,
        records: Vec<u32>,
        instances: Vec<u32>,
    ) -> Result<(), GpuError> {
        let records = runs(records, RECORDS_PER_ROW);
        let instances = runs(instances, u32::MAX);
        let row_bytes = (INSTANCE_ROWS * size_of::<[u32; 4]>()) as u64;
        scoped(gpu, SHAPES, || {
            for run in records {
                let changed = packed.records(run.start as usize..run.end as usize);
                self.records.write(gpu, run.start as usize, &changed);
            }
            for run in instances {
                let rows: Vec<_> = run.clone().map(|index| packed.rows_of(index)).collect();
                let offset = u64::from(run.start) * row_bytes;
                gpu.queue.write_buffer(&self.params, offset, bytemuck::cast_slice(&rows));
            }
            gpu.queue.submit([]);
        })
        .await
    }
}

/// Returns ranges that hold all the numbers and few others. None of them crosses a multiple of
/// `row`.
fn runs(mut numbers: Vec<u32>, row: u32) -> Vec<Range<u32>> {
    numbers.sort_unstable();
    let mut runs: Vec<Range<u32>> = Vec::new();
    for number in numbers {
        match runs.last_mut() {
            Some(run) if number < run.end + GAP && number / row == run.start / row => {
                run.end = run.end.max(number + 1);
            }
            _ => runs.push(number..number + 1),
        }
    }
    runs
}

/// Returns the extent of this many records in a row, and of this many rows, of the texture.
fn extent(records: usize, rows: u32) -> wgpu::Extent3d {
    wgpu::Extent3d {
        width: records as u32 * TEXELS_PER_RECORD,
        height: rows,
        depth_or_array_layers: 1,
    }
}

/// The ranges of records that are written at a time.
fn pieces(packed: &PackedScene) -> impl Iterator<Item = Range<usize>> {
    let count = packed.record_count();
    (0..count).step_by(RECORDS_AT_ONCE).map(move |first| first..count.min(first + RECORDS_AT_ONCE))
}

async fn upload_buffer(
    gpu: &Gpu,
    packed: &PackedScene,
    fault: Option<RecordFault>,
) -> Result<wgpu::Buffer, GpuError> {
    // A binding must not be empty, even if the scene is.
    let bytes = packed.record_count().max(1) as u64 * RECORD_BYTES;
    let usage = BufferUsages::STORAGE | BufferUsages::COPY_DST;
    let buffer = buffer::create(gpu, SHAPES, bytes, usage).await?;
    for piece in pieces(packed) {
        let offset = piece.start as u64 * RECORD_BYTES;
        let records = packed.records_with(piece, fault);
        scoped(gpu, SHAPES, || {
            gpu.queue.write_buffer(&buffer, offset, bytemuck::cast_slice(&records));
            gpu.queue.submit([]);
        })
        .await?;
    }
    Ok(buffer)
}

async fn upload_texture(
    gpu: &Gpu,
    packed: &PackedScene,
    fault: Option<RecordFault>,
) -> Result<Records, GpuError> {
    let row = RECORDS_PER_ROW as usize;
    let texture = scoped(gpu, SHAPES, || {
        gpu.device.create_texture(&wgpu::TextureDescriptor {
            label: Some(SHAPES),
            size: extent(row, rows(packed.record_count()) as u32),
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format: wgpu::TextureFormat::Rgba32Uint,
            usage: TextureUsages::STORAGE_BINDING | TextureUsages::COPY_DST,
            view_formats: &[],
        })
    })
    .await?;
    let write = |first_row: usize, records: &[Record], extent: wgpu::Extent3d| {
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
    for piece in pieces(packed) {
        // Each piece begins at the start of a row; the last one may end within a row.
        let first_row = piece.start / row;
        let records = packed.records_with(piece, fault);
        let (whole, rest) = records.split_at(records.len() / row * row);
        let whole_rows = whole.len() / row;
        scoped(gpu, SHAPES, || {
            if !whole.is_empty() {
                write(first_row, whole, extent(row, whole_rows as u32));
            }
            if !rest.is_empty() {
                write(first_row + whole_rows, rest, extent(rest.len(), 1));
            }
        })
        .await?;
    }
    let view = scoped(gpu, SHAPES, || texture.create_view(&wgpu::TextureViewDescriptor::default()))
        .await?;
    Ok(Records::Texture(texture, view))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_hold_all_numbers_and_cross_no_row() {
        assert_eq!(runs(vec![3, 1, 40, 5, 41], 1024), [1..6, 40..42]);
        assert_eq!(runs(vec![1022, 1025, 1023], 1024), [1022..1024, 1025..1026]);
        assert!(runs(Vec::new(), 1024).is_empty());
    }
}
