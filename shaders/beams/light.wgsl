// Finds the light that each ray of a beam sends back, without the loss through distance and air: its share of the beam's
// light, times the reflectance of the surface and the cosine of the angle of incidence.

@group(1) @binding(2) var<storage, read> beam_hits: array<Hit>;
// A row for what is in no instance, then one for each instance: the record of the instance, its reflectance, and the
// segments of its primitives, from the first to behind the last. Then the segments: the first primitive, and the word of
// its entry, marked if all primitives of the segment have that one. Then the entries: a primitive's record, and its
// reflectance, or OF_INSTANCE for that of the instance. See src/gpu/surfaces.rs.
@group(1) @binding(4) var<storage, read> surfaces: array<u32>;

const OF_INSTANCE: u32 = 0xffffffffu;
const OF_ONE_ENTRY: u32 = 0x80000000u;
// More steps than a search through 2^32 segments takes.
const SEGMENT_HALVINGS: u32 = 32u;

// The bits of an answer that no kernel has written.
const NEVER_BITS: u32 = 0x7fc0deadu;
const NEVER_NUMBER: u32 = 0xdeadbeefu;

// It replaces the light of a ray that was not made, not cast or not lit. ABANDONED_BITS replaces that of a ray on which a
// driver gave up.
const UNANSWERED: u32 = INFINITY_BITS;

fn instance_of(hit: Hit) -> u32 {
    if HAS_INSTANCE {
        return hit.instance;
    }
    return NONE;
}

// Returns the first word of the row of an instance. Without one the number is NONE, and one more is zero.
fn row_of_instance(instance: u32) -> u32 {
    return 4u * (instance + 1u);
}

// Returns the first word of the entry of a primitive.
fn entry_of(primitive: u32, instance: u32) -> u32 {
    let row = row_of_instance(instance);
    var first = surfaces[row + 2u];
    var end = surfaces[row + 3u];
    for (var step = 0u; step < SEGMENT_HALVINGS; step++) {
        if first + 1u >= end {
            break;
        }
        let middle = (first + end) / 2u;
        let is_later = surfaces[beams.segments + 2u * middle] <= primitive;
        first = select(first, middle, is_later);
        end = select(middle, end, is_later);
    }
    let segment = beams.segments + 2u * first;
    let entry = surfaces[segment + 1u];
    return select(entry + 2u * (primitive - surfaces[segment]), entry & ~OF_ONE_ENTRY, (entry & OF_ONE_ENTRY) != 0u);
}

fn reflectance_of(entry: u32, instance: u32) -> f32 {
    let own = surfaces[entry + 1u];
    return bitcast<f32>(select(own, surfaces[row_of_instance(instance) + 1u], own == OF_INSTANCE));
}


// Returns the cosine of the angle between a ray and the normal where it hits.
fn cosine_of(bits: RayBits, hit: Hit, entry: u32) -> f32 {
    var ray = ray_from(bits);
    var t = bitcast<f32>(hit.t) * inverse_power_of_two(ray.t_scale);
    let speed = length(ray.direction);
    if HAS_INSTANCE {
        visit = visit_to_none();
        if hit.instance != NONE {
            let inverse = inverse_in(record_at(surfaces[row_of_instance(hit.instance)]), INSTANCE_ROWS * hit.instance);
            let placed = ray_in_object(ray, inverse);
            visit.instance = hit.instance;
            visit.t_unit = placed.t_unit;
            visit.origin_rest = placed.origin.low;
            ray.origin = placed.origin.high;
            ray.direction = placed.direction;
            t = t_in_object(t);
        }
    }
    let normal = normal_of(record_at(surfaces[entry]), hit.primitive, ray, t);
    var size = length(normal);
    if HAS_INSTANCE {
        if hit.instance != NONE {
            // The transpose of the inverse maps normals to the world, and their products with directions stay the same.
            let inverse = inverse_in(record_at(surfaces[row_of_instance(hit.instance)]), INSTANCE_ROWS * hit.instance);
            size = visit.t_unit * length(normal * inverse.high);
        }
    }
    return min(abs(dot(ray.direction, normal)) / (speed * size), 1.0);
}

fn light_of(index: u32) -> u32 {
    let bits = subrays[index];
    let hit = beam_hits[index];
    let is_unmade = (bits.direction_x | bits.direction_y | bits.direction_z) == 0u;
    if hit.t == ABANDONED_BITS {
        return ABANDONED_BITS;
    }
    let is_uncast = (hit.t == NEVER_BITS) & (hit.primitive == NEVER_NUMBER);
    if is_unmade | is_uncast {
        return UNANSWERED;
    }
    if hit.primitive == NONE {
        return 0u;
    }
    let instance = instance_of(hit);
    let entry = entry_of(hit.primitive, instance);
    let weight = beam_rows[index % beams.subrays].z;
    return bitcast<u32>(weight * reflectance_of(entry, instance) * cosine_of(bits, hit, entry));
}

@compute @workgroup_size(WORKGROUP)
fn light_beams(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let index = thread_index(workgroup, workgroups, thread);
    if index >= arrayLength(&subrays) {
        return;
    }
    let light = light_of(index);
    if has_iterations_left(index) {
        subrays[index].t_max = light;
    }
}
