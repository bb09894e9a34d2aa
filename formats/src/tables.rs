//! Reads a table of shapes from a `.csv` or a `.parquet`: a row for each shape, and columns with
//! the names of the fields of shapes. Other integer columns are kept with the shapes.

mod aliases;
mod cell;
mod columns;
mod csv_file;
mod diameters;
mod integer_columns;
mod parquet_file;
mod radius_check;
mod row_reader;
mod tree_columns;
mod units;

pub(crate) use columns::{COLOR_COLUMNS, OF_ALL_TYPES, column_names};

use super::graph::{GraphContents, GraphItem, GraphRows, RowPlace};
use super::graph_reader::{GraphReader, called};
use super::{Options, Warning};
use raytwin::scene::Scene;
use raytwin_files::FileError;
use row_reader::RowReader;
use std::path::Path;

/// Reads a table from its text.
pub(super) fn read_csv(
    reader: &mut GraphReader,
    path: &Path,
    _: &Options,
) -> Result<u32, FileError> {
    let rows = csv_file::read(&reader.store, path)?;
    Ok(fill(reader, path, rows))
}

/// Reads a table from the columns of a Parquet file.
pub(super) fn read_parquet(
    reader: &mut GraphReader,
    path: &Path,
    _: &Options,
) -> Result<u32, FileError> {
    let rows = parquet_file::read(&reader.store, path)?;
    Ok(fill(reader, path, Some(rows)))
}

/// Adds the rows of a file to a graph, with a warning about columns that were not read, and returns
/// the index of its contents.
fn fill(reader: &mut GraphReader, path: &Path, rows: Option<RowReader>) -> u32 {
    let mut contents = GraphContents::new(called(path), path.to_owned(), String::new());
    if let Some(rows) = rows {
        let RowReader {
            columns,
            names,
            mut shapes,
            integers,
            is_tree,
            unread: unread_cells,
            radii,
            radius_name,
            ..
        } = rows;
        let (mut integers, read) = integers.finish(&names);
        // A file's own column with that name stays, whatever its meaning.
        if is_tree && !names.iter().any(|name| name == Scene::WOOD) {
            integers.insert(Scene::WOOD.to_owned(), vec![1; shapes.geometries.len()]);
        }
        shapes.integers = integers;
        contents.items.push(GraphItem::Rows(GraphRows::new(RowPlace::Row, shapes)));
        let mut unread = Warning::new(
            "columns were not read (raytwin keeps unknown columns only if they have whole numbers, and at most 64)",
        );
        for column in columns.unknown.iter().filter(|column| !read.contains(column)) {
            unread.add(|| names[*column].clone());
        }
        let mut misspelt = Warning::about_read(
            "columns of whole numbers have almost the name of a shape column, but are not read as one",
        );
        for &column in &read {
            let name = &names[column];
            let singular = name.trim().trim_end_matches(['s', 'S']);
            let meant = OF_ALL_TYPES.iter().find(|known| known.eq_ignore_ascii_case(singular));
            if let Some(meant) = meant {
                misspelt.add(|| format!("{name} (did you mean {meant}?)"));
            }
        }
        let implausible = radius_name.map(|name| radii.warning(&name));
        reader.warnings.extend([unread_cells, unread, misspelt]);
        reader.warnings.extend(implausible);
    }
    reader.add(contents)
}

#[cfg(test)]
mod tests;
