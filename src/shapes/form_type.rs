//! The description of a type of shape, from which files, schema, checks and the GPU's params
//! follow.

use crate::fields::Field;

/// The description of a type of shape, for files and the GPU. It makes an `F` from a row of
/// numbers.
#[derive(Debug)]
pub struct FormType<F> {
    /// Its `type` in scene files, and its array's name in bulk files.
    pub name: &'static str,
    /// Its fields, in the order of a bulk array's columns.
    pub fields: &'static [Field],
    /// True for a type that has an inside.
    pub is_solid: bool,
    /// The largest number of `vec4<f32>` that the GPU reads for each shape.
    pub params: usize,
    /// The factor by which its precision bound is wider than that of most shapes.
    pub allowance: f64,
    /// Makes a form from a row of [`Self::columns`] numbers. They are checked when it is added to a
    /// scene.
    pub from_row: fn(&[f64]) -> F,
}

impl<F> FormType<F> {
    /// Returns the number of columns of its bulk array.
    pub fn columns(&self) -> usize {
        self.fields.iter().map(|field| field.kind.columns()).sum()
    }

    /// Returns the numbers of columns that its bulk array may have, the smallest first: trailing
    /// fields that have a default may be left out.
    pub fn column_counts(&self) -> Vec<usize> {
        let mut counts = vec![self.columns()];
        for field in self.fields.iter().rev().take_while(|field| field.default.is_some()) {
            counts.insert(0, counts[0] - field.kind.columns());
        }
        counts
    }

    /// Returns each column's default, or 0 for a column that a file must give.
    pub fn defaults(&self) -> impl Iterator<Item = f64> {
        self.fields.iter().flat_map(|field| {
            let columns = field.kind.columns();
            (0..columns).map(move |column| field.default.map_or(0.0, |default| default[column]))
        })
    }
}
