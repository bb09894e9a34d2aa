// A cylinder or a cone with some parts missing. Layout: start, start radius | end − start, end radius | the flags of side,
// start cap and end cap, 0

// Returns the two crossings of a line with the parts that are present, each as a span of no length. A rim belongs to both
// of its parts.
fn crossings_of_parts(flags: vec3<f32>, side: Span, caps: Span, climb: f32, step: f32, t: f32) -> Spans {
    let both = meet(side, caps);
    if is_empty(both) {
        return Spans(NO_SPAN, NO_SPAN);
    }
    let cap_flags = select(flags.zy, flags.yz, climb > 0.0);
    let is_on_side = (both == side) & (flags.xx != vec2<f32>(0.0));
    let is_on_cap = (both == caps) & (cap_flags != vec2<f32>(0.0));
    let crossings = both + step + t;
    return Spans(
        select(NO_SPAN, crossings.xx, is_on_side.x | is_on_cap.x),
        select(NO_SPAN, crossings.yy, is_on_side.y | is_on_cap.y));
}

fn cylinder_shell_spans(params: ShapeParams, start: Near, ray: Ray) -> Spans {
    let filled = filled_cylinder(params, start, ray);
    let climb = dot(ray.direction, params.second.xyz);
    return crossings_of_parts(params.third.xyz, filled.side, filled.caps, climb, 0.0, filled.t);
}

fn cone_shell_spans(params: ShapeParams, start: Near, ray: Ray) -> Spans {
    let passage = cone_passage(params, start, ray);
    let climb = dot(ray.direction, params.second.xyz);
    return crossings_of_parts(params.third.xyz, passage.side, passage.caps, climb, passage.step, start.t);
}

// Returns the distance of the surface: the least one, in the half-plane that the axis bounds, to the parts that are present.
fn shell_distance(params: ShapeParams, from_start: vec3<f32>) -> f32 {
    let along_radius = params.second;
    let local_point = vec3<f32>(place_about(near_unit(along_radius.xyz), from_start), 0.0);
    let start_rim = vec3<f32>(params.first.w, 0.0, 0.0);
    let end_middle = vec3<f32>(0.0, length(along_radius.xyz), 0.0);
    let end_rim = vec3<f32>(along_radius.w, end_middle.y, 0.0);
    let to_parts = vec3<f32>(
        segment_distance(local_point - start_rim, end_rim - start_rim),
        segment_distance(local_point, start_rim),
        segment_distance(local_point - end_middle, end_rim - end_middle));
    let to_present = select(vec3<f32>(FAR), to_parts, params.third.xyz != vec3<f32>(0.0));
    return min(min(to_present.x, to_present.y), to_present.z);
}
