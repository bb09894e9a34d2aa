//! Starts threads, one for each ray or point, as `shaders/threads.wgsl` counts them.

/// The number of threads of a workgroup.
pub(super) const WORKGROUP: u32 = 64;

/// Starts one thread for each of `count` rays or points, in rows of as many workgroups as a dispatch allows.
pub(super) fn dispatch(pass: &mut wgpu::ComputePass<'_>, limits: &wgpu::Limits, count: u64) {
    let groups = count.div_ceil(u64::from(WORKGROUP)) as u32;
    let across = groups.min(limits.max_compute_workgroups_per_dimension);
    pass.dispatch_workgroups(across, groups.div_ceil(across), 1);
}
