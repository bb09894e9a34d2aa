// The traversal of a wide tree by a ray, with up to eight children a node: see src/bvh/wide_node.rs. Near children are
// visited first, ordered by the ray's octant (Ylitie, Karras and Laine, Efficient Incoherent Ray Traversal on GPUs
// Through Compressed Wide BVHs, 2017).
//
// The children of a node that a ray meets are one number: the upper 24 bits are the slot of child 0, a multiple of
// ALIGNMENT, and each of the low eight bits stands for a child. An entry of the stack is such a number.

const CHILD_BITS: u32 = 0xffu;

const ALIGNMENT: u32 = 4u;

// The record of the root; the record before it is empty.
const ROOT: u32 = 1u;

// The state of a traversal.
struct Traversal {
    // the ray in the space that is traversed
    ray: Ray,
    // the inverse of its direction, for t in the units of the ray that is cast
    inverse: vec3<f32>,
    // the octant that the ray comes from, as the bits of a child's number
    octant: u32,
    // the children that are still to be visited of the node that was visited last
    inner: u32,
    shapes: u32,
    // the number of records that are still to be intersected before the tree
    unbounded: u32,
    best: Nearest,
}

fn octant_of(direction: vec3<f32>) -> u32 {
    let is_backward = direction < vec3<f32>(0.0);
    return select(0u, 4u, is_backward.x) | select(0u, 2u, is_backward.y) | select(0u, 1u, is_backward.z);
}

// Returns the slot of child 0 of a node, given its children as one number.
fn first_child_of(children: u32) -> u32 {
    return (children >> 8u) * ALIGNMENT;
}

// Returns a slot as if it held a child of a node, in the order of an octant.
fn entry_of_slot(slot: u32, octant: u32) -> u32 {
    return ((slot / ALIGNMENT) << 8u) | (1u << ((slot % ALIGNMENT) ^ octant));
}

// Returns a root as if it were a child of a node; 0 if there is no root.
fn entry_of_root(root: u32, octant: u32) -> u32 {
    return select(entry_of_slot(root, octant), 0u, root == NONE);
}

// Returns the first of `count` records that are intersected before a tree, as if it were a shape of a node. Its bit keeps
// the traversal from visiting nodes while there are such records. A scene in which every primitive has a box has at most
// one such record, in a part of its tree.
fn entry_of_unbounded(first: u32, count: u32) -> u32 {
    return select(0u, entry_of_slot(first, 0u), count > 0u);
}

fn start_of_traversal(ray: Ray) -> Traversal {
    let octant = octant_of(ray.direction);
    // The roots of all worlds stand side by side.
    let world = select(0u, ray_filter.world, IS_FILTERED);
    let root = own_root();
    let inner = entry_of_root(select(root + world, NONE, root == NONE), octant);
    let unbounded = own_unbounded_records();
    let shapes = entry_of_unbounded(own_first_unbounded(), unbounded);
    empty_stack();
    if HAS_INSTANCE {
        visit = visit_to_none();
    }
    return Traversal(
        ray, inverses_of(ray.direction), octant, inner, shapes, unbounded, no_hit_up_to(ray.t_max));
}

// Returns the record of a slot of the tree that is traversed.
fn record_of_slot(slot: u32) -> u32 {
    if HAS_INSTANCE {
        return visit.first_record + slot;
    }
    return slot;
}

// Returns one of the records that are intersected before the tree.
fn unbounded_record(number: u32) -> u32 {
    if HAS_INSTANCE {
        return visit.first_unbounded + number;
    }
    return scene_header.first_unbounded + number;
}

// Returns true if nothing is left to visit. At the end of an instance the world's tree is taken up again.
fn is_over(traversal: ptr<function, Traversal>) -> bool {
    let has_more = ((traversal.shapes | traversal.inner) & CHILD_BITS) != 0u;
    if HAS_INSTANCE {
        if !has_more & (visit.instance != NONE) {
            leave_instance(traversal);
            return ((traversal.shapes | traversal.inner) & CHILD_BITS) == 0u;
        }
    }
    return !has_more;
}

// Unpacks four planes, which are numbers of steps.
fn planes(four: u32) -> vec4<f32> {
    return vec4<f32>((vec4<u32>(four) >> vec4<u32>(0u, 8u, 16u, 24u)) & vec4<u32>(0xffu));
}

// Returns a bit for each of four children whose box the ray meets between t_min and t_max. Planes are numbers of steps,
// and a step takes the ray `step` of t. The ray reaches the node's corner at `early` for planes that it enters by, and
// at `late` for planes that it leaves by.
fn intersect_four_children(
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

// Returns a bit for each child that is present. The box of an absent child is inside out, with lower planes at 255 and
// upper planes at 0. A ray from so far away that its margin is wider than the node still meets such a box, and its
// record may hold another node's shape. The highest bit of a byte is set in the lower plane and not in the upper one
// only for an absent child, because the lower plane of a present child is never above its upper one.
fn present_children(low: vec2<u32>, high: vec2<u32>) -> u32 {
    let absent = low & ~high & vec2<u32>(0x80808080u);
    // The product gathers the bits 0, 8, 16, 24 and 4, 12, 20, 28 in its highest byte; no two of its terms overlap.
    return ~((((absent.x >> 7u) | (absent.y >> 3u)) * 0x01020408u) >> 24u);
}

// Reorders a set of children for a ray's octant: bit k of the result stands for the child k ^ octant, so that the
// lowest bit is the child to visit first.
fn octant_order(children: u32, is_backward: vec3<bool>) -> u32 {
    var bits = children;
    bits = select(bits, ((bits & 0xaau) >> 1u) | ((bits & 0x55u) << 1u), is_backward.z);
    bits = select(bits, ((bits & 0xccu) >> 2u) | ((bits & 0x33u) << 2u), is_backward.y);
    return select(bits, (bits >> 4u) | ((bits & 0x0fu) << 4u), is_backward.x);
}

// The children of a node whose boxes a ray meets.
struct ChildHits {
    // the inner children, in the order of the octant
    inner: u32,
    // the shapes
    shapes: u32,
}

fn intersect_children(index: u32, ray: Ray, inverse: vec3<f32>, t_max: f32) -> ChildHits {
    let node = record_at(index);
    let axes = node.first.xyz;
    let step = bitcast<vec3<f32>>((axes & vec3<u32>(0xffu)) << vec3<u32>(23u)) * inverse;
    let corner = (bitcast<vec3<f32>>(axes & vec3<u32>(0xffffff00u)) - ray.origin) * inverse;
    // This bounds the t of every plane of the node's children, and every term of the sums that give it.
    let slack = MARGIN * (abs(corner) + 256.0 * abs(step));
    let early = corner - slack;
    let late = corner + slack;
    let back = inverse < vec3<f32>(0.0);
    // The lower planes of eight children, and the upper ones.
    let near_x = select(node.second.xy, node.second.zw, back.x);
    let near_y = select(node.third.xy, node.third.zw, back.y);
    let near_z = select(node.fourth.xy, node.fourth.zw, back.z);
    let far_x = select(node.second.zw, node.second.xy, back.x);
    let far_y = select(node.third.zw, node.third.xy, back.y);
    let far_z = select(node.fourth.zw, node.fourth.xy, back.z);
    let met = (intersect_four_children(
            vec3<u32>(near_x.x, near_y.x, near_z.x), vec3<u32>(far_x.x, far_y.x, far_z.x),
            step, early, late, ray.t_min, t_max)
        | (intersect_four_children(
            vec3<u32>(near_x.y, near_y.y, near_z.y), vec3<u32>(far_x.y, far_y.y, far_z.y),
            step, early, late, ray.t_min, t_max) << 4u))
        & present_children(node.second.xy, node.second.zw);
    let base = node.first.w & ~CHILD_BITS;
    let inner = octant_order(met & node.first.w, back);
    return ChildHits(base | inner, base | (met & ~node.first.w));
}

// Visits nodes up to the next shape, and intersects one. Returns true if that ends the traversal.
fn advance(traversal: ptr<function, Traversal>, query_kind: u32) -> bool {
    for (var step = 0u; step < STEPS_PER_SHAPE; step++) {
        let inner = traversal.inner;
        if ((traversal.shapes & CHILD_BITS) != 0u) | ((inner & CHILD_BITS) == 0u) {
            break;
        }
        let nearest = firstTrailingBit(inner) ^ traversal.octant;
        // Threads that wait continue to compute without effect. They read the empty record, because a shape's numbers read
        // as a node would be subnormal, and a processor takes a hundred times as long for these.
        let index = select(0u, first_child_of(inner) + nearest, (inner & CHILD_BITS) != 0u);
        let siblings = inner & (inner - 1u);
        let met = intersect_children(record_of_slot(index), traversal.ray, traversal.inverse, traversal.best.t);
        traversal.inner = next_children(
            met.inner, siblings, (met.inner & CHILD_BITS) != 0u, (siblings & CHILD_BITS) != 0u);
        traversal.shapes = met.shapes;
    }
    let shapes = traversal.shapes;
    let has_shape = (shapes & CHILD_BITS) != 0u;
    if !has_shape & ((traversal.inner & CHILD_BITS) == 0u) {
        return is_over(traversal);
    }
    // The empty record holds no shape.
    var index = record_of_slot(select(0u, first_child_of(shapes) + firstTrailingBit(shapes), has_shape));
    traversal.shapes = select(shapes, shapes & (shapes - 1u), has_shape);
    if (HAS_PLANE || HAS_SHEET) & (traversal.unbounded > 0u) {
        traversal.unbounded--;
        index = unbounded_record(traversal.unbounded);
        traversal.shapes = min(traversal.unbounded, 1u);
    }
    if HAS_INSTANCE {
        let record = record_at(index);
        if kind_of(record) == INSTANCE {
            enter_instance(traversal, record);
            return is_over(traversal);
        }
    }
    traversal.best = intersect_record(index, traversal.ray, query_kind, traversal.best);
    return is_over(traversal) | is_done(query_kind, traversal.best);
}
