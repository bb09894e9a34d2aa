// The one switch over the kinds. Tags as in src/shapes.rs.

const SPHERE: u32 = 0u;
const CUBOID: u32 = 1u;
const CYLINDER: u32 = 2u;

// Where a shape is first met at t_min or after it; NEVER where it is not.
fn first_crossing(kind: u32, word: u32, ray: Ray) -> f32 {
    var span = NO_SPAN;
    switch kind {
        case SPHERE: { span = sphere_span(word, ray); }
        case CUBOID: { span = cuboid_span(word, ray); }
        case CYLINDER: { span = cylinder_span(word, ray); }
        default: {}
    }
    // The interval is closed: a crossing at t_min counts.
    if span.x >= ray.t_min {
        return span.x;
    }
    if span.y >= ray.t_min {
        return span.y;
    }
    return NEVER;
}
