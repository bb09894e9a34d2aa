//! The reason why a row of a table, or the row of names, cannot be read.

/// A fault of a row.
#[derive(Debug)]
pub(crate) struct RowFault {
    /// The index of the column at fault, if it is one column's.
    pub column: Option<usize>,
    pub reason: String,
}
