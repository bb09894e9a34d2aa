// Layout of an axis-aligned box: min, 0 | max, 0 | 0. Layout of an oriented box: center, half x | own x axis in the
// world, half y | own y axis, half z.

fn is_between(local_point: vec3<f32>, low: vec3<f32>, high: vec3<f32>) -> bool {
    return all(local_point >= low) && all(local_point <= high);
}

// Returns the nearest point of the surface. A point inside goes to the nearest face, or to the first of -x +x -y +y -z +z
// that are equally near.
fn onto_faces(local_point: vec3<f32>, low: vec3<f32>, high: vec3<f32>) -> vec3<f32> {
    if !is_between(local_point, low, high) {
        return clamp(local_point, low, high);
    }
    let below = local_point - low;
    let above = high - local_point;
    let gap = min(below, above);
    let face = select(high, low, below <= above);
    if gap.x <= gap.y && gap.x <= gap.z {
        return vec3<f32>(face.x, local_point.y, local_point.z);
    }
    if gap.y <= gap.z {
        return vec3<f32>(local_point.x, face.y, local_point.z);
    }
    return vec3<f32>(local_point.x, local_point.y, face.z);
}

fn aligned_box_contains(params: TestParams, point: vec3<f32>) -> bool {
    return is_between(point, params.first.xyz, params.second.xyz);
}

fn aligned_box_closest_point(params: TestParams, point: vec3<f32>) -> vec3<f32> {
    return onto_faces(point, params.first.xyz, params.second.xyz);
}

// Returns the rotation into the world, whose columns are the box's own axes.
fn world_from_box(params: TestParams) -> mat3x3<f32> {
    let x_axis = params.second.xyz;
    let y_axis = params.third.xyz;
    return mat3x3<f32>(x_axis, y_axis, cross(x_axis, y_axis));
}

fn half_extents(params: TestParams) -> vec3<f32> {
    return vec3<f32>(params.first.w, params.second.w, params.third.w);
}

fn oriented_box_contains(params: TestParams, point: vec3<f32>) -> bool {
    let local_point = transpose(world_from_box(params)) * (point - params.first.xyz);
    let half = half_extents(params);
    return is_between(local_point, -half, half);
}

fn oriented_box_closest_point(params: TestParams, point: vec3<f32>) -> vec3<f32> {
    let axes = world_from_box(params);
    let local_point = transpose(axes) * (point - params.first.xyz);
    let half = half_extents(params);
    return params.first.xyz + axes * onto_faces(local_point, -half, half);
}
