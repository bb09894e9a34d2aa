// Layout: start, radius | end − start, 0

// The least squared length; a driver may flush smaller numbers to zero.
const LEAST_SQUARE: f32 = 0x1p-120;

// Returns the span inside. It is the span in the infinite cylinder; a bound that lies beyond an end is replaced by that
// of the ball there, or the line misses, because a line that enters the part between the ends from beyond one comes
// through the ball.
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
    // An empty span stays empty, because its entry is beyond every exit.
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

// Returns the distance of a segment from a point, given relative to the segment's start.
fn segment_distance(from_start: vec3<f32>, along: vec3<f32>) -> f32 {
    // A segment too short for its square counts as its start.
    let share = dot(from_start, along) / max(dot(along, along), LEAST_SQUARE);
    return length(from_start - clamp(share, 0.0, 1.0) * along);
}

fn capsule_distance(params: ShapeParams, from_start: vec3<f32>) -> f32 {
    return abs(segment_distance(from_start, params.second.xyz) - params.first.w);
}
