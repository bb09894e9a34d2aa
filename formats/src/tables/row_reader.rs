//! Reads the rows of a table from any kind of file.

use super::aliases::ALIKE;
use super::cell::Cell;
use super::columns::{ShapeColumns, TypeColumns, part_name};
use super::diameters::{RADIUS, diameters, halve};
use super::integer_columns::CandidateColumns;
use super::radius_check::RadiusCheck;
use super::tree_columns::{DirectedColumns, TreeColumns, missing_part};
use super::units::UnitColumns;
use crate::Warning;
use crate::aliases::suggestion;
use crate::checks::checked_color;
use crate::graph::RowShapes;
use crate::shortened::shortened;
use raytwin::fields::{FieldKind, MAX_COORDINATE};
use raytwin::scene::{Appearance, Name};
use raytwin::shapes::{SHAPE_TYPES, ShapeType, unplaced};
use raytwin_files::RowFault;

/// The largest number of shapes of a table, as for a bulk scene.
pub(super) const MAX_SHAPES: usize = 1 << 26;

/// The reader of rows, which knows the meaning of each column of the file.
pub(super) struct RowReader {
    pub columns: ShapeColumns,
    /// The names of the file's columns.
    pub names: Vec<String>,
    /// The columns that determine the ends of a tree's cylinders, if it has no ends.
    directed: Option<DirectedColumns>,
    /// True if all shapes are the cylinders of trees.
    pub is_tree: bool,
    /// The column that has diameters instead of radii.
    diameters: Option<usize>,
    units: UnitColumns,
    pub radii: RadiusCheck,
    /// The file's name of the column of radii or diameters, if it has no unit.
    pub radius_name: Option<String>,
    /// The count of rows that have been read.
    pub count: usize,
    pub shapes: RowShapes,
    pub integers: CandidateColumns,
    /// The invalid labels and reflectances of rows. Such columns may belong to another program and
    /// mean something else, so the shapes are read without them.
    pub unread: Warning,
    /// The numbers of the current row's shape.
    row: Vec<f64>,
}

impl RowReader {
    /// Finds the columns. An error has the index of a column, or none.
    pub fn new(mut names: Vec<String>) -> Result<Self, RowFault> {
        let given = names.clone();
        let units = UnitColumns::find(&mut names)?;
        if let Some(part) = missing_part(&names) {
            let reason =
                format!("has the start of cylinders, as tables of trees have, but lacks {part}");
            return Err(RowFault { column: None, reason });
        }
        let TreeColumns { mut names, kind, used, directed } = TreeColumns::of(names);
        // Trees are recognised by their radii. Their programs may write any other columns.
        let diameters = if kind.is_none() { diameters(&mut names)? } else { None };
        let mut columns = ShapeColumns::find(&names, kind)?;
        columns.unknown.retain(|column| !used.contains(column));
        let integers = CandidateColumns::among(&columns.unknown);
        let radius = names.iter().position(|name| name == RADIUS);
        let radius_name =
            radius.filter(|column| !units.has(*column)).map(|column| given[column].clone());
        Ok(Self {
            columns,
            names,
            directed,
            is_tree: kind.is_some(),
            diameters,
            units,
            radii: RadiusCheck::default(),
            radius_name,
            count: 0,
            shapes: RowShapes::default(),
            integers,
            unread: Warning::new(
                "labels and reflectances could not be read, and their rows have none",
            ),
            row: Vec::new(),
        })
    }

    /// Adds the rows of another reader of the same columns below its own.
    pub fn append(&mut self, next: Self) {
        self.count += next.count;
        self.shapes.append(next.shapes);
        self.integers.append(next.integers);
        self.radii.append(next.radii);
        self.unread.merge(next.unread);
    }

    pub fn fault(&self, column: Option<usize>, reason: impl Into<String>) -> RowFault {
        RowFault { column, reason: reason.into() }
    }

    /// Adds the shape of a row.
    pub fn add(&mut self, cells: &mut Vec<Cell<'_>>) -> Result<(), RowFault> {
        self.count += 1;
        if self.count > MAX_SHAPES {
            let reason = format!("is one too many: a table can have at most {MAX_SHAPES} shapes");
            return Err(self.fault(None, reason));
        }
        let file_columns = cells.len();
        self.units.to_metres(cells)?;
        if let Some(directed) = &self.directed {
            let end = directed.end(cells)?;
            cells.extend(end.map(Cell::Number));
        }
        if let Some(column) = self.diameters {
            halve(&mut cells[column]).map_err(|reason| self.fault(Some(column), reason))?;
        }
        let index = self.type_of(cells)?;
        let kind = &SHAPE_TYPES[index];
        let mut row = std::mem::take(&mut self.row);
        row.clear();
        self.numbers(index, cells, &mut row)?;
        let shape = unplaced(kind, &row).map_err(|error| {
            let column = match (self.column_of(index, &error.field), &self.directed) {
                // No column of the file has such an end.
                (Some(column), Some(directed)) if column >= file_columns => Some(directed.length),
                (column, _) => column,
            };
            let hint = column.map_or(String::new(), |column| self.unit_hint(column, cells));
            let field = if column.is_none() { format!("{} ", error.field) } else { String::new() };
            self.fault(column, format!("{}{}{hint}", field.trim_start(), error.reason))
        })?;
        if ALIKE.contains(&kind.name) {
            self.radii.add(&row);
        }
        self.row = row;
        let Attributes { name, mask, appearance } = self.attributes(cells)?;
        let at = self.shapes.geometries.len() as u32;
        self.shapes.geometries.push(shape.into());
        self.shapes.names.extend(name.map(|name| (at, name)));
        self.shapes.masks.extend(mask.map(|mask| (at, mask)));
        if appearance != Appearance::NONE {
            self.shapes.appearances.insert(at, appearance);
        }
        self.integers.add(cells);
        cells.truncate(file_columns);
        Ok(())
    }

    /// The note about a column's unit in a message about one of its numbers.
    fn unit_hint(&self, column: usize, cells: &[Cell<'_>]) -> String {
        let is_far = |cell: &Cell<'_>| {
            cell.number()
                .is_ok_and(|number| (MAX_COORDINATE..f64::INFINITY).contains(&number.abs()))
        };
        match cells.get(column) {
            _ if self.units.has(column) => self.units.note(column),
            Some(cell) if is_far(cell) && Some(column) != self.diameters => {
                let name = &self.names[column];
                format!("; if it is in millimetres, rename the column to {name}_mm")
            }
            _ => String::new(),
        }
    }

    /// The index of the type of a row's shape.
    fn type_of(&self, cells: &[Cell<'_>]) -> Result<usize, RowFault> {
        let column = match self.columns.types {
            TypeColumns::All(index) => return Ok(index),
            TypeColumns::Named(column) => column,
        };
        let name = cells[column].text();
        SHAPE_TYPES.iter().position(|kind| kind.name == name).ok_or_else(|| {
            let known: Vec<&str> = SHAPE_TYPES.iter().map(|kind| kind.name).collect();
            let reason = match &name[..] {
                "" => format!("is empty: give one of {}", known.join(", ")),
                name => format!(
                    "is '{}', which is not a shape type for tables; {}",
                    shortened(name),
                    suggestion(name, &known)
                ),
            };
            self.fault(Some(column), reason)
        })
    }

    /// Reads the numbers of a shape's fields. Fields of other types must be empty.
    fn numbers(
        &self,
        index: usize,
        cells: &[Cell<'_>],
        row: &mut Vec<f64>,
    ) -> Result<(), RowFault> {
        let kind = &SHAPE_TYPES[index];
        let mut rest = &self.columns.fields[index][..];
        for field in kind.fields {
            let (columns, others) = rest.split_at(field.kind.columns());
            rest = others;
            let is_empty = |column: &Option<usize>| column.is_none_or(|at| cells[at].is_empty());
            if columns.iter().all(is_empty)
                && let Some(default) = field.default
            {
                row.extend(default);
                continue;
            }
            for (part, column) in columns.iter().enumerate() {
                let name = || part_name(field, part);
                let Some(column) = *column else {
                    let reason = format!("has no column {}: every {} needs it", name(), kind.name);
                    return Err(self.fault(None, reason));
                };
                if cells[column].is_empty() {
                    let reason = format!("is empty: every {} needs a number here", kind.name);
                    return Err(self.fault(Some(column), reason));
                }
                let number = match field.kind {
                    FieldKind::Flag => cells[column].flag(),
                    _ => cells[column].number(),
                };
                row.push(number.map_err(|reason| self.fault(Some(column), reason))?);
            }
        }
        let mut foreign = self.columns.foreign[index].iter();
        match foreign.find(|column| !cells[**column].is_unused()) {
            Some(&column) => {
                let reason = format!(
                    "has a value, but the shape {} has no such field: leave it empty",
                    kind.name
                );
                Err(self.fault(Some(column), reason))
            }
            None => Ok(()),
        }
    }

    /// Reads the properties that any shape may have.
    fn attributes(&mut self, cells: &[Cell<'_>]) -> Result<Attributes, RowFault> {
        let given = |column: Option<usize>| column.filter(|&column| !cells[column].is_empty());
        let used = |column: Option<usize>| column.filter(|&column| !cells[column].is_unused());
        let fault = |column| move |reason| RowFault { column: Some(column), reason };
        let name = given(self.columns.name).map(|column| cells[column].text().into_owned().into());
        let mask = given(self.columns.mask)
            .map(|column| cells[column].whole(u32::MAX).map_err(fault(column)));
        let label = used(self.columns.label)
            .and_then(|column| self.noted(column, cells[column].whole(u16::MAX.into())))
            .map(|label| label as u16);
        let reflectance = used(self.columns.reflectance)
            .and_then(|column| self.noted(column, cells[column].share()));
        let appearance = Appearance { color: self.color(cells)?, label, reflectance };
        Ok(Attributes { name, mask: mask.transpose()?, appearance })
    }

    /// Returns the value of a cell of the current row. If it could not be read, the reason is
    /// recorded.
    fn noted<T>(&mut self, column: usize, read: Result<T, String>) -> Option<T> {
        let (row, name) = (self.count, &self.names[column]);
        read.map_err(|reason| self.unread.add(|| format!("row {row}: {name} {reason}"))).ok()
    }

    fn color(&self, cells: &[Cell<'_>]) -> Result<Option<[f32; 3]>, RowFault> {
        let (column, color) = match (self.columns.color, self.columns.color_parts) {
            (Some(column), _) if !cells[column].is_empty() => (column, cells[column].hex_color()),
            (_, Some(parts)) if parts.iter().any(|&part| !cells[part].is_empty()) => {
                let mut color = [0.0; 3];
                for (number, part) in color.iter_mut().zip(parts) {
                    *number =
                        cells[part].number().map_err(|reason| self.fault(Some(part), reason))?;
                }
                (parts[0], Ok(color))
            }
            _ => return Ok(None),
        };
        let checked = color.and_then(|color| {
            checked_color(color).map_err(|rule| format!("is part of {color:?}: {rule}"))
        });
        checked.map(Some).map_err(|reason| self.fault(Some(column), reason))
    }

    /// The column of a field that a shape rejects, such as `half_extents[1]`.
    fn column_of(&self, index: usize, field: &str) -> Option<usize> {
        let kind: &ShapeType = &SHAPE_TYPES[index];
        let mut first = 0;
        for known in kind.fields {
            let rest = field.strip_prefix(known.name);
            // The name of one field may begin with that of another.
            if let Some(rest) = rest.filter(|rest| rest.is_empty() || rest.starts_with('[')) {
                let mut parts = rest.split(['[', ']']).filter_map(|part| part.parse().ok());
                let part: usize = match (known.kind, parts.next(), parts.next()) {
                    (FieldKind::Corners, Some(corner), Some(axis)) => 3_usize * corner + axis,
                    (_, part, _) => part.unwrap_or(0),
                };
                return *self.columns.fields[index].get(first + part)?;
            }
            first += known.kind.columns();
        }
        None
    }
}

/// The properties that any shape may have.
struct Attributes {
    name: Option<Name>,
    mask: Option<u32>,
    appearance: Appearance,
}
