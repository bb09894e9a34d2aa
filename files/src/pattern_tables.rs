//! Files that list the beams of a lidar's sweep.

use super::{FileError, FileStore, RowFault, each_row_of};
use std::path::Path;

/// The columns, for which Livox has its own names. Its times are mostly the numbers of rows.
const COLUMNS: [&str; 6] =
    ["azimuth_degrees", "elevation_degrees", "time_s", "Azimuth/deg", "Zenith/deg", "Time/s"];

/// The beams of a sweep.
#[derive(Clone, Debug, PartialEq)]
pub struct PatternTable {
    /// The time of each beam in seconds, if the file has times.
    pub time_s: Option<Vec<f64>>,
    /// The azimuth of each beam.
    pub azimuth_degrees: Vec<f64>,
    /// The elevation of each beam.
    pub elevation_degrees: Vec<f64>,
}

/// Reads a `.csv` with the columns `azimuth_degrees`, `elevation_degrees` and optionally `time_s`,
/// or with the names of Livox. Zenith angles of Livox count from straight up, and its times are
/// ignored if they are the numbers of the rows. The numbers are not checked here.
///
/// # Errors
/// [`FileError`], with the position in the file.
pub fn read_pattern_table(store: &FileStore, path: &Path) -> Result<PatternTable, FileError> {
    let mut table =
        PatternTable { time_s: None, azimuth_degrees: Vec::new(), elevation_degrees: Vec::new() };
    let mut times = Vec::new();
    let mut is_of_livox = false;
    each_row_of(store, path, ("patterns", COLUMNS, 0), |columns, row| {
        let number = |column: usize| row.number(column, "", |_| true);
        let [azimuth, elevation, time, its_azimuth, its_zenith, its_time] = columns;
        let missing =
            |name: &str| RowFault { column: None, reason: format!("has no column {name}") };
        let azimuth = azimuth.or(its_azimuth).ok_or_else(|| missing(COLUMNS[0]))?;
        table.azimuth_degrees.push(number(azimuth)?);
        table.elevation_degrees.push(match (elevation, its_zenith) {
            (Some(elevation), _) => number(elevation)?,
            (None, Some(zenith)) => 90.0 - number(zenith)?,
            (None, None) => return Err(missing(COLUMNS[1])),
        });
        is_of_livox = time.is_none();
        if let Some(time) = time.or(its_time) {
            times.push(number(time)?);
        }
        Ok(())
    })?;
    let numbers_rows = is_of_livox && times.windows(2).all(|pair| pair[1] - pair[0] == 1.0);
    table.time_s = (!times.is_empty() && !numbers_rows).then_some(times);
    match table.azimuth_degrees.is_empty() {
        true => Err(FileError::meaning(path, "", "has no beams after its header row")),
        false => Ok(table),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<PatternTable, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("p.csv");
        std::fs::write(&path, text).unwrap();
        read_pattern_table(&FileStore::disk(), &path).map_err(|error| error.to_string())
    }

    #[test]
    fn angles_have_our_names_or_livoxs() {
        let ours = read("azimuth_degrees,elevation_degrees\n10,-5\n-20,7.5\n").unwrap();
        let angles = (vec![10.0, -20.0], vec![-5.0, 7.5]);
        assert_eq!((ours.azimuth_degrees, ours.elevation_degrees), angles);
        assert_eq!(ours.time_s, None);
        let theirs = |rows: &str| read(&format!("Time/s,Azimuth/deg,Zenith/deg\n{rows}")).unwrap();
        let timed = theirs("0.5,10,95\n2,-20,82.5\n");
        assert_eq!((timed.azimuth_degrees, timed.elevation_degrees), angles);
        assert_eq!(timed.time_s, Some(vec![0.5, 2.0]));
        assert_eq!(theirs("1,10,95\n2,-20,82.5\n").time_s, None, "these number the rows");
        let ours = read("azimuth_degrees,elevation_degrees,time_s\n10,-5,1\n-20,7.5,2\n").unwrap();
        assert_eq!(ours.time_s, Some(vec![1.0, 2.0]));
    }

    #[test]
    fn what_is_no_table_of_beams_is_refused_with_its_place() {
        for (text, reason) in [
            ("azimuth_degrees,time_s\n1,2\n", "no column elevation_degrees"),
            ("elevation_degrees\n1\n", "no column azimuth_degrees"),
            ("azimuth_degrees,elevation\n1,2\n", "did you mean elevation_degrees?"),
            ("azimuth_degrees,elevation_degrees\n1,up\n", "p.csv:2:3: elevation_degrees is 'up'"),
            ("azimuth_degrees,elevation_degrees\n", "no beams"),
        ] {
            let error = read(text).unwrap_err();
            assert!(error.contains(reason), "{error}");
        }
    }
}
