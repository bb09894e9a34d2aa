// Answers a ray with one thread: rays in, hits out. The constant IS_SOLID is printed into the module; if it is true, a
// ray that begins in or on a solid hits the solid there.

struct Hit {
    // float32 bits, in the caller's units of t
    t: u32,
    primitive: u32,
}

@group(1) @binding(0) var<storage, read> rays: array<RayBits>;
@group(1) @binding(1) var<storage, read_write> hits: array<Hit>;
// Read only if IS_FILTERED.
@group(1) @binding(2) var<storage, read> ray_filters: array<RayFilter>;

fn is_in_batch(index: u32) -> bool {
    return index < arrayLength(&rays) && index < arrayLength(&hits)
        && (!IS_FILTERED || index < arrayLength(&ray_filters));
}

// Returns the ray of a thread and sets its filter.
fn filtered_ray(index: u32) -> Ray {
    if IS_FILTERED {
        ray_filter = ray_filters[index];
    }
    return ray_from(rays[index]);
}

fn hit_of(index: u32, query_kind: u32) -> Hit {
    let ray = filtered_ray(index);
    if !ray.valid {
        return Hit(NAN_BITS, NONE);
    }
    if IS_SOLID && is_finite(rays[index].t_min) {
        let lowest = lowest_container(ray);
        if lowest != NONE {
            return Hit(rays[index].t_min, lowest);
        }
    }
    let best = traverse_scene(ray, query_kind);
    if best.primitive == NONE {
        return Hit(INFINITY_BITS, NONE);
    }
    return Hit(bitcast<u32>(best.t * ray.t_scale), best.primitive);
}

// Finds the closest hit of each ray.
@compute @workgroup_size(WORKGROUP)
fn query_closest(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let index = thread_index(workgroup, workgroups, thread);
    if is_in_batch(index) {
        let hit = hit_of(index, CLOSEST);
        if has_iterations_left(index) {
            hits[index] = hit;
        }
    }
}

// Finds any hit of each ray.
@compute @workgroup_size(WORKGROUP)
fn query_any(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let index = thread_index(workgroup, workgroups, thread);
    if is_in_batch(index) {
        let hit = hit_of(index, ANY);
        if has_iterations_left(index) {
            hits[index] = hit;
        }
    }
}
