// Layout: point, 0 | normal, |normal|² | 0, 0, 0, tolerance². The normal has near unit length, and the tolerance is times
// TOLERANCE_SCALE.

// Returns the signed distance from the plane times |normal|.
fn plane_height(params: TestParams, point: vec3<f32>) -> f32 {
    return dot(point - params.first.xyz, params.second.xyz);
}

fn half_space_contains(params: TestParams, point: vec3<f32>) -> bool {
    return plane_height(params, point) <= 0.0;
}

fn plane_touches(params: TestParams, point: vec3<f32>) -> bool {
    let height = plane_height(params, point) * TOLERANCE_SCALE;
    return height * height <= params.third.w * params.second.w;
}

fn plane_closest_point(params: TestParams, point: vec3<f32>) -> vec3<f32> {
    return point - plane_height(params, point) / params.second.w * params.second.xyz;
}
