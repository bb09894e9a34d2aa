//! Reads a bulk scene: an `.npz` with one array for each type of shape, which has a row for each
//! shape.

use super::Options;
use super::graph::{GraphContents, GraphItem, GraphRows, RowPlace, RowShapes};
use super::graph_reader::{GraphReader, called};
use raytwin::geometry::Geometry;
use raytwin::shapes::{SHAPE_TYPES, ShapeType};
use raytwin_files::memory::SHAPE_BYTES;
use raytwin_files::npz::{ArrayToRead, Number, arrays_to_read};
use raytwin_files::{FileError, FileStore};
use std::path::Path;

/// The largest number of shapes of a bulk scene. Their records of 64 bytes fill 4 GiB, the largest
/// buffer of most devices. The limit matters because a small archive can declare, and through
/// compression even contain, more rows than fit into memory.
const MAX_SHAPES: usize = 1 << 26;

const ROWS_AT_A_TIME: usize = 1 << 14;

/// The arrays of one type of shape. Only their headers have been read.
struct Table {
    kind: &'static ShapeType,
    rows: ArrayToRead,
    /// The ids that the file gives to the shapes.
    ids: Option<ArrayToRead>,
}

/// Reads a bulk scene. Ids run through the types in the order of [`SHAPE_TYPES`], unless arrays
/// `<type>_ids` give them.
pub(super) fn read(reader: &mut GraphReader, path: &Path, _: &Options) -> Result<u32, FileError> {
    let mut tables = tables(&reader.store, path)?;
    let mut total = 0_usize;
    for table in &tables {
        table.check(path)?;
        total = total.saturating_add(table.count());
    }
    if total > MAX_SHAPES {
        let reason = format!("has {total} shapes: a bulk scene can have at most {MAX_SHAPES}");
        return Err(FileError::meaning(path, "", reason));
    }
    let needs = || format!("its {total} shapes need");
    reader.store.take_memory(path, total as u64 * SHAPE_BYTES, needs)?;
    let mut geometries = Vec::new();
    let mut arrays = Vec::new();
    for table in &mut tables {
        arrays.push((geometries.len(), table.kind.name));
        table.read_into(&mut geometries, path)?;
    }
    let has_ids = tables.iter().any(|table| table.ids.is_some());
    let ids = has_ids.then(|| ids(&mut tables, total, path)).transpose()?;
    if let Some(ids) = &ids {
        sort(&mut geometries, ids.clone());
    }
    let rows = GraphRows::new(
        RowPlace::Array { arrays, ids },
        RowShapes { geometries, ..RowShapes::default() },
    );
    let mut contents = GraphContents::new(called(path), path.to_owned(), String::new());
    contents.items.push(GraphItem::Rows(rows));
    Ok(reader.add(contents))
}

/// Sorts shapes by their ids, which are the numbers below their count, each once.
fn sort(shapes: &mut [Geometry], mut ids: Vec<u32>) {
    // The permutation is done cycle by cycle, so that no second list of all shapes is needed.
    for index in 0..ids.len() {
        while ids[index] as usize != index {
            let target = ids[index] as usize;
            shapes.swap(index, target);
            ids.swap(index, target);
        }
    }
}

/// The tables of a file, in the order of [`SHAPE_TYPES`].
fn tables(store: &FileStore, path: &Path) -> Result<Vec<Table>, FileError> {
    const COUNT: usize = SHAPE_TYPES.len();
    let ids_names: [String; COUNT] = std::array::from_fn(|kind| ids_name(&SHAPE_TYPES[kind]));
    let names: [&str; 2 * COUNT] = std::array::from_fn(|index| match index.checked_sub(COUNT) {
        None => SHAPE_TYPES[index].name,
        Some(kind) => &ids_names[kind],
    });
    let known = names[..COUNT].join(", ");
    let rule = format!("a bulk scene may have {known} and <type>_ids");
    let mut arrays = arrays_to_read(store, path, names, &rule)?;
    let mut tables = Vec::new();
    for (index, kind) in SHAPE_TYPES.iter().enumerate() {
        match (arrays[index].take(), arrays[COUNT + index].take()) {
            (Some(rows), ids) => tables.push(Table { kind, rows, ids }),
            (None, Some(ids)) => {
                let reason = format!("needs an array {}, which is missing", kind.name);
                return Err(FileError::meaning(path, ids.name, reason));
            }
            (None, None) => {}
        }
    }
    Ok(tables)
}

fn ids_name(kind: &ShapeType) -> String {
    format!("{}_ids", kind.name)
}

impl Table {
    fn count(&self) -> usize {
        self.rows.header.shape.first().copied().unwrap_or(0)
    }

    /// Rejects arrays whose type or shape does not match the rows of this type of shape and their
    /// ids.
    fn check(&self, path: &Path) -> Result<(), FileError> {
        let Self { kind, rows, ids } = self;
        // Trailing fields with a default may be omitted, but only in all rows.
        let counts = kind.column_counts();
        let shape = &rows.header.shape;
        if !matches!(shape[..], [_, columns] if counts.contains(&columns)) {
            let fields: Vec<&str> = kind.fields.iter().map(|field| field.name).collect();
            let wanted: Vec<String> = counts.iter().map(|count| format!("(N, {count})")).collect();
            let wanted = wanted.join(" or ");
            let reason =
                format!("has shape {shape:?}: it must be {wanted}, for {}", fields.join(" "));
            return Err(FileError::meaning(path, kind.name, reason));
        }
        if rows.header.is_integer() {
            let reason =
                format!("has type {}: shapes must be float32 or float64", rows.header.dtype);
            return Err(FileError::meaning(path, kind.name, reason));
        }
        let Some(ids) = ids else { return Ok(()) };
        let count = self.count();
        if ids.header.dtype == u32::DTYPE && ids.header.shape[..] == [count] {
            return Ok(());
        }
        let found = format!("{} {:?}", ids.header.dtype, ids.header.shape);
        let reason =
            format!("is {found}: it must be uint32 of shape ({count},), an id for each row");
        Err(FileError::meaning(path, &ids.name, reason))
    }

    /// Reads the shapes in the order of their rows, which are checked where they are placed.
    fn read_into(&mut self, shapes: &mut Vec<Geometry>, path: &Path) -> Result<(), FileError> {
        let (count, kind) = (self.count(), self.kind);
        let columns = self.rows.header.shape[1];
        let is_float64 = self.rows.header.dtype == f64::DTYPE;
        // The numbers past the array's columns keep their defaults.
        let defaults: Vec<f64> = kind.defaults().skip(columns).collect();
        let mut numbers = self.rows.numbers(path)?;
        for start in (0..count).step_by(ROWS_AT_A_TIME) {
            let wanted = ROWS_AT_A_TIME.min(count - start) * columns;
            let given: Vec<f64> = match is_float64 {
                true => numbers.next(wanted)?,
                false => numbers.next::<f32>(wanted)?.into_iter().map(f64::from).collect(),
            };
            let mut row = Vec::new();
            shapes.extend(given.chunks_exact(columns).map(|given| {
                row.clear();
                row.extend(given.iter().chain(&defaults));
                Geometry::from((kind.from_row)(&row))
            }));
        }
        numbers.finish()
    }
}

/// The ids of all rows, table by table. They must be a permutation of the numbers below `total`.
fn ids(tables: &mut [Table], total: usize, path: &Path) -> Result<Vec<u32>, FileError> {
    let mut is_taken = vec![false; total];
    let mut all = Vec::with_capacity(total);
    for table in tables {
        let count = table.count();
        let Some(ids) = &mut table.ids else {
            let reason = "is missing: if one type of shape has ids, all must have them";
            return Err(FileError::meaning(path, ids_name(table.kind), reason));
        };
        let mut numbers = ids.numbers(path)?;
        let ids = numbers.next::<u32>(count)?;
        numbers.finish()?;
        for (row, id) in ids.iter().enumerate() {
            let taken = is_taken.get_mut(*id as usize);
            if taken.is_none_or(|taken| std::mem::replace(taken, true)) {
                let place = format!("{}[{row}]", ids_name(table.kind));
                let last = total.saturating_sub(1);
                let reason =
                    format!("is {id}: ids must be the numbers from 0 to {last}, each once");
                return Err(FileError::meaning(path, place, reason));
            }
        }
        all.extend(ids);
    }
    Ok(all)
}

#[cfg(test)]
mod tests;
