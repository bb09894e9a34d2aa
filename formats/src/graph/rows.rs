//! The shapes of bulk files and tables, of which there may be millions.

use super::shape::GraphShape;
use raytwin::fields::ShapeError;
use raytwin::geometry::Geometry;
use raytwin::scene::{Appearance, Name, RowError};
use raytwin_files::FileError;
use std::collections::BTreeMap;
use std::path::Path;

/// Closed forms of a group, each of which stands in a row of a file.
#[derive(Clone, Debug)]
pub(crate) struct GraphRows {
    pub group: u32,
    pub count: u32,
    pub place: RowPlace,
    pub shapes: RowShapes,
}

/// The shapes of rows, which move into the scene: a copy would need as much memory as the scene.
#[derive(Clone, Debug, Default)]
pub(crate) struct RowShapes {
    pub geometries: Vec<Geometry>,
    /// The names of the rows that have one.
    pub names: BTreeMap<u32, Name>,
    /// The masks of the rows that have one.
    pub masks: BTreeMap<u32, u32>,
    /// The appearances of the rows that have one.
    pub appearances: BTreeMap<u32, Appearance>,
    /// Columns of whole numbers by name, each with a number for each row.
    pub integers: BTreeMap<String, Vec<i32>>,
}

impl RowShapes {
    /// Adds the shapes of the rows below. Their columns of whole numbers are left out.
    pub fn append(&mut self, mut below: Self) {
        let first = self.geometries.len() as u32;
        self.geometries.append(&mut below.geometries);
        self.names.extend(below.names.into_iter().map(|(at, name)| (first + at, name)));
        self.masks.extend(below.masks.into_iter().map(|(at, mask)| (first + at, mask)));
        let appearances = below.appearances.into_iter();
        self.appearances.extend(appearances.map(|(at, appearance)| (first + at, appearance)));
    }
}

/// How messages name the place of a row in its file.
#[derive(Clone, Debug)]
pub(crate) enum RowPlace {
    /// By an array and the index there.
    Array {
        /// The number of the first row of each array in the file, and the array's name.
        arrays: Vec<(usize, &'static str)>,
        /// The ids of all rows in the file, by which they are sorted here; `None` if they are not.
        ids: Option<Vec<u32>>,
    },
    /// By the number of the row.
    Row,
}

impl RowPlace {
    /// The error for a row that cannot be in a scene.
    pub fn refuse(&self, path: &Path, RowError { row, error }: RowError) -> FileError {
        let ShapeError { field, reason } = error;
        let dot = if field.is_empty() { "" } else { "." };
        let row = match self {
            Self::Array { arrays, ids } => {
                let in_file = |ids: &Vec<u32>| ids.iter().position(|&id| id as usize == row);
                let row = ids.as_ref().and_then(in_file).unwrap_or(row);
                let after = arrays.partition_point(|(first, _)| *first <= row);
                let (first, name) = arrays.get(after.wrapping_sub(1)).copied().unwrap_or_default();
                format!("{name}[{}]", row - first)
            }
            Self::Row => format!("row {row}"),
        };
        FileError::meaning(path, format!("{row}{dot}{field}"), reason)
    }
}

impl GraphRows {
    /// The rows of contents that hold nothing else.
    pub fn new(place: RowPlace, shapes: RowShapes) -> Self {
        Self { group: 0, count: shapes.geometries.len() as u32, place, shapes }
    }

    /// Iterates over the rows as single shapes.
    pub fn shapes(&self) -> impl Iterator<Item = GraphShape> {
        let RowShapes { geometries, names, masks, appearances, integers } = &self.shapes;
        let integers_of = move |row: u32| {
            let number = |column: &Vec<i32>| column.get(row as usize).copied().unwrap_or(0);
            let numbers = integers.iter().map(|(name, column)| (name.clone(), number(column)));
            numbers.filter(|(_, number)| *number != 0).collect()
        };
        (0..).zip(geometries).map(move |(row, geometry)| GraphShape {
            name: names.get(&row).cloned(),
            mask: masks.get(&row).copied().unwrap_or(u32::MAX),
            appearance: appearances.get(&row).copied().unwrap_or_default(),
            integers: integers_of(row),
            ..GraphShape::new(self.group, row, geometry.clone())
        })
    }
}
