//! Files of stations: fixed positions of a scanner.

use super::{CsvRow, FileError, FileStore, RowFault, each_row_of};
use glam::DVec3;
use raytwin::camera::Pose;
use raytwin::math::radians;
use std::path::Path;

/// The columns. The first three are required.
const COLUMNS: [&str; 5] = ["x", "y", "z", "heading_degrees", "name"];

/// A fixed position of a scanner.
#[derive(Clone, Debug, PartialEq)]
pub struct Station {
    /// The position.
    pub position: DVec3,
    /// The direction in which it faces: the angle from +x about +z, counter-clockwise.
    pub heading_degrees: f64,
    /// Its name; empty if it has none.
    pub name: String,
}

impl Station {
    /// Returns the pose of a level lidar at this station, x forward and z up.
    ///
    /// # Errors
    /// The reason why there is no such pose.
    pub fn pose(&self) -> Result<Pose, String> {
        let half = 0.5 * radians(self.heading_degrees);
        let rotation = [0.0, 0.0, libm::sin(half), libm::cos(half)];
        Pose::new(self.position, rotation).map_err(|error| error.to_string())
    }
}

/// Reads a `.csv` with the columns `x`, `y`, `z` and optionally `heading_degrees` and `name`.
///
/// # Errors
/// [`FileError`], with the position in the file.
pub fn read_stations(path: &Path) -> Result<Vec<Station>, FileError> {
    let mut stations = Vec::new();
    each_row_of(&FileStore::disk(), path, ("stations", COLUMNS, 3), |columns, row| {
        stations.push(station(columns, row)?);
        Ok(())
    })?;
    match stations.is_empty() {
        true => Err(FileError::meaning(path, "", "has no stations after its header row")),
        false => Ok(stations),
    }
}

fn station(columns: [Option<usize>; 5], row: CsvRow<'_>) -> Result<Station, RowFault> {
    let number =
        |which: usize| row.number(columns[which], "from -1e9 to 1e9", |it| it.abs() <= 1e9);
    let heading_degrees = if row.text(columns[3]).is_empty() { 0.0 } else { number(3)? };
    let position = DVec3::new(number(0)?, number(1)?, number(2)?);
    Ok(Station { position, heading_degrees, name: row.text(columns[4]).to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<Station>, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s.csv");
        std::fs::write(&path, text).unwrap();
        read_stations(&path).map_err(|error| error.to_string())
    }

    #[test]
    fn stations_have_places_headings_and_names() {
        let stations = read("name,x,y,z,heading_degrees\nA,1,2,3,90\n,4,5,6,\n").unwrap();
        assert_eq!((&stations[0].name[..], stations[0].position), ("A", DVec3::new(1.0, 2.0, 3.0)));
        assert_eq!((&stations[1].name[..], stations[1].heading_degrees), ("", 0.0));
        // A lidar that faces along y has its left, its y, along -x.
        let turned = |it: DVec3| stations[0].pose().unwrap().rotation.normalize() * it;
        let is_near = |one: DVec3, other: DVec3| (one - other).length() < 1e-12;
        assert!(is_near(turned(DVec3::X), DVec3::Y) && is_near(turned(DVec3::Y), DVec3::NEG_X));
    }

    #[test]
    fn decimal_commas_are_read_between_semicolons() {
        let stations = read("name;x;y;z;heading_degrees\n3,5;1,5;-2,25;3;90,5\n").unwrap();
        let [Station { position, heading_degrees, name }] = &stations[..] else { panic!() };
        assert_eq!((position, *heading_degrees), (&DVec3::new(1.5, -2.25, 3.0), 90.5));
        assert_eq!(name, "3,5");
        let error = read("x;y;z\n0;1.000,5;3\n").unwrap_err();
        assert!(
            error.contains("s.csv:2:3: y is '1.000,5': a number may have one decimal"),
            "{error}"
        );
        assert!(read("x,y,z\n1,5,2,3\n").unwrap_err().contains("4 cells"));
    }

    #[test]
    fn what_is_no_station_is_refused_with_its_place() {
        for (text, reason) in [
            ("x,y\n1,2\n", "no column z"),
            ("x,y,z,heading\n1,2,3,4\n", "did you mean heading_degrees?"),
            ("x,y,z\n1,two,3\n", "s.csv:2:3: y is 'two'"),
            ("x,y,z\n1,2,nan\n", "s.csv:2:5"),
            ("x,y,z\n", "no stations"),
            ("x,y,z,x\n1,2,3,4\n", "second column x"),
        ] {
            let error = read(text).unwrap_err();
            assert!(error.contains(reason), "{error}");
        }
    }
}
