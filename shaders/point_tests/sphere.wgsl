// center, scale | radius² times scale², radius, 0, 0: the scale is the power of two that brings the radius between 1
// and 2.

fn sphere_contains(own: TestWords, point: vec3<f32>) -> bool {
    let from_center = (point - own.first.xyz) * own.first.w;
    return dot(from_center, from_center) <= own.second.x;
}

fn sphere_closest_point(own: TestWords, point: vec3<f32>) -> vec3<f32> {
    let outwards = near_unit(point - own.first.xyz);
    let squared = dot(outwards, outwards);
    // In the centre all are equally near.
    if squared == 0.0 {
        return own.first.xyz + vec3<f32>(own.second.y, 0.0, 0.0);
    }
    return own.first.xyz + own.second.y * (outwards / sqrt(squared));
}
