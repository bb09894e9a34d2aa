//! The format of a lidar's pattern in a native scene file.

use schemars::JsonSchema;
use serde::Deserialize;

/// The beams of a lidar without rows and columns, whose image has one row. Pulses leave at an even
/// pace, pulse i at (i + 0.5) / pulses_per_s, and optics turn them aside; or a table lists them.
/// Directions are in the frame of the sensor: x forward, y left, z up.
#[derive(Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "lowercase", deny_unknown_fields)]
pub(super) enum PatternFile {
    /// Two glass wedges that turn about +x, whose inclined faces look at each other.
    Risley {
        /// The angles between the faces of the first and of the second wedge.
        wedge_degrees: [f64; 2],
        /// The refractive index of the glass.
        refractive_index: f64,
        /// The turns of both in a second, counter-clockwise about +x where positive.
        turns_per_s: [f64; 2],
        /// The pulses in a second.
        pulses_per_s: f64,
        /// The seconds of a sweep.
        sweep_s: f64,
    },
    /// A mirror that swings as a sine, about -z and across x.
    Oscillating {
        /// The largest angle from -z.
        half_angle_degrees: f64,
        /// The swings to and fro in a second.
        swings_per_s: f64,
        /// The pulses in a second.
        pulses_per_s: f64,
        /// The seconds of a sweep.
        sweep_s: f64,
    },
    /// Mirrors that turn, whose lines run from the left to the right, about -z and across x.
    Polygon {
        /// The angle between -z and either end of a line.
        half_angle_degrees: f64,
        /// The lines in a second.
        lines_per_s: f64,
        /// The pulses in a second.
        pulses_per_s: f64,
        /// The seconds of a sweep.
        sweep_s: f64,
    },
    /// A mirror that wobbles as it turns: beams lie on a cone about -z.
    Conic {
        /// The angle between the cone and its axis.
        half_angle_degrees: f64,
        /// The turns in a second, counter-clockwise about +z.
        turns_per_s: f64,
        /// The pulses in a second.
        pulses_per_s: f64,
        /// The seconds of a sweep.
        sweep_s: f64,
    },
    /// Beams one by one, by lists or by a file.
    Table {
        /// The seconds from the start of the sweep at which each leaves, which never run back.
        time_s: Option<Vec<f64>>,
        /// The azimuth of each, 0 forward, positive to the left.
        azimuth_degrees: Option<Vec<f64>>,
        /// The elevation of each.
        elevation_degrees: Option<Vec<f64>>,
        /// A .csv with the columns time_s, azimuth_degrees and elevation_degrees, or Livox's Time/s,
        /// Azimuth/deg and Zenith/deg, by its path from the folder of this file.
        file: Option<String>,
        /// In place of the times: the pulses in a second. Pulse i leaves at (i + 0.5) / pulses_per_s.
        pulses_per_s: Option<f64>,
        /// The seconds of a sweep; by default until the last beam, or as long as the pulses take.
        sweep_s: Option<f64>,
    },
}
