// The nearest triangle of a heightfield, by a branch-and-bound search of the pyramid: a block that may be near enough is
// replaced by its four children, first the one on the point's side of the middle. The order follows from the block
// alone, so the search needs no stack.

// A point in the field's own axes, as the tests of its blocks use it.
struct Spot {
    local_point: vec3<f32>,
    pad: f32,
    // a lower bound of the distance by which the field is above or below
    above: f32,
}

// Returns the distance of a coordinate from an interval.
fn gap(x: f32, low: f32, high: f32) -> f32 {
    return max(max(low - x, x - high), 0.0);
}

// Returns a lower bound of the squared distance to a block's triangles.
fn least_squared(field: Field, block: Block, spot: Spot) -> f32 {
    let corners = corners_of(field, block);
    if !is_block(corners) {
        return NEVER;
    }
    let low = field_steps(field, corners.first.x, corners.first.y) * field.spacing;
    let high = field_steps(field, corners.last.x, corners.last.y) * field.spacing;
    var over = spot.above;
    if block.level != 1u {
        let reach = reach_of(field, block);
        over = gap(spot.local_point.z, reach.x, reach.y) - spot.pad;
    }
    let beside = gap(spot.local_point.x, low.x, high.x) - spot.pad;
    let before = gap(spot.local_point.y, low.y, high.y) - spot.pad;
    let gaps = max(vec3<f32>(beside, before, over), vec3<f32>(0.0));
    return dot(gaps, gaps);
}

// Returns the first and the last of the cells that may be as near as `reach`.
fn cells_within(field: Field, spot: Spot, reach: f32) -> array<vec2<u32>, 2> {
    let aside = sqrt(max(reach * reach - spot.above * spot.above, 0.0)) + spot.pad;
    return cells_between(field, spot.local_point.xy - aside, spot.local_point.xy + aside);
}

// Returns the distance of a vertex, found by a descent through the blocks that may be nearest.
fn distance_of_some_vertex(field: Field, spot: Spot) -> f32 {
    let top = 32u - countLeadingZeros(max(field.rows, field.columns) - 2u);
    var nearest = Block(top, 0u, 0u);
    for (var level = top; level > FINEST; level--) {
        let parent = nearest;
        var least = NEVER;
        for (var child = 0u; child < 4u; child++) {
            let block = Block(level - 1u, 2u * parent.row + child / 2u, 2u * parent.column + (child & 1u));
            let squared = least_squared(field, block, spot);
            if squared < least {
                least = squared;
                nearest = block;
            }
        }
    }
    let corners = corners_of(field, nearest);
    var distance = FAR;
    for (var row = corners.first.x; row <= corners.last.x; row++) {
        for (var column = corners.first.y; column <= corners.last.y; column++) {
            distance = min(distance, length(seen_vertex(field, row, column, spot.local_point)));
        }
    }
    return distance;
}

// Returns the child of a block that the point is over or beside, as row and column.
fn own_child(field: Field, level: u32, block: vec2<u32>, local_point: vec3<f32>) -> vec2<u32> {
    let middle = (2u * block + 1u) << vec2<u32>(level - 1u);
    let middle_place = field_steps(field, middle.x, middle.y) * field.spacing;
    return select(vec2<u32>(0u), vec2<u32>(1u), local_point.yx > middle_place.yx);
}

// Returns the nearest triangle, if it is as near as `within`.
fn heightfield_nearest(
    params: ShapeParams, first_row: u32, is_closed: bool, first_primitive: u32, from_center: vec3<f32>, within: f32,
) -> Surface {
    let x_axis = params.second.xyz;
    let y_axis = params.third.xyz;
    let low_high = bitcast<vec2<f32>>(scene_params[first_row + 3u].xy);
    let field = field_of(params, first_row, is_closed);
    let local_point = transpose(mat3x3<f32>(x_axis, y_axis, cross(x_axis, y_axis))) * from_center;
    let corner = field_vertex(field, field.rows - 1u, field.columns - 1u).xy;
    let pad = CELL_MARGIN * (largest(local_point) + largest(vec3<f32>(corner, 0.0))
        + max(abs(low_high.x), abs(low_high.y)));
    let spot = Spot(local_point, pad, max(gap(local_point.z, low_high.x, low_high.y) - pad, 0.0));
    // A corner of the cell nearest to the point's own x and y is certainly as near as this.
    let own_cell = cells_between(field, local_point.xy, local_point.xy)[0];
    var reach = min(within, length(seen_vertex(field, own_cell.x, own_cell.y, local_point)) + pad);
    var cells = cells_within(field, spot, reach);
    // If those cells are many, a peak elsewhere may be nearer.
    if level_between(cells[0], cells[1]) > FINEST {
        reach = min(reach, distance_of_some_vertex(field, spot) + pad);
        cells = cells_within(field, spot, reach);
    }
    var best = Surface(FAR, NONE);
    if HAS_CLOSED_HEIGHTFIELD && is_closed {
        let aside = max(abs(local_point.xy) - corner, vec2<f32>(0.0));
        let to_bottom = length(vec3<f32>(aside, local_point.z - field.lowest));
        best = Surface(to_bottom, first_primitive + 2u * (field.rows - 3u) * (field.columns - 3u) + 4u);
        reach = min(reach, to_bottom + pad);
        cells = cells_within(field, spot, reach);
    }
    cells = in_block(cells);
    if any(cells[0] > cells[1]) {
        return best;
    }
    let top = level_between(cells[0], cells[1]);
    let own_root = clamp(own_cell, cells[0], cells[1]) >> vec2<u32>(top);
    // There are at most two roots along each axis; if there is one, the other root equals it.
    let other_root = (cells[0] >> vec2<u32>(top)) + (cells[1] >> vec2<u32>(top)) - own_root;
    var root = 0u;
    var block = Block(top, own_root.x, own_root.y);
    // Each turn visits some blocks and tests one cell's triangles; the bound is above the number of turns needed.
    for (var turn = 0u; turn < 4u * field.rows * field.columns; turn++) {
        var cell = vec2<u32>(NONE);
        for (var step = 0u; step < STEPS_PER_CELL; step++) {
            if (root == 4u) | (cell.x != NONE) {
                break;
            }
            let at = vec2<u32>(block.row, block.column);
            let is_near = least_squared(field, block, spot) <= reach * reach;
            if is_near & (block.level > 0u) {
                let child = 2u * at + own_child(field, block.level, at, local_point);
                block = Block(block.level - 1u, child.x, child.y);
                continue;
            }
            if is_near {
                cell = at;
            }
            block = block_after(field, block, top, local_point);
            if block.level == top {
                // The roots follow one another as children do, and no root comes twice.
                root++;
                if ((root & 1u) == 1u) & (other_root.y == own_root.y) {
                    root++;
                }
                if (root == 2u) & (other_root.x == own_root.x) {
                    root = 4u;
                }
                block.row = select(own_root.x, other_root.x, root >= 2u);
                block.column = select(own_root.y, other_root.y, (root & 1u) == 1u);
            }
        }
        if cell.x == NONE {
            if root == 4u {
                break;
            }
            continue;
        }
        // The loop tests one triangle a step, so that the long test is compiled once.
        for (var half = 0u; half < 2u; half++) {
            let is_left = half == 1u;
            let corners = field_corners(field, cell.x, cell.y, is_left);
            let facet = field_facet(field, cell.x, cell.y, is_left, local_point);
            let distance = corners_distance(corners, facet.seen, facet.normal);
            let primitive = primitive_in_field(field, cell.x, cell.y, half);
            if HAS_CLOSED_HEIGHTFIELD {
                if primitive == NONE {
                    continue;
                }
            }
            best = closer(Surface(distance, first_primitive + primitive), best);
            reach = min(reach, distance + pad);
        }
    }
    return best;
}

// Returns the block after a finished one: its next sibling, or else the block after its parent. It is one of level `top`
// if no other follows.
fn block_after(field: Field, block: Block, top: u32, local_point: vec3<f32>) -> Block {
    var at = vec2<u32>(block.row, block.column);
    for (var level = block.level; level < top; level++) {
        let parent = at / 2u;
        let first = own_child(field, level + 1u, parent, local_point);
        // The four siblings follow one another as 0 0, 0 1, 1 0, 1 1, counted from the first.
        let step = (at & vec2<u32>(1u)) ^ first;
        if any(step == vec2<u32>(0u)) {
            let next = vec2<u32>(step.x | step.y, step.y ^ 1u);
            let child = 2u * parent + (next ^ first);
            return Block(level, child.x, child.y);
        }
        at = parent;
    }
    return Block(top, at.x, at.y);
}
