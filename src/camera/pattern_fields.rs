//! The fields of a pattern by the names that they have in scene files and in Python.

use super::pattern::{BeamTable, Optics, ScanPattern};
use super::risley::Risley;

/// The fields of a pattern. Its `type` says which it has.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(tag = "type", rename_all = "lowercase", deny_unknown_fields)]
#[expect(missing_docs, reason = "the fields are those of Optics, Risley and BeamTable")]
pub enum PatternFields {
    /// [`Optics::Risley`].
    Risley {
        wedge_degrees: [f64; 2],
        refractive_index: f64,
        turns_per_s: [f64; 2],
        pulses_per_s: f64,
        sweep_s: f64,
    },
    /// [`Optics::Oscillating`].
    Oscillating { half_angle_degrees: f64, swings_per_s: f64, pulses_per_s: f64, sweep_s: f64 },
    /// [`Optics::Polygon`].
    Polygon { half_angle_degrees: f64, lines_per_s: f64, pulses_per_s: f64, sweep_s: f64 },
    /// [`Optics::Conic`].
    Conic { half_angle_degrees: f64, turns_per_s: f64, pulses_per_s: f64, sweep_s: f64 },
    /// [`ScanPattern::Table`], whose sweep ends with the last beam without a `sweep_s`.
    Table {
        time_s: Vec<f64>,
        azimuth_degrees: Vec<f64>,
        elevation_degrees: Vec<f64>,
        sweep_s: Option<f64>,
    },
}

impl From<&ScanPattern> for PatternFields {
    fn from(pattern: &ScanPattern) -> Self {
        let (optics, pulses_per_s, sweep_s) = match pattern {
            ScanPattern::Steered { optics, pulses_per_s, sweep_s } => {
                (optics, *pulses_per_s, *sweep_s)
            }
            ScanPattern::Table(table) => {
                let BeamTable { time_s, azimuth_degrees, elevation_degrees, sweep_s } =
                    table.clone();
                let sweep_s = Some(sweep_s);
                return Self::Table { time_s, azimuth_degrees, elevation_degrees, sweep_s };
            }
        };
        match *optics {
            Optics::Risley(Risley { wedge_degrees, refractive_index, turns_per_s }) => {
                Self::Risley { wedge_degrees, refractive_index, turns_per_s, pulses_per_s, sweep_s }
            }
            Optics::Oscillating { half_angle_degrees, swings_per_s } => {
                Self::Oscillating { half_angle_degrees, swings_per_s, pulses_per_s, sweep_s }
            }
            Optics::Polygon { half_angle_degrees, lines_per_s } => {
                Self::Polygon { half_angle_degrees, lines_per_s, pulses_per_s, sweep_s }
            }
            Optics::Conic { half_angle_degrees, turns_per_s } => {
                Self::Conic { half_angle_degrees, turns_per_s, pulses_per_s, sweep_s }
            }
        }
    }
}

impl From<PatternFields> for ScanPattern {
    fn from(fields: PatternFields) -> Self {
        let (optics, pulses_per_s, sweep_s) = match fields {
            PatternFields::Risley {
                wedge_degrees,
                refractive_index,
                turns_per_s,
                pulses_per_s,
                sweep_s,
            } => {
                let pair = Risley { wedge_degrees, refractive_index, turns_per_s };
                (Optics::Risley(pair), pulses_per_s, sweep_s)
            }
            PatternFields::Oscillating {
                half_angle_degrees,
                swings_per_s,
                pulses_per_s,
                sweep_s,
            } => (Optics::Oscillating { half_angle_degrees, swings_per_s }, pulses_per_s, sweep_s),
            PatternFields::Polygon { half_angle_degrees, lines_per_s, pulses_per_s, sweep_s } => {
                (Optics::Polygon { half_angle_degrees, lines_per_s }, pulses_per_s, sweep_s)
            }
            PatternFields::Conic { half_angle_degrees, turns_per_s, pulses_per_s, sweep_s } => {
                (Optics::Conic { half_angle_degrees, turns_per_s }, pulses_per_s, sweep_s)
            }
            PatternFields::Table { time_s, azimuth_degrees, elevation_degrees, sweep_s } => {
                let sweep_s = sweep_s.or(time_s.last().copied()).unwrap_or(0.0);
                let table = BeamTable { time_s, azimuth_degrees, elevation_degrees, sweep_s };
                return Self::Table(table);
            }
        };
        Self::Steered { optics, pulses_per_s, sweep_s }
    }
}
