//! Files of trajectories: the poses of a sensor over time, or the values of a robot's joints.

use super::{CsvRow, FileError, FileStore, RowFault, each_csv_row, nearest};
use crate::bytes::npz::read_npy;
use glam::DVec3;
use raytwin::camera::{CameraError, Pose};
use raytwin::scan::TrajectoryError;
use std::collections::HashSet;
use std::path::Path;

/// The columns of a pose with its time, in the order of files without names, which is that of the
/// TUM benchmark.
pub(crate) const COLUMNS: [&str; 8] = ["time", "x", "y", "z", "qx", "qy", "qz", "qw"];

/// The rows of a trajectory's file, whose times increase.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TrajectoryRows {
    /// The time of each row.
    pub times: Vec<f64>,
    /// The pose of each row; `None` if the file has no poses.
    pub poses: Option<Vec<Pose>>,
    /// The names of the other columns, which are joints.
    pub joints: Vec<String>,
    /// The value of each joint in each row.
    pub joint_values: Vec<Vec<f64>>,
    /// The frame that has these poses, if the file names it, as a bag does.
    pub frame: Option<String>,
}

/// Reads a trajectory: a `.csv` with a column `time` and the columns `x y z qx qy qz qw` of poses,
/// or columns named after joints, or both, in any order; an `.npy` of shape (N, 8) with the columns
/// of poses in this order; or a `.txt` or `.tum` with eight numbers per line, separated by spaces,
/// in which lines that begin with `#` are comments.
///
/// # Errors
/// [`FileError`], with the position in the file.
pub fn read_trajectory(path: &Path) -> Result<TrajectoryRows, FileError> {
    let extension = path.extension().map(|extension| extension.to_string_lossy().to_lowercase());
    let rows = match extension.as_deref() {
        Some("csv") => read_csv(path)?,
        Some("npy") => read_array(path)?,
        Some("txt" | "tum") => read_lines(path)?,
        _ => {
            let reason =
                "is not a trajectory that raytwin reads: give a .csv, .npy, .txt or .tum file";
            return Err(FileError::meaning(path, "", reason));
        }
    };
    match rows.times.is_empty() {
        true => Err(FileError::meaning(path, "", TrajectoryError::Empty)),
        false => Ok(rows),
    }
}

impl TrajectoryRows {
    /// Adds a time, which must follow the last one.
    fn add_time(&mut self, time: f64) -> Result<(), String> {
        let last = self.times.last().copied().unwrap_or(f64::NEG_INFINITY);
        if !(time.is_finite() && time > last) {
            return Err(match self.times.is_empty() || !time.is_finite() {
                true => format!("is {time}: it must be finite"),
                false => {
                    format!("is {time}, but the previous row has {last}: times must increase")
                }
            });
        }
        self.times.push(time);
        Ok(())
    }

    /// Adds the time and the pose of a row of eight numbers. An error has the index of the number
    /// at fault.
    pub(crate) fn add_row(&mut self, row: [f64; 8]) -> Result<(), (usize, String)> {
        self.add_time(row[0]).map_err(|reason| (0, reason))?;
        let pose = pose([row[1], row[2], row[3], row[4], row[5], row[6], row[7]])?;
        self.poses.get_or_insert_default().push(pose);
        Ok(())
    }
}

/// Makes a pose. An error has the index among [`COLUMNS`] of the number at fault.
pub(crate) fn pose(numbers: [f64; 7]) -> Result<Pose, (usize, String)> {
    let [x, y, z, rotation_xyzw @ ..] = numbers;
    Pose::new(DVec3::new(x, y, z), rotation_xyzw).map_err(|error| {
        let wild = numbers.iter().position(|number| !number.is_finite());
        let reason = match (&error, wild) {
            (_, Some(index)) => {
                return (1 + index, format!("is {}: it must be finite", numbers[index]));
            }
            (CameraError::Field { value, rule, .. }, None) => format!("is part of {value}: {rule}"),
            (error, None) => error.to_string(),
        };
        let far = [x, y, z].iter().position(|number| number.abs() > 1e9);
        (far.map_or(4, |index| 1 + index), reason)
    })
}

fn read_csv(path: &Path) -> Result<TrajectoryRows, FileError> {
    let mut columns: Option<NamedColumns> = None;
    let mut rows = TrajectoryRows::default();
    each_csv_row(&FileStore::disk(), path, |row| match &columns {
        None => {
            let named = NamedColumns::find(row)?;
            rows.joints.clone_from(&named.joint_names);
            columns = Some(named);
            Ok(())
        }
        Some(columns) => columns.add(row, &mut rows),
    })?;
    Ok(rows)
}

/// The meaning of the columns of a table, each by its index.
struct NamedColumns {
    time: usize,
    /// The columns of a pose, in the order of [`COLUMNS`].
    pose: Option<[usize; 7]>,
    joints: Vec<usize>,
    joint_names: Vec<String>,
}

impl NamedColumns {
    fn find(row: CsvRow<'_>) -> Result<Self, RowFault> {
        let names: Vec<&str> = row.cells().map(|cell| cell.text).collect();
        let fault = |column, reason: String| RowFault { column, reason };
        let mut seen = HashSet::new();
        for (index, name) in names.iter().enumerate() {
            if name.is_empty() || !seen.insert(name) {
                let reason = match name.is_empty() {
                    true => "this column has no name".to_owned(),
                    false => format!("is a second column {name}: remove one of the two"),
                };
                return Err(fault(Some(index), reason));
            }
        }
        let at = |wanted: &str| names.iter().position(|name| *name == wanted);
        let time = at(COLUMNS[0]).ok_or_else(|| {
            let hint = nearest(COLUMNS[0], &names).map(|name| format!(" (did you mean {name}?)"));
            let reason = format!(
                "has no column time{}: the first line must name time, and x y z qx qy qz qw or joints",
                hint.unwrap_or_default()
            );
            fault(None, reason)
        })?;
        let found: Vec<usize> = COLUMNS[1..].iter().filter_map(|name| at(name)).collect();
        let pose = <[usize; 7]>::try_from(found.clone()).ok();
        if pose.is_none() && !found.is_empty() {
            let missing: Vec<&str> =
                COLUMNS[1..].iter().copied().filter(|name| at(name).is_none()).collect();
            let reason = format!("a pose also needs the columns {}", missing.join(" "));
            return Err(fault(None, reason));
        }
        let joints: Vec<usize> =
            (0..names.len()).filter(|index| *index != time && !found.contains(index)).collect();
        if pose.is_none() && joints.is_empty() {
            let reason =
                "has only the column time: add x y z qx qy qz qw, or columns named after joints";
            return Err(fault(None, reason.to_owned()));
        }
        let joint_names = joints.iter().map(|&column| names[column].to_owned()).collect();
        Ok(Self { time, pose, joints, joint_names })
    }

    fn add(&self, row: CsvRow<'_>, rows: &mut TrajectoryRows) -> Result<(), RowFault> {
        let number = |column: usize| row.number(column, "", |_| true);
        let time = number(self.time)?;
        rows.add_time(time).map_err(|reason| RowFault { column: Some(self.time), reason })?;
        if let Some(columns) = self.pose {
            let mut numbers = [0.0; 7];
            for (place, column) in numbers.iter_mut().zip(columns) {
                *place = number(column)?;
            }
            let pose = pose(numbers)
                .map_err(|(index, reason)| RowFault { column: Some(columns[index - 1]), reason })?;
            rows.poses.get_or_insert_default().push(pose);
        }
        let mut values = Vec::with_capacity(self.joints.len());
        for &column in &self.joints {
            let value = number(column)?;
            if !value.is_finite() {
                let reason = format!("is {value}: it must be finite");
                return Err(RowFault { column: Some(column), reason });
            }
            values.push(value);
        }
        rows.joint_values.push(values);
        Ok(())
    }
}

/// The start of a text, for a message.
fn shortened(text: &str) -> String {
    text.chars().take(40).collect()
}

fn read_array(path: &Path) -> Result<TrajectoryRows, FileError> {
    let array = read_npy(&FileStore::disk(), path)?;
    if array.shape.len() != 2 || array.shape[1] != COLUMNS.len() {
        let reason = format!(
            "has shape {:?}: poses must have shape (N, 8): {}",
            array.shape,
            COLUMNS.join(" ")
        );
        return Err(FileError::meaning(path, "", reason));
    }
    if array.dtype != "float64" && array.dtype != "float32" {
        let reason = format!("has type {}: the numbers must be float64 or float32", array.dtype);
        return Err(FileError::meaning(path, "", reason));
    }
    let mut rows = TrajectoryRows::default();
    for (index, row) in array.numbers.as_chunks().0.iter().enumerate() {
        rows.add_row(*row).map_err(|(column, reason)| {
            FileError::meaning(
                path,
                format!("[{index}, {column}]"),
                format!("{} {reason}", COLUMNS[column]),
            )
        })?;
    }
    Ok(rows)
}

/// Reads lines of eight numbers.
fn read_lines(path: &Path) -> Result<TrajectoryRows, FileError> {
    let text = FileStore::disk().read_text(path)?;
    let mut rows = TrajectoryRows::default();
    for (index, line) in text.lines().enumerate() {
        let words: Vec<&str> = line.split_whitespace().collect();
        if words.first().is_none_or(|word| word.starts_with('#')) {
            continue;
        }
        let refuse = |word: Option<&&str>, reason: String| {
            // A word is a part of the line, so its place is the difference of their addresses.
            let start = word.map_or(0, |word| word.as_ptr() as usize - line.as_ptr() as usize);
            FileError::Syntax {
                path: path.to_owned(),
                line: index + 1,
                column: line[..start].chars().count() + 1,
                reason,
            }
        };
        let mut row = [0.0; 8];
        if words.len() != row.len() {
            let reason =
                format!("this line has {} words: a pose has {}", words.len(), COLUMNS.join(" "));
            return Err(refuse(None, reason));
        }
        for ((number, word), name) in row.iter_mut().zip(&words).zip(COLUMNS) {
            *number = word.parse().map_err(|_| {
                refuse(
                    Some(word),
                    format!("{name} is '{}', which is not a number", shortened(word)),
                )
            })?;
        }
        rows.add_row(row).map_err(|(column, reason)| {
            refuse(Some(&words[column]), format!("{} {reason}", COLUMNS[column]))
        })?;
    }
    Ok(rows)
}
