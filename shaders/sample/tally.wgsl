// Adds up the closest hits of rays: see src/sample/reduce.rs. Sums are of whole numbers, by atomics, so that their order does
// not matter.

@group(0) @binding(2) var<storage, read> sampled_hits: array<u32>;
// The table of shaders/numbering.wgsl, and then a bit for each geometry, which is set for solids.
@group(0) @binding(4) var<storage, read> numbering: array<u32>;
// The edges of the histogram's bins, low word first.
@group(0) @binding(5) var<storage, read> bin_edges: array<u32>;
// The words of COUNTS; the histogram's bins; the hits of each geometry, with their distances; the rays through each, with
// the lengths of their paths and their squares.
@group(0) @binding(6) var<storage, read_write> sums: array<atomic<u32>>;

const MISSES: u32 = 0u;
const INVALID: u32 = 1u;
const BEYOND: u32 = 2u;
// The first rays that have no closest hit, and no crossings, counted from behind; zero if all have.
const UNANSWERED: u32 = 3u;
const UNCROSSED: u32 = 4u;
const MOST_CROSSINGS: u32 = 5u;
// The rays on which a driver gave up.
const ABANDONED: u32 = 6u;
// The rays whose paths were added.
const CROSSED: u32 = 7u;
const COUNTS: u32 = 8u;

// The words of a geometry's hits, and of its paths.
const HIT_SUMS: u32 = 3u;
const PATH_SUMS: u32 = 6u;

fn hit_sums() -> u32 {
    return COUNTS + select(0u, sampling.edges + 1u, sampling.edges > 0u);
}

fn path_sums() -> u32 {
    return hit_sums() + HIT_SUMS * sampling.geometries;
}

// Returns true if a hit was never written.
fn is_unwritten(index: u32) -> bool {
    let at = sampling.hit_words * index;
    return sampled_hits[at] == NEVER_BITS && sampled_hits[at + 1u] == NEVER_NUMBER;
}

fn instance_of(number: u32) -> u32 {
    return select(NONE, number, sampling.hit_words == 3u);
}

// Returns a distance as the nearest multiple of the unit, low word first.
fn units_of(t: u32) -> vec2<u32> {
    let end = vec2<u32>(0u, 64u);
    let biased = (t & 0x7fffffffu) >> 23u;
    if biased == 0u {
        return vec2<u32>(0u);
    }
    let mantissa = (t & 0x7fffffu) | 0x800000u;
    let shift = i32(biased) - 150 - sampling.unit_exponent;
    if shift > 14 {
        return end;
    }
    if shift >= 0 {
        let shifted = shifted_left(0u, mantissa, u32(shift));
        return shifted.yx;
    }
    if shift < -24 {
        return vec2<u32>(0u);
    }
    let right = u32(-shift);
    return vec2<u32>((mantissa + (1u << (right - 1u))) >> right, 0u);
}

fn is_below(a: vec2<u32>, b: vec2<u32>) -> bool {
    return a.y < b.y || (a.y == b.y && a.x < b.x);
}

// Returns the histogram's bin of a distance. The first bin includes all smaller distances, and the last one all larger
// distances.
fn bin_of(distance: vec2<u32>) -> u32 {
    var first = 0u;
    var end = sampling.edges;
    for (var step = 0u; step < HALVINGS; step++) {
        if first >= end {
            break;
        }
        let middle = (first + end) / 2u;
        let is_nearer = is_below(distance, vec2<u32>(bin_edges[2u * middle], bin_edges[2u * middle + 1u]));
        end = select(end, middle, is_nearer);
        first = select(middle + 1u, first, is_nearer);
    }
    return first;
}

fn add_one(at: u32) {
    atomicAdd(&sums[at], 1u);
}

// Adds a number of several words to a sum. The carry follows from what a word held before.
fn add_two_words(at: u32, number: vec2<u32>) {
    let before = atomicAdd(&sums[at], number.x);
    let high = number.y + select(0u, 1u, before + number.x < before);
    if high > 0u {
        atomicAdd(&sums[at + 1u], high);
    }
}

fn add_three_words(at: u32, number: vec2<u32>) {
    let low = atomicAdd(&sums[at], number.x);
    // The high word of a square is below the largest number.
    let middle = number.y + select(0u, 1u, low + number.x < low);
    let before = atomicAdd(&sums[at + 1u], middle);
    if before + middle < before {
        atomicAdd(&sums[at + 2u], 1u);
    }
}

// The sums of a workgroup. Most hits belong to a few geometries, for whose sums all threads would otherwise wait. A line
// belongs to the first geometry that needs it; the hits of others are added to the sums of all.
const LINES_OF_SUMS: u32 = 64u;
var<workgroup> owners: array<atomic<u32>, LINES_OF_SUMS>;
var<workgroup> line_hits: array<atomic<u32>, LINES_OF_SUMS>;
var<workgroup> line_lows: array<atomic<u32>, LINES_OF_SUMS>;
var<workgroup> line_highs: array<atomic<u32>, LINES_OF_SUMS>;
var<workgroup> group_misses: atomic<u32>;

// Returns true if a ray was never made: its direction is zero.
fn is_unmade(index: u32) -> bool {
    let at = 8u * index;
    return (sampled_rays[at + 3u] | sampled_rays[at + 4u] | sampled_rays[at + 5u]) == 0u;
}

fn tally_hit(index: u32) {
    if is_unwritten(index) || is_unmade(index) {
        atomicMax(&sums[UNANSWERED], NONE - (sampling.first_index + index));
        return;
    }
    let at = sampling.hit_words * index;
    let t = sampled_hits[at];
    if t == ABANDONED_BITS {
        add_one(ABANDONED);
        return;
    }
    let primitive = sampled_hits[at + 1u];
    if primitive == NONE {
        if is_finite(t) || t == INFINITY_BITS {
            atomicAdd(&group_misses, 1u);
        } else {
            add_one(INVALID);
        }
        return;
    }
    let instance = instance_of(sampled_hits[at + sampling.hit_words - 1u]);
    let geometry = ids_of(primitive, instance, sampling.segments).x;
    let distance = units_of(t);
    if distance.y >= 64u {
        add_one(BEYOND);
    }
    if sampling.edges > 0u {
        add_one(COUNTS + bin_of(distance));
    }
    let line = geometry % LINES_OF_SUMS;
    let claim = atomicCompareExchangeWeak(&owners[line], NONE, geometry);
    if claim.exchanged || claim.old_value == geometry {
        atomicAdd(&line_hits[line], 1u);
        let before = atomicAdd(&line_lows[line], distance.x);
        atomicAdd(&line_highs[line], distance.y + select(0u, 1u, before + distance.x < before));
    } else {
        let to = hit_sums() + HIT_SUMS * geometry;
        add_one(to);
        add_two_words(to + 1u, distance);
    }
}

// The number of hits that a thread adds up.
const HITS_OF_THREAD: u32 = 8u;

@compute @workgroup_size(WORKGROUP)
fn tally_hits(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    atomicStore(&owners[thread], NONE);
    atomicStore(&line_hits[thread], 0u);
    atomicStore(&line_lows[thread], 0u);
    atomicStore(&line_highs[thread], 0u);
    if thread == 0u {
        atomicStore(&group_misses, 0u);
    }
    workgroupBarrier();
    let first = (workgroup.y * workgroups.x + workgroup.x) * WORKGROUP * HITS_OF_THREAD;
    for (var step = 0u; step < HITS_OF_THREAD; step++) {
        let index = first + step * WORKGROUP + thread;
        if index < sampling.count {
            tally_hit(index);
        }
    }
    workgroupBarrier();
    let owner = atomicLoad(&owners[thread]);
    if owner != NONE {
        let to = hit_sums() + HIT_SUMS * owner;
        atomicAdd(&sums[to], atomicLoad(&line_hits[thread]));
        add_two_words(to + 1u, vec2<u32>(atomicLoad(&line_lows[thread]), atomicLoad(&line_highs[thread])));
    }
    if thread == 0u {
        atomicAdd(&sums[MISSES], atomicLoad(&group_misses));
    }
}
