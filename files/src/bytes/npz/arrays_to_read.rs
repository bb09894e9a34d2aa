//! Arrays that are read piece by piece. Those of one archive can be read at the same time.

use super::archive::{array_name, open_npz, refuse_namesakes, unreadable_archive};
use super::header::{ArrayHeader, unfinished_array};
use super::number::Number;
use crate::bytes::open_file::OpenFile;
use crate::{FileError, FileStore, has_extension};
use std::io::{self, Read, Seek};
use std::path::Path;
use zip::read::ZipFile;
use zip::{CompressionMethod, ZipArchive};

/// An array whose header has been read, but not its numbers.
#[derive(Debug)]
pub struct ArrayToRead {
    /// The name in the archive; empty for an `.npy`.
    pub name: String,
    store: FileStore,
    source: ArraySource,
    /// The header.
    pub header: ArrayHeader,
    /// The bytes of numbers at the front to skip.
    skipped: u64,
}

/// The file of the numbers.
#[derive(Debug)]
enum ArraySource {
    /// An `.npy` after its header.
    Npy(OpenFile),
    /// An entry of an archive. The archive is opened once for each array, so that all can be read
    /// at the same time.
    Entry(ZipArchive<OpenFile>, usize),
}

/// Opens the arrays of a file in the order of `names`; `None` for each that the file lacks. An
/// `.npy` has only the first one. An archive with any other array is rejected with `rule`, which
/// states what it may have.
///
/// # Errors
/// [`FileError`]: the file is unreadable, an entry is not an array of numbers, or the archive has
/// other arrays.
pub fn arrays_to_read<const N: usize>(
    store: &FileStore,
    path: &Path,
    names: [&str; N],
    rule: &str,
) -> Result<[Option<ArrayToRead>; N], FileError> {
    let mut found = [const { None }; N];
    if !has_extension(path, &["npz"]) {
        let (mut file, length) = store.open(path)?;
        let header = ArrayHeader::read(&mut file, length, path, "")?;
        let source = ArraySource::Npy(file);
        found[0] = Some(ArrayToRead::new(String::new(), store, source, header));
        return Ok(found);
    }
    let mut archive = open_npz(store, path)?;
    refuse_namesakes(store, path, &archive)?;
    for entry_index in 0..archive.len() {
        let entry =
            archive.by_index(entry_index).map_err(|error| unreadable_archive(path, error))?;
        let name = entry.name().map_err(|error| unreadable_archive(path, error))?;
        let name = array_name(&name);
        let Some(index) = names.iter().position(|known| *known == name) else {
            return Err(FileError::meaning(path, name, format!("is not a known array: {rule}")));
        };
        if found[index].is_some() {
            let reason = "occurs twice: remove one of the two";
            return Err(FileError::meaning(path, name, reason));
        }
        drop(entry);
        let mut array_archive = open_npz(store, path)?;
        let name = names[index].to_owned();
        let header = open_entry(store, &mut array_archive, entry_index, path, &name)?.1;
        let source = ArraySource::Entry(array_archive, entry_index);
        found[index] = Some(ArrayToRead::new(name, store, source, header));
    }
    Ok(found)
}

fn open_entry<'a>(
    store: &FileStore,
    archive: &'a mut ZipArchive<OpenFile>,
    index: usize,
    path: &Path,
    name: &str,
) -> Result<(impl Read + use<'a>, ArrayHeader), FileError> {
    let mut entry = archive.by_index(index).map_err(|error| unreadable_archive(path, error))?;
    let length = entry_length(store, &entry, path, name)?;
    let header = ArrayHeader::read(&mut entry, length, path, name)?;
    Ok((entry, header))
}

/// Returns the declared length of an entry in bytes. A length that is impossible for the bytes in
/// the file is rejected.
fn entry_length(
    store: &FileStore,
    entry: &ZipFile<'_, OpenFile>,
    path: &Path,
    name: &str,
) -> Result<u64, FileError> {
    /// Deflate packs at most 258 bytes into two bits (RFC 1951, 3.2.5).
    const MAX_EXPANSION: u64 = 1032;
    let in_file = store.length(path)?;
    let packed = entry.compressed_size().min(in_file);
    let longest = match entry.compression() {
        CompressionMethod::Stored => packed,
        _ => packed.saturating_mul(MAX_EXPANSION),
    };
    let claimed = entry.size();
    if claimed > longest {
        let reason = format!(
            "is damaged: the archive declares {claimed} bytes for it, but its {packed} bytes in the file unpack to at most {longest}"
        );
        return Err(FileError::meaning(path, name, reason));
    }
    Ok(claimed)
}

impl ArrayToRead {
    fn new(name: String, store: &FileStore, source: ArraySource, header: ArrayHeader) -> Self {
        Self { name, store: store.clone(), source, header, skipped: 0 }
    }

    /// Opens the array again, to be read after the first `count` numbers.
    pub(crate) fn behind(&self, count: usize, path: &Path) -> Result<Self, FileError> {
        let (source, header) = match &self.source {
            ArraySource::Npy(_) => {
                let (mut file, length) = self.store.open(path)?;
                let header = ArrayHeader::read(&mut file, length, path, &self.name)?;
                (ArraySource::Npy(file), header)
            }
            ArraySource::Entry(_, index) => {
                let mut archive = open_npz(&self.store, path)?;
                let header = open_entry(&self.store, &mut archive, *index, path, &self.name)?.1;
                (ArraySource::Entry(archive, *index), header)
            }
        };
        let skipped = count as u64 * header.number_bytes();
        Ok(Self { skipped, ..Self::new(self.name.clone(), &self.store, source, header) })
    }

    /// Reads the numbers from the first one on, which must be in C order.
    ///
    /// # Errors
    /// [`FileError`]: the array is in Fortran order, or the file is unreadable.
    pub fn numbers<'a>(&'a mut self, path: &'a Path) -> Result<NumberStream<'a>, FileError> {
        self.header.refuse_fortran(path, &self.name)?;
        self.numbers_as_stored(path)
    }

    /// Reads the numbers in the order in which the file has them.
    pub(crate) fn numbers_as_stored<'a>(
        &'a mut self,
        path: &'a Path,
    ) -> Result<NumberStream<'a>, FileError> {
        let Self { name, store, source, header, skipped } = self;
        let reader: Box<dyn Read> = match source {
            ArraySource::Npy(file) => {
                let offset = i64::try_from(*skipped).unwrap_or(i64::MAX);
                file.seek_relative(offset).map_err(store.unreadable(path))?;
                Box::new(file)
            }
            ArraySource::Entry(archive, index) => {
                let mut entry = open_entry(store, archive, *index, path, name)?.0;
                io::copy(&mut entry.by_ref().take(*skipped), &mut io::sink())
                    .map_err(|error| unfinished_array(path, name, &error))?;
                Box::new(entry)
            }
        };
        Ok(NumberStream { name, path, header, reader })
    }
}

/// Numbers of an array that are read one after another.
pub struct NumberStream<'a> {
    name: &'a str,
    path: &'a Path,
    header: &'a ArrayHeader,
    reader: Box<dyn Read + 'a>,
}

impl NumberStream<'_> {
    /// NumPy's name of the numbers' type.
    pub fn dtype(&self) -> &'static str {
        self.header.dtype
    }

    /// Reads the next numbers.
    ///
    /// # Errors
    /// [`FileError`]: the file ends too early, or is unreadable.
    pub fn next<T: Number>(&mut self, count: usize) -> Result<Vec<T>, FileError> {
        let numbers = self.header.numbers(&mut self.reader, count);
        numbers.map_err(|error| unfinished_array(self.path, self.name, &error))
    }

    /// Reads the next numbers as float64.
    ///
    /// # Errors
    /// [`FileError`]: the file ends too early, or is unreadable.
    pub fn floats(&mut self, count: usize) -> Result<Vec<f64>, FileError> {
        let numbers = self.header.floats(&mut self.reader, count);
        numbers.map_err(|error| unfinished_array(self.path, self.name, &error))
    }

    /// Reads the next numbers, which are integers.
    ///
    /// # Errors
    /// [`FileError`]: the file ends too early, or is unreadable.
    pub fn integers(&mut self, count: usize) -> Result<Vec<i128>, FileError> {
        let numbers = self.header.integers(&mut self.reader, count);
        numbers.map_err(|error| unfinished_array(self.path, self.name, &error))
    }

    /// Reads the next numbers, which follow `before` others, as unsigned 32-bit integers.
    ///
    /// # Errors
    /// [`FileError`], also for a number that does not fit.
    pub fn unsigned(&mut self, count: usize, before: usize) -> Result<Vec<u32>, FileError> {
        if self.header.dtype == u32::DTYPE {
            return self.next(count);
        }
        let numbers = self.integers(count)?;
        let fitting = numbers.iter().enumerate().map(|(index, number)| {
            u32::try_from(*number).map_err(|_| {
                let place = format!("{}[{}]", self.name, before + index);
                let reason = format!("is {number}: it must be from 0 to {}", u32::MAX);
                FileError::meaning(self.path, place, reason)
            })
        });
        fitting.collect()
    }

    /// Ends the reading: the zip crate checks an entry's checksum when it reads the entry to its
    /// end.
    ///
    /// # Errors
    /// [`FileError`]: the checksum of the bytes differs from that in the archive.
    pub fn finish(mut self) -> Result<(), FileError> {
        let Self { name, path, .. } = self;
        let rest = self.reader.read(&mut [0]);
        rest.map(drop)
            .map_err(|error| FileError::meaning(path, name, format!("is damaged: {error}")))
    }
}
