// center, half x | own x axis in the world, half y | own y axis, half z

// A direction's component below this moves less over any t than a coordinate's rounding.
const ALONG_FACE: f32 = 0x1p-40;

// Between the two faces across one axis; `offset` leads to the middle.
fn slab(offset: f32, speed: f32, half: f32) -> Span {
    if abs(speed) < ALONG_FACE {
        // A ray in a face is inside.
        if abs(offset) > half {
            return NO_SPAN;
        }
        return WHOLE;
    }
    let reach = select(-half, half, speed > 0.0);
    return Span((offset - reach) / speed, (offset + reach) / speed);
}

fn cuboid_span(own: Words, start: Near, ray: Ray) -> Span {
    let center = own.first;
    let x_axis = own.second;
    let y_axis = own.third;
    let z_axis = cross(x_axis.xyz, y_axis.xyz);
    let x = slab(dot(start.offset, x_axis.xyz), dot(ray.direction, x_axis.xyz), center.w);
    let y = slab(dot(start.offset, y_axis.xyz), dot(ray.direction, y_axis.xyz), x_axis.w);
    let z = slab(dot(start.offset, z_axis), dot(ray.direction, z_axis), y_axis.w);
    let span = meet(meet(x, y), z);
    if is_empty(span) {
        return NO_SPAN;
    }
    return span + start.t;
}
