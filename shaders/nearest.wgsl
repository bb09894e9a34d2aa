// The nearest surface to a point. Primitives without a box are measured first, then the tree is traversed, by the file
// of shaders/nearest/ for its layout, which has `nearest_surface`. The one switch over the distances of shapes is here.

struct Surface {
    distance: f32,
    primitive: u32,
}

// Returns the nearer of two surfaces. At equal distances the lower primitive wins.
fn closer(found: Surface, best: Surface) -> Surface {
    let is_before = (found.distance == best.distance) & (found.primitive < best.primitive);
    let is_closer = (found.distance < best.distance) | is_before;
    return Surface(
        select(best.distance, found.distance, is_closer), select(best.primitive, found.primitive, is_closer));
}

// Returns the distance from a point, outside or inside, to the surface of a primitive.
fn distance_to(kind: u32, params: ShapeParams, point: vec3<f32>) -> f32 {
    // This is the only difference of large numbers.
    let from_first = point - params.first.xyz;
    switch kind {
        case SPHERE: { if HAS_SPHERE { return sphere_distance(params, from_first); } }
        case CUBOID: { if HAS_CUBOID { return cuboid_distance(params, from_first); } }
        case CYLINDER: { if HAS_CYLINDER { return cylinder_distance(params, from_first); } }
        case CAPSULE, LINE_SEGMENT: { if HAS_CAPSULE || HAS_LINE_SEGMENT { return capsule_distance(params, from_first); } }
        case CONE: { if HAS_CONE { return cone_distance(params, from_first); } }
        case ELLIPSOID: { if HAS_ELLIPSOID { return ellipsoid_distance(params, from_first); } }
        case TORUS: { if HAS_TORUS { return torus_distance(params, from_first); } }
        case PLANE: { if HAS_PLANE { return plane_distance(params, from_first); } }
        case SHEET: { if HAS_SHEET { return sheet_distance(params, from_first); } }
        case DISC: { if HAS_DISC { return disc_distance(params, from_first); } }
        case TRIANGLE, MESH_TRIANGLE: { if HAS_TRIANGLE || HAS_MESH_TRIANGLE { return triangle_distance(params, point); } }
        case TUBE: { if HAS_TUBE { return tube_distance(params, from_first); } }
        case CYLINDER_SHELL, CONE_SHELL: {
            if HAS_CYLINDER_SHELL || HAS_CONE_SHELL { return shell_distance(params, from_first); }
        }
        default: {}
    }
    return FAR;
}

// Returns the nearer of the best surface so far and the one of the shape in a record.
fn measure_record(index: u32, point: vec3<f32>, best: Surface) -> Surface {
    let record = record_at(index);
    let params = ShapeParams(
        bitcast<vec4<f32>>(record.first), bitcast<vec4<f32>>(record.second), bitcast<vec4<f32>>(record.third));
    let kind = kind_of(record);
    let primitive = record.fourth.y;
    if HAS_HEIGHTFIELD || HAS_CLOSED_HEIGHTFIELD {
        if is_heightfield(kind) {
            let from_center = point - params.first.xyz;
            let found = heightfield_nearest(
                params, record.fourth.w, is_closed_heightfield(kind), primitive, from_center, best.distance);
            return closer(found, best);
        }
    }
    let distance = distance_to(kind, params, point);
    if distance == FAR {
        return best;
    }
    return closer(Surface(distance, primitive), best);
}
