//! Takes the rays of an image in small squares: a square of sixteen rays reaches a quarter as far
//! as a row of them, so its rays meet nearly the same nodes.

use std::ops::Range;

/// The side of the squares that follow each other. A square of this side is one run of rays.
pub(super) const SQUARE: usize = 32;

/// The side of the squares within these. Such a square is one packet.
const SMALL_SQUARE: usize = 4;

/// Returns the indices of an image's rays, of which there are at most 2^32, square by square.
pub(super) fn squares(count: usize, width: usize) -> Vec<u32> {
    let mut order = Vec::with_capacity(count);
    let height = count.div_ceil(width);
    for_each_square(0..width, 0..height, SQUARE, |columns, rows| {
        for_each_square(columns, rows, SMALL_SQUARE, |columns, rows| {
            for row in rows {
                let indices = columns.clone().map(|column| row * width + column);
                order.extend(indices.filter(|&index| index < count).map(|index| index as u32));
            }
        });
    });
    order
}

fn for_each_square(
    columns: Range<usize>,
    rows: Range<usize>,
    side: usize,
    mut visit: impl FnMut(Range<usize>, Range<usize>),
) {
    for row in rows.clone().step_by(side) {
        for column in columns.clone().step_by(side) {
            visit(column..columns.end.min(column + side), row..rows.end.min(row + side));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn squares_hold_every_ray_once_and_packets_are_small_squares() {
        for (count, width) in [(64 * 64, 64), (100 * 70, 100), (100 * 70 - 30, 100), (5, 100)] {
            let mut order = squares(count, width);
            order.sort_unstable();
            assert!(order.into_iter().eq(0..count as u32));
        }
        let order = squares(64 * 64, 64);
        for packet in order.as_chunks::<16>().0 {
            let far = |part: fn(u32) -> u32| {
                let parts = packet.map(part);
                parts.iter().max().unwrap() - parts.iter().min().unwrap()
            };
            assert_eq!([far(|index| index % 64), far(|index| index / 64)], [3, 3]);
        }
    }
}
