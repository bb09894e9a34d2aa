//! Work that is kept during a run, so that a later run can continue where an interrupted run
//! stopped.

use crate::FileError;
use std::ffi::OsString;
use std::fs::{self, File, TryLockError};
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// The file next to an output, `NAME.partial`, that keeps work until the output is complete.
pub fn partial_path(output: &Path) -> PathBuf {
    // A path such as `..` has no name of its own, but the folder that it leads to has.
    let named = match output.file_name() {
        Some(_) => output.to_owned(),
        None => output.canonicalize().unwrap_or_default(),
    };
    let mut name: OsString = named.file_name().unwrap_or_default().to_owned();
    name.push(".partial");
    named.with_file_name(name)
}

/// A file that grows by entries of bytes, each of which ends with its hash (BLAKE3). Whatever a
/// kill, a full disk or a power cut does to the end of the file, the hashes show which entries are
/// complete, in whichever order the system wrote them.
#[derive(Debug)]
pub(crate) struct PartialFile {
    file: File,
    path: PathBuf,
    /// The offset of the first entry.
    begin: u64,
}

/// The length of an entry's bytes, which is in front of them.
const LENGTH_BYTES: usize = size_of::<u64>();
const HASH_BYTES: usize = blake3::OUT_LEN;

impl PartialFile {
    /// Begins a file, or continues an existing one if its first line is the title and its second
    /// line equals `made_from`. Each complete entry is passed to `take`, which returns false for
    /// bytes that are not an entry of this file: they are removed with everything after them.
    ///
    /// # Errors
    /// [`FileError`]: the file cannot be written, another run has it open or started it, or it is
    /// not a file with this title.
    pub fn open(
        path: &Path,
        title: &str,
        made_from: &str,
        mut take: impl FnMut(&[u8]) -> Result<bool, FileError>,
    ) -> Result<Self, FileError> {
        let fail = FileError::write(path);
        let mut file = open_locked(path)?;
        let heading = format!("{title}\n{made_from}\n");
        let mut begin = Vec::new();
        (&file).take(heading.len() as u64).read_to_end(&mut begin).map_err(&fail)?;
        if begin != heading.as_bytes() {
            // A run that was killed at its very beginning wrote a part of the heading, or nothing.
            if !heading.as_bytes().starts_with(&begin) {
                return Err(FileError::meaning(path, "", wrong_heading(&begin, title)));
            }
            file.rewind().and_then(|()| file.write_all(heading.as_bytes())).map_err(&fail)?;
        }
        let begin = heading.len() as u64;
        let mut partial = Self { file, path: path.to_owned(), begin };
        let mut entries = partial.entries().map_err(&fail)?;
        let mut end = entries.position;
        while let Some(bytes) = entries.next().map_err(&fail)? {
            if !take(&bytes)? {
                break;
            }
            end = entries.position;
        }
        // The bytes after the last complete entry are removed.
        let cut = partial.file.set_len(end).and_then(|()| partial.file.seek(SeekFrom::Start(end)));
        cut.map_err(&fail)?;
        Ok(partial)
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Appends an entry of these bytes.
    pub fn append(&mut self, parts: &[&[u8]]) -> Result<(), FileError> {
        let append = || {
            let mut file = BufWriter::new(&self.file);
            let length: u64 = parts.iter().map(|part| part.len() as u64).sum();
            let mut hasher = blake3::Hasher::new();
            for bytes in [&length.to_le_bytes()[..]].iter().chain(parts) {
                hasher.update(bytes);
                file.write_all(bytes)?;
            }
            file.write_all(hasher.finalize().as_bytes())?;
            file.flush()
        };
        append().map_err(FileError::write(&self.path))
    }

    /// Reads the entries from the first one on.
    pub fn entries(&self) -> io::Result<Entries<'_>> {
        let mut file = BufReader::with_capacity(1 << 20, &self.file);
        let position = file.seek(SeekFrom::Start(self.begin))?;
        Ok(Entries { file, position, end: self.file.metadata()?.len() })
    }

    /// Removes the file, after its contents are in the output.
    pub fn remove(self) -> Result<(), FileError> {
        fs::remove_file(&self.path).map_err(FileError::write(&self.path))
    }
}

/// The reason to reject a file with another beginning.
fn wrong_heading(begin: &[u8], title: &str) -> &'static str {
    if begin.starts_with(title.as_bytes()) {
        "was started with another scene, other rays, poses or options, or on another device: finish it with those, or remove it to start again"
    } else {
        "is not a file of partial answers, and raytwin needs this name for one: rename it, or choose another place for the answers"
    }
}

fn open_locked(path: &Path) -> Result<File, FileError> {
    let fail = FileError::write(path);
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(&fail)?;
    }
    if fs::metadata(path).is_ok_and(|metadata| !metadata.is_file()) {
        return Err(FileError::meaning(path, "", wrong_heading(&[], "a file")));
    }
    let open = || File::options().read(true).write(true).create(true).truncate(false).open(path);
    loop {
        let file = open().map_err(&fail)?;
        if matches!(file.try_lock(), Err(TryLockError::WouldBlock)) {
            let reason = "belongs to a run that has not ended: wait for it, or choose another place for the answers";
            return Err(FileError::meaning(path, "", reason));
        }
        // Another run may have ended and removed the file after this one opened it.
        if path.exists() {
            return Ok(file);
        }
    }
}

/// The entries of a file in their order.
pub(crate) struct Entries<'a> {
    file: BufReader<&'a File>,
    position: u64,
    end: u64,
}

impl Entries<'_> {
    /// Reads the bytes of the next entry; returns `None` if there is no further complete one.
    pub fn next(&mut self) -> io::Result<Option<Vec<u8>>> {
        let left = usize::try_from(self.end - self.position).unwrap_or(usize::MAX);
        if left < LENGTH_BYTES + HASH_BYTES {
            return Ok(None);
        }
        let mut length_bytes = [0; LENGTH_BYTES];
        self.file.read_exact(&mut length_bytes)?;
        // An entry that declares more bytes than there are is rejected; otherwise a false length
        // would reserve all memory.
        let length = usize::try_from(u64::from_le_bytes(length_bytes)).ok();
        let length = length.filter(|&length| length <= left - LENGTH_BYTES - HASH_BYTES);
        let Some(length) = length else { return Ok(None) };
        let mut bytes = vec![0; length];
        let mut hash = [0; HASH_BYTES];
        self.file.read_exact(&mut bytes)?;
        self.file.read_exact(&mut hash)?;
        let mut hasher = blake3::Hasher::new();
        hasher.update(&length_bytes).update(&bytes);
        if hasher.finalize() != hash {
            return Ok(None);
        }
        self.position += (LENGTH_BYTES + length + HASH_BYTES) as u64;
        Ok(Some(bytes))
    }

    /// Reads the bytes of the next entry, which was complete when the file was opened or belongs to
    /// this run.
    ///
    /// # Errors
    /// The system's error, also if the entry is no longer complete.
    pub fn next_kept(&mut self) -> io::Result<Vec<u8>> {
        let changed = "the partial answers changed during the run: remove the file and start again";
        self.next()?.ok_or_else(|| io::Error::other(changed))
    }
}
