// The lowest and the highest height of each block of cells: a maximum mipmap and a minimum one (Tevs, Ihrke and Seidel,
// Maximum Mipmaps for Fast, Accurate, and Scalable Dynamic Height Field Rendering, 2008). A block of level l has 2^l
// cells a side; blocks at the far ends may have fewer.
//
// Layout, after the heights: the index of each level's first range, counted from those of level FINEST, in TABLE_ROWS
// vectors | the lowest and the highest height of each block, level by level and row by row.

// The finest level that is stored. A block of level 1 has too few cells to be worth it, and a cell's corners give its
// range.
const FINEST: u32 = 2u;

const TABLE_ROWS: u32 = 6u;

// A block of cells, by its level, row and column.
struct Block {
    level: u32,
    row: u32,
    column: u32,
}

// The first and the last vertex of a block, as row and column. The first lies beyond the field if there is no such block.
struct Corners {
    first: vec2<u32>,
    last: vec2<u32>,
}

fn corners_of(field: Field, block: Block) -> Corners {
    let index = vec2<u32>(block.row, block.column);
    return Corners(
        index << vec2<u32>(block.level),
        min((index + 1u) << vec2<u32>(block.level), vec2<u32>(field.rows, field.columns) - 1u));
}

fn is_block(corners: Corners) -> bool {
    return all(corners.first < corners.last);
}

// Returns the lowest and the highest height of a block, of level 0 or of FINEST and above.
fn reach_of(field: Field, block: Block) -> vec2<f32> {
    if HAS_CLOSED_HEIGHTFIELD && field.is_bottom {
        return vec2<f32>(field.lowest);
    }
    if block.level == 0u {
        let near_side = vec2<f32>(
            field_height(field, block.row, block.column), field_height(field, block.row, block.column + 1u));
        let far_side = vec2<f32>(
            field_height(field, block.row + 1u, block.column), field_height(field, block.row + 1u, block.column + 1u));
        let low = min(near_side, far_side);
        let high = max(near_side, far_side);
        return vec2<f32>(min(low.x, low.y), max(high.x, high.y));
    }
    let table = field.first + (field.rows * field.columns + 3u) / 4u;
    let level = block.level - FINEST;
    let columns = (field.columns - 2u) >> block.level;
    let index = scene_params[table + level / 4u][level % 4u] + block.row * (columns + 1u) + block.column;
    let two = bitcast<vec4<f32>>(scene_params[table + TABLE_ROWS + index / 2u]);
    return select(two.xy, two.zw, (index & 1u) == 1u);
}

// Returns the finest level at which at most two blocks lie along each axis between two cells.
fn level_between(first: vec2<u32>, last: vec2<u32>) -> u32 {
    let steps = max(last.x - first.x, last.y - first.y);
    return select(32u - countLeadingZeros(steps - 1u), 0u, steps <= 1u);
}
