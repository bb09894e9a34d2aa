// start, 0 | direction, height of the end | |direction|², end's share, 0, tolerance²: the direction near unit length,
// the end at start + share * direction, the tolerance times TOLERANCE_SCALE. A line and a ray have no end.

// By this distances are taken before they are squared: the least tolerance comes near 1, and the largest distance
// stays a number.
const TOLERANCE_SCALE: f32 = 0x1p30;

// How far along the line a point is, times |direction|.
fn line_height(own: TestWords, point: vec3<f32>) -> f32 {
    return dot(point - own.first.xyz, own.second.xyz);
}

fn line_at(own: TestWords, share: f32) -> vec3<f32> {
    return own.first.xyz + share * own.second.xyz;
}

fn is_near(a: vec3<f32>, b: vec3<f32>, own: TestWords) -> bool {
    let between = (a - b) * TOLERANCE_SCALE;
    return dot(between, between) <= own.third.w;
}

fn line_touches(own: TestWords, point: vec3<f32>) -> bool {
    let aside = cross((point - own.first.xyz) * TOLERANCE_SCALE, own.second.xyz);
    return dot(aside, aside) <= own.third.w * own.third.x;
}

fn ray_touches(own: TestWords, point: vec3<f32>) -> bool {
    if line_height(own, point) < 0.0 {
        return is_near(point, own.first.xyz, own);
    }
    return line_touches(own, point);
}

fn segment_touches(own: TestWords, point: vec3<f32>) -> bool {
    if line_height(own, point) > own.second.w {
        return is_near(point, line_at(own, own.third.y), own);
    }
    return ray_touches(own, point);
}

fn line_closest_point(own: TestWords, point: vec3<f32>) -> vec3<f32> {
    return line_at(own, line_height(own, point) / own.third.x);
}

fn ray_closest_point(own: TestWords, point: vec3<f32>) -> vec3<f32> {
    return line_at(own, max(line_height(own, point), 0.0) / own.third.x);
}

fn segment_closest_point(own: TestWords, point: vec3<f32>) -> vec3<f32> {
    if line_height(own, point) > own.second.w {
        return line_at(own, own.third.y);
    }
    return ray_closest_point(own, point);
}
