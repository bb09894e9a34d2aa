// start, scale | axis, height of the end cap | |axis|², radius² |axis|², inner radius² |axis|², 0: lengths times the
// scale, a power of two that brings the radius between 1 and 2, so that no square is lost; the axis near unit length.

// Caps first: after Greg James's CylTest_CapsFirst. Then by the cross product, for the original's difference of
// squares cancels far along the axis.
fn cylinder_squared_distance(params: TestParams, point: vec3<f32>) -> f32 {
    let axis = params.second.xyz;
    let from_start = (point - params.first.xyz) * params.first.w;
    let height = dot(from_start, axis);
    if height < 0.0 || height > params.second.w {
        return OUTSIDE;
    }
    let aside = cross(from_start, axis);
    let aside_squared = dot(aside, aside);
    // Both walls belong to it.
    if aside_squared > params.third.y || aside_squared < params.third.z {
        return OUTSIDE;
    }
    let unit = inverse_power_of_two(params.first.w);
    return aside_squared / params.third.x * unit * unit;
}
