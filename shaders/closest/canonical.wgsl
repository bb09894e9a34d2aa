// The closest hit of a ray as a primitive that the host intersects in float64. Two bounds on the t of each primitive's
// first crossing replace t: see shaders/canonical/zones.wgsl.
//
// The traversal finds every primitive that matters. Boxes are grown by 8 u of their coordinates and their tests by 16 u of
// t, so they are met by every ray that the exact ray comes near. A box is left out only if it is entered after the least
// upper bound so far, and that bound never grows. So each crossing that is left out lies behind one that is certain.

// The best hit so far.
struct Nearest {
    // the least upper bound, or else a t from which on nothing matters
    t: f32,
    // its primitive, if there is one
    primitive: PrimitiveRef,
    // the lower bound of the same primitive
    low: f32,
    // the least lower bound of all others
    rival: f32,
}

// The lower bounds of shapes are rounded, so a little more than the interval matters.
fn no_hit_up_to(t_max: f32) -> Nearest {
    return Nearest(t_max + BAND * abs(t_max), NO_PRIMITIVE, NEVER, NEVER);
}

// Returns the number of a primitive's record in the traversed tree, with which the host finds it.
fn number_in_answer(index: u32, primitive: u32) -> u32 {
    if HAS_INSTANCE {
        return index - visit.first_record;
    }
    return index;
}

// Returns the best hit so far, updated by that of another primitive. A crossing is certain only if its upper bound is not
// beyond the ray's end.
fn nearest_with(bounds: Span, primitive: PrimitiveRef, ray: Ray, best: Nearest) -> Nearest {
    if (bounds.y < best.t) & (bounds.y <= ray.t_max) {
        return Nearest(bounds.y, primitive, bounds.x, min(best.rival, best.low));
    }
    return Nearest(best.t, best.primitive, best.low, min(best.rival, bounds.x));
}

fn nearest_with_shape(
    kind: u32, params: ShapeParams, spans: Spans, primitive: PrimitiveRef, ray: Ray, best: Nearest,
) -> Nearest {
    let zone = zone_in_world(zone_of_shape(kind, params, ray));
    var bounds = first_crossing_bounds(zone, ray.t_min);
    if IS_START_IN_SOLID_DOUBTED & is_solid(kind) & may_hold(zone, ray.t_min) {
        bounds = Span(-NEVER, NEVER);
    }
    return nearest_with(bounds, primitive, ray, best);
}

// The pad also covers the rounding of a line that starts far away from the field.
fn pad_of_field(pad: f32, center: vec3<f32>, ray: Ray) -> f32 {
    return 2.0 * pad + BAND * sum_of_sizes(from_origin(center, ray));
}

// The pad has a quarter of the distance by which a corner may be displaced, relative to the line.
fn nearest_with_facet(
    seen: array<vec3<f32>, 3>, normal: vec3<f32>, direction: vec3<f32>, start_t: f32, pad: f32, t: f32,
    field: u32, triangle: u32, ray: Ray, best: Nearest,
) -> Nearest {
    let zone = zone_in_world(zone_of_facet(seen, normal, direction, start_t, 4.0 * pad));
    return nearest_with(first_crossing_bounds(zone, ray.t_min), primitive_here(field), ray, best);
}

// Returns the number of a primitive that the host must intersect, or an infinite t for a certain miss. Returns neither for
// a ray in doubt: another primitive may be crossed before the best one.
fn answer_of(index: u32, is_valid: bool, query_kind: u32, best: Nearest, was_cast: bool) -> Hit {
    if query_kind == ALL {
        return hit_of(noted.count, NO_PRIMITIVE);
    }
    if !is_valid {
        return hit_of(NAN_BITS, NO_PRIMITIVE);
    }
    let is_first = best.rival > best.t;
    if is_primitive(best.primitive) & (is_first | (query_kind == ANY)) {
        return hit_of(0u, best.primitive);
    }
    return hit_of(select(0u, INFINITY_BITS, is_first & !is_primitive(best.primitive)), NO_PRIMITIVE);
}
