// start, radius | end − start, 0

// The square of a length below this may be no number that a driver keeps.
const LEAST_SQUARE: f32 = 0x1p-120;

// Inside of the endless cylinder; where that is met beyond an end, the ball there is met instead, or
// nothing is: a line that reaches the part between the ends from beyond them comes through the ball.
fn capsule_span(params: ShapeParams, start: Near, ray: Ray) -> Span {
    let start_radius = params.first;
    let radius = start_radius.w;
    let along = params.second.xyz;
    let axis = near_unit(along);
    let line = about_axis(-start.offset, ray.direction, axis);
    let side = wall_span(line, radius);
    if is_empty(side) {
        return NO_SPAN;
    }
    let at_start = ball_span(start.offset, ray.direction, radius);
    let at_end = ball_span(start.offset + along, ray.direction, radius);
    let height = dot(-start.offset, axis);
    let climb = dot(ray.direction, axis);
    let top = dot(along, axis);
    let heights = height + clamp(side, Span(-FAR), Span(FAR)) * climb;
    // An empty span stays empty: its entry is beyond every exit.
    var span = side;
    if heights.x < 0.0 {
        span.x = at_start.x;
    } else if heights.x > top {
        span.x = at_end.x;
    }
    if heights.y < 0.0 {
        span.y = at_start.y;
    } else if heights.y > top {
        span.y = at_end.y;
    }
    if is_empty(span) {
        return NO_SPAN;
    }
    return span + start.t;
}

// To a segment, from a point as its start sees it.
fn segment_distance(from_start: vec3<f32>, along: vec3<f32>) -> f32 {
    // Of one too short for its square, the start.
    let share = dot(from_start, along) / max(dot(along, along), LEAST_SQUARE);
    return length(from_start - clamp(share, 0.0, 1.0) * along);
}

fn capsule_distance(params: ShapeParams, from_start: vec3<f32>) -> f32 {
    return abs(segment_distance(from_start, params.second.xyz) - params.first.w);
}
