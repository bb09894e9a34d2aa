//! A camera as a sensor: the limits of its range, the noise of its distances, and its own housing.
//! Noise follows from the seed and the numbers of image, pixel and return alone. The housing is
//! hidden by masks of zero before the tree is built, so it costs nothing and ids stay.

use super::error::CameraError;
use super::pulse::Pulse;
use crate::philox::{halves, philox};
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
    /// The topic that its file publishes it at, as Gazebo has it: its points are at `TOPIC/points`,
    /// its ranges or images at the topic itself.
    pub topic: Option<String>,
    /// The name that its file gives to its frame in messages.
    pub frame_id: Option<String>,
    /// How many sweeps or images it makes in a second, as its file says.
    pub update_rate_hz: Option<f64>,
}

/// The noise of an instrument, the same on every machine: Gaussian noise of distances and
/// directions, and returns that drop out.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct RangeNoise {
    /// The standard deviation of distances, in scene units.
    pub stddev: f64,
    /// What each unit of distance adds to it.
    pub stddev_per_distance: f64,
    /// The raw intensity at which this is the standard deviation: it grows as the square root of
    /// this intensity by a return's own, as shot noise does. 0 for any intensity.
    pub reference_intensity: f64,
    /// The standard deviation of each ray's direction in either axis across it, in milliradians.
    /// Points are reported where the ray was meant to go.
    pub jitter_mrad: f64,
    /// The share of returns that are lost, from 0 to 1.
    pub dropout: f64,
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
            topic: None,
            frame_id: None,
            update_rate_hz: None,
        }
    }
}

impl Sensor {
    pub(crate) fn check(&self) -> Result<(), CameraError> {
        let Self { range_min, range_max, .. } = *self;
        CameraError::unless_from_zero("range_min", range_min)?;
        let rule = "it must be larger than range_min";
        CameraError::unless(range_max > range_min, "range_max", range_max, rule)?;
        if let Some(rate) = self.update_rate_hz {
            let is_kept = rate > 0.0 && rate.is_finite();
            CameraError::unless(is_kept, "update_rate_hz", rate, "it must be a number above 0")?;
        }
        if let Some(noise) = &self.noise {
            noise.check()?;
        }
        self.pulse.check()
    }

    /// Returns true if a pixel's return may be another one than the closest hit of its ray, apart
    /// from noise that all returns have alike.
    pub fn makes_returns(&self) -> bool {
        let is_by_return = |noise: RangeNoise| {
            noise.reference_intensity > 0.0 || noise.jitter_mrad > 0.0 || noise.dropout > 0.0
        };
        self.pulse.is_given() || self.noise.is_some_and(is_by_return)
    }

    /// Returns the distance that the sensor reports for a pixel, +∞ if there is no return. The
    /// noise comes first, so that no reported distance is out of range.
    pub fn reported(&self, pixel: usize, distance: f32) -> f32 {
        self.reported_in(0, pixel, distance)
    }

    /// Returns the same in an image so many images later, which has noise of its own.
    pub(crate) fn reported_in(&self, image: u32, pixel: usize, distance: f32) -> f32 {
        let noise = self.noise.map(|noise| {
            let image_number = noise.image_number.wrapping_add(image);
            let noise = RangeNoise { image_number, ..noise };
            noise.at(pixel as u64, 0, noise.spread(distance))
        });
        self.in_range(distance, noise)
    }

    /// Returns the same for an echo of this raw intensity, given its number in the pixel from 0 for
    /// the nearest, which may drop out.
    pub fn reported_echo(&self, pixel: usize, number: u32, distance: f32, intensity: f64) -> f32 {
        let Some(noise) = self.noise else { return self.in_range(distance, None) };
        if noise.drops(pixel as u64, number) {
            return f32::INFINITY;
        }
        let weaker = match noise.reference_intensity > 0.0 {
            true => (noise.reference_intensity / intensity.max(f64::MIN_POSITIVE)).sqrt(),
            false => 1.0,
        };
        let error = noise.at(pixel as u64, number, noise.spread(distance) * weaker);
        self.in_range(distance, Some(error))
    }

    fn in_range(&self, distance: f32, noise: Option<f64>) -> f32 {
        if !distance.is_finite() {
            return distance;
        }
        let distance = noise.map_or(distance, |noise| (f64::from(distance) + noise) as f32);
        let is_in_range = (self.range_min..=self.range_max).contains(&f64::from(distance));
        if is_in_range { distance } else { f32::INFINITY }
    }
}

impl RangeNoise {
    fn check(&self) -> Result<(), CameraError> {
        CameraError::unless_from_zero("noise.stddev", self.stddev)?;
        CameraError::unless_from_zero("noise.stddev_per_distance", self.stddev_per_distance)?;
        CameraError::unless_from_zero("noise.reference_intensity", self.reference_intensity)?;
        CameraError::unless_from_zero("noise.jitter_mrad", self.jitter_mrad)?;
        let (is_share, rule) = ((0.0..=1.0).contains(&self.dropout), "it must be from 0 to 1");
        CameraError::unless(is_share, "noise.dropout", self.dropout, rule)
    }

    /// Returns the standard deviation of a distance.
    fn spread(&self, distance: f32) -> f64 {
        self.stddev + self.stddev_per_distance * f64::from(distance)
    }

    /// Returns the noise of an echo of a pixel, of this standard deviation.
    fn at(&self, pixel: u64, echo: u32, stddev: f64) -> f64 {
        self.gaussian(pixel, echo, stddev)[0]
    }

    fn drops(&self, pixel: u64, echo: u32) -> bool {
        if self.dropout == 0.0 {
            return false;
        }
        let [a, b, _, _] = self.random(pixel, DROPS | echo);
        uniform(a, b) < self.dropout
    }

    /// Returns by how much a pixel's ray is off in the two directions across it, as tangents.
    pub(crate) fn jitter(&self, pixel: u64) -> [f64; 2] {
        self.gaussian(pixel, JITTER, 1e-3 * self.jitter_mrad).map(libm::tan)
    }

    /// Returns two independent Gaussian numbers of this standard deviation for a pixel and a purpose,
    /// by Box and Muller's method.
    fn gaussian(&self, pixel: u64, purpose: u32, stddev: f64) -> [f64; 2] {
        let [a, b, c, d] = self.random(pixel, purpose);
        let first = 1.0 - uniform(a, b);
        let turn = 2.0 * PI * uniform(c, d);
        let radius = stddev * (-2.0 * libm::log(first)).sqrt();
        [radius * libm::cos(turn), radius * libm::sin(turn)]
    }

    /// Returns random bits by the counter-based generator Philox4x32-10. They depend on the seed,
    /// the image's number, the pixel and the purpose alone, so images are the same in whatever order
    /// and pieces their pixels are made.
    fn random(&self, pixel: u64, purpose: u32) -> [u32; 4] {
        let [low, high] = halves(pixel);
        philox([low, high, self.image_number, purpose], halves(self.seed))
    }
}

/// The purposes of random numbers besides the noise of an echo's distance, whose number is below.
const JITTER: u32 = 1 << 16;
const DROPS: u32 = 1 << 17;

/// Returns a number from 0 up to and without 1, from the highest 53 of 64 random bits.
fn uniform(low: u32, high: u32) -> f64 {
    let bits = (u64::from(high) << 32 | u64::from(low)) >> 11;
    bits as f64 * (1.0 / (1_u64 << 53) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_is_gaussian_and_differs_by_seed() {
        let noise = |seed| RangeNoise { stddev: 0.5, seed, ..RangeNoise::default() };
        let values: Vec<f64> = (0..100_000).map(|pixel| noise(7).at(pixel, 0, 0.5)).collect();
        let mean = |of: &dyn Fn(f64) -> f64| values.iter().map(|&x| of(x)).sum::<f64>() / 1e5;
        assert!(mean(&|x| x).abs() < 0.01);
        assert!((mean(&|x| x * x).sqrt() - 0.5).abs() < 0.01);
        assert!((mean(&|x| x * x * x * x) - 3.0 / 16.0).abs() < 0.01);
        let at = |noise: RangeNoise| noise.at(3, 0, 0.5);
        assert_ne!(at(noise(7)), at(noise(8)));
        assert_eq!(at(noise(7)), at(noise(7)));
        assert_ne!(at(noise(7)), at(RangeNoise { image_number: 1, ..noise(7) }));
    }

    #[test]
    fn noise_grows_with_distance_and_falls_with_intensity_and_returns_drop_out() {
        let noise = RangeNoise {
            stddev: 0.01,
            stddev_per_distance: 0.001,
            reference_intensity: 0.5,
            jitter_mrad: 2.0,
            dropout: 0.25,
            seed: 5,
            image_number: 3,
        };
        let sensor = Sensor { noise: Some(noise), ..Sensor::default() };
        sensor.check().unwrap();
        assert!(sensor.makes_returns() && !Sensor::default().makes_returns());
        let errors = |distance: f32, intensity: f64| -> Vec<f64> {
            let all = (0..40_000).map(|pixel| sensor.reported_echo(pixel, 2, distance, intensity));
            all.filter(|it| it.is_finite()).map(|it| f64::from(it - distance)).collect()
        };
        let stddev =
            |all: &[f64]| (all.iter().map(|it| it * it).sum::<f64>() / all.len() as f64).sqrt();
        for (distance, intensity, wanted) in
            [(10.0, 0.5, 0.02), (90.0, 0.5, 0.1), (10.0, 0.125, 0.04), (10.0, 2.0, 0.01)]
        {
            let all = errors(distance, intensity);
            assert!((all.len() as f64 / 40_000.0 - 0.75).abs() < 0.01);
            assert!((stddev(&all) / wanted - 1.0).abs() < 0.03, "{distance} {intensity}");
        }
        let jitter: Vec<f64> = (0..40_000).flat_map(|pixel| noise.jitter(pixel)).collect();
        assert!((stddev(&jitter) / 0.002 - 1.0).abs() < 0.02);
        for bad in [
            RangeNoise { dropout: 1.5, ..noise },
            RangeNoise { jitter_mrad: -1.0, ..noise },
            RangeNoise { stddev_per_distance: f64::NAN, ..noise },
        ] {
            assert!(Sensor { noise: Some(bad), ..Sensor::default() }.check().is_err());
        }
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
