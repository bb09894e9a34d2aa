//! The names of a table's columns, which follow from the fields of shapes.

use super::aliases::ALIKE;
use super::diameters::RADIUS;
use raytwin::fields::{Field, FieldKind};
use raytwin::shapes::{SHAPE_TYPES, ShapeType};
use raytwin_files::{RowFault, nearest};
use std::collections::HashSet;

/// The columns that shapes of all types may have.
pub(crate) const OF_ALL_TYPES: [&str; 9] = {
    let [red, green, blue] = COLOR_COLUMNS;
    [TYPE, NAME, MASK, LABEL, REFLECTANCE, COLOR, red, green, blue]
};

const TYPE: &str = "type";
const NAME: &str = "name";
const MASK: &str = "mask";
const LABEL: &str = "label";
const REFLECTANCE: &str = "reflectance";
const COLOR: &str = "color";

/// The columns of a colour's numbers, from 0 to 1.
pub(crate) const COLOR_COLUMNS: [&str; 3] = ["color_r", "color_g", "color_b"];

/// The name of the column of a field's number: `radius`, `center_x`, `rotation_w` or
/// `vertices_2_z`.
pub(super) fn part_name(field: &Field, part: usize) -> String {
    const AXES: [&str; 4] = ["x", "y", "z", "w"];
    match field.kind {
        _ if field.kind.columns() == 1 => field.name.to_owned(),
        FieldKind::Corners => format!("{}_{}_{}", field.name, part / 3, AXES[part % 3]),
        _ => {
            let name = field.name.strip_suffix("_xyzw").unwrap_or(field.name);
            format!("{name}_{}", AXES[part])
        }
    }
}

/// The names of the columns of a type of shape, in the order of its row.
pub(crate) fn column_names(kind: &ShapeType) -> Vec<String> {
    let parts =
        |field: &'static Field| (0..field.kind.columns()).map(move |part| part_name(field, part));
    kind.fields.iter().flat_map(parts).collect()
}

/// The largest number of unknown columns that are compared with the names of fields, for a
/// suggestion.
const MOST_COMPARED: usize = 100;

/// The largest number of unknown columns that a message names.
const MOST_SHOWN: usize = 8;

/// The name of a missing column, for a message.
fn with_alias(name: &str) -> &str {
    if name == RADIUS { "radius or diameter" } else { name }
}

/// The columns of a file by their meaning, each by its index.
pub(super) struct ShapeColumns {
    pub types: TypeColumns,
    /// For each type of shape, the columns of the numbers of its row.
    pub fields: Vec<Vec<Option<usize>>>,
    field_columns: Vec<usize>,
    /// For each type of shape, the columns of fields that it lacks.
    pub foreign: Vec<Vec<usize>>,
    pub name: Option<usize>,
    pub mask: Option<usize>,
    pub label: Option<usize>,
    pub reflectance: Option<usize>,
    /// The column of a colour as text.
    pub color: Option<usize>,
    /// The columns of a colour's three numbers.
    pub color_parts: Option<[usize; 3]>,
    /// The columns without a meaning here.
    pub unknown: Vec<usize>,
}

/// The source of the type of a row's shape.
pub(super) enum TypeColumns {
    /// All rows are of the type with this index.
    All(usize),
    /// The column of types.
    Named(usize),
}

impl ShapeColumns {
    /// Finds the columns. If there is no column of types, `kind` is the type or the type follows
    /// from the columns.
    pub fn find(names: &[String], kind: Option<&str>) -> Result<Self, RowFault> {
        let fault = |column, reason: String| Err(RowFault { column, reason });
        let mut seen = HashSet::new();
        for (index, name) in names.iter().enumerate() {
            if !seen.insert(name) {
                return fault(
                    Some(index),
                    format!("is a second column {name}: remove one of the two"),
                );
            }
        }
        let at = |wanted: &str| names.iter().position(|name| name == wanted);
        let of_kind = |kind| column_names(kind).iter().map(|name| at(name)).collect();
        let fields: Vec<Vec<Option<usize>>> = SHAPE_TYPES.iter().map(of_kind).collect();
        let mut field_columns: Vec<usize> = fields.iter().flatten().flatten().copied().collect();
        field_columns.sort_unstable();
        field_columns.dedup();
        let foreign = |own: &Vec<Option<usize>>| {
            field_columns.iter().copied().filter(|column| !own.contains(&Some(*column))).collect()
        };
        let foreign = fields.iter().map(foreign).collect();
        let color_parts = match COLOR_COLUMNS.map(at) {
            [Some(red), Some(green), Some(blue)] => Some([red, green, blue]),
            [None, None, None] => None,
            _ => {
                let reason =
                    format!("a colour needs the three columns {}", COLOR_COLUMNS.join(" "));
                return fault(None, reason);
            }
        };
        let mut columns = Self {
            types: TypeColumns::All(0),
            fields,
            field_columns,
            foreign,
            name: at(NAME),
            mask: at(MASK),
            label: at(LABEL),
            reflectance: at(REFLECTANCE),
            color: at(COLOR),
            color_parts,
            unknown: Vec::new(),
        };
        let is_known = |index: &usize| {
            columns.field_columns.contains(index) || OF_ALL_TYPES.contains(&&names[*index][..])
        };
        columns.unknown = (0..names.len()).filter(|index| !is_known(index)).collect();
        columns.types = match at(TYPE) {
            Some(column) => TypeColumns::Named(column),
            None => TypeColumns::All(columns.only_type(names, kind)?),
        };
        Ok(columns)
    }

    /// The type of shape that has most of the columns, and the names of the columns that it lacks;
    /// `None` if no type has any, or if it lacks none.
    fn nearest_type(&self) -> Option<(&'static str, Vec<String>)> {
        let of_type = |index: usize| {
            let own = &self.fields[index];
            let had = own.iter().flatten().filter(|it| self.field_columns.contains(it)).count();
            let mut rest = own.iter().zip(column_names(&SHAPE_TYPES[index]));
            let mut lacks = Vec::new();
            for field in SHAPE_TYPES[index].fields {
                let parts: Vec<_> = rest.by_ref().take(field.kind.columns()).collect();
                if field.default.is_none() {
                    let missing = parts.into_iter().filter(|(part, _)| part.is_none());
                    lacks.extend(missing.map(|(_, name)| name));
                }
            }
            (had > 0 && !lacks.is_empty()).then_some((had, lacks.len(), index, lacks))
        };
        let candidates = (0..SHAPE_TYPES.len()).filter_map(of_type);
        let (.., index, lacks) = candidates
            .min_by_key(|(had, lacking, index, _)| (usize::MAX - had, *lacking, *index))?;
        Some((SHAPE_TYPES[index].name, lacks))
    }

    /// The columns without a meaning here, for a message.
    fn not_read(&self, names: &[String]) -> String {
        let shown: Vec<&str> =
            self.unknown.iter().take(MOST_SHOWN).map(|column| &names[*column][..]).collect();
        match (&shown[..], self.unknown.len().saturating_sub(MOST_SHOWN)) {
            ([], _) => String::new(),
            (_, 0) => format!("; columns not read: {}", shown.join(", ")),
            (_, more) => format!("; columns not read: {} and {more} more", shown.join(", ")),
        }
    }

    /// The only type of shape that has the fields of all columns, and whose other fields have
    /// defaults. If there are several, the one with this name.
    fn only_type(&self, names: &[String], kind: Option<&str>) -> Result<usize, RowFault> {
        let fault = |reason: String| Err(RowFault { column: None, reason });
        let fits = |index: &usize| {
            if kind.is_some_and(|kind| SHAPE_TYPES[*index].name != kind) {
                return false;
            }
            let own = &self.fields[*index];
            let mut rest = own.iter();
            let is_whole = SHAPE_TYPES[*index].fields.iter().all(|field| {
                let parts: Vec<_> = rest.by_ref().take(field.kind.columns()).collect();
                field.default.is_some() || parts.iter().all(|part| part.is_some())
            });
            is_whole && self.field_columns.iter().all(|column| own.contains(&Some(*column)))
        };
        let fitting: Vec<usize> = (0..SHAPE_TYPES.len()).filter(fits).collect();
        match fitting[..] {
            [index] => Ok(index),
            [first, second] if [first, second].map(|it| SHAPE_TYPES[it].name) == ALIKE => Ok(first),
            [] => {
                let all: Vec<String> = SHAPE_TYPES.iter().flat_map(column_names).collect();
                let known: Vec<&str> = all.iter().map(String::as_str).collect();
                // Comparing thousands of names with all fields takes seconds.
                let hint = self.unknown.iter().take(MOST_COMPARED).find_map(|column| {
                    let name = &names[*column];
                    Some(format!("; did you mean {} instead of {name}?", nearest(name, &known)?))
                });
                let nearest = match self.nearest_type() {
                    Some((kind, lacks)) => {
                        let lacks: Vec<&str> = lacks.iter().map(|it| with_alias(it)).collect();
                        format!(
                            ": for a {kind}, it lacks {}{}",
                            lacks.join(" "),
                            self.not_read(names)
                        )
                    }
                    None => ", such as center_x center_y center_z radius".to_owned(),
                };
                fault(format!(
                    "has no column type, and its columns do not match one type of shape{nearest}{}",
                    hint.unwrap_or_default()
                ))
            }
            _ => {
                let names: Vec<&str> =
                    fitting.iter().map(|index| SHAPE_TYPES[*index].name).collect();
                fault(format!(
                    "has columns that match several types of shapes: add a column type with {}",
                    names.join(" or ")
                ))
            }
        }
    }
}
