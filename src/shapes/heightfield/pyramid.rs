//! The lowest and the highest height of each block of cells, so that rays and points skip blocks
//! far above or below them.

use crate::parallel::mapped;
use std::ops::Range;

/// The lowest and the highest height, rounded outwards.
type Reach = [f32; 2];

const NOTHING: Reach = [f32::INFINITY, f32::NEG_INFINITY];

fn hull([low, high]: Reach, other: Reach) -> Reach {
    [low.min(other[0]), high.max(other[1])]
}

fn rounded_outwards([low, high]: [f64; 2]) -> Reach {
    let (below, above) = (low as f32, high as f32);
    [
        if f64::from(below) > low { below.next_down() } else { below },
        if f64::from(above) < high { above.next_up() } else { above },
    ]
}

/// The height ranges of square blocks of cells, in levels: a maximum mipmap and a minimum one
/// (Tevs, Ihrke and Seidel, Maximum Mipmaps for Fast, Accurate, and Scalable Dynamic Height Field
/// Rendering, 2008).
///
/// Level 0 is the cells, which have no entry because their corners give their range as fast. A
/// block of level 1 has four cells a side, and a block of each further level two blocks of the
/// level before; blocks at the far ends may have fewer.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Pyramid {
    /// The number of cells along y and along x.
    cells: [usize; 2],
    /// The ranges of level 1 up to the level of a single block, each row by row.
    levels: Vec<Vec<Reach>>,
}

/// The logarithm to base 2 of the number of cells along a side of a block of level 1.
const FINEST_BITS: usize = 2;

/// The number of vectors that hold the index of each level's first block, enough for a side of 2^24
/// cells.
const TABLE_ROWS: usize = 6;

/// Returns the number of cells along a side of a block.
pub(super) fn side(level: usize) -> usize {
    1 << side_bits(level)
}

/// Returns the logarithm to base 2 of a block's side.
pub(super) fn side_bits(level: usize) -> usize {
    match level {
        0 => 0,
        _ => level + FINEST_BITS - 1,
    }
}

/// Returns the number of blocks of a level along an axis of that many cells.
fn count(level: usize, cells: usize) -> usize {
    ((cells - 1) >> side_bits(level)) + 1
}

/// The largest number of blocks along an axis at the level where a traversal or a search begins.
pub(super) const FIRST_BLOCKS: usize = 4;

/// Returns the blocks of the level below that make up a block, along one axis of `cells` cells.
pub(super) fn children(level: usize, block: usize, cells: usize) -> Range<usize> {
    let ratio_bits = side_bits(level) - side_bits(level - 1);
    block << ratio_bits..((block + 1) << ratio_bits).min(count(level - 1, cells))
}

/// The number of blocks that one task builds.
const BLOCKS_A_TASK: usize = 256;

/// Builds a level: `reach_of` gives each block's range from the rows and the columns of its
/// children.
fn level_of(
    level: usize,
    cells: [usize; 2],
    reach_of: impl Fn(Range<usize>, Range<usize>) -> Reach + Sync,
) -> Vec<Reach> {
    let [rows, columns] = cells.map(|cells| count(level, cells));
    let block =
        |row, column| reach_of(children(level, row, cells[0]), children(level, column, cells[1]));
    mapped(rows * columns, BLOCKS_A_TASK, |index| block(index / columns, index % columns))
}

impl Pyramid {
    /// Builds the pyramid over heights in rows of `columns`, with at least two rows and two
    /// columns.
    pub fn new(heights: &[f64], columns: usize) -> Self {
        let cells = [heights.len() / columns - 1, columns - 1];
        let of_corners = |rows: Range<usize>, beside: Range<usize>| {
            let [mut low, mut high] = [f64::INFINITY, f64::NEG_INFINITY];
            for row in rows.start..=rows.end {
                for &height in &heights[row * columns..][beside.start..=beside.end] {
                    low = if height < low { height } else { low };
                    high = if height > high { height } else { high };
                }
            }
            rounded_outwards([low, high])
        };
        let mut pyramid = Self { cells, levels: vec![level_of(1, cells, of_corners)] };
        while pyramid.levels[pyramid.top() - 1].len() > 1 {
            let below = pyramid.top();
            let of_blocks = |rows: Range<usize>, beside: Range<usize>| {
                let row = |row| beside.clone().map(move |column| [row, column]);
                let all = rows.flat_map(row);
                all.fold(NOTHING, |reach, [row, column]| {
                    hull(reach, pyramid.reach(below, row, column))
                })
            };
            let next = level_of(below + 1, cells, of_blocks);
            pyramid.levels.push(next);
        }
        pyramid
    }

    /// Returns the level whose single block is the whole field.
    pub fn top(&self) -> usize {
        self.levels.len()
    }

    /// Returns the lowest and the highest height of a block of level 1 or above.
    pub fn reach(&self, level: usize, row: usize, column: usize) -> Reach {
        let columns = count(level, self.cells[1]);
        self.levels[level - 1][row * columns + column]
    }

    /// The layout is the index of each level's first block, counted from the blocks of level 1, as
    /// bits in [`TABLE_ROWS`] vectors | the blocks, two to a vector.
    pub fn pack(&self, params: &mut Vec<[f32; 4]>) {
        let mut firsts = [0_u32; 4 * TABLE_ROWS];
        let mut first = 0;
        for (first_of_level, blocks) in firsts.iter_mut().zip(&self.levels) {
            *first_of_level = first;
            first += blocks.len() as u32;
        }
        params.extend_from_slice(bytemuck::cast_slice::<u32, [f32; 4]>(&firsts));
        let mut blocks = self.levels.iter().flatten();
        while let Some(&[low, high]) = blocks.next() {
            let &[next_low, next_high] = blocks.next().unwrap_or(&[0.0; 2]);
            params.push([low, high, next_low, next_high]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fastrand::Rng;

    #[test]
    fn the_shader_has_the_same_constants() {
        let text = include_str!("../../../shaders/shapes/heightfield/pyramid.wgsl");
        for (name, value) in [("FINEST", FINEST_BITS), ("TABLE_ROWS", TABLE_ROWS)] {
            assert!(text.contains(&format!("const {name}: u32 = {value}u;")), "{name}");
        }
        // The table has an entry for each level of the longest side that a field may have.
        let levels = (1..).take_while(|&level| count(level, 1 << 24) > 1).count() + 1;
        assert!(levels <= 4 * TABLE_ROWS, "{levels} levels");
    }

    #[test]
    fn every_block_reaches_as_far_as_its_corners() {
        let rng = &mut Rng::with_seed(6);
        for [rows, columns] in [[2, 2], [2, 70], [5, 5], [6, 9], [70, 2], [33, 41]] {
            let heights: Vec<f64> = (0..rows * columns).map(|_| rng.f64() - 0.5).collect();
            let pyramid = Pyramid::new(&heights, columns);
            for level in 1..=pyramid.top() {
                let side = side(level);
                for row in 0..(rows - 1).div_ceil(side) {
                    for column in 0..(columns - 1).div_ceil(side) {
                        let mut low = f64::INFINITY;
                        let mut high = f64::NEG_INFINITY;
                        for r in row * side..=(row * side + side).min(rows - 1) {
                            for c in column * side..=(column * side + side).min(columns - 1) {
                                low = low.min(heights[r * columns + c]);
                                high = high.max(heights[r * columns + c]);
                            }
                        }
                        let [below, above] = pyramid.reach(level, row, column).map(f64::from);
                        assert!(below <= low && low - below < 1e-7, "{level} {row} {column}");
                        assert!(above >= high && above - high < 1e-7, "{level} {row} {column}");
                    }
                }
            }
            assert_eq!(pyramid.levels.last().map(Vec::len), Some(1));
        }
    }
}
