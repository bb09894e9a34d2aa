//! Rays from a Parquet file.

use crate::bytes::parquet::{ColumnKind, ROWS_AT_A_TIME, Table, TableColumn};
use crate::rays::columns::{COLUMNS, DEFAULT_IDS, FLOATS, IGNORED, REQUIRED, RayIds};
use crate::{FileError, FileStore, nearest};
use ::parquet::column::reader::ColumnReader;
use raytwin::query::Rays;
use raytwin::ray::Ray;
use std::path::Path;

/// A file with these columns. Other columns are not read.
#[derive(Debug)]
pub(in crate::rays) struct ParquetRays {
    table: Table,
    /// Those of [`COLUMNS`] that the file has, each with its index there.
    columns: Vec<(usize, TableColumn)>,
}

impl ParquetRays {
    pub fn open(path: &Path) -> Result<Self, FileError> {
        let table = Table::open(&FileStore::disk(), path)?;
        let mut columns = Vec::new();
        for (index, name) in COLUMNS.into_iter().enumerate() {
            let Some(column) = table.column(name)? else {
                if index < REQUIRED {
                    let rule = format!("Rays need the columns {}", COLUMNS[..REQUIRED].join(" "));
                    return Err(table.missing(name, &rule));
                }
                warn_of_misspelt(name, &table);
                continue;
            };
            refuse_other_type(column, index, path)?;
            table.check(column)?;
            columns.push((index, column.clone()));
        }
        Ok(Self { table, columns })
    }

    pub fn len(&self) -> usize {
        self.table.row_count()
    }

    pub fn ignored(&self) -> Option<&'static str> {
        self.columns.iter().any(|(index, _)| *index == IGNORED).then_some(COLUMNS[IGNORED])
    }

    pub fn batches<E: From<FileError>>(
        self,
        origin: [f64; 3],
        size: usize,
        mut take: impl FnMut(Rays) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut batch = RayBatch::new(origin, &self.columns);
        let mut before = 0;
        for (group, rows) in self.table.group_rows().enumerate() {
            let columns = self.columns.iter();
            let readers = columns.map(|(_, column)| self.table.reader(group, column));
            let mut readers: Vec<ColumnReader> = readers.collect::<Result<_, _>>()?;
            let mut left = rows;
            while left > 0 {
                let count = left.min(size - batch.rays.len()).min(ROWS_AT_A_TIME);
                batch.extend(count);
                for ((index, column), reader) in self.columns.iter().zip(&mut readers) {
                    let read = batch
                        .read(*index, column, reader, count)
                        .map_err(|error| self.table.damaged(&column.name, &error))?;
                    batch.refuse_misfit(column, before, self.table.path())?;
                    self.table.refuse_truncated(&column.name, read, count, before)?;
                }
                before += count;
                left -= count;
                if batch.rays.len() == size {
                    take(batch.take())?;
                }
            }
        }
        if !batch.rays.is_empty() {
            take(batch.take())?;
        }
        Ok(())
    }
}

/// Warns of a column that is not read, but may be meant as an optional one that the file lacks.
fn warn_of_misspelt(missing: &str, table: &Table) {
    let is_near = |column: &&TableColumn| {
        !COLUMNS.contains(&&column.name[..]) && nearest(&column.name, &[missing]).is_some()
    };
    if let Some(column) = table.columns().iter().find(is_near) {
        let (path, name) = (table.path().display(), &column.name);
        log::warn!("{path}: the column {name} is not read: did you mean {missing}?");
    }
}

/// Rejects a column whose values do not match the column at this index of [`COLUMNS`].
fn refuse_other_type(column: &TableColumn, index: usize, path: &Path) -> Result<(), FileError> {
    use ColumnKind::{Bool, Decimal, Float, Null};
    let (is_wanted, wanted) = match index < FLOATS {
        true => (matches!(column.kind, Float | Decimal { .. } | Null), "float32 or float64"),
        false => (column.kind.is_whole() && column.kind != Bool, "integers"),
    };
    if is_wanted {
        return Ok(());
    }
    let found = column.type_name();
    let reason =
        format!("has type {found}: it must be {wanted}; cast the column before you write it");
    Err(FileError::meaning(path, &column.name, reason))
}

/// Rays that have been read and not yet passed to the caller.
struct RayBatch {
    /// It is subtracted from the rays' origins before these are rounded.
    origin: [f64; 3],
    rays: Vec<Ray>,
    ids: RayIds,
    /// For each ray, whether a number is null that has no default.
    has_null: Vec<bool>,
    /// The row, after the last [`Self::extend`], of a number that is not an id or mask, and the
    /// number.
    misfit: Option<(usize, i128)>,
    /// The index of the first ray after the last [`Self::extend`].
    start: usize,
}

impl RayBatch {
    fn new(origin: [f64; 3], columns: &[(usize, TableColumn)]) -> Self {
        let has = |wanted: usize| columns.iter().any(|(index, _)| *index == wanted);
        Self {
            origin,
            rays: Vec::new(),
            ids: std::array::from_fn(|at| has(FLOATS + at).then(Vec::new)),
            has_null: Vec::new(),
            misfit: None,
            start: 0,
        }
    }

    /// Appends rays with the defaults of all numbers.
    fn extend(&mut self, count: usize) {
        self.start = self.rays.len();
        let end = self.start + count;
        self.rays.resize(end, Ray::new([0.0; 3], [0.0; 3]));
        self.has_null.resize(end, false);
        for (ids, default) in self.ids.iter_mut().zip(DEFAULT_IDS) {
            ids.iter_mut().for_each(|ids| ids.resize(end, default));
        }
    }

    /// Reads the numbers of one of [`COLUMNS`] for the rays that were appended last.
    fn read(
        &mut self,
        index: usize,
        column: &TableColumn,
        reader: &mut ColumnReader,
        count: usize,
    ) -> Result<usize, ::parquet::errors::ParquetError> {
        let Self { origin, rays, ids, has_null, misfit, start } = self;
        let has_null = &mut has_null[*start..];
        if index < FLOATS {
            // The order of the columns is that of a ray's numbers in memory.
            let rows: &mut [[f32; FLOATS]] = bytemuck::cast_slice_mut(&mut rays[*start..]);
            let subtracted = origin.get(index).copied().unwrap_or(0.0);
            let has_default = index >= REQUIRED;
            return column.kind.next_floats(reader, count, |row, number| match number {
                Some(number) => rows[row][index] = (number - subtracted) as f32,
                None => has_null[row] |= !has_default,
            });
        }
        let numbers = &mut ids[index - FLOATS].get_or_insert_default()[*start..];
        column.kind.next_integers(reader, count, |row, number| match number.map(u32::try_from) {
            Some(Ok(id)) => numbers[row] = id,
            Some(Err(_)) => *misfit = misfit.or(number.map(|number| (row, number))),
            None => has_null[row] = true,
        })
    }

    /// Rejects an integer that is not an id, mask or world number. The rows that were appended last
    /// follow `before` others in the file.
    fn refuse_misfit(
        &self,
        column: &TableColumn,
        before: usize,
        path: &Path,
    ) -> Result<(), FileError> {
        let Some((row, number)) = self.misfit else { return Ok(()) };
        let place = format!("{}[{}]", column.name, before + row);
        let reason = format!("is {number}: it must be from 0 to {}", u32::MAX);
        Err(FileError::meaning(path, place, reason))
    }

    /// Takes the rays out. One with a null is invalid.
    fn take(&mut self) -> Rays {
        for (ray, has_null) in self.rays.iter_mut().zip(&self.has_null) {
            if *has_null {
                ray.direction = [f32::NAN; 3];
            }
        }
        self.has_null.clear();
        let [masks, ignored, worlds] =
            self.ids.each_mut().map(|ids| ids.as_mut().map(std::mem::take));
        Rays { rays: std::mem::take(&mut self.rays), masks, ignored, worlds }
    }
}
