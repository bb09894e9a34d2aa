// Layout: center, half x | own x axis in the world, half y | own y axis, half z

// The component of a direction below which the line moves less, over any t, than a coordinate's rounding.
const ALONG_FACE: f32 = 0x1p-40;

// Returns the span between the two faces across one axis; `offset` leads to the middle.
fn slab(offset: f32, speed: f32, half: f32) -> Span {
    if abs(speed) < ALONG_FACE {
        // A ray in a face counts as inside.
        if abs(offset) > half {
            return NO_SPAN;
        }
        return WHOLE;
    }
    let reach = select(-half, half, speed > 0.0);
    return Span((offset - reach) / speed, (offset + reach) / speed);
}

fn cuboid_span(params: ShapeParams, start: Near, ray: Ray) -> Span {
    let center = params.first;
    let x_axis = params.second;
    let y_axis = params.third;
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

// Returns the distance of a box's surface, from how far the point is beyond each pair of faces (negative inside).
fn distance_from_faces(beyond: vec3<f32>) -> f32 {
    let most = max(max(beyond.x, beyond.y), beyond.z);
    return select(length(max(beyond, vec3<f32>(0.0))), -most, most < 0.0);
}

fn cuboid_distance(params: ShapeParams, from_center: vec3<f32>) -> f32 {
    let x = params.second.xyz;
    let y = params.third.xyz;
    let local_point = vec3<f32>(dot(from_center, x), dot(from_center, y), dot(from_center, cross(x, y)));
    let half_extents = vec3<f32>(params.first.w, params.second.w, params.third.w);
    return distance_from_faces(abs(local_point) - half_extents);
}
