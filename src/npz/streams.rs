//! Arrays that are read number by number, those of one archive beside each other.

use super::{Header, Number, array_name, broken, open, open_npz, unfinished};
use crate::files::FileError;
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;
use zip::read::ZipFile;
use zip::{CompressionMethod, ZipArchive};

/// An array that is there to be read.
#[derive(Debug)]
pub(crate) struct ArrayToRead {
    /// Its name in the archive; empty where it is the file.
    pub name: String,
    source: Source,
    pub header: Header,
}

/// Where the numbers come from.
#[derive(Debug)]
enum Source {
    /// A file whose header is read.
    File(BufReader<File>),
    /// An entry of an archive, which is opened once for each of its arrays, so that they are read beside each
    /// other.
    Entry(ZipArchive<BufReader<File>>, usize),
}

/// The arrays of a file by their names, of which an `.npy` has the first alone; an archive must hold no others, of which
/// `rule` says why.
pub(crate) fn arrays_to_read<const N: usize>(
    path: &Path,
    names: [&str; N],
    rule: &str,
) -> Result<[Option<ArrayToRead>; N], FileError> {
    let mut found = [const { None }; N];
    let is_archive =
        path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("npz"));
    if !is_archive {
        let (mut file, length) = open(path)?;
        let header = Header::read(&mut file, length, path, "")?;
        found[0] = Some(ArrayToRead { name: String::new(), source: Source::File(file), header });
        return Ok(found);
    }
    let mut archive = open_npz(path)?;
    for index in 0..archive.len() {
        let entry = archive.by_index(index).map_err(|error| broken(path, error))?;
        let name = entry.name().map_err(|error| broken(path, error))?;
        let name = array_name(&name);
        let Some(place) = names.iter().position(|known| *known == name) else {
            return Err(FileError::meaning(path, name, format!("is not read here: {rule}")));
        };
        if found[place].is_some() {
            let reason = "stands there twice: leave one of them out";
            return Err(FileError::meaning(path, name, reason));
        }
        drop(entry);
        let mut own = open_npz(path)?;
        let name = names[place].to_owned();
        let header = entry_of(&mut own, index, path, &name)?.1;
        let source = Source::Entry(own, index);
        found[place] = Some(ArrayToRead { name, source, header });
    }
    Ok(found)
}

/// An entry of an archive, whose header is read.
fn entry_of<'a>(
    archive: &'a mut ZipArchive<BufReader<File>>,
    index: usize,
    path: &Path,
    name: &str,
) -> Result<(impl Read + use<'a>, Header), FileError> {
    let mut entry = archive.by_index(index).map_err(|error| broken(path, error))?;
    let length = length_of(&entry, path, name)?;
    let header = Header::read(&mut entry, length, path, name)?;
    Ok((entry, header))
}

/// How many bytes an entry holds. The archive says so, and is believed as far as that can be true of the bytes that
/// there are.
fn length_of(
    entry: &ZipFile<'_, BufReader<File>>,
    path: &Path,
    name: &str,
) -> Result<u64, FileError> {
    /// Deflate packs 258 bytes into two bits at best (RFC 1951, 3.2.5).
    const MOST_INFLATED: u64 = 1032;
    let in_file = path.metadata().map_err(FileError::read(path))?.len();
    let packed = entry.compressed_size().min(in_file);
    let most = match entry.compression() {
        CompressionMethod::Stored => packed,
        _ => packed.saturating_mul(MOST_INFLATED),
    };
    let claimed = entry.size();
    if claimed > most {
        let reason = format!(
            "is damaged: the archive claims that it is {claimed} bytes, and what there is of it can hold {most} at most"
        );
        return Err(FileError::meaning(path, name, reason));
    }
    Ok(claimed)
}

impl ArrayToRead {
    /// Its numbers, from the first on.
    pub fn numbers<'a>(&'a mut self, path: &'a Path) -> Result<Stream<'a>, FileError> {
        let Self { name, source, header } = self;
        let reader: Box<dyn Read> = match source {
            Source::File(file) => Box::new(file),
            Source::Entry(archive, index) => Box::new(entry_of(archive, *index, path, name)?.0),
        };
        Ok(Stream { name, path, header, reader })
    }
}

/// Numbers that are read one after another.
pub(crate) struct Stream<'a> {
    name: &'a str,
    path: &'a Path,
    header: &'a Header,
    reader: Box<dyn Read + 'a>,
}

impl Stream<'_> {
    /// The next of them.
    pub fn next<T: Number>(&mut self, count: usize) -> Result<Vec<T>, FileError> {
        let numbers = self.header.numbers(&mut self.reader, count);
        numbers.map_err(|error| unfinished(self.path, self.name, &error))
    }

    /// An entry's checksum is compared at its end.
    pub fn finish(mut self) -> Result<(), FileError> {
        let Self { name, path, .. } = self;
        let rest = self.reader.read(&mut [0]);
        rest.map(drop)
            .map_err(|error| FileError::meaning(path, name, format!("is damaged: {error}")))
    }
}
