//! A folder with a file, or several, for each pose of a scan.

use super::{FileError, Outputs};
use crate::camera::Pose;
use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

/// The table of the poses of which a folder has files. It is written last, so a folder that has it is whole.
const POSES: &str = "poses.csv";

/// The start of the names of the files of poses.
const PREFIX: &str = "pose_";

/// A folder of files named after the rows of a trajectory, such as `pose_000007.ply`, with a table of their poses. A file
/// appears whole; the files of an earlier scan are removed before the first one appears.
#[derive(Debug)]
pub struct PoseFolder {
    folder: PathBuf,
    /// The rows of the table.
    rows: Vec<String>,
    is_emptied: bool,
}

impl PoseFolder {
    /// Prepares to write into a folder.
    ///
    /// # Errors
    /// [`FileError::Write`] if the folder cannot be written.
    pub fn new(folder: &Path) -> Result<Self, FileError> {
        super::probe_output(&folder.join(POSES))?;
        Ok(Self { folder: folder.to_owned(), rows: Vec::new(), is_emptied: false })
    }

    /// Returns the path of the file of a row, with this extension.
    pub fn file(&self, row: usize, extension: &str) -> PathBuf {
        self.folder.join(format!("{PREFIX}{row:06}.{extension}"))
    }

    /// Adds the row of the pose whose files appear next.
    ///
    /// # Errors
    /// [`FileError::Write`] if the files of an earlier scan cannot be removed.
    pub fn add_pose(&mut self, time: f64, pose: &Pose) -> Result<(), FileError> {
        if !self.is_emptied {
            self.remove_old()?;
            self.is_emptied = true;
        }
        let [x, y, z] = pose.position.to_array();
        let [qx, qy, qz, qw] = pose.rotation.to_array();
        self.rows.push(format!("{time:?},{x:?},{y:?},{z:?},{qx:?},{qy:?},{qz:?},{qw:?}"));
        Ok(())
    }

    /// Removes the files of an earlier scan, the table first.
    fn remove_old(&self) -> Result<(), FileError> {
        let remove = |path: &Path| match fs::remove_file(path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                Err(FileError::write(path)(error))
            }
            _ => Ok(()),
        };
        remove(&self.folder.join(POSES))?;
        for entry in fs::read_dir(&self.folder).into_iter().flatten().flatten() {
            if is_file_of_pose(&entry.path()) && entry.file_type().is_ok_and(|kind| kind.is_file())
            {
                remove(&entry.path())?;
            }
        }
        Ok(())
    }

    /// Writes the table of the poses, and returns its path.
    ///
    /// # Errors
    /// [`FileError::Write`].
    pub fn finish(self) -> Result<PathBuf, FileError> {
        let path = self.folder.join(POSES);
        let mut outputs = Outputs::default();
        outputs.add(&path, |file| {
            writeln!(file, "time,x,y,z,qx,qy,qz,qw")?;
            self.rows.iter().try_for_each(|row| writeln!(file, "{row}"))
        })?;
        outputs.publish()?;
        Ok(path)
    }
}

/// Tells whether a path is named like the file of a pose, such as `pose_000007.ply`.
fn is_file_of_pose(path: &Path) -> bool {
    let stem = path.file_stem().and_then(OsStr::to_str).and_then(|stem| stem.strip_prefix(PREFIX));
    let is_number = |digits: &str| digits.len() >= 6 && digits.bytes().all(|b| b.is_ascii_digit());
    let extension = path.extension().and_then(OsStr::to_str);
    stem.is_some_and(is_number)
        && extension.is_some_and(|e| ["ply", "pcd", "las", "npy", "npz", "png"].contains(&e))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_files_of_poses_are_replaced() {
        for (name, is_one) in [
            ("pose_000000.ply", true),
            ("a/pose_1234567.npz", true),
            ("pose_00000.ply", false),
            ("pose_000000.txt", false),
            ("000000.png", false),
            ("pose_00000a.png", false),
        ] {
            assert_eq!(is_file_of_pose(Path::new(name)), is_one, "{name}");
        }
    }
}
