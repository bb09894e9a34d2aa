// Spreads beams to their rays, one thread for each ray. See src/lidar/beams.rs and src/gpu/beams.rs.

struct Beams {
    // how many rays each beam has, and how many beams there are
    subrays: u32,
    count: u32,
    // the growth of a footprint's radius with the distance, and the radius where the beam leaves
    spread: f32,
    exit_radius: f32,
    // a larger gap between hits begins another echo
    range_resolution: f32,
    // the share of light that the air takes of each unit of distance, there and back, as an exponent
    attenuation: f32,
    // the number of echoes of each beam that there is room for
    room: u32,
    // the word at which the segments of the table of surfaces begin
    segments: u32,
}

@group(1) @binding(0) var<uniform> beams: Beams;
// The rays of the first beam, then those of the second. After they are cast, the light that they send back replaces their
// t_max.
@group(1) @binding(1) var<storage, read_write> subrays: array<RayBits>;
// For each ray of a beam, its offset across the beam, in the footprint's radii, and its share of the light. Then for each
// beam its origin, its direction and one axis across it, next to the other axis.
@group(1) @binding(3) var<storage, read> beam_rows: array<vec4<f32>>;

@compute @workgroup_size(WORKGROUP)
fn spread_beams(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let index = thread_index(workgroup, workgroups, thread);
    if index >= arrayLength(&subrays) {
        return;
    }
    let place = beam_rows[index % beams.subrays];
    let row = beams.subrays + 3u * (index / beams.subrays);
    let start = beam_rows[row];
    let along = beam_rows[row + 1u];
    let across = beam_rows[row + 2u];
    let offset = place.x * across.xyz + place.y * vec3<f32>(start.w, along.w, across.w);
    let origin = start.xyz + beams.exit_radius * offset;
    let direction = unit(along.xyz + beams.spread * offset);
    subrays[index] = RayBits(
        bitcast<u32>(origin.x), bitcast<u32>(origin.y), bitcast<u32>(origin.z),
        bitcast<u32>(direction.x), bitcast<u32>(direction.y), bitcast<u32>(direction.z),
        0u, INFINITY_BITS);
}
