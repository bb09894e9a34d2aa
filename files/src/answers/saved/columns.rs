//! The arrays of a file or folder of answers, which are read one by one.

use super::arrays::{ArraysWithOthers, NamedArrays, in_folder, lone_array};
use super::names::{NAMES, RULE};
use crate::bytes::npz::{ArrayToRead, arrays_to_read};
use crate::bytes::parquet::{ColumnKind, Table, TableColumn};
use crate::{FileError, FileStore, has_extension, nearest};
use raytwin::ray::NONE;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The arrays of a file or folder of answers.
#[derive(Debug)]
pub(super) struct AnswerColumns {
    pub path: PathBuf,
    source: AnswerSource,
    /// The names of the arrays that were read.
    read: BTreeSet<&'static str>,
}

#[derive(Debug)]
enum AnswerSource {
    /// The arrays of answers, and the names of other arrays in the same folder.
    Arrays(NamedArrays, Vec<String>),
    Table(Box<Table>),
}

fn of_arrays((arrays, others): ArraysWithOthers) -> AnswerSource {
    AnswerSource::Arrays(arrays, others)
}

impl AnswerColumns {
    pub fn open(path: &Path) -> Result<Self, FileError> {
        let is_of = |extension: &str| has_extension(path, &[extension]);
        let source = if path.is_dir() {
            of_arrays(in_folder(path)?)
        } else if is_of("parquet") {
            let table = Table::open(&FileStore::disk(), path)?;
            refuse_lists(&table)?;
            refuse_misspelt(&table)?;
            AnswerSource::Table(Box::new(table))
        } else if is_of("npz") {
            let arrays = arrays_to_read(&FileStore::disk(), path, NAMES, RULE)?;
            let named = NAMES.into_iter().zip(arrays);
            let there = named.filter_map(|(name, array)| Some((name, array?))).collect();
            AnswerSource::Arrays(there, Vec::new())
        } else if is_of("npy") {
            of_arrays(lone_array(path)?)
        } else {
            let reason = "answers must be an .npz file, an .npy file, a folder of .npy files or a .parquet file";
            return Err(FileError::meaning(path, "", reason));
        };
        Ok(Self { path: path.to_owned(), source, read: BTreeSet::new() })
    }

    pub fn has(&self, name: &str) -> bool {
        match &self.source {
            AnswerSource::Arrays(arrays, _) => arrays.iter().any(|(known, _)| *known == name),
            AnswerSource::Table(table) => {
                let wanted = column_name(table, name);
                table.columns().iter().any(|column| column.name == wanted)
            }
        }
    }

    /// Returns the names and the shapes of its arrays; an empty list for a table, which has only
    /// rows.
    pub fn shapes(&self) -> impl Iterator<Item = (&'static str, &[usize])> {
        let arrays: &[(&'static str, ArrayToRead)] = match &self.source {
            AnswerSource::Arrays(arrays, _) => arrays,
            AnswerSource::Table(_) => &[],
        };
        arrays.iter().map(|(name, array)| (*name, &array.header.shape[..]))
    }

    /// Returns the names of the arrays that were not read, as the file spells them.
    pub fn unread(&self) -> Vec<String> {
        match &self.source {
            AnswerSource::Arrays(arrays, others) => {
                let names = arrays.iter().map(|(name, _)| *name);
                let unread = names.filter(|name| !self.read.contains(name)).map(str::to_owned);
                unread.chain(others.iter().cloned()).collect()
            }
            AnswerSource::Table(table) => {
                let read: Vec<&str> =
                    self.read.iter().map(|name| column_name(table, name)).collect();
                let names = table.columns().iter().map(|column| &column.name);
                names.filter(|name| !read.contains(&name.as_str())).cloned().collect()
            }
        }
    }

    /// Returns the name that an array has in such a file.
    pub fn name_in_file<'a>(&self, name: &'a str) -> &'a str {
        match &self.source {
            AnswerSource::Arrays(..) => name,
            AnswerSource::Table(table) => column_name(table, name),
        }
    }

    pub fn missing(&self, name: &str) -> FileError {
        match &self.source {
            AnswerSource::Table(table) => table.missing(self.name_in_file(name), RULE),
            AnswerSource::Arrays(arrays, _) => {
                let names: Vec<&str> = arrays.iter().map(|(name, _)| *name).collect();
                let near = nearest(name, &names).map(|near| format!(", but has {near}"));
                let reason =
                    format!("has no array named {name}{}: {RULE}", near.unwrap_or_default());
                FileError::meaning(&self.path, "", reason)
            }
        }
    }

    /// Returns an error for a file without answers.
    pub fn without_answers(&self) -> FileError {
        FileError::meaning(&self.path, "", format!("has no answers to judge: {RULE}"))
    }

    /// Returns an error for a file with neither distances nor ids of closest hits.
    pub fn without_hits(&self) -> FileError {
        let [t_hit, ids] = ["t_hit", "geometry_ids"].map(|name| self.name_in_file(name));
        let reason = format!(
            "has neither distances nor ids of closest hits: give {t_hit}, distance or z, or {ids}, or both"
        );
        FileError::meaning(&self.path, "", reason)
    }

    /// Reads truth values, which may be stored as the integers 0 and 1.
    pub fn truths(&mut self, name: &'static str, count: usize) -> Result<Vec<bool>, FileError> {
        self.checked(name, Some(count), "must be 0, 1, true or false", |number| match number {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        })
    }

    pub fn counts(
        &mut self,
        name: &'static str,
        count: Option<usize>,
    ) -> Result<Vec<u32>, FileError> {
        let rule = "must be from 0 to 4294967295";
        self.checked(name, count, rule, |number| u32::try_from(number).ok())
    }

    /// Reads ids. Signed arrays have -1 for none.
    pub fn ids(&mut self, name: &'static str, count: Option<usize>) -> Result<Vec<u32>, FileError> {
        let rule = "must be from 0 to 4294967295, where 4294967295 and -1 stand for none";
        self.checked(name, count, rule, |number| match number {
            -1 => Some(NONE),
            number => u32::try_from(number).ok(),
        })
    }

    /// Reads integers and converts each into a value; `None` is an error with the rule.
    pub fn checked<T>(
        &mut self,
        name: &'static str,
        count: Option<usize>,
        rule: &str,
        value_of: impl Fn(i128) -> Option<T>,
    ) -> Result<Vec<T>, FileError> {
        let path = self.path.clone();
        let (mut integers, mut null) = (Vec::new(), None);
        match self.column(name, count)? {
            SavedColumn::Array(array, count) => {
                let mut numbers = array.numbers(&path)?;
                integers = numbers.integers(count)?;
                numbers.finish()?;
            }
            SavedColumn::Table(table) => {
                let whole = (ColumnKind::is_whole as fn(_) -> _, "integers or truth values");
                read_column(table, column_name(table, name), whole, |kind, reader, count| {
                    kind.next_integers(reader, count, |_, number| {
                        push_or_note(&mut integers, number, &mut null);
                    })
                })?;
            }
        }
        refuse_null(&path, name, rule, null)?;
        values(&path, name, rule, integers, value_of)
    }

    /// Reads numbers and rounds each to float32.
    pub fn floats(
        &mut self,
        name: &'static str,
        count: Option<usize>,
    ) -> Result<Vec<f32>, FileError> {
        let path = self.path.clone();
        let (mut floats, mut null) = (Vec::new(), None);
        match self.column(name, count)? {
            SavedColumn::Array(array, count) => {
                let mut numbers = array.numbers(&path)?;
                floats = numbers.floats(count)?;
                numbers.finish()?;
            }
            SavedColumn::Table(table) => {
                let number = (ColumnKind::is_number as fn(_) -> _, "numbers");
                read_column(table, column_name(table, name), number, |kind, reader, count| {
                    kind.next_floats(reader, count, |_, number| {
                        push_or_note(&mut floats, number, &mut null);
                    })
                })?;
            }
        }
        let rule = "must be in the range of float32, and inf for a miss";
        refuse_null(&path, name, rule, null)?;
        values(&path, name, rule, floats, |number: f64| {
            let rounded = number as f32;
            (rounded.is_finite() || !number.is_finite()).then_some(rounded)
        })
    }

    /// Finds an array. If a count is given, the array must have this many numbers.
    fn column(
        &mut self,
        name: &'static str,
        count: Option<usize>,
    ) -> Result<SavedColumn<'_>, FileError> {
        if !self.has(name) {
            return Err(self.missing(name));
        }
        self.read.insert(name);
        let refuse = |path: &Path, found: usize| match count {
            Some(count) if count != found => {
                let reason = format!(
                    "has {found} numbers, but there are {count} rays or points to compare: give the rays or points of these answers"
                );
                Err(FileError::meaning(path, name, reason))
            }
            _ => Ok(found),
        };
        let path = &self.path;
        match &mut self.source {
            AnswerSource::Arrays(arrays, _) => {
                let array = arrays.iter_mut().find(|(known, _)| *known == name);
                let Some((_, array)) = array else {
                    return Err(FileError::meaning(path, name, "is missing"));
                };
                let found = array.header.shape.iter().product();
                let found = refuse(path, found)?;
                Ok(SavedColumn::Array(array, found))
            }
            AnswerSource::Table(table) => {
                refuse(path, table.row_count())?;
                Ok(SavedColumn::Table(table))
            }
        }
    }
}

/// One array of the answers.
enum SavedColumn<'a> {
    /// An array, and the count of its numbers.
    Array(&'a mut ArrayToRead, usize),
    Table(&'a Table),
}

/// The name of the Parquet column for an array: the name of one of its numbers, if it differs from
/// that of the array.
fn column_name<'a>(table: &Table, array: &'a str) -> &'a str {
    let of_one = match array {
        "geometry_ids" => "geometry_id",
        "primitive_ids" => "primitive_id",
        name => name,
    };
    let has = |name: &str| table.columns().iter().any(|column| column.name == name);
    if has(of_one) || !has(array) { of_one } else { array }
}

/// Rejects a column whose name differs only in capital letters from one that is judged, because it
/// would not be judged.
fn refuse_misspelt(table: &Table) -> Result<(), FileError> {
    for column in table.columns() {
        let known = NAMES.iter().chain(&["geometry_id", "primitive_id"]);
        let meant = known.into_iter().find(|known| known.eq_ignore_ascii_case(&column.name));
        if let Some(meant) = meant.filter(|meant| **meant != column.name) {
            let reason = format!("is not judged: rename it to {meant}, or remove it");
            return Err(FileError::meaning(table.path(), &column.name, reason));
        }
    }
    Ok(())
}

/// Adds a number to a column, or for the first null notes its row.
fn push_or_note<N: Default>(numbers: &mut Vec<N>, number: Option<N>, null: &mut Option<usize>) {
    if number.is_none() {
        null.get_or_insert(numbers.len());
    }
    numbers.push(number.unwrap_or_default());
}

/// Returns an error for the row of a null, which is never an answer.
fn refuse_null(path: &Path, name: &str, rule: &str, row: Option<usize>) -> Result<(), FileError> {
    match row {
        Some(row) => {
            Err(FileError::meaning(path, format!("{name}[{row}]"), format!("is null: it {rule}")))
        }
        None => Ok(()),
    }
}

/// Converts each number into a value, and rejects the first that has none, with its row.
fn values<N: Copy + std::fmt::Display, T>(
    path: &Path,
    name: &str,
    rule: &str,
    numbers: Vec<N>,
    value_of: impl Fn(N) -> Option<T>,
) -> Result<Vec<T>, FileError> {
    let checked = numbers.into_iter().enumerate().map(|(row, number)| {
        value_of(number).ok_or_else(|| {
            FileError::meaning(path, format!("{name}[{row}]"), format!("is {number}: it {rule}"))
        })
    });
    checked.collect()
}

/// Reads a column of a table from its start to its end. Its kind must be supported.
fn read_column(
    table: &Table,
    name: &str,
    (is_read, rule): (fn(ColumnKind) -> bool, &str),
    mut next: impl FnMut(
        ColumnKind,
        &mut ::parquet::column::reader::ColumnReader,
        usize,
    ) -> Result<usize, ::parquet::errors::ParquetError>,
) -> Result<(), FileError> {
    let column = table.column(name)?.ok_or_else(|| table.missing(name, RULE))?;
    if !is_read(column.kind) {
        let found = column.type_name();
        let reason =
            format!("has type {found}: it must be {rule}; cast the column before you write it");
        return Err(FileError::meaning(table.path(), name, reason));
    }
    table.each_piece(column, |reader, count| next(column.kind, reader, count))
}

/// Rejects the answers to [`Query::All`](raytwin::query::Query::All), which a Parquet file has as
/// lists.
fn refuse_lists(table: &Table) -> Result<(), FileError> {
    let is_list = |column: &&TableColumn| {
        matches!(column.kind, ColumnKind::Nested)
            && ["t_hit", "geometry_id", "primitive_id"].contains(&&column.name[..])
    };
    match table.columns().iter().find(is_list) {
        None => Ok(()),
        Some(column) => Err(FileError::meaning(
            table.path(),
            &column.name,
            "is a list of the crossings of each ray, which raytwin writes to .parquet but does not read: save the answers as .npz or in a folder",
        )),
    }
}
