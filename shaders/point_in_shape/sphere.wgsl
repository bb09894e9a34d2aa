// Layout: center, scale | radius² times scale², radius, 0, 0. The scale is the power of two that brings the radius between
// 1 and 2.

fn sphere_contains(params: TestParams, point: vec3<f32>) -> bool {
    let from_center = (point - params.first.xyz) * params.first.w;
    return dot(from_center, from_center) <= params.second.x;
}

fn sphere_closest_point(params: TestParams, point: vec3<f32>) -> vec3<f32> {
    let outwards = near_unit(point - params.first.xyz);
    let squared = dot(outwards, outwards);
    // All points of the surface are equally near to the centre.
    if squared == 0.0 {
        return params.first.xyz + vec3<f32>(params.second.y, 0.0, 0.0);
    }
    return params.first.xyz + params.second.y * (outwards / sqrt(squared));
}
