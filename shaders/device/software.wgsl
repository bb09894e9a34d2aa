// This variant suits software drivers: records lie in a texture, and selection stands in place of `min` and `max`.

// Software drivers read four numbers of a texture by one instruction, and those of a buffer one by one. It is a storage
// texture, although nothing writes to it, because a look-up in a sampled texture goes through its mip levels, which
// takes longer than everything else. A record takes four texels.
@group(0) @binding(0) var records: texture_storage_2d<rgba32uint, read>;

const RECORDS_PER_ROW: u32 = 1024u;

fn record_at(index: u32) -> Record {
    let texel = vec2<u32>((index % RECORDS_PER_ROW) * 4u, index / RECORDS_PER_ROW);
    return Record(
        textureLoad(records, texel), textureLoad(records, texel + vec2<u32>(1u, 0u)),
        textureLoad(records, texel + vec2<u32>(2u, 0u)), textureLoad(records, texel + vec2<u32>(3u, 0u)));
}

// Returns the params of a shape. They are not read again, because a driver would.
fn params_of(index: u32, record: Record) -> ShapeParams {
    return params_in(record);
}

// There is no NaN here. `min` and `max` would have to handle it, which takes a software driver longer.
fn lower(a: vec4<f32>, b: vec4<f32>) -> vec4<f32> {
    return select(b, a, a < b);
}

fn higher(a: vec4<f32>, b: vec4<f32>) -> vec4<f32> {
    return select(b, a, a > b);
}

// The stack of a traversal, four entries a row from the top down. Each entry is the unvisited children of a node; 0 means
// none. A software driver computes for several threads at once, but reads and writes an array by an index for one thread
// after another, so a push and a pop move all entries, whose places are constant. The last row stays empty.
var<private> stack: array<vec4<u32>, STACK_SIZE / 4u + 1u>;

// Each thread has a stack of its own from the start.
fn prepare_stack(thread: u32) {}

fn empty_stack() {
    stack = array<vec4<u32>, STACK_SIZE / 4u + 1u>();
}

// Moves the entries of a row down for a push, or up for a pop. Returns the entry that leaves the row at its lower end.
fn move_row(row: u32, entering: u32, is_pushed: bool, is_popped: bool) -> u32 {
    let entries = stack[row];
    let pushed = vec4<u32>(entering, entries.xyz);
    let popped = vec4<u32>(entries.yzw, stack[row + 1u].x);
    stack[row] = select(select(entries, popped, is_popped), pushed, is_pushed);
    return entries.w;
}

fn move_four_rows(first: u32, entering: u32, is_pushed: bool, is_popped: bool) -> u32 {
    let second = move_row(first, entering, is_pushed, is_popped);
    let third = move_row(first + 1u, second, is_pushed, is_popped);
    let fourth = move_row(first + 2u, third, is_pushed, is_popped);
    return move_row(first + 3u, fourth, is_pushed, is_popped);
}

fn move_entries(entering: u32, is_pushed: bool, is_popped: bool) {
    var leaving = move_row(0u, entering, is_pushed, is_popped);
    leaving = move_row(1u, leaving, is_pushed, is_popped);
    if STACK_SIZE > 8u {
        leaving = move_row(2u, leaving, is_pushed, is_popped);
        leaving = move_row(3u, leaving, is_pushed, is_popped);
    }
    if STACK_SIZE > 16u {
        leaving = move_four_rows(4u, leaving, is_pushed, is_popped);
    }
    if STACK_SIZE > 32u {
        leaving = move_four_rows(8u, leaving, is_pushed, is_popped);
        leaving = move_four_rows(12u, leaving, is_pushed, is_popped);
    }
    // Trees so deep are rare.
    for (var row = 16u; row < STACK_SIZE / 4u; row++) {
        leaving = move_row(row, leaving, is_pushed, is_popped);
    }
}

fn push(entry: u32) {
    move_entries(entry, true, false);
}

// Returns the children to visit next: those of the node that was visited last, or else its siblings, or else the top of
// the stack, or none. If it has both children and siblings, the siblings go onto the stack.
fn next_children(children: u32, siblings: u32, has_children: bool, has_siblings: bool) -> u32 {
    let next = select(select(stack[0].x, siblings, has_siblings), children, has_children);
    move_entries(siblings, has_children & has_siblings, !has_children & !has_siblings);
    return next;
}

// The most nodes that a thread visits before shapes are intersected. Threads that run together wait for each other: those
// that have found a shape wait for the others to find one, and this limits how long.
const STEPS_PER_SHAPE: u32 = 16u;

// A software driver runs eight threads together.
const TILE_WIDTH: u32 = 4u;
const TILE_HEIGHT: u32 = 2u;

// One thread answers one ray.
fn answer_rays(workgroup: vec3<u32>, workgroups: vec3<u32>, thread: u32, query_kind: u32) {
    let place = thread_index(workgroup, workgroups, thread);
    let size = batch_size();
    if place >= size {
        return;
    }
    let index = ray_at(place, size);
    let start = start_of(index, query_kind);
    var best = no_hit_up_to(0.0);
    best.primitive = start.container;
    if is_cast(start) {
        best = traverse(start.ray, query_kind);
    }
    var answer = hit_of(ABANDONED_BITS, NO_PRIMITIVE);
    if has_iterations_left(index) {
        answer = answer_of(index, start.ray.valid, query_kind, best, is_cast(start));
    }
    hits[index] = answer;
}
