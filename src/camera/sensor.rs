//! A camera as a sensor: the limits of its range, the noise of its distances, and its own housing.

use super::error::CameraError;
use super::pulse::Pulse;
use std::f64::consts::PI;

/// A camera's properties as a sensor. They act on the distances of an image, and not on the ids of
/// what its rays hit.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Sensor {
    /// A distance below this is no return.
    pub range_min: f64,
    /// A distance above this is no return.
    pub range_max: f64,
    /// The noise of the distances.
    pub noise: Option<RangeNoise>,
    /// The paths of geometries that its rays pass through, such as the sensor's own housing, as
    /// [`Scene::select`](crate::Scene::select) takes them.
    pub hide: Vec<String>,
    /// The light of a lidar.
    pub pulse: Pulse,
}

/// Gaussian noise of distances, the same on every machine.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct RangeNoise {
    /// The standard deviation, in scene units.
    pub stddev: f64,
    /// Another seed gives other noise.
    pub seed: u64,
    /// The number of the image in a scan, because each image of one seed has noise of its own.
    pub image_number: u32,
}

impl Default for Sensor {
    /// Returns a sensor that reports every distance as it is.
    fn default() -> Self {
        Self {
            range_min: 0.0,
            range_max: f64::INFINITY,
            noise: None,
            hide: Vec::new(),
            pulse: Pulse::default(),
        }
    }
}

impl Sensor {
    pub(crate) fn check(&self) -> Result<(), CameraError> {
        let refuse = |field: &str, value: f64, rule| {
            Err(CameraError::Field { field: field.to_owned(), value: value.to_string(), rule })
        };
        if !(self.range_min >= 0.0 && self.range_min.is_finite()) {
            return refuse("range_min", self.range_min, "it must be a number from 0");
        }
        if self.range_max.is_nan() || self.range_max <= self.range_min {
            return refuse("range_max", self.range_max, "it must be larger than range_min");
        }
        match self.noise {
            Some(RangeNoise { stddev, .. }) if !(stddev >= 0.0 && stddev.is_finite()) => {
                refuse("noise.stddev", stddev, "it must be a number from 0")
            }
            _ => self.pulse.check(),
        }
    }

    /// Returns the distance that the sensor reports for a pixel, +∞ if there is no return. The
    /// noise comes first, so that no reported distance is out of range.
    pub fn reported(&self, pixel: usize, distance: f32) -> f32 {
        self.reported_echo(pixel, 0, distance)
    }

    /// Returns the same for an echo of a pixel, given its number from 0 for the nearest.
    pub fn reported_echo(&self, pixel: usize, number: u32, distance: f32) -> f32 {
        if !distance.is_finite() {
            return distance;
        }
        let distance = match self.noise {
            Some(noise) => (f64::from(distance) + noise.at(pixel as u64, number)) as f32,
            None => distance,
        };
        let is_in_range = (self.range_min..=self.range_max).contains(&f64::from(distance));
        if is_in_range { distance } else { f32::INFINITY }
    }
}

impl RangeNoise {
    /// Returns the noise of an echo of a pixel: two uniform numbers of the counter-based generator
    /// Philox4x32-10, made Gaussian by Box and Muller's method. It depends on the seed, the image's
    /// number, the pixel and the echo alone, so images are the same in whatever order and pieces their pixels
    /// are made.
    fn at(&self, pixel: u64, echo: u32) -> f64 {
        let [low, high] = halves(pixel);
        let [a, b, c, d] = philox([low, high, self.image_number, echo], halves(self.seed));
        let first = 1.0 - uniform(a, b);
        let second = uniform(c, d);
        self.stddev * (-2.0 * libm::log(first)).sqrt() * libm::cos(2.0 * PI * second)
    }
}

/// Returns the lower and the upper half.
fn halves(number: u64) -> [u32; 2] {
    [number as u32, (number >> 32) as u32]
}

/// Returns a number from 0 up to and without 1, from the highest 53 of 64 random bits.
fn uniform(low: u32, high: u32) -> f64 {
    let bits = (u64::from(high) << 32 | u64::from(low)) >> 11;
    bits as f64 * (1.0 / (1_u64 << 53) as f64)
}

/// Philox4x32-10 of Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3"
/// (2011).
fn philox(counter: [u32; 4], key: [u32; 2]) -> [u32; 4] {
    let [mut a, mut b, mut c, mut d] = counter;
    let [mut key_0, mut key_1] = key;
    for _ in 0..10 {
        let [low_0, high_0] = halves(0xD251_1F53 * u64::from(a));
        let [low_1, high_1] = halves(0xCD9E_8D57 * u64::from(c));
        [a, b, c, d] = [high_1 ^ b ^ key_0, low_1, high_0 ^ d ^ key_1, low_0];
        key_0 = key_0.wrapping_add(0x9E37_79B9);
        key_1 = key_1.wrapping_add(0xBB67_AE85);
    }
    [a, b, c, d]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The known answers of Random123, the authors' own library.
    #[test]
    fn the_generator_gives_its_authors_numbers() {
        for (counter, key, answer) in [
            ([0; 4], [0; 2], [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]),
            ([u32::MAX; 4], [u32::MAX; 2], [0x408f_276d, 0x41c8_3b0e, 0xa20b_c7c6, 0x6d54_51fd]),
            (
                [0x243f_6a88, 0x85a3_08d3, 0x1319_8a2e, 0x0370_7344],
                [0xa409_3822, 0x299f_31d0],
                [0xd16c_fe09, 0x94fd_cceb, 0x5001_e420, 0x2412_6ea1],
            ),
        ] {
            assert_eq!(philox(counter, key), answer);
        }
    }

    #[test]
    fn noise_is_gaussian_and_differs_by_seed() {
        let noise = |seed| RangeNoise { stddev: 0.5, seed, image_number: 0 };
        let values: Vec<f64> = (0..100_000).map(|pixel| noise(7).at(pixel, 0)).collect();
        let mean = |of: &dyn Fn(f64) -> f64| values.iter().map(|&x| of(x)).sum::<f64>() / 1e5;
        assert!(mean(&|x| x).abs() < 0.01);
        assert!((mean(&|x| x * x).sqrt() - 0.5).abs() < 0.01);
        assert!((mean(&|x| x * x * x * x) - 3.0 / 16.0).abs() < 0.01);
        assert_ne!(noise(7).at(3, 0), noise(8).at(3, 0));
        assert_eq!(noise(7).at(3, 0), noise(7).at(3, 0));
        assert_ne!(noise(7).at(3, 0), RangeNoise { image_number: 1, ..noise(7) }.at(3, 0));
    }

    #[test]
    fn a_distance_out_of_range_is_no_return() {
        let sensor = Sensor { range_min: 1.0, range_max: 5.0, ..Sensor::default() };
        let reported = |distance| sensor.reported(0, distance);
        assert_eq!([0.5, 1.0, 5.0, 5.5].map(reported), [f32::INFINITY, 1.0, 5.0, f32::INFINITY]);
        assert!(reported(f32::NAN).is_nan());
        assert_eq!(Sensor::default().reported(0, 1e30), 1e30);
    }
}
