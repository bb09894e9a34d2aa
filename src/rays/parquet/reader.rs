//! Rays from a Parquet file: column by column, each page by page, so that memory depends neither on the file's
//! length nor on that of its row groups.

use super::pages::KnownPages;
use super::{decoded, footer, packed};
use crate::files::{FileError, nearest};
use crate::npz::open;
use crate::ray::Ray;
use crate::rays::Rays;
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

/// The columns, the numbers of a ray in the order of its fields first.
const COLUMNS: [&str; 10] =
    ["ox", "oy", "oz", "dx", "dy", "dz", "t_min", "t_max", "ray_mask", "ignore_id"];
/// The first that no file may lack, of these.
const NEEDED: usize = 6;
/// The first that are float32; the rest are uint32.
const FLOATS: usize = 8;
const MASK: usize = 8;
const IGNORED: usize = 9;

/// A file with such columns.
pub(in crate::rays) struct ParquetRays {
    path: PathBuf,
    file: Arc<File>,
    metadata: ParquetMetaData,
    /// Which column of the file is which of [`COLUMNS`].
    places: [Option<usize>; COLUMNS.len()],
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
        let metadata = footer::metadata(path)?;
        let (file, length) = open(path)?;
        let places = places(metadata.file_metadata().schema(), path)?;
        let mut count = 0_usize;
        for group in metadata.row_groups() {
            let rows = usize::try_from(group.num_rows()).ok();
            count = rows.and_then(|rows| count.checked_add(rows)).ok_or_else(|| {
                refuse(format!("is damaged: a row group has {} rows", group.num_rows()))
            })?;
            for place in places.into_iter().flatten() {
                refuse_unread(group.column(place), length, path)?;
            }
        }
        Ok(Self {
            path: path.to_owned(),
            file: Arc::new(file.into_inner()),
            metadata,
            places,
            count,
        })
    }

    pub fn len(&self) -> usize {
        self.count
    }

    pub fn ignored(&self) -> Option<&'static str> {
        self.places[IGNORED].map(|_| COLUMNS[IGNORED])
    }

    pub fn batches<E: From<FileError>>(
        self,
        size: usize,
        mut take: impl FnMut(Rays) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut columns = Columns::default();
        let mut before = 0;
        for group in self.metadata.row_groups() {
            let mut readers = self.readers(group)?;
            let mut left = usize::try_from(group.num_rows()).unwrap_or(0);
            while left > 0 {
                let count = left.min(size - columns.count).min(PIECE);
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

    /// A reader of each column that the file has.
    fn readers(&self, group: &RowGroupMetaData) -> Result<Vec<(usize, ColumnReader)>, FileError> {
        let there = self.places.iter().enumerate();
        there
            .filter_map(|(column, place)| Some((column, (*place)?)))
            .map(|(column, place)| {
                let chunk = group.column(place);
                let reader = decoded(|| self.reader(chunk));
                Ok((column, reader.map_err(|error| self.damaged(COLUMNS[column], &error))?))
            })
            .collect()
    }

    fn reader(&self, chunk: &ColumnChunkMetaData) -> Result<ColumnReader, ParquetError> {
        // So the pages come as they are in the file, to be unpacked by what knows a limit.
        let as_it_is =
            chunk.clone().into_builder().set_compression(Compression::UNCOMPRESSED).build()?;
        // How many rows there are is asked for only by what skips pages.
        let pages = SerializedPageReader::new(self.file.clone(), &as_it_is, 0, None)?;
        let description = chunk.column_descr_ptr();
        let may_have_nulls = description.max_def_level() > 0;
        let pages = KnownPages::new(pages, chunk.compression(), may_have_nulls);
        Ok(get_column_reader(description, Box::new(pages)))
    }

    /// Reads the next `count` rows of a column, of which `before` came before.
    fn read(
        &self,
        columns: &mut Columns,
        column: usize,
        reader: &mut ColumnReader,
        before: usize,
        count: usize,
    ) -> Result<(), FileError> {
        let name = COLUMNS[column];
        let mut is_there = Vec::new();
        let Columns { floats, masks, ignored, .. } = columns;
        let read = decoded(|| match (reader, column) {
            (ColumnReader::FloatColumnReader(reader), 0..FLOATS) => {
                next::<FloatType>(reader, count, &mut is_there, &mut floats[column])
            }
            (ColumnReader::Int32ColumnReader(reader), MASK) => {
                next::<Int32Type>(reader, count, &mut is_there, masks)
            }
            (ColumnReader::Int32ColumnReader(reader), IGNORED) => {
                next::<Int32Type>(reader, count, &mut is_there, ignored)
            }
            _ => Err(ParquetError::General("its type is not that of the schema".to_owned())),
        });
        let read = read.map_err(|error| self.damaged(name, &error))?;
        if let Some(row) = is_there.iter().position(|&level| level == 0) {
            let none = if column == IGNORED { ", 4294967295 to ignore none" } else { "" };
            let place = format!("{name}[{}]", before + row);
            let reason = format!("is null: every row needs a number here{none}");
            return Err(FileError::meaning(&self.path, place, reason));
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

/// An error for a column, of a file of `length` bytes, whose bytes are not read here.
fn refuse_unread(chunk: &ColumnChunkMetaData, length: u64, path: &Path) -> Result<(), FileError> {
    let refuse = |reason| Err(FileError::meaning(path, chunk.column_path().string(), reason));
    if !packed::is_known(chunk.compression()) {
        let compression = chunk.compression().to_string();
        let name = compression.split('(').next().unwrap_or_default();
        return refuse(format!(
            "is compressed by {name}: raytwin reads columns of snappy, gzip or no compression; write it with one of these"
        ));
    }
    let dictionary = chunk.dictionary_page_offset().unwrap_or(0);
    if [dictionary, chunk.data_page_offset(), chunk.compressed_size()].iter().any(|&byte| byte < 0)
    {
        return refuse("is damaged: it begins or ends before the file does".to_owned());
    }
    let (start, count) = chunk.byte_range();
    if start.checked_add(count).is_none_or(|end| end > length) {
        return refuse("is damaged: it ends after the file does".to_owned());
    }
    Ok(())
}

/// The rows of a column that are read at a time at most: room for them is made before they are there.
const PIECE: usize = 1 << 20;

/// Adds a column's next numbers, and, where it may have nulls, whether each is there; returns how many rows there
/// were.
fn next<T: DataType>(
    reader: &mut ColumnReaderImpl<T>,
    count: usize,
    is_there: &mut Vec<i16>,
    numbers: &mut Vec<T::T>,
) -> Result<usize, ParquetError> {
    reader.read_records(count, Some(is_there), None, numbers).map(|(rows, _, _)| rows)
}

/// Rows that are read, not yet handed over.
#[derive(Default)]
struct Columns {
    floats: [Vec<f32>; FLOATS],
    masks: Vec<i32>,
    ignored: Vec<i32>,
    count: usize,
}

impl Columns {
    /// The rows as rays; what no column says is what it is where nobody says otherwise.
    fn take(&mut self) -> Rays {
        let Self { floats, masks, ignored, count } = std::mem::take(self);
        let unsigned =
            |numbers: Vec<i32>| (!numbers.is_empty()).then(|| bytemuck::cast_vec(numbers));
        let plain = Ray::new([0.0; 3], [0.0; 3]);
        let mut rays = vec![plain; count];
        for (field, numbers) in floats.iter().enumerate() {
            for (ray, number) in rays.iter_mut().zip(numbers) {
                // A ray's numbers lie in the order of the columns.
                bytemuck::cast_mut::<Ray, [f32; FLOATS]>(ray)[field] = *number;
            }
        }
        Rays { rays, masks: unsigned(masks), ignored: unsigned(ignored) }
    }
}

/// Where each of [`COLUMNS`] stands in the file; there must be no others.
fn places(schema: &Type, path: &Path) -> Result<[Option<usize>; COLUMNS.len()], FileError> {
    let mut places = [None; COLUMNS.len()];
    for (place, field) in schema.get_fields().iter().enumerate() {
        let name = field.name();
        let refuse = |reason: String| Err(FileError::meaning(path, name, reason));
        let Some(column) = COLUMNS.iter().position(|known| *known == name) else {
            return refuse(format!(
                "is an unknown column: did you mean {}? Rays have {}",
                nearest(name, &COLUMNS),
                COLUMNS.join(" ")
            ));
        };
        let wanted = if column < FLOATS { "float32" } else { "uint32" };
        let found = type_of(field);
        if found != wanted {
            return refuse(format!(
                "is of type {found}: it must be {wanted}; cast the column before it is written"
            ));
        }
        if places[column].replace(place).is_some() {
            return refuse("stands there twice: leave one of them out".to_owned());
        }
    }
    match COLUMNS[..NEEDED].iter().zip(places).find(|(_, place)| place.is_none()) {
        Some((name, _)) => Err(FileError::meaning(
            path,
            *name,
            format!("is missing: rays have the columns {}", COLUMNS[..NEEDED].join(" ")),
        )),
        None => Ok(places),
    }
}

/// What a column holds, in NumPy's words where it has one.
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
