// Finds the solids that contain a point: the spans of a line through the point show whether it lies inside a closed
// form, and the parity of a ray's crossings shows it for a closed mesh. See src/cpu/containment.rs.

struct Containment {
    count: u32,
    // the first primitive of the lowest of them, NONE if there is none
    lowest: u32,
}

var<private> containment: Containment;

// The lowest closed mesh that a ray meets, and how often the ray crosses it.
struct MeshParity {
    // meshes whose primitives come before this are skipped
    first_allowed: u32,
    // the range of the mesh's primitives; the first is NONE if there is no mesh
    first_primitive: u32,
    end: u32,
    // how often the ray crosses it
    crossings: u32,
    // true if the ray begins on it
    is_start_on: bool,
}

var<private> mesh_parity: MeshParity;

// The point where the ray begins.
var<private> ray_start: vec3<f32>;

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

// Counts a crossing of a mesh's triangle at t. It also checks the distance from the triangle to the ray's start,
// because a ray that runs in a triangle's plane does not cross it.
fn note_mesh_triangle(mesh: MeshParams, t: f32, distance: f32, ray: Ray) {
    let is_crossed = t >= ray.t_min && t <= ray.t_max;
    let is_on = distance == 0.0;
    let is_relevant = is_crossed || is_on;
    if !is_relevant || mesh.is_closed == 0u || mesh.first_primitive < mesh_parity.first_allowed
        || mesh.first_primitive > mesh_parity.first_primitive {
        return;
    }
    if mesh.first_primitive < mesh_parity.first_primitive {
        mesh_parity = MeshParity(mesh_parity.first_allowed, mesh.first_primitive, mesh.end, 0u, false);
    }
    mesh_parity.crossings += u32(is_crossed);
    mesh_parity.is_start_on = mesh_parity.is_start_on || is_on;
}

// Adds the closed meshes that contain the ray's start: those that the ray crosses an odd number of times from t_min on,
// and those on which it begins. Each mesh takes a traversal of its own, in the order of their primitives. If the lowest
// mesh is enough, the search ends with it.
fn add_closed_meshes(ray: Ray, is_lowest_enough: bool) {
    var beyond = ray;
    beyond.t_max = T_LIMIT;
    ray_start = ray.origin + ray.t_min * ray.direction;
    mesh_parity.end = 0u;
    let closed_meshes = scene_header.closed_meshes;
    for (var iteration = 0u; iteration < closed_meshes; iteration++) {
        mesh_parity = MeshParity(mesh_parity.end, NONE, NONE, 0u, false);
        traverse(beyond, MESH_PARITY);
        if mesh_parity.first_primitive == NONE {
            break;
        }
        if mesh_parity.is_start_on || (mesh_parity.crossings & 1u) == 1u {
            add_container(mesh_parity.first_primitive);
            if is_lowest_enough {
                break;
            }
        }
    }
}

// Returns the solids in or on which the ray's point at t_min lies.
fn containment_at_start(ray: Ray, is_lowest_enough: bool) -> Containment {
    containment = Containment(0u, NONE);
    var here = ray;
    here.t_max = ray.t_min;
    traverse(here, CONTAINMENT);
    if HAS_MESH_TRIANGLE {
        add_closed_meshes(ray, is_lowest_enough);
    }
    return containment;
}

// Returns the lowest of these solids, NONE if there is none.
fn lowest_container(ray: Ray) -> u32 {
    return containment_at_start(ray, true).lowest;
}
