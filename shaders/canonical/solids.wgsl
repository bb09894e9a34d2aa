// Solids that are grown or shrunk by a distance.

// Returns a length L for a solid. If the solid is scaled about its middle, or lengthened at both ends, by the factor
// distance / L, its surface moves by at least that distance. For a convex solid, L is the radius of a ball inside it: each
// point of the scaled solid's surface is then as far from the solid as that ball's surface moves. FAR stands for a solid
// whose form does not change if its sizes grow.
fn thickness_of(kind: u32, params: ShapeParams) -> f32 {
    let radius = params.first.w;
    switch kind {
        case CYLINDER, TUBE: { return length(params.second.xyz); }
        case CONE: {
            let height = length(params.second.xyz);
            let gain = params.second.w - radius;
            let slant = sqrt(height * height + gain * gain);
            // The ball touches a cap or the side; the factor is for rounding.
            return 0.9 * min(0.5 * height, 0.5 * (radius + params.second.w) * (height / slant));
        }
        case ELLIPSOID: { return min(radius, min(params.second.w, params.third.w)); }
        case TORUS: { return radius - params.second.w; }
        default: { return FAR; }
    }
}

// Returns the spans in a solid that is grown by a distance, shrunk if it is negative.
fn spans_in_moved(kind: u32, shape: ShapeParams, at: Near, by: f32, thickness: f32, ray: Ray) -> Spans {
    var params = shape;
    var start = at;
    let share = by / thickness;
    // The least remaining size.
    var least = 1.0;
    switch kind {
        case CUBOID: {
            params.first.w += by;
            params.second.w += by;
            params.third.w += by;
            least = min(params.first.w, min(params.second.w, params.third.w));
        }
        case ELLIPSOID: {
            params.first.w += share * params.first.w;
            params.second.w += share * params.second.w;
            params.third.w += share * params.third.w;
        }
        case CONE: {
            start.offset -= 0.5 * share * params.second.xyz;
            params.first.w += share * params.first.w;
            params.second += share * params.second;
        }
        case CYLINDER, TUBE: {
            start.offset -= share * params.second.xyz;
            params.first.w += by;
            least = params.first.w;
            var inner_radius = params.second.w;
            if HAS_TUBE {
                if kind == TUBE {
                    inner_radius -= by;
                    least = params.first.w - inner_radius;
                }
            }
            params.second = vec4<f32>(params.second.xyz + 2.0 * share * params.second.xyz, inner_radius);
        }
        case TORUS: {
            params.second.w += by;
            least = params.second.w;
        }
        default: {
            params.first.w += by;
            least = params.first.w;
        }
    }
    if least <= 0.0 {
        return NO_SPANS;
    }
    if HAS_TUBE {
        // A hole that is grown over.
        if (kind == TUBE) & (params.second.w <= 0.0) {
            return Spans(cylinder_span(params, start, ray), NO_SPAN);
        }
    }
    return spans_from(start, kind, params, ray, false);
}

fn zone_of_solid(kind: u32, params: ShapeParams, start: Near, reach: f32, band: f32, ray: Ray) -> Zone {
    let thickness = thickness_of(kind, params);
    if is_shell(kind) | (thickness < 4.0 * band) {
        // Only a ball around the shape is known.
        let span = ball_span(start.offset, ray.direction, reach + band);
        if is_empty(span) {
            return no_zone();
        }
        return Zone(Spans(span + start.t, NO_SPAN), NO_SPANS, false);
    }
    var zone = no_zone();
    // The loop keeps the formulas from being compiled twice.
    for (var side = 0u; side < 2u; side++) {
        zone.grown = zone.shrunk;
        zone.shrunk = spans_in_moved(kind, params, start, select(band, -band, side == 1u), thickness, ray);
    }
    return zone;
}
