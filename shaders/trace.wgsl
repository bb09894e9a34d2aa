// The walk of the tree: near child first, far child on a stack that a tree's depth bounds.

// Printed into the module: STACK_SIZE, its length, the tree's depth rounded up; NODES, of which a tree
// over nothing has none; UNBOUNDED, how many records come before those of the tree, because they have no box.

// A float32 test of a box errs by less than this part of t, measured 4 u.
const MARGIN: f32 = 16.0 * U;
// A direction's component below this is as good as none, and its inverse is still a number.
const MIN_SPEED: f32 = 0x1p-60;

struct Nearest {
    t: f32,
    part: u32,
}

fn inverse_of(speed: f32) -> f32 {
    let steady = select(speed, select(MIN_SPEED, -MIN_SPEED, speed < 0.0), abs(speed) < MIN_SPEED);
    return 1.0 / steady;
}

// Where the ray surely has not yet entered a box, NEVER where it surely misses it.
fn box_entry(low: vec3<f32>, high: vec3<f32>, ray: Ray, inverse: vec3<f32>, t_max: f32) -> f32 {
    let a = (low - ray.origin) * inverse;
    let b = (high - ray.origin) * inverse;
    let near_side = min(a, b);
    let far_side = max(a, b);
    let entry = max(max(near_side.x, near_side.y), near_side.z);
    let leave = min(min(far_side.x, far_side.y), far_side.z);
    let early = entry - MARGIN * abs(entry);
    let late = leave + MARGIN * abs(leave);
    if early <= late && late >= ray.t_min && early <= t_max {
        return early;
    }
    return NEVER;
}

// Asks every shape of a row of records; of equal t the lower part wins.
fn meet_row(first: u32, count: u32, ray: Ray, so_far: Nearest) -> Nearest {
    var best = so_far;
    for (var place = first; place < first + count; place++) {
        let head = records[place].head;
        let met = first_crossing(head >> KIND_SHIFT, head & WORD_MASK, ray, best.t);
        if met.t <= best.t {
            let part = records[place].part + met.part;
            if met.t < best.t || part < best.part {
                best = Nearest(met.t, part);
            }
        }
    }
    return best;
}

fn meet_leaf(child: Child, ray: Ray, so_far: Nearest) -> Nearest {
    return meet_row(UNBOUNDED + child.link, child.count, ray, so_far);
}

fn closest(ray: Ray) -> Nearest {
    let inverse = vec3<f32>(
        inverse_of(ray.direction.x), inverse_of(ray.direction.y), inverse_of(ray.direction.z));
    var best = meet_row(0u, UNBOUNDED, ray, Nearest(ray.t_max, NONE));
    var stack_link: array<u32, STACK_SIZE>;
    var stack_entry: array<f32, STACK_SIZE>;
    var waiting = 0u;
    var current = 0u;
    // No tree has a walk longer than its nodes.
    for (var visited = 0u; visited < NODES; visited++) {
        var near_child = nodes[current].children[0];
        var far_child = nodes[current].children[1];
        var near_entry = box_entry(near_child.min, near_child.max, ray, inverse, best.t);
        var far_entry = box_entry(far_child.min, far_child.max, ray, inverse, best.t);
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
                best = meet_leaf(near_child, ray, best);
            } else {
                next = near_child.link;
            }
        }
        // Asked again, for the near leaf may have brought the best nearer. Equal stays: a tie may
        // wait there.
        if far_entry <= best.t {
            if far_child.count > 0u {
                best = meet_leaf(far_child, ray, best);
            } else if next == NONE {
                next = far_child.link;
            } else {
                stack_link[waiting] = far_child.link;
                stack_entry[waiting] = far_entry;
                waiting++;
            }
        }
        while next == NONE && waiting > 0u {
            waiting--;
            if stack_entry[waiting] <= best.t {
                next = stack_link[waiting];
            }
        }
        if next == NONE {
            break;
        }
        current = next;
    }
    return best;
}
