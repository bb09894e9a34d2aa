// Layout: middle of the narrow cap, scale | axis from there, height of the other cap | narrow radius times run, rise,
// run², |axis|². Lengths are times the scale, the power of two that brings the wide radius between 1 and 2. Run and rise
// are that height and the gain of radius, times the power of two that brings run between 1/2 and 1.

// Measures from the narrow end, where a tip may be and all numbers are then small. No division comes before the
// comparison, so whole numbers stay exact.
fn cone_squared_distance(params: TestParams, point: vec3<f32>) -> f32 {
    let axis = params.second.xyz;
    let from_narrow = (point - params.first.xyz) * params.first.w;
    let height = dot(from_narrow, axis);
    if height < 0.0 || height > params.second.w {
        return OUTSIDE;
    }
    let aside = cross(from_narrow, axis);
    let aside_squared = dot(aside, aside);
    let radius = params.third.x + params.third.y * height;
    if aside_squared * params.third.z > radius * radius * params.third.w {
        return OUTSIDE;
    }
    let unit = inverse_power_of_two(params.first.w);
    return aside_squared / params.third.w * unit * unit;
}
