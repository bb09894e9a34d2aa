// Layout: point, 0 | normal, 0

// Returns the crossing by heights above the plane, counted from a point of the line near the plane's point.
fn plane_crossing(params: ShapeParams, start: Near, ray: Ray) -> f32 {
    let normal = params.second.xyz;
    let speed = dot(ray.direction, normal);
    if abs(speed) < ALONG_FACE {
        return NEVER;
    }
    return start.t + dot(start.offset, normal) / speed;
}

fn plane_distance(params: ShapeParams, from_point: vec3<f32>) -> f32 {
    return abs(dot(from_point, params.second.xyz)) / length(params.second.xyz);
}

// Returns true if the half-space behind the plane holds a point.
fn half_space_holds(params: ShapeParams, from_point: vec3<f32>) -> bool {
    return dot(from_point, params.second.xyz) <= 0.0;
}

// A bounded or one-sided plane. Layout: point, half x | normal, half y | own x axis, 1 if it is one-sided; a half of 0
// stands for none.

// The vectors of a sheet. The own y axis is as long as the normal, which is a unit vector if y is bounded.
struct Sheet {
    normal: vec3<f32>,
    x_axis: vec3<f32>,
    half: vec2<f32>,
    is_one_sided: bool,
}

fn sheet_of(params: ShapeParams) -> Sheet {
    return Sheet(
        params.second.xyz, params.third.xyz, vec2<f32>(params.first.w, params.second.w), params.third.w != 0.0);
}

// Returns a vector's parts along the sheet's own x and y axes.
fn along_sheet(sheet: Sheet, v: vec3<f32>) -> vec2<f32> {
    return vec2<f32>(dot(v, sheet.x_axis), dot(v, cross(sheet.normal, sheet.x_axis)));
}

fn sheet_crossing(params: ShapeParams, start: Near, ray: Ray) -> f32 {
    let sheet = sheet_of(params);
    let speed = dot(ray.direction, sheet.normal);
    let comes_from_behind = speed > 0.0;
    if (abs(speed) < ALONG_FACE) | (sheet.is_one_sided & comes_from_behind) {
        return NEVER;
    }
    let depth = dot(start.offset, sheet.normal);
    // This is the crossing point relative to the sheet's, times the speed, so that integers stay exact.
    let aside = abs(along_sheet(sheet, depth * ray.direction - speed * start.offset));
    let is_beyond = aside > sheet.half * abs(speed);
    // The edges belong to the sheet.
    if any(is_beyond & (sheet.half > vec2<f32>(0.0))) {
        return NEVER;
    }
    return start.t + depth / speed;
}

fn sheet_distance(params: ShapeParams, from_point: vec3<f32>) -> f32 {
    let sheet = sheet_of(params);
    let beyond = max(abs(along_sheet(sheet, from_point)) - sheet.half, vec2<f32>(0.0));
    let aside = select(vec2<f32>(0.0), beyond, sheet.half > vec2<f32>(0.0));
    return length(vec3<f32>(aside, dot(from_point, sheet.normal) / length(sheet.normal)));
}
