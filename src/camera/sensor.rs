//! A camera as a sensor: the limits of its range, the noise of its distances, and its own housing.
//! Noise depends only on the seed and the numbers of image, pixel and return. Masks of zero hide
//! the housing before the tree is built, so it costs no time and the ids do not change.

use super::error::CameraError;
use super::pulse::Pulse;
use crate::philox::{halves, philox};
use std::f64::consts::PI;

/// A camera's properties as a sensor. They act on the distances of an image, and not on the ids of
/// its hits.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Sensor {
    /// The shortest distance that is reported.
    pub range_min: f64,
    /// The longest distance that is reported.
    pub range_max: f64,
    /// The noise of the distances.
    pub noise: Option<RangeNoise>,
    /// The geometries that its rays pass through, such as the sensor's own housing: paths or
    /// patterns for [`Scene::select`](crate::Scene::select).
    pub hide: Vec<String>,
    /// The light of a lidar.
    pub pulse: Pulse,
    /// The topic under which its file publishes it, as in Gazebo: points at `TOPIC/points`, ranges
    /// or images at the topic itself.
    pub topic: Option<String>,
    /// The name of its frame in messages, if its file gives one.
    pub frame_id: Option<String>,
    /// The number of sweeps or images per second, if its file gives one.
    pub update_rate_hz: Option<f64>,
}

/// The noise of an instrument: Gaussian noise of distances and directions, and lost returns. It is
/// the same on every machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct RangeNoise {
    /// The standard deviation of distances, in scene units.
    pub stddev: f64,
    /// The standard deviation that each unit of distance adds.
    pub stddev_per_distance: f64,
    /// The raw intensity to which the standard deviation refers. The deviation of a return is
    /// multiplied by √(this intensity / the return's intensity), as for shot noise. 0 turns this
    /// off.
    pub reference_intensity: f64,
    /// The standard deviation of each ray's direction along each of the two axes across it, in
    /// milliradians. Points are reported along the intended direction.
    pub jitter_mrad: f64,
    /// The share of returns that are lost, from 0 to 1.
    pub dropout: f64,
    /// The seed of the noise. Each seed gives different noise.
    pub seed: u64,
    /// The number of the image in a scan. Each image has different noise, also with the same seed.
    pub image_number: u32,
}

impl Default for Sensor {
    /// Returns a sensor that reports every distance unchanged.
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

    /// Returns true if a pixel's return may differ from the closest hit of its ray, not counting
    /// noise that applies to all returns alike.
    pub fn makes_returns(&self) -> bool {
        let is_by_return = |noise: RangeNoise| {
            noise.reference_intensity > 0.0 || noise.jitter_mrad > 0.0 || noise.dropout > 0.0
        };
        self.pulse.is_given() || self.noise.is_some_and(is_by_return)
    }

    /// Returns the distance that the sensor reports for a pixel; +∞ if there is no return. The
    /// noise is added before the limits of the range apply, so no reported distance is out of
    /// range.
    pub fn reported(&self, pixel: usize, distance: f32) -> f32 {
        self.reported_in(0, pixel, distance)
    }

    /// Returns the reported distance in an image that is this many images after the first. Each
    /// image has different noise.
    pub(crate) fn reported_in(&self, image: u32, pixel: usize, distance: f32) -> f32 {
        let noise = self.noise.map(|noise| {
            let image_number = noise.image_number.wrapping_add(image);
            let noise = RangeNoise { image_number, ..noise };
            noise.at(pixel as u64, 0, noise.spread(distance))
        });
        self.in_range(distance, noise)
    }

    /// Returns the reported distance of a return of this raw intensity, which may be lost (+∞).
    /// `number` counts the returns of the pixel, from 0 for the nearest.
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

    /// Returns the noise, of this standard deviation, of a return of a pixel.
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

    /// Returns the deviation of a pixel's ray in the two directions across it, as tangents.
    pub(crate) fn jitter(&self, pixel: u64) -> [f64; 2] {
        self.gaussian(pixel, JITTER, 1e-3 * self.jitter_mrad).map(libm::tan)
    }

    /// Returns two independent Gaussian numbers of this standard deviation for a pixel and a
    /// purpose, by the Box–Muller method.
    fn gaussian(&self, pixel: u64, purpose: u32, stddev: f64) -> [f64; 2] {
        let [a, b, c, d] = self.random(pixel, purpose);
        let first = 1.0 - uniform(a, b);
        let turn = 2.0 * PI * uniform(c, d);
        let radius = stddev * (-2.0 * libm::log(first)).sqrt();
        [radius * libm::cos(turn), radius * libm::sin(turn)]
    }

    /// Returns random bits of the counter-based generator Philox4x32-10. They depend only on the
    /// seed, the image's number, the pixel and the purpose. So an image is the same in whatever
    /// order and pieces its pixels are made.
    fn random(&self, pixel: u64, purpose: u32) -> [u32; 4] {
        let [low, high] = halves(pixel);
        philox([low, high, self.image_number, purpose], halves(self.seed))
    }
}

/// The purposes of random numbers. Lower numbers are for the noise of a return's distance: the
/// number of the return.
const JITTER: u32 = 1 << 16;
const DROPS: u32 = 1 << 17;

/// Returns a number of at least 0 and below 1, from the highest 53 of 64 random bits.
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
