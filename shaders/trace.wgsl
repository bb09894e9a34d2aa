// What rays look for: what has no box is asked first, then a tree is walked, as shaders/trace/ has it for each layout.

// Printed into the module: PLACES, how many slots the tree has for its things, and a wide one for its nodes too;
// UNBOUNDED, how many shapes stand after those, because they have no box; MESHES, how many meshes are closed;
// NODES, of a binary tree; and STACK_SIZE, the tree's depth rounded up: near children first leave at most one entry a
// level waiting. And IS_CHOOSY, whether rays may differ in what they may meet.

// What a walk is for: the first crossing; any crossing; all of them, noted one by one; the solids that hold the ray's
// point at t_min; of the closed meshes that it passes from there on the lowest.
const CLOSEST: u32 = 0u;
const ANY: u32 = 1u;
const ALL: u32 = 2u;
const HOLDERS: u32 = 3u;
const AROUND: u32 = 4u;

// What a ray may meet: geometries with whose mask its own has a bit in common, but not the parts of the one that it
// passes through.
struct Choice {
    mask: u32,
    first_ignored: u32,
    ignored: u32,
}

// That of the thread's ray.
var<private> choice: Choice;

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

fn may_meet(tag: u32, part: u32, mask_or_word: u32) -> bool {
    var mask = mask_or_word;
    if HAS_FACET && tag == FACET {
        mask = mesh_word(mask_or_word).mask;
    }
    if HAS_HEIGHTFIELD && tag == HEIGHTFIELD {
        mask = words[mask_or_word + 3u].w;
    }
    return (mask & choice.mask) != 0u && part - choice.first_ignored >= choice.ignored;
}

// Of equal t the lower part wins.
fn nearer(met: Nearest, best: Nearest) -> Nearest {
    if met.t < best.t || (met.t == best.t && met.part < best.part) {
        return met;
    }
    return best;
}

// Asks the shape in a slot.
fn meet_slot(place: u32, ray: Ray, quest: u32, best: Nearest) -> Nearest {
    let slot = slot_at(place);
    let own = Words(
        bitcast<vec4<f32>>(slot.first), bitcast<vec4<f32>>(slot.second), bitcast<vec4<f32>>(slot.third));
    // Of what is no shape this is no tag.
    let tag = (slot.fourth.x ^ SHAPE_MARK) | slot.fourth.z;
    let part = slot.fourth.y;
    if IS_CHOOSY && !may_meet(tag, part, slot.fourth.w) {
        return best;
    }
    if HAS_HEIGHTFIELD && tag == HEIGHTFIELD {
        if quest > ALL {
            return best;
        }
        return nearer(heightfield_crossing(own, slot.fourth.w, part, ray, quest, best.t), best);
    }
    let spans = shape_spans(tag, own, ray, quest >= ALL);
    if quest == ALL {
        note_spans(spans, is_surface(tag), part, ray);
        return best;
    }
    if quest == HOLDERS {
        note_holder(spans, is_solid(tag), part, ray.t_min);
        return best;
    }
    if quest == AROUND {
        if HAS_FACET && tag == FACET {
            note_mesh(mesh_word(slot.fourth.w), spans.x, distance_to(tag, own, begin), ray);
        }
        return best;
    }
    let t = min(first_of(spans.xy, ray.t_min), first_of(spans.zw, ray.t_min));
    return nearer(Nearest(t, part), best);
}

// Whether nothing more is sought.
fn is_done(quest: u32, best: Nearest) -> bool {
    return quest == ANY && best.part != NONE;
}

// Asks every shape of a row of slots.
fn meet_row(first: u32, count: u32, ray: Ray, quest: u32, so_far: Nearest) -> Nearest {
    var best = so_far;
    for (var place = first; place < first + count; place++) {
        if is_done(quest, best) {
            break;
        }
        best = meet_slot(place, ray, quest, best);
    }
    return best;
}

// What a ray finds in the whole scene.
fn seek(ray: Ray, quest: u32) -> Nearest {
    let best = meet_row(PLACES, UNBOUNDED, ray, quest, Nearest(ray.t_max, NONE));
    if is_done(quest, best) {
        return best;
    }
    return walk(ray, quest, best);
}
