//! Files of legs: straight lines along which a sensor moves.

use super::{CsvRow, FileError, FileStore, RowFault, each_row_of};
use glam::DVec3;
use raytwin::scan::Leg;
use std::collections::HashSet;
use std::path::Path;

/// The columns. The first two are required, and one of the next two.
const COLUMNS: [&str; 7] = ["x", "y", "z", "altitude", "speed", "strip", "down_degrees"];

/// The legs of a file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Legs {
    /// The legs in their order.
    pub legs: Vec<Leg>,
    /// True if the heights of their ends are altitudes above the ground.
    pub are_above_ground: bool,
}

/// A row: a position, and the motion of the sensor from there.
struct Waypoint {
    position: DVec3,
    is_above_ground: bool,
    /// `None` if the sensor does not move on.
    speed: Option<f64>,
    strip: String,
    down_degrees: f64,
}

/// Reads a `.csv` of waypoints with the columns `x`, `y`, `speed`, either `z` or `altitude` (the
/// height above the ground), and optionally `strip` and `down_degrees`. A leg goes from each row to
/// the next one of the same strip, with the speed of the first row.
///
/// # Errors
/// [`FileError`], with the position in the file.
pub fn read_legs(path: &Path) -> Result<Legs, FileError> {
    let mut read = Legs::default();
    let mut last: Option<Waypoint> = None;
    let mut strips = HashSet::new();
    // The strip of a waypoint that no leg starts or ends at.
    let mut lonely = None;
    let mut first_lonely = None;
    each_row_of(&FileStore::disk(), path, ("waypoints", COLUMNS, 2), |columns, row| {
        let next = waypoint(columns, row)?;
        read.are_above_ground = next.is_above_ground;
        match last.as_ref().filter(|last| last.strip == next.strip) {
            Some(last) => {
                read.legs.push(leg(last, &next)?);
                lonely = None;
            }
            None => {
                if !strips.insert(next.strip.clone()) {
                    return Err(RowFault {
                        column: columns[5],
                        reason: format!(
                            "is '{}', which rows before another strip already have: put all rows of a strip one after another",
                            next.strip
                        ),
                    });
                }
                let before = lonely.replace(next.strip.clone());
                first_lonely = first_lonely.take().or(before);
            }
        }
        last = Some(next);
        Ok(())
    })?;
    let refuse = |reason| Err(FileError::meaning(path, "", reason));
    match (first_lonely.or(lonely), read.legs.is_empty()) {
        (Some(strip), _) if !strip.is_empty() => {
            refuse(format!("strip {strip} has one waypoint: a strip needs at least two"))
        }
        (Some(_), _) => refuse("there is one waypoint: at least two are needed".to_owned()),
        (None, true) => refuse("has no waypoints after its header row".to_owned()),
        (None, false) => Ok(read),
    }
}

fn waypoint(columns: [Option<usize>; 7], row: CsvRow<'_>) -> Result<Waypoint, RowFault> {
    let text = |which: usize| row.text(columns[which]);
    let any = |which: usize| row.number(columns[which], "from -1e9 to 1e9", |it| it.abs() <= 1e9);
    let positive = |which: usize| {
        row.number(columns[which], "above 0, and up to 1e9", |it| it > 0.0 && it <= 1e9)
    };
    let missing = |reason: &str| Err(RowFault { column: None, reason: reason.to_owned() });
    let height = match (columns[2], columns[3]) {
        (Some(_), None) => any(2)?,
        (None, Some(_)) => positive(3)?,
        (None, None) => {
            return missing(
                "has neither z nor altitude (the height above the ground): add one of these columns",
            );
        }
        (Some(_), Some(_)) => {
            return missing(
                "has both z and altitude (the height above the ground): remove one of these columns",
            );
        }
    };
    if columns[4].is_none() {
        return missing("has no speed: add the column, in units of length per second");
    }
    Ok(Waypoint {
        position: DVec3::new(any(0)?, any(1)?, height),
        is_above_ground: columns[3].is_some(),
        speed: if text(4).is_empty() { None } else { Some(positive(4)?) },
        strip: text(5).to_owned(),
        down_degrees: if text(6).is_empty() { 0.0 } else { any(6)? },
    })
}

fn leg(from: &Waypoint, to: &Waypoint) -> Result<Leg, RowFault> {
    let refuse = |reason: &str| RowFault { column: None, reason: reason.to_owned() };
    let ends = [from.position, to.position];
    if ends[0].truncate() == ends[1].truncate() {
        return Err(refuse(
            "has the same x and y as the previous row: consecutive waypoints must differ",
        ));
    }
    let without =
        || refuse("follows a row without a speed: only the last row of a strip may lack it");
    Ok(Leg { ends, speed: from.speed.ok_or_else(without)?, down_degrees: from.down_degrees })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Legs, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("l.csv");
        std::fs::write(&path, text).unwrap();
        read_legs(&path).map_err(|error| error.to_string())
    }

    #[test]
    fn legs_lead_from_each_waypoint_of_a_strip_to_the_next() {
        let table =
            "strip;x;y;altitude;speed\na;0;0;40;6\na;9;0;40;5\na;9;9;50;\nb;0;5;40;6\nb;0;0;40;6\n";
        let Legs { legs, are_above_ground } = read(table).unwrap();
        assert!(are_above_ground);
        let found: Vec<([f64; 3], [f64; 3], f64)> = legs
            .iter()
            .map(|leg| (leg.ends[0].to_array(), leg.ends[1].to_array(), leg.speed))
            .collect();
        let expected = [
            ([0.0, 0.0, 40.0], [9.0, 0.0, 40.0], 6.0),
            ([9.0, 0.0, 40.0], [9.0, 9.0, 50.0], 5.0),
            ([0.0, 5.0, 40.0], [0.0, 0.0, 40.0], 6.0),
        ];
        assert_eq!(found, expected);
        let level = read("x,y,z,speed,down_degrees\n0,0,-4,6,90\n9,0,4,6,\n").unwrap();
        assert!(!level.are_above_ground && level.legs[0].down_degrees == 90.0);
    }

    #[test]
    fn what_is_no_leg_is_refused_with_its_place() {
        for (text, reason) in [
            ("x,y,z\n0,0,1\n", "has no speed: add the column"),
            ("x,speed,z\n0,0,1\n", "no column y"),
            ("x,y,speed\n0,0,1\n", "neither z nor altitude"),
            ("x,y,z,altitude,speed\n0,0,1,1,1\n", "both z and altitude"),
            ("x,y,z,velocity\n0,0,1,4\n", "is called 'velocity'"),
            ("x,y,z,speed\n0,0,1,0\n", "l.csv:2:7: speed is '0'"),
            ("x,y,z,speed\n0,0,1,-3\n", "speed is '-3': it must be a number above 0"),
            ("x,y,z,speed\n0,0,1,NaN\n", "speed is 'NaN'"),
            ("x,y,altitude,speed\n0,0,0,1\n", "altitude is '0'"),
            ("x,y,z,speed\n0,0,1,\n9,0,1,2\n", "l.csv:3:1: this row follows a row without a speed"),
            ("x,y,z,speed\n0,0,1,2\n0,0,5,2\n", "l.csv:3:1: this row has the same x and y"),
            ("x,y,z,speed\n0,0,1,2\n", "there is one waypoint"),
            ("strip,x,y,z,speed\na,0,0,1,2\nb,0,0,1,2\nb,1,0,1,2\n", "strip a has one waypoint"),
            ("strip,x,y,z,speed\nb,0,0,1,2\nb,1,0,1,2\na,0,0,1,2\n", "strip a has one waypoint"),
            ("strip,x,y,z,speed\nb,0,0,1,2\na,1,0,1,2\nb,0,9,1,2\n", "l.csv:4:1: strip is 'b'"),
            ("x,y,z,speed\n", "no waypoints"),
        ] {
            let error = read(text).unwrap_err();
            assert!(error.contains(reason), "{error}");
        }
    }
}
