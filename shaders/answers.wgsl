// Makes arrays from the hits of a chunk that stay on the device: distances, and ids instead of the numbers of primitives.
// See src/gpu/answers_on_device.rs.

struct Answering {
    count: u32,
    // the words of a hit
    hit_words: u32,
    // where the segments begin in the numbering
    segments: u32,
    // 1 if labels are requested
    has_labels: u32,
    // the words from one column to the next
    stride: u32,
    // 0 for rays that do not belong to an image
    projection: u32,
    // the first pixel of the chunk, counted in its image, and the number of pixels of an image
    first_pixel: u32,
    pixels: u32,
    // the distances that a sensor reports
    range_min: f32,
    range_max: f32,
}

const RAYS: u32 = 0u;
const PARALLEL: u32 = 1u;

const DISTANCE: u32 = 0u;
const Z: u32 = 1u;
const GEOMETRY: u32 = 2u;
const PRIMITIVE: u32 = 3u;
const LABEL: u32 = 4u;

@group(0) @binding(0) var<uniform> answering: Answering;
@group(0) @binding(1) var<storage, read> found: array<u32>;
@group(0) @binding(2) var<storage, read> numbering: array<u32>;
// Read only for images: their rays, of eight words each, and the places of the camera.
@group(0) @binding(3) var<storage, read> pixel_rays: array<u32>;
@group(0) @binding(4) var<storage, read> pixel_places: array<vec4<f32>>;
// The label of each geometry, if labels are requested.
@group(0) @binding(5) var<storage, read> labels: array<u32>;
@group(0) @binding(6) var<storage, read_write> columns: array<u32>;
// The first ray without an answer, counted from the end, or zero; and the number of rays with an answer.
@group(0) @binding(7) var<storage, read_write> counts: array<atomic<u32>>;

const UNANSWERED: u32 = 0u;
const ANSWERED: u32 = 1u;

var<workgroup> answered: atomic<u32>;

fn write_word(column: u32, index: u32, word: u32) {
    columns[column * answering.stride + index] = word;
}

// Returns the distance along the camera's axis. A miss keeps its infinite distance.
fn z_of(index: u32, distance: u32) -> u32 {
    if answering.projection == PARALLEL || !is_finite(distance) {
        return distance;
    }
    let at = 8u * index + 3u;
    let direction = vec3<f32>(
        bitcast<f32>(pixel_rays[at]), bitcast<f32>(pixel_rays[at + 1u]), bitcast<f32>(pixel_rays[at + 2u]));
    let forward = pixel_places[4u * ((answering.first_pixel + index) / answering.pixels) + 3u].xyz;
    return bitcast<u32>(bitcast<f32>(distance) * dot(direction, forward));
}

// Writes the answer to a ray, and returns true if there is one.
fn answer(index: u32) -> bool {
    let at = answering.hit_words * index;
    var distance = found[at];
    let primitive = found[at + 1u];
    let is_image = answering.projection != RAYS;
    // A camera has no invalid rays.
    let is_nan = !is_finite(distance) && (distance & 0x7fffffu) != 0u;
    if distance == ABANDONED_BITS || (distance == NEVER_BITS && primitive == NEVER_NUMBER) || (is_image && is_nan) {
        return false;
    }
    var ids = vec2<u32>(NONE);
    if primitive != NONE {
        ids = ids_of(primitive, select(NONE, found[at + answering.hit_words - 1u], answering.hit_words == 3u), answering.segments);
    }
    if is_image {
        let t = bitcast<f32>(distance);
        if t < answering.range_min || t > answering.range_max {
            distance = INFINITY_BITS;
        }
        write_word(Z, index, z_of(index, distance));
    }
    write_word(DISTANCE, index, distance);
    write_word(GEOMETRY, index, ids.x);
    write_word(PRIMITIVE, index, ids.y);
    if answering.has_labels == 1u {
        var label = 0u;
        if ids.x != NONE {
            label = labels[ids.x];
        }
        write_word(LABEL, index, label);
    }
    return true;
}

@compute @workgroup_size(WORKGROUP)
fn answer_on_device(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    if thread == 0u {
        atomicStore(&answered, 0u);
    }
    workgroupBarrier();
    let index = thread_index(workgroup, workgroups, thread);
    if index < answering.count {
        if answer(index) {
            atomicAdd(&answered, 1u);
        } else {
            atomicMax(&counts[UNANSWERED], NONE - index);
        }
    }
    workgroupBarrier();
    if thread == 0u {
        atomicAdd(&counts[ANSWERED], atomicLoad(&answered));
    }
}
