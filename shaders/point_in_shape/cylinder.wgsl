// Layout: start, scale | axis, height of the end cap | |axis|², radius² |axis|², inner radius² |axis|², 0. Lengths are
// times the scale, the power of two that brings the radius between 1 and 2, so that no square over- or underflows; the
// axis has near unit length.

// Tests the caps first, after Greg James's CylTest_CapsFirst, and then the wall by the cross product, because the
// original's difference of squares cancels far along the axis.
fn cylinder_squared_distance(params: TestParams, point: vec3<f32>) -> f32 {
    let axis = params.second.xyz;
    let from_start = (point - params.first.xyz) * params.first.w;
    let height = dot(from_start, axis);
    if height < 0.0 || height > params.second.w {
        return OUTSIDE;
    }
    let aside = cross(from_start, axis);
    let aside_squared = dot(aside, aside);
    // Both walls belong to the tube.
    if aside_squared > params.third.y || aside_squared < params.third.z {
        return OUTSIDE;
    }
    let unit = inverse_power_of_two(params.first.w);
    return aside_squared / params.third.x * unit * unit;
}
