//! Tables as text.

use super::cell::Cell;
use super::row_reader::{MAX_SHAPES, RowReader};
use super::tree_columns::names_of_first_line;
use raytwin_files::memory::SHAPE_BYTES;
use raytwin_files::{FileError, FileStore, rows_below};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// The number of rows for which memory is requested at a time, because their total is not known
/// before.
const ROWS_AT_A_TIME: usize = 1 << 10;

/// Consecutive rows, and whether they are all rows of the file.
struct Part {
    rows: RowReader,
    is_all: bool,
}

/// Reads a table. Its first line names the columns.
pub(super) fn read(store: &FileStore, path: &Path) -> Result<Option<RowReader>, FileError> {
    let refused = Mutex::new(None);
    let bytes = |rows: usize| rows.next_multiple_of(ROWS_AT_A_TIME) as u64 * SHAPE_BYTES;
    let may_be_split = |rows: usize| rows <= MAX_SHAPES && store.has_memory(bytes(rows));
    let parts = rows_below(
        store,
        path,
        names_of_first_line,
        may_be_split,
        |names, is_all| {
            let names = names.cells().map(|name| name.text.to_owned()).collect();
            Ok(Part { rows: RowReader::new(names)?, is_all })
        },
        |Part { rows, is_all }, row| {
            if *is_all && rows.count % ROWS_AT_A_TIME == 0 {
                let needs = || format!("its first {} shapes need", rows.count + ROWS_AT_A_TIME);
                if let Err(error) = store.take_memory(path, bytes(ROWS_AT_A_TIME), needs) {
                    *refused.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
                    return Err(rows.fault(None, "does not fit into memory"));
                }
            }
            let mut cells: Vec<Cell<'_>> = row.cells().map(Cell::from_text).collect();
            rows.add(&mut cells)?;
            // A part does not know the number of a row, which warnings contain.
            match !*is_all && rows.unread.count > 0 {
                true => Err(rows.fault(None, "was not read as a whole")),
                false => Ok(()),
            }
        },
    );
    let parts = parts.map_err(|error| {
        refused.into_inner().unwrap_or_else(PoisonError::into_inner).unwrap_or(error)
    })?;
    let of_parts = parts.iter().filter(|part| !part.is_all).map(|part| part.rows.count).sum();
    store.take_memory(path, bytes(of_parts), || format!("its {of_parts} shapes need"))?;
    Ok(parts.into_iter().map(|part| part.rows).reduce(|mut all, next| {
        all.append(next);
        all
    }))
}
