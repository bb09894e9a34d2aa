//! Tables as columns of a Parquet file.

use super::cell::Cell;
use super::integer_columns::CandidateColumns;
use super::row_reader::{MAX_SHAPES, RowReader};
use ::parquet::column::reader::ColumnReader;
use raytwin_files::memory::SHAPE_BYTES;
use raytwin_files::parquet::{ColumnKind, ROWS_AT_A_TIME, Table, TableColumn};
use raytwin_files::{FileError, FileStore, RowFault};
use std::collections::HashSet;
use std::path::Path;

pub(super) fn read(store: &FileStore, path: &Path) -> Result<RowReader, FileError> {
    let table = Table::open(store, path)?;
    let columns = table.columns();
    let names: Vec<String> = columns.iter().map(|column| column.name.clone()).collect();
    let refuse = |row: Option<usize>, RowFault { column, reason }: RowFault| {
        let place = match (column.map(|column| &columns[column].name[..]), row) {
            (Some(name), Some(row)) => format!("{name}[{row}]"),
            (None, Some(row)) => format!("row {row}"),
            (name, None) => name.unwrap_or_default().to_owned(),
        };
        FileError::meaning(path, place, reason)
    };
    let mut rows = RowReader::new(names).map_err(|fault| refuse(None, fault))?;
    // Unknown columns are read if they have whole numbers.
    let is_unread = |index: &&usize| {
        !matches!(
            columns[**index].kind,
            ColumnKind::Signed
                | ColumnKind::Unsigned
                | ColumnKind::Float
                | ColumnKind::Decimal { .. }
        )
    };
    let unread: HashSet<usize> = rows.columns.unknown.iter().filter(is_unread).copied().collect();
    rows.integers = CandidateColumns::among(
        &rows.columns.unknown.iter().copied().filter(|it| !unread.contains(it)).collect::<Vec<_>>(),
    );
    let read: Vec<usize> = (0..columns.len()).filter(|index| !unread.contains(index)).collect();
    for &index in &read {
        refuse_other_type(&columns[index], path)?;
        table.check(&columns[index])?;
    }
    let count = table.row_count();
    if count > MAX_SHAPES {
        let reason = format!("has {count} shapes: a table can have at most {MAX_SHAPES}");
        return Err(FileError::meaning(path, "", reason));
    }
    let needs = || format!("its {count} shapes need");
    store.take_memory(path, count as u64 * SHAPE_BYTES, needs)?;
    let mut before = 0;
    for (group, group_rows) in table.group_rows().enumerate() {
        let mut readers = read
            .iter()
            .map(|&index| Ok((index, table.reader(group, &columns[index])?)))
            .collect::<Result<Vec<_>, FileError>>()?;
        let mut left = group_rows;
        while left > 0 {
            let count = left.min(ROWS_AT_A_TIME);
            let mut cells: Vec<Vec<Cell<'static>>> = Vec::new();
            for (index, reader) in &mut readers {
                let column = &columns[*index];
                cells.push(next_cells(column, reader, count, before, &table)?);
            }
            let mut row: Vec<Cell<'static>> = columns.iter().map(|_| Cell::Empty).collect();
            for in_piece in 0..count {
                for ((index, _), cells) in readers.iter().zip(&mut cells) {
                    row[*index] = std::mem::replace(&mut cells[in_piece], Cell::Empty);
                }
                rows.add(&mut row).map_err(|fault| refuse(Some(before + in_piece), fault))?;
            }
            before += count;
            left -= count;
        }
    }
    Ok(rows)
}

fn refuse_other_type(column: &TableColumn, path: &Path) -> Result<(), FileError> {
    if column.kind.is_number() || column.kind == ColumnKind::Text {
        return Ok(());
    }
    let reason = format!("has type {}: it must have numbers or text", column.type_name());
    Err(FileError::meaning(path, &column.name, reason))
}

/// Reads the next values of a column, which follow `before` others.
fn next_cells(
    column: &TableColumn,
    reader: &mut ColumnReader,
    count: usize,
    before: usize,
    table: &Table,
) -> Result<Vec<Cell<'static>>, FileError> {
    let mut cells = Vec::with_capacity(count);
    let read = match column.kind {
        ColumnKind::Text => column.kind.next_texts(reader, count, |text| {
            let text = text.map(|text| String::from_utf8_lossy(text).trim().to_owned());
            let text = text.filter(|text| !text.is_empty());
            cells.push(text.map_or(Cell::Empty, |text| Cell::Text(text.into())));
        }),
        kind => kind.next_floats(reader, count, |_, number| {
            cells.push(number.map_or(Cell::Empty, Cell::Number));
        }),
    };
    let read = read.map_err(|error| table.damaged(&column.name, &error))?;
    table.refuse_truncated(&column.name, read, count, before)?;
    Ok(cells)
}
