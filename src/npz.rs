//! NumPy's files: one array (`.npy`) or an archive of named ones (`.npz`).

mod arrays;
mod fails_once;
mod streams;

pub(crate) use arrays::{ArraysToWrite, Layout};
pub(crate) use streams::{ArrayToRead, Stream, arrays_to_read};

use crate::files::FileError;
use fails_once::FailsOnce;
use npyz::{NpyHeader, Order};
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, Write};
use std::path::Path;
use zip::{CompressionMethod, ZipArchive, ZipWriter, result::ZipError, write::SimpleFileOptions};

/// An array of numbers as a file holds it, widened to one of three types.
#[derive(Debug)]
pub(crate) struct Array {
    pub shape: Vec<usize>,
    pub numbers: Numbers,
}

/// An array's numbers in C order.
#[derive(Debug)]
pub(crate) enum Numbers {
    F32(Vec<f32>),
    F64(Vec<f64>),
    U32(Vec<u32>),
}

impl Numbers {
    /// NumPy's name for the type.
    pub fn dtype(&self) -> &'static str {
        match self {
            Self::F32(_) => f32::DTYPE,
            Self::F64(_) => f64::DTYPE,
            Self::U32(_) => u32::DTYPE,
        }
    }
}

/// Reads the one array of an `.npy` file.
///
/// # Errors
/// [`FileError`]: unreadable, not an array, Fortran order, another type than float32, float64 or
/// uint32, truncated.
#[cfg(feature = "images")]
pub(crate) fn read_npy(path: &Path) -> Result<Array, FileError> {
    let (file, length) = open(path)?;
    read_array(file, length, path, "")
}

/// Reads every array of an `.npz` file, with its name, in the order of the archive.
///
/// # Errors
/// As [`read_npy`], and for what is not an archive.
pub(crate) fn read_npz(path: &Path) -> Result<Vec<(String, Array)>, FileError> {
    let mut archive = open_npz(path)?;
    let broken = |error| broken(path, error);
    let mut arrays = Vec::with_capacity(archive.len());
    for index in 0..archive.len() {
        let entry = archive.by_index(index).map_err(broken)?;
        let name = array_name(&entry.name().map_err(broken)?).to_owned();
        let size = entry.size();
        arrays.push((name.clone(), read_array(entry, size, path, &name)?));
    }
    Ok(arrays)
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

/// Reads an array of which there are `length` bytes, header included.
fn read_array(
    mut reader: impl Read,
    length: u64,
    path: &Path,
    place: &str,
) -> Result<Array, FileError> {
    let header = Header::read(&mut reader, length, path, place)?;
    let count = header.shape.iter().product();
    let numbers = match header.dtype {
        "float32" => header.numbers(&mut reader, count).map(Numbers::F32),
        "float64" => header.numbers(&mut reader, count).map(Numbers::F64),
        _ => header.numbers(&mut reader, count).map(Numbers::U32),
    }
    .map_err(|error| truncated(path, place, &error))?;
    Ok(Array { shape: header.shape, numbers })
}

/// An array that ended, or could not be read, before its numbers did.
pub(crate) fn truncated(path: &Path, place: &str, error: &io::Error) -> FileError {
    FileError::meaning(path, place, format!("is truncated: {error}"))
}

/// What stands before an array's numbers, which are in C order.
#[derive(Debug)]
pub(crate) struct Header {
    pub shape: Vec<usize>,
    /// NumPy's name for the type: float32, float64 or uint32.
    pub dtype: &'static str,
    /// Whether the bytes of a number run the other way than this machine's.
    is_foreign: bool,
}

impl Header {
    /// Reads the header of an array of which there are `length` bytes, header included.
    ///
    /// # Errors
    /// [`FileError`]: not an array, Fortran order, another type, fewer bytes than it promises.
    pub fn read(
        mut reader: impl Read,
        length: u64,
        path: &Path,
        place: &str,
    ) -> Result<Self, FileError> {
        let refuse = |reason: String| FileError::meaning(path, place, reason);
        let header = NpyHeader::from_reader(&mut reader)
            .map_err(|error| refuse(format!("is not a NumPy array: {error}")))?;
        if header.order() != Order::C && header.shape().len() > 1 {
            return Err(refuse(
                "is in Fortran order: save numpy.ascontiguousarray(a) instead".to_owned(),
            ));
        }
        let descr = header.dtype().descr();
        let descr = descr.trim_matches(['\'', '"']);
        let (dtype, width) = match descr.trim_start_matches(['<', '>', '=', '|']) {
            "f4" => (f32::DTYPE, 4),
            "f8" => (f64::DTYPE, 8),
            "u4" => (u32::DTYPE, 4),
            other => {
                return Err(refuse(format!(
                    "holds numbers of NumPy type '{other}': raytwin reads float32, float64 and uint32; \
                     convert it to one of these with a.astype"
                )));
            }
        };
        // Believed only as far as there are bytes, or a false header would reserve all memory.
        let needed = header
            .shape()
            .iter()
            .try_fold(width, |bytes: u64, &side| bytes.checked_mul(side))
            .filter(|&needed| needed <= length);
        if needed.is_none() {
            return Err(refuse(format!(
                "is truncated: its header promises an array of shape {:?} of {width}-byte numbers, and there are {length} bytes",
                header.shape()
            )));
        }
        Ok(Self {
            shape: header.shape().iter().map(|&side| side as usize).collect(),
            dtype,
            is_foreign: descr.starts_with(if cfg!(target_endian = "big") { '<' } else { '>' }),
        })
    }

    /// The next `count` numbers, which are of the header's type.
    pub fn numbers<T: Number>(&self, mut reader: impl Read, count: usize) -> io::Result<Vec<T>> {
        let mut numbers = vec![T::zeroed(); count];
        reader.read_exact(bytemuck::cast_slice_mut(&mut numbers))?;
        if self.is_foreign {
            let turn = |number| bytemuck::bytes_of_mut(number).reverse();
            numbers.iter_mut().for_each(turn);
        }
        Ok(numbers)
    }
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
    #[cfg(any(test, feature = "images"))]
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
