//! The columns of quantitative structure models: trees made of cylinders. Each program that fits
//! them to scans has its own names for a cylinder's start, end and radius.

use super::cell::Cell;
use super::columns::{OF_ALL_TYPES, column_names};
use glam::DVec3;
use raytwin::shapes::SHAPE_TYPES;
use raytwin_files::RowFault;

/// The columns of a table, with the names in a table of shapes.
pub(super) struct TreeColumns {
    pub names: Vec<String>,
    /// The type of all shapes, if no column has it: a tree's are cylinders.
    pub kind: Option<&'static str>,
    /// The columns that repeat other columns, or that determine an end.
    pub used: Vec<usize>,
    /// The columns that give a cylinder's end by its direction and length. The end then has three
    /// columns after those of the file.
    pub directed: Option<DirectedColumns>,
}

/// The columns that determine an end.
pub(super) struct DirectedColumns {
    start: [usize; 3],
    axis: [usize; 3],
    pub length: usize,
}

/// The file's names of the column of a cylinder's parent, without which a table is not a tree.
const PARENTS: [&str; 5] = ["parent", "parentID", "parent_ID", "parent_id", "parentId"];
const RADII: [&str; 2] = ["radius", "radius_cyl"];

/// Integers that several programs write under several names.
const WHOLE_NUMBERS: [(&str, &[&str]); 3] = [
    ("branch_order", &["BranchOrder", "branchOrder", "branching_order"]),
    ("tree_id", &["treeID", "tree_ID", "treeId", "TreeID"]),
    // R writes the numbers of rows in a first column without a name.
    ("row", &[""]),
];

/// The names of the columns of TreeQSM's text, some of which cover three columns.
const TREE_QSM: [(&str, &[&str]); 4] = [
    ("radius (m)", &["radius"]),
    ("length (m)", &["length"]),
    ("start_point", &["start.x", "start.y", "start.z"]),
    ("axis_direction", &["axis.x", "axis.y", "axis.z"]),
];

/// Returns the names of the columns for a file's first line. They are those in the line, except for
/// the file of cylinders that TreeQSM's `save_model_text` writes.
pub(super) fn names_of_first_line(names: Vec<String>) -> Vec<String> {
    if TREE_QSM.iter().any(|(name, _)| !names.iter().any(|it| it == name)) {
        return names;
    }
    let columns = names.into_iter().flat_map(|name| {
        let known = TREE_QSM.iter().find(|(known, _)| *known == name);
        known.map_or_else(
            || vec![name],
            |(_, columns)| columns.iter().map(|&it| it.into()).collect(),
        )
    });
    columns.collect()
}

impl TreeColumns {
    /// Returns the columns with these names, renamed if they belong to a tree.
    pub fn of(names: Vec<String>) -> Self {
        let found = found_columns(&names);
        let Some((parts, directed)) = found else {
            return Self { names, kind: None, used: Vec::new(), directed: None };
        };
        let mut renamed = names.clone();
        let fields: Vec<String> = SHAPE_TYPES.iter().flat_map(column_names).collect();
        for (name, renamed) in names.iter().zip(&mut renamed) {
            let is_kept = OF_ALL_TYPES.contains(&&name[..]);
            // A field of another shape, such as a torus's axis, means something else here.
            if !is_kept && fields.contains(name) {
                *renamed = format!("{name} of the tree");
            }
        }
        for (column, name) in parts {
            renamed[column] = name.to_owned();
        }
        for (name, spellings) in WHOLE_NUMBERS {
            if renamed.iter().any(|other| other == name) {
                continue;
            }
            let spelling = names.iter().find(|other| spellings.contains(&&other[..]));
            // A second column of that spelling also gets the name, and is rejected.
            for (column, other) in names.iter().enumerate() {
                if Some(other) == spelling {
                    renamed[column] = name.to_owned();
                }
            }
        }
        if directed.is_some() {
            renamed.extend(["end_x", "end_y", "end_z"].map(str::to_owned));
        }
        let used = vector(&names, "axis").into_iter().flatten();
        let used = used.chain(place_of(&names, &["length"])).collect();
        Self { names: renamed, kind: Some("cylinder"), used, directed }
    }
}

/// Returns the missing part of a tree's table, if the table names a cylinder's start as only trees'
/// tables do.
pub(super) fn missing_part(names: &[String]) -> Option<&'static str> {
    vector(names, "start").filter(|start| names[start[0]] != "start_x")?;
    let has = |name: &str| place_of(names, &[name]).is_some();
    if has("type") {
        return None;
    }
    let parts = [
        (place_of(names, &RADII).is_some(), "a column radius"),
        (
            place_of(names, &PARENTS).is_some(),
            "a column parent, with the number of the previous cylinder",
        ),
        (
            vector(names, "end").is_some() || vector(names, "axis").is_some() && has("length"),
            "three columns for the end, or three for the axis and one for the length",
        ),
    ];
    parts.into_iter().find(|(is_there, _)| !is_there).map(|(_, part)| part)
}

/// The columns of a cylinder's fields, with the names of these fields.
type Parts = Vec<(usize, &'static str)>;

/// Returns the columns of a tree's cylinders; `None` if they do not belong to a tree.
fn found_columns(names: &[String]) -> Option<(Parts, Option<DirectedColumns>)> {
    let (start, radius) = (vector(names, "start")?, place_of(names, &RADII)?);
    place_of(names, &PARENTS)?;
    // A table of shapes with a column of parents is a table of shapes.
    if names[start[0]] == "start_x" && place_of(names, &["type"]).is_some() {
        return None;
    }
    let mut parts = vec![(radius, "radius")];
    parts.extend(start.into_iter().zip(["start_x", "start_y", "start_z"]));
    if let Some(end) = vector(names, "end") {
        parts.extend(end.into_iter().zip(["end_x", "end_y", "end_z"]));
        return Some((parts, None));
    }
    let (axis, length) = (vector(names, "axis")?, place_of(names, &["length"])?);
    Some((parts, Some(DirectedColumns { start, axis, length })))
}

fn place_of(names: &[String], spellings: &[&str]) -> Option<usize> {
    names.iter().position(|name| spellings.contains(&&name[..]))
}

/// Returns the columns of a vector's three numbers, in any numbering.
fn vector(names: &[String], of: &str) -> Option<[usize; 3]> {
    let part = |upper, lower, number| {
        let spellings = [
            format!("{of}{upper}"),
            format!("{of}.{lower}"),
            format!("{of}_{lower}"),
            format!("{of}.{number}"),
        ];
        names.iter().position(|name| spellings.contains(name))
    };
    Some([part('X', 'x', 1)?, part('Y', 'y', 2)?, part('Z', 'z', 3)?])
}

impl DirectedColumns {
    /// Returns the end of a row's cylinder, at its length from the start along the axis.
    pub fn end(&self, cells: &[Cell<'_>]) -> Result<[f64; 3], RowFault> {
        let number = |column: usize| {
            cells[column].number().map_err(|reason| RowFault { column: Some(column), reason })
        };
        let vector = |[x, y, z]: [usize; 3]| -> Result<DVec3, RowFault> {
            Ok(DVec3::new(number(x)?, number(y)?, number(z)?))
        };
        let (start, axis, length) = (vector(self.start)?, vector(self.axis)?, number(self.length)?);
        // Files have directions with few decimals, so that their lengths are not quite 1.
        let axis = axis.try_normalize().ok_or_else(|| RowFault {
            column: Some(self.axis[0]),
            reason: "is part of an axis of length zero".to_owned(),
        })?;
        if length.is_nan() || length <= 0.0 {
            let reason = format!("is {length}: it must be greater than 0");
            return Err(RowFault { column: Some(self.length), reason });
        }
        Ok((start + length * axis).to_array())
    }
}
