// Answers the rays of a batch: rays in, hits out. The constant IS_SOLID is printed into the module; if it is true, a ray
// that begins in or on a solid hits the solid there.

@group(1) @binding(0) var<storage, read> rays: array<RayBits>;
@group(1) @binding(1) var<storage, read_write> hits: array<Hit>;
// Read only if IS_FILTERED.
@group(1) @binding(2) var<storage, read> ray_filters: array<RayFilter>;
// The number of rays of a row, if the rays are those of an image, row by row; else 0.
@group(1) @binding(5) var<uniform> row_length: u32;

fn batch_size() -> u32 {
    let size = min(arrayLength(&rays), arrayLength(&hits));
    return select(size, min(size, arrayLength(&ray_filters)), IS_FILTERED);
}

// Returns the ray that is cast at a place in the order of a batch of `size` rays. Consecutive places are the pixels of a
// tile of an image, whose rays have similar directions, because threads that run together wait for each other. The tiles of
// TILE_HEIGHT rows form a band. If the batch begins within a row, some tiles wrap around the end of their rows.
fn ray_at(place: u32, size: u32) -> u32 {
    let band_size = TILE_HEIGHT * row_length;
    if band_size == 0u {
        return place;
    }
    let band = place - place % band_size;
    if size - band < band_size {
        return place;
    }
    let tile = (place - band) / (TILE_HEIGHT * TILE_WIDTH);
    let pixel = (place - band) % (TILE_HEIGHT * TILE_WIDTH);
    let width = min(TILE_WIDTH, row_length - tile * TILE_WIDTH);
    return band + (pixel / width) * row_length + tile * TILE_WIDTH + pixel % width;
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

// Returns true if the answer needs a traversal.
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
