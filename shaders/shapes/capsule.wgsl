// start, radius | end − start, 0

// Inside of the endless cylinder; where that is met beyond an end, the ball there is met instead, or
// nothing is: a line that reaches the part between the ends from beyond them comes through the ball.
fn capsule_span(own: Words, start: Near, ray: Ray) -> Span {
    let start_radius = own.first;
    let radius = start_radius.w;
    let along = own.second.xyz;
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
