//! Finds images in batches of rays, and takes their rays in small squares: a square of sixteen rays reaches a quarter as
//! far as a row of them, so its rays meet nearly the same nodes. Unlike a sort, this costs almost nothing.

use crate::ray::Ray;
use glam::Vec3;
use std::ops::Range;

/// The side of the squares that follow each other. A square of this side is one run of rays.
pub(super) const SQUARE: usize = 32;

/// The side of the squares within these. Such a square is one packet.
const SMALL_SQUARE: usize = 4;

/// The lengths of rows that are looked for.
const ROW: Range<usize> = 16..1 << 16;

/// The number of rows that are examined.
const ROWS: usize = 8;

/// Returns the length of the rows in which the rays of an image lie, if these rays seem to be one: from each ray to the
/// next is a step in much the same direction, up to the end of a row, from where a step leads back.
pub(super) fn row_length(rays: &[Ray]) -> Option<usize> {
    let step = |index: usize| {
        let [a, b] = [&rays[index - 1], &rays[index]];
        let difference = |a: [f32; 3], b: [f32; 3]| Vec3::from(b) - Vec3::from(a);
        [difference(a.origin, b.origin), difference(a.direction, b.direction)]
    };
    let leads_back = |index: usize| {
        let ([a, c], [b, d]) = (step(index - 1), step(index));
        a.dot(b) + c.dot(d) < 0.0
    };
    let last = rays.len().min(ROW.end);
    let width = (2..last).find(|&index| leads_back(index)).filter(|width| ROW.contains(width))?;
    let height = rays.len() / width;
    let is_row = |row: usize| leads_back(row * width) && !leads_back(row * width - width / 2);
    (height >= SMALL_SQUARE && (1..height.min(ROWS)).all(is_row)).then_some(width)
}

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

/// Calls `visit` with the columns and rows of each square of a rectangle, row by row.
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
    use fastrand::Rng;

    fn image(width: usize, height: usize) -> Vec<Ray> {
        let ray = |index: usize| {
            let [x, y] = [index % width, index / width].map(|c| c as f32 / 100.0 - 2.0);
            Ray::new([9.0, 8.0, 7.0], [x, y, 2.0])
        };
        (0..width * height).map(ray).collect()
    }

    #[test]
    fn images_are_found_and_other_rays_are_not() {
        for (width, height) in [(16, 4), (100, 70), (1000, 5)] {
            assert_eq!(row_length(&image(width, height)), Some(width));
        }
        assert_eq!(row_length(&image(1000, 3)), None);
        assert_eq!(row_length(&image(12, 100)), None);
        let rng = &mut Rng::with_seed(5);
        let mut vector = || [rng.f32() - 0.5, rng.f32() - 0.5, rng.f32() - 0.5];
        let random: Vec<Ray> = (0..5000).map(|_| Ray::new(vector(), vector())).collect();
        assert_eq!(row_length(&random), None);
        assert_eq!(row_length(&[Ray::new([0.0; 3], [1.0; 3]); 5000]), None);
        assert_eq!(row_length(&[]), None);
    }

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
