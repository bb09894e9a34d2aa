//! Files of points and of the answers to points. Files of any length are read and written piece by
//! piece.

pub use super::answer_arrays::point_answer_files;

use super::answer_arrays::{POINT_ANSWER_ARRAYS, answer_files};
use super::npz::{ArrayLayout, ArraysToWrite, Number, RowsToRead, arrays_to_read};
use crate::{FileError, FileStore, Outputs};
use glam::{DVec3, Vec3};
use raytwin::query::PointAnswer;
use std::borrow::Cow;
use std::path::{Path, PathBuf};

/// A point file that was opened: an `.npy` of shape (N, 3), or with more axes in front, and of type
/// float32 or float64, or an `.npz` with such an array named `points`. Points that no query accepts
/// are read as they are.
#[derive(Debug)]
pub struct PointReader {
    path: PathBuf,
    points: RowsToRead,
    origin: DVec3,
}

impl PointReader {
    /// Opens a file and reads how many points it has.
    ///
    /// # Errors
    /// [`FileError`]: the file is unreadable, the array is of another shape or type, or it is
    /// shorter than its header promises.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, FileError> {
        let path = path.as_ref().to_owned();
        let rule = "a point archive holds one array, points, of shape (N, 3)";
        let [points] = arrays_to_read(&FileStore::disk(), &path, ["points"], rule)?;
        let points = points.ok_or_else(|| {
            FileError::meaning(&path, "", "holds no array named points, of shape (N, 3)")
        })?;
        let rule = "points are (N, 3), x, y and z, or have more axes in front";
        let points = RowsToRead::new(points, &[3], rule, &path)?;
        Ok(Self { path, points, origin: DVec3::ZERO })
    }

    /// Subtracts an origin in float64 from each point before it is rounded to float32.
    pub fn relative_to(self, origin: DVec3) -> Self {
        Self { origin, ..self }
    }

    /// The count of points.
    pub fn len(&self) -> usize {
        self.points.len()
    }

    /// Returns whether the file holds no point.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The extents of the array's axes without the last one. The arrays of answers have the same.
    pub fn shape(&self) -> &[usize] {
        self.points.leading_shape()
    }

    /// Reads all points in their order and gives them to `take`, at most `size` at a time, until
    /// all are read or `take` fails.
    ///
    /// # Errors
    /// [`FileError`], if the file is unreadable or truncated, and the errors of `take`.
    pub fn batches<E: From<FileError>>(
        mut self,
        size: usize,
        mut take: impl FnMut(Vec<[f32; 3]>) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut left = self.len();
        let mut rows = self.points.rows(&self.path, self.origin.to_array())?;
        while left > 0 {
            let count = left.min(size.max(1));
            take(bytemuck::cast_slice(&rows.next(count)?).to_vec())?;
            left -= count;
        }
        Ok(rows.finish()?)
    }
}

/// A writer of answer files, batch by batch: `contains`, `containing_ids`, `closest_points`,
/// `signed_distance`, `geometry_ids` and `primitive_ids`. They appear once all answers are written,
/// or not at all.
///
/// If the scene has an origin, it is added to `closest_points` in float64, and the array is of that
/// type.
#[derive(Debug)]
pub struct PointAnswerWriter {
    arrays: ArraysToWrite,
    origin: DVec3,
}

impl PointAnswerWriter {
    /// Begins an `.npz`. Its arrays lie beside it until it is finished, so for a while it takes
    /// twice its size on disk.
    ///
    /// # Errors
    /// [`FileError::Write`].
    pub fn archive(path: impl AsRef<Path>, origin: DVec3) -> Result<Self, FileError> {
        let arrays = ArraysToWrite::archive(path.as_ref(), &layouts(origin))?;
        Ok(Self { arrays, origin })
    }

    /// Begins a folder with an `.npy` for each array.
    ///
    /// # Errors
    /// [`FileError::Write`].
    pub fn folder(path: impl AsRef<Path>, origin: DVec3) -> Result<Self, FileError> {
        let arrays = ArraysToWrite::folder(path.as_ref(), &layouts(origin), answer_files())?;
        Ok(Self { arrays, origin })
    }

    /// Gives the arrays these extents in front, as [`PointReader::shape`] tells them, in place of
    /// the count of points.
    ///
    /// # Errors
    /// [`FileError::Write`].
    pub fn shaped(self, shape: &[usize]) -> Result<Self, FileError> {
        Ok(Self { arrays: self.arrays.shaped(shape)?, ..self })
    }

    /// Adds the answers to the next points.
    ///
    /// # Errors
    /// [`FileError::Write`].
    pub fn write(&mut self, answers: &[PointAnswer]) -> Result<(), FileError> {
        let origin = self.origin;
        let in_world = |point: [f32; 3]| (Vec3::from(point).as_dvec3() + origin).to_array();
        let closest_points = match origin == DVec3::ZERO {
            true => bytes(answers, |answer| answer.closest_point),
            false => bytes(answers, |answer| in_world(answer.closest_point)),
        };
        self.arrays.add([
            bytes(answers, |answer| answer.contains),
            bytes(answers, |answer| answer.containing_id),
            closest_points,
            bytes(answers, |answer| answer.signed_distance),
            bytes(answers, |answer| answer.geometry_id),
            bytes(answers, |answer| answer.primitive_id),
        ])
    }

    /// Renames the drafts to their targets and returns the files.
    ///
    /// # Errors
    /// [`FileError::Write`].
    pub fn finish(self) -> Result<Vec<PathBuf>, FileError> {
        let (files, outputs) = self.complete()?;
        outputs.publish()?;
        Ok(files)
    }

    /// Completes the files, and returns them with the outputs, which may be published with others.
    ///
    /// # Errors
    /// [`FileError::Write`].
    pub fn complete(self) -> Result<(Vec<PathBuf>, Outputs), FileError> {
        self.arrays.complete(None)
    }
}

/// The arrays of answers, of which the points are float64 where an origin is added to them.
fn layouts(origin: DVec3) -> Vec<ArrayLayout> {
    let wide = |array: ArrayLayout| match array.columns {
        Some(_) if origin != DVec3::ZERO => ArrayLayout { descr: f64::DESCR, ..array },
        _ => array,
    };
    POINT_ANSWER_ARRAYS.map(wide).to_vec()
}

/// The bytes of one number, or three, of each answer.
fn bytes<T: bytemuck::NoUninit>(
    answers: &[PointAnswer],
    number: impl Fn(&PointAnswer) -> T,
) -> Cow<'static, [u8]> {
    let numbers: Vec<T> = answers.iter().map(number).collect();
    bytemuck::pod_collect_to_vec::<T, u8>(&numbers).into()
}
