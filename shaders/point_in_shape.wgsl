// The classic tests of one point against one shape, with one thread for each point: all points against one shape, or each
// against its own. See src/point_in_shape.rs; each file below it has a namesake here.

// The params of a test, whose file documents their layout. Lengths in them are computed in float64 and rounded to
// float32.
struct TestParams {
    first: vec4<f32>,
    second: vec4<f32>,
    third: vec4<f32>,
}

@group(0) @binding(0) var<storage, read> tests: array<TestParams>;
// Three numbers for each point, held as bits until they are known to be finite.
@group(0) @binding(1) var<storage, read> points: array<u32>;
// The answer for each point, as bits: a number, a flag or three numbers.
@group(0) @binding(2) var<storage, read_write> answers: array<u32>;

// The test for which a pipeline is made.
override FORM: u32;
const CYLINDER: u32 = 0u;
const CONE: u32 = 1u;
const ELLIPSOID: u32 = 2u;
const SPHERE: u32 = 3u;
const ALIGNED_BOX: u32 = 4u;
const ORIENTED_BOX: u32 = 5u;
const PLANE: u32 = 6u;
const LINE: u32 = 7u;
const RAY: u32 = 8u;
const SEGMENT: u32 = 9u;

// The answer for a point that is not inside.
const OUTSIDE: f32 = -1.0;

// A point and its test.
struct Asked {
    point: vec3<f32>,
    // True for a valid point: its coordinates are finite and within their limit.
    is_somewhere: bool,
    params: TestParams,
}

fn asked_at(index: u32) -> Asked {
    let bits = vec3<u32>(points[3u * index], points[3u * index + 1u], points[3u * index + 2u]);
    // A single test is used for every point.
    let params = tests[min(index, arrayLength(&tests) - 1u)];
    if !is_finite(bits.x) || !is_finite(bits.y) || !is_finite(bits.z) {
        return Asked(vec3<f32>(0.0), false, params);
    }
    let point = bitcast<vec3<f32>>(bits);
    return Asked(point, largest(point) <= MAX_COORDINATE, params);
}

fn squared_distance(params: TestParams, point: vec3<f32>) -> f32 {
    switch FORM {
        case CYLINDER: { return cylinder_squared_distance(params, point); }
        case CONE: { return cone_squared_distance(params, point); }
        case ELLIPSOID: { return ellipsoid_squared_distance(params, point); }
        default: { return OUTSIDE; }
    }
}

fn contains(params: TestParams, point: vec3<f32>) -> bool {
    switch FORM {
        case SPHERE: { return sphere_contains(params, point); }
        case ALIGNED_BOX: { return aligned_box_contains(params, point); }
        case ORIENTED_BOX: { return oriented_box_contains(params, point); }
        case PLANE: { return half_space_contains(params, point); }
        default: { return false; }
    }
}

fn touches(params: TestParams, point: vec3<f32>) -> bool {
    switch FORM {
        case PLANE: { return plane_touches(params, point); }
        case LINE: { return line_touches(params, point); }
        case RAY: { return ray_touches(params, point); }
        case SEGMENT: { return segment_touches(params, point); }
        default: { return false; }
    }
}

fn closest_point(params: TestParams, point: vec3<f32>) -> vec3<f32> {
    switch FORM {
        case SPHERE: { return sphere_closest_point(params, point); }
        case ALIGNED_BOX: { return aligned_box_closest_point(params, point); }
        case ORIENTED_BOX: { return oriented_box_closest_point(params, point); }
        case PLANE: { return plane_closest_point(params, point); }
        case LINE: { return line_closest_point(params, point); }
        case RAY: { return ray_closest_point(params, point); }
        case SEGMENT: { return segment_closest_point(params, point); }
        default: { return point; }
    }
}

@compute @workgroup_size(WORKGROUP)
fn squared_distances(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let index = thread_index(workgroup, workgroups, thread);
    if index >= arrayLength(&answers) {
        return;
    }
    let asked = asked_at(index);
    var answer = OUTSIDE;
    if asked.is_somewhere {
        answer = squared_distance(asked.params, asked.point);
    }
    answers[index] = bitcast<u32>(answer);
}

@compute @workgroup_size(WORKGROUP)
fn contained(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let index = thread_index(workgroup, workgroups, thread);
    if index >= arrayLength(&answers) {
        return;
    }
    let asked = asked_at(index);
    answers[index] = u32(asked.is_somewhere && contains(asked.params, asked.point));
}

@compute @workgroup_size(WORKGROUP)
fn touched(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let index = thread_index(workgroup, workgroups, thread);
    if index >= arrayLength(&answers) {
        return;
    }
    let asked = asked_at(index);
    answers[index] = u32(asked.is_somewhere && touches(asked.params, asked.point));
}

@compute @workgroup_size(WORKGROUP)
fn closest_points(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let index = thread_index(workgroup, workgroups, thread);
    if index >= arrayLength(&answers) / 3u {
        return;
    }
    let asked = asked_at(index);
    var answer = vec3<u32>(NAN_BITS);
    if asked.is_somewhere {
        answer = bitcast<vec3<u32>>(closest_point(asked.params, asked.point));
    }
    answers[3u * index] = answer.x;
    answers[3u * index + 1u] = answer.y;
    answers[3u * index + 2u] = answer.z;
}
