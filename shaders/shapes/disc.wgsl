// center, radius | normal, inner radius

fn disc_crossing(own: Words, start: Near, ray: Ray) -> f32 {
    let center_radius = own.first;
    let normal_inner = own.second;
    let normal = normal_inner.xyz;
    let speed = dot(ray.direction, normal);
    if abs(speed) < ALONG_FACE {
        return NEVER;
    }
    let depth = dot(start.offset, normal);
    // The crossing point seen from the centre, times the speed, so that integers stay exact.
    let aside = depth * ray.direction - speed * start.offset;
    let distance_squared = dot(aside, aside);
    let outer = center_radius.w * speed;
    let inner = normal_inner.w * speed;
    // Both rims belong to the disc.
    if distance_squared > outer * outer || distance_squared < inner * inner {
        return NEVER;
    }
    return start.t + depth / speed;
}

fn disc_distance(own: Words, from_center: vec3<f32>) -> f32 {
    let place = place_about(own.second.xyz, from_center);
    let aside = max(max(place.x - own.first.w, own.second.w - place.x), 0.0);
    return length(vec2<f32>(aside, place.y));
}
