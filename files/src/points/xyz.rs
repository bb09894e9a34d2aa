//! Points from text without names: a point in each line, as `x y z` between spaces, tabs, commas or
//! semicolons. Further values, such as colours, are not read.

use super::table::{CELL_BYTES, PointTable};
use crate::bytes::text_encoding::decoded_text;
use crate::{FileError, FileStore};
use std::path::Path;

/// Reads the points of a file. It has no named columns to keep.
pub(super) fn read(store: &FileStore, path: &Path, _: bool) -> Result<PointTable, FileError> {
    let bytes = store.read(path)?;
    let text = decoded_text(&bytes).text;
    let lines = text.lines().count();
    let needs = || format!("its {lines} points need");
    store.take_memory(path, (lines * CELL_BYTES) as u64, needs)?;
    let mut table = PointTable { is_cloud: true, ..PointTable::default() };
    let mut has_more = false;
    for (line, text) in (1..).zip(text.lines()) {
        let content = text.split(['#', '\0']).next().unwrap_or_default();
        let mut words = content
            .split(|letter: char| letter.is_whitespace() || [',', ';'].contains(&letter))
            .filter(|word| !word.is_empty());
        let mut next = || words.next().map(str::parse::<f64>);
        let position = match [next(), next(), next()] {
            [None, ..] => continue,
            [Some(Ok(x)), Some(Ok(y)), Some(Ok(z))] => [x, y, z],
            _ => {
                let reason =
                    "is not a point: a line of an .xyz file must begin with three numbers, x y z"
                        .to_owned();
                return Err(FileError::Syntax { path: path.to_owned(), line, column: 1, reason });
            }
        };
        has_more |= words.next().is_some();
        table.positions.push(position);
    }
    if has_more {
        let path = path.display();
        log::warn!("{path}: reads only x y z of each line, because the other values have no names");
    }
    Ok(table)
}
