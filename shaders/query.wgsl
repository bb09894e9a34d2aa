// Answers the rays of a batch: rays in, hits out. The constant IS_SOLID is printed into the module; if it is true, a ray
// that begins in or on a solid hits the solid there.

struct Hit {
    // float32 bits, in the caller's units of t
    t: u32,
    primitive: u32,
}

@group(1) @binding(0) var<storage, read> rays: array<RayBits>;
@group(1) @binding(1) var<storage, read_write> hits: array<Hit>;
// Read only if IS_FILTERED.
@group(1) @binding(2) var<storage, read> ray_filters: array<RayFilter>;

fn batch_size() -> u32 {
    let size = min(arrayLength(&rays), arrayLength(&hits));
    return select(size, min(size, arrayLength(&ray_filters)), IS_FILTERED);
}

// A ray of the batch as it is before it is cast.
struct Start {
    ray: Ray,
    // false if the ray's answer is known already
    is_cast: bool,
    answer: Hit,
}

// Returns the start of a ray, and sets the filter and the crossings of the thread for it.
fn start_of(index: u32, query_kind: u32) -> Start {
    if IS_FILTERED {
        ray_filter = ray_filters[index];
    }
    let ray = ray_from(rays[index]);
    if !ray.valid {
        return Start(ray, false, Hit(select(NAN_BITS, 0u, query_kind == ALL), NONE));
    }
    if query_kind == ALL {
        noted = room_for(index);
    } else if IS_SOLID && is_finite(rays[index].t_min) {
        let lowest = lowest_container(ray);
        if lowest != NONE {
            return Start(ray, false, Hit(rays[index].t_min, lowest));
        }
    }
    return Start(ray, true, Hit());
}

// Returns the answer to a ray from the best hit of its traversal.
fn answer_of(ray: Ray, query_kind: u32, best: Nearest) -> Hit {
    if query_kind == ALL {
        return Hit(noted.count, NONE);
    }
    if best.primitive == NONE {
        return Hit(INFINITY_BITS, NONE);
    }
    return Hit(bitcast<u32>(best.t * ray.t_scale), best.primitive);
}

// The file of shaders/device/ for the device distributes the batch to threads, by `answer_rays`.

// Finds the closest hit of each ray.
@compute @workgroup_size(WORKGROUP)
fn query_closest(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    answer_rays(workgroup, workgroups, thread, CLOSEST);
}

// Finds any hit of each ray.
@compute @workgroup_size(WORKGROUP)
fn query_any(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    answer_rays(workgroup, workgroups, thread, ANY);
}

// Counts all crossings of each ray, and writes those for which there is room.
@compute @workgroup_size(WORKGROUP)
fn query_all(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    answer_rays(workgroup, workgroups, thread, ALL);
}
