// Finds the echoes of each beam, one workgroup for a beam. See src/lidar/echoes.rs. The light of an echo is relative to its
// first lit hit, so that float32 neither overflows nor vanishes. The host applies the loss over that distance.

// The most rays of a beam.
const MOST_SUBRAYS: u32 = 1261u;

// Factors below exp(-MOST_LOSS) count as this one.
const MOST_LOSS: f32 = 80.0;

// Distances below this count as this.
const NEAREST_LIGHT: f32 = 1e-6;

struct EchoBits {
    // the distance from which the others count: that of the first hit that sends light back
    reference: f32,
    // the mean of the distances
    mean: f32,
    // the light, without the loss through distance and air up to the reference
    light: f32,
    weight: f32,
    // the strongest ray, with its hit
    strongest: u32,
    t: u32,
    primitive: u32,
    instance: u32,
}

// A row for each beam, in which `strongest` is one more than the number of its echoes, or ABANDONED_BITS if a driver gave
// up on one of its rays; the first echoes follow.
@group(1) @binding(5) var<storage, read_write> echo_rows: array<EchoBits>;

// The bits of the distances of a beam's hits, or of infinity, the bits of their lights, and the rays that hit by their distances.
var<workgroup> distances: array<u32, MOST_SUBRAYS>;
var<workgroup> lights: array<u32, MOST_SUBRAYS>;
var<workgroup> order: array<u32, MOST_SUBRAYS>;

fn distance_at(place: u32) -> f32 {
    return bitcast<f32>(distances[order[place]]);
}

// Returns the share of a hit's light that is left, compared with a hit at the reference.
fn left_of_light(distance: f32, reference: f32) -> f32 {
    let ratio = max(reference, NEAREST_LIGHT) / max(distance, NEAREST_LIGHT);
    return ratio * ratio * exp(-clamp(beams.attenuation * (distance - reference), 0.0, MOST_LOSS));
}

// Returns the echo of the hits from one place in the order to before another.
fn echo_between(begin: u32, end: u32) -> EchoBits {
    var reference = distance_at(begin);
    for (var place = begin; place < end; place++) {
        if lights[order[place]] != 0u {
            reference = distance_at(place);
            break;
        }
    }
    var light = 0.0;
    var weight = 0.0;
    var lit_sum = 0.0;
    var weighted_sum = 0.0;
    var strongest = order[begin];
    var most = -1.0;
    for (var place = begin; place < end; place++) {
        let subray = order[place];
        let distance = distance_at(place);
        let own_weight = beam_rows[subray].z;
        let own_light = bitcast<f32>(lights[subray]) * left_of_light(distance, reference);
        light += own_light;
        lit_sum += own_light * (distance - reference);
        weight += own_weight;
        weighted_sum += own_weight * (distance - reference);
        if (own_light > most) | ((own_light == most) & (subray < strongest)) {
            most = own_light;
            strongest = subray;
        }
    }
    // Black surfaces send nothing back, but the echo has a place all the same.
    var mean = weighted_sum / weight;
    if light > 0.0 {
        mean = lit_sum / light;
    }
    return EchoBits(reference, mean, light, weight, strongest, 0u, NONE, NONE);
}

// Writes the echoes of a beam with this number of hits, which are ordered.
fn write_echoes(beam: u32, hits: u32) {
    let head = beam * (1u + beams.room);
    var count = 0u;
    var begin = 0u;
    // Each iteration consumes at least one hit.
    for (var turn = 0u; turn < hits; turn++) {
        if begin >= hits {
            break;
        }
        var end = begin + 1u;
        for (; end < hits; end++) {
            if distance_at(end) - distance_at(end - 1u) > beams.range_resolution {
                break;
            }
        }
        count++;
        if count <= beams.room {
            var echo = echo_between(begin, end);
            let hit = beam_hits[beam * beams.subrays + echo.strongest];
            echo.t = hit.t;
            echo.primitive = hit.primitive;
            echo.instance = instance_of(hit);
            echo_rows[head + count] = echo;
        }
        begin = end;
    }
    if has_iterations_left(beam) {
        echo_rows[head].strongest = count + 1u;
    }
}

@compute @workgroup_size(WORKGROUP)
fn find_echoes(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let beam = workgroup.y * workgroups.x + workgroup.x;
    if beam >= beams.count {
        return;
    }
    let first = beam * beams.subrays;
    for (var subray = thread; subray < beams.subrays; subray += WORKGROUP) {
        let hit = beam_hits[first + subray];
        distances[subray] = select(hit.t & ~SIGN_BIT, INFINITY_BITS, hit.primitive == NONE);
        lights[subray] = subrays[first + subray].t_max;
    }
    workgroupBarrier();
    // A hit's place is the number of hits before it. Distances are not negative, so their bits have their order.
    for (var subray = thread; subray < beams.subrays; subray += WORKGROUP) {
        let distance = distances[subray];
        if distance != INFINITY_BITS {
            var place = 0u;
            for (var other = 0u; other < beams.subrays; other++) {
                let is_before = (distances[other] < distance) | ((distances[other] == distance) & (other < subray));
                place += u32(is_before);
            }
            order[place] = subray;
        }
    }
    workgroupBarrier();
    if thread == 0u {
        var hits = 0u;
        var is_answered = true;
        var is_abandoned = false;
        for (var subray = 0u; subray < beams.subrays; subray++) {
            hits += u32(distances[subray] != INFINITY_BITS);
            is_answered = is_answered & (lights[subray] != UNANSWERED);
            is_abandoned = is_abandoned | (lights[subray] == ABANDONED_BITS);
        }
        if is_abandoned {
            echo_rows[beam * (1u + beams.room)].strongest = ABANDONED_BITS;
        } else if is_answered {
            write_echoes(beam, hits);
        }
    }
}
