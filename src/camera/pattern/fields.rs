//! The fields of a pattern, with the names that scene files and Python use.

use super::{BeamTable, Optics, Risley, ScanPattern};
use crate::camera::error::CameraError;

/// Defines the fields of patterns, and the conversions from and to patterns. Each kind of optics
/// has its own fields, and all have those of pulses.
macro_rules! pattern_fields {
    ($(
        $(#[$doc:meta])*
        $kind:ident = ($($optics:tt)+) {
            $($(#[$field_doc:meta])* $field:ident: $type:ty,)+
        }
    )+) => {
        /// The beams of a lidar without rows and columns, whose image has one row. Either optics
        /// deflect pulses that leave at an even pace, pulse i at (i + 0.5) / pulses_per_s, or a
        /// table lists the beams. Directions are in the frame of the sensor: x forward, y left, z
        /// up.
        #[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
        #[serde(rename = "PatternFile", expecting = "internally tagged enum PatternFile")]
        #[serde(tag = "type", rename_all = "lowercase", deny_unknown_fields)]
        pub enum PatternFields {
            $(
                $(#[$doc])*
                $kind {
                    $($(#[$field_doc])* $field: $type,)+
                    /// The pulses per second.
                    pulses_per_s: f64,
                    /// The duration of a sweep, in seconds.
                    sweep_s: f64,
                },
            )+
            /// A table of beams, as lists or as a file.
            Table {
                /// The seconds from the start of the sweep at which each beam leaves, in ascending
                /// order.
                time_s: Option<Vec<f64>>,
                /// The azimuth of each beam: 0 is forward, positive is to the left.
                azimuth_degrees: Option<Vec<f64>>,
                /// The elevation of each beam.
                elevation_degrees: Option<Vec<f64>>,
                /// The path, from the folder of this file, of a .csv with the columns time_s,
                /// azimuth_degrees and elevation_degrees, or Livox's Time/s, Azimuth/deg and
                /// Zenith/deg.
                #[serde(skip_serializing_if = "Option::is_none")]
                file: Option<String>,
                /// In place of the times: the pulses per second. Pulse i leaves at (i + 0.5) /
                /// pulses_per_s.
                #[serde(skip_serializing_if = "Option::is_none")]
                pulses_per_s: Option<f64>,
                /// The duration of a sweep, in seconds. Default: until the last beam, or the time
                /// of all pulses.
                sweep_s: Option<f64>,
            },
        }

        impl From<&ScanPattern> for PatternFields {
            fn from(pattern: &ScanPattern) -> Self {
                match pattern.clone() {
                    $(ScanPattern::Steered { optics: $($optics)+, pulses_per_s, sweep_s } => {
                        Self::$kind { $($field,)+ pulses_per_s, sweep_s }
                    })+
                    ScanPattern::Table(table) => Self::Table {
                        time_s: Some(table.time_s),
                        azimuth_degrees: Some(table.azimuth_degrees),
                        elevation_degrees: Some(table.elevation_degrees),
                        file: None,
                        pulses_per_s: None,
                        sweep_s: Some(table.sweep_s),
                    },
                }
            }
        }

        impl TryFrom<PatternFields> for ScanPattern {
            type Error = CameraError;

            /// Returns the pattern that has these fields.
            /// [`Camera::look_at`](crate::Camera::look_at) checks their values.
            ///
            /// # Errors
            /// [`CameraError::Pattern`], if a table misses a column, has it twice, or is in a file
            /// that was not read.
            fn try_from(fields: PatternFields) -> Result<Self, CameraError> {
                Ok(match fields {
                    $(PatternFields::$kind { $($field,)+ pulses_per_s, sweep_s } => {
                        ScanPattern::Steered { optics: $($optics)+, pulses_per_s, sweep_s }
                    })+
                    PatternFields::Table {
                        time_s,
                        azimuth_degrees: Some(azimuths),
                        elevation_degrees: Some(elevations),
                        file: None,
                        pulses_per_s,
                        sweep_s,
                    } => {
                        let table = match (time_s, pulses_per_s) {
                            (Some(time_s), None) => BeamTable::timed(time_s, azimuths, elevations),
                            (None, Some(pace)) => {
                                CameraError::unless_positive("pattern.pulses_per_s", pace)?;
                                BeamTable::paced(azimuths, elevations, pace)
                            }
                            _ => return Err(CameraError::Pattern(TIMES_ONCE)),
                        };
                        ScanPattern::Table(BeamTable { sweep_s: sweep_s.unwrap_or(table.sweep_s), ..table })
                    }
                    PatternFields::Table { .. } => return Err(CameraError::Pattern(LISTS_OR_FILE)),
                })
            }
        }
    };
}

const LISTS_OR_FILE: &str = "must have either azimuth_degrees and elevation_degrees or a file";
const TIMES_ONCE: &str =
    "must have its times in exactly one place: time_s, the file, or pulses_per_s";

pattern_fields! {
    /// Two glass wedges that turn about +x, with their inclined faces towards each other.
    Risley = (Optics::Risley(Risley { wedge_degrees, refractive_index, turns_per_s })) {
        /// The angles between the faces of the first and of the second wedge.
        wedge_degrees: [f64; 2],
        /// The refractive index of the glass.
        refractive_index: f64,
        /// The turns of both wedges per second. Positive is counter-clockwise about +x.
        turns_per_s: [f64; 2],
    }
    /// A mirror that swings the beam as a sine about -z, across x.
    Oscillating = (Optics::Oscillating { half_angle_degrees, swings_per_s }) {
        /// The largest angle from -z.
        half_angle_degrees: f64,
        /// The full swings, to and fro, per second.
        swings_per_s: f64,
    }
    /// Turning mirrors, whose lines run from left to right about -z, across x.
    Polygon = (Optics::Polygon { half_angle_degrees, lines_per_s }) {
        /// The angle between -z and either end of a line.
        half_angle_degrees: f64,
        /// The lines per second.
        lines_per_s: f64,
    }
    /// A wobbling mirror: the beams form a cone about -z.
    Conic = (Optics::Conic { half_angle_degrees, turns_per_s }) {
        /// The angle between the cone and its axis.
        half_angle_degrees: f64,
        /// The turns per second, counter-clockwise about +z.
        turns_per_s: f64,
    }
}
