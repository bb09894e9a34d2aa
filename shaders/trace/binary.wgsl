// The traversal of a binary tree by a ray: the near child first, the far child on a stack.

struct Half {
    min: vec3<f32>,
    // an inner child's node, or a leaf's first record
    link: u32,
    max: vec3<f32>,
    // 0 marks an inner child
    count: u32,
}

struct Pair {
    halves: array<Half, 2>,
}

@group(0) @binding(3) var<storage, read> nodes: array<Pair>;

// Returns a lower bound on the t at which the ray enters a box, NEVER if it certainly misses the box.
fn box_entry(low: vec3<f32>, high: vec3<f32>, ray: Ray, inverse: vec3<f32>, t_max: f32) -> f32 {
    let a = (low - ray.origin) * inverse;
    let b = (high - ray.origin) * inverse;
    let near_side = min(a, b);
    let far_side = max(a, b);
    let entry = max(max(near_side.x, near_side.y), near_side.z);
    let leave = min(min(far_side.x, far_side.y), far_side.z);
    let early = entry - MARGIN * abs(entry);
    let late = leave + MARGIN * abs(leave);
    if (early <= late) & (late >= ray.t_min) & (early <= t_max) {
        return early;
    }
    return NEVER;
}

// Intersects every shape of a row of records.
fn intersect_records(first: u32, count: u32, ray: Ray, query_kind: u32, so_far: Nearest) -> Nearest {
    var best = so_far;
    for (var index = first; index < first + count; index++) {
        if is_done(query_kind, best) {
            break;
        }
        best = intersect_record(index, ray, query_kind, best);
    }
    return best;
}

// The state of a traversal.
struct Traversal {
    ray: Ray,
    // the inverse of the ray's direction
    inverse: vec3<f32>,
    // the node to visit, NONE if there is none
    next: u32,
    // the number of entries on the stack
    waiting: u32,
    // the number of records that are still to be intersected before the tree
    unbounded: u32,
    best: Nearest,
}

var<private> stack_link: array<u32, STACK_SIZE>;
var<private> stack_entry: array<f32, STACK_SIZE>;

fn start_of_traversal(ray: Ray) -> Traversal {
    return Traversal(
        ray, inverses_of(ray.direction), own_root(), 0u, own_unbounded_records(), no_hit_up_to(ray.t_max));
}

// Intersects the records before the tree, or visits a node and intersects the shapes of its leaves. Returns true if that
// ends the traversal.
fn advance(traversal: ptr<function, Traversal>, query_kind: u32) -> bool {
    let ray = traversal.ray;
    var best = traversal.best;
    if traversal.unbounded > 0u {
        best = intersect_records(own_first_unbounded(), traversal.unbounded, ray, query_kind, best);
        traversal.unbounded = 0u;
        traversal.best = best;
        return is_done(query_kind, best);
    }
    if traversal.next == NONE {
        return true;
    }
    var waiting = traversal.waiting;
    var near_child = nodes[traversal.next].halves[0];
    var far_child = nodes[traversal.next].halves[1];
    var near_entry = box_entry(near_child.min, near_child.max, ray, traversal.inverse, best.t);
    var far_entry = box_entry(far_child.min, far_child.max, ray, traversal.inverse, best.t);
    if far_entry < near_entry {
        let child = near_child;
        near_child = far_child;
        far_child = child;
        let entry = near_entry;
        near_entry = far_entry;
        far_entry = entry;
    }
    var next = NONE;
    if near_entry <= best.t {
        if near_child.count > 0u {
            best = intersect_records(near_child.link, near_child.count, ray, query_kind, best);
        } else {
            next = near_child.link;
        }
    }
    // This is tested after the near leaf, which may have found a nearer hit. Equal t counts, because a tie with a
    // lower primitive may be there.
    if far_entry <= best.t {
        if far_child.count > 0u {
            best = intersect_records(far_child.link, far_child.count, ray, query_kind, best);
        } else if next == NONE {
            next = far_child.link;
        } else {
            stack_link[waiting] = far_child.link;
            stack_entry[waiting] = far_entry;
            waiting++;
        }
    }
    while (next == NONE) & (waiting > 0u) {
        waiting--;
        if stack_entry[waiting] <= best.t {
            next = stack_link[waiting];
        }
    }
    traversal.next = next;
    traversal.waiting = waiting;
    traversal.best = best;
    return (next == NONE) | is_done(query_kind, best);
}
