// The walk of a wide tree, up to eight children a node: see src/bvh/wide.rs. Near children first, by the ray's
// octant, as Ylitie, Karras and Laine do (2017).
//
// What is met of a node is one number: its children's first record above, and in the low eight bits one for each
// child that is met. It is also what waits on the stack.

const CHILD_BITS: u32 = 0xffu;

// Where the root stands; the record before it is that of nothing.
const ROOT: u32 = 1u;

// A ray as boxes see it.
struct TraversalRay {
    origin: vec3<f32>,
    t_min: f32,
    inverse: vec3<f32>,
    is_backward: vec3<bool>,
}

fn traversal_ray(ray: Ray) -> TraversalRay {
    let inverse = vec3<f32>(
        inverse_of(ray.direction.x), inverse_of(ray.direction.y), inverse_of(ray.direction.z));
    return TraversalRay(ray.origin, ray.t_min, inverse, ray.direction < vec3<f32>(0.0));
}

// The lower of two numbers, and the higher: `min` and `max` would have to mind NaN, which a driver in software takes
// longer for, and there is none.
fn lower(a: vec4<f32>, b: vec4<f32>) -> vec4<f32> {
    return select(b, a, a < b);
}

fn higher(a: vec4<f32>, b: vec4<f32>) -> vec4<f32> {
    return select(b, a, a > b);
}

// Four planes, in steps.
fn planes(four: u32) -> vec4<f32> {
    return vec4<f32>((vec4<u32>(four) >> vec4<u32>(0u, 8u, 16u, 24u)) & vec4<u32>(0xffu));
}

// Of four children those whose boxes a ray meets from t_min to t_max, a bit each. Planes are given in steps; a
// step takes `step` of t, and the node's corner is reached at `early` and, for the planes where a ray leaves,
// at `late`.
fn met_of_four(
    near: vec3<u32>, far: vec3<u32>, step: vec3<f32>, early: vec3<f32>, late: vec3<f32>, t_min: f32, t_max: f32,
) -> u32 {
    let enter = higher(
        higher(planes(near.x) * step.x + early.x, planes(near.y) * step.y + early.y),
        higher(planes(near.z) * step.z + early.z, vec4<f32>(t_min)));
    let leave = lower(
        lower(planes(far.x) * step.x + late.x, planes(far.y) * step.y + late.y),
        lower(planes(far.z) * step.z + late.z, vec4<f32>(t_max)));
    let bits = select(vec4<u32>(0u), vec4<u32>(1u, 2u, 4u, 8u), enter <= leave);
    return bits.x | bits.y | bits.z | bits.w;
}

// A bit for each child that there is. The box of an absent one is turned inside out, with lower planes at 255 and upper
// ones at 0, but a ray from so far away that its margin is wider than the node meets it all the same; and what stands
// in its record may be another node's shape. A byte's highest bit is set in a lower plane and not in the upper one for an
// absent child alone, for a present one's lower plane is not above its upper one.
fn present_children(low: vec2<u32>, high: vec2<u32>) -> u32 {
    let absent = low & ~high & vec2<u32>(0x80808080u);
    // The product gathers the bits 0, 8, 16, 24 and 4, 12, 20, 28 in its highest byte; no two of its terms meet.
    return ~((((absent.x >> 7u) | (absent.y >> 3u)) * 0x01020408u) >> 24u);
}

// Bits in the order in which a ray of some octant comes to the children: bit k becomes that of the child k ^ octant.
fn in_order_of_octant(children: u32, is_backward: vec3<bool>) -> u32 {
    var bits = children;
    bits = select(bits, ((bits & 0xaau) >> 1u) | ((bits & 0x55u) << 1u), is_backward.z);
    bits = select(bits, ((bits & 0xccu) >> 2u) | ((bits & 0x33u) << 2u), is_backward.y);
    return select(bits, (bits >> 4u) | ((bits & 0x0fu) << 4u), is_backward.x);
}

// What of a node is met.
struct ChildHits {
    // Inner children, in the order of the octant.
    inner: u32,
    // Shapes.
    shapes: u32,
}

fn intersect_children(index: u32, traversal_ray: TraversalRay, t_max: f32) -> ChildHits {
    let node = record_at(index);
    let axes = node.first.xyz;
    let step = bitcast<vec3<f32>>((axes & vec3<u32>(0xffu)) << vec3<u32>(23u)) * traversal_ray.inverse;
    let corner = (bitcast<vec3<f32>>(axes & vec3<u32>(0xffffff00u)) - traversal_ray.origin) * traversal_ray.inverse;
    // No plane of the node's children takes longer to reach, nor is a term of the sums below larger.
    let slack = MARGIN * (abs(corner) + 256.0 * abs(step));
    let early = corner - slack;
    let late = corner + slack;
    let back = traversal_ray.is_backward;
    // The lower planes of eight children, and the upper ones.
    let near_x = select(node.second.xy, node.second.zw, back.x);
    let near_y = select(node.third.xy, node.third.zw, back.y);
    let near_z = select(node.fourth.xy, node.fourth.zw, back.z);
    let far_x = select(node.second.zw, node.second.xy, back.x);
    let far_y = select(node.third.zw, node.third.xy, back.y);
    let far_z = select(node.fourth.zw, node.fourth.xy, back.z);
    let met = (met_of_four(
            vec3<u32>(near_x.x, near_y.x, near_z.x), vec3<u32>(far_x.x, far_y.x, far_z.x),
            step, early, late, traversal_ray.t_min, t_max)
        | met_of_four(
            vec3<u32>(near_x.y, near_y.y, near_z.y), vec3<u32>(far_x.y, far_y.y, far_z.y),
            step, early, late, traversal_ray.t_min, t_max) << 4u)
        & present_children(node.second.xy, node.second.zw);
    let base = node.first.w & ~CHILD_BITS;
    let inner = in_order_of_octant(met & node.first.w, back);
    return ChildHits(base | inner, base | (met & ~node.first.w));
}

// How many nodes are opened before shapes are asked. A group of threads goes on until its last one is done: those
// that have found a shape wait for it, but not for ever.
const STEPS_PER_SHAPE: u32 = 16u;

fn traverse(ray: Ray, query_kind: u32, so_far: Nearest) -> Nearest {
    let traversal_ray = traversal_ray(ray);
    let octant = select(0u, 4u, traversal_ray.is_backward.x) | select(0u, 2u, traversal_ray.is_backward.y)
        | select(0u, 1u, traversal_ray.is_backward.z);
    var best = so_far;
    var stack: array<u32, STACK_SIZE>;
    var waiting = 0u;
    // The root, as if it were a node's child number 0.
    var inner = (ROOT << 8u) | (1u << octant);
    var shapes = 0u;
    let max_steps = scene_header.max_traversal_steps;
    // Each turn opens a node, none of them twice, or asks for one of a node's eight shapes.
    for (var turn = 0u; turn < max_steps; turn++) {
        for (var step = 0u; step < STEPS_PER_SHAPE; step++) {
            if (shapes & CHILD_BITS) != 0u {
                break;
            }
            if (inner & CHILD_BITS) == 0u {
                if waiting == 0u {
                    break;
                }
                waiting--;
                inner = stack[waiting];
            }
            let nearest = firstTrailingBit(inner) ^ octant;
            // Threads that wait here compute on, to no effect. They read the record of nothing: taken for a node, a
            // shape's numbers would be so small that a processor takes a hundred times as long for each.
            let index = select(0u, (inner >> 8u) + nearest, (inner & CHILD_BITS) != 0u);
            inner &= inner - 1u;
            if (inner & CHILD_BITS) != 0u {
                stack[waiting] = inner;
                waiting++;
            }
            let met = intersect_children(index, traversal_ray, best.t);
            inner = met.inner;
            shapes = met.shapes;
        }
        let has_shape = (shapes & CHILD_BITS) != 0u;
        if !has_shape && (inner & CHILD_BITS) == 0u && waiting == 0u {
            break;
        }
        // In the record of nothing is no shape.
        let index = select(0u, (shapes >> 8u) + firstTrailingBit(shapes), has_shape);
        shapes = select(shapes, shapes & (shapes - 1u), has_shape);
        best = intersect_record(index, ray, query_kind, best);
        if is_done(query_kind, best) {
            break;
        }
    }
    return best;
}
