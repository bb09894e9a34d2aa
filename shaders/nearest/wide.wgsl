// The walk by distance of a wide tree: of a node's children the nearest first, things and nodes alike. A node whose
// other children wait is opened again when they are come back to, which costs less than to keep their distances.

// A node as a point sees it.
struct Around {
    index: u32,
    // its children's first record, and a bit for each that is a node
    links: u32,
    // of each child that is left how far it surely is, squared
    first: vec4<f32>,
    last: vec4<f32>,
}

const FIRST_SLOTS = vec4<u32>(0u, 1u, 2u, 3u);
const LAST_SLOTS = vec4<u32>(4u, 5u, 6u, 7u);

// Of four children, by planes in steps; `offset` leads from the point to the node's corner.
fn squares_of_four(
    low: vec3<u32>, high: vec3<u32>, step: vec3<f32>, offset: vec3<f32>,
) -> vec4<f32> {
    // No plane of the node's children is farther away, nor is a term of the sums below larger.
    let slack = MARGIN * (abs(offset) + 256.0 * step);
    let low_x = planes(low.x);
    let high_x = planes(high.x);
    let x = higher(higher(low_x * step.x + offset.x, -(high_x * step.x + offset.x)) - slack.x, vec4<f32>(0.0));
    let y = higher(
        higher(planes(low.y) * step.y + offset.y, -(planes(high.y) * step.y + offset.y)) - slack.y, vec4<f32>(0.0));
    let z = higher(
        higher(planes(low.z) * step.z + offset.z, -(planes(high.z) * step.z + offset.z)) - slack.z, vec4<f32>(0.0));
    // Of no child the box is turned inside out.
    return select(x * x + y * y + z * z, vec4<f32>(NEVER), low_x > high_x);
}

// Opens a node; `left` has a bit for each child that is still to be looked at.
fn open_around(index: u32, left: u32, point: vec3<f32>) -> Around {
    let node = record_at(index);
    let axes = node.first.xyz;
    let step = bitcast<vec3<f32>>((axes & vec3<u32>(0xffu)) << vec3<u32>(23u));
    let offset = bitcast<vec3<f32>>(axes & vec3<u32>(0xffffff00u)) - point;
    let first = squares_of_four(
        vec3<u32>(node.second.x, node.third.x, node.fourth.x),
        vec3<u32>(node.second.z, node.third.z, node.fourth.z), step, offset);
    let last = squares_of_four(
        vec3<u32>(node.second.y, node.third.y, node.fourth.y),
        vec3<u32>(node.second.w, node.third.w, node.fourth.w), step, offset);
    let is_first_left = ((vec4<u32>(left) >> FIRST_SLOTS) & vec4<u32>(1u)) == vec4<u32>(1u);
    let is_last_left = ((vec4<u32>(left) >> LAST_SLOTS) & vec4<u32>(1u)) == vec4<u32>(1u);
    return Around(
        index, node.first.w,
        select(vec4<f32>(NEVER), first, is_first_left), select(vec4<f32>(NEVER), last, is_last_left));
}

fn least_of(node: Around) -> f32 {
    let four = lower(node.first, node.last);
    return min(min(four.x, four.y), min(four.z, four.w));
}

// A bit for each child that may be as near as that.
fn children_within(node: Around, squared: f32) -> u32 {
    let bits = select(vec4<u32>(0u), vec4<u32>(1u, 2u, 4u, 8u), node.first <= vec4<f32>(squared))
        | select(vec4<u32>(0u), vec4<u32>(16u, 32u, 64u, 128u), node.last <= vec4<f32>(squared));
    return bits.x | bits.y | bits.z | bits.w;
}

fn traverse_outwards(point: vec3<f32>, so_far: Surface) -> Surface {
    var best = so_far;
    // Places of nodes, with the bits of the children that are left of each.
    var stack: array<u32, STACK_SIZE>;
    var waiting = 0u;
    var node = open_around(ROOT, CHILD_BITS, point);
    var is_done = false;
    let max_steps = scene_header.max_traversal_steps;
    // Each turn opens a node, or asks for one of a node's eight shapes.
    for (var turn = 0u; turn < max_steps; turn++) {
        let reach = best.distance * best.distance;
        // The record of nothing.
        var shape = 0u;
        for (var step = 0u; step < STEPS_PER_SHAPE; step++) {
            if shape != 0u || is_done {
                break;
            }
            let least = least_of(node);
            var next = 0u;
            if least <= reach {
                let record = firstTrailingBit(children_within(node, least));
                node.first = select(node.first, vec4<f32>(NEVER), FIRST_SLOTS == vec4<u32>(record));
                node.last = select(node.last, vec4<f32>(NEVER), LAST_SLOTS == vec4<u32>(record));
                let index = (node.links >> 8u) + record;
                if ((node.links >> record) & 1u) == 0u {
                    shape = index;
                } else {
                    let others = children_within(node, reach);
                    if others != 0u {
                        stack[waiting] = (node.index << 8u) | others;
                        waiting++;
                    }
                    next = (index << 8u) | CHILD_BITS;
                }
            } else if waiting > 0u {
                waiting--;
                next = stack[waiting];
            } else {
                is_done = true;
            }
            if next != 0u {
                node = open_around(next >> 8u, next & CHILD_BITS, point);
            }
        }
        if shape == 0u && is_done {
            break;
        }
        best = measure_record(shape, point, best);
    }
    return best;
}
