//! The reason why a row of a table, or the row of names, cannot be read.

/// A fault of a row.
#[derive(Debug)]
pub struct RowFault {
    /// The index of the column at fault, if it is one column's.
    pub column: Option<usize>,
    /// The reason says what is wrong.
    pub reason: String,
}
