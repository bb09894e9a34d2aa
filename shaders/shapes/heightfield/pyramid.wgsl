// How low and how high a field is, block by block: a maximum mipmap and a minimum one (Tevs, Ihrke and Seidel, Maximum
// Mipmaps for Fast, Accurate, and Scalable Dynamic Height Field Rendering, 2008). A block of level l has 2^l cells a
// side; those at the far ends may have fewer.
//
// After the heights: where the ranges of each level begin, counted from those of level FINEST, in TABLE_WORDS params |
// the lowest and the highest height of each block, level by level and row by row.

// The finest level that is written down. In a block of level 1 are few cells, and of a cell the corners tell.
const FINEST: u32 = 2u;

const TABLE_WORDS: u32 = 6u;

// A block of cells, by its level, row and column.
struct Block {
    level: u32,
    row: u32,
    column: u32,
}

// Its first vertex and its last one, as row and column; the first lies beyond the field for a block that there is not.
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

// The lowest height and the highest: of level 0, or from FINEST on.
fn reach_of(field: Field, block: Block) -> vec2<f32> {
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
    let two = bitcast<vec4<f32>>(scene_params[table + TABLE_WORDS + index / 2u]);
    return select(two.xy, two.zw, (index & 1u) == 1u);
}

// The level at which no more than two blocks lie along an axis, from one cell to another.
fn level_between(first: vec2<u32>, last: vec2<u32>) -> u32 {
    let steps = max(last.x - first.x, last.y - first.y);
    return select(32u - countLeadingZeros(steps - 1u), 0u, steps <= 1u);
}
