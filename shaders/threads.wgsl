// Which thread does what: one a ray, or a point.

const WORKGROUP: u32 = 64u;

// Batches larger than one row of workgroups take more rows.
fn thread_index(workgroup: vec3<u32>, workgroups: vec3<u32>, thread: u32) -> u32 {
    return (workgroup.y * workgroups.x + workgroup.x) * WORKGROUP + thread;
}

// Whether a thread may still go through loops. Mesa's software driver leaves every loop of a thread, without a word, once
// the thread has gone through 65,535 turns of its loops in all; then an answer may be wrong, and none is written. What is
// not written is an error on the host. No compiler knows how often this loop turns, so none can do without it.
fn has_turns_left(index: u32) -> bool {
    var turns = 0u;
    while turns < 2u + (index >> 31u) {
        turns++;
    }
    return turns > 1u;
}
