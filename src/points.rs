//! Point files and the files of what is around points, of any length: both are read and written piece by piece.

use crate::files::FileError;
use crate::npz::{ArrayLayout, ArrayToRead, ArraysToWrite, Number, arrays_to_read};
use crate::query::PointAnswer;
use std::borrow::Cow;
use std::path::{Path, PathBuf};

/// A point file that was opened: an `.npy` of shape (N, 3) and type float32, or an `.npz` with such an array named
/// `points`. Points that cannot be asked about are read as they are.
#[derive(Debug)]
pub struct PointReader {
    path: PathBuf,
    points: ArrayToRead,
}

impl PointReader {
    /// Opens a file and reads how many points it has.
    ///
    /// # Errors
    /// [`FileError`]: unreadable, of another shape, type or order, shorter than it says.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, FileError> {
        let path = path.as_ref().to_owned();
        let rule = "a point archive holds one array, points, of shape (N, 3)";
        let [points] = arrays_to_read(&path, ["points"], rule)?;
        let points = points.ok_or_else(|| {
            FileError::meaning(&path, "", "holds no array named points, of shape (N, 3)")
        })?;
        let header = &points.header;
        let refuse = |reason: String| Err(FileError::meaning(&path, &points.name, reason));
        if !matches!(header.shape[..], [_, 3]) {
            return refuse(format!("has shape {:?}: points are (N, 3), x, y and z", header.shape));
        }
        if header.dtype != f32::DTYPE {
            return refuse(format!(
                "is of type {}: points are float32; convert them with a.astype(numpy.float32)",
                header.dtype
            ));
        }
        Ok(Self { path, points })
    }

    /// How many points there are.
    pub fn len(&self) -> usize {
        self.points.header.shape[0]
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Reads all points in their order and hands them over, at most `size` at a time, until there are no more or
    /// `take` fails.
    ///
    /// # Errors
    /// [`FileError`]: unreadable, truncated; and what `take` returns.
    pub fn batches<E: From<FileError>>(
        mut self,
        size: usize,
        mut take: impl FnMut(Vec<[f32; 3]>) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut left = self.len();
        let mut numbers = self.points.numbers(&self.path)?;
        while left > 0 {
            let count = left.min(size.max(1));
            take(bytemuck::cast_slice(&numbers.next::<f32>(3 * count)?).to_vec())?;
            left -= count;
        }
        Ok(numbers.finish()?)
    }
}

/// The arrays of answers.
pub(crate) const LAYOUTS: [ArrayLayout; 6] = [
    ArrayLayout::new("contains", u32::DESCR),
    ArrayLayout::new("containing_ids", u32::DESCR),
    ArrayLayout { columns: Some(3), ..ArrayLayout::new("closest_points", f32::DESCR) },
    ArrayLayout::new("signed_distance", f32::DESCR),
    ArrayLayout::new("geometry_ids", u32::DESCR),
    ArrayLayout::new("primitive_ids", u32::DESCR),
];

/// Answer files that are written batch by batch: `contains`, `containing_ids`, `closest_points`, `signed_distance`,
/// `geometry_ids` and `primitive_ids`. They appear once all is written, or not at all.
#[derive(Debug)]
pub struct SurroundingsWriter(ArraysToWrite);

impl SurroundingsWriter {
    /// An `.npz`. Its arrays lie beside it until it is finished, so it needs twice its place for a while.
    ///
    /// # Errors
    /// [`FileError::Write`].
    pub fn archive(path: impl AsRef<Path>) -> Result<Self, FileError> {
        Self::new(path.as_ref(), true)
    }

    /// A folder with an `.npy` for each array.
    ///
    /// # Errors
    /// [`FileError::Write`].
    pub fn folder(path: impl AsRef<Path>) -> Result<Self, FileError> {
        Self::new(path.as_ref(), false)
    }

    fn new(path: &Path, is_archive: bool) -> Result<Self, FileError> {
        ArraysToWrite::new(path, &LAYOUTS, is_archive).map(Self)
    }

    /// Adds the answers to the next points.
    ///
    /// # Errors
    /// [`FileError::Write`].
    pub fn write(&mut self, answers: &[PointAnswer]) -> Result<(), FileError> {
        self.0.add([
            bytes(answers, |own| own.contains),
            bytes(answers, |own| own.containing_id),
            bytes(answers, |own| own.closest_point),
            bytes(answers, |own| own.signed_distance),
            bytes(answers, |own| own.geometry_id),
            bytes(answers, |own| own.primitive_id),
        ])
    }

    /// Puts the files into their places, and says which they are.
    ///
    /// # Errors
    /// [`FileError::Write`].
    pub fn finish(self) -> Result<Vec<PathBuf>, FileError> {
        self.0.finish(None)
    }
}

/// One number, or three, of each answer.
fn bytes<T: bytemuck::NoUninit>(
    answers: &[PointAnswer],
    number: impl Fn(&PointAnswer) -> T,
) -> Cow<'static, [u8]> {
    let numbers: Vec<T> = answers.iter().map(number).collect();
    bytemuck::pod_collect_to_vec::<T, u8>(&numbers).into()
}
