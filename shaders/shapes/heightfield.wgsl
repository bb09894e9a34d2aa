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

// The first triangle met from t_min to t_max: row by row, and in each the cells that the line may pass. In quest of
// all they are noted, and none is the first.
fn heightfield_crossing(
    own: Words, first_word: u32, first_part: u32, ray: Ray, quest: u32, t_max: f32,
) -> Nearest {
    let start = near(ray, own.first.xyz);
    let center_columns = own.first;
    let x_axis = own.second;
    let y_axis = own.third;
    let low_high_rows = bitcast<vec3<f32>>(words[first_word + 3u].xyz);
    let field = Field(
        u32(center_columns.w), u32(low_high_rows.z), vec2<f32>(x_axis.w, y_axis.w), first_word + 4u);
    let own_from_world =
        transpose(mat3x3<f32>(x_axis.xyz, y_axis.xyz, cross(x_axis.xyz, y_axis.xyz)));
    let origin = own_from_world * -start.offset;
    let speed = own_from_world * ray.direction;

    let corner = field_vertex(field, field.rows - 1u, field.columns - 1u).xy;
    let half_height = 0.5 * (low_high_rows.y - low_high_rows.x);
    let middle_height = low_high_rows.x + half_height;
    let pad = CELL_MARGIN * (largest(origin) + largest(vec3<f32>(corner, 0.0))
        + max(abs(low_high_rows.x), abs(low_high_rows.y)));
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
            let near_corner = field_vertex(field, row, column);
            let far_corner = field_vertex(field, row + 1u, column + 1u);
            // The third corner: at the right below, or at the left above.
            let aside = vec2<u32>(select(0u, 1u, is_left), select(1u, 0u, is_left));
            let third = field_vertex(field, row + aside.x, column + aside.y);
            let from_near = third.z - near_corner.z;
            let to_far = far_corner.z - third.z;
            let rise = select(vec2<f32>(from_near, to_far), vec2<f32>(to_far, from_near), is_left);
            // The left one's corners run the other way.
            let normal =
                slope_normal(rise.x, rise.y, field.spacing) * select(1.0, -1.0, is_left);
            let t = start.t + triangle_crossing(
                array<vec3<f32>, 3>(near_corner, third, far_corner),
                array<vec3<f32>, 3>(
                    seen_vertex(field, row, column, origin),
                    seen_vertex(field, row + aside.x, column + aside.y, origin),
                    seen_vertex(field, row + 1u, column + 1u, origin)),
                normal, speed, quest == ALL);
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
