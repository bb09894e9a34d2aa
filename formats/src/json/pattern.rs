//! Reads the pattern of a lidar without rows and columns.

use super::Reader;
use super::pattern_file::PatternFile;
use raytwin::camera::{BeamTable, Optics, Risley, ScanPattern};
use raytwin_files::FileError;
use raytwin_files::pattern_tables::{PatternTable, read_pattern_table};

impl Reader<'_> {
    pub(super) fn read_pattern(
        &self,
        file: PatternFile,
        place: &str,
    ) -> Result<ScanPattern, FileError> {
        let place = format!("{place}.pattern");
        let (optics, pulses_per_s, sweep_s) = match file {
            PatternFile::Risley {
                wedge_degrees,
                refractive_index,
                turns_per_s,
                pulses_per_s,
                sweep_s,
            } => {
                let pair = Risley { wedge_degrees, refractive_index, turns_per_s };
                (Optics::Risley(pair), pulses_per_s, sweep_s)
            }
            PatternFile::Oscillating {
                half_angle_degrees,
                swings_per_s,
                pulses_per_s,
                sweep_s,
            } => (Optics::Oscillating { half_angle_degrees, swings_per_s }, pulses_per_s, sweep_s),
            PatternFile::Polygon { half_angle_degrees, lines_per_s, pulses_per_s, sweep_s } => {
                (Optics::Polygon { half_angle_degrees, lines_per_s }, pulses_per_s, sweep_s)
            }
            PatternFile::Conic { half_angle_degrees, turns_per_s, pulses_per_s, sweep_s } => {
                (Optics::Conic { half_angle_degrees, turns_per_s }, pulses_per_s, sweep_s)
            }
            PatternFile::Table {
                time_s,
                azimuth_degrees,
                elevation_degrees,
                file,
                pulses_per_s,
                sweep_s,
            } => {
                let table = match (file, azimuth_degrees, elevation_degrees) {
                    (Some(file), None, None) => {
                        self.read_beside(&file, &place, read_pattern_table)?
                    }
                    (None, Some(azimuth_degrees), Some(elevation_degrees)) => {
                        PatternTable { time_s: None, azimuth_degrees, elevation_degrees }
                    }
                    _ => {
                        let reason =
                            "must have either azimuth_degrees and elevation_degrees or a file";
                        return Err(self.refuse(&place, reason));
                    }
                };
                let PatternTable { time_s: of_file, azimuth_degrees, elevation_degrees } = table;
                let table = match (pulses_per_s, time_s, of_file) {
                    (Some(pace), None, _) => {
                        if !(pace > 0.0 && pace <= 1e9) {
                            let reason = format!("is {pace}: it must be above 0 and at most 1e9");
                            return Err(self.refuse(&format!("{place}.pulses_per_s"), reason));
                        }
                        BeamTable::paced(azimuth_degrees, elevation_degrees, pace)
                    }
                    (None, Some(time_s), None) | (None, None, Some(time_s)) => {
                        let sweep_s = time_s.last().copied().unwrap_or(0.0);
                        BeamTable { time_s, azimuth_degrees, elevation_degrees, sweep_s }
                    }
                    _ => {
                        let reason =
                            "must have its times once: in time_s, in the file, or by pulses_per_s";
                        return Err(self.refuse(&place, reason));
                    }
                };
                let sweep_s = sweep_s.unwrap_or(table.sweep_s);
                return Ok(ScanPattern::Table(BeamTable { sweep_s, ..table }));
            }
        };
        Ok(ScanPattern::Steered { optics, pulses_per_s, sweep_s })
    }
}
