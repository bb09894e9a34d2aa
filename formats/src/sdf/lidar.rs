//! Reads lidars. Samples are at both ends of a lidar's angles and evenly between them. The leftmost
//! and highest sample is the first pixel.

use super::element::SdfElement;
use super::sensor_names::SensorNames;
use super::sight::{Noise, Sight};
use raytwin::camera::{Elevation, Panorama, Projection};
use raytwin_files::FileError;
use std::f64::consts::PI;

/// The most samples along a circle.
const MAX_SAMPLES: f64 = 65536.0;

/// A whole turn in degrees, with room for the rounding of angles in radians.
const WHOLE_TURN: f64 = 360.0 + 1e-9;

/// The largest angle above straight up or below straight down of a sample, in degrees. A right
/// angle seldom has all its digits.
const MOST_BEYOND: f64 = 1.0;

/// The view of a sensor with a `<ray>` or `<lidar>`.
pub(super) fn lidar(element: &SdfElement) -> Result<Sight, FileError> {
    let scan = element.required("scan")?;
    let horizontal = Samples::of(scan.required("horizontal")?)?;
    let vertical = match scan.child("vertical") {
        Some(vertical) => Samples::of(vertical)?,
        None => Samples { count: 1.0, least: 0.0, greatest: 0.0 },
    };
    let range = element.required("range")?;
    let [least] = range.numbers_of("min")?;
    let mut doubts = Vec::new();
    if least < 0.0 {
        doubts.push(format!("its minimum distance {least} is read as 0"));
    }
    let range = [least.max(0.0), range.required("max")?.limit()?];
    let noise = Noise::of(element)?;
    let refuse = |reason: String| scan.refuse(reason);
    let (columns, azimuths, of_columns) = horizontal.columns().map_err(refuse)?;
    let (elevations, of_rows) = vertical.rows().map_err(refuse)?;
    doubts.extend([of_columns, of_rows].into_iter().flatten());
    let elevations = Elevation::Table(elevations);
    let panorama = Panorama { columns: Some(columns), ..Panorama::new(azimuths, elevations) };
    let projection = Projection::Panoramic(panorama);
    let (names, update_rate_hz) = (SensorNames::default(), None);
    Ok(Sight { projection, range, noise, names, update_rate_hz, doubts })
}

/// The samples along a circle, at angles in degrees. A scan from above downwards has its angles in
/// the other order, and the same samples.
struct Samples {
    count: f64,
    least: f64,
    greatest: f64,
}

impl Samples {
    fn of(element: &SdfElement) -> Result<Self, FileError> {
        let samples = f64::from(element.count_or("samples", 1)?);
        let [resolution] = element.numbers_or("resolution", [1.0])?;
        if resolution <= 0.0 {
            return Err(element.refuse(format!("resolution is {resolution}: it must be above 0")));
        }
        let [first] = element.numbers_of("min_angle")?;
        let [last] = element.numbers_of("max_angle")?;
        let [first, last] = [first, last].map(|angle| angle * (180.0 / PI));
        // A resolution that is so small that no sample would be left still leaves one.
        Ok(Self {
            count: (samples * resolution).trunc().max(1.0),
            least: first.min(last),
            greatest: first.max(last),
        })
    }

    fn checked_count(&self) -> Result<f64, String> {
        let is_count = (1.0..=MAX_SAMPLES).contains(&self.count);
        is_count.then_some(self.count).ok_or_else(|| {
            format!("it has {} samples in a row: from 1 to {MAX_SAMPLES} are allowed", self.count)
        })
    }

    /// The angle from one sample to the next. A single sample lies in the middle of the angles.
    fn step(&self) -> f64 {
        if self.count > 1.0 { (self.greatest - self.least) / (self.count - 1.0) } else { 0.0 }
    }

    /// The number of columns, and the azimuths of the outer edges of the first and the last, so
    /// that samples are at the middles of columns; then a description of the omitted sample.
    fn columns(&self) -> Result<(u32, [f64; 2], Option<String>), String> {
        let count = self.checked_count()?;
        let span = self.greatest - self.least;
        let step = self.step();
        if count == 1.0 || step == 0.0 {
            let middle = 0.5 * (self.least + self.greatest);
            let doubt = (count > 1.0).then(|| "its samples are all at one angle".to_owned());
            return Ok((1, [middle + 0.5, middle - 0.5], doubt));
        }
        if span > WHOLE_TURN {
            return Err(format!("its angles span {span} degrees: at most 360 are allowed"));
        }
        let edges = [self.greatest + 0.5 * step, self.least - 0.5 * step];
        if span + step <= WHOLE_TURN {
            return Ok((count as u32, edges, None));
        }
        // An image goes around once, and the last sample is at or near the place of the first.
        let is_same = 360.0 - span < 0.5 * step;
        let doubt = || format!("its sample at {} degrees is left out", self.greatest);
        let edges = [edges[0] - step, edges[1]];
        Ok((count as u32 - 1, edges, (!is_same).then(doubt)))
    }

    /// The elevations of all rows, from the highest; then a description of the deviation.
    fn rows(&self) -> Result<(Vec<f64>, Option<String>), String> {
        let count = self.checked_count()? as u32;
        if count == 1 {
            return Ok((vec![0.5 * (self.least + self.greatest)], None));
        }
        let at = |row| self.greatest - f64::from(row) * self.step();
        // Rounding must not take the last below the least of the angles, which may be straight down.
        let rows = (0..count).map(|row| at(row).max(self.least));
        let outermost = self.greatest.max(-self.least);
        if !(90.0..=90.0 + MOST_BEYOND).contains(&outermost) {
            return Ok((rows.collect(), None));
        }
        let doubt =
            || format!("its samples at {outermost} degrees up or down are read as 90 degrees");
        let rows = rows.map(|angle| angle.clamp(-90.0, 90.0)).collect();
        Ok((rows, (outermost > 90.0).then(doubt)))
    }
}
