//! The output that a scan is written to.

use super::format_flag::FormatFlag;
use crate::failure::Failure;
use crate::folders::is_named_like_file;
use crate::stages::has_extension;
use raytwin::camera::View;
use raytwin_files::clouds::CloudFormat;
use raytwin_files::messages::MessageWriter;
use raytwin_files::pose_files;
use std::path::{Path, PathBuf};

/// The output that `-o` and the flags for formats choose.
pub(super) enum ScanTarget {
    Cloud(PathBuf),
    Messages(PathBuf),
    Folder { path: PathBuf, formats: Vec<FormatFlag>, z_scale: Option<f64> },
}

impl ScanTarget {
    pub fn new(
        output: &Path,
        formats: &[FormatFlag],
        z_scale: Option<f64>,
    ) -> Result<Self, Failure> {
        let ends_in_slash = output.to_string_lossy().ends_with(std::path::is_separator);
        let is_messages = has_extension(output, &["mcap"]);
        let is_file =
            !ends_in_slash && !output.is_dir() && (is_messages || CloudFormat::of(output).is_ok());
        let shown = output.display();
        match (is_file, formats.is_empty() && z_scale.is_none()) {
            (true, true) if is_messages => Ok(Self::Messages(output.to_owned())),
            (true, true) => Ok(Self::Cloud(output.to_owned())),
            (true, false) => Err(Failure::usage(format!(
                "-o {shown}: --each and --depth-png write a file for each pose: give a folder, or leave them out"
            ))),
            (false, true) => Err(Failure::usage(format!(
                "-o {shown}: give one {} for all poses, or choose the files for each pose with --each or --depth-png",
                CloudFormat::listed(&["mcap"])
            ))),
            (false, false) if is_named_like_file(output) => Err(Failure::usage(format!(
                "-o {shown}: files for each pose go to a folder: end its name with a slash"
            ))),
            (false, false) => {
                let mut formats = formats.to_vec();
                formats.dedup();
                Ok(Self::Folder { path: output.to_owned(), formats, z_scale })
            }
        }
    }

    /// Returns the formats of the clouds that are written.
    pub fn clouds(&self) -> Vec<&'static CloudFormat> {
        match self {
            Self::Cloud(path) => CloudFormat::of(path).into_iter().collect(),
            Self::Messages(_) => Vec::new(),
            Self::Folder { formats, .. } => formats.iter().filter_map(|it| it.cloud()).collect(),
        }
    }

    /// Returns true if each message of a view is a `LaserScan`.
    pub fn has_ranges(&self, view: &View) -> bool {
        matches!(self, Self::Messages(_)) && MessageWriter::has_ranges(view)
    }

    /// Returns true if all points go to one cloud.
    pub fn is_one_cloud(&self) -> bool {
        matches!(self, Self::Cloud(_))
    }

    /// Returns the files for a number of poses.
    pub fn files(&self, poses: usize) -> Vec<PathBuf> {
        match self {
            Self::Cloud(path) | Self::Messages(path) => vec![path.clone()],
            Self::Folder { path, formats, z_scale } => {
                pose_files(path, poses, &extensions(formats, *z_scale))
            }
        }
    }
}

/// The extensions of the files of each pose.
pub(super) fn extensions(formats: &[FormatFlag], z_scale: Option<f64>) -> Vec<&'static str> {
    let picture = z_scale.map(|_| "png");
    formats.iter().map(|format| format.extension()).chain(picture).collect()
}
