// What rays look for: what has no box is asked first, then a tree is walked, as shaders/trace/ has it for each layout.

// Two constants are printed into the module: STACK_SIZE is the tree's depth rounded up, because near children first
// leave at most one entry a level waiting, and IS_FILTERED tells whether rays may differ in what they may meet.

// What a walk is for: the first crossing; any crossing; all of them, noted one by one; the solids that hold the ray's
// point at t_min; of the closed meshes that it passes from there on the lowest.
const CLOSEST: u32 = 0u;
const ANY: u32 = 1u;
const ALL: u32 = 2u;
const CONTAINMENT: u32 = 3u;
const AROUND: u32 = 4u;

// What a ray may meet: geometries with whose mask its own has a bit in common, but not the parts of the one that it
// passes through.
struct RayFilter {
    mask: u32,
    first_ignored: u32,
    ignored: u32,
}

// That of the thread's ray.
var<private> ray_filter: RayFilter;

// A direction's component below this is as good as none, and its inverse is still a number.
const MIN_SPEED: f32 = 0x1p-60;

struct Nearest {
    t: f32,
    primitive: u32,
}

fn inverse_of(speed: f32) -> f32 {
    let steady = select(speed, select(MIN_SPEED, -MIN_SPEED, speed < 0.0), abs(speed) < MIN_SPEED);
    return 1.0 / steady;
}

fn may_meet(kind: u32, primitive: u32, mask_or_params: u32) -> bool {
    var mask = mask_or_params;
    if HAS_MESH_TRIANGLE && kind == MESH_TRIANGLE {
        mask = mesh_params(mask_or_params).mask;
    }
    if HAS_HEIGHTFIELD && kind == HEIGHTFIELD {
        mask = scene_params[mask_or_params + 3u].w;
    }
    return (mask & ray_filter.mask) != 0u && primitive - ray_filter.first_ignored >= ray_filter.ignored;
}

// Of equal t the lower part wins.
fn nearer(met: Nearest, best: Nearest) -> Nearest {
    if met.t < best.t || (met.t == best.t && met.primitive < best.primitive) {
        return met;
    }
    return best;
}

// Asks the shape in a record.
fn intersect_record(index: u32, ray: Ray, query_kind: u32, best: Nearest) -> Nearest {
    let record = record_at(index);
    let params = ShapeParams(
        bitcast<vec4<f32>>(record.first), bitcast<vec4<f32>>(record.second), bitcast<vec4<f32>>(record.third));
    // Of what is no shape this is no kind.
    let kind = (record.fourth.x ^ SHAPE_MARK) | record.fourth.z;
    let primitive = record.fourth.y;
    if IS_FILTERED && !may_meet(kind, primitive, record.fourth.w) {
        return best;
    }
    if HAS_HEIGHTFIELD && kind == HEIGHTFIELD {
        if query_kind > ALL {
            return best;
        }
        return nearer(heightfield_crossing(params, record.fourth.w, primitive, ray, query_kind, best.t), best);
    }
    let spans = shape_spans(kind, params, ray, query_kind >= ALL);
    if query_kind == ALL {
        note_spans(spans, is_surface(kind), primitive, ray);
        return best;
    }
    if query_kind == CONTAINMENT {
        note_container(spans, is_solid(kind), primitive, ray.t_min);
        return best;
    }
    if query_kind == AROUND {
        if HAS_MESH_TRIANGLE && kind == MESH_TRIANGLE {
            note_mesh(mesh_params(record.fourth.w), spans.x, distance_to(kind, params, begin), ray);
        }
        return best;
    }
    let t = min(first_of(spans.xy, ray.t_min), first_of(spans.zw, ray.t_min));
    return nearer(Nearest(t, primitive), best);
}

// Whether nothing more is sought.
fn is_done(query_kind: u32, best: Nearest) -> bool {
    return query_kind == ANY && best.primitive != NONE;
}

// Asks every shape of a row of records.
fn intersect_records(first: u32, count: u32, ray: Ray, query_kind: u32, so_far: Nearest) -> Nearest {
    var best = so_far;
    for (var index = first; index < first + count; index++) {
        if is_done(query_kind, best) {
            break;
        }
        best = intersect_record(index, ray, query_kind, best);
    }
    return best;
}

// What a ray finds in the whole scene.
fn traverse_scene(ray: Ray, query_kind: u32) -> Nearest {
    let best = intersect_records(
        scene_header.tree_records, scene_header.unbounded_records, ray, query_kind, Nearest(ray.t_max, NONE));
    if is_done(query_kind, best) {
        return best;
    }
    return traverse(ray, query_kind, best);
}
