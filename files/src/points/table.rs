//! Points from the rows of tables, whose other columns are kept for the answers.

use super::column::{Column, ColumnValues};
use crate::bytes::parquet::{ColumnKind, ROWS_AT_A_TIME, Table};
use crate::{CsvRow, FileError, FileStore, RowFault, each_csv_row, nearest};
use std::collections::HashSet;
use std::path::Path;

/// The columns of a point's coordinates.
pub(super) const AXES: [&str; 3] = ["x", "y", "z"];

/// The largest number of bytes that a point and each of its cells need, except for long texts.
pub(super) const CELL_BYTES: usize = 64;

/// The points of a table or a cloud, optionally with its other columns.
#[derive(Debug, Default)]
pub struct PointTable {
    pub(super) positions: Vec<[f64; 3]>,
    /// True if a program wrote the columns, as in a cloud, instead of a person.
    pub(super) is_cloud: bool,
    pub(super) kept: Vec<Column>,
}

impl PointTable {
    /// Reads a `.csv` with the columns `x`, `y` and `z`.
    pub(super) fn read_csv(
        store: &FileStore,
        path: &Path,
        with_columns: bool,
    ) -> Result<Self, FileError> {
        let mut table = Self::default();
        let mut columns: Option<([usize; 3], Vec<usize>)> = None;
        let mut refused = None;
        let mut has_decimal_commas = false;
        let read = each_csv_row(store, path, |row| {
            let Some((axes, others)) = &columns else {
                let names: Vec<&str> = row.cells().map(|cell| cell.text).collect();
                let (axes, mut others) = find(&names)?;
                others.retain(|_| with_columns);
                table.kept = others
                    .iter()
                    .map(|&at| Column::new(names[at], ColumnValues::Texts(vec![])))
                    .collect();
                columns = Some((axes, others));
                has_decimal_commas = row.has_decimal_commas();
                return Ok(());
            };
            if table.positions.len() % ROWS_AT_A_TIME == 0
                && let Err(error) = table.take_memory(store, path, ROWS_AT_A_TIME)
            {
                refused = Some(error);
                return Err(RowFault {
                    column: None,
                    reason: "does not fit into memory".to_owned(),
                });
            }
            table.add(row, *axes, others)
        });
        read.map_err(|error| refused.unwrap_or(error))?;
        if has_decimal_commas {
            table.kept.iter_mut().for_each(Column::point_decimals);
        }
        Ok(table)
    }

    pub(super) fn read_parquet(
        store: &FileStore,
        path: &Path,
        with_columns: bool,
    ) -> Result<Self, FileError> {
        let file = Table::open(store, path)?;
        let names: Vec<&str> = file.columns().iter().map(|column| &column.name[..]).collect();
        let found = find(&names);
        let (axes, mut others) = found.map_err(|RowFault { column, reason }| {
            FileError::meaning(path, column.map_or("", |column| names[column]), reason)
        })?;
        others.retain(|_| with_columns);
        let mut table = Self::default();
        for &at in &others {
            let column = &file.columns()[at];
            let values = match column.kind {
                ColumnKind::Text => ColumnValues::Texts(Vec::new()),
                kind if kind.is_whole() => ColumnValues::Integers(Vec::new()),
                kind if kind.is_number() => ColumnValues::Floats(Vec::new()),
                _ => {
                    let reason = format!(
                        "has type {}, which cannot be written with the answers: remove it",
                        column.type_name()
                    );
                    return Err(FileError::meaning(path, &column.name, reason));
                }
            };
            table.kept.push(Column::new(&column.name, values));
        }
        table.take_memory(store, path, file.row_count())?;
        table.positions = vec![[0.0; 3]; file.row_count()];
        for (axis, &at) in axes.iter().enumerate() {
            let column = &file.columns()[at];
            if !column.kind.is_number() {
                let reason = format!("has type {}: it must have numbers", column.type_name());
                return Err(FileError::meaning(path, &column.name, reason));
            }
            let positions = &mut table.positions;
            let mut first = 0;
            file.each_piece(column, |reader, count| {
                let rows = column.kind.next_floats(reader, count, |row, number| {
                    // A point without a coordinate is invalid, as if it were NaN.
                    positions[first + row][axis] = number.unwrap_or(f64::NAN);
                })?;
                first += rows;
                Ok(rows)
            })?;
        }
        for (kept, &at) in table.kept.iter_mut().zip(&others) {
            let column = &file.columns()[at];
            let mut too_large = None;
            file.each_piece(column, |reader, count| match &mut kept.values {
                ColumnValues::Texts(texts) => column.kind.next_texts(reader, count, |text| {
                    texts.push(text.map(|text| String::from_utf8_lossy(text).into_owned()));
                }),
                ColumnValues::Integers(numbers) => {
                    column.kind.next_integers(reader, count, |_, number| {
                        let narrow = number.map(i64::try_from);
                        too_large = too_large.or(number.filter(|_| matches!(narrow, Some(Err(_)))));
                        numbers.push(narrow.and_then(Result::ok));
                    })
                }
                ColumnValues::Floats(numbers) => {
                    column.kind.next_floats(reader, count, |_, number| numbers.push(number))
                }
                ColumnValues::Singles(_) | ColumnValues::Unsigned(_) => Ok(0),
            })?;
            if let Some(number) = too_large {
                let reason = format!("has {number}: raytwin keeps signed 64-bit integers");
                return Err(FileError::meaning(path, &column.name, reason));
            }
        }
        Ok(table)
    }

    fn add(&mut self, row: CsvRow<'_>, axes: [usize; 3], others: &[usize]) -> Result<(), RowFault> {
        let [x, y, z] = axes.map(|column| row.number(column, "", |_| true));
        self.positions.push([x?, y?, z?]);
        for (column, &at) in self.kept.iter_mut().zip(others) {
            let text = Some(row.text(at)).filter(|text| !text.is_empty());
            column.values.push_text(text);
        }
        Ok(())
    }

    fn take_memory(&self, store: &FileStore, path: &Path, rows: usize) -> Result<(), FileError> {
        let bytes = rows.saturating_mul((1 + self.kept.len()) * CELL_BYTES);
        let needs = || format!("its first {} points need", self.positions.len() + rows);
        store.take_memory(path, bytes as u64, needs)
    }
}

/// Finds the columns of coordinates and all others.
fn find(names: &[&str]) -> Result<([usize; 3], Vec<usize>), RowFault> {
    let mut seen = HashSet::new();
    for (index, name) in names.iter().enumerate() {
        if !seen.insert(name) {
            let reason = format!("is a second column {name}: remove one of the two");
            return Err(RowFault { column: Some(index), reason });
        }
    }
    let at = |wanted: &str| {
        names.iter().position(|name| *name == wanted).ok_or_else(|| {
            let hint = nearest(wanted, names).map(|near| format!(" (did you mean {near}?)"));
            let hint = hint.unwrap_or_default();
            let reason = format!("has no column {wanted}{hint}: points need the columns x y z");
            RowFault { column: None, reason }
        })
    };
    let axes = [at(AXES[0])?, at(AXES[1])?, at(AXES[2])?];
    Ok((axes, (0..names.len()).filter(|index| !axes.contains(index)).collect()))
}
