//! The labels of a table's rows: numbers, or names, which are numbered here because no table says
//! their numbers.

use super::cell::Cell;
use crate::shortened::shortened;
use std::collections::BTreeMap;

/// The labels of the rows so far.
#[derive(Default)]
pub(super) struct RowLabels {
    has_numbers: bool,
    /// The number of each name: they count from 1 in the order of the rows.
    numbers: BTreeMap<String, u16>,
}

impl RowLabels {
    /// Reads the label of a row, 0 for none. An error is the reason why the cell holds no label.
    pub fn read(&mut self, cell: &Cell<'_>) -> Result<u16, String> {
        if cell.number().is_ok() {
            let number = cell.whole(u16::MAX.into())? as u16;
            self.has_numbers |= number > 0;
            return match self.has_numbers && !self.numbers.is_empty() {
                true => Err(format!("is {number}, and other rows have names: give one of the two")),
                false => Ok(number),
            };
        }
        let name = cell.text();
        if self.has_numbers {
            return Err(format!(
                "is '{}', and other rows have numbers from 1 to {}: give one of the two",
                shortened(&name),
                u16::MAX
            ));
        }
        if let Some(number) = self.numbers.get(&*name) {
            return Ok(*number);
        }
        let number = u16::try_from(self.numbers.len() + 1).map_err(|_| {
            format!("is '{}', and there are {} names before it", shortened(&name), u16::MAX)
        })?;
        self.numbers.insert(name.into_owned(), number);
        Ok(number)
    }

    /// Returns the names of the labels that have one.
    pub fn names(self) -> BTreeMap<u16, String> {
        self.numbers.into_iter().map(|(name, number)| (number, name)).collect()
    }
}
