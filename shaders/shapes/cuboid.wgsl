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

fn cuboid_span(word: u32, ray: Ray) -> Span {
    let center = words[word];
    let x_axis = words[word + 1u];
    let y_axis = words[word + 2u];
    let z_axis = cross(x_axis.xyz, y_axis.xyz);
    let start = near(ray, center.xyz);
    let x = slab(dot(start.offset, x_axis.xyz), dot(ray.direction, x_axis.xyz), center.w);
    let y = slab(dot(start.offset, y_axis.xyz), dot(ray.direction, y_axis.xyz), x_axis.w);
    let z = slab(dot(start.offset, z_axis), dot(ray.direction, z_axis), y_axis.w);
    let span = meet(meet(x, y), z);
    if is_empty(span) {
        return NO_SPAN;
    }
    return span + start.t;
}
