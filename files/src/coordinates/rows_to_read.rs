//! Rows of numbers, such as rays and points, from arrays in either order and with any number of
//! axes.

use super::rounding::needs_origin;
use crate::FileError;
use crate::bytes::npz::{ArrayToRead, Number, NumberStream};
use std::path::Path;

/// An array whose last axis is a row of numbers. Its rows are counted in C order, whatever the
/// order of the file.
#[derive(Debug)]
pub(crate) struct RowsToRead {
    /// The array; if it is in Fortran order, its columns, each of which is read on its own.
    arrays: Vec<ArrayToRead>,
    /// The extents of all axes but the last one.
    leading_shape: Vec<usize>,
    columns: usize,
}

impl RowsToRead {
    /// Reads an array of numbers with one of these numbers of columns. `rule` describes the rows in
    /// errors. An array of one axis is one row.
    pub fn new(
        array: ArrayToRead,
        columns: &[usize],
        rule: &str,
        path: &Path,
    ) -> Result<Self, FileError> {
        let refuse = |reason: String| Err(FileError::meaning(path, &array.name, reason));
        let header = &array.header;
        let (leading, row) = match header.shape.split_last() {
            Some((&row, leading)) if columns.contains(&row) => (leading, row),
            _ => return refuse(format!("has shape {:?}: {rule}", header.shape)),
        };
        if header.is_integer() {
            return refuse(format!(
                "has type {}: the numbers must be float32 or float64; convert them with a.astype(numpy.float64)",
                header.dtype
            ));
        }
        let leading_shape = if leading.is_empty() { vec![1] } else { leading.to_vec() };
        let rows: usize = leading_shape.iter().product();
        let arrays = match header.is_fortran() {
            false => vec![array],
            true => (0..row)
                .map(|column| array.behind(column * rows, path))
                .collect::<Result<_, _>>()?,
        };
        Ok(Self { arrays, leading_shape, columns: row })
    }

    /// The count of rows.
    pub fn len(&self) -> usize {
        self.leading_shape.iter().product()
    }

    /// The count of numbers in a row.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// The extents of all axes except the last; a single row is a list of one row.
    pub fn leading_shape(&self) -> &[usize] {
        &self.leading_shape
    }

    /// Reads the rows from the first one on. Subtracts each number of `subtracted` in float64 from
    /// the row's number at the same index, and rounds the difference to float32.
    pub fn rows<'a>(
        &'a mut self,
        path: &'a Path,
        subtracted: [f64; 3],
    ) -> Result<RowStream<'a>, FileError> {
        let Self { arrays, leading_shape, columns } = self;
        let streams: Vec<NumberStream<'_>> = arrays
            .iter_mut()
            .map(|array| array.numbers_as_stored(path))
            .collect::<Result<_, _>>()?;
        let mut rows = RowStream {
            streams,
            in_memory: None,
            columns: *columns,
            subtracted,
            path,
            is_coarse: false,
        };
        // In Fortran order neighbours along the last of several leading axes are far apart in the
        // file.
        if rows.streams.len() > 1 && leading_shape.len() > 1 {
            let stored = rows.next(leading_shape.iter().product())?;
            rows.in_memory = Some(in_c_order(&stored, *columns, leading_shape).into_iter());
        }
        Ok(rows)
    }
}

/// Puts rows that are in Fortran order into C order.
fn in_c_order(stored: &[f32], columns: usize, leading_shape: &[usize]) -> Vec<f32> {
    let mut rows = Vec::with_capacity(stored.len());
    let mut indices = vec![0; leading_shape.len()];
    for _ in 0..stored.len() / columns {
        let axes = indices.iter().zip(leading_shape).rev();
        let row: usize = axes.fold(0, |row, (index, extent)| row * extent + index);
        rows.extend(&stored[row * columns..(row + 1) * columns]);
        for (index, extent) in indices.iter_mut().zip(leading_shape).rev() {
            *index += 1;
            if index != extent {
                break;
            }
            *index = 0;
        }
    }
    rows
}

/// Rows that are read one after another.
pub(crate) struct RowStream<'a> {
    /// The array's numbers, or the numbers of each column.
    streams: Vec<NumberStream<'a>>,
    /// The rows, if they had to be read as a whole.
    in_memory: Option<std::vec::IntoIter<f32>>,
    columns: usize,
    subtracted: [f64; 3],
    path: &'a Path,
    /// True after a warning that rounding loses more than a thousandth.
    is_coarse: bool,
}

impl RowStream<'_> {
    /// Reads the numbers of the next rows.
    pub fn next(&mut self, count: usize) -> Result<Vec<f32>, FileError> {
        let Self { streams, in_memory, columns, subtracted, path, is_coarse } = self;
        let mut rounded = |number: f64, column: usize| {
            let Some(subtracted) = subtracted.get(column) else { return number as f32 };
            if let Some(reason) = needs_origin(number).filter(|_| !*is_coarse && *subtracted == 0.0)
            {
                *is_coarse = true;
                log::warn!("{}: a coordinate {reason}", path.display());
            }
            (number - subtracted) as f32
        };
        if let Some(rows) = in_memory {
            return Ok(rows.take(count * *columns).collect());
        }
        if let [stream] = &mut streams[..] {
            if stream.dtype() == f32::DTYPE && *subtracted == [0.0; 3] {
                return stream.next(count * *columns);
            }
            let numbers = stream.floats(count * *columns)?;
            let columns = (0..*columns).cycle();
            let numbers = numbers.into_iter().zip(columns);
            return Ok(numbers.map(|(number, column)| rounded(number, column)).collect());
        }
        let mut rows = vec![0.0; count * *columns];
        for (column, stream) in streams.iter_mut().enumerate() {
            let numbers = stream.floats(count)?;
            for (row, number) in rows.chunks_exact_mut(*columns).zip(numbers) {
                row[column] = rounded(number, column);
            }
        }
        Ok(rows)
    }

    /// Ends the reading, as [`NumberStream::finish`] does.
    pub fn finish(mut self) -> Result<(), FileError> {
        self.streams.pop().map_or(Ok(()), NumberStream::finish)
    }
}
