// Answers a point with one thread: which solids contain it, and which surface is nearest. Points come as the origins of
// rays.

// Adds the half-spaces that contain a point.
fn add_half_spaces(point: vec3<f32>) {
    let first = scene_header.tree_records;
    let count = scene_header.unbounded_records;
    for (var index = first; index < first + count; index++) {
        let record = record_at(index);
        let params = ShapeParams(bitcast<vec4<f32>>(record.first), bitcast<vec4<f32>>(record.second), vec4<f32>(0.0));
        if (record.fourth.x ^ SHAPE_MARK) == PLANE && half_space_holds(params, point - params.first.xyz) {
            add_container(record.fourth.y);
        }
    }
}

// Writes two answers to each point: the nearest surface, with its distance in place of t, and the lowest of the solids
// and half-spaces that contain the point, with their number in place of t.
@compute @workgroup_size(WORKGROUP)
fn query_points(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    prepare_stack(thread);
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
    ray_filter = RayFilter(NONE, 0u, 0u, NONE);
    containment_at_start(ray, false);
    add_half_spaces(ray.origin);
    let nearest = nearest_surface(ray.origin);
    if !has_iterations_left(index) {
        return;
    }
    hits[2u * index + 1u] = Hit(containment.count, containment.lowest);
    if nearest.primitive == NONE {
        hits[2u * index] = Hit(INFINITY_BITS, NONE);
        return;
    }
    hits[2u * index] = Hit(bitcast<u32>(nearest.distance), nearest.primitive);
}
