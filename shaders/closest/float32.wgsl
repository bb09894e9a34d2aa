// The closest hit of a ray by the t of the shapes' formulas. The file closest/canonical.wgsl replaces this one in kernels
// whose answers the host completes.

// The best hit so far.
struct Nearest {
    t: f32,
    primitive: PrimitiveRef,
}

fn no_hit_up_to(t_max: f32) -> Nearest {
    return Nearest(t_max, NO_PRIMITIVE);
}

// Returns the number of the primitive in a record, for answers.
fn number_in_answer(index: u32, primitive: u32) -> u32 {
    return primitive;
}

// Returns the nearer of two hits. At equal t the lower primitive wins.
fn nearer(found: Nearest, best: Nearest) -> Nearest {
    var is_nearer = found.t < best.t;
    if found.t == best.t {
        is_nearer = precedes(found.primitive, best.primitive);
    }
    var nearest = best;
    if is_nearer {
        nearest = found;
    }
    return nearest;
}

// Returns the best hit so far, or that of a shape, given its spans.
fn nearest_with_shape(
    kind: u32, params: ShapeParams, spans: Spans, primitive: PrimitiveRef, ray: Ray, best: Nearest,
) -> Nearest {
    let t = min(first_from(spans.xy, ray.t_min), first_from(spans.zw, ray.t_min));
    return nearer(Nearest(t, primitive), best);
}

// Returns the margin of a heightfield's cells, given that of lines near its centre.
fn pad_of_field(pad: f32, center: vec3<f32>, ray: Ray) -> f32 {
    return pad;
}

// Returns the best hit so far, or that of a heightfield's triangle, given where the line crosses it.
fn nearest_with_facet(
    seen: array<vec3<f32>, 3>, normal: vec3<f32>, direction: vec3<f32>, start_t: f32, pad: f32, t: f32,
    field: u32, triangle: u32, ray: Ray, best: Nearest,
) -> Nearest {
    if t >= ray.t_min {
        return nearer(Nearest(t, primitive_here(field + triangle)), best);
    }
    return best;
}

// Returns the answer to a ray. The best hit is that of its traversal if there was one, otherwise its container.
fn answer_of(index: u32, is_valid: bool, query_kind: u32, best: Nearest, was_cast: bool) -> Hit {
    if query_kind == ALL {
        return hit_of(noted.count, NO_PRIMITIVE);
    }
    if !is_valid {
        return hit_of(NAN_BITS, NO_PRIMITIVE);
    }
    if !is_primitive(best.primitive) {
        return hit_of(INFINITY_BITS, NO_PRIMITIVE);
    }
    if IS_SOLID && !was_cast {
        return hit_of(rays[index].t_min, best.primitive);
    }
    // The scale is computed again, because keeping it would use a register during the traversal.
    let t_scale = inverse_power_of_two(length_scale(direction_of(rays[index])));
    return hit_of(bitcast<u32>(best.t * t_scale), best.primitive);
}
