//! Runs a kernel that makes one answer from the elements of two arrays at the same index.

use super::bindings::bind;
use super::buffer::{self, scoped};
use super::device::Gpu;
use super::dispatch::{one_thread_each, record_pass};
use super::pipeline_cache::GroupLayout;
use super::pipelines::group_layout;
use crate::gpu_error::GpuError;
use bytemuck::Pod;
use wgpu::BufferUsages;

/// The sentinel that answers hold before a kernel runs, so that an answer that was never written
/// cannot pass for one: it is no flag, and as a number it is a NaN that no kernel makes.
const NEVER: u32 = 0x7fc0_dead;

/// Returns the kernel's answer to each of `count` elements.
///
/// # Errors
/// [`GpuError::Unanswered`] with the first index that has no answer, and what a device that fails
/// reports.
pub(super) async fn map<A: Pod>(
    gpu: &Gpu,
    kernel: &wgpu::ComputePipeline,
    arrays: [&[u8]; 2],
    count: usize,
) -> Result<Vec<A>, GpuError> {
    let unwritten = vec![NEVER; count * size_of::<A>() / size_of_val(&NEVER)];
    let bytes = size_of_val(unwritten.as_slice()) as u64;
    let first = buffer::upload(gpu, "the first operands", arrays[0]).await?;
    let second = buffer::upload(gpu, "the second operands", arrays[1]).await?;
    let usage = BufferUsages::STORAGE | BufferUsages::COPY_SRC;
    let unwritten = bytemuck::cast_slice(&unwritten);
    let answers = buffer::upload_with(gpu, "the answers", unwritten, usage).await?;
    let read_back = BufferUsages::MAP_READ | BufferUsages::COPY_DST;
    let staging = buffer::create(gpu, "the staging buffer", bytes, read_back).await?;
    let layout = group_layout(gpu, GroupLayout::Elementwise).await?;

    let (submission, mapped) = scoped(gpu, "a batch of elements", || {
        let bound = [&first, &second, &answers].map(wgpu::Buffer::as_entire_binding);
        let bound = bind(&gpu.device, &layout, &bound);
        let mut encoder = gpu.device.create_command_encoder(&Default::default());
        let workgroups = one_thread_each(count as u64);
        record_pass(gpu, &mut encoder, (kernel, &[&bound]), workgroups, None);
        encoder.copy_buffer_to_buffer(&answers, 0, &staging, 0, bytes);
        let submission = gpu.queue.submit([encoder.finish()]);
        (submission, buffer::map(&staging, wgpu::MapMode::Read, bytes))
    })
    .await?;
    buffer::wait(gpu, submission, vec![mapped]).await?;
    let view = staging.slice(..).get_mapped_range();
    let view = view.map_err(|reason| GpuError::Lost(reason.to_string()))?;
    let mut read = vec![A::zeroed(); count];
    bytemuck::cast_slice_mut(&mut read).copy_from_slice(&view);
    let is_missing =
        |answer: &A| bytemuck::cast_slice(std::slice::from_ref(answer)).contains(&NEVER);
    match read.iter().position(is_missing) {
        Some(index) => Err(GpuError::Unanswered(index)),
        None => Ok(read),
    }
}
