// Layout: start, radius | end − start, inner radius

// The squared length of direction × axis, both near unit length, below which a line drifts off the axis by less than
// rounding, over any length.
const ALONG_AXIS_SQUARED: f32 = 0x1p-60;

// A line about an axis: |aside + t speed| is its distance from the axis times |axis|.
struct AboutAxis {
    aside: vec3<f32>,
    axis_squared: f32,
    speed: vec3<f32>,
}

fn about_axis(from_start: vec3<f32>, direction: vec3<f32>, axis: vec3<f32>) -> AboutAxis {
    return AboutAxis(cross(from_start, axis), dot(axis, axis), cross(direction, axis));
}

fn is_along_axis(line: AboutAxis) -> bool {
    return dot(line.speed, line.speed) < ALONG_AXIS_SQUARED;
}

// Returns the span inside an infinite cylinder: Eberly's closest approach of two lines by cross products (Geometric
// Tools), then half a chord to either side.
fn wall_span(line: AboutAxis, radius: f32) -> Span {
    let reach_squared = radius * radius * line.axis_squared;
    if is_along_axis(line) {
        if dot(line.aside, line.aside) > reach_squared {
            return NO_SPAN;
        }
        return WHOLE;
    }
    // The speed is scaled to near unit length too, for a ray nearly along the axis. All terms are then times that length
    // squared, so that no division comes before the roots and integers stay exact.
    let scale = inverse_power_of_two(power_of_two(largest(line.speed)));
    let across = line.speed * scale;
    let aa = dot(across, across);
    let middle = -dot(line.aside, across);
    let closest = aa * line.aside + middle * across;
    let half_chord_squared = reach_squared * aa * aa - dot(closest, closest);
    if half_chord_squared < 0.0 {
        return NO_SPAN;
    }
    let half = sqrt(half_chord_squared / aa);
    return Span((middle - half) / aa, (middle + half) / aa) * scale;
}

// Returns the span between two caps, by heights above the first.
fn cap_span(height: f32, climb: f32, top: f32) -> Span {
    if abs(climb) < ALONG_FACE {
        if (height < 0.0) | (height > top) {
            return NO_SPAN;
        }
        return WHOLE;
    }
    let first = select(top, 0.0, climb > 0.0);
    let last = select(0.0, top, climb > 0.0);
    return Span((first - height) / climb, (last - height) / climb);
}

// The part of a line inside a cylinder without a hole, counted from a point of the line at t.
struct Filled {
    line: AboutAxis,
    side: Span,
    caps: Span,
    span: Span,
    t: f32,
}

fn filled_cylinder(params: ShapeParams, start: Near, ray: Ray) -> Filled {
    let start_radius = params.first;
    let along = params.second.xyz;
    let axis = near_unit(along);
    let line = about_axis(-start.offset, ray.direction, axis);
    let side = wall_span(line, start_radius.w);
    // Heights are times |axis|.
    let caps = cap_span(dot(-start.offset, axis), dot(ray.direction, axis), dot(along, axis));
    let span = meet(side, caps);
    return Filled(line, side, caps, span, start.t);
}

fn cylinder_span(params: ShapeParams, start: Near, ray: Ray) -> Span {
    let filled = filled_cylinder(params, start, ray);
    if is_empty(filled.span) {
        return NO_SPAN;
    }
    return filled.span + filled.t;
}

// Returns the spans inside the cylinder but outside its hole.
fn tube_spans(params: ShapeParams, start: Near, ray: Ray) -> Spans {
    let filled = filled_cylinder(params, start, ray);
    let line = filled.line;
    let outer = filled.span;
    if is_empty(outer) {
        return Spans(NO_SPAN, NO_SPAN);
    }
    let inner_radius = params.second.w;
    var hole = wall_span(line, inner_radius);
    // A line in the hole's wall does not lie in the hole, because the wall belongs to the tube.
    let hole_squared = inner_radius * inner_radius * line.axis_squared;
    if is_along_axis(line) & (dot(line.aside, line.aside) >= hole_squared) {
        hole = NO_SPAN;
    }
    if (hole.y < outer.x) | (hole.x > outer.y) {
        return Spans(outer + filled.t, NO_SPAN);
    }
    // A ray that only touches the rim of the hole hits it.
    let before = select(NO_SPAN, Span(outer.x, hole.x) + filled.t, hole.x >= outer.x);
    let after = select(NO_SPAN, Span(hole.y, outer.y) + filled.t, hole.y <= outer.y);
    return Spans(before, after);
}

// Returns the distance of a point from an axis of any length, and its height along it.
fn place_about(axis: vec3<f32>, from_start: vec3<f32>) -> vec2<f32> {
    return vec2<f32>(length(cross(from_start, axis)), dot(from_start, axis)) / length(axis);
}

// Returns how far a point is beyond the wall, and beyond the caps.
fn beyond_cylinder(params: ShapeParams, local_point: vec2<f32>) -> vec2<f32> {
    let top = length(params.second.xyz);
    return vec2<f32>(local_point.x - params.first.w, max(-local_point.y, local_point.y - top));
}

fn cylinder_distance(params: ShapeParams, from_start: vec3<f32>) -> f32 {
    let local_point = place_about(near_unit(params.second.xyz), from_start);
    return distance_from_faces(vec3<f32>(beyond_cylinder(params, local_point), -FAR));
}

// Returns the distance of a tube's surface, which includes the wall of the hole.
fn tube_distance(params: ShapeParams, from_start: vec3<f32>) -> f32 {
    let local_point = place_about(near_unit(params.second.xyz), from_start);
    let beyond = beyond_cylinder(params, local_point);
    let wall = max(beyond.x, params.second.w - local_point.x);
    return distance_from_faces(vec3<f32>(wall, beyond.y, -FAR));
}
