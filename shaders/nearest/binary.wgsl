// The traversal of a binary tree by distance from a point: the near child first, the far child on a stack.

// Returns a lower bound on the squared distance from a point to a box.
fn squared_distance(half: Half, point: vec3<f32>) -> f32 {
    let below = half.min - point;
    let beyond = point - half.max;
    let slack = MARGIN * max(abs(below), abs(beyond));
    let gaps = max(max(below, beyond) - slack, vec3<f32>(0.0));
    return dot(gaps, gaps);
}

// Measures every shape of a row of records.
fn measure_records(first: u32, count: u32, point: vec3<f32>, so_far: Surface) -> Surface {
    var best = so_far;
    for (var index = first; index < first + count; index++) {
        best = measure_record(index, point, best);
    }
    return best;
}

fn nearest_surface(point: vec3<f32>) -> Surface {
    var best = measure_records(own_first_unbounded(), own_unbounded_records(), point, Surface(FAR, NONE));
    if own_root() == NONE {
        return best;
    }
    var stack_link: array<u32, STACK_SIZE>;
    var stack_squared: array<f32, STACK_SIZE>;
    var waiting = 0u;
    var current = own_root();
    let max_steps = scene_header.max_traversal_steps;
    // Each step visits a node.
    for (var step = 0u; step < max_steps; step++) {
        var near_child = nodes[current].halves[0];
        var far_child = nodes[current].halves[1];
        var near_squared = squared_distance(near_child, point);
        var far_squared = squared_distance(far_child, point);
        if far_squared < near_squared {
            let child = near_child;
            near_child = far_child;
            far_child = child;
            let squared = near_squared;
            near_squared = far_squared;
            far_squared = squared;
        }
        var next = NONE;
        if near_squared <= best.distance * best.distance {
            if near_child.count > 0u {
                best = measure_records(near_child.link, near_child.count, point, best);
            } else {
                next = near_child.link;
            }
        }
        // This is tested after the near leaf, which may have found a nearer surface. Equal distances count, because a
        // tie with a lower primitive may be there.
        if far_squared <= best.distance * best.distance {
            if far_child.count > 0u {
                best = measure_records(far_child.link, far_child.count, point, best);
            } else if next == NONE {
                next = far_child.link;
            } else {
                stack_link[waiting] = far_child.link;
                stack_squared[waiting] = far_squared;
                waiting++;
            }
        }
        while (next == NONE) & (waiting > 0u) {
            waiting--;
            if stack_squared[waiting] <= best.distance * best.distance {
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
