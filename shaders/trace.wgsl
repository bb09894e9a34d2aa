// The closest hit: what has no box is asked first, then a tree is walked, as shaders/trace/ has it for each layout.

// Printed into the module: PLACES, how many slots the tree has for its things, and a wide one for its nodes too;
// UNBOUNDED, how many shapes stand after those, because they have no box; BOUNDS_MIN and BOUNDS_MAX, the tree's
// box; NODES, of a binary tree; and STACK_SIZE, the tree's depth rounded up: near children first leave at most one
// entry a level waiting.

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

// Asks the shape in a slot; of equal t the lower part wins.
fn meet_slot(place: u32, ray: Ray, best: Nearest) -> Nearest {
    let slot = slot_at(place);
    let own = Words(
        bitcast<vec4<f32>>(slot.first), bitcast<vec4<f32>>(slot.second), bitcast<vec4<f32>>(slot.third));
    // Of what is no shape this is no tag.
    let tag = (slot.fourth.x ^ SHAPE_MARK) | slot.fourth.z;
    let met = first_crossing(tag, own, slot.fourth.w, ray, best.t);
    let part = slot.fourth.y + met.part;
    if met.t < best.t || (met.t == best.t && part < best.part) {
        return Nearest(met.t, part);
    }
    return best;
}

// Asks every shape of a row of slots.
fn meet_row(first: u32, count: u32, ray: Ray, so_far: Nearest) -> Nearest {
    var best = so_far;
    for (var place = first; place < first + count; place++) {
        best = meet_slot(place, ray, best);
    }
    return best;
}

fn closest(ray: Ray) -> Nearest {
    return walk(ray, meet_row(PLACES, UNBOUNDED, ray, Nearest(ray.t_max, NONE)));
}
