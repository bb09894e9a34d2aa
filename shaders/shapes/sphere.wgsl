// center, radius

// The closest-approach form (Haines, Günther, Akenine-Möller, Ray Tracing Gems, ch. 7): b² − ac would
// cancel far away.
fn sphere_span(word: u32, ray: Ray) -> Span {
    let center_radius = words[word];
    let radius = center_radius.w;
    let start = near(ray, center_radius.xyz);
    // Everything times dd: no division comes before the roots, so integers stay exact.
    let dd = dot(ray.direction, ray.direction);
    let middle = dot(start.offset, ray.direction);
    let to_center = dd * start.offset - middle * ray.direction;
    let reach = radius * dd;
    let half_chord_squared = reach * reach - dot(to_center, to_center);
    // A tangent ray, with 0 here, hits.
    if half_chord_squared < 0.0 {
        return NO_SPAN;
    }
    let half = sqrt(half_chord_squared / dd);
    return Span(start.t + (middle - half) / dd, start.t + (middle + half) / dd);
}
