// Layout: center, radius | normal, inner radius

fn disc_crossing(params: ShapeParams, start: Near, ray: Ray) -> f32 {
    let center_radius = params.first;
    let normal_inner = params.second;
    let normal = normal_inner.xyz;
    let speed = dot(ray.direction, normal);
    if abs(speed) < ALONG_FACE {
        return NEVER;
    }
    let depth = dot(start.offset, normal);
    // This is the crossing point relative to the centre, times the speed, so that integers stay exact.
    let aside = depth * ray.direction - speed * start.offset;
    let distance_squared = dot(aside, aside);
    let outer = center_radius.w * speed;
    let inner = normal_inner.w * speed;
    // Both rims belong to the disc.
    if (distance_squared > outer * outer) | (distance_squared < inner * inner) {
        return NEVER;
    }
    return start.t + depth / speed;
}

fn disc_distance(params: ShapeParams, from_center: vec3<f32>) -> f32 {
    let local_point = place_about(params.second.xyz, from_center);
    let aside = max(max(local_point.x - params.first.w, params.second.w - local_point.x), 0.0);
    return length(vec2<f32>(aside, local_point.y));
}
