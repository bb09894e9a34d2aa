//! Tables as text.

use super::RowReader;
use super::cell::Cell;
use crate::import::Imported;
use crate::io::{FileError, FileStore, each_csv_row};
use crate::scene::Scene;
use std::path::Path;

/// Reads a table. Its first line names the columns.
pub(super) fn read(store: &FileStore, empty: Scene, path: &Path) -> Result<Imported, FileError> {
    let mut empty = Some(empty);
    let mut rows: Option<RowReader> = None;
    each_csv_row(store, path, |record| match &mut rows {
        None => {
            let names = record.iter().map(|name| name.trim().to_owned()).collect();
            rows = Some(RowReader::new(empty.take().unwrap_or_default(), names)?);
            Ok(())
        }
        Some(rows) => {
            let cells: Vec<Cell<'_>> = record.iter().map(Cell::from_text).collect();
            rows.add(&cells)
        }
    })?;
    // A file without rows is an error already.
    Ok(rows.map(RowReader::finish).unwrap_or_default())
}
