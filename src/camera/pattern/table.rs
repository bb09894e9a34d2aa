//! A pattern whose beams a table lists.

use crate::camera::error::CameraError;
use crate::math::radians;
use glam::DVec3;

/// The most beams of one sweep.
pub(super) const MAX_BEAMS: usize = 1 << 22;

const AZIMUTHS: &str = "pattern.azimuth_degrees";
const ELEVATIONS: &str = "pattern.elevation_degrees";

/// The beams of a sweep, one by one.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BeamTable {
    /// The seconds from the start of the sweep, in ascending order. Several beams may leave at
    /// once.
    pub time_s: Vec<f64>,
    /// The angles about the sensor's +z: 0 is forward, positive is to the left.
    pub azimuth_degrees: Vec<f64>,
    /// The angles above the plane of the sensor's x and y.
    pub elevation_degrees: Vec<f64>,
    /// The duration of a sweep, in seconds. The last beam leaves at its end at the latest.
    pub sweep_s: f64,
}

impl BeamTable {
    /// Returns a table of beams at these angles, of which `pulses_per_s` leave per second.
    pub fn paced(
        azimuth_degrees: Vec<f64>,
        elevation_degrees: Vec<f64>,
        pulses_per_s: f64,
    ) -> Self {
        let count = azimuth_degrees.len();
        let time_s = (0..count).map(|beam| (beam as f64 + 0.5) / pulses_per_s).collect();
        let sweep_s = count as f64 / pulses_per_s;
        Self { time_s, azimuth_degrees, elevation_degrees, sweep_s }
    }

    /// Returns a table of beams at these times and angles. Its sweep ends with the last beam.
    pub fn timed(time_s: Vec<f64>, azimuth_degrees: Vec<f64>, elevation_degrees: Vec<f64>) -> Self {
        let sweep_s = time_s.last().copied().unwrap_or(0.0);
        Self { time_s, azimuth_degrees, elevation_degrees, sweep_s }
    }

    /// Returns `count` of its beams, spread evenly among all, for a preview. `None` if it has
    /// fewer.
    pub fn thinned(&self, count: usize) -> Option<Self> {
        let all = self.time_s.len();
        if !(1..=all).contains(&count) {
            return None;
        }
        let chosen =
            |of: &[f64]| (0..count).map(|it| of[(2 * it + 1) * all / (2 * count)]).collect();
        Some(Self {
            time_s: chosen(&self.time_s),
            azimuth_degrees: chosen(&self.azimuth_degrees),
            elevation_degrees: chosen(&self.elevation_degrees),
            sweep_s: self.sweep_s,
        })
    }

    /// Returns the unit direction of a beam in the frame of the sensor.
    pub(super) fn direction(&self, number: usize) -> DVec3 {
        let azimuth = radians(self.azimuth_degrees[number]);
        let elevation = radians(self.elevation_degrees[number]);
        let level = libm::cos(elevation);
        DVec3::new(level * libm::cos(azimuth), level * libm::sin(azimuth), libm::sin(elevation))
    }

    pub(super) fn check(&self) -> Result<(), CameraError> {
        let Self { time_s, azimuth_degrees, elevation_degrees, sweep_s } = self;
        let count = time_s.len();
        let is_sweep = (1..=MAX_BEAMS).contains(&count);
        let (value, rule) =
            (format!("a list of {count} times"), "a sweep must have 1 to 4194304 beams");
        CameraError::unless(is_sweep, "pattern.time_s", value, rule)?;
        let mut before = 0.0;
        for (row, &time) in time_s.iter().enumerate() {
            if !(time >= before && time.is_finite()) {
                let rule = "times must not be negative and must not decrease";
                return Err(CameraError::field(format!("pattern.time_s[{row}]"), time, rule));
            }
            before = time;
        }
        // If times are multiples of a period, rounding can put one above the end of the sweep.
        let last = before * (1.0 - 2.0 * f64::EPSILON);
        let rule = "it must be from the time of the last beam to 1e9";
        CameraError::unless((last..=1e9).contains(sweep_s), "pattern.sweep_s", sweep_s, rule)?;
        for (field, angles, most, rule) in [
            (AZIMUTHS, azimuth_degrees, 360.0, "it must be between -360 and 360"),
            (ELEVATIONS, elevation_degrees, 90.0, "it must be between -90 and 90"),
        ] {
            let value = format!("a list of {} angles for {count} times", angles.len());
            CameraError::unless(angles.len() == count, field, value, "give one for each")?;
            CameraError::unless_all(angles, |angle| angle.abs() <= most, field, rule)?;
        }
        Ok(())
    }
}
