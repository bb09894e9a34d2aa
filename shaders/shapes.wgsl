// The one switch over what words may mean. Which of these a scene has, HAS_*, is printed into the module:
// the rest is left out.

// Where a shape is first met at t_min or after it, NEVER where it is not, and which part of it is. What lies
// beyond t_max need not be sought.
struct Crossing {
    t: f32,
    part: u32,
}

// The interval is closed: a crossing at t_min counts.
fn first_of(span: Span, t_min: f32) -> f32 {
    if span.x >= t_min {
        return span.x;
    }
    if span.y >= t_min {
        return span.y;
    }
    return NEVER;
}

fn first_crossing(tag: u32, own: Words, first_word: u32, ray: Ray, t_max: f32) -> Crossing {
    // Nearly all begin there: found before the switch, it is found once for all threads of a group, whatever
    // shapes they have.
    let start = near(ray, own.first.xyz);
    // Surfaces that bound nothing are met where they are entered and left at once.
    var span = NO_SPAN;
    var later = NO_SPAN;
    switch tag {
        case SPHERE: { if HAS_SPHERE { span = sphere_span(own, start, ray); } }
        case CUBOID: { if HAS_CUBOID { span = cuboid_span(own, start, ray); } }
        case CYLINDER: { if HAS_CYLINDER { span = cylinder_span(own, start, ray); } }
        case CAPSULE: { if HAS_CAPSULE { span = capsule_span(own, start, ray); } }
        case CONE: { if HAS_CONE { span = cone_span(own, start, ray); } }
        case ELLIPSOID: { if HAS_ELLIPSOID { span = ellipsoid_span(own, start, ray); } }
        case TORUS: {
            if HAS_TORUS {
                let spans = torus_spans(own, start, ray);
                span = spans.xy;
                later = spans.zw;
            }
        }
        case PLANE: { if HAS_PLANE { span = Span(plane_crossing(own, start, ray)); } }
        case DISC: { if HAS_DISC { span = Span(disc_crossing(own, start, ray)); } }
        case TRIANGLE: { if HAS_TRIANGLE { span = Span(triangle_first(own, ray)); } }
        case TUBE: {
            if HAS_TUBE {
                let spans = tube_spans(own, start, ray);
                span = spans.xy;
                later = spans.zw;
            }
        }
        case HEIGHTFIELD: {
            if HAS_HEIGHTFIELD {
                return heightfield_crossing(own, first_word, start, ray, t_max);
            }
        }
        default: {}
    }
    return Crossing(min(first_of(span, ray.t_min), first_of(later, ray.t_min)), 0u);
}
