//! Integer columns that are not fields of shapes, such as the tree that a branch belongs to.

use super::cell::Cell;
use std::collections::BTreeMap;

/// The largest number of such columns of a table. Others are not read.
const MAX_COLUMNS: usize = 64;

/// The columns of a table that have only whole numbers so far.
#[derive(Default)]
pub(super) struct CandidateColumns(Vec<CandidateColumn>);

struct CandidateColumn {
    index: usize,
    numbers: Vec<i32>,
    has_number: bool,
}

impl CandidateColumns {
    /// The first such columns, some of which may turn out to have other values.
    pub fn among(columns: &[usize]) -> Self {
        let candidate = |&index| CandidateColumn { index, numbers: Vec::new(), has_number: false };
        Self(columns.iter().take(MAX_COLUMNS).map(candidate).collect())
    }

    /// Adds the values of a row. An empty one is 0.
    pub fn add(&mut self, cells: &[Cell<'_>]) {
        self.0.retain_mut(|column| {
            let cell = &cells[column.index];
            let number = if cell.is_unused() { Some(0) } else { whole_number(cell) };
            column.has_number |= !cell.is_unused();
            column.numbers.extend(number);
            number.is_some()
        });
    }

    /// Adds the values of further rows with the same columns.
    pub fn append(&mut self, next: Self) {
        let mut next = next.0;
        self.0.retain_mut(|column| {
            let Some(other) = next.iter_mut().find(|other| other.index == column.index) else {
                return false;
            };
            column.has_number |= other.has_number;
            column.numbers.append(&mut other.numbers);
            true
        });
    }

    /// Returns the columns that have numbers, by name, and the indices of them in the file.
    pub fn finish(self, names: &[String]) -> (BTreeMap<String, Vec<i32>>, Vec<usize>) {
        let columns = self.0.into_iter().filter(|column| column.has_number);
        columns.map(|it| ((names[it.index].clone(), it.numbers), it.index)).unzip()
    }
}

fn whole_number(cell: &Cell<'_>) -> Option<i32> {
    // An unknown column may belong to another program, which writes numbers in its own way.
    let number: f64 = match cell {
        Cell::Number(number) => *number,
        text => text.text().parse().ok()?,
    };
    let is_whole =
        number.fract() == 0.0 && (f64::from(i32::MIN)..=f64::from(i32::MAX)).contains(&number);
    is_whole.then_some(number as i32)
}
