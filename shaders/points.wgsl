// One thread a point, which is where its ray begins: what holds it, and what surface is nearest.

// The half-spaces that hold a point.
fn add_half_spaces(point: vec3<f32>) {
    for (var place = PLACES; place < PLACES + UNBOUNDED; place++) {
        let slot = slot_at(place);
        let own = Words(bitcast<vec4<f32>>(slot.first), bitcast<vec4<f32>>(slot.second), vec4<f32>(0.0));
        if (slot.fourth.x ^ SHAPE_MARK) == PLANE && half_space_holds(own, point - own.first.xyz) {
            add_holder(slot.fourth.y);
        }
    }
}

// Two answers to each point: the nearest surface, its distance in place of t; and the lowest of the solids and
// half-spaces that hold the point, their number in place of t.
@compute @workgroup_size(WORKGROUP)
fn query_points(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let index = thread_index(workgroup, workgroups, thread);
    if index >= arrayLength(&rays) || 2u * index + 1u >= arrayLength(&hits) {
        return;
    }
    let ray = ray_from(rays[index]);
    if !ray.valid {
        hits[2u * index] = Hit(NAN_BITS, NONE);
        hits[2u * index + 1u] = Hit(0u, NONE);
        return;
    }
    choice = Choice(NONE, 0u, 0u);
    holders_at_begin(ray, false);
    add_half_spaces(ray.origin);
    let nearest = nearest_surface(ray.origin);
    if !has_turns_left(index) {
        return;
    }
    hits[2u * index + 1u] = Hit(holders.count, holders.lowest);
    if nearest.part == NONE {
        hits[2u * index] = Hit(INFINITY_BITS, NONE);
        return;
    }
    hits[2u * index] = Hit(bitcast<u32>(nearest.distance), nearest.part);
}
