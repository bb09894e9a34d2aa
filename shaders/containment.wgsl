// Finds the solids that contain a point: the spans of a line through the point show whether it lies inside a closed
// form, and the parity of a ray's crossings shows it for a closed mesh. See src/cpu/containment.rs.
//
// IS_LISTING is printed into the module. If it is true, the evidence is listed for the host, which combines the lists of
// several parts of a scene: see containers.wgsl.

// The replacement of t in such a list.
const IN_SOLID: u32 = 0u;
const CROSSES_MESH: u32 = 1u;
const ON_MESH: u32 = 2u;

struct Containment {
    count: u32,
    // the first primitive of the lowest of them, if there is one
    lowest: PrimitiveRef,
}

var<private> containment: Containment;

// The lowest closed mesh that a ray meets, and how often the ray crosses it.
struct MeshParity {
    // the last primitive of the mesh before, if there is one; meshes up to there are skipped
    before: PrimitiveRef,
    // the mesh's first and last primitive, if there is a mesh
    first: PrimitiveRef,
    last: PrimitiveRef,
    // how often the ray crosses it
    crossings: u32,
    // true if the ray begins on it
    is_start_on: bool,
}

var<private> mesh_parity: MeshParity;

// The point where the ray begins.
var<private> ray_start: vec3<f32>;

// Returns that point in the space that is traversed.
fn start_here(ray: Ray) -> vec3<f32> {
    if HAS_INSTANCE {
        if visit.instance != NONE {
            return ray.origin + (t_in_object(ray.t_min) * ray.direction + visit.origin_rest);
        }
    }
    return ray_start;
}

fn add_container(primitive: PrimitiveRef) {
    if IS_LISTING {
        note_hit(hit_of(IN_SOLID, primitive));
        return;
    }
    containment.count++;
    if precedes(primitive, containment.lowest) {
        containment.lowest = primitive;
    }
}

fn note_container(spans: Spans, is_solid: bool, primitive: PrimitiveRef, t: f32) {
    let is_in_first = (spans.x <= t) & (t <= spans.y);
    let is_in_later = (spans.z <= t) & (t <= spans.w);
    if is_solid & (is_in_first | is_in_later) {
        add_container(primitive);
    }
}

// Counts a crossing of a mesh's triangle. It also checks the distance from the triangle to the ray's start, because a ray that
// runs in a triangle's plane does not cross it.
fn note_mesh_triangle(mesh: MeshParams, params: ShapeParams, ray: Ray) {
    // The kind is a constant here, so that compilers leave out the code of all others.
    var spans = shape_spans(MESH_TRIANGLE, params, ray, true);
    if HAS_INSTANCE {
        spans = spans_in_world(spans);
    }
    let t = spans.x;
    let is_crossed = (t >= ray.t_min) & (t <= ray.t_max);
    let is_on = distance_to(MESH_TRIANGLE, params, start_here(ray)) == 0.0;
    if !(is_crossed | is_on) | (mesh.is_closed == 0u) {
        return;
    }
    let first = primitive_here(mesh.first_primitive);
    if IS_LISTING {
        note_hit(hit_of(select(0u, CROSSES_MESH, is_crossed) | select(0u, ON_MESH, is_on), first));
        return;
    }
    let is_skipped = is_primitive(mesh_parity.before) & !precedes(mesh_parity.before, first);
    if is_skipped | precedes(mesh_parity.first, first) {
        return;
    }
    if precedes(first, mesh_parity.first) {
        mesh_parity = MeshParity(mesh_parity.before, first, primitive_here(mesh.end - 1u), 0u, false);
    }
    mesh_parity.crossings += u32(is_crossed);
    mesh_parity.is_start_on = mesh_parity.is_start_on | is_on;
}

// Adds the closed meshes that contain the ray's start: those that the ray crosses an odd number of times from t_min on, and
// those on which it begins. Each mesh needs a traversal of its own, in the order of their primitives. If only the lowest
// mesh is needed, the search ends with it.
fn add_closed_meshes(ray: Ray, is_lowest_enough: bool) {
    var beyond = ray;
    beyond.t_max = T_LIMIT;
    ray_start = ray.origin + ray.t_min * ray.direction;
    if IS_LISTING {
        traverse(beyond, MESH_PARITY);
        return;
    }
    mesh_parity.last = NO_PRIMITIVE;
    let closed_meshes = scene_header.closed_meshes;
    for (var iteration = 0u; iteration < closed_meshes; iteration++) {
        mesh_parity = MeshParity(mesh_parity.last, NO_PRIMITIVE, NO_PRIMITIVE, 0u, false);
        traverse(beyond, MESH_PARITY);
        if !is_primitive(mesh_parity.first) {
            break;
        }
        if mesh_parity.is_start_on | ((mesh_parity.crossings & 1u) == 1u) {
            add_container(mesh_parity.first);
            if is_lowest_enough {
                break;
            }
        }
    }
}

// Returns the solids in or on which the ray's point at t_min lies.
fn containment_at_start(ray: Ray, is_lowest_enough: bool) -> Containment {
    containment = Containment(0u, NO_PRIMITIVE);
    var here = ray;
    here.t_max = ray.t_min;
    traverse(here, CONTAINMENT);
    if HAS_MESH_TRIANGLE {
        add_closed_meshes(ray, is_lowest_enough);
    }
    return containment;
}

// Returns the lowest of these solids, if there is one.
fn lowest_container(ray: Ray) -> PrimitiveRef {
    return containment_at_start(ray, true).lowest;
}
