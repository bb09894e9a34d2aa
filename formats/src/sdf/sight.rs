//! The view of a sensor, in its own frame: it looks along x, with z upwards.

use super::element::SdfElement;
use super::sensor_names::SensorNames;
use raytwin::camera::{Projection, RangeNoise, Sensor};
use raytwin_files::FileError;

/// The view of a sensor.
pub(super) struct Sight {
    pub projection: Projection,
    /// The least and the largest distance that it reports.
    pub range: [f64; 2],
    pub noise: Option<Noise>,
    /// The names in its messages.
    pub names: SensorNames,
    /// The number of sweeps or images per second; `None` for as many as possible.
    pub update_rate_hz: Option<f64>,
    /// The settings that are ignored, although the sensor is read.
    pub doubts: Vec<String>,
}

/// Gaussian noise of distances.
#[derive(Clone, Copy)]
pub(super) struct Noise {
    pub stddev: f64,
    pub mean: f64,
}

impl Noise {
    /// Reads the `<noise>` of a lidar or a camera; `None` if there is none.
    pub fn of(element: &SdfElement) -> Result<Option<Self>, FileError> {
        let Some(noise) = element.child("noise") else { return Ok(None) };
        let kind = noise.text_of("type").or_else(|| noise.attribute("type"));
        if kind == Some("none") {
            return Ok(None);
        }
        let [mean] = noise.numbers_or("mean", [0.0])?;
        let [stddev] = noise.numbers_or("stddev", [0.0])?;
        Ok((stddev != 0.0 || mean != 0.0).then_some(Self { stddev, mean }))
    }
}

impl Sight {
    /// The properties of the camera with this number in the file, which determines its noise.
    pub fn sensor(&self, number: usize) -> Sensor {
        let [range_min, range_max] = self.range;
        let noise = self.noise.map(|noise| RangeNoise {
            // Noise with a mean of 0 stays the same if its sign changes.
            stddev: noise.stddev.abs(),
            seed: number as u64,
            ..RangeNoise::default()
        });
        let SensorNames { topic, frame_id } = self.names.clone();
        let update_rate_hz = self.update_rate_hz;
        Sensor { range_min, range_max, noise, topic, frame_id, update_rate_hz, ..Sensor::default() }
    }

    /// The settings of the noise that are ignored.
    pub fn doubts(&self) -> impl Iterator<Item = String> {
        let mean = self.noise.map(|noise| noise.mean).filter(|mean| *mean != 0.0);
        let of_mean = mean.map(|mean| format!("the mean {mean} of its noise is read as 0"));
        let stddev = self.noise.map(|noise| noise.stddev).filter(|stddev| *stddev < 0.0);
        let of_stddev = stddev.map(|it| format!("the stddev {it} of its noise is read as {}", -it));
        self.doubts.iter().cloned().chain(of_mean).chain(of_stddev)
    }
}
