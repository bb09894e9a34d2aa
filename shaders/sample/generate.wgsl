// Makes rays from random numbers, with one thread for each ray: see src/sample/generator.rs. The query kernels read them
// where they are written.

// A chunk of rays, and how they are made and added up.
struct Sampling {
    seed: vec2<u32>,
    // the number of the chunk's first ray, low word first
    first: vec2<u32>,
    count: u32,
    generator: u32,
    // the interval of the rays, as bits
    t_min: u32,
    t_max: u32,
    // On each axis a ray's origin is the sum of a whole number of 64 bits, and of a product with a random number that is
    // shifted to the right, times two to a power.
    exponents: vec3<i32>,
    // how many words a hit has
    hit_words: u32,
    shifts: vec3<u32>,
    // how many crossings of a ray there is room for
    room: u32,
    low: vec3<u32>,
    geometries: u32,
    high: vec3<u32>,
    // distances are added up in units of two to this power
    unit_exponent: i32,
    extents: vec3<u32>,
    // the number of edges of the histogram's bins
    edges: u32,
    // the frame of a patch, as components
    normal: vec3<i32>,
    // where the segments of the numbering begin
    segments: u32,
    across: vec3<i32>,
    // where the solids of the numbering begin
    solids: u32,
    upwards: vec3<i32>,
    // the index of the chunk's first ray among the rays whose sums are read at once
    first_index: u32,
}

// Every other generator number is a patch.
const IN_BOX: u32 = 0u;
const LINES: u32 = 1u;

@group(0) @binding(0) var<uniform> sampling: Sampling;
@group(0) @binding(1) var<storage, read_write> sampled_rays: array<u32>;

struct Frame {
    normal: vec3<i32>,
    first: vec3<i32>,
    second: vec3<i32>,
}

fn isotropic(height: u32, around: u32) -> Frame {
    let share = height | 1u;
    let z = ONE - i32(share >> 1u);
    let square = wide_product(share, 0u - share);
    let quadrupled = shifted_left(square.y, square.x, 2u);
    let r = root(quadrupled.x, quadrupled.y);
    let angle = turn(around);
    return Frame(
        vec3<i32>(product(r, angle.x), product(r, angle.y), z), vec3<i32>(-angle.y, angle.x, 0),
        vec3<i32>(-product(z, angle.x), -product(z, angle.y), r));
}

fn cosine_law(frame: Frame, shadow: u32, around: u32) -> vec3<i32> {
    let share = shadow | 1u;
    let angle = turn(around);
    let aside = scaled(frame.first, angle.x) + scaled(frame.second, angle.y);
    return scaled(frame.normal, root(0u - share, 0u)) + scaled(aside, root(share, 0u));
}

// Returns the bits of a coordinate of an origin, which is moved by the magnitude of a share or component.
fn coordinate(axis: u32, magnitude: u32, is_negative: bool) -> u32 {
    let wide = wide_product(sampling.extents[axis], magnitude);
    var moved = shifted_right(wide.y, wide.x, sampling.shifts[axis]);
    if is_negative {
        moved = vec2<u32>(~moved.x, ~moved.y) + vec2<u32>(select(0u, 1u, moved.y == 0u), 1u);
    }
    let low = sampling.low[axis] + moved.y;
    let high = sampling.high[axis] + moved.x + select(0u, 1u, low < moved.y);
    if (high & 0x80000000u) == 0u {
        return nearest_float(high, low, sampling.exponents[axis]);
    }
    return 0x80000000u | nearest_float(~high + select(0u, 1u, low == 0u), 0u - low, sampling.exponents[axis]);
}

fn coordinate_aside(axis: u32, component: i32) -> u32 {
    return coordinate(axis, u32(abs(component)), component < 0);
}

@compute @workgroup_size(WORKGROUP)
fn generate_sample(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let index = thread_index(workgroup, workgroups, thread);
    if index >= sampling.count {
        return;
    }
    let number = sampling.first.x + index;
    let high = sampling.first.y + select(0u, 1u, number < index);
    let words = philox(vec4<u32>(number, high, 0u, 0u), sampling.seed);
    var origin: vec3<u32>;
    var direction: vec3<i32>;
    if sampling.generator == IN_BOX {
        let more = philox(vec4<u32>(number, high, 1u, 0u), sampling.seed);
        origin = vec3<u32>(
            coordinate(0u, words.x | 1u, false), coordinate(1u, words.y | 1u, false),
            coordinate(2u, words.z | 1u, false));
        direction = isotropic(words.w, more.x).normal;
    } else {
        var frame = Frame(sampling.normal, sampling.across, sampling.upwards);
        var aside: vec3<i32>;
        if sampling.generator == LINES {
            frame = isotropic(words.x, words.y);
            aside = frame.normal;
            frame.normal = -frame.normal;
        } else {
            let angle = turn(words.y);
            aside = scaled(
                scaled(frame.first, angle.x) + scaled(frame.second, angle.y), root(words.x | 1u, 0u));
        }
        origin = vec3<u32>(
            coordinate_aside(0u, aside.x), coordinate_aside(1u, aside.y), coordinate_aside(2u, aside.z));
        direction = cosine_law(frame, words.z, words.w);
    }
    let at = 8u * index;
    sampled_rays[at] = origin.x;
    sampled_rays[at + 1u] = origin.y;
    sampled_rays[at + 2u] = origin.z;
    sampled_rays[at + 3u] = float_of_component(direction.x);
    sampled_rays[at + 4u] = float_of_component(direction.y);
    sampled_rays[at + 5u] = float_of_component(direction.z);
    sampled_rays[at + 6u] = 0u;
    sampled_rays[at + 7u] = INFINITY_BITS;
}

// Gives rays their interval.
@compute @workgroup_size(WORKGROUP)
fn limit_sample(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let index = thread_index(workgroup, workgroups, thread);
    if index < sampling.count {
        sampled_rays[8u * index + 6u] = sampling.t_min;
        sampled_rays[8u * index + 7u] = sampling.t_max;
    }
}
