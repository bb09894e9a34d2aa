//! Finds images in batches of rays. Their rays are in rows, and rays that are neighbours in the
//! image have similar directions. Unlike a sort, this costs almost no time.

use crate::query::RaySource;
use std::ops::Range;

/// The shortest and the longest rows that are found.
const ROW_LENGTHS: Range<usize> = 16..1 << 16;

/// The rows of an image whose rays are given row by row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ImageRows {
    /// The index of the first ray that begins a row.
    pub first: usize,
    /// The number of rays of a row.
    pub length: usize,
}

impl ImageRows {
    /// Finds rows of equal length. Within a row each ray is a step further than the one before;
    /// where a row ends, the next ray turns back.
    pub fn of(rays: RaySource<'_>) -> Option<Self> {
        let step = |index: usize| {
            let [from, to] = [index, index + 1].map(|index| {
                let ray = rays.get(index);
                let ([x, y, z], [dx, dy, dz]) = (ray.origin, ray.direction);
                [x, y, z, dx, dy, dz]
            });
            std::array::from_fn::<f32, 6, _>(|axis| to[axis] - from[axis])
        };
        let turns_back = |index: usize| {
            let (before, after) = (step(index - 2), step(index - 1));
            before.iter().zip(after).map(|(before, after)| before * after).sum::<f32>() < 0.0
        };
        let turn_after = |index: usize| {
            (index + 1..rays.len().min(index + ROW_LENGTHS.end)).find(|&index| turns_back(index))
        };
        // The step after a turn goes against the turn, so the next ray turns too. The first turn
        // found may be such a one.
        let turn = turn_after(turn_after(1)? + 1)?;
        let length = turn_after(turn + 1)? - turn;
        let mut all = (turn..rays.len()).step_by(length);
        let are_rows = ROW_LENGTHS.contains(&length) && turn <= 2 * length && all.all(turns_back);
        are_rows.then_some(Self { first: turn % length, length })
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::ray::Ray;
    use fastrand::Rng;

    fn rows_of(rays: &[Ray]) -> Option<ImageRows> {
        ImageRows::of(RaySource::Rays(rays))
    }

    pub(crate) fn image(columns: usize, first: usize, count: usize) -> Vec<Ray> {
        let ray = |index: usize| {
            let [x, y] = [index % columns, index / columns].map(|c| c as f32 / columns as f32);
            Ray::new([9.0, 8.0, 7.0], [x - 0.5, y - 0.5, 2.0])
        };
        (first..first + count).map(ray).collect()
    }

    #[test]
    fn the_rows_of_an_image_are_found_wherever_a_chunk_begins() {
        for (columns, begin) in [(64, 0), (64, 5), (64, 63), (37, 2), (1024, 1000), (16, 0)] {
            let rows = rows_of(&image(columns, begin, 5000));
            let first = (columns - begin % columns) % columns;
            assert_eq!(rows, Some(ImageRows { first, length: columns }), "{columns} {begin}");
        }
    }

    #[test]
    fn other_rays_have_no_rows() {
        let rng = &mut Rng::with_seed(4);
        let mut vector = || [rng.f32() - 0.5, rng.f32() - 0.5, rng.f32() - 0.5];
        let random: Vec<Ray> = (0..20_000).map(|_| Ray::new(vector(), vector())).collect();
        assert_eq!(rows_of(&random), None);
        assert_eq!(rows_of(&[]), None);
        assert_eq!(rows_of(&image(100, 0, 150)), None);
        assert_eq!(rows_of(&image(100_000, 0, 90_000)), None);
        assert_eq!(rows_of(&vec![random[0]; 1000]), None);
        // One row that is shorter than the others.
        let mut rays = image(100, 0, 5000);
        rays.drain(2222..2225);
        assert_eq!(rows_of(&rays), None);
    }
}
