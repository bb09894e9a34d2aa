// All crossings of each ray: one thread counts and notes those for which there is place. Cast first with no place
// at all, and then with as much as that took, it is one code that counts twice, so the numbers agree.

// Where each ray's crossings begin, and after the last where they end; of a cast that only counts, too short.
@group(1) @binding(3) var<storage, read> splits: array<u32>;
@group(1) @binding(4) var<storage, read_write> crossings: array<Hit>;

struct Noted {
    // how many crossings there were
    count: u32,
    // where the first goes, and for how many there is place
    first: u32,
    capacity: u32,
}

var<private> noted: Noted;

fn note_crossing(t: f32, primitive: u32, ray: Ray) {
    if t < ray.t_min || t > ray.t_max {
        return;
    }
    if noted.count < noted.capacity {
        crossings[noted.first + noted.count] = Hit(bitcast<u32>(t * ray.t_scale), primitive);
    }
    noted.count++;
}

// A solid is entered and left, also where that is at one place.
fn note_spans(spans: Spans, is_surface: bool, primitive: u32, ray: Ray) {
    note_crossing(spans.x, primitive, ray);
    if !is_surface {
        note_crossing(spans.y, primitive, ray);
        note_crossing(spans.z, primitive, ray);
        note_crossing(spans.w, primitive, ray);
    }
}

@compute @workgroup_size(WORKGROUP)
fn query_all(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let index = thread_index(workgroup, workgroups, thread);
    if !is_in_batch(index) {
        return;
    }
    let ray = filtered_ray(index);
    if !ray.valid {
        hits[index] = Hit(0u, NONE);
        return;
    }
    if index + 1u < arrayLength(&splits) {
        noted.first = splits[index];
        noted.capacity = splits[index + 1u] - splits[index];
    }
    traverse_scene(ray, ALL);
    if has_turns_left(index) {
        hits[index] = Hit(noted.count, NONE);
    }
}
