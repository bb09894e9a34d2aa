//! Rows of numbers, as bulk files and tables have them by the million.

use super::GraphShape;
use crate::fields::ShapeError;
use crate::io::FileError;
use crate::scene::{Name, RowError};
use crate::shapes::{SHAPE_TYPES, ShapeType};
use std::path::Path;

/// Closed forms of a group, each a row of numbers. Rows take a fraction of the memory that as many [`GraphShape`]s do.
#[derive(Clone, Debug)]
pub(crate) struct GraphRows {
    pub group: u32,
    /// The index of the first among the group's shapes.
    pub first: u32,
    /// The index of each row's type among [`SHAPE_TYPES`].
    pub kinds: Vec<u8>,
    /// The numbers of all rows, one row after another, in the order of their types' fields.
    pub numbers: Vec<f64>,
    /// The names of the rows that have one, by the index of the row.
    pub names: Vec<(u32, Name)>,
    /// The masks of the rows that have one.
    pub masks: Vec<(u32, u32)>,
    /// The colours of the rows that have one.
    pub colors: Vec<(u32, [f32; 3])>,
    pub place: RowPlace,
}

/// The way in which messages tell the place of a row in its file.
#[derive(Clone, Copy, Debug)]
pub(crate) enum RowPlace {
    /// By the array of the row's type, and the index there: that of the first row is given.
    Array(usize),
    /// By the number of the row in the file: that of the first row is given.
    Row(usize),
    /// By the id that the file gives to the row.
    Id,
}

impl GraphRows {
    /// No rows yet.
    pub fn new(first: u32, place: RowPlace) -> Self {
        Self {
            group: 0,
            first,
            kinds: Vec::new(),
            numbers: Vec::new(),
            names: Vec::new(),
            masks: Vec::new(),
            colors: Vec::new(),
            place,
        }
    }

    pub fn len(&self) -> u32 {
        self.kinds.len() as u32
    }

    /// Iterates over the types and numbers of the rows.
    pub fn iter(&self) -> impl Iterator<Item = (&'static ShapeType, &[f64])> {
        let mut rest = &self.numbers[..];
        self.kinds.iter().map(move |&kind| {
            let kind = &SHAPE_TYPES[usize::from(kind)];
            let row;
            (row, rest) = rest.split_at(kind.columns());
            (kind, row)
        })
    }

    /// Iterates over the rows as single shapes, which are not checked.
    pub fn shapes(&self) -> impl Iterator<Item = GraphShape> {
        let [mut names, mut masks, mut colors] = [0; 3];
        (0..).zip(self.iter()).map(move |(row, (kind, numbers))| GraphShape {
            name: next(&self.names, &mut names, row),
            mask: next(&self.masks, &mut masks, row).unwrap_or(u32::MAX),
            color: next(&self.colors, &mut colors, row),
            ..GraphShape::new(self.group, self.first + row, kind.unchecked(numbers).into())
        })
    }

    /// The error for a row that cannot be in a scene.
    pub fn refuse(&self, path: &Path, RowError { row, error }: RowError) -> FileError {
        let ShapeError { field, reason } = error;
        let dot = if field.is_empty() { "" } else { "." };
        let kind = SHAPE_TYPES[usize::from(self.kinds[row])].name;
        let place = match self.place {
            RowPlace::Array(first) => format!("{kind}[{}]{dot}{field}", first + row),
            RowPlace::Row(first) => format!("row {}{dot}{field}", first + row),
            RowPlace::Id => format!("id {}{dot}{field}", self.first as usize + row),
        };
        FileError::meaning(path, place, reason)
    }
}

/// The value of a row, if `values` has one for it at `at`, which moves on then.
fn next<T: Clone>(values: &[(u32, T)], at: &mut usize, row: u32) -> Option<T> {
    let (_, value) = values.get(*at).filter(|(of, _)| *of == row)?;
    *at += 1;
    Some(value.clone())
}
