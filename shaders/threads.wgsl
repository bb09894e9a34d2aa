// Assigns threads to rays or points, one thread to each.

const WORKGROUP: u32 = 64u;

// They replace t if a driver gave up: a NaN that no kernel makes otherwise.
const ABANDONED_BITS: u32 = 0x7fc0abadu;

// Returns the index of a thread's ray or point. Batches larger than one row of workgroups take more rows.
fn thread_index(workgroup: vec3<u32>, workgroups: vec3<u32>, thread: u32) -> u32 {
    return (workgroup.y * workgroups.x + workgroup.x) * WORKGROUP + thread;
}

// Returns true if the driver still runs a thread's loops. Mesa's software driver silently ends every loop of a thread
// once all its loops together have taken 65,535 iterations. Then an answer may be wrong, so ABANDONED_BITS are written in its
// place, and the host casts the ray again, part by part of the scene. No compiler can remove this loop, because none knows its
// number of iterations.
fn has_iterations_left(index: u32) -> bool {
    var iterations = 0u;
    while iterations < 2u + (index >> 31u) {
        iterations++;
    }
    return iterations > 1u;
}
