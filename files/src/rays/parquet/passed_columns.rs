//! Columns of a file of rays that are passed on to the answers unchanged.

use crate::bytes::parquet::{ColumnKind, ROWS_AT_A_TIME, Table, TableColumn, decode};
use crate::rays::columns::COLUMNS;
use crate::{Draft, FileError, FileStore};
use ::parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use ::parquet::column::writer::{ColumnWriter, ColumnWriterImpl};
use ::parquet::data_type::{AsBytes, DataType};
use ::parquet::errors::ParquetError;
use ::parquet::file::writer::SerializedRowGroupWriter;
use ::parquet::schema::types::TypePtr;
use std::collections::HashSet;
use std::path::Path;

/// Columns of a `.parquet` of rays, of any type except lists and structures. They are read when
/// answers are written, as many rows as there are answers.
#[derive(Debug)]
pub struct PassedColumns {
    table: Table,
    columns: Vec<PassedColumn>,
}

/// A column, and the position up to which it has been read.
struct PassedColumn {
    column: TableColumn,
    /// The index of the row group that is read next.
    next_group: usize,
    reader: Option<ColumnReader>,
    /// The count of rows that the reader still has.
    left: usize,
    /// The count of rows that have been passed on.
    passed: usize,
}

impl std::fmt::Debug for PassedColumn {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PassedColumn").field("column", &self.column).finish_non_exhaustive()
    }
}

impl PassedColumns {
    /// Opens the columns with these names, which may also be those of rays.
    ///
    /// # Errors
    /// [`FileError`]: the file is unreadable or damaged, it has no such column, or the column has
    /// lists or structures.
    pub fn named(path: impl AsRef<Path>, names: &[impl AsRef<str>]) -> Result<Self, FileError> {
        let table = Table::open(&FileStore::disk(), path.as_ref())?;
        let mut columns = Vec::new();
        for name in names {
            let name = name.as_ref();
            let rule = "A column that is passed on must be in the file";
            let column = table.column(name)?.ok_or_else(|| table.missing(name, rule))?;
            columns.push(column.clone());
        }
        Self::of(table, columns)
    }

    /// Opens all columns but those of rays.
    ///
    /// # Errors
    /// [`FileError`]: the file is unreadable or damaged, or a column has lists or structures.
    pub fn all(path: impl AsRef<Path>) -> Result<Self, FileError> {
        let table = Table::open(&FileStore::disk(), path.as_ref())?;
        let is_other = |column: &&TableColumn| !COLUMNS.contains(&&column.name[..]);
        let columns = table.columns().iter().filter(is_other).cloned().collect();
        Self::of(table, columns)
    }

    fn of(table: Table, columns: Vec<TableColumn>) -> Result<Self, FileError> {
        let mut seen = HashSet::new();
        for column in &columns {
            let refuse = |reason| Err(FileError::meaning(table.path(), &column.name, reason));
            if column.kind == ColumnKind::Nested {
                return refuse("is a list or struct, which cannot be passed on: remove it");
            }
            if !seen.insert(&column.name) {
                return refuse("is named twice: name it once");
            }
            table.check(column)?;
        }
        let passed =
            |column| PassedColumn { column, next_group: 0, reader: None, left: 0, passed: 0 };
        Ok(Self { table, columns: columns.into_iter().map(passed).collect() })
    }

    pub(super) fn fields(&self) -> impl Iterator<Item = TypePtr> + '_ {
        self.columns.iter().map(|passed| passed.column.field.clone())
    }

    /// Rejects a column that has the name of an answer.
    pub(super) fn refuse_names(&self, answers: &[&str]) -> Result<(), FileError> {
        let mut names = self.columns.iter().map(|passed| &passed.column.name[..]);
        match names.find(|name| answers.contains(name)) {
            Some(name) => Err(FileError::meaning(
                self.table.path(),
                name,
                "has the name of a column of the answers: rename it, or do not pass it on",
            )),
            None => Ok(()),
        }
    }

    /// Copies the next rows of each column to a row group.
    pub(super) fn copy(
        &mut self,
        count: usize,
        group: &mut SerializedRowGroupWriter<'_, Draft>,
        write_error: impl Fn(ParquetError) -> FileError,
    ) -> Result<(), FileError> {
        for column in &mut self.columns {
            let Some(mut writer) = group.next_column().map_err(&write_error)? else { break };
            column.copy(&self.table, count, writer.untyped(), &write_error)?;
            writer.close().map_err(&write_error)?;
        }
        Ok(())
    }
}

impl PassedColumn {
    fn copy(
        &mut self,
        table: &Table,
        mut count: usize,
        writer: &mut ColumnWriter<'_>,
        write_error: impl Fn(ParquetError) -> FileError,
    ) -> Result<(), FileError> {
        while count > 0 {
            let Some(reader) = self.reader.as_mut().filter(|_| self.left > 0) else {
                let rows = table.group_rows().nth(self.next_group);
                // The answers are to rays of this file.
                let Some(rows) = rows else { break };
                self.reader = Some(table.reader(self.next_group, &self.column)?);
                self.left = rows;
                self.next_group += 1;
                continue;
            };
            let wanted = count.min(self.left).min(ROWS_AT_A_TIME);
            let name = &self.column.name;
            let read = copy_values(reader, writer, wanted).map_err(|fault| match fault {
                CopyFault::Read(error) => table.damaged(name, &error),
                CopyFault::Write(error) => write_error(error),
            })?;
            table.refuse_truncated(name, read, wanted, self.passed)?;
            self.passed += read;
            self.left -= read;
            count -= read;
        }
        Ok(())
    }
}

/// The side that fails when values are copied.
enum CopyFault {
    Read(ParquetError),
    Write(ParquetError),
}

/// Copies the next values to a column of the same type. Returns the count of rows.
fn copy_values(
    reader: &mut ColumnReader,
    writer: &mut ColumnWriter<'_>,
    count: usize,
) -> Result<usize, CopyFault> {
    macro_rules! copy_between {
        ($(($reader:ident, $writer:ident)),*) => {
            match (reader, writer) {
                $((ColumnReader::$reader(reader), ColumnWriter::$writer(writer)) => {
                    copy_typed(reader, writer, count)
                })*
                _ => {
                    let reason = "its type differs from the schema";
                    Err(CopyFault::Read(ParquetError::General(reason.to_owned())))
                }
            }
        };
    }
    copy_between!(
        (BoolColumnReader, BoolColumnWriter),
        (Int32ColumnReader, Int32ColumnWriter),
        (Int64ColumnReader, Int64ColumnWriter),
        (Int96ColumnReader, Int96ColumnWriter),
        (FloatColumnReader, FloatColumnWriter),
        (DoubleColumnReader, DoubleColumnWriter),
        (ByteArrayColumnReader, ByteArrayColumnWriter),
        (FixedLenByteArrayColumnReader, FixedLenByteArrayColumnWriter)
    )
}

fn copy_typed<T: DataType>(
    reader: &mut ColumnReaderImpl<T>,
    writer: &mut ColumnWriterImpl<'_, T>,
    count: usize,
) -> Result<usize, CopyFault> {
    /// A long text of a dictionary may occur in every row, which makes a huge file from a small
    /// one.
    const MAX_BYTES: usize = 1 << 30;
    let (mut levels, mut values) = (Vec::new(), Vec::new());
    let read = decode(|| reader.read_records(count, Some(&mut levels), None, &mut values));
    let (rows, _, _) = read.map_err(CopyFault::Read)?;
    let bytes: usize = values.iter().map(|value| value.as_bytes().len()).sum();
    if bytes > MAX_BYTES {
        return Err(CopyFault::Read(ParquetError::General(format!(
            "{rows} of its rows have {bytes} bytes, and at most {MAX_BYTES} can be passed on"
        ))));
    }
    let levels = (!levels.is_empty()).then_some(&levels[..]);
    writer.write_batch(&values, levels, None).map_err(CopyFault::Write)?;
    Ok(rows)
}
