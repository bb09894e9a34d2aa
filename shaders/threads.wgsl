// Which thread does what: one a ray, or a point.

const WORKGROUP: u32 = 64u;

// Batches larger than one row of workgroups take more rows.
fn thread_index(workgroup: vec3<u32>, workgroups: vec3<u32>, thread: u32) -> u32 {
    return (workgroup.y * workgroups.x + workgroup.x) * WORKGROUP + thread;
}
