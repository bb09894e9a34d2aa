//! The formats of clouds, one per row. The choice of a writer, the files of a scan's poses and the
//! formats that help and messages name follow from this table.

use super::columns::{CloudField, CloudLayout};
use super::row_formats::RowFormat;
use super::spilled::WholeCloud;
use super::{las, parquet_file, text};
use crate::FileError;
use raytwin::camera::Sensor;
use std::fmt;
use std::fs::File;
use std::io::{self, BufWriter};
use std::path::Path;

/// A format of point clouds.
pub struct CloudFormat {
    /// The extension of its files, in lower case and without a dot.
    pub extension: &'static str,
    /// False for a format that has only positions.
    pub has_columns: bool,
    /// True for a format whose points always have intensities, and that names a coordinate system.
    pub is_las: bool,
    /// True for a format that rounds positions to float32.
    pub rounds: bool,
    /// The fields that it has in addition to those of other formats.
    own_fields: &'static [CloudField],
    pub(super) writer: Writer,
}

type Writer = fn(&mut BufWriter<File>, &mut WholeCloud<'_>) -> io::Result<()>;

/// A format with columns in float64, from which others differ.
const USUAL: CloudFormat = CloudFormat {
    extension: "",
    has_columns: true,
    is_las: false,
    rounds: false,
    own_fields: &[],
    writer: |_, _| Ok(()),
};

/// All formats, in the order in which help lists them.
pub static CLOUD_FORMATS: [CloudFormat; 8] = [
    CloudFormat {
        extension: "ply",
        writer: |file, cloud| RowFormat::Ply.write(file, &mut cloud.points),
        ..USUAL
    },
    CloudFormat {
        extension: "pcd",
        rounds: true,
        writer: |file, cloud| RowFormat::Pcd.write(file, &mut cloud.points),
        ..USUAL
    },
    CloudFormat {
        extension: "las",
        is_las: true,
        own_fields: &las::OWN_FIELDS,
        writer: |file, cloud| las::write(file, false, cloud),
        ..USUAL
    },
    CloudFormat {
        extension: "laz",
        is_las: true,
        own_fields: &las::OWN_FIELDS,
        writer: |file, cloud| las::write(file, true, cloud),
        ..USUAL
    },
    CloudFormat {
        extension: "npy",
        writer: |file, cloud| RowFormat::Npy.write(file, &mut cloud.points),
        ..USUAL
    },
    CloudFormat {
        extension: "parquet",
        writer: |file, cloud| parquet_file::write(file, &mut cloud.points),
        ..USUAL
    },
    CloudFormat {
        extension: "csv",
        writer: |file, cloud| text::write_csv(file, &mut cloud.points),
        ..USUAL
    },
    CloudFormat {
        extension: "xyz",
        has_columns: false,
        writer: |file, cloud| text::write_xyz(file, &mut cloud.points),
        ..USUAL
    },
];

impl CloudFormat {
    /// Finds the format of a file, by its extension.
    ///
    /// # Errors
    /// [`FileError::Meaning`] if the extension is not that of a point cloud.
    pub fn of(path: &Path) -> Result<&'static Self, FileError> {
        let extension = path.extension().map(|e| e.to_string_lossy().to_lowercase());
        let known = extension.as_deref().and_then(Self::named);
        known.ok_or_else(|| {
            let reason = format!(
                "is not a point cloud format that raytwin writes: give a {}",
                Self::listed(&[])
            );
            FileError::meaning(path, "", reason)
        })
    }

    /// Returns the format whose files have this extension.
    pub fn named(extension: &str) -> Option<&'static Self> {
        CLOUD_FORMATS.iter().find(|format| format.extension == extension)
    }

    /// Returns true if points are returns of beams instead of hits of rays: if the sensor makes
    /// returns, or if a file has one of the formats that always have intensities.
    pub fn have_returns<'a>(mut formats: impl Iterator<Item = &'a Self>, sensor: &Sensor) -> bool {
        sensor.makes_returns() || formats.any(|format| format.is_las)
    }

    /// Returns the extensions of all formats and of these others, such as `.ply, .las or .csv`.
    pub fn listed(others: &[&str]) -> String {
        let own = CLOUD_FORMATS.iter().map(|format| format.extension);
        let all: Vec<&str> = own.chain(others.iter().copied()).collect();
        match all.split_last() {
            Some((last, before)) => format!(".{} or .{last}", before.join(", .")),
            None => String::new(),
        }
    }

    /// The fields of each point until the file is written.
    pub(super) fn fields(&self, layout: &CloudLayout) -> Vec<CloudField> {
        match self.has_columns {
            true => [&layout.fields(), self.own_fields].concat(),
            false => Vec::new(),
        }
    }
}

impl fmt::Debug for CloudFormat {
    /// Prints the extension, because the address of a writer differs from run to run.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.extension)
    }
}

impl PartialEq for CloudFormat {
    fn eq(&self, other: &Self) -> bool {
        self.extension == other.extension
    }
}
