// Answers the rays of a batch: rays in, hits out. The constant IS_SOLID is printed into the module; if it is true, a ray
// that begins in or on a solid hits the solid there.

@group(1) @binding(0) var<storage, read> rays: array<RayBits>;
@group(1) @binding(1) var<storage, read_write> hits: array<Hit>;
// Read only if IS_FILTERED.
@group(1) @binding(2) var<storage, read> ray_filters: array<RayFilter>;

fn batch_size() -> u32 {
    let size = min(arrayLength(&rays), arrayLength(&hits));
    return select(size, min(size, arrayLength(&ray_filters)), IS_FILTERED);
}

// A ray of the batch before it is cast.
struct Start {
    ray: Ray,
    // the lowest solid in or on which the ray begins, if that is the answer
    container: PrimitiveRef,
}

// Returns a ray, and sets the filter and the crossings of the thread for it.
fn start_of(index: u32, query_kind: u32) -> Start {
    if IS_FILTERED {
        ray_filter = ray_filters[index];
    }
    if query_kind == ALL {
        noted = room_for(index);
    }
    let ray = ray_from(rays[index]);
    var container = NO_PRIMITIVE;
    if IS_SOLID {
        if (query_kind != ALL) & ray.valid & is_finite(rays[index].t_min) {
            container = lowest_container(ray);
        }
    }
    return Start(ray, container);
}

// Returns true if the answer takes a traversal.
fn is_cast(start: Start) -> bool {
    return start.ray.valid & !is_primitive(start.container);
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
