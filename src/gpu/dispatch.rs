//! Chooses how many workgroups a kernel runs in, and starts them.

use super::device::Gpu;
use super::kernel_variant::KernelVariant;

pub(super) const WORKGROUP: u32 = 64;

/// Returns how many workgroups have one thread for each of `count` rays or points.
pub(super) fn one_thread_each(count: u64) -> u64 {
    count.div_ceil(WORKGROUP.into())
}

/// Returns how many workgroups answer the rays of a query. Coherent rays, which go the way of the
/// rays before them, have a thread each.
pub(super) fn workgroups_of_query(gpu: &Gpu, count: u64, are_coherent: bool) -> u64 {
    match gpu.kernel_variant {
        KernelVariant::Hardware if !are_coherent => {
            sharing(gpu.device.adapter_info().device_type, count)
        }
        _ => one_thread_each(count),
    }
}

/// Returns among how many workgroups the kernels for hardware divide `count` rays: as few as leave
/// each thread several rays, and at least as many as keep the device busy.
fn sharing(device_type: wgpu::DeviceType, count: u64) -> u64 {
    // With more rays a thread, hardly fewer threads would wait for the last rays of their
    // workgroup.
    const ENOUGH: u64 = 16;
    // The threads that the largest devices of a type run at once, and the most rays that one of
    // them answers.
    let [busy_threads, rays_per_thread] = match device_type {
        // Mesa's software driver ends all loops of a thread after 65,535 iterations, which its rays
        // share. So a thread gets few, and only in a large batch; shaders/device/hardware.wgsl
        // counts on this number where it gives them up.
        wgpu::DeviceType::Cpu => [1 << 14, 4],
        wgpu::DeviceType::IntegratedGpu => [1 << 14, ENOUGH],
        _ => [1 << 17, ENOUGH],
    };
    let most = one_thread_each(count);
    most.div_ceil(rays_per_thread).max(most.min(one_thread_each(busy_threads)))
}

/// Records one pass of a kernel in this many workgroups, in rows of as many as a dispatch allows.
pub(super) fn record_pass(
    gpu: &Gpu,
    encoder: &mut wgpu::CommandEncoder,
    (kernel, groups): (&wgpu::ComputePipeline, &[&wgpu::BindGroup]),
    workgroups: u64,
    timestamp_writes: Option<wgpu::ComputePassTimestampWrites<'_>>,
) {
    let mut pass =
        encoder.begin_compute_pass(&wgpu::ComputePassDescriptor { label: None, timestamp_writes });
    pass.set_pipeline(kernel);
    for (index, group) in (0..).zip(groups) {
        pass.set_bind_group(index, *group, &[]);
    }
    let workgroups = workgroups as u32;
    let most = gpu.device.limits().max_compute_workgroups_per_dimension;
    let across = workgroups.clamp(1, most);
    pass.dispatch_workgroups(across, workgroups.div_ceil(across), 1);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_share_rays_once_the_device_is_busy() {
        for (device_type, count, workgroups) in [
            (wgpu::DeviceType::DiscreteGpu, 1, 1),
            (wgpu::DeviceType::DiscreteGpu, 1 << 17, 2048),
            (wgpu::DeviceType::DiscreteGpu, 1 << 18, 2048),
            (wgpu::DeviceType::DiscreteGpu, 1 << 22, 4096),
            (wgpu::DeviceType::IntegratedGpu, 1 << 17, 256),
            (wgpu::DeviceType::IntegratedGpu, (1 << 20) + 1, 1025),
            (wgpu::DeviceType::Cpu, 40_000, 256),
        ] {
            assert_eq!(sharing(device_type, count), workgroups, "{device_type:?}, {count} rays");
        }
    }
}
