// point, 0 | normal, 0

// By heights above the plane, from a point of the line near the given one.
fn plane_crossing(word: u32, ray: Ray) -> f32 {
    let point = words[word].xyz;
    let normal = words[word + 1u].xyz;
    let speed = dot(ray.direction, normal);
    if abs(speed) < ALONG_FACE {
        return NEVER;
    }
    let start = near(ray, point);
    return start.t + dot(start.offset, normal) / speed;
}
