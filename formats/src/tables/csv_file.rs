//! Tables as text.

use super::cell::Cell;
use super::row_reader::RowReader;
use super::tree_columns::names_of_first_line;
use raytwin_files::memory::SHAPE_BYTES;
use raytwin_files::{FileError, FileStore, each_row_below};
use std::path::Path;

/// The rows for which memory is asked for at a time, because nothing says their count before.
const ROWS_AT_A_TIME: usize = 1 << 10;

/// Reads a table. Its first line names the columns.
pub(super) fn read(store: &FileStore, path: &Path) -> Result<Option<RowReader>, FileError> {
    let mut rows: Option<RowReader> = None;
    let mut refused = None;
    let read = each_row_below(store, path, names_of_first_line, |row| match &mut rows {
        None => {
            rows = Some(RowReader::new(row.cells().map(|name| name.text.to_owned()).collect())?);
            Ok(())
        }
        Some(rows) => {
            if rows.count % ROWS_AT_A_TIME == 0 {
                let needs = || format!("its first {} shapes need", rows.count + ROWS_AT_A_TIME);
                let bytes = ROWS_AT_A_TIME as u64 * SHAPE_BYTES;
                if let Err(error) = store.take_memory(path, bytes, needs) {
                    refused = Some(error);
                    return Err(rows.fault(None, "has no room"));
                }
            }
            let mut cells: Vec<Cell<'_>> = row.cells().map(Cell::from_text).collect();
            rows.add(&mut cells)
        }
    });
    read.map_err(|error| refused.unwrap_or(error))?;
    Ok(rows)
}
