//! A Parquet file as a table of columns, which are read page by page, so that memory depends
//! neither on the length of the file nor on that of its row groups.

use super::decompress::is_supported;
use super::footer::read_metadata;
use super::{ColumnKind, ColumnPages, decode};
use crate::bytes::open_file::SharedFile;
use crate::{FileError, FileStore, nearest};
use ::parquet::basic::{ConvertedType, Type as Physical};
use ::parquet::column::reader::{ColumnReader, get_column_reader};
use ::parquet::errors::ParquetError;
use ::parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData};
use ::parquet::schema::types::{Type, TypePtr};
use std::path::{Path, PathBuf};

/// The largest number of rows that are read at a time. The crate reserves memory for them before it
/// reads them, and a processor's cache can contain these rows of several columns.
pub const ROWS_AT_A_TIME: usize = 1 << 13;

/// A file whose footer has been read.
#[derive(Debug)]
pub struct Table {
    path: PathBuf,
    file: SharedFile,
    length: u64,
    metadata: ParquetMetaData,
    rows: usize,
    columns: Vec<TableColumn>,
}

/// A column of single values, or a column of lists or structures, which cannot be read.
#[derive(Clone, Debug)]
pub struct TableColumn {
    /// The name.
    pub name: String,
    /// The type as which its values can be read.
    pub kind: ColumnKind,
    /// The schema of the column.
    pub(crate) field: TypePtr,
    /// The index among the columns of all fields, each of which may be nested.
    leaf: usize,
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

    /// Finds a column by its name. A name that occurs twice is an error.
    pub fn column(&self, name: &str) -> Result<Option<&TableColumn>, FileError> {
        let mut found = self.columns.iter().filter(|column| column.name == name);
        match (found.next(), found.next()) {
            (_, Some(_)) => {
                let reason = "occurs twice: remove one of the two";
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
            (names, None) => format!("is missing; the columns are {}: {rule}", names.join(" ")),
        };
        FileError::meaning(&self.path, name, reason)
    }

    /// The counts of rows in each row group.
    pub fn group_rows(&self) -> impl Iterator<Item = usize> + '_ {
        let rows = |group: i64| usize::try_from(group).unwrap_or(0);
        self.metadata.row_groups().iter().map(move |group| rows(group.num_rows()))
    }

    /// Rejects a column with an unsupported compression, or a column whose bytes are not all within
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

    /// Reads a column from its start to its end. `next` reads up to the given number of rows, and
    /// returns how many it has read.
    pub(crate) fn each_piece(
        &self,
        column: &TableColumn,
        mut next: impl FnMut(&mut ColumnReader, usize) -> Result<usize, ParquetError>,
    ) -> Result<(), FileError> {
        self.check(column)?;
        let mut before = 0;
        for (group, rows) in self.group_rows().enumerate() {
            let mut reader = self.reader(group, column)?;
            for start in (0..rows).step_by(ROWS_AT_A_TIME) {
                let count = ROWS_AT_A_TIME.min(rows - start);
                let read = next(&mut reader, count);
                let read = read.map_err(|error| self.damaged(&column.name, &error))?;
                self.refuse_truncated(&column.name, read, count, before)?;
                before += count;
            }
        }
        Ok(())
    }

    /// The error for a column that cannot be decoded.
    pub fn damaged(&self, column: &str, error: &ParquetError) -> FileError {
        FileError::meaning(&self.path, column, format!("is damaged: {error}"))
    }

    /// Rejects a column that has fewer rows than the footer declares.
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
            "is compressed with {name}, which this build of raytwin does not read: write it with another compression"
        ));
    }
    let dictionary = chunk.dictionary_page_offset().unwrap_or(0);
    if [dictionary, chunk.data_page_offset(), chunk.compressed_size()].iter().any(|&byte| byte < 0)
    {
        return Err("is damaged: it has a negative offset or length".to_owned());
    }
    let (start, count) = chunk.byte_range();
    if start.checked_add(count).is_none_or(|end| end > length) {
        return Err("is damaged: it extends past the end of the file".to_owned());
    }
    Ok(())
}

fn columns(schema: &Type) -> Vec<TableColumn> {
    let mut leaf = 0;
    let mut columns = Vec::new();
    for field in schema.get_fields() {
        let column = TableColumn {
            name: field.name().to_owned(),
            kind: ColumnKind::of(field),
            field: field.clone(),
            leaf,
        };
        columns.push(column);
        leaf += leaves(field);
    }
    columns
}

/// The number of columns that a field consists of. The footer's check limits how deep fields are
/// nested.
fn leaves(field: &Type) -> usize {
    match field.is_group() {
        true => field.get_fields().iter().map(|field| leaves(field)).sum(),
        false => 1,
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
            (ColumnKind::Float, Physical::FIXED_LEN_BYTE_ARRAY) => "float16".to_owned(),
            (ColumnKind::Float, Physical::FLOAT) => "float32".to_owned(),
            (ColumnKind::Float, _) => "float64".to_owned(),
            (ColumnKind::Signed, Physical::INT32) => "int32".to_owned(),
            (ColumnKind::Signed, _) => "int64".to_owned(),
            (ColumnKind::Unsigned, Physical::INT32) => "uint32".to_owned(),
            (ColumnKind::Unsigned, _) => "uint64".to_owned(),
            (ColumnKind::Decimal { precision, scale }, _) => {
                format!("decimal({precision}, {scale})")
            }
            (ColumnKind::Bool, _) => "bool".to_owned(),
            (ColumnKind::Text, _) => "string".to_owned(),
            _ => match self.field.get_basic_info().converted_type() {
                ConvertedType::NONE => physical.to_string(),
                converted => converted.to_string(),
            },
        }
    }
}
