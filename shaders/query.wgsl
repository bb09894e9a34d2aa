// One thread a ray: rays in, closest hits out.

struct Hit {
    // float32 bits, in the caller's units of t
    t: u32,
    part: u32,
}

@group(1) @binding(0) var<storage, read> rays: array<RayBits>;
@group(1) @binding(1) var<storage, read_write> hits: array<Hit>;

@compute @workgroup_size(WORKGROUP)
fn query_closest(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let index = thread_index(workgroup, workgroups, thread);
    if index >= arrayLength(&rays) || index >= arrayLength(&hits) {
        return;
    }
    let ray = ray_from(rays[index]);
    if !ray.valid {
        hits[index] = Hit(NAN_BITS, NONE);
        return;
    }
    let best = closest(ray);
    if best.part == NONE {
        hits[index] = Hit(INFINITY_BITS, NONE);
        return;
    }
    hits[index] = Hit(bitcast<u32>(best.t * ray.t_scale), best.part);
}
