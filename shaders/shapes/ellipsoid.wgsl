// Layout: center, radius x | own x axis in the world, radius y | own y axis, radius z

// Returns the span inside, by the ball in a space where each axis is stretched by the product of the other two radii.
// No radius divides, so that integers stay exact.
fn ellipsoid_span(params: ShapeParams, start: Near, ray: Ray) -> Span {
    let center = params.first;
    let x_axis = params.second;
    let y_axis = params.third;
    let z_axis = cross(x_axis.xyz, y_axis.xyz);
    let own_from_world = transpose(mat3x3<f32>(x_axis.xyz, y_axis.xyz, z_axis));

    // Powers of two scale the radii near 1.
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
    // The scale keeps its squares from overflowing.
    let size_scale = inverse_power_of_two(power_of_two(max(largest(offset), radius)));
    let span = ball_span(offset * size_scale, speed * speed_scale, radius * size_scale);
    if is_empty(span) {
        return NO_SPAN;
    }
    return span * (speed_scale / size_scale) + start.t;
}

// The number of bisection steps that separates any two positive numbers by their bits.
const HALVINGS: u32 = 31u;

// A point closer to the plane across the shortest radius than this part of it is moved off that plane, where the
// equation below would have its root at a pole. The distance changes by no more than the move.
const OFF_PLANE: f32 = 0x1p-30;

// Returns the distance of the surface by Eberly's bisection (Distance from a Point to an Ellipse, an Ellipsoid, or a
// Hyperellipsoid, 2013). With radii r, the shortest of them s, the nearest point x to y has x / r = r y / (w + r² - s²)
// for the one number w above zero for which the squares of that add up to 1; the sum falls as w grows.
fn ellipsoid_distance(params: ShapeParams, from_center: vec3<f32>) -> f32 {
    let x_axis = params.second;
    let y_axis = params.third;
    let own_from_world =
        transpose(mat3x3<f32>(x_axis.xyz, y_axis.xyz, cross(x_axis.xyz, y_axis.xyz)));
    let local_point = abs(own_from_world * from_center);
    let radii = vec3<f32>(params.first.w, x_axis.w, y_axis.w);
    // A power of two scales all lengths to 1 or below, so that no square overflows.
    let size = power_of_two(max(largest(local_point), largest(radii)));
    let scale = inverse_power_of_two(size);
    // The coordinates are ordered so that the shortest radius comes last.
    let inverses = min(radii.x, min(radii.y, radii.z)) / radii;
    let r = in_view_order(radii, inverses) * scale;
    var y = in_view_order(local_point, inverses) * scale;
    y.z = max(y.z, OFF_PLANE * r.z);
    let areas = r * y;
    let beyond = (r - r.z) * (r + r.z);
    // Positive numbers have the order of their bits.
    var low = bitcast<u32>(max(areas.z, LEAST_SQUARE));
    var high = max(low, bitcast<u32>(length(areas)));
    for (var step = 0u; step < HALVINGS; step++) {
        let middle = low + (high - low) / 2u;
        let shares = min(areas / (bitcast<f32>(middle) + beyond), vec3<f32>(0x1p60));
        if dot(shares, shares) > 1.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    return length(r * (areas / (bitcast<f32>(low) + beyond)) - y) * size;
}
