//! Arrays that are read number by number, those of one archive beside each other.

use super::{Header, Number, array_name, broken, open, open_npz, truncated};
use crate::files::FileError;
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;
use zip::ZipArchive;

/// An array that is there to be read.
#[derive(Debug)]
pub(crate) struct ArrayToRead {
    /// Its name in the archive; empty where it is the file.
    pub name: &'static str,
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
    names: [&'static str; N],
    rule: &str,
) -> Result<[Option<ArrayToRead>; N], FileError> {
    let mut found = [const { None }; N];
    let is_archive =
        path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("npz"));
    if !is_archive {
        let (mut file, length) = open(path)?;
        let header = Header::read(&mut file, length, path, "")?;
        found[0] = Some(ArrayToRead { name: "", source: Source::File(file), header });
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
        drop(entry);
        let mut own = open_npz(path)?;
        let header = entry_of(&mut own, index, path, names[place])?.1;
        let source = Source::Entry(own, index);
        found[place] = Some(ArrayToRead { name: names[place], source, header });
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
    let length = entry.size();
    let header = Header::read(&mut entry, length, path, name)?;
    Ok((entry, header))
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
    name: &'static str,
    path: &'a Path,
    header: &'a Header,
    reader: Box<dyn Read + 'a>,
}

impl Stream<'_> {
    /// The next of them.
    pub fn next<T: Number>(&mut self, count: usize) -> Result<Vec<T>, FileError> {
        let numbers = self.header.numbers(&mut self.reader, count);
        numbers.map_err(|error| truncated(self.path, self.name, &error))
    }

    /// An entry's checksum is compared at its end.
    pub fn finish(mut self) -> Result<(), FileError> {
        let Self { name, path, .. } = self;
        let rest = self.reader.read(&mut [0]);
        rest.map(drop)
            .map_err(|error| FileError::meaning(path, name, format!("is damaged: {error}")))
    }
}
