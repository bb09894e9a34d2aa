//! The reason why a row of a table, or the row of names, cannot be read.

/// A fault of a row.
#[derive(Debug)]
pub struct RowFault {
    /// The index of the column at fault, if the fault concerns one column.
    pub column: Option<usize>,
    /// The reason.
    pub reason: String,
}
