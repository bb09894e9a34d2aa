//! Columns of whole numbers, each with a number for each geometry of a scene's own, or for each of
//! its instances.

use std::collections::BTreeMap;
use std::ops::Range;

/// Columns of numbers by name. Each has a number for each of the scene's own geometries up to the
/// last that has one; the others have 0.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub(super) struct IntegerColumns(pub BTreeMap<String, Vec<i32>>);

impl IntegerColumns {
    /// Returns the number of a geometry, given its index among the scene's own.
    pub fn of(&self, name: &str, own: u32) -> i32 {
        self.0.get(name).and_then(|column| column.get(own as usize)).copied().unwrap_or(0)
    }

    /// Sets the numbers of geometries from an index on.
    pub fn set(&mut self, name: &str, own: u32, numbers: &[i32]) {
        if !self.0.contains_key(name) {
            self.0.insert(name.to_owned(), Vec::new());
        }
        let end = own as usize + numbers.len();
        if let Some(column) = self.0.get_mut(name) {
            column.resize(column.len().max(end), 0);
            column[own as usize..end].copy_from_slice(numbers);
        }
    }

    /// Returns the numbers at an index that are not 0, by name.
    pub fn row(&self, at: u32) -> Vec<(String, i32)> {
        let numbers = self.0.keys().map(|name| (name.clone(), self.of(name, at)));
        numbers.filter(|(_, number)| *number != 0).collect()
    }

    /// Returns the columns of a range of the geometries.
    pub fn within(&self, range: &Range<u32>) -> Self {
        let part = |column: &Vec<i32>| {
            let end = column.len().min(range.end as usize);
            column.get(range.start as usize..end).unwrap_or_default().to_vec()
        };
        let parts = self.0.iter().map(|(name, column)| (name.clone(), part(column)));
        Self(parts.filter(|(_, column)| !column.is_empty()).collect())
    }
}
