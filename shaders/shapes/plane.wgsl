// point, 0 | normal, 0

// By heights above the plane, from a point of the line near the given one.
fn plane_crossing(own: Words, start: Near, ray: Ray) -> f32 {
    let normal = own.second.xyz;
    let speed = dot(ray.direction, normal);
    if abs(speed) < ALONG_FACE {
        return NEVER;
    }
    return start.t + dot(start.offset, normal) / speed;
}
