//! Rays from a Parquet file. Each column is read page by page, so that memory depends neither on the length of the file nor
//! on that of its row groups.

use crate::io::input::open;
use crate::io::parquet::{CheckedPages, decode, is_supported, read_metadata};
use crate::io::rays::Rays;
use crate::io::{FileError, nearest};
use crate::ray::Ray;
use ::parquet::basic::{Compression, ConvertedType, Repetition, Type as Physical};
use ::parquet::column::reader::{ColumnReader, ColumnReaderImpl, get_column_reader};
use ::parquet::data_type::{DataType, FloatType, Int32Type};
use ::parquet::errors::ParquetError;
use ::parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData, RowGroupMetaData};
use ::parquet::file::reader::SerializedPageReader;
use ::parquet::schema::types::Type;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The columns. The first ones are the numbers of a ray, in the order of its fields.
const COLUMNS: [&str; 10] =
    ["ox", "oy", "oz", "dx", "dy", "dz", "t_min", "t_max", "ray_mask", "ignore_id"];
/// The count of the first columns, which every file must have.
const REQUIRED: usize = 6;
/// The count of the first columns that are float32; the rest are uint32.
const FLOATS: usize = 8;
/// The index of the column of masks.
const MASK: usize = 8;
/// The index of the column of ignored geometries.
const IGNORED: usize = 9;

/// A file with these columns.
pub(in crate::io::rays) struct ParquetRays {
    path: PathBuf,
    file: Arc<File>,
    metadata: ParquetMetaData,
    /// The index in the file of each of [`COLUMNS`] that the file has.
    file_columns: [Option<usize>; COLUMNS.len()],
    count: usize,
}

impl std::fmt::Debug for ParquetRays {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ParquetRays").field("path", &self.path).finish_non_exhaustive()
    }
}

impl ParquetRays {
    pub fn open(path: &Path) -> Result<Self, FileError> {
        let refuse = |reason: String| FileError::meaning(path, "", reason);
        let metadata = read_metadata(path)?;
        let (file, length) = open(path)?;
        let file_columns = find_columns(metadata.file_metadata().schema(), path)?;
        let mut count = 0_usize;
        for group in metadata.row_groups() {
            let rows = usize::try_from(group.num_rows()).ok();
            count = rows.and_then(|rows| count.checked_add(rows)).ok_or_else(|| {
                refuse(format!("is damaged: a row group has {} rows", group.num_rows()))
            })?;
            for file_column in file_columns.into_iter().flatten() {
                check_chunk(group.column(file_column), length, path)?;
            }
        }
        Ok(Self {
            path: path.to_owned(),
            file: Arc::new(file.into_inner()),
            metadata,
            file_columns,
            count,
        })
    }

    pub fn len(&self) -> usize {
        self.count
    }

    pub fn ignored(&self) -> Option<&'static str> {
        self.file_columns[IGNORED].map(|_| COLUMNS[IGNORED])
    }

    pub fn batches<E: From<FileError>>(
        self,
        size: usize,
        mut take: impl FnMut(Rays) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut columns = RayColumns::default();
        let mut before = 0;
        for group in self.metadata.row_groups() {
            let mut readers = self.readers(group)?;
            let mut left = usize::try_from(group.num_rows()).unwrap_or(0);
            while left > 0 {
                let count = left.min(size - columns.count).min(MAX_ROWS);
                for (column, reader) in readers.iter_mut() {
                    self.read(&mut columns, *column, reader, before, count)?;
                }
                columns.count += count;
                before += count;
                left -= count;
                if columns.count == size {
                    take(columns.take())?;
                }
            }
        }
        if columns.count > 0 {
            take(columns.take())?;
        }
        Ok(())
    }

    /// Makes a reader for each column that the file has, together with the column's index in [`COLUMNS`].
    fn readers(&self, group: &RowGroupMetaData) -> Result<Vec<(usize, ColumnReader)>, FileError> {
        let file_columns = self.file_columns.iter().enumerate();
        file_columns
            .filter_map(|(column, file_column)| Some((column, (*file_column)?)))
            .map(|(column, file_column)| {
                let chunk = group.column(file_column);
                let reader = decode(|| self.reader(chunk));
                Ok((column, reader.map_err(|error| self.damaged(COLUMNS[column], &error))?))
            })
            .collect()
    }

    fn reader(&self, chunk: &ColumnChunkMetaData) -> Result<ColumnReader, ParquetError> {
        // The crate passes uncompressed pages through, so that `CheckedPages` can decompress them with a limit.
        let undecoded =
            chunk.clone().into_builder().set_compression(Compression::UNCOMPRESSED).build()?;
        // The count of rows is only used to skip pages.
        let pages = SerializedPageReader::new(self.file.clone(), &undecoded, 0, None)?;
        let description = chunk.column_descr_ptr();
        let may_have_nulls = description.max_def_level() > 0;
        let pages = CheckedPages::new(pages, chunk.compression(), may_have_nulls);
        Ok(get_column_reader(description, Box::new(pages)))
    }

    /// Reads the next `count` rows of a column, after `before` rows.
    fn read(
        &self,
        columns: &mut RayColumns,
        column: usize,
        reader: &mut ColumnReader,
        before: usize,
        count: usize,
    ) -> Result<(), FileError> {
        let name = COLUMNS[column];
        let mut definition_levels = Vec::new();
        let RayColumns { floats, masks, ignored, .. } = columns;
        let read = decode(|| match (reader, column) {
            (ColumnReader::FloatColumnReader(reader), 0..FLOATS) => {
                next::<FloatType>(reader, count, &mut definition_levels, &mut floats[column])
            }
            (ColumnReader::Int32ColumnReader(reader), MASK) => {
                next::<Int32Type>(reader, count, &mut definition_levels, masks)
            }
            (ColumnReader::Int32ColumnReader(reader), IGNORED) => {
                next::<Int32Type>(reader, count, &mut definition_levels, ignored)
            }
            _ => Err(ParquetError::General("its type is not that of the schema".to_owned())),
        });
        let read = read.map_err(|error| self.damaged(name, &error))?;
        if let Some(row) = definition_levels.iter().position(|&level| level == 0) {
            let ignore_none =
                if column == IGNORED { ", and 4294967295 ignores no geometry" } else { "" };
            let location = format!("{name}[{}]", before + row);
            let reason = format!("is null: every row needs a number here{ignore_none}");
            return Err(FileError::meaning(&self.path, location, reason));
        }
        if read == count {
            return Ok(());
        }
        let reason =
            format!("is truncated: it ends after {} of {} rows", before + read, self.count);
        Err(FileError::meaning(&self.path, name, reason))
    }

    fn damaged(&self, column: &str, error: &ParquetError) -> FileError {
        FileError::meaning(&self.path, column, format!("is damaged: {error}"))
    }
}

/// Refuses a column of another compression, or one whose bytes are not all within the file's `length`.
fn check_chunk(chunk: &ColumnChunkMetaData, length: u64, path: &Path) -> Result<(), FileError> {
    let refuse = |reason| Err(FileError::meaning(path, chunk.column_path().string(), reason));
    if !is_supported(chunk.compression()) {
        let compression = chunk.compression().to_string();
        let name = compression.split('(').next().unwrap_or_default();
        return refuse(format!(
            "is compressed by {name}: raytwin reads columns with snappy, gzip or no compression; write it with one of these"
        ));
    }
    let dictionary = chunk.dictionary_page_offset().unwrap_or(0);
    if [dictionary, chunk.data_page_offset(), chunk.compressed_size()].iter().any(|&byte| byte < 0)
    {
        return refuse("is damaged: it has a negative offset or length".to_owned());
    }
    let (start, count) = chunk.byte_range();
    if start.checked_add(count).is_none_or(|end| end > length) {
        return refuse("is damaged: it ends behind the end of the file".to_owned());
    }
    Ok(())
}

/// The most rows that are read at a time: the crate reserves memory for them before it reads them.
const MAX_ROWS: usize = 1 << 20;

/// Appends a column's next numbers and, if it may have nulls, their definition levels, which are 0 for nulls. Returns the
/// count of rows that were read.
fn next<T: DataType>(
    reader: &mut ColumnReaderImpl<T>,
    count: usize,
    definition_levels: &mut Vec<i16>,
    numbers: &mut Vec<T::T>,
) -> Result<usize, ParquetError> {
    reader.read_records(count, Some(definition_levels), None, numbers).map(|(rows, _, _)| rows)
}

/// Rows that have been read and are not yet given to the caller.
#[derive(Default)]
struct RayColumns {
    floats: [Vec<f32>; FLOATS],
    masks: Vec<i32>,
    ignored: Vec<i32>,
    count: usize,
}

impl RayColumns {
    /// Returns the rows as rays. A missing column has the ray's default.
    fn take(&mut self) -> Rays {
        let Self { floats, masks, ignored, count } = std::mem::take(self);
        let unsigned =
            |numbers: Vec<i32>| (!numbers.is_empty()).then(|| bytemuck::cast_vec(numbers));
        let default_ray = Ray::new([0.0; 3], [0.0; 3]);
        let mut rays = vec![default_ray; count];
        for (field, numbers) in floats.iter().enumerate() {
            for (ray, number) in rays.iter_mut().zip(numbers) {
                // The order of the columns is that of a ray's numbers in memory.
                bytemuck::cast_mut::<Ray, [f32; FLOATS]>(ray)[field] = *number;
            }
        }
        Rays { rays, masks: unsigned(masks), ignored: unsigned(ignored) }
    }
}

/// Finds the index in the file of each of [`COLUMNS`]. A file with other columns is refused.
fn find_columns(schema: &Type, path: &Path) -> Result<[Option<usize>; COLUMNS.len()], FileError> {
    let mut file_columns = [None; COLUMNS.len()];
    for (file_column, field) in schema.get_fields().iter().enumerate() {
        let name = field.name();
        let refuse = |reason: String| Err(FileError::meaning(path, name, reason));
        let Some(column) = COLUMNS.iter().position(|known| *known == name) else {
            let meant = nearest(name, &COLUMNS)
                .map_or(String::new(), |meant| format!("did you mean {meant}? "));
            return refuse(format!("is an unknown column: {meant}Rays have {}", COLUMNS.join(" ")));
        };
        let wanted = if column < FLOATS { "float32" } else { "uint32" };
        let found = type_of(field);
        if found != wanted {
            return refuse(format!(
                "is of type {found}: it must be {wanted}; cast the column before it is written"
            ));
        }
        if file_columns[column].replace(file_column).is_some() {
            return refuse("occurs twice: leave one of the two out".to_owned());
        }
    }
    match COLUMNS[..REQUIRED].iter().zip(file_columns).find(|(_, found)| found.is_none()) {
        Some((name, _)) => Err(FileError::meaning(
            path,
            *name,
            format!("is missing: rays have the columns {}", COLUMNS[..REQUIRED].join(" ")),
        )),
        None => Ok(file_columns),
    }
}

/// The type of a column's numbers, by NumPy's name if it has one.
fn type_of(field: &Type) -> String {
    if field.is_group() || field.get_basic_info().repetition() == Repetition::REPEATED {
        return "list or struct".to_owned();
    }
    match (field.get_physical_type(), field.get_basic_info().converted_type()) {
        (Physical::FLOAT, _) => "float32".to_owned(),
        (Physical::DOUBLE, _) => "float64".to_owned(),
        (Physical::INT32, ConvertedType::NONE | ConvertedType::INT_32) => "int32".to_owned(),
        (Physical::INT32, ConvertedType::UINT_32) => "uint32".to_owned(),
        (Physical::INT64, ConvertedType::NONE | ConvertedType::INT_64) => "int64".to_owned(),
        (Physical::INT64, ConvertedType::UINT_64) => "uint64".to_owned(),
        (physical, ConvertedType::NONE) => physical.to_string(),
        (_, converted) => converted.to_string(),
    }
}
