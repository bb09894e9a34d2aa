//! The columns of a record.

use super::hybrid36::hybrid36;
use std::ops::Range;

/// Returns the text in these columns, which are counted from 0; it is empty after the end of the
/// record.
pub(super) fn field(line: &str, columns: Range<usize>) -> &str {
    line.get(columns.start..columns.end.min(line.len())).unwrap_or_default().trim()
}

pub(super) fn letter(line: &str, column: usize) -> Option<char> {
    field(line, column..column + 1).chars().next()
}

/// Returns the chain, the name and the number with its insertion code of a residue whose name
/// begins in this column.
pub(super) fn residue(line: &str, start: usize) -> [String; 3] {
    // The fourth column of the name is blank, except in CHARMM files.
    let name = field(line, start..start + 4);
    let chain = field(line, start + 4..start + 5);
    let number = field(line, start + 5..start + 9);
    let number = hybrid36(number).map_or(number.to_owned(), |number| number.to_string());
    let insertion_code = field(line, start + 9..start + 10);
    [chain.to_owned(), name.to_owned(), number + insertion_code]
}
