// Adds up the lengths of rays' paths through solids, by all crossings of each ray: see src/sample/reduce.rs.

// The crossings of each ray, in `sampling.room` hits for each. They are sorted in place.
@group(0) @binding(3) var<storage, read_write> crossings: array<u32>;

// A crossing: the id of its geometry, or NONE if that is no solid, and the bits of t, which are in the order of t.
alias Crossing = vec2<u32>;

fn crossing_at(first: u32, index: u32) -> Crossing {
    let at = first + sampling.hit_words * index;
    return Crossing(crossings[at + 1u], crossings[at]);
}

fn put_crossing(first: u32, index: u32, crossing: Crossing) {
    let at = first + sampling.hit_words * index;
    crossings[at] = crossing.y;
    crossings[at + 1u] = crossing.x;
}

// Puts the geometry of each crossing in place of its primitive.
fn name_geometries(first: u32, count: u32) {
    for (var index = 0u; index < count; index++) {
        let at = first + sampling.hit_words * index;
        let instance = instance_of(crossings[at + sampling.hit_words - 1u]);
        let geometry = ids_of(crossings[at + 1u], instance, sampling.segments).x;
        let is_solid = (numbering[sampling.solids + geometry / 32u] >> (geometry % 32u)) & 1u;
        crossings[at + 1u] = select(NONE, geometry, is_solid == 1u);
    }
}

fn precedes(a: Crossing, b: Crossing) -> bool {
    return a.x < b.x || (a.x == b.x && a.y < b.y);
}

// Moves the crossing at the root of a part of a heap down to its place.
fn sink(first: u32, from_root: u32, count: u32) {
    let sinking = crossing_at(first, from_root);
    var hole = from_root;
    for (var step = 0u; step < HALVINGS; step++) {
        var child = 2u * hole + 1u;
        if child >= count {
            break;
        }
        var largest = crossing_at(first, child);
        if child + 1u < count {
            let other = crossing_at(first, child + 1u);
            if precedes(largest, other) {
                largest = other;
                child++;
            }
        }
        if !precedes(sinking, largest) {
            break;
        }
        put_crossing(first, hole, largest);
        hole = child;
    }
    put_crossing(first, hole, sinking);
}

// Sorts crossings by geometry and t, by a heap, which takes few steps for any order.
fn sort_crossings(first: u32, count: u32) {
    for (var waiting = count / 2u; waiting > 0u; waiting--) {
        sink(first, waiting - 1u, count);
    }
    for (var waiting = count; waiting > 1u; waiting--) {
        let last = crossing_at(first, waiting - 1u);
        put_crossing(first, waiting - 1u, crossing_at(first, 0u));
        put_crossing(first, 0u, last);
        sink(first, 0u, waiting - 1u);
    }
}

// Returns a position in units. No solid ends beyond 2^32 of them.
fn position(t: u32) -> u32 {
    let units = units_of(t);
    return select(units.x, 0xffffffffu, units.y > 0u);
}

// Adds a ray's path through one solid, if it has a length.
fn add_path(geometry: u32, length: u32) {
    if geometry == NONE || length == 0u {
        return;
    }
    let to = path_sums() + PATH_SUMS * geometry;
    add_one(to);
    add_two_words(to + 1u, vec2<u32>(length, 0u));
    add_three_words(to + 3u, wide_product(length, length));
}

// Adds a ray's paths. If the number of crossings of a solid is odd, the ray starts inside, so exits and entries alternate
// from the last crossing backwards.
fn add_paths(first: u32, count: u32) {
    let start = position(sampling.t_min);
    let end = position(sampling.t_max);
    var solid = NONE;
    var length = 0u;
    var exit = start;
    var is_inside = false;
    for (var waiting = count; waiting > 0u; waiting--) {
        let crossing = crossing_at(first, waiting - 1u);
        if crossing.x != solid {
            add_path(solid, length + select(0u, exit - start, is_inside));
            solid = crossing.x;
            length = 0u;
            is_inside = false;
        }
        let at = clamp(position(crossing.y), start, end);
        length += select(0u, exit - at, is_inside);
        exit = at;
        is_inside = !is_inside;
    }
    add_path(solid, length + select(0u, exit - start, is_inside));
}

// Adds the paths of one ray.
fn tally_ray(index: u32) {
    // The number of crossings replaces t.
    let count = sampled_hits[sampling.hit_words * index];
    if is_unwritten(index) {
        atomicMax(&sums[UNCROSSED], NONE - (sampling.first_index + index));
        return;
    }
    if count == ABANDONED_BITS {
        add_one(ABANDONED);
        return;
    }
    if count == 0u {
        return;
    }
    atomicMax(&sums[MOST_CROSSINGS], count);
    // The ray is cast again with more room.
    if count > sampling.room {
        return;
    }
    let first = sampling.hit_words * sampling.room * index;
    name_geometries(first, count);
    sort_crossings(first, count);
    add_paths(first, count);
    if !has_iterations_left(index) {
        add_one(ABANDONED);
    }
}

var<workgroup> group_crossed: atomic<u32>;

@compute @workgroup_size(WORKGROUP)
fn tally_paths(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    if thread == 0u {
        atomicStore(&group_crossed, 0u);
    }
    workgroupBarrier();
    let index = thread_index(workgroup, workgroups, thread);
    if index < sampling.count {
        tally_ray(index);
        atomicAdd(&group_crossed, 1u);
    }
    workgroupBarrier();
    if thread == 0u {
        atomicAdd(&sums[CROSSED], atomicLoad(&group_crossed));
    }
}
