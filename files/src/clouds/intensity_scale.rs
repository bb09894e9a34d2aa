//! The scale of raw intensities in LAS.

/// A logarithmic scale on which a LAS file stores raw intensities from 0 to 65535. Intensities fall
/// with the square of the distance, so that on a linear scale most of a scan would be at 0 or at
/// 65535.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IntensityScale {
    /// The intensity that is stored as 0; lower intensities are too.
    least: f64,
    /// The intensity that is stored as 65535; higher intensities are too.
    most: f64,
}

/// The ratio of the least and the largest intensity: ten decades, so that a step is 0.035 %.
const LEAST: f64 = 1e-10;

impl IntensityScale {
    /// Returns the scale of an instrument that measures distances from `range_min` on. A
    /// perpendicular surface of reflectance 1 at that distance, or at 1 unit for an instrument
    /// without a minimum, is stored as 65535.
    pub fn from_range(range_min: f64) -> Self {
        let nearest = if range_min > 0.0 { range_min } else { 1.0 };
        let most = 1.0 / (nearest * nearest);
        Self { least: LEAST * most, most }
    }

    /// Returns the stored value of an intensity. The reverse is `least · (most / least)^(stored /
    /// 65535)`.
    pub(super) fn stored(self, intensity: f64) -> u16 {
        let share = libm::log(intensity / self.least) / libm::log(self.most / self.least);
        (65_535.0 * share).round() as u16
    }

    /// Returns the two intensities in the format of the file's record.
    pub(super) fn record(self) -> Vec<u8> {
        [self.least, self.most].iter().flat_map(|number| number.to_le_bytes()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intensities_of_every_range_are_told_apart() {
        for (range_min, nearest) in [(0.0, 1.0), (1.5, 1.5), (20.0, 20.0)] {
            let scale = IntensityScale::from_range(range_min);
            let at = |distance: f64| scale.stored(0.5 / (distance * distance));
            assert_eq!(scale.stored(1.0 / (nearest * nearest)), 65_535);
            assert_eq!([0.0, -1.0, f64::NAN].map(|none| scale.stored(none)), [0; 3]);
            assert_eq!(scale.stored(f64::INFINITY), 65_535);
            let all: Vec<u16> = (1..1000).map(|step| at(nearest * f64::from(step))).collect();
            assert!(all.windows(2).all(|pair| pair[0] > pair[1] && pair[1] > 0));
            for step in [3.0, 77.0, 999.0] {
                let given = 0.5 / (nearest * step * nearest * step);
                let share = f64::from(at(nearest * step)) / 65_535.0;
                let read = scale.least * (scale.most / scale.least).powf(share);
                assert!((read / given - 1.0).abs() < 2e-4, "{read} {given}");
            }
        }
    }
}
