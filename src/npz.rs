//! NumPy's files: one array (`.npy`) or an archive of named ones (`.npz`).

use crate::files::FileError;
use npyz::{NpyHeader, Order, WriterBuilder};
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, Write};
use std::path::Path;
use zip::{CompressionMethod, ZipArchive, ZipWriter, write::SimpleFileOptions};

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
            Self::F32(_) => "float32",
            Self::F64(_) => "float64",
            Self::U32(_) => "uint32",
        }
    }
}

/// Reads the one array of an `.npy` file.
///
/// # Errors
/// [`FileError`]: unreadable, not an array, Fortran order, another type than float32, float64 or
/// uint32, truncated.
pub(crate) fn read_npy(path: &Path) -> Result<Array, FileError> {
    let (file, length) = open(path)?;
    read_array(BufReader::with_capacity(1 << 20, file), length, path, "")
}

/// Reads every array of an `.npz` file, with its name, in the order of the archive.
///
/// # Errors
/// As [`read_npy`], and for what is not an archive.
pub(crate) fn read_npz(path: &Path) -> Result<Vec<(String, Array)>, FileError> {
    let (file, _) = open(path)?;
    let broken = |error| FileError::meaning(path, "", format!("is not a readable .npz: {error}"));
    let mut archive = ZipArchive::new(BufReader::new(file)).map_err(broken)?;
    let mut arrays = Vec::with_capacity(archive.len());
    for index in 0..archive.len() {
        let entry = archive.by_index(index).map_err(broken)?;
        let name = entry.name().map_err(broken)?.trim_end_matches(".npy").to_owned();
        let size = entry.size();
        arrays.push((name.clone(), read_array(entry, size, path, &name)?));
    }
    Ok(arrays)
}

fn open(path: &Path) -> Result<(File, u64), FileError> {
    let fail = FileError::read(path);
    let file = File::open(path).map_err(&fail)?;
    let metadata = file.metadata().map_err(&fail)?;
    if metadata.is_dir() {
        return Err(fail(io::ErrorKind::IsADirectory.into()));
    }
    Ok((file, metadata.len()))
}

/// Reads an array of which there are `length` bytes, header included.
fn read_array(
    mut reader: impl Read,
    length: u64,
    path: &Path,
    place: &str,
) -> Result<Array, FileError> {
    let refuse = |reason: String| FileError::meaning(path, place, reason);
    let header = NpyHeader::from_reader(&mut reader)
        .map_err(|error| refuse(format!("is not a NumPy array: {error}")))?;
    if header.order() != Order::C && header.shape().len() > 1 {
        return Err(refuse(
            "is in Fortran order: save numpy.ascontiguousarray(a) instead".to_owned(),
        ));
    }
    let dtype = header.dtype().descr();
    let type_name = dtype.trim_matches(['\'', '"']);
    let (kind, width) = match type_name.trim_start_matches(['<', '>', '=', '|']) {
        "f4" => ("f4", 4),
        "f8" => ("f8", 8),
        "u4" => ("u4", 4),
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
    let shape = header.shape().iter().map(|&side| side as usize).collect();
    let file = npyz::NpyFile::with_header(header, reader);
    let numbers = match kind {
        "f4" => file.into_vec().map(Numbers::F32),
        "f8" => file.into_vec().map(Numbers::F64),
        _ => file.into_vec().map(Numbers::U32),
    }
    .map_err(|error| refuse(format!("is truncated: {error}")))?;
    Ok(Array { shape, numbers })
}

/// Writes one array in C order; `shape` multiplies to the length of `numbers`.
pub(crate) fn write_npy<T>(writer: impl Write, shape: &[usize], numbers: &[T]) -> io::Result<()>
where
    T: npyz::Serialize + npyz::AutoSerialize + Copy,
{
    let shape: Vec<u64> = shape.iter().map(|&side| side as u64).collect();
    let mut array = npyz::WriteOptions::new()
        .default_dtype()
        .shape(&shape)
        .writer(io::BufWriter::new(writer))
        .begin_nd()?;
    array.extend(numbers.iter().copied())?;
    array.finish()
}

/// Writes an `.npz` archive, array by array, uncompressed as `numpy.savez` does.
pub(crate) struct NpzWriter<W: Write + Seek> {
    archive: ZipWriter<W>,
}

impl<W: Write + Seek> NpzWriter<W> {
    /// An archive with nothing in it yet.
    pub fn new(writer: W) -> Self {
        Self { archive: ZipWriter::new(writer) }
    }

    /// Adds one array in C order; `shape` multiplies to the length of `numbers`.
    pub fn array<T>(&mut self, name: &str, shape: &[usize], numbers: &[T]) -> io::Result<()>
    where
        T: npyz::Serialize + npyz::AutoSerialize + Copy,
    {
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Stored)
            .large_file(true);
        self.archive.start_file(format!("{name}.npy"), options).map_err(io::Error::other)?;
        write_npy(&mut self.archive, shape, numbers)
    }

    /// Writes the archive's directory.
    pub fn finish(self) -> io::Result<()> {
        self.archive.finish().map_err(io::Error::other)?.flush()
    }
}
