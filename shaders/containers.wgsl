// Lists the evidence for the solids in or on which a ray begins, in rows like the crossings of all.wgsl. A solid of a
// closed form has one entry. A closed mesh has an entry for each of its triangles that a ray from there crosses or begins
// on, with the mesh's first primitive.

// Points can also be in half-spaces; rays do not count as beginning in them.
@compute @workgroup_size(WORKGROUP)
fn list_containers(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    prepare_stack(thread);
    let index = thread_index(workgroup, workgroups, thread);
    if index >= batch_size() {
        return;
    }
    if IS_FILTERED {
        ray_filter = ray_filters[index];
    }
    noted = room_for(index);
    let ray = ray_from(rays[index]);
    if ray.valid & is_finite(rays[index].t_min) {
        containment_at_start(ray, false);
        if !IS_SOLID {
            add_half_spaces(ray);
        }
    }
    var answer = hit_of(ABANDONED_BITS, NO_PRIMITIVE);
    if has_iterations_left(index) {
        answer = hit_of(noted.count, NO_PRIMITIVE);
    }
    hits[index] = answer;
}
