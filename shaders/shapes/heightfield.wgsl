// center, columns | own x axis in the world, spacing along x | own y axis, spacing along y | lowest height,
// highest, rows, the mask as bits | the heights, row by row

struct Field {
    columns: u32,
    rows: u32,
    spacing: vec2<f32>,
    // the place of the first height's word
    first: u32,
}

// A float32 walk over the cells errs by less than this part of what it adds up.
const CELL_MARGIN: f32 = 16.0 * U;

// How many spacings a vertex is from the middle.
fn field_steps(field: Field, row: u32, column: u32) -> vec2<f32> {
    let middle = 0.5 * vec2<f32>(f32(field.columns - 1u), f32(field.rows - 1u));
    return vec2<f32>(f32(column), f32(row)) - middle;
}

fn field_vertex(field: Field, row: u32, column: u32) -> vec3<f32> {
    let place = row * field.columns + column;
    let four = bitcast<vec4<f32>>(words[field.first + place / 4u]);
    return vec3<f32>(field_steps(field, row, column) * field.spacing, four[place % 4u]);
}

// As seen from a point of the line; by fma, so that it becomes the same bits in every cell that it is in.
fn seen_vertex(field: Field, row: u32, column: u32, origin: vec3<f32>) -> vec3<f32> {
    let flat = fma(field_steps(field, row, column), field.spacing, -origin.xy);
    return vec3<f32>(flat, field_vertex(field, row, column).z - origin.z);
}

// Across a triangle that rises by this much along x and along y; of the size of 1.
fn slope_normal(along_x: f32, along_y: f32, spacing: vec2<f32>) -> vec3<f32> {
    return near_unit(vec3<f32>(-along_x / spacing.x, -along_y / spacing.y, 1.0));
}

// The cells along one axis between two coordinates: the first, and how many.
fn cells_between(a: f32, b: f32, spacing: f32, count: u32) -> vec2<u32> {
    let middle = 0.5 * f32(count - 1u);
    let places = clamp(
        vec2<f32>(min(a, b), max(a, b)) / spacing + middle,
        vec2<f32>(0.0), vec2<f32>(f32(count - 2u)));
    let cells = vec2<u32>(places);
    return vec2<u32>(cells.x, cells.y - cells.x + 1u);
}

fn field_of(own: Words, first_word: u32) -> Field {
    let rows = bitcast<f32>(words[first_word + 3u].z);
    return Field(u32(own.first.w), u32(rows), vec2<f32>(own.second.w, own.third.w), first_word + 4u);
}

// A triangle of a cell, where it is and as seen from a point; the normal is of the size of 1.
struct Facet {
    corners: array<vec3<f32>, 3>,
    seen: array<vec3<f32>, 3>,
    normal: vec3<f32>,
}

fn field_facet(field: Field, row: u32, column: u32, is_left: bool, origin: vec3<f32>) -> Facet {
    let near_corner = field_vertex(field, row, column);
    let far_corner = field_vertex(field, row + 1u, column + 1u);
    // The third corner: at the right below, or at the left above.
    let aside = vec2<u32>(select(0u, 1u, is_left), select(1u, 0u, is_left));
    let third = field_vertex(field, row + aside.x, column + aside.y);
    let from_near = third.z - near_corner.z;
    let to_far = far_corner.z - third.z;
    let rise = select(vec2<f32>(from_near, to_far), vec2<f32>(to_far, from_near), is_left);
    return Facet(
        array<vec3<f32>, 3>(near_corner, third, far_corner),
        array<vec3<f32>, 3>(
            seen_vertex(field, row, column, origin),
            seen_vertex(field, row + aside.x, column + aside.y, origin),
            seen_vertex(field, row + 1u, column + 1u, origin)),
        // The left one's corners run the other way.
        slope_normal(rise.x, rise.y, field.spacing) * select(1.0, -1.0, is_left));
}

// The first triangle met from t_min to t_max: row by row, and in each the cells that the line may pass. In quest of
// all they are noted, and none is the first.
fn heightfield_crossing(
    own: Words, first_word: u32, first_part: u32, ray: Ray, quest: u32, t_max: f32,
) -> Nearest {
    let start = near(ray, own.first.xyz);
    let x_axis = own.second.xyz;
    let y_axis = own.third.xyz;
    let low_high = bitcast<vec2<f32>>(words[first_word + 3u].xy);
    let field = field_of(own, first_word);
    let own_from_world = transpose(mat3x3<f32>(x_axis, y_axis, cross(x_axis, y_axis)));
    let origin = own_from_world * -start.offset;
    let speed = own_from_world * ray.direction;

    let corner = field_vertex(field, field.rows - 1u, field.columns - 1u).xy;
    let half_height = 0.5 * (low_high.y - low_high.x);
    let middle_height = low_high.x + half_height;
    let pad = CELL_MARGIN * (largest(origin) + largest(vec3<f32>(corner, 0.0))
        + max(abs(low_high.x), abs(low_high.y)));
    let flat = meet(slab(-origin.x, speed.x, corner.x + pad), slab(-origin.y, speed.y, corner.y + pad));
    let inside = meet(flat, slab(middle_height - origin.z, speed.z, half_height + pad));
    let cut = Span(ray.t_min, t_max) - start.t;
    let slack = MARGIN * (abs(start.t) + abs(cut));
    let span = meet(inside, Span(cut.x - slack.x, cut.y + slack.y));
    var best = Nearest(NEVER, NONE);
    if is_empty(span) {
        return best;
    }
    let ends = origin.y + span * speed.y;
    let rows = cells_between(min(ends.x, ends.y) - pad, max(ends.x, ends.y) + pad, field.spacing.y, field.rows);
    for (var row_step = 0u; row_step < rows.y; row_step++) {
        let row = rows.x + select(row_step, rows.y - 1u - row_step, speed.y < 0.0);
        let low = field_vertex(field, row, 0u).y;
        let half_row = 0.5 * field.spacing.y;
        let in_row = meet(span, slab(low + half_row - origin.y, speed.y, half_row + pad));
        if is_empty(in_row) {
            continue;
        }
        // Later rows are met later still.
        if start.t + in_row.x - MARGIN * abs(in_row.x) > best.t {
            break;
        }
        let sides = origin.x + in_row * speed.x;
        let columns = cells_between(
            min(sides.x, sides.y) - pad, max(sides.x, sides.y) + pad, field.spacing.x, field.columns);
        // One triangle a step, so that its long test stands here once.
        for (var half_step = 0u; half_step < 2u * columns.y; half_step++) {
            let column_step = half_step / 2u;
            let is_left = (half_step & 1u) == 1u;
            let column =
                columns.x + select(column_step, columns.y - 1u - column_step, speed.x < 0.0);
            let facet = field_facet(field, row, column, is_left, origin);
            let t = start.t
                + triangle_crossing(facet.corners, facet.seen, facet.normal, speed, quest == ALL);
            let place = 2u * (row * (field.columns - 1u) + column) + select(0u, 1u, is_left);
            if quest == ALL {
                note_crossing(t, first_part + place, ray);
            } else if t >= ray.t_min {
                best = nearer(Nearest(t, first_part + place), best);
            }
        }
    }
    return best;
}

// How far a coordinate is from an interval.
fn gap(x: f32, low: f32, high: f32) -> f32 {
    return max(max(low - x, x - high), 0.0);
}

// The triangle that is nearest, if it is as near as `within`: row by row, and in each the cells that may be so near.
fn heightfield_nearest(
    own: Words, first_word: u32, first_part: u32, from_center: vec3<f32>, within: f32,
) -> Surface {
    let x_axis = own.second.xyz;
    let y_axis = own.third.xyz;
    let low_high = bitcast<vec2<f32>>(words[first_word + 3u].xy);
    let field = field_of(own, first_word);
    let place = transpose(mat3x3<f32>(x_axis, y_axis, cross(x_axis, y_axis))) * from_center;
    let corner = field_vertex(field, field.rows - 1u, field.columns - 1u).xy;
    let pad = CELL_MARGIN * (largest(place) + largest(vec3<f32>(corner, 0.0))
        + max(abs(low_high.x), abs(low_high.y)));
    // A corner of the cell nearest to the point's own x and y is surely as near as this.
    let row_at = cells_between(place.y, place.y, field.spacing.y, field.rows).x;
    let column_at = cells_between(place.x, place.x, field.spacing.x, field.columns).x;
    var reach = min(within, length(seen_vertex(field, row_at, column_at, place)) + pad);
    var best = Surface(FAR, NONE);
    let above = max(gap(place.z, low_high.x, low_high.y) - pad, 0.0);
    let aside = sqrt(max(reach * reach - above * above, 0.0)) + pad;
    let rows = cells_between(place.y - aside, place.y + aside, field.spacing.y, field.rows);
    // The nearest row first, then on either side by turns.
    let steps = 2u * max(row_at - rows.x, rows.x + rows.y - 1u - row_at) + 1u;
    for (var row_step = 0u; row_step < steps; row_step++) {
        let half_way = (row_step + 1u) / 2u;
        let row = select(row_at + half_way, row_at - half_way, (row_step & 1u) == 1u);
        // Below the first row it wraps round to a number beyond the last.
        if row - rows.x >= rows.y {
            continue;
        }
        let row_start = field_vertex(field, row, 0u).y;
        let before = max(gap(place.y, row_start, row_start + field.spacing.y) - pad, 0.0);
        if before > reach {
            continue;
        }
        let beside = sqrt(max(reach * reach - above * above - before * before, 0.0)) + pad;
        let columns = cells_between(place.x - beside, place.x + beside, field.spacing.x, field.columns);
        for (var half_step = 0u; half_step < 2u * columns.y; half_step++) {
            let column = columns.x + half_step / 2u;
            let half = half_step & 1u;
            let facet = field_facet(field, row, column, half == 1u, place);
            let heights = vec3<f32>(facet.seen[0].z, facet.seen[1].z, facet.seen[2].z);
            let lowest = min(min(heights.x, heights.y), heights.z);
            let highest = max(max(heights.x, heights.y), heights.z);
            let over = max(gap(0.0, lowest, highest) - pad, 0.0);
            if over * over + before * before > reach * reach {
                continue;
            }
            let distance = corners_distance(facet.corners, facet.seen, facet.normal);
            let triangle = 2u * (row * (field.columns - 1u) + column) + half;
            best = closer(Surface(distance, first_part + triangle), best);
            reach = min(reach, distance + pad);
        }
    }
    return best;
}
