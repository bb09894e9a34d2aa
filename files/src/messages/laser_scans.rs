//! Sweeps of a lidar with one level row as `sensor_msgs/msg/LaserScan`.

use super::cdr::CdrMessage;
use super::stamp::Stamp;
use raytwin::camera::{Projection, View};
use raytwin::returns::Return;
use std::ops::Range;

/// The ranges and intensities of the current sweep, and what is the same in all sweeps.
#[derive(Debug)]
pub(super) struct SweepRanges {
    /// The azimuths of the first and the last column's middle, in radians.
    azimuths: [f64; 2],
    /// The angle between two columns, in radians.
    increment: f64,
    sweep_s: f64,
    limits: [f64; 2],
    width: u32,
    /// The distances of the columns, from left to right.
    ranges: Vec<f32>,
    /// The raw intensities of the columns; 0 for no return; empty if none are known.
    intensities: Vec<f32>,
}

impl SweepRanges {
    /// Returns those of a lidar; `None` unless it has one level row and one return of each beam. A
    /// `LaserScan` is in the plane of its frame's x and y, has one range for each column, and has
    /// no times except those of its columns.
    pub fn new(view: &View) -> Option<Self> {
        let Projection::Panoramic(panorama) = &view.camera.projection else { return None };
        let (sensor, [width, height]) = (&view.camera.sensor, [view.width, view.height]);
        let is_level = height == 1 && panorama.elevation(0.5, height) == 0.0;
        if !is_level || panorama.has_own_rows() || sensor.pulse.most_returns() > 1 {
            return None;
        }
        let columns = f64::from(width);
        let [left, right] = [0.0, columns].map(|x| panorama.azimuth(x, width));
        Some(Self {
            azimuths: [0.5, columns - 0.5].map(|x| panorama.azimuth(x, width)),
            increment: (right - left).abs() / columns,
            sweep_s: panorama.sweep_s,
            limits: [sensor.range_min, sensor.range_max],
            width,
            ranges: Vec::new(),
            intensities: Vec::new(),
        })
    }

    /// Adds the distances of the next columns, whose intensities are not known.
    pub fn add(&mut self, distances: impl Iterator<Item = f32>) {
        self.ranges.extend(distances);
    }

    /// Adds the returns of the next columns.
    pub fn add_returns(&mut self, pixels: Range<usize>, returns: &[Return]) {
        let first = self.ranges.len();
        self.ranges.resize(first + pixels.len(), f32::INFINITY);
        self.intensities.resize(first + pixels.len(), 0.0);
        for it in returns {
            let column = first + it.pixel - pixels.start;
            self.ranges[column] = it.distance;
            self.intensities[column] = it.intensity;
        }
    }

    /// Angles ascend in a message, so a lidar that turns clockwise has its last column first.
    fn is_reversed(&self) -> bool {
        self.azimuths[0] > self.azimuths[1]
    }

    /// Returns the seconds from the beginning of a sweep to the first ray of its message.
    pub fn delay_s(&self) -> f64 {
        let columns = f64::from(self.width);
        let column = if self.is_reversed() { columns - 0.5 } else { 0.5 };
        self.sweep_s * (column / columns)
    }

    /// Returns the message of the sweep, and begins the next one. The stamp is that of the
    /// message's first ray.
    pub fn take_message(&mut self, first_ray: Stamp, frame: &str) -> CdrMessage {
        let [first, last] = self.azimuths;
        let mut time_increment = self.sweep_s / f64::from(self.width);
        if self.is_reversed() {
            self.ranges.reverse();
            self.intensities.reverse();
            // In this order, no increment stays 0 instead of −0.
            time_increment = 0.0 - time_increment;
        }
        let [range_min, range_max] = self.limits;
        let mut message = CdrMessage::with_header(first_ray, frame);
        for number in [
            first.min(last),
            first.max(last),
            self.increment,
            time_increment,
            self.sweep_s,
            range_min,
            range_max,
        ] {
            message.number((number as f32).to_le_bytes());
        }
        for numbers in [&mut self.ranges, &mut self.intensities] {
            message.size(numbers.len());
            numbers.drain(..).for_each(|number| message.number(number.to_le_bytes()));
        }
        message
    }
}
