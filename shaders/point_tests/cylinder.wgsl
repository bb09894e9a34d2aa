// start, scale | axis, height of the end cap | |axis|², radius² |axis|², inner radius² |axis|², 0: lengths times the
// scale, a power of two that brings the radius between 1 and 2, so that no square is lost; the axis near unit length.

// Caps first: after Greg James's CylTest_CapsFirst. Then by the cross product, for the original's difference of
// squares cancels far along the axis.
fn cylinder_squared_distance(own: TestWords, point: vec3<f32>) -> f32 {
    let axis = own.second.xyz;
    let from_start = (point - own.first.xyz) * own.first.w;
    let height = dot(from_start, axis);
    if height < 0.0 || height > own.second.w {
        return OUTSIDE;
    }
    let aside = cross(from_start, axis);
    let aside_squared = dot(aside, aside);
    // Both walls belong to it.
    if aside_squared > own.third.y || aside_squared < own.third.z {
        return OUTSIDE;
    }
    let unit = inverse_power_of_two(own.first.w);
    return aside_squared / own.third.x * unit * unit;
}
