// What holds a point: a line through it tells of each solid whether the point lies inside. See src/cpu/inside.rs.

struct Holders {
    count: u32,
    // by the number of its first part, NONE where there is none
    lowest: u32,
}

var<private> holders: Holders;

// A closed mesh, as a ray passes it.
struct Passed {
    // meshes whose parts come before this are left out
    least: u32,
    // the lowest of the others, NONE where there is none
    first_part: u32,
    end: u32,
    // how often the ray crosses it
    count: u32,
    // whether the ray begins on it
    is_on: bool,
}

var<private> passed: Passed;

// Where the ray begins.
var<private> begin: vec3<f32>;

fn add_holder(part: u32) {
    holders.count++;
    holders.lowest = min(holders.lowest, part);
}

fn note_holder(spans: Spans, is_solid: bool, part: u32, t: f32) {
    let is_in_first = spans.x <= t && t <= spans.y;
    let is_in_later = spans.z <= t && t <= spans.w;
    if is_solid && (is_in_first || is_in_later) {
        add_holder(part);
    }
}

// A facet that the ray crosses at t, or that is so far from where it begins: one in which the ray runs is not crossed.
fn note_mesh(mesh: MeshWord, t: f32, distance: f32, ray: Ray) {
    let is_crossed = t >= ray.t_min && t <= ray.t_max;
    let is_on = distance == 0.0;
    let is_met = is_crossed || is_on;
    if !is_met || mesh.is_closed == 0u || mesh.first_part < passed.least
        || mesh.first_part > passed.first_part {
        return;
    }
    if mesh.first_part < passed.first_part {
        passed = Passed(passed.least, mesh.first_part, mesh.end, 0u, false);
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
    for (var turn = 0u; turn < MESHES; turn++) {
        passed = Passed(passed.end, NONE, NONE, 0u, false);
        walk(beyond, AROUND, Nearest(beyond.t_max, NONE));
        if passed.first_part == NONE {
            break;
        }
        if passed.is_on || (passed.count & 1u) == 1u {
            add_holder(passed.first_part);
            if is_lowest_enough {
                break;
            }
        }
    }
}

// The solids in or on which the ray's point at t_min lies.
fn holders_at_begin(ray: Ray, is_lowest_enough: bool) -> Holders {
    holders = Holders(0u, NONE);
    var here = ray;
    here.t_max = ray.t_min;
    walk(here, HOLDERS, Nearest(here.t_max, NONE));
    add_meshes(ray, is_lowest_enough);
    return holders;
}

// The lowest of them, NONE where there is none.
fn lowest_holder(ray: Ray) -> u32 {
    return holders_at_begin(ray, true).lowest;
}
