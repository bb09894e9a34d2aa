//! Tables as text, with cells separated by commas, semicolons or tabs. Numbers between semicolons
//! may have decimal commas.

use super::csv_row::{CsvRow, Decimals};
use crate::{FileError, FileStore, RowFault, decoded_text, nearest};
use csv::{Reader, ReaderBuilder, StringRecord, Trim};
use std::borrow::Cow;
use std::io::Read;
use std::path::Path;

/// A row that is read after those of the file. If a quote is not closed, it swallows this row
/// together with the rows after the quote. The crate does not report this.
const LAST_ROW: &[u8] = b"\n\0";

/// Reads a table and passes its rows to `take`. The first row has the names of the columns. All
/// rows have the same number of cells. Rows of empty cells are skipped. A fault of a row becomes an
/// error with its line and column.
///
/// # Errors
/// [`FileError`]: the file is unreadable or not a table, or `take` rejects a row.
pub fn each_csv_row(
    store: &FileStore,
    path: &Path,
    take: impl FnMut(CsvRow<'_>) -> Result<(), RowFault>,
) -> Result<(), FileError> {
    let bytes = store.read(path)?;
    each_row_of_text(path, &text_of(&bytes), |names| names, take)
}

/// Reads a table of known columns, and passes the index of each column and the rows to `take`. The
/// tuple states what the rows are, the names of the columns, and the number of required ones, which
/// come first.
///
/// # Errors
/// [`FileError`]: the file is unreadable or not a table, a column is unknown or missing, or `take`
/// rejects a row.
pub fn each_row_of<const N: usize>(
    store: &FileStore,
    path: &Path,
    (rows, known, needed): (&str, [&str; N], usize),
    mut take: impl FnMut([Option<usize>; N], CsvRow<'_>) -> Result<(), RowFault>,
) -> Result<(), FileError> {
    let mut columns: Option<[Option<usize>; N]> = None;
    each_csv_row(store, path, |record| match columns {
        Some(columns) => take(columns, record),
        None => {
            columns = Some(find_columns(record, rows, known, needed)?);
            Ok(())
        }
    })
}

/// Finds the columns by the names in the first line.
fn find_columns<const N: usize>(
    names: CsvRow<'_>,
    rows: &str,
    known: [&str; N],
    needed: usize,
) -> Result<[Option<usize>; N], RowFault> {
    let mut found = [None; N];
    for (index, name) in names.cells().map(|cell| cell.text).enumerate() {
        let fault = |reason| RowFault { column: Some(index), reason };
        let Some(which) = known.iter().position(|known| *known == name) else {
            let hint = nearest(name, &known).map_or_else(
                || format!("the columns are {}", known.join(", ")),
                |near| format!("did you mean {near}?"),
            );
            return Err(fault(format!(
                "is called '{name}', which is not a column of {rows}: {hint}"
            )));
        };
        if found[which].replace(index).is_some() {
            return Err(fault(format!("is a second column {name}: remove one of the two")));
        }
    }
    match known[..needed].iter().zip(found).find(|(_, column)| column.is_none()) {
        Some((name, _)) => {
            let reason = format!("has no column {name}: the first line names {}", known.join(","));
            Err(RowFault { column: None, reason })
        }
        None => Ok(found),
    }
}

/// Returns the text of a table. Spreadsheets save names in windows-1252 and whole tables in UTF-16,
/// and zeros may pad a block.
pub(super) fn text_of(bytes: &[u8]) -> Cow<'_, str> {
    match decoded_text(bytes).text {
        Cow::Borrowed(text) => text.trim_end_matches('\0').into(),
        Cow::Owned(mut text) => {
            text.truncate(text.trim_end_matches('\0').len());
            text.into()
        }
    }
}

/// Reads the rows of a text, whose cells are separated by this character.
pub(super) fn reader_of<R: Read>(text: R, delimiter: u8) -> Reader<R> {
    ReaderBuilder::new()
        .delimiter(delimiter)
        .has_headers(false)
        .flexible(true)
        .trim(Trim::None)
        .from_reader(text)
}

/// Reads a table from its text. `columns` converts the names in the first line to the names of the
/// columns, which `take` gets first.
pub(super) fn each_row_of_text(
    path: &Path,
    text: &str,
    columns: impl Fn(Vec<String>) -> Vec<String>,
    mut take: impl FnMut(CsvRow<'_>) -> Result<(), RowFault>,
) -> Result<(), FileError> {
    let delimiter = delimiter_of(text);
    let mut reader = reader_of(text.as_bytes().chain(LAST_ROW), delimiter);
    let file = CsvText { path, text, delimiter };
    let decimals = Decimals::of_table(delimiter);
    let mut record = StringRecord::new();
    let mut names: Option<Vec<String>> = None;
    while reader.read_record(&mut record).map_err(|error| FileError::meaning(path, "", error))? {
        if record.iter().eq(["\0"]) {
            break;
        }
        let start = record.position().map_or(0, |position| position.byte() as usize);
        let refuse = |fault: RowFault| file.refuse(start, fault);
        if record.iter().next_back().is_some_and(|cell| cell.ends_with("\n\0")) {
            let reason = "a quote in this row is not closed".to_owned();
            return Err(refuse(RowFault { column: None, reason }));
        }
        let Some(names) = &names else {
            let columns = columns(record.iter().map(|name| name.trim().to_owned()).collect());
            take(CsvRow::new(&columns.iter().collect(), &decimals)).map_err(refuse)?;
            names = Some(columns);
            continue;
        };
        if record.iter().all(|cell| cell.trim().is_empty()) {
            continue;
        }
        if record.len() != names.len() {
            let reason = format!(
                "this row has {} cells, and the first line names {} columns",
                record.len(),
                names.len()
            );
            return Err(refuse(RowFault { column: None, reason }));
        }
        take(CsvRow::new(&record, &decimals)).map_err(|RowFault { column, reason }| {
            let reason = match column.map(|column| &names[column]) {
                Some(name) => format!("{name} {reason}"),
                None => format!("this row {reason}"),
            };
            refuse(RowFault { column, reason })
        })?;
    }
    match names {
        Some(_) => Ok(()),
        None => Err(file.refuse(
            0,
            RowFault {
                column: None,
                reason: "the file is empty: its first line names columns".to_owned(),
            },
        )),
    }
}

/// The character between cells: the one that is most frequent in the first line.
pub(super) fn delimiter_of(text: &str) -> u8 {
    let first_line = text.lines().next().unwrap_or_default();
    let count = |delimiter: &u8| first_line.bytes().filter(|byte| byte == delimiter).count();
    // `max_by_key` returns the last of several that are equally frequent.
    [b'\t', b';', b','].into_iter().max_by_key(count).unwrap_or(b',')
}

/// The text of a file, with the positions of its errors.
struct CsvText<'a> {
    path: &'a Path,
    text: &'a str,
    delimiter: u8,
}

impl CsvText<'_> {
    /// The error for a row that begins at this byte.
    fn refuse(&self, start: usize, fault: RowFault) -> FileError {
        let bytes = self.text.as_bytes();
        // The reader counts an empty line as part of the row after it.
        let line_ends = bytes[start..].iter().take_while(|byte| b"\r\n".contains(byte)).count();
        let mut place = start + line_ends;
        let (mut left, mut is_quoted) = (fault.column.unwrap_or(0), false);
        while left > 0 && place < bytes.len() {
            is_quoted ^= bytes[place] == b'"';
            left -= usize::from(bytes[place] == self.delimiter && !is_quoted);
            place += 1;
        }
        let before = String::from_utf8_lossy(&bytes[..place]);
        let line_start = before.rfind('\n').map_or(0, |end| end + 1);
        FileError::Syntax {
            path: self.path.to_owned(),
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
            reason: fault.reason,
        }
    }
}
