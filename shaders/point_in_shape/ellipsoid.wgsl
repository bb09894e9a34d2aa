// Layout: center, radius x | own x axis in the world, radius y | own y axis, radius z

// Measures in a space where each axis is stretched by the product of the other two radii. No radius divides, so whole
// numbers stay exact. A power of two for each radius scales it near 1, so that the ratio of the radii is not limited.
fn ellipsoid_squared_distance(params: TestParams, point: vec3<f32>) -> f32 {
    let from_center = point - params.first.xyz;
    let x_axis = params.second.xyz;
    let y_axis = params.third.xyz;
    let z_axis = cross(x_axis, y_axis);
    let local_point = vec3<f32>(
        dot(from_center, x_axis), dot(from_center, y_axis), dot(from_center, z_axis));
    let radii = vec3<f32>(params.first.w, params.second.w, params.third.w);
    let scales = vec3<f32>(
        inverse_power_of_two(power_of_two(radii.x)),
        inverse_power_of_two(power_of_two(radii.y)),
        inverse_power_of_two(power_of_two(radii.z)));
    let near = local_point * scales;
    // All radii are below 2 here, so the point is outside; the square of a larger number may overflow.
    if largest(near) > 2.0 {
        return OUTSIDE;
    }
    let sizes = radii * scales;
    let stretched = near * (sizes.yzx * sizes.zxy);
    let distance_squared = dot(stretched, stretched);
    let radius = sizes.x * (sizes.y * sizes.z);
    if distance_squared > radius * radius {
        return OUTSIDE;
    }
    return distance_squared / (radius * radius);
}
