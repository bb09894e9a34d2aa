//! Bulk scenes: an `.npz` with one array for each kind of shape, a row for each shape.

use crate::files::FileError;
use crate::math::Similarity;
use crate::npz::{Array, Numbers, read_npz};
use crate::scene::Scene;
use crate::shapes::{KINDS, Kind};
use std::path::Path;

/// Rows of one kind, with the ids that the file gives them.
struct Rows {
    kind: &'static Kind,
    numbers: Vec<f64>,
    ids: Option<Vec<u32>>,
}

impl Rows {
    fn count(&self) -> usize {
        self.numbers.len() / self.kind.columns()
    }
}

/// Reads a bulk scene. Ids run by kind in the order of [`KINDS`], or as arrays `<kind>_ids` say.
pub(super) fn read(path: &Path) -> Result<Scene, FileError> {
    let mut arrays = read_npz(path)?;
    let mut take = |name: &str| {
        let place = arrays.iter().position(|(own, _)| own == name)?;
        Some(arrays.swap_remove(place).1)
    };
    let mut groups = Vec::new();
    for kind in KINDS {
        let ids_name = format!("{}_ids", kind.name);
        let ids = take(&ids_name);
        if let Some(array) = take(kind.name) {
            let numbers = rows_of(array, kind, path)?;
            let rows = numbers.len() / kind.columns();
            let ids = ids.map(|ids| ids_of(ids, rows, &ids_name, path)).transpose()?;
            groups.push(Rows { kind, numbers, ids });
        } else if ids.is_some() {
            let reason = format!("has no array {} beside it", kind.name);
            return Err(FileError::meaning(path, ids_name, reason));
        }
    }
    if let Some((unknown, _)) = arrays.first() {
        let known: Vec<&str> = KINDS.iter().map(|kind| kind.name).collect();
        return Err(FileError::meaning(
            path,
            unknown.as_str(),
            format!("is an unknown array: a bulk scene holds {} and <kind>_ids", known.join(", ")),
        ));
    }

    let mut scene = Scene::new();
    for (group, row) in in_order_of_ids(&groups, path)? {
        let Rows { kind, numbers, .. } = &groups[group];
        let columns = kind.columns();
        let numbers = &numbers[row * columns..(row + 1) * columns];
        scene.add_row(kind, numbers, &Similarity::IDENTITY).map_err(|refusal| {
            let dot = if refusal.field.is_empty() { "" } else { "." };
            let place = format!("{}[{row}]{dot}{}", kind.name, refusal.field);
            FileError::meaning(path, place, refusal.reason)
        })?;
    }
    Ok(scene)
}

fn rows_of(array: Array, kind: &Kind, path: &Path) -> Result<Vec<f64>, FileError> {
    // Fields at the end that have a default may be left out of all rows, or of none.
    let sizes = [kind.columns(), kind.least_columns()];
    let (rows, columns) = match array.shape[..] {
        [rows, columns] if sizes.contains(&columns) => (rows, columns),
        _ => {
            let fields: Vec<&str> = kind.fields.iter().map(|field| field.name).collect();
            let wanted = match sizes {
                [all, least] if all == least => format!("(N, {all})"),
                [all, least] => format!("(N, {least}) or (N, {all})"),
            };
            let shape = &array.shape;
            let reason = format!("has shape {shape:?}: it must be {wanted}: {}", fields.join(" "));
            return Err(FileError::meaning(path, kind.name, reason));
        }
    };
    let numbers = match array.numbers {
        Numbers::F32(numbers) => numbers.into_iter().map(f64::from).collect(),
        Numbers::F64(numbers) => numbers,
        Numbers::U32(_) => {
            let reason = "is of type uint32: shapes are float32 or float64";
            return Err(FileError::meaning(path, kind.name, reason));
        }
    };
    if columns == kind.columns() {
        return Ok(numbers);
    }
    let rest: Vec<f64> = kind.defaults().skip(columns).collect();
    let rows = (0..rows).map(|row| &numbers[row * columns..(row + 1) * columns]);
    Ok(rows.flat_map(|row| row.iter().chain(&rest).copied()).collect())
}

fn ids_of(array: Array, rows: usize, name: &str, path: &Path) -> Result<Vec<u32>, FileError> {
    let found = format!("{} {:?}", array.numbers.dtype(), array.shape);
    match array.numbers {
        Numbers::U32(ids) if array.shape[..] == [rows] => Ok(ids),
        _ => Err(FileError::meaning(
            path,
            name,
            format!("is {found}: it must be uint32 of shape ({rows},), an id for each row"),
        )),
    }
}

/// Group and row of each id.
fn in_order_of_ids(groups: &[Rows], path: &Path) -> Result<Vec<(usize, usize)>, FileError> {
    let all =
        (0..groups.len()).flat_map(|group| (0..groups[group].count()).map(move |row| (group, row)));
    if groups.iter().all(|group| group.ids.is_none()) {
        return Ok(all.collect());
    }
    let total: usize = groups.iter().map(Rows::count).sum();
    let mut order = vec![None; total];
    for (number, group) in groups.iter().enumerate() {
        let name = format!("{}_ids", group.kind.name);
        let Some(ids) = &group.ids else {
            let reason = "is missing: where one kind has ids, all must";
            return Err(FileError::meaning(path, name, reason));
        };
        for (row, &id) in ids.iter().enumerate() {
            let slot = order.get_mut(id as usize);
            let taken = slot.is_none_or(|slot| slot.replace((number, row)).is_some());
            if taken {
                return Err(FileError::meaning(
                    path,
                    format!("{name}[{row}]"),
                    format!("is {id}: ids must be each of 0 to {} once", total.saturating_sub(1)),
                ));
            }
        }
    }
    // Each of `total` distinct ids below `total` filled its own slot.
    Ok(order.into_iter().flatten().collect())
}

#[cfg(test)]
mod tests;
