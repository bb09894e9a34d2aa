// The nearest surface to a point: what has no box is asked first, then a tree is walked, as shaders/nearest/ has it for
// each layout. And the one switch over how far shapes are.

struct Surface {
    distance: f32,
    primitive: u32,
}

// Of equal distances the lower part wins.
fn closer(found: Surface, best: Surface) -> Surface {
    if found.distance < best.distance || (found.distance == best.distance && found.primitive < best.primitive) {
        return found;
    }
    return best;
}

// How far the surface of a primitive is, from inside too.
fn distance_to(kind: u32, params: ShapeParams, point: vec3<f32>) -> f32 {
    // The one difference of large numbers.
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
        case DISC: { if HAS_DISC { return disc_distance(params, from_first); } }
        case TRIANGLE, MESH_TRIANGLE: { if HAS_TRIANGLE || HAS_MESH_TRIANGLE { return triangle_distance(params, point); } }
        case TUBE: { if HAS_TUBE { return tube_distance(params, from_first); } }
        default: {}
    }
    return FAR;
}

// Asks the shape in a record.
fn measure_record(index: u32, point: vec3<f32>, best: Surface) -> Surface {
    let record = record_at(index);
    let params = ShapeParams(
        bitcast<vec4<f32>>(record.first), bitcast<vec4<f32>>(record.second), bitcast<vec4<f32>>(record.third));
    // Of what is no shape this is no kind.
    let kind = (record.fourth.x ^ SHAPE_MARK) | record.fourth.z;
    let primitive = record.fourth.y;
    if HAS_HEIGHTFIELD && kind == HEIGHTFIELD {
        let from_center = point - params.first.xyz;
        return closer(heightfield_nearest(params, record.fourth.w, primitive, from_center, best.distance), best);
    }
    let distance = distance_to(kind, params, point);
    if distance == FAR {
        return best;
    }
    return closer(Surface(distance, primitive), best);
}

// Asks every shape of a row of records.
fn measure_records(first: u32, count: u32, point: vec3<f32>, so_far: Surface) -> Surface {
    var best = so_far;
    for (var index = first; index < first + count; index++) {
        best = measure_record(index, point, best);
    }
    return best;
}

fn nearest_surface(point: vec3<f32>) -> Surface {
    let best = measure_records(
        scene_header.tree_records, scene_header.unbounded_records, point, Surface(FAR, NONE));
    return traverse_outwards(point, best);
}
