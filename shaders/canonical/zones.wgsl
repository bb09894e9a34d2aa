// Bounds on where a ray first crosses a primitive, which apply to the float64 crossing whatever float32 rounds.
//
// A float32 span of a shape is an exact span of a shape whose surface is displaced by at most 16 u (D + R), or 128 u (D +
// R) for a torus, with D the distance from the ray's origin to the shape and R its size. The tests check every formula
// against this bound. The span of the shape grown by twice that, BAND (D + R), therefore contains the exact span of the
// shape. The span of the shape shrunk by the same amount is contained in the exact span. The exact span begins and ends
// between these two.

// The distance by which a surface is grown and shrunk, relative to D + R.
const BAND: f32 = 32.0 * U;

// The spans of a line in a shape that is grown and in one that is shrunk. For a surface without an inside, `grown` has the
// bounds on the t of its one crossing, and `shrunk` is empty if it may miss it.
struct Zone {
    grown: Spans,
    shrunk: Spans,
    is_surface: bool,
}

const NO_SPANS: Spans = Spans(NEVER, -NEVER, NEVER, -NEVER);

fn no_zone() -> Zone {
    return Zone(NO_SPANS, NO_SPANS, false);
}

fn sum_of_sizes(v: vec3<f32>) -> f32 {
    return abs(v.x) + abs(v.y) + abs(v.z);
}

fn zone_in_world(zone: Zone) -> Zone {
    if HAS_INSTANCE {
        return Zone(spans_in_world(zone.grown), spans_in_world(zone.shrunk), zone.is_surface);
    }
    return zone;
}

// Returns a lower and an upper bound on the t of the first crossing at t_min or after it. The lower one is NEVER if there is
// certainly none, the upper one if there may be none.
fn first_crossing_bounds(zone: Zone, t_min: f32) -> Span {
    // The first spans that end at t_min or after it.
    let grown = select(zone.grown.zw, zone.grown.xy, zone.grown.y >= t_min);
    let shrunk = select(zone.shrunk.zw, zone.shrunk.xy, zone.shrunk.y >= t_min);
    let is_ahead = shrunk.y >= t_min;
    if grown.y < t_min {
        return Span(NEVER, NEVER);
    }
    if t_min <= grown.x {
        // The ray starts outside and surely enters where it would enter the shrunk shape.
        return Span(grown.x, select(NEVER, shrunk.x, is_ahead));
    }
    if zone.is_surface {
        return Span(t_min, NEVER);
    }
    if is_ahead & (shrunk.x <= t_min) {
        // It starts inside.
        return Span(shrunk.y, grown.y);
    }
    // It starts on the surface, as far as is known; if it surely comes inside, then it leaves.
    return Span(t_min, select(NEVER, grown.y, is_ahead & (shrunk.x <= grown.y)));
}

// Returns true if the solid may hold the ray's point at t.
fn may_hold(zone: Zone, t: f32) -> bool {
    let is_in_first = (zone.grown.x <= t) & (t <= zone.grown.y);
    let is_in_later = (zone.grown.z <= t) & (t <= zone.grown.w);
    return is_in_first | is_in_later;
}

// Returns the distance from a shape's first params within which the whole shape lies.
fn reach_of_shape(kind: u32, params: ShapeParams) -> f32 {
    let sizes = vec3<f32>(params.first.w, params.second.w, params.third.w);
    switch kind {
        case SPHERE, DISC: { return sizes.x; }
        case CUBOID, ELLIPSOID: { return sizes.x + sizes.y + sizes.z; }
        case TORUS, SHEET: { return sizes.x + sizes.y; }
        case PLANE: { return 0.0; }
        default: { return length(params.second.xyz) + max(sizes.x, sizes.y); }
    }
}

// Returns the distance by which a shape is grown and shrunk. An instance's ray is rounded by its coordinates, too.
fn band_of_shape(reach: f32, kind: u32, params: ShapeParams, ray: Ray) -> f32 {
    var band = BAND * (length(from_origin(params.first.xyz, ray)) + reach);
    if kind == TORUS {
        band *= 8.0;
    }
    return band + band_of_instance(ray);
}

// Two float32 numbers hold an instance's ray to 2^-47 of the terms of its matrix, whose stretches differ by 1e6 at most.
fn band_of_instance(ray: Ray) -> f32 {
    if HAS_INSTANCE {
        return select(4.0 * U * sum_of_sizes(ray.origin), 0.0, visit.instance == NONE);
    }
    return 0.0;
}

fn zone_of_shape(kind: u32, params: ShapeParams, ray: Ray) -> Zone {
    if HAS_TRIANGLE || HAS_MESH_TRIANGLE {
        if (kind == TRIANGLE) | (kind == MESH_TRIANGLE) {
            return zone_of_triangle(params, ray);
        }
    }
    let start = near(ray, params.first.xyz);
    let reach = reach_of_shape(kind, params);
    let band = band_of_shape(reach, kind, params, ray);
    if HAS_PLANE || HAS_SHEET || HAS_DISC {
        if is_surface(kind) & !is_shell(kind) {
            return zone_of_flat_shape(kind, params, start, band, ray);
        }
    }
    return zone_of_solid(kind, params, start, reach, band, ray);
}
