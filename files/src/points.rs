//! Files of points and of the answers to points. Files of any length are read and written piece by
//! piece; tables and clouds of points are read as a whole.

mod answer_table;
mod column;
mod column_table;
mod las;
mod las_chunks;
mod pcd;
mod ply;
mod record;
mod table;
mod xyz;

pub use super::answers::point_answer_files;
pub(crate) use column::{Column, ColumnValues};
pub(crate) use column_table::ColumnTable;
pub use table::PointTable;

use super::answers::{answer_files, point_answer_arrays};
use crate::bytes::npz::{ArrayLayout, ArraysToWrite, Number, arrays_to_read};
use crate::coordinates::{RowsToRead, needs_origin};
use crate::{FileError, FileStore, Outputs};
use answer_table::AnswerTable;
use glam::{DVec3, Vec3};
use raytwin::query::PointAnswer;
use raytwin::scene::Scene;
use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use table::AXES;

/// An open point file: an `.npy` of shape (N, 3), or with more axes in front, and of type float32
/// or float64, an `.npz` with such an array named `points`, a `.csv` or a `.parquet` with columns
/// `x`, `y` and `z`, or a cloud (`.las`, `.laz`, `.ply`, `.pcd`, `.xyz`). Points that no query
/// accepts are read as they are.
#[derive(Debug)]
pub struct PointReader {
    path: PathBuf,
    points: Points,
    shape: Vec<usize>,
    origin: DVec3,
}

/// Reads a table or a cloud, optionally with its other columns.
type TableReader = fn(&FileStore, &Path, bool) -> Result<PointTable, FileError>;

#[derive(Debug)]
enum Points {
    Array(RowsToRead),
    Table(Arc<PointTable>),
}

impl PointReader {
    /// Opens a file and reads how many points it has.
    ///
    /// # Errors
    /// [`FileError`]: the file is unreadable, its contents have another shape or type, or it is
    /// shorter than its header declares.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, FileError> {
        Self::open_for(path.as_ref(), false)
    }

    /// Does the same, and keeps the other columns of a table or a cloud, for [`Self::table`].
    ///
    /// # Errors
    /// The errors of [`Self::open`], and [`FileError::Meaning`] for a column that cannot be kept.
    pub fn open_with_columns(path: impl AsRef<Path>) -> Result<Self, FileError> {
        Self::open_for(path.as_ref(), true)
    }

    fn open_for(path: &Path, with_columns: bool) -> Result<Self, FileError> {
        let path = path.to_owned();
        let store = FileStore::disk();
        let extension = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
        let read = match &extension[..] {
            "csv" => Some(PointTable::read_csv as TableReader),
            "parquet" => Some(PointTable::read_parquet as TableReader),
            "las" | "laz" => Some(las::read as TableReader),
            "ply" => Some(ply::read as TableReader),
            "pcd" => Some(pcd::read as TableReader),
            "xyz" => Some(xyz::read as TableReader),
            _ => None,
        };
        if let Some(read) = read {
            let table = read(&store, &path, with_columns)?;
            let shape = vec![table.positions.len()];
            let points = Points::Table(table.into());
            return Ok(Self { path, points, shape, origin: DVec3::ZERO });
        }
        let rule = "a point archive must have one array, points, of shape (N, 3)";
        let [points] = arrays_to_read(&store, &path, ["points"], rule)?;
        let points = points.ok_or_else(|| {
            FileError::meaning(&path, "", "has no array named points, of shape (N, 3)")
        })?;
        let rule = "points must have shape (N, 3), for x, y and z, or more axes in front";
        let points = RowsToRead::new(points, &[3], rule, &path)?;
        let shape = points.leading_shape().to_vec();
        Ok(Self { path, points: Points::Array(points), shape, origin: DVec3::ZERO })
    }

    /// Subtracts an origin in float64 from each point before it is rounded to float32.
    pub fn relative_to(self, origin: DVec3) -> Self {
        Self { origin, ..self }
    }

    /// Rejects points of a table or a cloud that are far from zero and have decimals.
    ///
    /// # Errors
    /// [`FileError::Meaning`], which names the first of them.
    pub fn refuse_coarse(&self) -> Result<(), FileError> {
        let Points::Table(table) = &self.points else { return Ok(()) };
        for (row, position) in table.positions.iter().enumerate() {
            let coarse = AXES.iter().zip(position);
            let mut coarse = coarse.filter_map(|(axis, at)| Some((axis, needs_origin(*at)?)));
            if let Some((axis, reason)) = coarse.next() {
                return Err(FileError::meaning(&self.path, format!("row {row}.{axis}"), reason));
            }
        }
        Ok(())
    }

    /// The count of points.
    pub fn len(&self) -> usize {
        self.shape.iter().product()
    }

    /// Returns whether the file has no points.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The extents of the array's axes without the last one. The arrays of answers have the same.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// The table or cloud, if the file is one. Its other columns may be written with the answers.
    pub fn table(&self) -> Option<Arc<PointTable>> {
        match &self.points {
            Points::Array(_) => None,
            Points::Table(table) => Some(Arc::clone(table)),
        }
    }

    /// Reads all points in their order and passes them to `take`, at most `size` at a time, until
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
        let points = match &mut self.points {
            Points::Array(points) => points,
            Points::Table(table) => {
                let about_origin = |position: &[f64; 3]| {
                    (DVec3::from_array(*position) - self.origin).as_vec3().to_array()
                };
                return table
                    .positions
                    .chunks(size.max(1))
                    .try_for_each(|piece| take(piece.iter().map(about_origin).collect()));
            }
        };
        let mut rows = points.rows(&self.path, self.origin.to_array())?;
        while left > 0 {
            let count = left.min(size.max(1));
            take(bytemuck::cast_slice(&rows.next(count)?).to_vec())?;
            left -= count;
        }
        Ok(rows.finish()?)
    }
}

/// The contents of files of answers to points.
#[derive(Clone, Copy, Debug, Default)]
pub struct PointAnswerLayout {
    /// The origin of the scene. It is added to `closest_points` in float64. If it is not zero, the
    /// array is float64.
    pub origin: DVec3,
    /// True if the answers have `innermost_ids`, as [`Tracer::innermost`](raytwin::Tracer::innermost)
    /// returns them.
    pub has_innermost: bool,
}

/// A writer of answer files, batch by batch: `contains`, `containing_ids`, `closest_points`,
/// `signed_distance`, `geometry_ids` and `primitive_ids`, and the optional arrays of its layout.
/// The files appear when all answers are written, or not at all.
///
/// A table has a row for each point: its position, the columns of its table, and the answers, with
/// the paths of the geometries. Cells without a value are empty.
#[derive(Debug)]
pub struct PointAnswerWriter {
    answers: AnswerFiles,
    layout: PointAnswerLayout,
}

#[derive(Debug)]
enum AnswerFiles {
    Arrays(ArraysToWrite),
    Table(Box<AnswerTable>),
}

impl PointAnswerWriter {
    /// Begins an `.npz`. Its arrays are next to it until it is finished, so it temporarily needs
    /// twice its size on disk.
    ///
    /// # Errors
    /// [`FileError::Write`].
    pub fn archive(path: impl AsRef<Path>, layout: PointAnswerLayout) -> Result<Self, FileError> {
        let arrays = ArraysToWrite::archive(path.as_ref(), &layouts(layout))?;
        Ok(Self { answers: AnswerFiles::Arrays(arrays), layout })
    }

    /// Begins a `.csv`, or a `.parquet` if its name ends so. It keeps the columns of the points'
    /// own table.
    ///
    /// # Errors
    /// [`FileError::Write`], and [`FileError::Meaning`] if the table has a column with the name of
    /// an answer.
    pub fn table(
        path: impl AsRef<Path>,
        layout: PointAnswerLayout,
        points: Option<Arc<PointTable>>,
    ) -> Result<Self, FileError> {
        let path = path.as_ref();
        let table = AnswerTable::begin(path, layout.has_innermost, points)?;
        Ok(Self { answers: AnswerFiles::Table(Box::new(table)), layout })
    }

    /// Begins a folder with an `.npy` for each array.
    ///
    /// # Errors
    /// [`FileError::Write`].
    pub fn folder(path: impl AsRef<Path>, layout: PointAnswerLayout) -> Result<Self, FileError> {
        let arrays = ArraysToWrite::folder(path.as_ref(), &layouts(layout), answer_files())?;
        Ok(Self { answers: AnswerFiles::Arrays(arrays), layout })
    }

    /// Gives the arrays these extents in front, as [`PointReader::shape`] returns them, instead of
    /// the number of points.
    ///
    /// # Errors
    /// [`FileError::Write`].
    pub fn shaped(self, shape: &[usize]) -> Result<Self, FileError> {
        let answers = match self.answers {
            AnswerFiles::Arrays(arrays) => AnswerFiles::Arrays(arrays.shaped(usize::MAX, shape)?),
            table => table,
        };
        Ok(Self { answers, ..self })
    }

    /// Adds the answers to the next points, relative to the scene's origin, and the innermost solid
    /// around each if the layout has them, otherwise none.
    ///
    /// # Errors
    /// [`FileError::Write`], also if the number of innermost solids is wrong.
    pub fn write(
        &mut self,
        scene: &Scene,
        points: &[[f32; 3]],
        answers: &[PointAnswer],
        innermost: &[u32],
    ) -> Result<(), FileError> {
        let PointAnswerLayout { origin, has_innermost } = self.layout;
        let wanted = if has_innermost { answers.len() } else { 0 };
        if innermost.len() != wanted {
            let reason =
                format!("needs {wanted} innermost solids here, but {} are given", innermost.len());
            return Err(FileError::meaning(Path::new("innermost_ids"), "", reason));
        }
        let arrays = match &mut self.answers {
            AnswerFiles::Arrays(arrays) => arrays,
            AnswerFiles::Table(table) => return table.write(scene, points, answers, innermost),
        };
        let in_world = |point: [f32; 3]| (Vec3::from(point).as_dvec3() + origin).to_array();
        let closest_points = match origin == DVec3::ZERO {
            true => bytes(answers, |answer| answer.closest_point),
            false => bytes(answers, |answer| in_world(answer.closest_point)),
        };
        arrays.add([
            bytes(answers, |answer| answer.contains),
            bytes(answers, |answer| answer.containing_id),
            closest_points,
            bytes(answers, |answer| answer.signed_distance),
            bytes(answers, |answer| answer.geometry_id),
            bytes(answers, |answer| answer.primitive_id),
            bytemuck::cast_slice(innermost).into(),
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

    /// Completes the files, and returns them with the outputs, which may be published together with
    /// others.
    ///
    /// # Errors
    /// [`FileError::Write`].
    pub fn complete(self) -> Result<(Vec<PathBuf>, Outputs), FileError> {
        match self.answers {
            AnswerFiles::Arrays(arrays) => arrays.complete(None),
            AnswerFiles::Table(table) => table.complete(),
        }
    }
}

/// The arrays of answers. The points are float64 if an origin is added to them.
fn layouts(PointAnswerLayout { origin, has_innermost }: PointAnswerLayout) -> Vec<ArrayLayout> {
    let wide = |array: ArrayLayout| match array.columns {
        Some(_) if origin != DVec3::ZERO => ArrayLayout { descr: f64::DESCR, ..array },
        _ => array,
    };
    point_answer_arrays(has_innermost).into_iter().map(wide).collect()
}

fn bytes<T: bytemuck::NoUninit>(
    answers: &[PointAnswer],
    number: impl Fn(&PointAnswer) -> T,
) -> Cow<'static, [u8]> {
    let numbers: Vec<T> = answers.iter().map(number).collect();
    bytemuck::pod_collect_to_vec::<T, u8>(&numbers).into()
}

#[cfg(test)]
mod tests;
