// center, radius

// The closest-approach form (Haines, Günther, Akenine-Möller, Ray Tracing Gems, ch. 7): b² − ac would
// cancel far away. From a point of the line; `offset` leads from there to the middle.
fn ball_span(offset: vec3<f32>, direction: vec3<f32>, radius: f32) -> Span {
    // Everything times dd: no division comes before the roots, so integers stay exact.
    let dd = dot(direction, direction);
    let middle = dot(offset, direction);
    let to_center = dd * offset - middle * direction;
    let reach = radius * dd;
    let half_chord_squared = reach * reach - dot(to_center, to_center);
    // A tangent ray, with 0 here, hits.
    if half_chord_squared < 0.0 {
        return NO_SPAN;
    }
    let half = sqrt(half_chord_squared / dd);
    return Span((middle - half) / dd, (middle + half) / dd);
}

fn sphere_span(params: ShapeParams, start: Near, ray: Ray) -> Span {
    let center_radius = params.first;
    let radius = center_radius.w;
    let span = ball_span(start.offset, ray.direction, radius);
    if is_empty(span) {
        return NO_SPAN;
    }
    return span + start.t;
}

fn sphere_distance(params: ShapeParams, from_center: vec3<f32>) -> f32 {
    return abs(length(from_center) - params.first.w);
}
