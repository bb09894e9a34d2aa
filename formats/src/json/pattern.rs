//! Reads the pattern of a lidar without rows and columns.

use super::Reader;
use raytwin::camera::PatternFields;
use raytwin_files::FileError;
use raytwin_files::pattern_tables::read_pattern_table;

impl Reader<'_> {
    /// Replaces the name of a pattern file by the beams that it lists. If both the scene and the
    /// file give times, both are removed, which leads to an error.
    pub(super) fn read_beams(
        &self,
        pattern: &mut PatternFields,
        place: &str,
    ) -> Result<(), FileError> {
        if let PatternFields::Table {
            time_s,
            azimuth_degrees: azimuths @ None,
            elevation_degrees: elevations @ None,
            file,
            pulses_per_s,
            ..
        } = pattern
            && let Some(name) = file.take()
        {
            let table = self.read_beside(&name, &format!("{place}.pattern"), read_pattern_table)?;
            (*azimuths, *elevations) = (Some(table.azimuth_degrees), Some(table.elevation_degrees));
            if let (None, Some(of_file)) = (pulses_per_s, table.time_s) {
                *time_s = time_s.take().xor(Some(of_file));
            }
        }
        Ok(())
    }
}
