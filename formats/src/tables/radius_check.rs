//! Detects radii in another unit than the rest of their table.

use crate::Warning;

/// The radii of cylinders and capsules, and their lengths.
#[derive(Default)]
pub(super) struct RadiusCheck {
    radii: Vec<f64>,
    lengths: Vec<f64>,
}

/// The largest plausible ratio of a radius to its length. A pipe's wall is thinner than that, and a
/// millimetre is a thousand times smaller than a metre.
const MOST_LENGTHS: f64 = 10.0;

impl RadiusCheck {
    /// Adds the numbers of a cylinder or a capsule.
    pub fn add(&mut self, row: &[f64]) {
        if let [x, y, z, to_x, to_y, to_z, radius, ..] = row {
            let length = [to_x - x, to_y - y, to_z - z].iter().map(|it| it * it).sum::<f64>();
            self.lengths.push(length.sqrt());
            self.radii.push(*radius);
        }
    }

    /// Adds the numbers of another such check.
    pub fn append(&mut self, mut other: Self) {
        self.radii.append(&mut other.radii);
        self.lengths.append(&mut other.lengths);
    }

    /// A warning about the column of the radii, if they are much larger than the lengths.
    pub fn warning(self, column: &str) -> Warning {
        let Self { radii, lengths } = self;
        let mut warning = Warning::about_read(
            "columns may have another unit than the coordinates, because the median radius is more than 10 times the median length; put the unit into the column's name",
        );
        if let (Some(radius), Some(length)) = (median(radii), median(lengths))
            && radius > MOST_LENGTHS * length
        {
            warning.add(|| {
                format!(
                    "{column} (median radius {radius}, median length {length}: {column}_mm if these are millimetres, {column}_m if metres)"
                )
            });
        }
        warning
    }
}

fn median(mut numbers: Vec<f64>) -> Option<f64> {
    let middle = numbers.len() / 2;
    let is_there = middle < numbers.len();
    is_there.then(|| *numbers.select_nth_unstable_by(middle, f64::total_cmp).1)
}
