// Normals of primitives where a ray hits them, of any length and on either side. The one switch over the normals of shapes
// is also here.
//
// The t of a hit far away is not precise enough to determine the place on a small shape. So the crossing is solved again
// from a point of the line near the shape, and the one that belongs to t gives the place in numbers of the shape's own
// size.

// Returns the crossing that is the nearest to a t.
fn crossing_at(spans: Spans, t: f32) -> f32 {
    var nearest = t;
    var least = FAR;
    for (var index = 0u; index < 4u; index++) {
        let error = abs(spans[index] - t);
        if error < least {
            least = error;
            nearest = spans[index];
        }
    }
    return nearest;
}

fn normal_of(record: Record, primitive: u32, ray: Ray, t: f32) -> vec3<f32> {
    let kind = kind_of(record);
    let params = params_in(record);
    if HAS_HEIGHTFIELD || HAS_CLOSED_HEIGHTFIELD {
        if is_heightfield(kind) {
            return normal_of_field(params, record.fourth.w, is_closed_heightfield(kind), primitive - record.fourth.y);
        }
    }
    if (kind == TRIANGLE) | (kind == MESH_TRIANGLE) {
        return vec3<f32>(params.first.w, params.second.w, params.third.w);
    }
    if (kind == PLANE) | (kind == SHEET) | (kind == DISC) {
        return params.second.xyz;
    }
    let start = near(ray, params.first.xyz);
    let spans = spans_from(Near(start.offset, 0.0), kind, params, ray, false);
    return normal_at(kind, params, crossing_at(spans, t - start.t) * ray.direction - start.offset);
}

// Returns the normal at a point of a shape, given relative to its first params.
fn normal_at(kind: u32, params: ShapeParams, point: vec3<f32>) -> vec3<f32> {
    let along = params.second.xyz;
    let first = params.first.w;
    let second = params.second.w;
    switch kind {
        case CUBOID: { return cuboid_normal(params, point); }
        case CYLINDER: { return turned_normal(along, vec2<f32>(first), 0.0, point); }
        case TUBE: { return turned_normal(along, vec2<f32>(first), second, point); }
        case CONE, CYLINDER_SHELL, CONE_SHELL: { return turned_normal(along, vec2<f32>(first, second), 0.0, point); }
        case CAPSULE, LINE_SEGMENT: { return capsule_normal(along, point); }
        case ELLIPSOID: { return ellipsoid_normal(params, point); }
        case TORUS: { return torus_normal(params, point); }
        // A sphere.
        default: { return point; }
    }
}

// The point is on the face that it is the least distance behind.
fn cuboid_normal(params: ShapeParams, from_center: vec3<f32>) -> vec3<f32> {
    let x = params.second.xyz;
    let y = params.third.xyz;
    let z = cross(x, y);
    let halves = vec3<f32>(params.first.w, params.second.w, params.third.w);
    let beyond = abs(vec3<f32>(dot(from_center, x), dot(from_center, y), dot(from_center, z))) - halves;
    if (beyond.x >= beyond.y) & (beyond.x >= beyond.z) {
        return x;
    }
    return select(z, y, beyond.y >= beyond.z);
}

// A cylinder, a tube, a cone or a shell, with these radii at its start and its end. A part never has another part in front
// of it, so a shell's missing parts need no special case.
fn turned_normal(along: vec3<f32>, radii: vec2<f32>, hole: f32, from_start: vec3<f32>) -> vec3<f32> {
    let axis = unit(near_unit(along));
    let top = dot(along, axis);
    let height = dot(from_start, axis);
    let aside = from_start - height * axis;
    let distance = length(aside);
    // The cosine and the sine of the side's slope.
    let gain = radii.y - radii.x;
    let slope = vec2<f32>(top, gain) / length(vec2<f32>(top, gain));
    let wall = slope.x * (distance - radii.x) - slope.y * height;
    let side = select(wall, max(wall, hole - distance), hole > 0.0);
    if side < max(-height, height - top) {
        return axis;
    }
    return slope.x * (aside / max(distance, LEAST_SQUARE)) - slope.y * axis;
}

fn capsule_normal(along: vec3<f32>, from_start: vec3<f32>) -> vec3<f32> {
    let share = dot(from_start, along) / max(dot(along, along), LEAST_SQUARE);
    return from_start - clamp(share, 0.0, 1.0) * along;
}

fn ellipsoid_normal(params: ShapeParams, from_center: vec3<f32>) -> vec3<f32> {
    let x = params.second.xyz;
    let y = params.third.xyz;
    let z = cross(x, y);
    let radii = vec3<f32>(params.first.w, params.second.w, params.third.w);
    let shares = min(radii.x, min(radii.y, radii.z)) / radii;
    let gradient = vec3<f32>(dot(from_center, x), dot(from_center, y), dot(from_center, z)) * shares * shares;
    return gradient.x * x + gradient.y * y + gradient.z * z;
}

fn torus_normal(params: ShapeParams, from_center: vec3<f32>) -> vec3<f32> {
    let axis = params.second.xyz;
    let aside = from_center - dot(from_center, axis) * axis;
    return from_center - aside * (params.first.w / max(length(aside), LEAST_SQUARE));
}

// Returns the normal of a primitive of a heightfield, counted from the field's first.
fn normal_of_field(params: ShapeParams, first_row: u32, is_closed: bool, primitive: u32) -> vec3<f32> {
    let x = params.second.xyz;
    let y = params.third.xyz;
    let z = cross(x, y);
    if HAS_HEIGHTFIELD || HAS_CLOSED_HEIGHTFIELD {
        let field = field_of(params, first_row, is_closed);
        let rim = select(0u, 1u, is_closed);
        let columns = field.columns - 1u - 2u * rim;
        let rows = field.rows - 1u - 2u * rim;
        let cell = primitive / 2u;
        if cell < rows * columns {
            let is_left = (primitive % 2u) == 1u;
            let facet = field_facet(field, cell / columns + rim, cell % columns + rim, is_left, vec3<f32>(0.0));
            return facet.normal.x * x + facet.normal.y * y + facet.normal.z * z;
        }
        // The sides across x, those across y, and the bottom.
        let face = primitive - 2u * rows * columns;
        return select(select(z, y, face < 4u), x, face < 2u);
    }
    return z;
}
