//! Tables as columns of a Parquet file.

use super::cell::Cell;
use super::integer_columns::CandidateColumns;
use super::row_reader::{MAX_SHAPES, RowReader};
use ::parquet::column::reader::ColumnReader;
use rayon::prelude::*;
use raytwin_files::memory::SHAPE_BYTES;
use raytwin_files::parquet::{ColumnKind, ROWS_AT_A_TIME, Table, TableColumn};
use raytwin_files::{FileError, FileStore, RowFault};
use std::collections::HashSet;
use std::ops::Range;
use std::path::Path;

pub(super) fn read(store: &FileStore, path: &Path) -> Result<RowReader, FileError> {
    let table = Table::open(store, path)?;
    let file = ColumnsOfFile::new(&table, path)?;
    for &index in &file.read {
        refuse_other_type(&file.columns[index], path)?;
        table.check(&file.columns[index])?;
    }
    let count = table.row_count();
    if count > MAX_SHAPES {
        let reason = format!("has {count} shapes: a table can have at most {MAX_SHAPES}");
        return Err(FileError::meaning(path, "", reason));
    }
    let needs = || format!("its {count} shapes need");
    store.take_memory(path, count as u64 * SHAPE_BYTES, needs)?;
    if count >= 2 * ROWS_AT_A_TIME
        && rayon::current_num_threads() > 1
        && let Ok(rows) = file.in_parts()
    {
        return Ok(rows);
    }
    file.in_order()
}

/// How many values are in memory at a time, if there are more than those of one part.
const MOST_VALUES: usize = 1 << 22;

/// The rows must be read in order: a message will contain the number of a row, which parts do not
/// know.
struct InOrder;

impl From<FileError> for InOrder {
    fn from(_: FileError) -> Self {
        Self
    }
}

/// The columns of a file, and the indices of those that are read.
struct ColumnsOfFile<'a> {
    table: &'a Table,
    path: &'a Path,
    columns: &'a [TableColumn],
    read: Vec<usize>,
}

/// A value of a column. Threads share it, as they do not share a [`Cell`].
enum Value {
    None,
    Number(f64),
    Text(String),
}

impl Value {
    fn cell(&self) -> Cell<'_> {
        match self {
            Self::None => Cell::Empty,
            Self::Number(number) => Cell::Number(*number),
            Self::Text(text) => Cell::Text(text.into()),
        }
    }
}

/// Values of consecutive rows, for each column that is read.
type Values = Vec<Vec<Value>>;

impl<'a> ColumnsOfFile<'a> {
    /// Unknown columns are read if they may have whole numbers.
    fn new(table: &'a Table, path: &'a Path) -> Result<Self, FileError> {
        let columns = table.columns();
        let all = Self { table, path, columns, read: (0..columns.len()).collect() };
        let rows = all.no_rows().map_err(|fault| all.refuse(None, fault))?;
        let unknown: HashSet<usize> = rows.columns.unknown.into_iter().collect();
        let is_number = |index: usize| {
            matches!(
                columns[index].kind,
                ColumnKind::Signed
                    | ColumnKind::Unsigned
                    | ColumnKind::Float
                    | ColumnKind::Decimal { .. }
            )
        };
        let is_read = |index: &usize| !unknown.contains(index) || is_number(*index);
        Ok(Self { read: all.read.into_iter().filter(is_read).collect(), ..all })
    }

    fn no_rows(&self) -> Result<RowReader, RowFault> {
        let mut rows = RowReader::new(self.columns.iter().map(|it| it.name.clone()).collect())?;
        let unknown = rows.columns.unknown.iter().filter(|it| self.read.binary_search(it).is_ok());
        rows.integers = CandidateColumns::among(&unknown.copied().collect::<Vec<_>>());
        Ok(rows)
    }

    fn refuse(&self, row: Option<usize>, RowFault { column, reason }: RowFault) -> FileError {
        let place = match (column.map(|column| &self.columns[column].name[..]), row) {
            (Some(name), Some(row)) => format!("{name}[{row}]"),
            (None, Some(row)) => format!("row {row}"),
            (name, None) => name.unwrap_or_default().to_owned(),
        };
        FileError::meaning(self.path, place, reason)
    }

    /// Reads all rows in order.
    fn in_order(&self) -> Result<RowReader, FileError> {
        let mut rows = self.no_rows().map_err(|fault| self.refuse(None, fault))?;
        self.each_piece(ROWS_AT_A_TIME, |values, before| {
            let count = values.first().map_or(0, Vec::len);
            self.add(&mut rows, &values, 0..count)
                .map_err(|(row, fault)| self.refuse(Some(before + row), fault))
        })?;
        Ok(rows)
    }

    /// Reads the rows on all threads.
    fn in_parts(&self) -> Result<RowReader, InOrder> {
        let mut all = self.no_rows().map_err(|_| InOrder)?;
        let most = MOST_VALUES / (ROWS_AT_A_TIME * self.read.len().max(1));
        let parts = most.clamp(1, rayon::current_num_threads());
        self.each_piece::<InOrder>(ROWS_AT_A_TIME * parts, |values, _| {
            let count = values.first().map_or(0, Vec::len);
            let starts: Vec<usize> = (0..count).step_by(ROWS_AT_A_TIME).collect();
            let parts = starts.into_par_iter().map(|start| {
                let mut rows = self.no_rows().ok()?;
                self.add(&mut rows, &values, start..count.min(start + ROWS_AT_A_TIME)).ok()?;
                (rows.unread.count == 0).then_some(rows)
            });
            for part in parts.collect::<Vec<_>>() {
                all.append(part.ok_or(InOrder)?);
            }
            Ok(())
        })?;
        Ok(all)
    }

    /// Reads all rows, so many at a time, and calls `visit` with their values and the number of rows
    /// before them. Each column is decoded by one thread.
    fn each_piece<E: From<FileError>>(
        &self,
        rows_at_a_time: usize,
        mut visit: impl FnMut(Values, usize) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut before = 0;
        for (group, group_rows) in self.table.group_rows().enumerate() {
            let reader = |&index: &usize| {
                let column = &self.columns[index];
                Ok((column, self.table.reader(group, column)?))
            };
            let mut readers =
                self.read.iter().map(reader).collect::<Result<Vec<_>, FileError>>()?;
            let mut left = group_rows;
            while left > 0 {
                let count = left.min(rows_at_a_time);
                let values = readers
                    .par_iter_mut()
                    .map(|(column, reader)| next_values(column, reader, count, before, self.table));
                // Of several columns at fault the first is named.
                let values: Vec<Result<_, FileError>> = values.collect();
                visit(values.into_iter().collect::<Result<Values, _>>()?, before)?;
                before += count;
                left -= count;
            }
        }
        Ok(())
    }

    /// Adds some rows. A fault comes with the number of its row.
    fn add(
        &self,
        rows: &mut RowReader,
        values: &Values,
        range: Range<usize>,
    ) -> Result<(), (usize, RowFault)> {
        let mut row: Vec<Cell<'_>> = self.columns.iter().map(|_| Cell::Empty).collect();
        for number in range {
            for (&index, values) in self.read.iter().zip(values) {
                row[index] = values[number].cell();
            }
            rows.add(&mut row).map_err(|fault| (number, fault))?;
        }
        Ok(())
    }
}

fn refuse_other_type(column: &TableColumn, path: &Path) -> Result<(), FileError> {
    if column.kind.is_number() || column.kind == ColumnKind::Text {
        return Ok(());
    }
    let reason = format!("has type {}: it must have numbers or text", column.type_name());
    Err(FileError::meaning(path, &column.name, reason))
}

/// Reads the next values of a column, which follow `before` others.
fn next_values(
    column: &TableColumn,
    reader: &mut ColumnReader,
    count: usize,
    before: usize,
    table: &Table,
) -> Result<Vec<Value>, FileError> {
    let mut values = Vec::with_capacity(count);
    let read = match column.kind {
        ColumnKind::Text => column.kind.next_texts(reader, count, |text| {
            let text = text.map(|text| String::from_utf8_lossy(text).trim().to_owned());
            let text = text.filter(|text| !text.is_empty());
            values.push(text.map_or(Value::None, Value::Text));
        }),
        kind => kind.next_floats(reader, count, |_, number| {
            values.push(number.map_or(Value::None, Value::Number));
        }),
    };
    let read = read.map_err(|error| table.damaged(&column.name, &error))?;
    table.refuse_truncated(&column.name, read, count, before)?;
    Ok(values)
}

#[cfg(test)]
mod tests {
    use crate::{ImportedScene, Options, load};
    use ::parquet::data_type::DoubleType;
    use ::parquet::file::writer::SerializedFileWriter;
    use ::parquet::schema::parser::parse_message_type;
    use rayon::ThreadPoolBuilder;
    use std::fs::File;
    use std::path::Path;
    use std::sync::Arc;

    const COLUMNS: [&str; 7] =
        ["center_x", "center_y", "center_z", "radius", "label", "tree", "share"];

    /// Writes rows as two row groups of different lengths.
    fn write(path: &Path, rows: &[[f64; 7]]) {
        let fields = COLUMNS.map(|name| format!("required double {name};")).concat();
        let schema = parse_message_type(&format!("message table {{ {fields} }}")).unwrap();
        let file = File::create(path).unwrap();
        let mut writer = SerializedFileWriter::new(file, Arc::new(schema), Arc::default()).unwrap();
        let (first, second) = rows.split_at(rows.len() / 3);
        for rows in [first, second] {
            let mut group = writer.next_row_group().unwrap();
            for column in 0..COLUMNS.len() {
                let numbers: Vec<f64> = rows.iter().map(|row| row[column]).collect();
                let mut writer = group.next_column().unwrap().unwrap();
                writer.typed::<DoubleType>().write_batch(&numbers, None, None).unwrap();
                writer.close().unwrap();
            }
            group.close().unwrap();
        }
        writer.close().unwrap();
    }

    #[test]
    fn a_large_file_is_read_in_parts_as_row_by_row() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.parquet");
        let row = |index: usize| {
            let share = if index == 59_999 { 0.5 } else { 1.0 };
            let label = if index.is_multiple_of(7) { 3.0 } else { f64::NAN };
            [index as f64, 0.25, -7.0, 0.5, label, (index / 100) as f64, share]
        };
        let mut rows: Vec<[f64; 7]> = (0..60_000).map(row).collect();
        let both = |rows: &[[f64; 7]]| {
            write(&path, rows);
            [3, 1].map(|threads| {
                let pool = ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                let read = pool.install(|| load(&path, &Options::default()));
                read.map_err(|error| error.to_string())
            })
        };
        let both_read = |rows: &[[f64; 7]]| -> ImportedScene {
            let [in_parts, in_order] = both(rows).map(Result::unwrap);
            assert!(format!("{:?}", in_parts.scene) == format!("{:?}", in_order.scene));
            assert_eq!(in_parts.warnings, in_order.warnings);
            in_parts
        };
        let read = both_read(&rows);
        assert_eq!(read.scene.geometry_count(), 60_000);
        assert_eq!(read.warnings[0].names, ["share"]);
        // A label that is none is a warning with the number of its row.
        rows[50_006][4] = 0.5;
        let warning = both_read(&rows).warnings[0].to_string();
        assert!(warning.contains("row 50007"), "{warning}");
        rows[55_000][3] = -1.0;
        let [in_parts, in_order] = both(&rows).map(Result::unwrap_err);
        assert!(in_parts.contains("radius[55000]"), "{in_parts}");
        assert_eq!(in_parts, in_order);
    }
}
