//! A folder with one or several files for each pose of a scan.

use super::clouds::{CloudFormat, ScanCounts, ScanPartial};
use super::{FileError, FileStore, Outputs};
use crate::bytes::file_set::FileSet;
use raytwin::camera::Pose;
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

/// The table of the poses that have files in a folder. It is written last.
const POSES: &str = "poses.csv";

/// The extensions that files of poses may have in addition to those of clouds.
const OF_IMAGES: [&str; 2] = ["npz", "png"];

/// The prefix of the names of the files of poses.
const PREFIX: &str = "pose_";

/// Returns the files that a folder gets for this many poses: one of each extension for each pose,
/// and the table.
pub fn pose_files(folder: &Path, poses: usize, extensions: &[&str]) -> Vec<PathBuf> {
    let names = (0..poses).flat_map(|row| extensions.iter().map(move |it| file_name(row, it)));
    names.chain([POSES.to_owned()]).map(|name| folder.join(name)).collect()
}

fn file_name(row: usize, extension: &str) -> String {
    format!("{PREFIX}{row:06}.{extension}")
}

/// A folder of files named after the rows of a trajectory, such as `pose_000007.ply`, with a table
/// of their poses. Each file of an earlier scan stays until its new file is complete. Until the
/// table is complete, a note in the folder states that its files come from two runs.
#[derive(Debug)]
pub struct PoseFolder {
    set: FileSet,
    outputs: Outputs,
    folder: PathBuf,
    rows: Vec<String>,
    /// The names of the poses; empty if they have none.
    names: Vec<String>,
    /// The names of the files of an earlier scan.
    old: Vec<String>,
    wrote: BTreeSet<String>,
    /// The poses that are done, which a later run need not cast again.
    partial: Option<ScanPartial>,
}

impl PoseFolder {
    /// Prepares to write into a folder, which is locked until the scan ends.
    ///
    /// # Errors
    /// [`FileError::Write`] if the folder cannot be written, also if another run writes such files
    /// into it.
    pub fn new(folder: &Path) -> Result<Self, FileError> {
        let mut outputs = Outputs::default();
        drop(outputs.draft(&folder.join(POSES))?);
        let set = FileSet::new(folder)?;
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
        let old = names.filter(|name| is_file_of_pose(Path::new(name))).collect();
        let wrote = BTreeSet::from([POSES.to_owned()]);
        Ok(Self {
            set,
            outputs,
            folder: folder.to_owned(),
            rows: Vec::new(),
            names: Vec::new(),
            old,
            wrote,
            partial: None,
        })
    }

    /// Gives the poses names, which the table lists.
    pub fn set_names(&mut self, names: Vec<String>) {
        self.names = names;
    }

    /// Records the finished poses in a separate file until [`Self::finish`], which removes it. If
    /// this folder is dropped before that, the file stays, and another folder that is kept there
    /// continues it: see [`Self::kept`]. Poses have files with these extensions. `made_from` is a
    /// line that must change with everything that their files depend on.
    ///
    /// # Errors
    /// [`FileError`]: the file cannot be written, another run has it open, it has another
    /// `made_from`, it is not a part of a scan, or a file of a finished pose has changed.
    pub fn keeping_in(
        mut self,
        path: &Path,
        made_from: &str,
        extensions: &[&str],
    ) -> Result<Self, FileError> {
        let mut row = 0;
        self.partial = Some(ScanPartial::open(path, made_from, |kept| {
            let is_whole = self.hashes(row, extensions).is_ok_and(|found| found == kept);
            row += 1;
            match is_whole {
                true => Ok(()),
                false => Err(FileError::meaning(
                    path,
                    "",
                    format!(
                        "lists the files of {} as done, but they have changed since: remove this file to start again",
                        self.file(row - 1, "*").display()
                    ),
                )),
            }
        })?);
        Ok(self)
    }

    /// Returns how many poses earlier runs have finished, which are the first ones, and the sum of
    /// their counts.
    pub fn kept(&self) -> (usize, ScanCounts) {
        self.partial.as_ref().map_or_else(Default::default, ScanPartial::kept)
    }

    /// Records that the files of a row are done, if progress is kept.
    ///
    /// # Errors
    /// [`FileError`].
    pub fn keep(
        &mut self,
        row: usize,
        extensions: &[&str],
        counts: ScanCounts,
    ) -> Result<(), FileError> {
        let Some(mut partial) = self.partial.take() else { return Ok(()) };
        partial.add(counts, &self.hashes(row, extensions)?)?;
        self.partial = Some(partial);
        Ok(())
    }

    /// Computes the hashes (BLAKE3) of the files of a row.
    fn hashes(&self, row: usize, extensions: &[&str]) -> Result<Vec<u8>, FileError> {
        let mut all = Vec::new();
        for extension in extensions {
            let path = self.file(row, extension);
            let (file, _) = FileStore::disk().open(&path)?;
            let mut hasher = blake3::Hasher::new();
            hasher.update_reader(file).map_err(FileError::read(&path))?;
            all.extend_from_slice(hasher.finalize().as_bytes());
        }
        Ok(all)
    }

    /// Returns the path of the file of a row, with this extension.
    pub fn file(&self, row: usize, extension: &str) -> PathBuf {
        self.folder.join(file_name(row, extension))
    }

    /// Adds the row of the pose whose files, with these extensions, appear next.
    ///
    /// # Errors
    /// [`FileError::Write`].
    pub fn add_pose(
        &mut self,
        time: f64,
        pose: &Pose,
        extensions: &[&str],
    ) -> Result<(), FileError> {
        if self.rows.is_empty() {
            self.set.begin(self.old.iter().cloned().chain([POSES.to_owned()]))?;
        }
        let row = self.rows.len();
        self.wrote.extend(extensions.iter().map(|extension| file_name(row, extension)));
        let [x, y, z] = pose.position.to_array();
        let [qx, qy, qz, qw] = pose.rotation.to_array();
        self.rows.push(format!("{time:?},{x:?},{y:?},{z:?},{qx:?},{qy:?},{qz:?},{qw:?}"));
        Ok(())
    }

    /// Writes the table of the poses, and returns its path.
    ///
    /// # Errors
    /// [`FileError::Write`].
    pub fn finish(self) -> Result<PathBuf, FileError> {
        let Self { set, mut outputs, folder, rows, names, old, wrote, partial } = self;
        let path = folder.join(POSES);
        outputs.add(&path, |file| {
            if names.is_empty() {
                writeln!(file, "time,x,y,z,qx,qy,qz,qw")?;
                return rows.iter().try_for_each(|row| writeln!(file, "{row}"));
            }
            writeln!(file, "time,x,y,z,qx,qy,qz,qw,name")?;
            let quoted = |name: &str| format!("\"{}\"", name.replace('"', "\"\""));
            rows.iter().zip(&names).try_for_each(|(row, it)| writeln!(file, "{row},{}", quoted(it)))
        })?;
        outputs.publish()?;
        set.end(&wrote, &old)?;
        partial.map_or(Ok(()), |partial| partial.into_file().remove())?;
        Ok(path)
    }
}

/// Returns true if a path has the name of a pose's file, such as `pose_000007.ply`.
fn is_file_of_pose(path: &Path) -> bool {
    let stem = path.file_stem().and_then(OsStr::to_str).and_then(|stem| stem.strip_prefix(PREFIX));
    let is_number = |digits: &str| digits.len() >= 6 && digits.bytes().all(|b| b.is_ascii_digit());
    let extension = path.extension().and_then(OsStr::to_str);
    let is_known = |e: &str| OF_IMAGES.contains(&e) || CloudFormat::named(e).is_some();
    stem.is_some_and(is_number) && extension.is_some_and(is_known)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_poses_are_reported_by_their_names() {
        for (name, is_one) in [
            ("pose_000000.ply", true),
            ("a/pose_1234567.npz", true),
            ("pose_000000.xyz", true),
            ("pose_00000.ply", false),
            ("pose_000000.txt", false),
            ("000000.png", false),
            ("pose_00000a.png", false),
        ] {
            assert_eq!(is_file_of_pose(Path::new(name)), is_one, "{name}");
        }
    }
}
