// The one switch over the kinds of primitives. The constants HAS_*, which are printed into the module, tell which of
// them a scene has: the rest is left out.

// Where a line runs inside of a solid; what bounds nothing is entered where it is crossed, and left at once. Where
// `is_shared`, an edge that two triangles of a mesh have in common is crossed in one of them.
fn shape_spans(kind: u32, params: ShapeParams, ray: Ray, is_shared: bool) -> Spans {
    // Nearly all begin there: found before the switch, it is found once for all threads of a group, whatever
    // shapes they have.
    let start = near(ray, params.first.xyz);
    var span = NO_SPAN;
    var later = NO_SPAN;
    switch kind {
        case SPHERE: { if HAS_SPHERE { span = sphere_span(params, start, ray); } }
        case CUBOID: { if HAS_CUBOID { span = cuboid_span(params, start, ray); } }
        case CYLINDER: { if HAS_CYLINDER { span = cylinder_span(params, start, ray); } }
        case CAPSULE, LINE_SEGMENT: { if HAS_CAPSULE || HAS_LINE_SEGMENT { span = capsule_span(params, start, ray); } }
        case CONE: { if HAS_CONE { span = cone_span(params, start, ray); } }
        case ELLIPSOID: { if HAS_ELLIPSOID { span = ellipsoid_span(params, start, ray); } }
        case TORUS: {
            if HAS_TORUS {
                let spans = torus_spans(params, start, ray);
                span = spans.xy;
                later = spans.zw;
            }
        }
        case PLANE: { if HAS_PLANE { span = Span(plane_crossing(params, start, ray)); } }
        case DISC: { if HAS_DISC { span = Span(disc_crossing(params, start, ray)); } }
        case TRIANGLE, MESH_TRIANGLE: {
            if HAS_TRIANGLE || HAS_MESH_TRIANGLE {
                span = Span(triangle_first(params, ray, is_shared && kind == MESH_TRIANGLE));
            }
        }
        case TUBE: {
            if HAS_TUBE {
                let spans = tube_spans(params, start, ray);
                span = spans.xy;
                later = spans.zw;
            }
        }
        default: {}
    }
    return Spans(span, later);
}

// Whether it bounds nothing, and is crossed once where it is entered and left.
fn is_surface(kind: u32) -> bool {
    return kind == PLANE || kind == DISC || kind == TRIANGLE || kind == MESH_TRIANGLE;
}

// Whether it has an inside by itself.
fn is_solid(kind: u32) -> bool {
    return kind <= TORUS || kind == TUBE;
}

// The first bound of a span at t_min or after it, NEVER where there is none. The interval is closed.
fn first_of(span: Span, t_min: f32) -> f32 {
    if span.x >= t_min {
        return span.x;
    }
    if span.y >= t_min {
        return span.y;
    }
    return NEVER;
}
