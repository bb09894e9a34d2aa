//! A row of a table as text, and the notation of the table's numbers.

use crate::RowFault;
use csv::StringRecord;
use std::cell::Cell;

/// A row of a table.
#[derive(Clone, Copy, Debug)]
pub struct CsvRow<'a> {
    record: &'a StringRecord,
    decimals: &'a Decimals,
}

impl<'a> CsvRow<'a> {
    pub(crate) fn new(record: &'a StringRecord, decimals: &'a Decimals) -> Self {
        Self { record, decimals }
    }

    /// Returns the cells in their order.
    pub fn cells(self) -> impl Iterator<Item = CsvCell<'a>> {
        let cell = move |text: &'a str| CsvCell { text: text.trim(), decimals: self.decimals };
        self.record.iter().map(cell)
    }

    /// Returns true if the numbers of the table may have decimal commas.
    pub(crate) fn has_decimal_commas(self) -> bool {
        self.decimals.has_commas
    }

    /// Returns the text of a cell without the spaces around it. It is empty if there is no column.
    pub fn text(self, column: impl Into<Option<usize>>) -> &'a str {
        column.into().map_or("", |column| self.record[column].trim())
    }

    /// Reads the number of a cell.
    ///
    /// # Errors
    /// A [`RowFault`] of this column: the cell has no number, or a number that is not allowed. The
    /// rule states what is allowed, such as `above 0`.
    pub fn number(
        self,
        column: impl Into<Option<usize>>,
        rule: &str,
        is_allowed: impl Fn(f64) -> bool,
    ) -> Result<f64, RowFault> {
        let column = column.into();
        let text = self.text(column);
        let fault = |reason| RowFault { column, reason };
        let number = CsvCell { text, decimals: self.decimals }.number().map_err(fault)?;
        number.filter(|number| is_allowed(*number)).ok_or_else(|| {
            let rule = if rule.is_empty() { String::new() } else { format!(" {rule}") };
            let shown: String = text.chars().take(SHOWN).collect();
            fault(match text {
                "" => format!("is empty: it must be a number{rule}"),
                _ => format!("is '{shown}': it must be a number{rule}"),
            })
        })
    }
}

/// The largest number of letters of a cell in a message.
const SHOWN: usize = 40;

/// A cell of a table.
#[derive(Clone, Copy, Debug)]
pub struct CsvCell<'a> {
    /// The text without the spaces around it.
    pub text: &'a str,
    decimals: &'a Decimals,
}

impl CsvCell<'_> {
    /// Reads the number, which is `None` for another text.
    ///
    /// # Errors
    /// The reason why the notation of a number is ambiguous.
    pub fn number(self) -> Result<Option<f64>, String> {
        self.decimals.number(self.text)
    }
}

/// The notation of a table's numbers.
#[derive(Debug)]
pub(crate) struct Decimals {
    /// True if a number may have a decimal comma.
    has_commas: bool,
    /// The decimal mark of the numbers so far.
    mark: Cell<Option<char>>,
}

impl Decimals {
    /// Returns the notation for a table with this character between cells. Decimal commas occur
    /// with semicolons, in spreadsheets of languages that use both.
    pub fn of_table(delimiter: u8) -> Self {
        Self { has_commas: delimiter == b';', mark: Cell::new(None) }
    }

    fn number(&self, text: &str) -> Result<Option<f64>, String> {
        if !self.has_commas {
            return Ok(text.parse().ok());
        }
        let Ok(number) = text.replace(',', ".").parse() else {
            let is_grouped = text.contains(',') && text.contains('.');
            let is_number = || text.replace([',', '.'], "").parse::<f64>().is_ok();
            return match is_grouped && is_number() {
                true => Err(format!(
                    "is '{text}': a number may have one decimal comma or point, and no separators"
                )),
                false => Ok(None),
            };
        };
        let mark = text.chars().find(|letter| [',', '.'].contains(letter));
        match (mark, self.mark.get()) {
            (Some(mark), Some(before)) if mark != before => Err(format!(
                "is '{text}', but an earlier number has a decimal '{before}': use one decimal mark in the whole file"
            )),
            (mark, before) => {
                self.mark.set(before.or(mark));
                Ok(Some(number))
            }
        }
    }
}
