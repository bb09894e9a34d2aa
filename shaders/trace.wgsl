// Casts a ray: primitives without a box are intersected first, then the tree is traversed. The file of shaders/trace/ for
// the tree's layout has the state of a traversal and its steps.

// Two constants are printed into the module. STACK_SIZE is the tree's depth rounded up, because a traversal that visits
// near children first leaves at most one entry a level on the stack. IS_FILTERED is true if each ray has a filter.

// The kinds of queries: the first crossing; any crossing; all crossings, written one by one; the solids that contain
// the ray's point at t_min; the lowest closed mesh that the ray meets from there on, with the parity of its crossings.
const CLOSEST: u32 = 0u;
const ANY: u32 = 1u;
const ALL: u32 = 2u;
const CONTAINMENT: u32 = 3u;
const MESH_PARITY: u32 = 4u;

// The filter of a ray: it may hit geometries whose mask shares a bit with its own mask, but not the primitives of the
// one geometry that it ignores.
struct RayFilter {
    mask: u32,
    first_ignored: u32,
    ignored: u32,
    // the instance of the geometry that it ignores, NONE for a geometry of the scene's own
    instance: u32,
    // the number of the world in which the ray is cast
    world: u32,
}

// The filter of the thread's ray.
var<private> ray_filter: RayFilter;

// A component of a direction below this counts as this, so that its inverse stays finite.
const MIN_SPEED: f32 = 0x1p-60;

fn inverse_of(speed: f32) -> f32 {
    let steady = select(speed, select(MIN_SPEED, -MIN_SPEED, speed < 0.0), abs(speed) < MIN_SPEED);
    return 1.0 / steady;
}

fn inverses_of(direction: vec3<f32>) -> vec3<f32> {
    return vec3<f32>(inverse_of(direction.x), inverse_of(direction.y), inverse_of(direction.z));
}

fn may_meet(kind: u32, primitive: u32, mask_or_params: u32) -> bool {
    var mask = mask_or_params;
    if HAS_MESH_TRIANGLE && kind == MESH_TRIANGLE {
        mask = mesh_params(mask_or_params).mask;
    }
    if is_heightfield(kind) {
        mask = scene_params[mask_or_params + 3u].w;
    }
    let is_seen = (mask & ray_filter.mask) != 0u;
    let is_kept = primitive - ray_filter.first_ignored >= ray_filter.ignored;
    if HAS_INSTANCE {
        return is_seen & (is_kept | (visit.instance != ray_filter.instance));
    }
    return is_seen & is_kept;
}

// Intersects the shape in a record and returns the best hit so far.
fn intersect_record(index: u32, ray: Ray, query_kind: u32, best: Nearest) -> Nearest {
    let record = record_at(index);
    let head = record.fourth;
    let kind = kind_of(record);
    if IS_FILTERED && !may_meet(kind, head.y, head.w) {
        return best;
    }
    // The shapes come first and each side reads the params itself, so that they take no registers during the traversal of
    // a heightfield, which needs the most.
    if !is_heightfield(kind) {
        let number = number_in_answer(index, head.y);
        return intersect_shape(kind, params_of(index, record), number, head.w, ray, query_kind, best);
    }
    if HAS_HEIGHTFIELD || HAS_CLOSED_HEIGHTFIELD {
        if query_kind <= ALL {
            return heightfield_crossing(
                params_of(index, record), head.w, is_closed_heightfield(kind), number_in_answer(index, head.y), ray,
                query_kind, best);
        }
        if HAS_CLOSED_HEIGHTFIELD && query_kind == CONTAINMENT {
            let params = params_of(index, record);
            var t = ray.t_min;
            if HAS_INSTANCE {
                t = t_in_object(t);
            }
            let from_center = t * ray.direction - from_origin(params.first.xyz, ray);
            if is_closed_heightfield(kind) {
                if heightfield_holds(params, head.w, from_center) {
                    add_container(primitive_here(head.y));
                }
            }
        }
    }
    return best;
}

// Intersects a shape that is not a heightfield and returns the best hit so far.
fn intersect_shape(
    kind: u32, params: ShapeParams, primitive: u32, mask_or_params: u32, ray: Ray, query_kind: u32, best: Nearest,
) -> Nearest {
    if query_kind == MESH_PARITY {
        if HAS_MESH_TRIANGLE && kind == MESH_TRIANGLE {
            note_mesh_triangle(mesh_params(mask_or_params), params, ray);
        }
        return best;
    }
    var spans = shape_spans(kind, params, ray, query_kind >= ALL);
    if HAS_INSTANCE {
        spans = spans_in_world(spans);
    }
    let primitive_ref = primitive_here(primitive);
    if query_kind == ALL {
        note_spans(spans, is_surface(kind), primitive_ref, ray);
        return best;
    }
    if query_kind == CONTAINMENT {
        note_container(spans, is_solid(kind), primitive_ref, ray.t_min);
        return best;
    }
    return nearest_with_shape(kind, params, spans, primitive_ref, ray, best);
}

// Returns true if the query needs no further hit.
fn is_done(query_kind: u32, best: Nearest) -> bool {
    return (query_kind == ANY) & is_primitive(best.primitive);
}

// Casts a ray into the whole scene.
fn traverse(ray: Ray, query_kind: u32) -> Nearest {
    var traversal = start_of_traversal(ray);
    let max_steps = scene_header.max_traversal_steps;
    // Each step visits a node, none of them twice, or intersects a shape, or enters an instance.
    for (var step = 0u; step < max_steps; step++) {
        if advance(&traversal, query_kind) {
            break;
        }
    }
    return traversal.best;
}
