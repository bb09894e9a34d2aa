//! A Parquet file as a table of columns, which are read page by page, so that memory depends
//! neither on the length of the file nor on that of its row groups.

use super::decompress::is_supported;
use super::footer::read_metadata;
use super::{ColumnPages, decode};
use crate::open_file::SharedFile;
use crate::{FileError, FileStore, nearest};
use ::parquet::basic::{ConvertedType, LogicalType, Repetition, Type as Physical};
use ::parquet::column::reader::{ColumnReader, ColumnReaderImpl, get_column_reader};
use ::parquet::data_type::{ByteArray, DataType};
use ::parquet::errors::ParquetError;
use ::parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData};
use ::parquet::schema::types::{Type, TypePtr};
use std::path::{Path, PathBuf};

/// The most rows that are read at a time. The crate reserves memory for them before it reads them,
/// and a processor's cache holds these rows of several columns.
pub const ROWS_AT_A_TIME: usize = 1 << 13;

/// A file whose footer has been read.
pub struct Table {
    path: PathBuf,
    file: SharedFile,
    length: u64,
    metadata: ParquetMetaData,
    rows: usize,
    columns: Vec<TableColumn>,
}

/// A column of single values, or one of lists or structures, which is not read.
#[derive(Clone, Debug)]
pub struct TableColumn {
    /// The name.
    pub name: String,
    /// The type that its values can be read as.
    pub kind: ColumnKind,
    /// The schema of the column.
    pub(crate) field: TypePtr,
    /// The index among the columns of all fields, each of which may be nested.
    leaf: usize,
}

/// What the values of a column can be read as.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ColumnKind {
    /// Floating-point numbers.
    Float,
    /// Signed integers.
    Signed,
    /// Unsigned integers.
    Unsigned,
    /// Text in UTF-8.
    Text,
    /// All values are null, and have no type.
    Null,
    /// Values of another type.
    Other,
    /// Lists and structures.
    Nested,
}

impl std::fmt::Debug for Table {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Table").field("path", &self.path).finish_non_exhaustive()
    }
}

impl Table {
    /// Reads the footer of a file.
    ///
    /// # Errors
    /// [`FileError`]: the file is unreadable, truncated or damaged.
    pub fn open(store: &FileStore, path: &Path) -> Result<Self, FileError> {
        let metadata = read_metadata(store, path)?;
        let (file, length) = store.open(path)?;
        let mut rows = 0_usize;
        for group in metadata.row_groups() {
            let more = usize::try_from(group.num_rows()).ok();
            rows = more.and_then(|more| rows.checked_add(more)).ok_or_else(|| {
                let reason = format!("is damaged: a row group has {} rows", group.num_rows());
                FileError::meaning(path, "", reason)
            })?;
        }
        let columns = columns(metadata.file_metadata().schema());
        let file = file.shared();
        Ok(Self { path: path.to_owned(), file, length, metadata, rows, columns })
    }

    /// The path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The count of rows.
    pub fn row_count(&self) -> usize {
        self.rows
    }

    /// The columns in the file's order.
    pub fn columns(&self) -> &[TableColumn] {
        &self.columns
    }

    /// Finds a column by its name; a name that occurs twice is refused.
    pub fn column(&self, name: &str) -> Result<Option<&TableColumn>, FileError> {
        let mut found = self.columns.iter().filter(|column| column.name == name);
        match (found.next(), found.next()) {
            (_, Some(_)) => {
                let reason = "occurs twice: leave one of the two out";
                Err(FileError::meaning(&self.path, name, reason))
            }
            (column, None) => Ok(column),
        }
    }

    /// The error for a column that the file lacks.
    pub fn missing(&self, name: &str, rule: &str) -> FileError {
        let names: Vec<&str> = self.columns.iter().map(|column| &column.name[..]).collect();
        let reason = match (&names[..], nearest(name, &names)) {
            ([], _) => format!("is missing, and the file has no columns: {rule}"),
            (_, Some(near)) => format!("is missing: did you mean {near}? {rule}"),
            (names, None) => format!("is missing among {}: {rule}", names.join(" ")),
        };
        FileError::meaning(&self.path, name, reason)
    }

    /// The counts of rows in each row group.
    pub fn group_rows(&self) -> impl Iterator<Item = usize> + '_ {
        let rows = |group: i64| usize::try_from(group).unwrap_or(0);
        self.metadata.row_groups().iter().map(move |group| rows(group.num_rows()))
    }

    /// Refuses a column of a compression that is not read, or one whose bytes are not all within
    /// the file.
    pub fn check(&self, column: &TableColumn) -> Result<(), FileError> {
        let chunks = self.metadata.row_groups().iter().map(|group| group.column(column.leaf));
        for chunk in chunks {
            check_chunk(chunk, self.length)
                .map_err(|reason| FileError::meaning(&self.path, &column.name, reason))?;
        }
        Ok(())
    }

    /// Begins to read a column in one row group.
    pub fn reader(&self, group: usize, column: &TableColumn) -> Result<ColumnReader, FileError> {
        let chunk = self.metadata.row_group(group).column(column.leaf);
        let description = chunk.column_descr_ptr();
        let pages = ColumnPages::new(self.file.clone(), chunk);
        decode(|| Ok(get_column_reader(description, Box::new(pages))))
            .map_err(|error| self.damaged(&column.name, &error))
    }

    /// The error for a column that cannot be decoded.
    pub fn damaged(&self, column: &str, error: &ParquetError) -> FileError {
        FileError::meaning(&self.path, column, format!("is damaged: {error}"))
    }

    /// Refuses to go on if a column has fewer rows than the footer says.
    pub fn refuse_truncated(
        &self,
        column: &str,
        read: usize,
        wanted: usize,
        before: usize,
    ) -> Result<(), FileError> {
        if read == wanted {
            return Ok(());
        }
        let reason = format!("is truncated: it ends after {} of {} rows", before + read, self.rows);
        Err(FileError::meaning(&self.path, column, reason))
    }
}

fn check_chunk(chunk: &ColumnChunkMetaData, length: u64) -> Result<(), String> {
    if !is_supported(chunk.compression()) {
        let compression = chunk.compression().to_string();
        let name = compression.split('(').next().unwrap_or_default();
        return Err(format!(
            "is compressed by {name}, which this build of raytwin does not read: write it with another compression"
        ));
    }
    let dictionary = chunk.dictionary_page_offset().unwrap_or(0);
    if [dictionary, chunk.data_page_offset(), chunk.compressed_size()].iter().any(|&byte| byte < 0)
    {
        return Err("is damaged: it has a negative offset or length".to_owned());
    }
    let (start, count) = chunk.byte_range();
    if start.checked_add(count).is_none_or(|end| end > length) {
        return Err("is damaged: it ends behind the end of the file".to_owned());
    }
    Ok(())
}

/// The columns of a schema.
fn columns(schema: &Type) -> Vec<TableColumn> {
    let mut leaf = 0;
    let mut columns = Vec::new();
    for field in schema.get_fields() {
        let column = TableColumn {
            name: field.name().to_owned(),
            kind: kind(field),
            field: field.clone(),
            leaf,
        };
        columns.push(column);
        leaf += leaves(field);
    }
    columns
}

/// The count of columns that a field consists of. The footer's check limits how deep fields are
/// nested.
fn leaves(field: &Type) -> usize {
    match field.is_group() {
        true => field.get_fields().iter().map(|field| leaves(field)).sum(),
        false => 1,
    }
}

fn kind(field: &Type) -> ColumnKind {
    if field.is_group() || field.get_basic_info().repetition() == Repetition::REPEATED {
        return ColumnKind::Nested;
    }
    let info = field.get_basic_info();
    match (field.get_physical_type(), info.logical_type_ref(), info.converted_type()) {
        (_, Some(LogicalType::Unknown), _) => ColumnKind::Null,
        (Physical::FLOAT | Physical::DOUBLE, None, _) => ColumnKind::Float,
        (Physical::INT32 | Physical::INT64, _, converted) => match converted {
            ConvertedType::NONE if info.logical_type_ref().is_none() => ColumnKind::Signed,
            ConvertedType::INT_8
            | ConvertedType::INT_16
            | ConvertedType::INT_32
            | ConvertedType::INT_64 => ColumnKind::Signed,
            ConvertedType::UINT_8
            | ConvertedType::UINT_16
            | ConvertedType::UINT_32
            | ConvertedType::UINT_64 => ColumnKind::Unsigned,
            _ => ColumnKind::Other,
        },
        (Physical::BYTE_ARRAY, None | Some(LogicalType::String | LogicalType::Enum), _) => {
            ColumnKind::Text
        }
        _ => ColumnKind::Other,
    }
}

impl TableColumn {
    /// The type of the column's values, for messages.
    pub fn type_name(&self) -> String {
        if self.kind == ColumnKind::Nested {
            return "list or struct".to_owned();
        }
        let physical = self.field.get_physical_type();
        match (self.kind, physical) {
            (ColumnKind::Float, Physical::FLOAT) => "float32".to_owned(),
            (ColumnKind::Float, _) => "float64".to_owned(),
            (ColumnKind::Signed, Physical::INT32) => "int32".to_owned(),
            (ColumnKind::Signed, _) => "int64".to_owned(),
            (ColumnKind::Unsigned, Physical::INT32) => "uint32".to_owned(),
            (ColumnKind::Unsigned, _) => "uint64".to_owned(),
            (ColumnKind::Text, _) => "string".to_owned(),
            _ => match self.field.get_basic_info().converted_type() {
                ConvertedType::NONE => physical.to_string(),
                converted => converted.to_string(),
            },
        }
    }
}

/// Reads the next values of a column, nulls as `None`, and gives each to `take` with its row.
/// Returns the count of rows that were read.
pub(crate) fn next_values<T: DataType>(
    reader: &mut ColumnReaderImpl<T>,
    count: usize,
    mut take: impl FnMut(usize, Option<&T::T>),
) -> Result<usize, ParquetError> {
    let (mut levels, mut values) = (Vec::new(), Vec::new());
    let (rows, _, _) = reader.read_records(count, Some(&mut levels), None, &mut values)?;
    if levels.is_empty() {
        values.iter().enumerate().for_each(|(row, value)| take(row, Some(value)));
        return Ok(rows);
    }
    let mut values = values.iter();
    for (row, level) in levels.iter().enumerate() {
        take(row, if *level > 0 { values.next() } else { None });
    }
    Ok(rows)
}

fn other_type() -> ParquetError {
    ParquetError::General("its type is not that of the schema".to_owned())
}

impl ColumnKind {
    /// Reads the next numbers of a column of floats, or of nulls alone, nulls as `None`.
    pub fn next_floats(
        self,
        reader: &mut ColumnReader,
        count: usize,
        mut take: impl FnMut(usize, Option<f64>),
    ) -> Result<usize, ParquetError> {
        decode(|| match reader {
            ColumnReader::FloatColumnReader(reader) => {
                next_values(reader, count, |row, number| take(row, number.map(|x| f64::from(*x))))
            }
            ColumnReader::DoubleColumnReader(reader) => {
                next_values(reader, count, |row, number| take(row, number.copied()))
            }
            _ => self.next_integers(reader, count, |row, number| {
                take(row, number.map(|number| number as f64));
            }),
        })
    }

    /// Reads the next texts of a column, nulls as `None`, and gives each to `take`. Returns the
    /// count of rows.
    pub fn next_texts(
        self,
        reader: &mut ColumnReader,
        count: usize,
        mut take: impl FnMut(Option<&[u8]>),
    ) -> Result<usize, ParquetError> {
        /// A long text of a dictionary may stand in every row.
        const MAX_BYTES: usize = 1 << 26;
        let mut bytes = 0;
        decode(|| match reader {
            ColumnReader::ByteArrayColumnReader(reader) => {
                let rows = next_values(reader, count, |_, text| {
                    let text = text.map(ByteArray::data);
                    bytes += text.map_or(0, <[u8]>::len);
                    take(text.filter(|_| bytes <= MAX_BYTES));
                })?;
                match bytes <= MAX_BYTES {
                    true => Ok(rows),
                    false => Err(ParquetError::General(format!(
                        "{rows} of its rows hold {bytes} bytes, and at most {MAX_BYTES} are read"
                    ))),
                }
            }
            _ => Err(other_type()),
        })
    }

    /// Reads the next numbers of a column of integers, or of nulls alone, nulls as `None`.
    pub fn next_integers(
        self,
        reader: &mut ColumnReader,
        count: usize,
        mut take: impl FnMut(usize, Option<i128>),
    ) -> Result<usize, ParquetError> {
        let is_unsigned = self == Self::Unsigned;
        decode(|| match reader {
            ColumnReader::Int32ColumnReader(reader) => next_values(reader, count, |row, number| {
                take(row, number.map(|&x| if is_unsigned { (x as u32).into() } else { x.into() }));
            }),
            ColumnReader::Int64ColumnReader(reader) => next_values(reader, count, |row, number| {
                take(row, number.map(|&x| if is_unsigned { (x as u64).into() } else { x.into() }));
            }),
            ColumnReader::BoolColumnReader(reader) => {
                next_values(reader, count, |row, is_true| take(row, is_true.map(|&x| x.into())))
            }
            _ => Err(other_type()),
        })
    }
}
