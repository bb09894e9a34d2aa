// Layout: center, columns | own x axis in the world, spacing along x | own y axis, spacing along y | lowest height,
// highest, rows, the mask as bits | the heights, row by row | the pyramid, as heightfield/pyramid.wgsl describes it. A field
// with a base, which is closed, has a rim in its rows, columns and heights: see src/shapes/heightfield.rs.

struct Field {
    columns: u32,
    rows: u32,
    spacing: vec2<f32>,
    // the index of the vector with the first height
    first: u32,
    is_closed: bool,
    // true for the layer of cells that is the bottom, at the lowest height
    is_bottom: bool,
    lowest: f32,
}

// The relative error bound of a float32 traversal of the cells.
const CELL_MARGIN: f32 = 16.0 * U;

// The largest number of blocks that a thread visits before it tests a cell. A workgroup goes on until its last thread is
// done, so threads that have found a cell wait for the others; this bounds the wait.
const STEPS_PER_CELL: u32 = 16u;

// Returns the position of a vertex in spacings from the middle. Those of the rim lie where the outermost ones do.
fn field_steps(field: Field, row: u32, column: u32) -> vec2<f32> {
    var steps = vec2<f32>(f32(column), f32(row));
    var last = vec2<f32>(f32(field.columns), f32(field.rows)) - 1.0;
    if HAS_CLOSED_HEIGHTFIELD {
        let rim = select(0.0, 1.0, field.is_closed);
        last -= 2.0 * rim;
        steps = clamp(steps - rim, vec2<f32>(0.0), last);
    }
    return steps - 0.5 * last;
}

fn field_height(field: Field, row: u32, column: u32) -> f32 {
    let index = row * field.columns + column;
    let height = bitcast<vec4<f32>>(scene_params[field.first + index / 4u])[index % 4u];
    return select(height, field.lowest, HAS_CLOSED_HEIGHTFIELD & field.is_bottom);
}

fn field_vertex(field: Field, row: u32, column: u32) -> vec3<f32> {
    return vec3<f32>(field_steps(field, row, column) * field.spacing, field_height(field, row, column));
}

// Returns a vertex relative to a point of the line, which has the same bits in every cell that shares the vertex.
fn seen_vertex(field: Field, row: u32, column: u32, origin: vec3<f32>) -> vec3<f32> {
    let vertex = field_vertex(field, row, column);
    return vec3<f32>(rounded(vertex.x), rounded(vertex.y), vertex.z) - origin;
}

// Returns a normal of a triangle that rises by this much along x and along y; its length is near 1.
fn slope_normal(along_x: f32, along_y: f32, spacing: vec2<f32>) -> vec3<f32> {
    return near_unit(vec3<f32>(-along_x / spacing.x, -along_y / spacing.y, 1.0));
}

// Returns the first and the last cell between two points, as row and column.
fn cells_between(field: Field, start: vec2<f32>, end: vec2<f32>) -> array<vec2<u32>, 2> {
    let counts = vec2<f32>(f32(field.columns), f32(field.rows));
    let middle = 0.5 * (counts - 1.0);
    let low = clamp(start / field.spacing + middle, vec2<f32>(0.0), counts - 2.0);
    let high = clamp(end / field.spacing + middle, vec2<f32>(0.0), counts - 2.0);
    return array<vec2<u32>, 2>(vec2<u32>(low.yx), vec2<u32>(high.yx));
}

// Returns those of the cells that are in the block to which the traversal is limited. If there are none, the first ones are
// after the last.
fn in_block(cells: array<vec2<u32>, 2>) -> array<vec2<u32>, 2> {
    let level = vec2<u32>(scene_header.block_level);
    let first = vec2<u32>(scene_header.block_row, scene_header.block_column) << level;
    let last = first + ((vec2<u32>(1u) << level) - 1u);
    return array<vec2<u32>, 2>(max(cells[0], first), min(cells[1], last));
}

fn field_of(params: ShapeParams, first_row: u32, is_closed: bool) -> Field {
    let lowest_highest_rows = bitcast<vec3<f32>>(scene_params[first_row + 3u].xyz);
    return Field(
        u32(params.first.w), u32(lowest_highest_rows.z), vec2<f32>(params.second.w, params.third.w), first_row + 4u,
        is_closed, false, lowest_highest_rows.x);
}

// Returns the primitive of a triangle of a cell, counted from the field's first: see src/shapes/heightfield/facets.rs.
fn primitive_in_field(field: Field, row: u32, column: u32, half: u32) -> u32 {
    if HAS_CLOSED_HEIGHTFIELD && field.is_closed {
        let rows = field.rows - 3u;
        let columns = field.columns - 3u;
        let is_in_row = (row > 0u) & (row <= rows);
        let is_in_column = (column > 0u) & (column <= columns);
        let sides = 2u * rows * columns;
        if is_in_row & is_in_column {
            return select(2u * ((row - 1u) * columns + column - 1u) + half, sides + 4u, field.is_bottom);
        }
        if field.is_bottom | (is_in_row == is_in_column) {
            return NONE;
        }
        return sides + select(2u + u32(row > 0u), u32(column > 0u), is_in_row);
    }
    return 2u * (row * (field.columns - 1u) + column) + half;
}

// Returns a normal of the triangle to the right of a cell's diagonal, or of the one to the left with the other sign; its
// length is near 1. The cells of the rim stand upright.
fn cell_normal(field: Field, row: u32, column: u32, rise: vec2<f32>) -> vec3<f32> {
    if HAS_CLOSED_HEIGHTFIELD && field.is_closed {
        if (column == 0u) | (column == field.columns - 2u) {
            return vec3<f32>(select(-1.0, 1.0, column > 0u), 0.0, 0.0);
        }
        if (row == 0u) | (row == field.rows - 2u) {
            return vec3<f32>(0.0, select(-1.0, 1.0, row > 0u), 0.0);
        }
    }
    return slope_normal(rise.x, rise.y, field.spacing);
}

// A triangle of a cell: its corners relative to a point, and a normal of a length near 1.
struct Facet {
    seen: array<vec3<f32>, 3>,
    normal: vec3<f32>,
}

// Returns the row and the column of a cell's corner at the lower right, or at the upper left for the left triangle.
fn third_corner(row: u32, column: u32, is_left: bool) -> vec2<u32> {
    return vec2<u32>(row, column) + select(vec2<u32>(0u, 1u), vec2<u32>(1u, 0u), is_left);
}

fn field_corners(field: Field, row: u32, column: u32, is_left: bool) -> array<vec3<f32>, 3> {
    let third = third_corner(row, column, is_left);
    return array<vec3<f32>, 3>(
        field_vertex(field, row, column), field_vertex(field, third.x, third.y),
        field_vertex(field, row + 1u, column + 1u));
}

fn field_facet(field: Field, row: u32, column: u32, is_left: bool, origin: vec3<f32>) -> Facet {
    let third = third_corner(row, column, is_left);
    let third_height = field_height(field, third.x, third.y);
    let from_near = third_height - field_height(field, row, column);
    let to_far = field_height(field, row + 1u, column + 1u) - third_height;
    let rise = select(vec2<f32>(from_near, to_far), vec2<f32>(to_far, from_near), is_left);
    return Facet(
        array<vec3<f32>, 3>(
            seen_vertex(field, row, column, origin), seen_vertex(field, third.x, third.y, origin),
            seen_vertex(field, row + 1u, column + 1u, origin)),
        // The left triangle's corners run the other way.
        cell_normal(field, row, column, rise) * select(1.0, -1.0, is_left));
}

// A ray in the field's own axes, as the tests of its blocks use it.
struct Flight {
    origin: vec3<f32>,
    speed: vec3<f32>,
    // the inverse of the speed's x and y
    inverse: vec2<f32>,
    pad: f32,
    // the span inside the field's box, counted from the origin, and the origin's t on the ray
    span: Span,
    start_t: f32,
}

// Returns true if the ray may cross a triangle of a block up to t_max, by the slab test of the block's box.
fn may_cross(field: Field, block: Block, flight: Flight, t_max: f32) -> bool {
    let corners = corners_of(field, block);
    if !is_block(corners) {
        return false;
    }
    let low = field_steps(field, corners.first.x, corners.first.y) * field.spacing - flight.pad;
    let high = field_steps(field, corners.last.x, corners.last.y) * field.spacing + flight.pad;
    let a = (low - flight.origin.xy) * flight.inverse;
    let b = (high - flight.origin.xy) * flight.inverse;
    let over = meet(Span(min(a.x, b.x), max(a.x, b.x)), Span(min(a.y, b.y), max(a.y, b.y)));
    let here = meet(over, flight.span);
    if is_empty(here) | (flight.start_t + here.x - MARGIN * abs(here.x) > t_max) {
        return false;
    }
    if block.level == 1u {
        return true;
    }
    // The heights are those of the whole line over the block; only the crossings test where the ray begins and ends.
    let heights = flight.origin.z + over * flight.speed.z;
    let reach = reach_of(field, block);
    let is_above = max(heights.x, heights.y) >= reach.x - flight.pad;
    return is_above & (min(heights.x, heights.y) <= reach.y + flight.pad);
}

// Inverts the bits of an index, a row and a column, along each axis that a ray runs down.
fn from_behind(index: vec2<i32>, speed: vec3<f32>) -> vec2<i32> {
    return select(index, ~index, speed.yx < vec2<f32>(0.0));
}

// Returns the best hit so far, or the first triangle that the ray hits before it. A query for all hits records each and
// returns none.
fn heightfield_crossing(
    params: ShapeParams, first_row: u32, is_closed: bool, first_primitive: u32, ray: Ray, query_kind: u32,
    so_far: Nearest,
) -> Nearest {
    var field = field_of(params, first_row, is_closed);
    if HAS_CLOSED_HEIGHTFIELD {
        var best = so_far;
        for (var layer = 0u; layer < 2u; layer++) {
            field.is_bottom = layer == 1u;
            if field.is_bottom & !is_closed {
                break;
            }
            best = layer_crossing(params, field, first_row, first_primitive, ray, query_kind, best);
        }
        return best;
    }
    return layer_crossing(params, field, first_row, first_primitive, ray, query_kind, so_far);
}

// Does the same for one layer of the field's cells. It traverses the pyramid block by block down to cells, and visits the
// four children of each block in the order of the ray's quadrant, which needs no stack.
fn layer_crossing(
    params: ShapeParams, field: Field, first_row: u32, first_primitive: u32, ray: Ray, query_kind: u32,
    so_far: Nearest,
) -> Nearest {
    let start = near(ray, params.first.xyz);
    let x_axis = params.second.xyz;
    let y_axis = params.third.xyz;
    var low_high = bitcast<vec2<f32>>(scene_params[first_row + 3u].xy);
    if HAS_CLOSED_HEIGHTFIELD && field.is_bottom {
        low_high.y = low_high.x;
    }
    let own_from_world = transpose(mat3x3<f32>(x_axis, y_axis, cross(x_axis, y_axis)));
    let origin = own_from_world * -start.offset;
    let speed = own_from_world * ray.direction;

    let corner = field_vertex(field, field.rows - 1u, field.columns - 1u).xy;
    let half_height = 0.5 * (low_high.y - low_high.x);
    let middle_height = low_high.x + half_height;
    let size = largest(vec3<f32>(corner, 0.0)) + max(abs(low_high.x), abs(low_high.y));
    let pad = pad_of_field(CELL_MARGIN * (largest(origin) + size), params.first.xyz, ray);
    let flat = meet(slab(-origin.x, speed.x, corner.x + pad), slab(-origin.y, speed.y, corner.y + pad));
    let inside = meet(flat, slab(middle_height - origin.z, speed.z, half_height + pad));
    var interval = Span(ray.t_min, so_far.t);
    if HAS_INSTANCE {
        interval = Span(t_in_object(interval.x), t_in_object(interval.y));
    }
    let cut = interval - start.t;
    let slack = MARGIN * (abs(start.t) + abs(cut));
    let span = meet(inside, Span(cut.x - slack.x, cut.y + slack.y));
    let enter = origin.xy + span.x * speed.xy;
    let leave = origin.xy + span.y * speed.xy;
    let cells = in_block(cells_between(field, min(enter, leave) - pad, max(enter, leave) + pad));
    var best = so_far;
    if is_empty(span) | any(cells[0] > cells[1]) {
        return best;
    }
    let inverse = vec2<f32>(inverse_of(speed.x), inverse_of(speed.y));
    let flight = Flight(origin, speed, inverse, pad, span, start.t);

    let top = level_between(cells[0], cells[1]);
    // Rows and columns are counted from the side that the ray comes from: along an axis that it runs down, all bits of
    // the index are inverted.
    let ends = array<vec2<i32>, 2>(
        from_behind(vec2<i32>(cells[0] >> vec2<u32>(top)), speed), from_behind(vec2<i32>(cells[1] >> vec2<u32>(top)), speed));
    let first = min(ends[0], ends[1]);
    let last = max(ends[0], ends[1]);
    var index = first;
    var level = top;
    var is_done = false;
    // Each turn visits some blocks and tests one cell's triangles; the bound is above the number of turns needed.
    for (var turn = 0u; turn < 4u * field.rows * field.columns; turn++) {
        var cell = vec2<u32>(NONE);
        var last_t = best.t;
        if HAS_INSTANCE {
            last_t = t_in_object(last_t);
        }
        for (var step = 0u; step < STEPS_PER_CELL; step++) {
            if is_done | (cell.x != NONE) {
                break;
            }
            let at = vec2<u32>(from_behind(index, speed));
            let is_met = may_cross(field, Block(level, at.x, at.y), flight, last_t);
            if is_met & (level > 0u) {
                level--;
                index *= 2;
                continue;
            }
            if is_met {
                cell = at;
            }
            // The last of four children is followed by the block that follows their parent.
            let up = min(countTrailingZeros(~u32(index.x & index.y)), top - level);
            level += up;
            index = index >> vec2<u32>(up);
            if level < top {
                index = select(vec2<i32>(index.x + 1, index.y - 1), vec2<i32>(index.x, index.y + 1), (index.y & 1) == 0);
            } else if index.y < last.y {
                index.y++;
            } else {
                index = vec2<i32>(index.x + 1, first.y);
                is_done = index.x > last.x;
            }
        }
        if cell.x == NONE {
            if is_done {
                break;
            }
            continue;
        }
        // Each step of the loop tests one triangle, so that the long test is compiled once.
        for (var half = 0u; half < 2u; half++) {
            let is_left = half == 1u;
            let facet = field_facet(field, cell.x, cell.y, is_left, origin);
            var crossing = plane_crossing_inside(facet.seen, facet.normal, speed, query_kind == ALL);
            if crossing == SEEN_EDGE_ON {
                // The corners would take registers before this. A compiler that cannot know the row computes them here.
                let corners = field_corners(field, cell.x ^ zero_at_run_time(), cell.y, is_left);
                crossing = edge_on_crossing(corners, facet.seen, facet.normal, speed);
            }
            var t = start.t + crossing;
            if HAS_INSTANCE {
                t = t_in_world(t);
            }
            let primitive = primitive_in_field(field, cell.x, cell.y, half);
            if HAS_CLOSED_HEIGHTFIELD {
                if primitive == NONE {
                    continue;
                }
            }
            if query_kind == ALL {
                note_crossing(t, primitive_here(first_primitive + primitive), ray);
            } else {
                best = nearest_with_facet(
                    facet.seen, facet.normal, speed, start.t, pad, t, first_primitive, primitive, ray, best);
            }
        }
    }
    return best;
}

// Returns true if the solid below a closed field holds a point, boundary included. The surface over a cell is a plane on
// either side of the diagonal, on which the point's height is compared times the cell's area.
fn heightfield_holds(params: ShapeParams, first_row: u32, from_center: vec3<f32>) -> bool {
    let field = field_of(params, first_row, true);
    let x_axis = params.second.xyz;
    let y_axis = params.third.xyz;
    let local_point = transpose(mat3x3<f32>(x_axis, y_axis, cross(x_axis, y_axis))) * from_center;
    let end = field_vertex(field, field.rows - 1u, field.columns - 1u).xy;
    if any(abs(local_point.xy) > end) | (local_point.z < field.lowest) {
        return false;
    }
    let inner = vec2<u32>(field.rows, field.columns) - 3u;
    let cell = clamp(cells_between(field, local_point.xy, local_point.xy)[0], vec2<u32>(1u), inner);
    let corner = field_vertex(field, cell.x, cell.y);
    let far = field_height(field, cell.x + 1u, cell.y + 1u);
    let along = (local_point.xy - corner.xy) * field.spacing.yx;
    let is_left = along.y > along.x;
    let third = third_corner(cell.x, cell.y, is_left);
    let beside = field_height(field, third.x, third.y);
    let rise = select(
        vec2<f32>(beside - corner.z, far - beside), vec2<f32>(far - beside, beside - corner.z), is_left);
    return (local_point.z - corner.z) * field.spacing.x * field.spacing.y <= dot(rise, along);
}
