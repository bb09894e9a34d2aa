// point, 0 | normal, |normal|² | 0, 0, 0, tolerance²: the normal near unit length, the tolerance times
// TOLERANCE_SCALE.

// The signed distance from the plane times |normal|.
fn plane_height(own: TestWords, point: vec3<f32>) -> f32 {
    return dot(point - own.first.xyz, own.second.xyz);
}

fn half_space_contains(own: TestWords, point: vec3<f32>) -> bool {
    return plane_height(own, point) <= 0.0;
}

fn plane_touches(own: TestWords, point: vec3<f32>) -> bool {
    let height = plane_height(own, point) * TOLERANCE_SCALE;
    return height * height <= own.third.w * own.second.w;
}

fn plane_closest_point(own: TestWords, point: vec3<f32>) -> vec3<f32> {
    return point - plane_height(own, point) / own.second.w * own.second.xyz;
}
