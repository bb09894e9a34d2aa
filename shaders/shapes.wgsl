// The one switch over the kinds of primitives. The constants HAS_*, which are printed into the module, say which kinds
// a scene has; compilers leave out the rest.

// Returns the spans in which a line runs inside a solid. A surface that bounds no solid has a span of no length at its
// crossing. If `is_shared`, an edge that two triangles of a mesh share is crossed in only one of them.
fn shape_spans(kind: u32, params: ShapeParams, ray: Ray, is_shared: bool) -> Spans {
    // Nearly all shapes need it. Before the switch it is computed once for all threads that run together, even if their
    // shapes differ.
    return spans_from(near(ray, params.first.xyz), kind, params, ray, is_shared);
}

// Does the same given the point of the line near the shape.
fn spans_from(start: Near, kind: u32, params: ShapeParams, ray: Ray, is_shared: bool) -> Spans {
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
        case SHEET: { if HAS_SHEET { span = Span(sheet_crossing(params, start, ray)); } }
        case DISC: { if HAS_DISC { span = Span(disc_crossing(params, start, ray)); } }
        case TRIANGLE, MESH_TRIANGLE: {
            if HAS_TRIANGLE || HAS_MESH_TRIANGLE {
                span = Span(triangle_first(params, ray, is_shared & (kind == MESH_TRIANGLE)));
            }
        }
        case TUBE: {
            if HAS_TUBE {
                let spans = tube_spans(params, start, ray);
                span = spans.xy;
                later = spans.zw;
            }
        }
        case CYLINDER_SHELL: {
            if HAS_CYLINDER_SHELL {
                let spans = cylinder_shell_spans(params, start, ray);
                span = spans.xy;
                later = spans.zw;
            }
        }
        case CONE_SHELL: {
            if HAS_CONE_SHELL {
                let spans = cone_shell_spans(params, start, ray);
                span = spans.xy;
                later = spans.zw;
            }
        }
        default: {}
    }
    return Spans(span, later);
}

// Returns true if primitives of this kind bound no solid, so that the two bounds of a span are one crossing.
fn is_surface(kind: u32) -> bool {
    let is_flat = (kind == PLANE) | (kind == SHEET) | (kind == DISC);
    return is_shell(kind) | is_flat | (kind == TRIANGLE) | (kind == MESH_TRIANGLE);
}

fn is_shell(kind: u32) -> bool {
    return (kind == CYLINDER_SHELL) | (kind == CONE_SHELL);
}

fn is_closed_heightfield(kind: u32) -> bool {
    return HAS_CLOSED_HEIGHTFIELD & (kind == CLOSED_HEIGHTFIELD);
}

fn is_heightfield(kind: u32) -> bool {
    return (HAS_HEIGHTFIELD & (kind == HEIGHTFIELD)) | is_closed_heightfield(kind);
}

// Returns true if a single primitive of this kind bounds a solid.
fn is_solid(kind: u32) -> bool {
    return (kind <= TORUS) | (kind == TUBE);
}

// Returns the first bound of a span at t_min or after it; NEVER if there is none.
fn first_from(span: Span, t_min: f32) -> f32 {
    let end = select(NEVER, span.y, span.y >= t_min);
    return select(end, span.x, span.x >= t_min);
}
