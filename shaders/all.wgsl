// All crossings of each ray: counts them, and writes those for which there is room. The rays are cast first without any
// room, and then with as much room as they need. The same code counts both times, so the numbers agree.

// The index of each ray's first crossing, and after the last ray the number of all. A cast that only counts has too few
// splits for any ray.
@group(1) @binding(3) var<storage, read> splits: array<u32>;
@group(1) @binding(4) var<storage, read_write> crossings: array<Hit>;

struct Noted {
    // how many crossings the ray has so far
    count: u32,
    // the index of the first crossing, and the number of crossings that there is room for
    first: u32,
    capacity: u32,
}

var<private> noted: Noted;

// Returns the room for the crossings of a ray, which has none so far.
fn room_for(index: u32) -> Noted {
    if index + 1u >= arrayLength(&splits) {
        return Noted();
    }
    return Noted(0u, splits[index], splits[index + 1u] - splits[index]);
}

fn note_hit(hit: Hit) {
    if noted.count < noted.capacity {
        crossings[noted.first + noted.count] = hit;
    }
    noted.count++;
}

fn note_crossing(t: f32, primitive: PrimitiveRef, ray: Ray) {
    if (t < ray.t_min) | (t > ray.t_max) {
        return;
    }
    note_hit(hit_of(bitcast<u32>(t * ray.t_scale), primitive));
}

// A solid is entered and left, even if both crossings have the same t; a surface is crossed once, and a shell up to twice.
fn note_spans(spans: Spans, is_surface: bool, primitive: PrimitiveRef, ray: Ray) {
    note_crossing(spans.x, primitive, ray);
    if !is_surface {
        note_crossing(spans.y, primitive, ray);
        note_crossing(spans.w, primitive, ray);
    }
    if HAS_CYLINDER_SHELL || HAS_CONE_SHELL || !is_surface {
        note_crossing(spans.z, primitive, ray);
    }
}
