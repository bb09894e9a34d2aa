// Layout: start, start radius | end − start, end radius

// The relative size below which a quadratic's first coefficient counts as a rounding error of zero.
const FLAT: f32 = 8.0 * U;

// Returns the span inside an infinite double cone or, if the line crosses both halves, inside the half that widens with
// the axis: |aside + t speed| <= |radius + t widening|, where all is times a length.
fn slope_span(aside: vec3<f32>, speed: vec3<f32>, radius: f32, widening: f32) -> Span {
    let terms = dot(speed, speed) + widening * widening;
    let c = dot(aside, aside) - radius * radius;
    if terms < ALONG_AXIS_SQUARED {
        return select(NO_SPAN, WHOLE, c <= 0.0);
    }
    let a = dot(speed, speed) - widening * widening;
    let b = dot(aside, speed) - radius * widening;
    // Lagrange's identity gives b² − a c without cancellation, except the one that makes it small at a tangent.
    let stretch = radius * speed - widening * aside;
    let turn = cross(speed, aside);
    var discriminant = dot(stretch, stretch) - dot(turn, turn);
    var rounding = U * dot(stretch, stretch);
    if (a > 0.0) != (c > 0.0) {
        // Here it is a sum, in which nothing cancels.
        discriminant = b * b - a * c;
        rounding = U * discriminant;
    }
    if abs(a) <= FLAT * terms {
        // A line parallel to a generator of the cone has one root; the other is too far off to matter.
        if abs(b) * FAR <= abs(c) {
            return select(NO_SPAN, WHOLE, c <= 0.0);
        }
        let root = -0.5 * c / b;
        return select(Span(root, NEVER), Span(-NEVER, root), b > 0.0);
    }
    if (discriminant < 0.0) & (a > 0.0) {
        return NO_SPAN;
    }
    let root = sqrt(max(discriminant, 0.0));
    let q = -(b + select(root, -root, b < 0.0));
    // The two terms of the other root cancel if the line is nearly parallel to a generator of the cone; c, also a
    // difference, is mostly rounding if the line nearly touches the cone. The form with the smaller error is used: the
    // error of the terms, with that of the discriminant's root, or the error of c.
    var noise = sqrt(rounding);
    if root > noise {
        noise = rounding / root;
    }
    let is_quotient_small = abs(q) * FAR > abs(c);
    let is_error_smaller = U * (dot(aside, aside) + radius * radius) * abs(a) < abs(q) * (U * abs(q) + noise);
    var other = -(b + select(-root, root, b < 0.0)) / a;
    if is_quotient_small & is_error_smaller {
        other = c / q;
    }
    let roots = Span(min(q / a, other), max(q / a, other));
    if a > 0.0 {
        return roots;
    }
    // The line is steeper than the side: it is inside one half after one root, and inside the other before the other
    // root.
    return select(Span(-NEVER, roots.x), Span(roots.y, NEVER), widening > 0.0);
}

// The parts of a line inside the endless side and between the caps, counted from a point of the line `step` after another.
struct ConePassage {
    side: Span,
    caps: Span,
    step: f32,
}

// Returns the passage, solved from the narrow end, where a tip may be and all numbers are then small.
fn cone_passage(params: ShapeParams, start: Near, ray: Ray) -> ConePassage {
    let start_radius = params.first;
    let along_radius = params.second;
    let is_turned = along_radius.w < start_radius.w;
    let along = select(along_radius.xyz, -along_radius.xyz, is_turned);
    let narrow = min(start_radius.w, along_radius.w);
    let gain = max(start_radius.w, along_radius.w) - narrow;
    let axis = near_unit(along);
    let to_narrow = start.offset - select(vec3<f32>(0.0), along, is_turned);
    let step = coarse(dot(to_narrow, ray.direction) / dot(ray.direction, ray.direction));
    let from_narrow = step * ray.direction - to_narrow;

    let line = about_axis(from_narrow, ray.direction, axis);
    let height = dot(from_narrow, axis);
    let climb = dot(ray.direction, axis);
    let top = dot(along, axis);
    // All terms are times the length and times |axis|, scaled near 1, so that no division comes before the roots.
    let scale = inverse_power_of_two(power_of_two(max(top, gain)));
    let axis_length = sqrt(line.axis_squared);
    let rise = axis_length * (gain * scale);
    let run = top * scale;
    let side = slope_span(
        run * line.aside, run * line.speed,
        axis_length * (narrow * run) + rise * height, rise * climb);
    return ConePassage(side, cap_span(height, climb, top), step);
}

fn cone_span(params: ShapeParams, start: Near, ray: Ray) -> Span {
    let passage = cone_passage(params, start, ray);
    let span = meet(passage.side, passage.caps);
    if is_empty(span) {
        return NO_SPAN;
    }
    return span + passage.step + start.t;
}

// Returns the distance of the surface: the least one, in the half-plane that the axis bounds, to a cap, the side and the
// other cap.
fn cone_distance(params: ShapeParams, from_start: vec3<f32>) -> f32 {
    let along_radius = params.second;
    let local_point = vec3<f32>(place_about(near_unit(along_radius.xyz), from_start), 0.0);
    let start_rim = vec3<f32>(params.first.w, 0.0, 0.0);
    let end_middle = vec3<f32>(0.0, length(along_radius.xyz), 0.0);
    let end_rim = vec3<f32>(along_radius.w, end_middle.y, 0.0);
    let to_caps = min(
        segment_distance(local_point, start_rim),
        segment_distance(local_point - end_middle, end_rim - end_middle));
    return min(to_caps, segment_distance(local_point - start_rim, end_rim - start_rim));
}
