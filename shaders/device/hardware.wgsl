// This variant suits hardware: records lie in a buffer, and `min` and `max` are one instruction each.

@group(0) @binding(0) var<storage, read> records: array<Record>;

fn record_at(index: u32) -> Record {
    return records[index];
}

// Returns the params of a shape. They are read again here, so that they take no registers before.
fn params_of(index: u32, record: Record) -> ShapeParams {
    return params_in(records[index]);
}

fn lower(a: vec4<f32>, b: vec4<f32>) -> vec4<f32> {
    return min(a, b);
}

fn higher(a: vec4<f32>, b: vec4<f32>) -> vec4<f32> {
    return max(a, b);
}

// The stack of a traversal. Each entry is the children of a node that are still to be visited. Workgroup memory holds as
// many entries as nearly every tree needs, because hardware has no index into registers: a stack in them takes as many
// as it has entries, and comparisons for each access. The first entries of all threads stand side by side, then the
// second ones, so that threads that run together access different banks of the memory.
const SHARED_ENTRIES: u32 = min(STACK_SIZE, 16u);

var<workgroup> shared_stack: array<u32, WORKGROUP * SHARED_ENTRIES>;
var<private> deep_stack: array<u32, STACK_SIZE - SHARED_ENTRIES + 1u>;

// The index of the first free entry: the thread's number, and WORKGROUP times the number of entries.
var<private> stack_top: u32;

fn prepare_stack(thread: u32) {
    stack_top = thread;
}

fn empty_stack() {
    stack_top %= WORKGROUP;
}

fn push(entry: u32) {
    if STACK_SIZE == SHARED_ENTRIES || stack_top < WORKGROUP * SHARED_ENTRIES {
        shared_stack[stack_top] = entry;
    } else {
        deep_stack[stack_top / WORKGROUP - SHARED_ENTRIES] = entry;
    }
    stack_top += WORKGROUP;
}

fn pop() -> u32 {
    stack_top -= WORKGROUP;
    if STACK_SIZE == SHARED_ENTRIES || stack_top < WORKGROUP * SHARED_ENTRIES {
        return shared_stack[stack_top];
    }
    return deep_stack[stack_top / WORKGROUP - SHARED_ENTRIES];
}

// Returns the children to visit next: those of the node that was visited last, or else its siblings, or else the top of
// the stack, or none. If it has both children and siblings, the siblings go onto the stack.
fn next_children(children: u32, siblings: u32, has_children: bool, has_siblings: bool) -> u32 {
    if has_children {
        if has_siblings {
            push(siblings);
        }
        return children;
    }
    if has_siblings {
        return siblings;
    }
    if stack_top < WORKGROUP {
        return 0u;
    }
    return pop();
}

// The most nodes that a thread visits before shapes are intersected. Threads that run together wait for each other: those
// that have found a shape wait for the others to find one, and this limits how long.
const STEPS_PER_SHAPE: u32 = 4u;

// Most cards run 32 threads together.
const TILE_WIDTH: u32 = 8u;
const TILE_HEIGHT: u32 = 4u;

// The number of the workgroup's rays that its threads have taken.
var<workgroup> taken: atomic<u32>;

// The rays of the batch are divided evenly among the workgroups. Threads that run together wait for each other, and rays
// take very different times, so a thread that is done with a ray takes the next of its workgroup: Aila and Laine,
// Understanding the Efficiency of Ray Traversal on GPUs, 2009. The new ray starts in the loop in which the other threads
// go on with theirs. Rays that go the same way take equally long, and a thread that took another would part from its
// neighbours: of such rays there is one for each thread (src/gpu/dispatch.rs).
fn answer_rays(workgroup: vec3<u32>, workgroups: vec3<u32>, thread: u32, query_kind: u32) {
    prepare_stack(thread);
    if thread == 0u {
        atomicStore(&taken, WORKGROUP);
    }
    workgroupBarrier();
    let size = batch_size();
    let groups = workgroups.x * workgroups.y;
    let share = (size + groups - 1u) / groups;
    let first = (workgroup.y * workgroups.x + workgroup.x) * share;
    let end = min(first + share, size);
    // This counts the steps for all rays of the workgroup together, because a count that is the same for all threads needs
    // no register in each thread.
    let max_steps_of_ray = scene_header.max_traversal_steps;
    let max_steps = select(NONE, max_steps_of_ray * share, max_steps_of_ray < NONE / share);
    // The ray that the thread casts, or else the place of the one that it casts next.
    var index = first + thread;
    var traversal = Traversal();
    var is_casting = false;
    var was_cast = false;
    for (var step = 0u; step < max_steps; step++) {
        if !is_casting {
            if index >= end {
                break;
            }
            index = ray_at(index, size);
            let start = start_of(index, query_kind);
            traversal = start_of_traversal(start.ray);
            traversal.best.primitive = start.container;
            is_casting = is_cast(start);
            was_cast = is_casting;
        }
        if is_casting && advance(&traversal, query_kind) {
            is_casting = false;
        }
        if !is_casting {
            var answer = hit_of(ABANDONED_BITS, NO_PRIMITIVE);
            if has_iterations_left(index) {
                answer = answer_of(index, traversal.ray.valid, query_kind, traversal.best, was_cast);
            }
            hits[index] = answer;
            index = first + atomicAdd(&taken, 1u);
        }
    }
    // A driver that has ended this loop also ends others, so no outer loop runs over the thread's rays. On a processor,
    // there are at most four rays: see src/gpu/dispatch.rs.
    if !has_iterations_left(index) {
        if is_casting {
            hits[index] = hit_of(ABANDONED_BITS, NO_PRIMITIVE);
        } else {
            abandon(index, end, size);
        }
        abandon(first + atomicAdd(&taken, 1u), end, size);
        abandon(first + atomicAdd(&taken, 1u), end, size);
        abandon(first + atomicAdd(&taken, 1u), end, size);
    }
}

// Gives up the ray at a place, if there is one.
fn abandon(place: u32, end: u32, size: u32) {
    if place < end {
        hits[ray_at(place, size)] = hit_of(ABANDONED_BITS, NO_PRIMITIVE);
    }
}
