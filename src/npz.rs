//! NumPy's files: one array (`.npy`) or an archive of named ones (`.npz`).

mod arrays;
mod fails_once;
mod header;
mod streams;

pub(crate) use arrays::{ArrayLayout, ArraysToWrite};
pub(crate) use header::Header;
pub(crate) use streams::{ArrayToRead, Stream, arrays_to_read};

use crate::files::FileError;
use fails_once::FailsOnce;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, Write};
use std::path::Path;
use zip::{CompressionMethod, ZipArchive, ZipWriter, result::ZipError, write::SimpleFileOptions};

/// An array as a file holds it, its numbers widened and in C order.
#[cfg(feature = "images")]
#[derive(Debug)]
pub(crate) struct Array {
    pub shape: Vec<usize>,
    /// NumPy's name for the type that they have in the file.
    pub dtype: &'static str,
    pub numbers: Vec<f64>,
}

/// Reads the one array of an `.npy` file.
///
/// # Errors
/// [`FileError`]: unreadable, not an array, Fortran order, another type than float32, float64 or
/// uint32, truncated.
#[cfg(feature = "images")]
pub(crate) fn read_npy(path: &Path) -> Result<Array, FileError> {
    let (mut file, length) = open(path)?;
    let header = Header::read(&mut file, length, path, "")?;
    let count = header.shape.iter().product();
    let numbers = match header.dtype {
        "float32" => header.numbers::<f32>(&mut file, count).map(widened),
        "float64" => header.numbers(&mut file, count),
        _ => header.numbers::<u32>(&mut file, count).map(widened),
    };
    let numbers = numbers.map_err(|error| unfinished(path, "", &error))?;
    Ok(Array { shape: header.shape, dtype: header.dtype, numbers })
}

#[cfg(feature = "images")]
fn widened<T: Into<f64>>(numbers: Vec<T>) -> Vec<f64> {
    numbers.into_iter().map(T::into).collect()
}

/// An archive of arrays, of which none is read yet.
///
/// # Errors
/// [`FileError`]: unreadable, not an archive.
pub(crate) fn open_npz(path: &Path) -> Result<ZipArchive<BufReader<File>>, FileError> {
    let (file, _) = open(path)?;
    ZipArchive::new(file).map_err(|error| broken(path, error))
}

/// What is wrong with an archive.
pub(crate) fn broken(path: &Path, error: ZipError) -> FileError {
    FileError::meaning(path, "", format!("is not a readable .npz: {error}"))
}

/// The name of the array that an archive's entry holds.
pub(crate) fn array_name(entry: &str) -> &str {
    entry.trim_end_matches(".npy")
}

/// A file to read, and how many bytes it has.
pub(crate) fn open(path: &Path) -> Result<(BufReader<File>, u64), FileError> {
    let fail = FileError::read(path);
    // Before it is opened, for which a pipe waits.
    let metadata = std::fs::metadata(path).map_err(&fail)?;
    if metadata.is_dir() {
        return Err(fail(io::ErrorKind::IsADirectory.into()));
    }
    if !metadata.is_file() {
        let reason = "it is a pipe, a socket or a device, and is read at several places: save it as a file first";
        return Err(fail(io::Error::other(reason)));
    }
    let file = File::open(path).map_err(&fail)?;
    Ok((BufReader::with_capacity(1 << 20, file), metadata.len()))
}

/// An array that ended, could not be read or had no room before its numbers did.
pub(crate) fn unfinished(path: &Path, place: &str, error: &io::Error) -> FileError {
    let what = match error.kind() {
        io::ErrorKind::OutOfMemory => "is too large for the memory that there is",
        _ => "is truncated",
    };
    FileError::meaning(path, place, format!("{what}: {error}"))
}

/// A number of one of the types that are read and written.
pub(crate) trait Number: bytemuck::Pod {
    /// NumPy's name for it.
    const DTYPE: &'static str;
    /// NumPy's letter and width.
    const DESCR: &'static str;
}

impl Number for f32 {
    const DTYPE: &'static str = "float32";
    const DESCR: &'static str = "f4";
}

impl Number for f64 {
    const DTYPE: &'static str = "float64";
    const DESCR: &'static str = "f8";
}

impl Number for u32 {
    const DTYPE: &'static str = "uint32";
    const DESCR: &'static str = "u4";
}

/// Writes what stands before an array's numbers, of which `descr` is NumPy's letter and width. Its length does not
/// depend on that of the array, so that it can be written again once that is known.
pub(crate) fn write_header(mut writer: impl Write, descr: &str, shape: &[usize]) -> io::Result<()> {
    const LONGEST: usize = "18446744073709551615".len();
    let order = match cfg!(target_endian = "big") {
        _ if descr.ends_with('1') => '|',
        true => '>',
        false => '<',
    };
    let sides: Vec<String> = shape.iter().map(usize::to_string).collect();
    // A tuple of one is told from a number in brackets by its comma.
    let comma = if shape.len() == 1 { "," } else { "" };
    let fields = format!(
        "{{'descr': '{order}{descr}', 'fortran_order': False, 'shape': ({}{comma}), }}",
        sides.join(", ")
    );
    const BEFORE: usize = 10;
    // The numbers begin at a multiple of 64 bytes, after a line's end.
    let room = sides.first().map_or(0, |side| LONGEST - side.len());
    let length = (BEFORE + fields.len() + room + 1).next_multiple_of(64) - BEFORE;
    writer.write_all(b"\x93NUMPY\x01\x00")?;
    writer.write_all(&(length as u16).to_le_bytes())?;
    writeln!(writer, "{fields:width$}", width = length - 1)
}

/// Writes one array in C order; `shape` multiplies to the length of `numbers`.
#[cfg(any(test, feature = "images"))]
pub(crate) fn write_npy<T: Number>(
    mut writer: impl Write,
    shape: &[usize],
    numbers: &[T],
) -> io::Result<()> {
    write_header(&mut writer, T::DESCR, shape)?;
    writer.write_all(bytemuck::cast_slice(numbers))
}

/// Writes an `.npz` archive, array by array, uncompressed as `numpy.savez` does.
pub(crate) struct NpzWriter<W: Write + Seek> {
    archive: ZipWriter<FailsOnce<W>>,
}

impl<W: Write + Seek> NpzWriter<W> {
    /// An archive with nothing in it yet.
    pub fn new(writer: W) -> Self {
        Self { archive: ZipWriter::new(FailsOnce::new(writer)) }
    }

    /// Adds one array in C order; `shape` multiplies to the length of `numbers`.
    #[cfg(test)]
    pub fn array<T: Number>(
        &mut self,
        name: &str,
        shape: &[usize],
        numbers: &[T],
    ) -> io::Result<()> {
        write_npy(self.start(name)?, shape, numbers)
    }

    /// Adds one array that is an `.npy` file already.
    pub fn npy(&mut self, name: &str, mut file: impl Read) -> io::Result<()> {
        io::copy(&mut file, self.start(name)?).map(drop)
    }

    fn start(&mut self, name: &str) -> io::Result<&mut impl Write> {
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Stored)
            .large_file(true);
        self.archive.start_file(format!("{name}.npy"), options).map_err(io::Error::other)?;
        Ok(&mut self.archive)
    }

    /// Gives the archive a comment, which is no array to NumPy.
    pub fn comment(&mut self, text: &str) -> io::Result<()> {
        self.archive.set_comment(text).map_err(io::Error::other)
    }

    /// Writes the archive's directory.
    pub fn finish(self) -> io::Result<()> {
        self.archive.finish().map_err(io::Error::other)?.flush()
    }
}
