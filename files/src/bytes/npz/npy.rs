//! Single arrays, each read or written as a whole.

use super::header::{ArrayHeader, unfinished_array, write_header};
use super::number::Number;
use crate::{FileError, FileStore};
use std::io::{self, Write};
use std::path::Path;

/// The array of an `.npy` file in C order, with its numbers widened.
#[derive(Debug)]
pub struct NpyArray {
    /// The lengths along each axis.
    pub shape: Vec<usize>,
    /// NumPy's name of the numbers' type in the file.
    pub dtype: &'static str,
    /// The numbers, in C order.
    pub numbers: Vec<f64>,
}

/// Reads the array of an `.npy` file.
///
/// # Errors
/// [`FileError`]: the file is unreadable, truncated, too long to be read as a whole or not an array
/// of numbers, or the array is in Fortran order.
pub fn read_npy(store: &FileStore, path: &Path) -> Result<NpyArray, FileError> {
    let (mut file, length) = store.open(path)?;
    let header = ArrayHeader::read(&mut file, length, path, "")?;
    header.refuse_fortran(path, "")?;
    let count: usize = header.shape.iter().product();
    store.refuse_long(path, length)?;
    let numbers = header.floats(&mut file, count);
    let numbers = numbers.map_err(|error| unfinished_array(path, "", &error))?;
    Ok(NpyArray { shape: header.shape, dtype: header.dtype, numbers })
}

/// Writes an array in C order; the product of `shape` is the length of `numbers`.
///
/// # Errors
/// [`io::Error`] of the writer.
pub fn write_npy<T: Number>(
    mut writer: impl Write,
    shape: &[usize],
    numbers: &[T],
) -> io::Result<()> {
    write_header(&mut writer, T::DESCR, shape)?;
    writer.write_all(bytemuck::cast_slice(numbers))
}
