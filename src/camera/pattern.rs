//! Patterns: the directions and times of the beams of a scanner without rows and columns.

mod fields;
mod risley;
mod table;

pub use fields::PatternFields;
pub use risley::Risley;
pub use table::BeamTable;

use super::error::CameraError;
use crate::math::{radians, turn_at};
use glam::DVec3;
use std::f64::consts::TAU;
use table::MAX_BEAMS;

/// The beams of a scanner. An image of them has one row.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[non_exhaustive]
pub enum ScanPattern {
    /// Moving optics, and pulses that leave at an even pace. The optics depend only on the time, so
    /// a sweep goes on where the one before it ended.
    Steered {
        /// The optics that deflect the beam.
        optics: Optics,
        /// The pulses per second. Pulse i leaves at (i + 0.5) / `pulses_per_s`.
        pulses_per_s: f64,
        /// The duration of a sweep, in seconds.
        sweep_s: f64,
    },
    /// A table, which each sweep repeats.
    Table(BeamTable),
}

/// Optics that deflect a beam, in the frame of the sensor: x forward, y left, z up. The
/// descriptions give the phases at time 0.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[non_exhaustive]
pub enum Optics {
    /// Two glass wedges that turn about +x, the direction of the beam without them.
    Risley(Risley),
    /// A mirror that swings the beam across the direction of flight, as a sine about −z. The beam
    /// starts at −z and moves to the left first.
    Oscillating {
        /// The largest angle from −z.
        half_angle_degrees: f64,
        /// The full swings, to and fro, per second. Each swing makes two lines.
        swings_per_s: f64,
    },
    /// A turning polygon of mirrors. Its lines across the direction of flight all run from left to
    /// right, about −z, without a gap in time.
    Polygon {
        /// The angle between −z and either end of a line.
        half_angle_degrees: f64,
        /// The lines per second.
        lines_per_s: f64,
    },
    /// A wobbling mirror (Palmer scanner): the beam turns on a circular cone about −z,
    /// counter-clockwise about +z, and starts at the front.
    Conic {
        /// The angle between the cone and its axis.
        half_angle_degrees: f64,
        /// The turns per second.
        turns_per_s: f64,
    },
}

/// The ray in the middle of a beam of a sweep.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PatternRay {
    /// The seconds from the start of the sweep until the ray leaves.
    pub time: f64,
    /// Its unit direction in the frame of the sensor: x forward, y left, z up.
    pub direction: DVec3,
}

impl ScanPattern {
    /// Returns the number of beams of a sweep.
    pub fn beam_count(&self) -> usize {
        match self {
            // A count that is too large for the type is too large for a sweep, too.
            Self::Steered { pulses_per_s, sweep_s, .. } => {
                (pulses_per_s * sweep_s).round() as usize
            }
            Self::Table(table) => table.time_s.len(),
        }
    }

    /// Returns the seconds from a sweep's start until its last beam has left.
    pub fn sweep_s(&self) -> f64 {
        match self {
            Self::Steered { sweep_s, .. } => *sweep_s,
            Self::Table(table) => table.sweep_s,
        }
    }

    /// Returns the ray of a beam of a sweep that begins at this time, in seconds.
    pub fn ray(&self, number: usize, start: f64) -> PatternRay {
        match self {
            Self::Steered { optics, pulses_per_s, .. } => {
                let time = (number as f64 + 0.5) / pulses_per_s;
                PatternRay { time, direction: optics.direction(start + time) }
            }
            Self::Table(table) => {
                PatternRay { time: table.time_s[number], direction: table.direction(number) }
            }
        }
    }

    pub(in crate::camera) fn check(&self) -> Result<(), CameraError> {
        let (optics, pulses_per_s, sweep_s) = match self {
            Self::Steered { optics, pulses_per_s, sweep_s } => (optics, *pulses_per_s, *sweep_s),
            Self::Table(table) => return table.check(),
        };
        CameraError::unless_positive("pattern.pulses_per_s", pulses_per_s)?;
        CameraError::unless_positive("pattern.sweep_s", sweep_s)?;
        let count = (pulses_per_s * sweep_s).round();
        let is_sweep = (1.0..=MAX_BEAMS as f64).contains(&count);
        let value = format!("{sweep_s}, in which {count} pulses leave");
        let rule = "a sweep must have 1 to 4194304 beams";
        CameraError::unless(is_sweep, "pattern.sweep_s", value, rule)?;
        optics.check()
    }
}

impl Optics {
    /// Returns the name of the pattern in scene files.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Risley(_) => "risley",
            Self::Oscillating { .. } => "oscillating",
            Self::Polygon { .. } => "polygon",
            Self::Conic { .. } => "conic",
        }
    }

    /// Returns the unit direction of a beam that leaves at this time, in the frame of the sensor.
    pub fn direction(&self, time: f64) -> DVec3 {
        // Across the flight, positive to the left of −z.
        let across = |angle: f64| DVec3::new(0.0, libm::sin(angle), -libm::cos(angle));
        match *self {
            Self::Risley(risley) => risley.direction(time),
            Self::Oscillating { half_angle_degrees, swings_per_s } => {
                across(radians(half_angle_degrees) * libm::sin(turn_at(swings_per_s, time)))
            }
            Self::Polygon { half_angle_degrees, lines_per_s } => {
                let share = turn_at(lines_per_s, time) / TAU;
                across(radians(half_angle_degrees) * (1.0 - 2.0 * share))
            }
            Self::Conic { half_angle_degrees, turns_per_s } => {
                let (angle, around) = (radians(half_angle_degrees), turn_at(turns_per_s, time));
                let aside = libm::sin(angle);
                DVec3::new(aside * libm::cos(around), aside * libm::sin(around), -libm::cos(angle))
            }
        }
    }

    fn check(&self) -> Result<(), CameraError> {
        let (angle, pace, per_s) = match *self {
            Self::Risley(risley) => return risley.check(),
            Self::Oscillating { half_angle_degrees, swings_per_s } => {
                (half_angle_degrees, "pattern.swings_per_s", swings_per_s)
            }
            Self::Polygon { half_angle_degrees, lines_per_s } => {
                (half_angle_degrees, "pattern.lines_per_s", lines_per_s)
            }
            Self::Conic { half_angle_degrees, turns_per_s } => {
                (half_angle_degrees, "pattern.turns_per_s", turns_per_s)
            }
        };
        let (is_angle, rule) = ((0.0..=180.0).contains(&angle), "it must be from 0 to 180");
        CameraError::unless(is_angle, "pattern.half_angle_degrees", angle, rule)?;
        CameraError::unless_positive(pace, per_s)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steered(optics: Optics) -> ScanPattern {
        ScanPattern::Steered { optics, pulses_per_s: 1000.0, sweep_s: 0.25 }
    }

    fn near(one: DVec3, other: [f64; 3]) -> bool {
        (one - DVec3::from_array(other)).length() < 1e-12
    }

    #[test]
    fn mirrors_draw_a_sine_lines_and_a_cone() {
        let half_angle_degrees = 30.0;
        let swing = Optics::Oscillating { half_angle_degrees, swings_per_s: 2.0 };
        let (slope, level) = (0.5, 0.75_f64.sqrt());
        assert!(near(swing.direction(0.0), [0.0, 0.0, -1.0]));
        assert!(near(swing.direction(0.125), [0.0, slope, -level]));
        assert!(near(swing.direction(0.375), [0.0, -slope, -level]));
        // A sine of half of its height comes after a twelfth of the swing.
        let part = 15.0_f64.to_radians();
        assert!(near(swing.direction(0.5 / 12.0), [0.0, part.sin(), -part.cos()]));

        let polygon = Optics::Polygon { half_angle_degrees, lines_per_s: 10.0 };
        for line in [0.0, 0.1, 7.3] {
            assert!(near(polygon.direction(line + 1e-15), [0.0, slope, -level]));
            assert!(near(polygon.direction(line + 0.05), [0.0, 0.0, -1.0]));
            assert!(near(polygon.direction(line + 0.1 - 1e-14), [0.0, -slope, -level]));
        }

        let conic = Optics::Conic { half_angle_degrees, turns_per_s: 4.0 };
        assert!(near(conic.direction(0.0), [slope, 0.0, -level]));
        assert!(near(conic.direction(0.0625), [0.0, slope, -level]));
        assert!(near(conic.direction(10.125), [-slope, 0.0, -level]));
    }

    #[test]
    fn pulses_leave_at_an_even_pace_and_sweeps_go_on() {
        let pattern = steered(Optics::Conic { half_angle_degrees: 20.0, turns_per_s: 7.3 });
        assert_eq!((pattern.beam_count(), pattern.sweep_s()), (250, 0.25));
        let beam = pattern.ray(3, 2.0);
        assert_eq!(beam.time, 3.5e-3);
        let ScanPattern::Steered { optics, .. } = pattern else { panic!("it is steered") };
        assert_eq!(beam.direction, optics.direction(2.0035));
    }

    #[test]
    fn a_table_says_its_times_and_angles() {
        let table = BeamTable {
            time_s: vec![0.0, 0.0, 0.5],
            azimuth_degrees: vec![0.0, 90.0, -180.0],
            elevation_degrees: vec![0.0, 30.0, -90.0],
            sweep_s: 0.75,
        };
        let pattern = ScanPattern::Table(table);
        pattern.check().unwrap();
        assert_eq!((pattern.beam_count(), pattern.sweep_s()), (3, 0.75));
        // It is the same in each sweep.
        let beam = |number| pattern.ray(number, 77.0);
        assert!(near(beam(0).direction, [1.0, 0.0, 0.0]));
        assert!(near(beam(1).direction, [0.0, 0.75_f64.sqrt(), 0.5]));
        assert!(near(beam(2).direction, [0.0, 0.0, -1.0]) && beam(2).time == 0.5);
    }

    #[test]
    fn what_is_no_pattern_is_refused_by_its_key() {
        let mirror = |half_angle_degrees, turns_per_s| {
            steered(Optics::Conic { half_angle_degrees, turns_per_s })
        };
        let optics = Optics::Conic { half_angle_degrees: 1.0, turns_per_s: 1.0 };
        let pace = |pulses_per_s, sweep_s| ScanPattern::Steered { optics, pulses_per_s, sweep_s };
        let table = |time_s: &[f64], azimuth: &[f64], elevation: &[f64]| {
            ScanPattern::Table(BeamTable {
                time_s: time_s.to_vec(),
                azimuth_degrees: azimuth.to_vec(),
                elevation_degrees: elevation.to_vec(),
                sweep_s: 1.0,
            })
        };
        mirror(20.0, 3.0).check().unwrap();
        let ScanPattern::Table(rounded) = table(&[0.0, 3.0 * 0.1], &[0.0; 2], &[0.0; 2]) else {
            panic!("it is a table")
        };
        BeamTable { sweep_s: 0.3, ..rounded }.check().unwrap();
        for (pattern, field) in [
            (mirror(-1.0, 3.0), "pattern.half_angle_degrees"),
            (mirror(20.0, f64::NAN), "pattern.turns_per_s"),
            (pace(0.0, 1.0), "pattern.pulses_per_s"),
            (pace(1.0, f64::INFINITY), "pattern.sweep_s"),
            (pace(1e9, 1e9), "pattern.sweep_s"),
            (pace(1e-3, 1.0), "pattern.sweep_s"),
            (table(&[], &[], &[]), "pattern.time_s"),
            (table(&[0.0, 1.0, 0.5], &[0.0; 3], &[0.0; 3]), "pattern.time_s[2]"),
            (table(&[-1.0], &[0.0], &[0.0]), "pattern.time_s[0]"),
            (table(&[2.0], &[0.0], &[0.0]), "pattern.sweep_s"),
            (table(&[0.0], &[400.0], &[0.0]), "pattern.azimuth_degrees[0]"),
            (table(&[0.0; 2], &[0.0; 2], &[0.0, 91.0]), "pattern.elevation_degrees[1]"),
            (table(&[0.0; 2], &[0.0; 1], &[0.0; 2]), "pattern.azimuth_degrees"),
        ] {
            let error = pattern.check().unwrap_err().to_string();
            assert!(error.starts_with(field), "{error}");
        }
    }
}
