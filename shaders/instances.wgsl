// Instances. A traversal that meets one goes on in the tree of its definition, with the ray in object space, and then takes up
// the world's tree again. The direction is not normalised, so t is the same in both spaces, up to a power of two that keeps the
// direction's largest component in [1, 2). See src/cpu/instances.rs. One loop serves both levels, so each shape's code is
// compiled once. Devices traverse instances in wide trees only.

// The rows of params of an instance, which begin at this times its number.
const INSTANCE_ROWS: u32 = 3u;

// The visit to an instance.
struct Visit {
    // NONE outside of all instances
    instance: u32,
    // the definition's first record, and the first of those that are intersected before its tree
    first_record: u32,
    first_unbounded: u32,
    // t in the world = t in object space * t_unit
    t_unit: f32,
    // what rounding took of the ray's origin in object space
    origin_rest: vec3<f32>,
    // the state in which the traversal of the world's tree waits
    origin: vec3<f32>,
    direction: vec3<f32>,
    inner: u32,
    shapes: u32,
    unbounded: u32,
}

var<private> visit: Visit;

fn visit_to_none() -> Visit {
    return Visit(
        NONE, 0u, own_first_unbounded(), 1.0, vec3<f32>(0.0), vec3<f32>(0.0), vec3<f32>(0.0), 0u, 0u, 0u);
}

// Begins the traversal of an instance. The entries of the world's tree stay on the stack below one that says "none".
fn enter_instance(traversal: ptr<function, Traversal>, record: Record) {
    let definition = scene_params[record.fourth.w];
    let rows = INSTANCE_ROWS * record.fourth.y;
    let placed = ray_in_object(traversal.ray, inverse_in(record, rows));
    let is_whole = scene_header.instance == NONE;
    let root = select(scene_header.root, select(NONE, ROOT, definition.y > 0u), is_whole);
    let first_unbounded = select(scene_header.first_unbounded, definition.y, is_whole);
    let unbounded = select(scene_header.unbounded_records, definition.z, is_whole);
    visit = Visit(
        record.fourth.y, definition.x, definition.x + first_unbounded, placed.t_unit, placed.origin.low,
        traversal.ray.origin, traversal.ray.direction, traversal.inner, traversal.shapes, traversal.unbounded);
    aim(traversal, placed.origin.high, placed.direction, placed.t_unit);
    traversal.inner = entry_of_root(root, traversal.octant);
    traversal.unbounded = unbounded;
    traversal.shapes = entry_of_unbounded(first_unbounded, unbounded);
    if root != NONE {
        push(0u);
    }
}

// Continues the traversal of the world's tree.
fn leave_instance(traversal: ptr<function, Traversal>) {
    traversal.inner = visit.inner;
    traversal.shapes = visit.shapes;
    traversal.unbounded = visit.unbounded;
    aim(traversal, visit.origin, visit.direction, 1.0);
    visit = visit_to_none();
}

// Gives a traversal another ray of the same t.
fn aim(traversal: ptr<function, Traversal>, origin: vec3<f32>, direction: vec3<f32>, t_unit: f32) {
    traversal.ray.origin = origin;
    traversal.ray.direction = direction;
    traversal.inverse = t_unit * inverses_of(direction);
    traversal.octant = octant_of(direction);
}

// Returns a t of the world in object space.
fn t_in_object(t: f32) -> f32 {
    return t * inverse_power_of_two(visit.t_unit);
}

// Returns t of object space in the world. A t above every t of a hit stays so and finite.
fn spans_in_world(spans: Spans) -> Spans {
    let limit = 2.0 * t_in_object(T_LIMIT);
    return clamp(spans, vec4<f32>(-limit), vec4<f32>(limit)) * visit.t_unit;
}

fn t_in_world(t: f32) -> f32 {
    return spans_in_world(Spans(t)).x;
}

// Adds the half-spaces of an instance that contain the start of a ray, if a record holds an instance.
fn add_half_spaces_in(record: Record, ray: Ray) {
    if kind_of(record) != INSTANCE {
        return;
    }
    var traversal = start_of_traversal(ray);
    enter_instance(&traversal, record);
    let first = visit.first_unbounded;
    let count = traversal.unbounded;
    for (var index = first; index < first + count; index++) {
        add_half_space(record_at(index), traversal.ray);
    }
    leave_instance(&traversal);
}
