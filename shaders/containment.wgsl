// What holds a point: a line through it tells of each solid whether the point lies inside. See src/cpu/inside.rs.

struct Containment {
    count: u32,
    // by the number of its first part, NONE where there is none
    lowest: u32,
}

var<private> containment: Containment;

// A closed mesh, as a ray passes it.
struct Passed {
    // meshes whose parts come before this are left out
    least: u32,
    // the lowest of the others, NONE where there is none
    first_primitive: u32,
    end: u32,
    // how often the ray crosses it
    count: u32,
    // whether the ray begins on it
    is_on: bool,
}

var<private> passed: Passed;

// Where the ray begins.
var<private> begin: vec3<f32>;

fn add_container(primitive: u32) {
    containment.count++;
    containment.lowest = min(containment.lowest, primitive);
}

fn note_container(spans: Spans, is_solid: bool, primitive: u32, t: f32) {
    let is_in_first = spans.x <= t && t <= spans.y;
    let is_in_later = spans.z <= t && t <= spans.w;
    if is_solid && (is_in_first || is_in_later) {
        add_container(primitive);
    }
}

// Notes a mesh's triangle that the ray crosses at t, or that is so far from where the ray begins: a triangle in which the
// ray runs is not crossed.
fn note_mesh(mesh: MeshParams, t: f32, distance: f32, ray: Ray) {
    let is_crossed = t >= ray.t_min && t <= ray.t_max;
    let is_on = distance == 0.0;
    let is_met = is_crossed || is_on;
    if !is_met || mesh.is_closed == 0u || mesh.first_primitive < passed.least
        || mesh.first_primitive > passed.first_primitive {
        return;
    }
    if mesh.first_primitive < passed.first_primitive {
        passed = Passed(passed.least, mesh.first_primitive, mesh.end, 0u, false);
    }
    passed.count += u32(is_crossed);
    passed.is_on = passed.is_on || is_on;
}

// The closed meshes that a ray leaves more often than it enters, from t_min on, each after a walk of its own; up to
// the lowest of them where no more is asked.
fn add_meshes(ray: Ray, is_lowest_enough: bool) {
    var beyond = ray;
    beyond.t_max = T_LIMIT;
    begin = ray.origin + ray.t_min * ray.direction;
    passed.end = 0u;
    let closed_meshes = scene_header.closed_meshes;
    for (var turn = 0u; turn < closed_meshes; turn++) {
        passed = Passed(passed.end, NONE, NONE, 0u, false);
        traverse(beyond, AROUND, Nearest(beyond.t_max, NONE));
        if passed.first_primitive == NONE {
            break;
        }
        if passed.is_on || (passed.count & 1u) == 1u {
            add_container(passed.first_primitive);
            if is_lowest_enough {
                break;
            }
        }
    }
}

// The solids in or on which the ray's point at t_min lies.
fn containment_at_start(ray: Ray, is_lowest_enough: bool) -> Containment {
    containment = Containment(0u, NONE);
    var here = ray;
    here.t_max = ray.t_min;
    traverse(here, CONTAINMENT, Nearest(here.t_max, NONE));
    if HAS_MESH_TRIANGLE {
        add_meshes(ray, is_lowest_enough);
    }
    return containment;
}

// The lowest of them, NONE where there is none.
fn lowest_container(ray: Ray) -> u32 {
    return containment_at_start(ray, true).lowest;
}
