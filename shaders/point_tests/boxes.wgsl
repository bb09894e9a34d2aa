// Along the world's axes: min, 0 | max, 0 | 0. Along its own: center, half x | own x axis in the world, half y | own y
// axis, half z.

fn is_between(place: vec3<f32>, low: vec3<f32>, high: vec3<f32>) -> bool {
    return all(place >= low) && all(place <= high);
}

// The point of the surface that is nearest: from inside on the nearest face, of equals the first of -x +x -y +y -z +z.
fn onto_faces(place: vec3<f32>, low: vec3<f32>, high: vec3<f32>) -> vec3<f32> {
    if !is_between(place, low, high) {
        return clamp(place, low, high);
    }
    let below = place - low;
    let above = high - place;
    let gap = min(below, above);
    let face = select(high, low, below <= above);
    if gap.x <= gap.y && gap.x <= gap.z {
        return vec3<f32>(face.x, place.y, place.z);
    }
    if gap.y <= gap.z {
        return vec3<f32>(place.x, face.y, place.z);
    }
    return vec3<f32>(place.x, place.y, face.z);
}

fn aligned_box_contains(own: TestWords, point: vec3<f32>) -> bool {
    return is_between(point, own.first.xyz, own.second.xyz);
}

fn aligned_box_closest_point(own: TestWords, point: vec3<f32>) -> vec3<f32> {
    return onto_faces(point, own.first.xyz, own.second.xyz);
}

// The columns are its own axes.
fn world_from_box(own: TestWords) -> mat3x3<f32> {
    let x_axis = own.second.xyz;
    let y_axis = own.third.xyz;
    return mat3x3<f32>(x_axis, y_axis, cross(x_axis, y_axis));
}

fn half_extents(own: TestWords) -> vec3<f32> {
    return vec3<f32>(own.first.w, own.second.w, own.third.w);
}

fn oriented_box_contains(own: TestWords, point: vec3<f32>) -> bool {
    let place = transpose(world_from_box(own)) * (point - own.first.xyz);
    let half = half_extents(own);
    return is_between(place, -half, half);
}

fn oriented_box_closest_point(own: TestWords, point: vec3<f32>) -> vec3<f32> {
    let axes = world_from_box(own);
    let place = transpose(axes) * (point - own.first.xyz);
    let half = half_extents(own);
    return own.first.xyz + axes * onto_faces(place, -half, half);
}
