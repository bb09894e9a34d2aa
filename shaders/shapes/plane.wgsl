// Layout: point, 0 | normal, 0

// Returns the crossing by heights above the plane, counted from a point of the line near the plane's point.
fn plane_crossing(params: ShapeParams, start: Near, ray: Ray) -> f32 {
    let normal = params.second.xyz;
    let speed = dot(ray.direction, normal);
    if abs(speed) < ALONG_FACE {
        return NEVER;
    }
    return start.t + dot(start.offset, normal) / speed;
}

fn plane_distance(params: ShapeParams, from_point: vec3<f32>) -> f32 {
    return abs(dot(from_point, params.second.xyz)) / length(params.second.xyz);
}

// Returns true if the half-space behind the plane holds a point.
fn half_space_holds(params: ShapeParams, from_point: vec3<f32>) -> bool {
    return dot(from_point, params.second.xyz) <= 0.0;
}
