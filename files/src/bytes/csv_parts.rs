//! Large tables as text, whose rows are read on all cores.
//!
//! A row of a plain table does not depend on those above it, so the text is cut at ends of lines. A
//! reader that goes through the rows one by one handles everything else, including every fault, and
//! knows the position of each.

use super::csv_file::{delimiter_of, each_row_of_text, reader_of, text_of};
use super::csv_row::{CsvRow, Decimals};
use crate::{FileError, FileStore, RowFault};
use csv::StringRecord;
use rayon::prelude::*;
use std::path::Path;

/// The least number of bytes that one task reads. Threads do not pay off for a shorter text.
const BYTES_A_TASK: usize = 1 << 18;

/// Reads a table as [`each_csv_row`](super::csv_file::each_csv_row) does, and returns the values
/// that collected its rows, in order. `begin` makes such a value from the row of names, and `take`
/// adds a row to it. There are several values for a large plain table, if `may_be_split` allows it
/// for its number of rows and `take` rejects none. `begin` gets true if there is only one value.
/// Otherwise `take` must reject everything that depends on other rows. `columns` converts the names
/// in the first line to the names of the columns.
///
/// # Errors
/// [`FileError`]: the file is unreadable or not a table, or a row is rejected.
pub fn rows_below<T: Send>(
    store: &FileStore,
    path: &Path,
    columns: impl Fn(Vec<String>) -> Vec<String> + Sync,
    may_be_split: impl Fn(usize) -> bool,
    begin: impl Fn(CsvRow<'_>, bool) -> Result<T, RowFault> + Sync,
    take: impl Fn(&mut T, CsvRow<'_>) -> Result<(), RowFault> + Sync,
) -> Result<Vec<T>, FileError> {
    let bytes = store.read(path)?;
    let text = text_of(&bytes);
    if let Some(table) = PlainTable::of(&text, &columns)
        && may_be_split(table.most_rows())
        && let Some(parts) = table.in_parts(|names| begin(names, false), &take)
    {
        return Ok(parts);
    }
    let mut all: Option<T> = None;
    each_row_of_text(path, &text, columns, |row| match &mut all {
        None => {
            all = Some(begin(row, true)?);
            Ok(())
        }
        Some(all) => take(all, row),
    })?;
    Ok(all.into_iter().collect())
}

/// A large table in which the end of a line ends a row.
struct PlainTable<'a> {
    names: StringRecord,
    delimiter: u8,
    /// The text below the names.
    body: &'a str,
}

impl<'a> PlainTable<'a> {
    /// Examines a text; returns `None` if it is short or not plain.
    fn of(text: &'a str, columns: impl Fn(Vec<String>) -> Vec<String>) -> Option<Self> {
        let delimiter = delimiter_of(text);
        // A quoted cell may have ends of lines, a zero ends a table, and the numbers between
        // semicolons have the decimal mark of those above them.
        let is_plain = || !text.bytes().any(|byte| byte == b'"' || byte == 0);
        let is_short = text.len() < 2 * BYTES_A_TASK || rayon::current_num_threads() < 2;
        if is_short || delimiter == b';' || !is_plain() {
            return None;
        }
        let mut reader = reader_of(text.as_bytes(), delimiter);
        let mut first = StringRecord::new();
        if !reader.read_record(&mut first).ok()? {
            return None;
        }
        let names = columns(first.iter().map(|name| name.trim().to_owned()).collect());
        let body = text.get(reader.position().byte() as usize..)?;
        Some(Self { names: names.iter().collect(), delimiter, body })
    }

    fn most_rows(&self) -> usize {
        self.body.bytes().filter(|&byte| byte == b'\n').count() + 1
    }

    /// Reads the rows in parts; returns `None` if one is rejected.
    fn in_parts<T: Send>(
        &self,
        begin: impl Fn(CsvRow<'_>) -> Result<T, RowFault> + Sync,
        take: impl Fn(&mut T, CsvRow<'_>) -> Result<(), RowFault> + Sync,
    ) -> Option<Vec<T>> {
        let Self { names, delimiter, body } = self;
        let part = |text: &str| {
            let decimals = Decimals::of_table(*delimiter);
            let mut taker = begin(CsvRow::new(names, &decimals)).ok()?;
            let mut reader = reader_of(text.as_bytes(), *delimiter);
            let mut record = StringRecord::new();
            while reader.read_record(&mut record).ok()? {
                if record.iter().all(|cell| cell.trim().is_empty()) {
                    continue;
                }
                if record.len() != names.len() {
                    return None;
                }
                take(&mut taker, CsvRow::new(&record, &decimals)).ok()?;
            }
            Some(taker)
        };
        // Each thread gets several parts, so that none waits for another for long.
        let length = body.len().div_ceil(4 * rayon::current_num_threads()).max(BYTES_A_TASK);
        cut_at_lines(body, length).into_par_iter().map(part).collect()
    }
}

/// Cuts a text into parts of whole lines, each with at least this many bytes, except the last.
fn cut_at_lines(mut text: &str, length: usize) -> Vec<&str> {
    let mut parts = Vec::new();
    while !text.is_empty() {
        let line_end = text.bytes().skip(length.max(1) - 1).position(|byte| byte == b'\n');
        let part;
        (part, text) = match line_end {
            Some(more) => text.split_at(length.max(1) + more),
            None => (text, ""),
        };
        parts.push(part);
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_whole_lines_and_all_of_the_text() {
        for text in ["", "\n", "a", "a\n", "a\nbb\n\nccc", "ä\nöö\n\r\nüüü\n"] {
            for length in 0..20 {
                let parts = cut_at_lines(text, length);
                assert_eq!(parts.concat(), text);
                let Some((last, others)) = parts.split_last() else { continue };
                assert!(!last.is_empty());
                assert!(others.iter().all(|it| it.ends_with('\n') && it.len() >= length));
            }
        }
    }

    /// Returns the first cells of the rows of each part.
    fn read(text: &str) -> Result<Vec<Vec<String>>, FileError> {
        let store = FileStore::in_memory([("t.csv", text.as_bytes())]);
        let path = Path::new("t.csv");
        let begin = |names: CsvRow<'_>, _| {
            assert_eq!(names.cells().map(|name| name.text).collect::<Vec<_>>(), ["a", "b"]);
            Ok(Vec::new())
        };
        let take = |found: &mut Vec<String>, row: CsvRow<'_>| match row.text(0) {
            "wrong" => Err(RowFault { column: Some(0), reason: "is wrong".to_owned() }),
            text => {
                found.push(text.to_owned());
                Ok(())
            }
        };
        let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
        pool.install(|| rows_below(&store, path, |names| names, |_| true, begin, take))
    }

    #[test]
    fn rows_of_parts_are_those_of_the_table_in_their_order() {
        let rows: Vec<String> = (0..200_000).map(|row| format!("{row}")).collect();
        for line_end in ["\n", "\r\n", "\n\n"] {
            let text = format!(
                "{line_end}a,b{line_end}{},1{line_end} , ",
                rows.join(&format!(",1{line_end}"))
            );
            let parts = read(&text).unwrap();
            assert!(parts.len() > 3);
            assert_eq!(parts.concat(), rows);
        }
        // A quote may hide the ends of lines.
        let quoted = format!("a,b\n{},1\n\"x\ny\",1\n", rows.join(",1\n"));
        assert_eq!(read(&quoted).unwrap().len(), 1);
    }

    #[test]
    fn a_fault_in_a_part_has_the_line_of_the_file() {
        let mut rows = vec!["right,1"; 200_000];
        rows[150_000] = "wrong,1";
        rows[170_000] = "right";
        let error = read(&format!("a,b\n{}\n", rows.join("\n"))).err().unwrap().to_string();
        assert!(error.contains("150002") && error.contains("a is wrong"), "{error}");
        rows[150_000] = "right,1";
        let error = read(&format!("a,b\n{}\n", rows.join("\n"))).err().unwrap().to_string();
        assert!(error.contains("170002") && error.contains("1 cells"), "{error}");
    }
}
