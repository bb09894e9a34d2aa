//! Bulk scenes: an `.npz` with one array for each kind of shape, a row for each shape.

use crate::io::FileError;
use crate::io::npz::{ArrayToRead, Number, arrays_to_read};
use crate::math::Similarity;
use crate::scene::Scene;
use crate::shapes::{SHAPE_TYPES, ShapeType};
use std::path::Path;

/// So many fill 4 GiB with their slots of 64 bytes, which is the most that the buffers of most devices hold. An archive
/// of a few bytes can claim, and even hold, more than there is memory for.
const MOST_SHAPES: usize = 1 << 26;

/// How many rows are read at a time.
const PIECE: usize = 1 << 14;

/// The arrays of one kind, of which the headers alone are read.
struct Table {
    kind: &'static ShapeType,
    rows: ArrayToRead,
    /// Which ids the file gives them.
    ids: Option<ArrayToRead>,
}

/// Reads a bulk scene. Ids run by kind in the order of [`SHAPE_TYPES`], or as arrays `<kind>_ids` say.
pub(super) fn read(path: &Path) -> Result<Scene, FileError> {
    let mut tables = tables(path)?;
    let mut total = 0_usize;
    for table in &tables {
        table.refuse_unfit(path)?;
        total = total.saturating_add(table.count());
    }
    if total > MOST_SHAPES {
        let reason = format!("holds {total} shapes: a bulk scene holds {MOST_SHAPES} at most");
        return Err(FileError::meaning(path, "", reason));
    }
    let mut scene = Scene::new();
    for table in &mut tables {
        table.add_to(&mut scene, path)?;
    }
    if tables.iter().all(|table| table.ids.is_none()) {
        return Ok(scene);
    }
    Ok(scene.renumbered(ids(&mut tables, total, path)?))
}

/// The tables of a file, in the order of [`SHAPE_TYPES`].
fn tables(path: &Path) -> Result<Vec<Table>, FileError> {
    const COUNT: usize = SHAPE_TYPES.len();
    let of_ids: [String; COUNT] = std::array::from_fn(|kind| ids_name(&SHAPE_TYPES[kind]));
    let names: [&str; 2 * COUNT] = std::array::from_fn(|place| match place.checked_sub(COUNT) {
        None => SHAPE_TYPES[place].name,
        Some(kind) => &of_ids[kind],
    });
    let known = names[..COUNT].join(", ");
    let rule = format!("a bulk scene holds {known} and <kind>_ids");
    let mut arrays = arrays_to_read(path, names, &rule)?;
    let mut tables = Vec::new();
    for (place, kind) in SHAPE_TYPES.iter().enumerate() {
        match (arrays[place].take(), arrays[COUNT + place].take()) {
            (Some(rows), ids) => tables.push(Table { kind, rows, ids }),
            (None, Some(ids)) => {
                let reason = format!("has no array {} beside it", kind.name);
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

    /// An error for arrays that cannot be the rows of this kind and their ids.
    fn refuse_unfit(&self, path: &Path) -> Result<(), FileError> {
        let Self { kind, rows, ids } = self;
        // Fields at the end that have a default may be left out of all rows, or of none.
        let sizes = [kind.columns(), kind.least_columns()];
        let shape = &rows.header.shape;
        if !matches!(shape[..], [_, columns] if sizes.contains(&columns)) {
            let fields: Vec<&str> = kind.fields.iter().map(|field| field.name).collect();
            let wanted = match sizes {
                [all, least] if all == least => format!("(N, {all})"),
                [all, least] => format!("(N, {least}) or (N, {all})"),
            };
            let reason = format!("has shape {shape:?}: it must be {wanted}: {}", fields.join(" "));
            return Err(FileError::meaning(path, kind.name, reason));
        }
        if rows.header.dtype == u32::DTYPE {
            let reason = "is of type uint32: shapes are float32 or float64";
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

    /// Adds the shapes in the order of their rows.
    fn add_to(&mut self, scene: &mut Scene, path: &Path) -> Result<(), FileError> {
        let (count, kind) = (self.count(), self.kind);
        let columns = self.rows.header.shape[1];
        let is_wide = self.rows.header.dtype == f64::DTYPE;
        // What stands beyond the array's columns are defaults.
        let mut row: Vec<f64> = kind.defaults().collect();
        let mut numbers = self.rows.numbers(path)?;
        for start in (0..count).step_by(PIECE) {
            let wanted = PIECE.min(count - start) * columns;
            let piece: Vec<f64> = match is_wide {
                true => numbers.next(wanted)?,
                false => numbers.next::<f32>(wanted)?.into_iter().map(f64::from).collect(),
            };
            for (place, own) in (start..).zip(piece.chunks_exact(columns)) {
                row[..columns].copy_from_slice(own);
                scene.add_row(kind, &row, &Similarity::IDENTITY).map_err(|shape_error| {
                    let dot = if shape_error.field.is_empty() { "" } else { "." };
                    let place = format!("{}[{place}]{dot}{}", kind.name, shape_error.field);
                    FileError::meaning(path, place, shape_error.reason)
                })?;
            }
        }
        numbers.finish()
    }
}

/// The ids of all rows, table by table: each of those below `total` once.
fn ids(tables: &mut [Table], total: usize, path: &Path) -> Result<Vec<u32>, FileError> {
    let mut is_taken = vec![false; total];
    let mut all = Vec::with_capacity(total);
    for table in tables {
        let count = table.count();
        let Some(ids) = &mut table.ids else {
            let reason = "is missing: where one kind has ids, all must";
            return Err(FileError::meaning(path, ids_name(table.kind), reason));
        };
        let mut numbers = ids.numbers(path)?;
        let own = numbers.next::<u32>(count)?;
        numbers.finish()?;
        for (row, id) in own.iter().enumerate() {
            let slot = is_taken.get_mut(*id as usize);
            if slot.is_none_or(|slot| std::mem::replace(slot, true)) {
                let place = format!("{}[{row}]", ids_name(table.kind));
                let reason =
                    format!("is {id}: ids must be each of 0 to {} once", total.saturating_sub(1));
                return Err(FileError::meaning(path, place, reason));
            }
        }
        all.extend(own);
    }
    Ok(all)
}

#[cfg(test)]
mod tests;
