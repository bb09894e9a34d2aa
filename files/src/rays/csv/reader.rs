//! Rays from a table of text, which is read as a whole.

use crate::rays::columns::{COLUMNS, DEFAULT_IDS, FLOATS, IGNORED, REQUIRED, RayIds};
use crate::{CsvRow, FileError, FileStore, RowFault, each_csv_row, nearest, needs_origin};
use raytwin::query::Rays;
use raytwin::ray::Ray;
use std::path::{Path, PathBuf};

/// The number of bytes that a ray needs, and each cell of its row, except for long texts.
const RAY_BYTES: usize = 96;
const CELL_BYTES: usize = 32;
/// The number of rows for which memory is requested at a time.
const ROWS_AT_A_TIME: usize = 1 << 10;

/// A table with the columns of rays, in any order, and others.
#[derive(Debug)]
pub(in crate::rays) struct CsvRays {
    path: PathBuf,
    /// The numbers of each ray, before an origin is subtracted.
    numbers: Vec<[f64; FLOATS]>,
    ids: RayIds,
}

/// The rows of a table as they are written, for a table of answers.
#[derive(Debug, Default)]
pub(in crate::rays) struct RayRows {
    pub names: Vec<String>,
    pub rows: Vec<Vec<String>>,
}

impl RayRows {
    /// Replaces the commas of columns of numbers by decimal points, which answers have.
    fn point_decimals(&mut self) {
        let pointed = |text: &String| text.replacen(',', ".", 1);
        let is_number = |text: &String| text.is_empty() || pointed(text).parse::<f64>().is_ok();
        for column in 0..self.names.len() {
            if self.rows.iter().all(|row| is_number(&row[column])) {
                self.rows.iter_mut().for_each(|row| row[column] = pointed(&row[column]));
            }
        }
    }
}

impl CsvRays {
    pub fn open(path: &Path) -> Result<Self, FileError> {
        Self::read(path, |_| {})
    }

    /// Reads the file again, as texts.
    pub fn rows(path: &Path) -> Result<RayRows, FileError> {
        let mut rows = RayRows::default();
        let (mut is_first, mut has_commas) = (true, false);
        Self::read(path, |row| {
            let cells = row.cells().map(|cell| cell.text.to_owned()).collect();
            has_commas = row.has_decimal_commas();
            match std::mem::take(&mut is_first) {
                true => rows.names = cells,
                false => rows.rows.push(cells),
            }
        })?;
        if has_commas {
            rows.point_decimals();
        }
        Ok(rows)
    }

    /// Reads a file, and passes on each row. The first row has the names.
    fn read(path: &Path, mut show: impl FnMut(CsvRow<'_>)) -> Result<Self, FileError> {
        let store = FileStore::disk();
        let mut rays = Self { path: path.to_owned(), numbers: Vec::new(), ids: RayIds::default() };
        let mut columns: Option<[Option<usize>; COLUMNS.len()]> = None;
        let mut refused = None;
        let read = each_csv_row(&store, path, |row| {
            show(row);
            let Some(columns) = &columns else {
                let names: Vec<&str> = row.cells().map(|cell| cell.text).collect();
                let found = find(&names, path)?;
                for (ids, column) in rays.ids.iter_mut().zip(&found[FLOATS..]) {
                    *ids = column.map(|_| Vec::new());
                }
                columns = Some(found);
                return Ok(());
            };
            if rays.numbers.len().is_multiple_of(ROWS_AT_A_TIME) {
                let needs = || format!("its first {} rays need", rays.len() + ROWS_AT_A_TIME);
                let row_bytes = RAY_BYTES + row.cells().count() * CELL_BYTES;
                let bytes = (ROWS_AT_A_TIME * row_bytes) as u64;
                if let Err(error) = store.take_memory(path, bytes, needs) {
                    refused = Some(error);
                    return Err(RowFault {
                        column: None,
                        reason: "does not fit into memory".to_owned(),
                    });
                }
            }
            rays.add(row, columns)
        });
        read.map_err(|error| refused.unwrap_or(error))?;
        Ok(rays)
    }

    fn add(
        &mut self,
        row: CsvRow<'_>,
        columns: &[Option<usize>; COLUMNS.len()],
    ) -> Result<(), RowFault> {
        let mut numbers = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, f64::INFINITY];
        for (number, column) in numbers.iter_mut().zip(columns) {
            let is_default = row.text(*column).is_empty() && !self.is_required(*column, columns);
            if !is_default {
                *number = row.number(*column, "", |_| true)?;
            }
        }
        self.numbers.push(numbers);
        let ids = self.ids.iter_mut().zip(&columns[FLOATS..]).zip(DEFAULT_IDS);
        for ((ids, &column), default) in ids {
            let Some(ids) = ids else { continue };
            ids.push(match row.text(column) {
                "" => default,
                _ => {
                    let is_id = |number: f64| {
                        number.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(&number)
                    };
                    row.number(column, "from 0 to 4294967295, without decimals", is_id)? as u32
                }
            });
        }
        Ok(())
    }

    /// True for a column in which a cell must have a number.
    fn is_required(&self, column: Option<usize>, columns: &[Option<usize>]) -> bool {
        columns[..REQUIRED].contains(&column)
    }

    pub fn len(&self) -> usize {
        self.numbers.len()
    }

    pub fn ignored(&self) -> Option<&'static str> {
        self.ids[IGNORED - FLOATS].as_ref().map(|_| COLUMNS[IGNORED])
    }

    /// Rejects rays that start far from zero, at positions with decimals.
    pub fn refuse_coarse(&self) -> Result<(), FileError> {
        for (row, numbers) in self.numbers.iter().enumerate() {
            let mut coarse = COLUMNS[..3].iter().zip(numbers);
            let found = coarse.find_map(|(name, number)| Some((name, needs_origin(*number)?)));
            if let Some((name, reason)) = found {
                return Err(FileError::meaning(&self.path, format!("row {row}.{name}"), reason));
            }
        }
        Ok(())
    }

    pub fn batches<E: From<FileError>>(
        self,
        origin: [f64; 3],
        size: usize,
        mut take: impl FnMut(Rays) -> Result<(), E>,
    ) -> Result<(), E> {
        for (piece, numbers) in self.numbers.chunks(size).enumerate() {
            let rows = piece * size..piece * size + numbers.len();
            let of_rows = |ids: &Option<Vec<u32>>| Some(ids.as_ref()?[rows.clone()].to_vec());
            let [masks, ignored, worlds] = self.ids.each_ref().map(of_rows);
            let ray = |numbers: &[f64; FLOATS]| {
                let [ox, oy, oz, dx, dy, dz, t_min, t_max] = *numbers;
                let place = [ox - origin[0], oy - origin[1], oz - origin[2]];
                let ray = Ray::new(place.map(|it| it as f32), [dx, dy, dz].map(|it| it as f32));
                Ray { t_min: t_min as f32, t_max: t_max as f32, ..ray }
            };
            take(Rays { rays: numbers.iter().map(ray).collect(), masks, ignored, worlds })?;
        }
        Ok(())
    }
}

fn find(names: &[&str], path: &Path) -> Result<[Option<usize>; COLUMNS.len()], RowFault> {
    let mut found = [None; COLUMNS.len()];
    for (index, (wanted, found)) in COLUMNS.iter().zip(&mut found).enumerate() {
        let mut at = (0..names.len()).filter(|&column| names[column] == *wanted);
        *found = at.next();
        if let Some(second) = at.next() {
            let reason = format!("is a second column {wanted}: remove one of the two");
            return Err(RowFault { column: Some(second), reason });
        }
        let others: Vec<&str> =
            names.iter().copied().filter(|name| !COLUMNS.contains(name)).collect();
        let near = nearest(wanted, &others).filter(|_| found.is_none());
        if found.is_none() && index < REQUIRED {
            let hint = near.map(|near| format!(" (did you mean {near}?)")).unwrap_or_default();
            let reason = format!(
                "has no column {wanted}{hint}: rays need the columns {} and may have {}",
                COLUMNS[..REQUIRED].join(" "),
                COLUMNS[REQUIRED..].join(" ")
            );
            return Err(RowFault { column: None, reason });
        }
        if let Some(near) = near {
            let path = path.display();
            log::warn!("{path}: the column {near} is not read: did you mean {wanted}?");
        }
    }
    Ok(found)
}
