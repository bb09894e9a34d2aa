// center, radius x | own x axis in the world, radius y | own y axis, radius z

// A ball in a space where each axis is stretched by the product of the other two radii: divided by none,
// integers stay exact.
fn ellipsoid_span(own: Words, start: Near, ray: Ray) -> Span {
    let center = own.first;
    let x_axis = own.second;
    let y_axis = own.third;
    let z_axis = cross(x_axis.xyz, y_axis.xyz);
    let own_from_world = transpose(mat3x3<f32>(x_axis.xyz, y_axis.xyz, z_axis));

    // Near 1, by powers of two.
    let radii = vec3<f32>(center.w, x_axis.w, y_axis.w);
    let size = power_of_two(largest(radii));
    let sizes = radii * inverse_power_of_two(size);
    let products = vec3<f32>(sizes.y * sizes.z, sizes.z * sizes.x, sizes.x * sizes.y);
    let scale = inverse_power_of_two(
        power_of_two(min(min(products.x, products.y), products.z)));
    let stretch = products * scale;
    let radius = sizes.x * products.x * scale * size;

    let offset = stretch * (own_from_world * start.offset);
    let speed = stretch * (own_from_world * ray.direction);
    let speed_scale = inverse_power_of_two(power_of_two(largest(speed)));
    // So that no square of it overflows.
    let size_scale = inverse_power_of_two(power_of_two(max(largest(offset), radius)));
    let span = ball_span(offset * size_scale, speed * speed_scale, radius * size_scale);
    if is_empty(span) {
        return NO_SPAN;
    }
    return span * (speed_scale / size_scale) + start.t;
}
