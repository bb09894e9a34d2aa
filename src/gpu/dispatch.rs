//! Chooses how many workgroups a kernel runs in, and starts them.

use super::device::Gpu;
use super::kernel_variant::KernelVariant;

/// The number of threads of a workgroup.
pub(super) const WORKGROUP: u32 = 64;

/// The most rays that each thread answers in turn. More would gain little, because then few threads are idle already.
const RAYS_PER_THREAD: u64 = 16;

/// Returns how many workgroups have one thread for each of `count` rays or points.
pub(super) fn one_thread_each(count: u64) -> u64 {
    count.div_ceil(WORKGROUP.into())
}

/// Returns how many workgroups answer the rays of a query. The kernels for hardware divide them evenly among so many
/// workgroups, but no device runs fewer than it needs to be busy.
pub(super) fn workgroups_of_query(gpu: &Gpu, count: u64) -> u64 {
    let most = one_thread_each(count);
    match gpu.kernel_variant {
        KernelVariant::Software => most,
        KernelVariant::Hardware => {
            let busy = busy_threads(gpu.device.adapter_info().device_type);
            most.div_ceil(RAYS_PER_THREAD).max(most.min(one_thread_each(busy)))
        }
    }
}

/// Returns about how many threads the largest device of a type runs at once.
fn busy_threads(device_type: wgpu::DeviceType) -> u64 {
    match device_type {
        wgpu::DeviceType::Cpu => 1 << 9,
        wgpu::DeviceType::IntegratedGpu => 1 << 14,
        _ => 1 << 17,
    }
}

/// Starts workgroups, in rows of as many as a dispatch allows.
pub(super) fn dispatch(pass: &mut wgpu::ComputePass<'_>, limits: &wgpu::Limits, workgroups: u64) {
    let workgroups = workgroups as u32;
    let across = workgroups.min(limits.max_compute_workgroups_per_dimension);
    pass.dispatch_workgroups(across, workgroups.div_ceil(across), 1);
}
