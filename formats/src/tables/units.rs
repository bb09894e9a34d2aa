//! Units in the names of columns, such as `radius_mm` and `diameter [in]`. Columns with a unit are
//! read in metres. Columns without a unit are in the unit of the scene.

use super::cell::Cell;
use super::columns::part_name;
use super::diameters::{DIAMETER, RADIUS};
use raytwin::fields::FieldKind;
use raytwin::shapes::SHAPE_TYPES;
use raytwin_files::RowFault;

/// A unit of length: `over` units are `times` metres. Both are integers, so that a number is
/// rounded at most twice, and a metric one once.
#[derive(Clone, Copy)]
struct Unit {
    name: &'static str,
    times: f64,
    over: f64,
}

const UNITS: [Unit; 6] = [
    Unit { name: "mm", times: 1.0, over: 1e3 },
    Unit { name: "cm", times: 1.0, over: 1e2 },
    Unit { name: "m", times: 1.0, over: 1.0 },
    Unit { name: "in", times: 254.0, over: 1e4 },
    Unit { name: "ft", times: 3048.0, over: 1e4 },
    // The survey foot of the United States, by its definition.
    Unit { name: "us_ft", times: 1200.0, over: 3937.0 },
];

/// The columns of a table whose names have a unit.
pub(super) struct UnitColumns(Vec<(usize, Unit)>);

impl UnitColumns {
    /// Finds the columns of lengths and coordinates that have a unit, and removes it from their
    /// names. A column that repeats one without a unit stays as it is.
    pub fn find(names: &mut [String]) -> Result<Self, RowFault> {
        let lengths = length_columns();
        let is_there = |wanted: &str| names.iter().any(|name| name == wanted);
        let is_named = |base: &str| match base {
            DIAMETER | RADIUS => is_there(DIAMETER) || is_there(RADIUS),
            base => is_there(base),
        };
        let mut found = Vec::new();
        for (column, name) in names.iter().enumerate() {
            let with_unit = UNITS.iter().find_map(|unit| {
                let base = without(name, unit.name)?;
                (lengths.iter().any(|known| known == base) && !is_named(base))
                    .then(|| (column, *unit, base.to_owned()))
            });
            found.extend(with_unit);
        }
        // A position with one coordinate in millimetres and another without a unit is a mistake.
        for (column, unit, base) in &found {
            let Some(vector) = base.strip_suffix(['x', 'y', 'z']).filter(|it| it.ends_with('_'))
            else {
                continue;
            };
            let other = ["x", "y", "z"].map(|axis| format!("{vector}{axis}"));
            if let Some(other) = other.iter().find(|other| is_there(other)) {
                let reason = format!(
                    "is in {}, but {other} has no unit: give all three a unit, or none",
                    unit.name
                );
                return Err(RowFault { column: Some(*column), reason });
            }
        }
        let mut columns = Vec::new();
        for (column, unit, base) in found {
            names[column] = base;
            columns.push((column, unit));
        }
        Ok(Self(columns))
    }

    /// Converts a row's numbers to metres.
    pub fn to_metres(&self, cells: &mut [Cell<'_>]) -> Result<(), RowFault> {
        for (column, unit) in &self.0 {
            let cell = &mut cells[*column];
            if !cell.is_unused() {
                let number = cell.number();
                let number = number.map_err(|reason| RowFault { column: Some(*column), reason })?;
                *cell = Cell::Number(number * unit.times / unit.over);
            }
        }
        Ok(())
    }

    pub fn has(&self, column: usize) -> bool {
        self.0.iter().any(|(with_unit, _)| *with_unit == column)
    }

    /// The note that a number is in metres, in a message about a column with another unit.
    pub fn note(&self, column: usize) -> String {
        let unit = self.0.iter().find(|(with_unit, _)| *with_unit == column);
        unit.map_or(String::new(), |(_, unit)| {
            format!(" (in metres; the column is in {})", unit.name)
        })
    }
}

/// The name of a column without a unit, if it ends in this one.
fn without<'a>(name: &'a str, unit: &str) -> Option<&'a str> {
    let in_brackets = |open: char, close: char| {
        let (base, inside) = name.strip_suffix(close)?.rsplit_once(open)?;
        (inside.trim() == unit).then(|| base.trim_end())
    };
    let behind_line = || name.strip_suffix(unit)?.strip_suffix('_');
    in_brackets('[', ']').or_else(|| in_brackets('(', ')')).or_else(behind_line)
}

/// The names of all columns that have lengths or coordinates.
fn length_columns() -> Vec<String> {
    let fields = SHAPE_TYPES.iter().flat_map(|kind| kind.fields);
    let fields = fields.filter(|field| match field.kind {
        FieldKind::Position
        | FieldKind::Corners
        | FieldKind::Length
        | FieldKind::LengthOrZero
        | FieldKind::Extents
        | FieldKind::OptionalExtents => true,
        FieldKind::Direction
        | FieldKind::Rotation
        | FieldKind::OptionalDirection
        | FieldKind::OptionalRotation
        | FieldKind::Flag => false,
    });
    let parts =
        fields.flat_map(|field| (0..field.kind.columns()).map(move |part| part_name(field, part)));
    parts.chain([DIAMETER.to_owned()]).collect()
}
