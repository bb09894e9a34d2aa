// Answers a point with one thread: which solids contain it, and which surface is nearest. Points come as the origins of
// rays.

// Adds the half-space in a record, if there is one and it contains the start of a ray.
fn add_half_space(record: Record, ray: Ray) {
    let params = ShapeParams(bitcast<vec4<f32>>(record.first), bitcast<vec4<f32>>(record.second), vec4<f32>(0.0));
    if kind_of(record) == PLANE {
        if half_space_holds(params, -from_origin(params.first.xyz, ray)) {
            add_container(primitive_here(record.fourth.y));
        }
    }
}

// Adds the half-spaces that contain the start of a ray.
fn add_half_spaces(ray: Ray) {
    let first = own_first_unbounded();
    let count = own_unbounded_records();
    for (var index = first; index < first + count; index++) {
        let record = record_at(index);
        add_half_space(record, ray);
        if HAS_INSTANCE {
            add_half_spaces_in(record, ray);
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
    if (index >= arrayLength(&rays)) | (2u * index + 1u >= arrayLength(&hits)) {
        return;
    }
    let ray = ray_from(rays[index]);
    if !ray.valid {
        hits[2u * index] = hit_of(NAN_BITS, NO_PRIMITIVE);
        hits[2u * index + 1u] = hit_of(0u, NO_PRIMITIVE);
        return;
    }
    ray_filter = RayFilter(NONE, 0u, 0u, NONE, 0u);
    containment_at_start(ray, false);
    add_half_spaces(ray);
    let nearest = nearest_surface(ray.origin);
    if !has_iterations_left(index) {
        hits[2u * index] = hit_of(ABANDONED_BITS, NO_PRIMITIVE);
        hits[2u * index + 1u] = hit_of(ABANDONED_BITS, NO_PRIMITIVE);
        return;
    }
    hits[2u * index + 1u] = hit_of(containment.count, containment.lowest);
    if nearest.primitive == NONE {
        hits[2u * index] = hit_of(INFINITY_BITS, NO_PRIMITIVE);
        return;
    }
    hits[2u * index] = hit_of(bitcast<u32>(nearest.distance), own_primitive(nearest.primitive));
}
