// The traversal of a wide tree by distance from a point: the nearest child of a node first, whether it is a shape or a
// node. A node is measured again when the traversal returns to its other children, which costs less than keeping their
// distances.

// A node, with the distances of its children.
struct NodeDistances {
    index: u32,
    // the slot of its child 0, and a bit for each child that is a node
    links: u32,
    // a lower bound on the squared distance to each child that is still to be visited, NEVER for the others
    first: vec4<f32>,
    last: vec4<f32>,
}

const FIRST_SLOTS = vec4<u32>(0u, 1u, 2u, 3u);
const LAST_SLOTS = vec4<u32>(4u, 5u, 6u, 7u);

// Returns lower bounds on the squared distances to four children. Planes are numbers of steps; `offset` is the vector
// from the point to the node's corner.
fn squared_distances_of_four(
    low: vec3<u32>, high: vec3<u32>, step: vec3<f32>, offset: vec3<f32>,
) -> vec4<f32> {
    // This bounds the distance to every plane of the node's children, and every term of the sums that give it.
    let slack = MARGIN * (abs(offset) + 256.0 * step);
    let low_x = planes(low.x);
    let high_x = planes(high.x);
    let x = higher(higher(low_x * step.x + offset.x, -(high_x * step.x + offset.x)) - slack.x, vec4<f32>(0.0));
    let y = higher(
        higher(planes(low.y) * step.y + offset.y, -(planes(high.y) * step.y + offset.y)) - slack.y, vec4<f32>(0.0));
    let z = higher(
        higher(planes(low.z) * step.z + offset.z, -(planes(high.z) * step.z + offset.z)) - slack.z, vec4<f32>(0.0));
    // The lower and upper planes of a missing child's box are swapped.
    return select(x * x + y * y + z * z, vec4<f32>(NEVER), low_x > high_x);
}

// Measures the children of a node; `remaining` has a bit for each child that is still to be visited.
fn measure_node(index: u32, remaining: u32, point: vec3<f32>) -> NodeDistances {
    let node = record_at(index);
    let axes = node.first.xyz;
    let step = bitcast<vec3<f32>>((axes & vec3<u32>(0xffu)) << vec3<u32>(23u));
    let offset = bitcast<vec3<f32>>(axes & vec3<u32>(0xffffff00u)) - point;
    let first = squared_distances_of_four(
        vec3<u32>(node.second.x, node.third.x, node.fourth.x),
        vec3<u32>(node.second.z, node.third.z, node.fourth.z), step, offset);
    let last = squared_distances_of_four(
        vec3<u32>(node.second.y, node.third.y, node.fourth.y),
        vec3<u32>(node.second.w, node.third.w, node.fourth.w), step, offset);
    let is_first_remaining = ((vec4<u32>(remaining) >> FIRST_SLOTS) & vec4<u32>(1u)) == vec4<u32>(1u);
    let is_last_remaining = ((vec4<u32>(remaining) >> LAST_SLOTS) & vec4<u32>(1u)) == vec4<u32>(1u);
    return NodeDistances(
        index, node.first.w,
        select(vec4<f32>(NEVER), first, is_first_remaining), select(vec4<f32>(NEVER), last, is_last_remaining));
}

fn smallest_of(node: NodeDistances) -> f32 {
    let four = lower(node.first, node.last);
    return min(min(four.x, four.y), min(four.z, four.w));
}

// Returns a bit for each child that may be as near as that.
fn children_within(node: NodeDistances, squared: f32) -> u32 {
    let bits = select(vec4<u32>(0u), vec4<u32>(1u, 2u, 4u, 8u), node.first <= vec4<f32>(squared))
        | select(vec4<u32>(0u), vec4<u32>(16u, 32u, 64u, 128u), node.last <= vec4<f32>(squared));
    return bits.x | bits.y | bits.z | bits.w;
}

// The waiting nodes, each as the bits of its remaining children, below its record without the lowest two bits. The bits of
// sixteen nodes form one number, which is a register in nearly every tree.
struct NodeStack {
    entries: array<u32, STACK_SIZE>,
    low_bits: array<u32, LOW_WORDS>,
    count: u32,
}

const LOW_WORDS: u32 = (STACK_SIZE + 15u) / 16u;

fn push_node(stack: ptr<function, NodeStack>, index: u32, remaining: u32) {
    let place = stack.count;
    stack.entries[place] = ((index / ALIGNMENT) << 8u) | remaining;
    let word = (place / 16u) % LOW_WORDS;
    stack.low_bits[word] = insertBits(stack.low_bits[word], index, 2u * (place % 16u), 2u);
    stack.count = place + 1u;
}

// Returns a node's record and its remaining children.
fn pop_node(stack: ptr<function, NodeStack>) -> vec2<u32> {
    let place = stack.count - 1u;
    let entry = stack.entries[place];
    let low_bits = extractBits(stack.low_bits[(place / 16u) % LOW_WORDS], 2u * (place % 16u), 2u);
    stack.count = place;
    return vec2<u32>(first_child_of(entry) | low_bits, entry & CHILD_BITS);
}

fn nearest_surface(point: vec3<f32>) -> Surface {
    var best = Surface(FAR, NONE);
    // The primitives without a box come first. They are measured in the same loop as the others, because the code of all
    // shapes is compiled once for each place of use.
    var unbounded = own_first_unbounded();
    let end_of_unbounded = unbounded + own_unbounded_records();
    var stack: NodeStack;
    var is_done = own_root() == NONE;
    // The empty record replaces a missing root.
    var node = measure_node(select(own_root(), 0u, is_done), CHILD_BITS, point);
    let max_steps = scene_header.max_traversal_steps;
    // Each iteration visits a node, or measures one of a node's eight shapes.
    for (var iteration = 0u; iteration < max_steps; iteration++) {
        let reach = best.distance * best.distance;
        // The empty record is measured if there is no shape.
        var shape = 0u;
        var has_shape = unbounded < end_of_unbounded;
        if has_shape {
            shape = unbounded;
            unbounded++;
        }
        for (var step = 0u; step < STEPS_PER_SHAPE; step++) {
            if has_shape | is_done {
                break;
            }
            let least = smallest_of(node);
            // The empty record has no children.
            var next = vec2<u32>(0u);
            if least <= reach {
                let record = firstTrailingBit(children_within(node, least));
                node.first = select(node.first, vec4<f32>(NEVER), FIRST_SLOTS == vec4<u32>(record));
                node.last = select(node.last, vec4<f32>(NEVER), LAST_SLOTS == vec4<u32>(record));
                let index = first_child_of(node.links) + record;
                if ((node.links >> record) & 1u) == 0u {
                    shape = index;
                    has_shape = true;
                } else {
                    let others = children_within(node, reach);
                    if others != 0u {
                        push_node(&stack, node.index, others);
                    }
                    next = vec2<u32>(index, CHILD_BITS);
                }
            } else if stack.count > 0u {
                next = pop_node(&stack);
            } else {
                is_done = true;
            }
            if next.x != 0u {
                node = measure_node(next.x, next.y, point);
            }
        }
        if is_done & !has_shape {
            break;
        }
        best = measure_record(shape, point, best);
    }
    return best;
}
