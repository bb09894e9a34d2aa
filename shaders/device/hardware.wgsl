// What suits hardware: records in a buffer, and `min` and `max`, which are one instruction each.

@group(0) @binding(0) var<storage, read> records: array<Record>;

fn record_at(index: u32) -> Record {
    return records[index];
}

fn lower(a: vec4<f32>, b: vec4<f32>) -> vec4<f32> {
    return min(a, b);
}

fn higher(a: vec4<f32>, b: vec4<f32>) -> vec4<f32> {
    return max(a, b);
}

// The stack of a traversal. Each entry is the children of a node that are still to be visited.
var<private> stack: array<u32, STACK_SIZE>;
var<private> entries: u32;

fn empty_stack() {
    entries = 0u;
}

// Returns the children to visit next: those of the node that was visited last, or else its siblings, or else the top of
// the stack, or none. If it has both children and siblings, the siblings go onto the stack.
fn next_children(children: u32, siblings: u32, has_children: bool, has_siblings: bool) -> u32 {
    if has_children {
        if has_siblings {
            stack[entries] = siblings;
            entries++;
        }
        return children;
    }
    if has_siblings {
        return siblings;
    }
    if entries == 0u {
        return 0u;
    }
    entries--;
    return stack[entries];
}

// How many nodes a thread may visit before shapes are intersected. Threads that run together wait for each other: those
// that have found a shape wait for the others to find one, and this limits how long.
const STEPS_PER_SHAPE: u32 = 4u;

// How many of the workgroup's rays its threads have taken after their first ones.
var<workgroup> taken: atomic<u32>;

// The rays of the batch are divided evenly among the workgroups. Threads that run together wait for each other, and rays
// take very different times, so a thread that is done with a ray takes the next of its workgroup: Aila and Laine,
// Understanding the Efficiency of Ray Traversal on GPUs, 2009. The new ray starts in the loop in which the other threads
// go on with theirs.
fn answer_rays(workgroup: vec3<u32>, workgroups: vec3<u32>, thread: u32, query_kind: u32) {
    let size = batch_size();
    let groups = workgroups.x * workgroups.y;
    let share = (size + groups - 1u) / groups;
    let first = (workgroup.y * workgroups.x + workgroup.x) * share;
    let end = min(first + share, size);
    let max_steps = scene_header.max_traversal_steps;
    var index = first + thread;
    var ray = no_ray();
    var traversal = Traversal();
    var is_casting = false;
    // Steps are counted anew for each ray, and the rays come to an end.
    for (var step = 0u; step < max_steps; step++) {
        if !is_casting {
            if index >= end {
                break;
            }
            let start = start_of(index, query_kind);
            if !start.is_cast && has_iterations_left(index) {
                hits[index] = start.answer;
            }
            ray = start.ray;
            traversal = start_of_traversal(ray);
            is_casting = start.is_cast;
            step = 0u;
        }
        if is_casting && advance(&traversal, ray, query_kind) {
            if has_iterations_left(index) {
                hits[index] = answer_of(ray, query_kind, traversal.best);
            }
            is_casting = false;
        }
        if !is_casting {
            index = first + WORKGROUP + atomicAdd(&taken, 1u);
        }
    }
}
