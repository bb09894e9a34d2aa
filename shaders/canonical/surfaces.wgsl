// Bounds on the crossing of a line and a surface without an inside.

// The largest cosine, relative to the lengths, at which a line is too nearly parallel to a plane for bounds.
const LEAST_COSINE: f32 = 256.0 * U;

// Returns the bounds on the t of a crossing, which is certain or not.
fn zone_of_crossing(t: f32, error: f32, is_certain: bool) -> Zone {
    let bounds = Spans(t - error, t + error, NO_SPAN);
    return Zone(bounds, select(NO_SPANS, bounds.yyzw, vec4<bool>(is_certain)), true);
}

// Returns the zone of a surface that may be crossed anywhere.
fn unknown_zone() -> Zone {
    return Zone(Spans(WHOLE, NO_SPAN), NO_SPANS, true);
}

// Returns the zone of a plane to which a line is nearly parallel. Level rays over a level ground are parallel to it for
// certain, and miss it. In an instance the direction is rounded.
fn unless_parallel(normal: vec3<f32>, ray: Ray) -> Zone {
    let is_zero = (normal == vec3<f32>(0.0)) | (ray.direction == vec3<f32>(0.0));
    if HAS_INSTANCE {
        if visit.instance != NONE {
            return unknown_zone();
        }
    }
    if all(is_zero) {
        return no_zone();
    }
    return unknown_zone();
}

// Returns how far a point, given relative to a shape's middle, lies beyond its rim; below zero within it.
fn beyond_rim(kind: u32, params: ShapeParams, from_middle: vec3<f32>) -> f32 {
    if HAS_DISC {
        if kind == DISC {
            let distance = length(from_middle);
            let beyond = distance - params.first.w;
            return select(beyond, max(beyond, params.second.w - distance), params.second.w > 0.0);
        }
    }
    if HAS_SHEET {
        if kind == SHEET {
            let sheet = sheet_of(params);
            let beyond = abs(along_sheet(sheet, from_middle)) - sheet.half;
            let bounded = select(vec2<f32>(-FAR), beyond, sheet.half > vec2<f32>(0.0));
            return max(bounded.x, bounded.y);
        }
    }
    return -FAR;
}

// The crossing of a plane, a sheet or a disc. Its height above the plane is displaced by the band and its speed by a few u,
// so the crossing moves along the line, and near the rim by no more than along the line.
fn zone_of_flat_shape(kind: u32, params: ShapeParams, start: Near, band: f32, ray: Ray) -> Zone {
    let normal = params.second.xyz;
    let sizes = length(normal) * length(ray.direction);
    let speed = dot(ray.direction, normal);
    if abs(speed) < LEAST_COSINE * sizes {
        return unless_parallel(normal, ray);
    }
    if HAS_SHEET {
        if (kind == SHEET) & sheet_of(params).is_one_sided & (speed > 0.0) {
            return no_zone();
        }
    }
    let t = dot(start.offset, normal) / speed;
    let error = (length(normal) * band + 2.0 * BAND * sizes * abs(t)) / abs(speed) + 4.0 * U * abs(start.t);
    let from_middle = clamp(t * ray.direction - start.offset, vec3<f32>(-FAR), vec3<f32>(FAR));
    let beyond = beyond_rim(kind, params, from_middle);
    let width = error * length(ray.direction) + 2.0 * band;
    if beyond > width {
        return no_zone();
    }
    return zone_of_crossing(start.t + t, error, beyond < -width);
}

// The crossing of a triangle whose corners are given relative to a point of the line at `start_t`. Each corner may be
// displaced by `band`. The moment of a line about one end of an edge, times the edge, gives the side on which the line
// passes the edge (Plücker's coordinates). The margins are those of src/cpu/triangle_bounds.rs.
fn zone_of_facet(
    seen: array<vec3<f32>, 3>, normal: vec3<f32>, direction: vec3<f32>, start_t: f32, band: f32,
) -> Zone {
    let ab = seen[1] - seen[0];
    let bc = seen[2] - seen[1];
    let ca = seen[0] - seen[2];
    let about_a = cross(direction, seen[0]);
    let sides = vec3<f32>(dot(about_a, ab), dot(cross(direction, seen[1]), bc), dot(about_a, ca));
    // It is positive for a line that passes all edges on one side, whichever that is.
    let inside = max(min(min(sides.x, sides.y), sides.z), -max(max(sides.x, sides.y), sides.z));
    let edge = sum_of_sizes(ab) + sum_of_sizes(ca);
    let distance = sum_of_sizes(seen[0]) + edge;
    let margin = BAND * distance + band;
    let side_margin = margin * (edge + U * distance) + LEAST_SQUARE;
    if inside < -side_margin {
        return no_zone();
    }
    let size = sum_of_sizes(normal);
    let speed = dot(direction, normal);
    let speed_margin = 2.0 * BAND * size;
    // The plane of a sliver is not known precisely enough, nor is the t of a triangle that is seen edge on.
    let is_sliver = sum_of_sizes(cross(ab, ca)) <= 2.0 * BAND * edge * edge;
    if (abs(speed) <= speed_margin) | is_sliver {
        return unknown_zone();
    }
    let t = dot(seen[0], normal) / speed;
    let error = (abs(t) * speed_margin + 2.0 * size * margin) / abs(speed) + 4.0 * U * abs(start_t);
    return zone_of_crossing(start_t + t, error, inside >= side_margin);
}

fn zone_of_triangle(params: ShapeParams, ray: Ray) -> Zone {
    let a = params.first;
    let b = params.second;
    let c = params.third;
    let seen = array<vec3<f32>, 3>(from_origin(a.xyz, ray), from_origin(b.xyz, ray), from_origin(c.xyz, ray));
    return zone_of_facet(seen, vec3<f32>(a.w, b.w, c.w), ray.direction, 0.0, band_of_instance(ray));
}
