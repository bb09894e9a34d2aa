// Layout: start, 0 | direction, height of the end | |direction|², end's share, 0, tolerance². The direction has near unit
// length, the end is at start + share * direction, and the tolerance is times TOLERANCE_SCALE. A line and a ray have no
// end.

// The factor on distances before they are squared. It brings the least tolerance near 1, and the square of the largest
// distance stays finite.
const TOLERANCE_SCALE: f32 = 0x1p30;

// Returns the position of a point along the line, times |direction|.
fn line_height(params: TestParams, point: vec3<f32>) -> f32 {
    return dot(point - params.first.xyz, params.second.xyz);
}

fn line_at(params: TestParams, share: f32) -> vec3<f32> {
    return params.first.xyz + share * params.second.xyz;
}

fn is_near(a: vec3<f32>, b: vec3<f32>, params: TestParams) -> bool {
    let between = (a - b) * TOLERANCE_SCALE;
    return dot(between, between) <= params.third.w;
}

fn line_touches(params: TestParams, point: vec3<f32>) -> bool {
    let aside = cross((point - params.first.xyz) * TOLERANCE_SCALE, params.second.xyz);
    return dot(aside, aside) <= params.third.w * params.third.x;
}

fn ray_touches(params: TestParams, point: vec3<f32>) -> bool {
    if line_height(params, point) < 0.0 {
        return is_near(point, params.first.xyz, params);
    }
    return line_touches(params, point);
}

fn segment_touches(params: TestParams, point: vec3<f32>) -> bool {
    if line_height(params, point) > params.second.w {
        return is_near(point, line_at(params, params.third.y), params);
    }
    return ray_touches(params, point);
}

fn line_closest_point(params: TestParams, point: vec3<f32>) -> vec3<f32> {
    return line_at(params, line_height(params, point) / params.third.x);
}

fn ray_closest_point(params: TestParams, point: vec3<f32>) -> vec3<f32> {
    return line_at(params, max(line_height(params, point), 0.0) / params.third.x);
}

fn segment_closest_point(params: TestParams, point: vec3<f32>) -> vec3<f32> {
    if line_height(params, point) > params.second.w {
        return line_at(params, params.third.y);
    }
    return ray_closest_point(params, point);
}
