//! Point clouds: the hit points of an image, of rays or of a scan, as files of many formats.

mod columns;
mod coordinate_system;
mod formats;
mod intensity_scale;
mod las;
mod parquet_file;
mod point_colors;
mod points;
mod row_formats;
mod scan_partial;
mod spilled;
mod survey;
mod text;

pub(crate) use columns::CloudField;
#[cfg(feature = "mcap")]
pub(crate) use columns::PointNumber;
pub use columns::{CloudLayout, CloudSource};
pub use coordinate_system::CoordinateSystem;
pub use formats::{CLOUD_FORMATS, CloudFormat};
pub use intensity_scale::IntensityScale;
pub use las::MOST_LAS_POSITIONS;
pub use point_colors::ColorBy;
pub use points::{CloudFrame, CloudPoint, MAX_KEPT, scan_angle};
pub use scan_partial::ScanCounts;
pub(crate) use scan_partial::ScanPartial;
pub use survey::Survey;

use super::{FileError, Outputs};
use crate::bytes::memory::readable;
use glam::DVec3;
use spilled::{Spill, SpilledPoints, WholeCloud, bytes_of_point, each_of};
use std::path::{Path, PathBuf};

/// The least number of bytes on disk that are announced beforehand.
const MANY_BYTES: u64 = 1_000_000_000;

/// Returns a message about the disk space that the points of a file need until all are written, for
/// this number of beams and of returns of each; `None` if it is less than a gigabyte.
///
/// # Errors
/// [`FileError::Meaning`] if the extension is not that of a point cloud.
pub fn disk_notice(
    path: &Path,
    layout: &CloudLayout,
    beams: u64,
    most_returns: u8,
) -> Result<Option<String>, FileError> {
    let bytes = beams.saturating_mul(bytes_of_point(&CloudFormat::of(path)?.fields(layout)));
    let most = bytes.saturating_mul(most_returns.into());
    let shown = path.display();
    let [bytes, largest] = [bytes, most].map(readable);
    Ok((most >= MANY_BYTES).then(|| match most_returns {
        ..=1 => format!("{shown}: its points need up to {largest} of disk space in the same folder until the file is written"),
        _ => format!("{shown}: its points need up to {bytes} of disk space in the same folder until the file is written, or {largest} if each beam has {most_returns} returns"),
    }))
}

/// Writes a cloud, any number of points at a time. The points are kept on disk until all are known,
/// because the headers contain their number. The file appears as a whole or not at all.
#[derive(Debug)]
pub struct CloudWriter {
    spill: Spill,
    outputs: Outputs,
    path: PathBuf,
    format: &'static CloudFormat,
    fields: Vec<CloudField>,
    survey: Survey,
    count: u64,
    /// The smallest and the largest coordinates.
    bounds: [DVec3; 2],
    /// True if the colours of points show their heights.
    has_heights: bool,
}

impl CloudWriter {
    /// Prepares to write a cloud.
    ///
    /// # Errors
    /// [`FileError::Meaning`] if the extension is not that of a point cloud, [`FileError::Write`].
    pub fn new(path: &Path, layout: &CloudLayout) -> Result<Self, FileError> {
        let format = CloudFormat::of(path)?;
        layout.check(path)?;
        let mut outputs = Outputs::default();
        Ok(Self {
            spill: Spill::Draft(outputs.draft(path)?),
            outputs,
            path: path.to_owned(),
            format,
            fields: format.fields(layout),
            survey: Survey::default(),
            count: 0,
            bounds: [DVec3::INFINITY, DVec3::NEG_INFINITY],
            has_heights: layout.color_by == Some(ColorBy::Height),
        })
    }

    /// Sets the facts about the whole scan, which LAS files state.
    pub fn with_survey(self, survey: Survey) -> Self {
        Self { survey, ..self }
    }

    /// Keeps the points in a separate file until [`Self::finish`], which removes it. If this writer
    /// is dropped before that, the file stays, and another writer of the same layout that keeps its
    /// points there continues it: see [`Self::kept`]. `made_from` is a line without its line end.
    /// It must change with everything that points depend on, as a
    /// [`Fingerprint`](raytwin::Fingerprint) does. No point may have been added before.
    ///
    /// # Errors
    /// [`FileError`]: the file cannot be written, another writer has it open, it has another
    /// `made_from`, or it is not a part of a scan.
    pub fn keeping_in(self, path: &Path, made_from: &str) -> Result<Self, FileError> {
        let Self { fields, mut count, mut bounds, .. } = self;
        let partial = ScanPartial::open(path, made_from, |bytes| {
            let read = each_of(bytes, &fields, |point| {
                count += 1;
                bounds = including(bounds, point);
                Ok(())
            });
            read.map_err(FileError::read(path))
        })?;
        Ok(Self { spill: Spill::Partial(partial), fields, count, bounds, ..self })
    }

    /// Returns how many parts of the scan earlier writers have kept, which are the first ones, and
    /// the sum of their counts. Each call of [`Self::add_part`] adds a part.
    pub fn kept(&self) -> (usize, ScanCounts) {
        match &self.spill {
            Spill::Draft(_) => (0, ScanCounts::default()),
            Spill::Partial(partial) => partial.kept(),
        }
    }

    /// Returns the least and the largest height of the points so far, if colours show heights.
    pub fn height_range(&self) -> Option<[f64; 2]> {
        (self.has_heights && self.count > 0).then(|| self.bounds.map(|corner| corner.z))
    }

    /// Adds points.
    ///
    /// # Errors
    /// [`FileError::Write`].
    pub fn add(&mut self, points: &[CloudPoint]) -> Result<(), FileError> {
        self.add_part(points, ScanCounts::default())
    }

    /// Adds the points of a part of a scan, whose counts are kept with them.
    ///
    /// # Errors
    /// [`FileError::Write`].
    pub fn add_part(&mut self, points: &[CloudPoint], counts: ScanCounts) -> Result<(), FileError> {
        self.count += points.len() as u64;
        self.bounds = points.iter().fold(self.bounds, including);
        self.spill.add(points, &self.fields, counts)
    }

    /// Writes the file, and returns the number of its points.
    ///
    /// # Errors
    /// [`FileError::Write`].
    pub fn finish(self) -> Result<u64, FileError> {
        let (count, outputs) = self.complete()?;
        outputs.publish()?;
        Ok(count)
    }

    /// Completes the file, and returns the number of its points with the outputs, which may be
    /// published together with others.
    ///
    /// # Errors
    /// [`FileError::Write`].
    pub fn complete(self) -> Result<(u64, Outputs), FileError> {
        let heights = self.height_range();
        let Self { mut spill, mut outputs, path, format, fields, survey, count, bounds, .. } = self;
        let points = SpilledPoints { spill: &mut spill, fields: &fields, count, heights };
        let mut cloud = WholeCloud { points, bounds, survey: &survey, unclassified: 0 };
        outputs.add(&path, |file| (format.writer)(file, &mut cloud))?;
        let WholeCloud { unclassified, .. } = cloud;
        if unclassified > 0 {
            log::warn!(
                "{}: {unclassified} points have labels that are not LAS classes (0 to 255, except 12); their class is 1, and their label is in the extra bytes",
                path.display()
            );
        }
        if let Spill::Partial(partial) = spill {
            outputs.supersede(partial.into_file());
        }
        Ok((count, outputs))
    }
}

/// Returns the bounds that include a point, too.
fn including([min, max]: [DVec3; 2], point: &CloudPoint) -> [DVec3; 2] {
    let position = DVec3::from_array(point.position);
    [min.min(position), max.max(position)]
}

#[cfg(test)]
mod tests;
