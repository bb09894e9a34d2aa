// The nearest surface to a point: what has no box is asked first, then a tree is walked, as shaders/nearest/ has it for
// each layout. And the one switch over how far shapes are.

struct Surface {
    distance: f32,
    part: u32,
}

// Of equal distances the lower part wins.
fn closer(found: Surface, best: Surface) -> Surface {
    if found.distance < best.distance || (found.distance == best.distance && found.part < best.part) {
        return found;
    }
    return best;
}

// How far the surface is that words mean; from inside too.
fn distance_to(tag: u32, own: Words, point: vec3<f32>) -> f32 {
    // The one difference of large numbers.
    let from_first = point - own.first.xyz;
    switch tag {
        case SPHERE: { if HAS_SPHERE { return sphere_distance(own, from_first); } }
        case CUBOID: { if HAS_CUBOID { return cuboid_distance(own, from_first); } }
        case CYLINDER: { if HAS_CYLINDER { return cylinder_distance(own, from_first); } }
        case CAPSULE, SEGMENT: { if HAS_CAPSULE || HAS_SEGMENT { return capsule_distance(own, from_first); } }
        case CONE: { if HAS_CONE { return cone_distance(own, from_first); } }
        case ELLIPSOID: { if HAS_ELLIPSOID { return ellipsoid_distance(own, from_first); } }
        case TORUS: { if HAS_TORUS { return torus_distance(own, from_first); } }
        case PLANE: { if HAS_PLANE { return plane_distance(own, from_first); } }
        case DISC: { if HAS_DISC { return disc_distance(own, from_first); } }
        case TRIANGLE, FACET: { if HAS_TRIANGLE || HAS_FACET { return triangle_distance(own, point); } }
        case TUBE: { if HAS_TUBE { return tube_distance(own, from_first); } }
        default: {}
    }
    return FAR;
}

// Asks the shape in a slot.
fn ask_slot(place: u32, point: vec3<f32>, best: Surface) -> Surface {
    let slot = slot_at(place);
    let own = Words(
        bitcast<vec4<f32>>(slot.first), bitcast<vec4<f32>>(slot.second), bitcast<vec4<f32>>(slot.third));
    // Of what is no shape this is no tag.
    let tag = (slot.fourth.x ^ SHAPE_MARK) | slot.fourth.z;
    let part = slot.fourth.y;
    if HAS_HEIGHTFIELD && tag == HEIGHTFIELD {
        let from_center = point - own.first.xyz;
        return closer(heightfield_nearest(own, slot.fourth.w, part, from_center, best.distance), best);
    }
    let distance = distance_to(tag, own, point);
    if distance == FAR {
        return best;
    }
    return closer(Surface(distance, part), best);
}

// Asks every shape of a row of slots.
fn ask_row(first: u32, count: u32, point: vec3<f32>, so_far: Surface) -> Surface {
    var best = so_far;
    for (var place = first; place < first + count; place++) {
        best = ask_slot(place, point, best);
    }
    return best;
}

fn nearest_surface(point: vec3<f32>) -> Surface {
    return walk_outwards(point, ask_row(PLACES, UNBOUNDED, point, Surface(FAR, NONE)));
}
