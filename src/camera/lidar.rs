//! Published lidars: their channels, from their makers' documents, their columns and the time of a
//! turn.
//!
//! Elevations are the design values. A single device differs from them by its calibration. Each
//! channel is cast at the azimuth of its column: the small azimuth offsets of the lasers of some
//! devices are left out.

use super::panorama::{Elevation, Panorama};
use super::sensor::Sensor;

/// A published lidar that turns about its z axis.
#[derive(Clone, Copy, Debug)]
pub struct Lidar {
    /// The name by which a caller chooses it.
    pub name: &'static str,
    channels: Channels,
    /// The columns of a turn.
    pub columns: u32,
    /// The turns in a second.
    pub rate: f64,
    /// The range of distances that it reports, in metres.
    pub range: [f64; 2],
    /// The document from which the channels come.
    pub source: &'static str,
}

/// The elevations of the channels, in degrees, from the highest.
#[derive(Clone, Copy, Debug)]
enum Channels {
    /// So many, evenly spaced from the first elevation to the last.
    Even(u32, [f64; 2]),
    Table(&'static [f64]),
}

/// Table 9-6 of the manual.
const VLP_32C: [f64; 32] = [
    15.0, 10.333, 7.0, 4.667, 3.333, 2.333, 1.667, 1.333, 1.0, 0.667, 0.333, 0.0, -0.333, -0.667,
    -1.0, -1.333, -1.667, -2.0, -2.333, -2.667, -3.0, -3.333, -3.667, -4.0, -4.667, -5.333, -6.148,
    -7.254, -8.843, -11.31, -15.639, -25.0,
];

/// The table of the firing order in the manual, sorted.
const HDL_32E: [f64; 32] = [
    10.67, 9.33, 8.0, 6.67, 5.33, 4.0, 2.67, 1.33, 0.0, -1.33, -2.67, -4.0, -5.33, -6.66, -8.0,
    -9.33, -10.67, -12.0, -13.33, -14.67, -16.0, -17.33, -18.67, -20.0, -21.33, -22.67, -24.0,
    -25.33, -26.66, -28.0, -29.33, -30.67,
];

/// Table 9-1 of the VLP-16's manual.
const PUCK_HI_RES: [f64; 16] = [
    10.0, 8.67, 7.33, 6.0, 4.67, 3.33, 2.0, 0.67, -0.67, -2.0, -3.33, -4.67, -6.0, -7.33, -8.67,
    -10.0,
];

/// The columns of Velodyne's devices at 10 turns a second follow from the cycle in which all lasers
/// fire once: 55.296 µs, and 46.08 µs for the HDL-32E.
const VELODYNE_COLUMNS: u32 = 1808;
const HDL_32E_COLUMNS: u32 = 2170;

impl Lidar {
    /// All lidars that are known.
    pub const ALL: [Self; 9] = [
        Self {
            name: "VLP-16",
            channels: Channels::Even(16, [15.0, -15.0]),
            columns: VELODYNE_COLUMNS,
            rate: 10.0,
            range: [0.0, 100.0],
            source: "Velodyne, VLP-16 User Manual 63-9243 Rev. D, Table 9-1",
        },
        Self {
            name: "Puck-Hi-Res",
            channels: Channels::Table(&PUCK_HI_RES),
            columns: VELODYNE_COLUMNS,
            rate: 10.0,
            range: [0.0, 100.0],
            source: "Velodyne, VLP-16 User Manual 63-9243 Rev. D, Table 9-1",
        },
        Self {
            name: "VLP-32C",
            channels: Channels::Table(&VLP_32C),
            columns: VELODYNE_COLUMNS,
            rate: 10.0,
            range: [0.0, 200.0],
            source: "Velodyne, VLP-32C User Manual 63-9325 Rev. C, Table 9-6",
        },
        Self {
            name: "HDL-32E",
            channels: Channels::Table(&HDL_32E),
            columns: HDL_32E_COLUMNS,
            rate: 10.0,
            range: [0.0, 100.0],
            source: "Velodyne, HDL-32E User's Manual 63-9113, Laser Firing Sequence",
        },
        Self {
            name: "OS1-16",
            channels: Channels::Even(16, [16.6, -16.6]),
            columns: 2048,
            rate: 10.0,
            range: [0.8, 120.0],
            source: "Ouster, OS1 data sheet: 33.2 degrees, 327,680 points a second",
        },
        Self {
            name: "OS1-64",
            channels: Channels::Even(64, [16.6, -16.6]),
            columns: 2048,
            rate: 10.0,
            range: [0.8, 120.0],
            source: "Ouster, OS1 data sheet: 33.2 degrees, 1,310,720 points a second",
        },
        Self {
            name: "OS1-128",
            channels: Channels::Even(128, [22.5, -22.5]),
            columns: 2048,
            rate: 10.0,
            range: [0.8, 120.0],
            source: "Ouster, OS1 data sheet: 45 degrees, 2,621,440 points a second",
        },
        Self {
            name: "PandarXT-16",
            channels: Channels::Even(16, [15.0, -15.0]),
            columns: 2000,
            rate: 10.0,
            range: [0.05, 120.0],
            source: "Hesai, PandarXT-16 User Manual, Appendix I",
        },
        Self {
            name: "PandarXT-32",
            channels: Channels::Even(32, [15.0, -16.0]),
            columns: 2000,
            rate: 10.0,
            range: [0.05, 120.0],
            source: "Hesai, PandarXT User Manual, 1.3 Channel Distribution",
        },
    ];

    /// Finds the lidar of this name, in upper or lower case; `None` if it is not among
    /// [`Self::ALL`].
    pub fn named(name: &str) -> Option<&'static Self> {
        const { &Self::ALL }.iter().find(|lidar| lidar.name.eq_ignore_ascii_case(name))
    }

    /// Returns the elevation of each channel in degrees, from the highest.
    pub fn elevations(&self) -> Vec<f64> {
        match self.channels {
            Channels::Even(count, [first, last]) => {
                let step = (last - first) / f64::from(count - 1);
                (0..count).map(|channel| first + f64::from(channel) * step).collect()
            }
            Channels::Table(table) => table.to_vec(),
        }
    }

    /// Returns its directions: a whole turn clockwise, as seen from above, that begins behind it.
    pub fn panorama(&self) -> Panorama {
        Panorama {
            columns: Some(self.columns),
            sweep_s: 1.0 / self.rate,
            ..Panorama::new([180.0, -180.0], Elevation::Table(self.elevations()))
        }
    }

    /// Returns the sensor with this lidar's range.
    pub fn with_range(&self, sensor: Sensor) -> Sensor {
        let [range_min, range_max] = self.range;
        Sensor { range_min, range_max, ..sensor }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn channels_run_downwards_and_names_are_told_apart() {
        for (index, lidar) in Lidar::ALL.iter().enumerate() {
            let elevations = lidar.elevations();
            assert!(elevations.windows(2).all(|pair| pair[0] > pair[1]), "{}", lidar.name);
            let by_name = Lidar::ALL.iter().position(|other| other.name == lidar.name);
            assert_eq!(by_name, Some(index));
            assert!(lidar.panorama().check().is_ok() && !lidar.source.is_empty());
        }
        assert_eq!(Lidar::named("vlp-16").unwrap().elevations()[..3], [15.0, 13.0, 11.0]);
        assert_eq!(Lidar::named("PandarXT-32").unwrap().elevations()[31], -16.0);
        assert!(Lidar::named("Mid-360").is_none());
    }
}
