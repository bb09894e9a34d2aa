// Layout: center, radius

// Returns the span inside a ball by the closest-approach form (Haines, Günther, Akenine-Möller, Ray Tracing Gems, ch. 7),
// because b² − ac would cancel far away. It is counted from a point of the line from which `offset` leads to the centre.
fn ball_span(offset: vec3<f32>, direction: vec3<f32>, radius: f32) -> Span {
    // All terms are times dd, so that no division comes before the roots and integers stay exact.
    let dd = dot(direction, direction);
    let middle = dot(offset, direction);
    let to_center = dd * offset - middle * direction;
    let reach = radius * dd;
    let half_chord_squared = reach * reach - dot(to_center, to_center);
    // A tangent ray has 0 here and hits.
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
