//! The storage from which a scene's files are read: the disk, or named bytes if a program has no
//! disk, as in a browser.

use super::file_identity::FileIdentity;
use super::memory::{MemoryBudget, readable};
use super::open_file::OpenFile;
use super::spelling::names_near;
use super::text_encoding::without_mark;
use crate::FileError;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs::{File, Metadata};
use std::io::{self, BufReader, Cursor, Read};
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// The storage of a scene's files: the disk, or bytes in memory.
///
/// ```
/// use raytwin_files::FileStore;
/// use std::path::Path;
///
/// let mesh = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
/// let files = FileStore::in_memory([("meshes/one.obj", &mesh[..])]);
/// assert!(files.read_text(Path::new("meshes/one.obj"))?.starts_with("v 0 0 0"));
/// assert!(files.read_text(Path::new("meshes/two.obj")).is_err());
/// # Ok::<(), raytwin_files::FileError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct FileStore {
    storage: Storage,
    asked_for: Arc<Mutex<BTreeSet<PathBuf>>>,
    memory: MemoryBudget,
    /// The first file for which there was not enough memory, and what its contents needed.
    lacking: Arc<OnceLock<(PathBuf, String)>>,
}

/// The largest number of bytes of a file that is read as a whole. Longer files need a format that
/// is read piece by piece.
const MOST_WHOLE_BYTES: u64 = 4 << 30;

/// The largest number of bytes that are read past the length of a file. The file may grow
/// meanwhile, and a file that the system makes up while it is read, such as those of `/proc`, has
/// no length.
const MOST_BYTES_BEYOND: u64 = 16 << 20;

#[derive(Clone, Default)]
enum Storage {
    #[default]
    Disk,
    /// Files by their paths, in which no part is `.` or `..`.
    Memory(Arc<BTreeMap<PathBuf, Arc<[u8]>>>),
}

impl std::fmt::Debug for Storage {
    /// The bytes of files would fill a screen, so only their names are shown.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Disk => f.write_str("Disk"),
            Self::Memory(files) => f.debug_set().entries(files.keys()).finish(),
        }
    }
}

impl FileStore {
    /// Returns the files of the disk, which is the default.
    pub fn disk() -> Self {
        Self::default()
    }

    /// Returns a store of these files with their paths, such as `robot.urdf` and `meshes/hand.stl`.
    /// Paths are case-sensitive. If several files have the same path, the last one counts.
    pub fn in_memory<N: AsRef<Path>, B: Into<Arc<[u8]>>>(
        files: impl IntoIterator<Item = (N, B)>,
    ) -> Self {
        let resolved = |(name, bytes): (N, B)| Some((resolved(name.as_ref())?, bytes.into()));
        let files = Arc::new(files.into_iter().filter_map(resolved).collect());
        Self { storage: Storage::Memory(files), ..Self::default() }
    }

    /// Returns the same files with a limit for the bytes of memory that a scene, with its tree, may
    /// use. The default is half of the free memory, or of the limit of the process's control group
    /// if that is less. On systems other than Linux, there is no default limit.
    pub fn with_max_memory(self, bytes: u64) -> Self {
        Self { memory: MemoryBudget::of(bytes), ..self }
    }

    /// The same files, for a scene that has used no memory yet.
    pub fn for_another_scene(&self) -> Self {
        Self { memory: self.memory.anew(), lacking: Arc::default(), ..self.clone() }
    }

    /// Requests this many bytes of memory before they are allocated for the contents of a file.
    /// `what` describes what needs them, such as `its 3 shapes need`.
    ///
    /// # Errors
    /// [`FileError::Memory`], if that is more than [may be taken](Self::with_max_memory).
    pub fn take_memory(
        &self,
        path: &Path,
        bytes: u64,
        what: impl FnOnce() -> String,
    ) -> Result<(), FileError> {
        self.memory.take(bytes).or_else(|needed| {
            let others = match needed.saturating_sub(bytes) {
                0 => String::new(),
                others => format!(" in addition to the {} that are in use", readable(others)),
            };
            let needs = format!("{} {} of memory{others}", what(), readable(bytes));
            self.lacking.get_or_init(|| (path.to_owned(), needs));
            self.refuse_lack()
        })
    }

    /// Returns true if this many more bytes of memory are allowed.
    pub fn has_memory(&self, bytes: u64) -> bool {
        self.memory.has(bytes)
    }

    /// Rejects a scene for which a request for memory failed, even if its reader skipped the part
    /// that needed it.
    ///
    /// # Errors
    /// [`FileError::Memory`].
    pub fn refuse_lack(&self) -> Result<(), FileError> {
        let Some((path, needs)) = self.lacking.get().cloned() else { return Ok(()) };
        Err(FileError::Memory { path, needs, allowed: readable(self.memory.most()) })
    }

    /// Returns the files and folders that this store and its clones were asked for, including
    /// missing ones. If one of them changes, the contents may be outdated.
    pub fn asked_for(&self) -> Vec<PathBuf> {
        let asked_for = self.asked_for.lock().unwrap_or_else(PoisonError::into_inner);
        asked_for.iter().cloned().collect()
    }

    /// Finds the first of these paths of the disk that leads to a file that this store or its
    /// clones were asked for, under any name. Returns the path with the name under which the file
    /// was asked for.
    pub fn first_asked_for<'a>(
        &self,
        paths: impl IntoIterator<Item = &'a Path>,
    ) -> Option<(&'a Path, PathBuf)> {
        let asked_for = self.asked_for().into_iter();
        let known: HashMap<FileIdentity, PathBuf> =
            asked_for.filter_map(|path| Some((FileIdentity::of(&path)?, path))).collect();
        paths
            .into_iter()
            .find_map(|path| Some((path, known.get(&FileIdentity::of(path)?)?.clone())))
    }

    /// Records that a file, or all files of a folder, are read by other means.
    pub fn note(&self, path: &Path) {
        self.storage_of(path);
        for entry in std::fs::read_dir(path).into_iter().flatten().flatten() {
            self.storage_of(&entry.path());
        }
    }

    /// Returns the location of a file, and records that it was asked for.
    fn storage_of(&self, path: &Path) -> &Storage {
        let mut asked_for = self.asked_for.lock().unwrap_or_else(PoisonError::into_inner);
        if !asked_for.contains(path) {
            asked_for.insert(path.to_owned());
        }
        &self.storage
    }

    /// Returns true if there is a file or a folder with this path.
    pub fn exists(&self, path: &Path) -> bool {
        match self.storage_of(path) {
            Storage::Disk => path.exists(),
            Storage::Memory(files) => file_in(files, path).is_ok() || is_folder(files, path),
        }
    }

    /// Returns true if there is a regular file with this path.
    pub fn is_file(&self, path: &Path) -> bool {
        match self.storage_of(path) {
            Storage::Disk => path.is_file(),
            Storage::Memory(files) => file_in(files, path).is_ok(),
        }
    }

    /// Returns the canonical path of a file, however its path is written.
    ///
    /// # Errors
    /// [`io::Error`]: there is no such file.
    pub fn identity(&self, path: &Path) -> io::Result<PathBuf> {
        match self.storage_of(path) {
            Storage::Disk => std::fs::canonicalize(path),
            Storage::Memory(_) => {
                let found = resolved(path).filter(|path| self.exists(path));
                found.ok_or_else(missing)
            }
        }
    }

    /// Reads the bytes of a regular file.
    ///
    /// # Errors
    /// [`FileError::Read`], also for a folder, a pipe or a device and for a file that is too long to
    /// be read as a whole; [`FileError::Memory`].
    pub fn read(&self, path: &Path) -> Result<Vec<u8>, FileError> {
        let (file, length) = self.open(path)?;
        self.refuse_long(path, length)?;
        let bytes = read_whole(file, length).map_err(self.unreadable(path))?;
        self.refuse_long(path, bytes.len() as u64)?;
        Ok(bytes)
    }

    /// Rejects a file that is too long, or too large for the memory, to be read as a whole.
    pub(crate) fn refuse_long(&self, path: &Path, length: u64) -> Result<(), FileError> {
        if length > MOST_WHOLE_BYTES {
            let reason = format!(
                "it has more than {}, the limit for files that are read as a whole: split it, or save it in a binary format",
                readable(MOST_WHOLE_BYTES)
            );
            return Err(self.unreadable(path)(io::Error::other(reason)));
        }
        self.for_another_scene().take_memory(path, length, || "its bytes need".to_owned())
    }

    /// Reads the whole text of a regular file, without a byte-order mark before it.
    ///
    /// # Errors
    /// The errors of [`Self::read`], and [`FileError::Read`] for text that is not UTF-8.
    pub fn read_text(&self, path: &Path) -> Result<String, FileError> {
        let mut bytes = self.read(path)?;
        bytes.drain(..bytes.len() - without_mark(&bytes).len());
        let text = String::from_utf8(bytes).map_err(|_| {
            io::Error::new(io::ErrorKind::InvalidData, "stream did not contain valid UTF-8")
        });
        text.map_err(self.unreadable(path))
    }

    /// Returns the length of a regular file in bytes.
    ///
    /// # Errors
    /// [`FileError::Read`], also for a folder, a pipe, a socket or a device.
    pub fn length(&self, path: &Path) -> Result<u64, FileError> {
        let length = match self.storage_of(path) {
            Storage::Disk => path.metadata().and_then(regular_length),
            Storage::Memory(files) => file_in(files, path).map(|bytes| bytes.len() as u64),
        };
        length.map_err(self.unreadable(path))
    }

    /// Opens a regular file and returns its length in bytes.
    ///
    /// # Errors
    /// [`FileError::Read`], also for a folder, a pipe, a socket or a device.
    pub(crate) fn open(&self, path: &Path) -> Result<(OpenFile, u64), FileError> {
        match self.storage_of(path) {
            Storage::Disk => open_on_disk(path),
            Storage::Memory(files) => {
                let bytes = file_in(files, path).map_err(self.unreadable(path))?;
                Ok((OpenFile::Memory(Cursor::new(bytes.clone())), bytes.len() as u64))
            }
        }
    }

    /// Converts the errors of reading `path`, for `map_err`.
    pub fn unreadable(&self, path: &Path) -> impl Fn(io::Error) -> FileError {
        |source| match (&self.storage, source.kind()) {
            (Storage::Memory(files), io::ErrorKind::NotFound) => {
                let folder = resolved(path).and_then(|path| Some(path.parent()?.to_owned()));
                let beside = files.keys().filter(|file| file.parent() == folder.as_deref());
                let name = |file: &PathBuf| Some(file.file_name()?.to_string_lossy().into());
                let near = names_near(path, beside.filter_map(name));
                FileError::Read { path: path.to_owned(), source, near }
            }
            _ => FileError::read(path)(source),
        }
    }
}

/// Opens a file of the disk. Checks its type before, because opening a device may act on it, and
/// again after, because another file may have taken its place.
fn open_on_disk(path: &Path) -> Result<(OpenFile, u64), FileError> {
    let fail = FileError::read(path);
    std::fs::metadata(path).and_then(regular_length).map_err(&fail)?;
    let file = open_without_waiting(path).map_err(&fail)?;
    let length = file.metadata().and_then(regular_length).map_err(&fail)?;
    Ok((OpenFile::Disk(BufReader::with_capacity(1 << 20, file)), length))
}

/// Reads a file of this length to its end, which must not be far beyond that length.
fn read_whole(file: impl Read, length: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(length as usize)?;
    let most = length + MOST_BYTES_BEYOND;
    file.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        return Err(io::Error::other(format!(
            "it has more bytes than its length, which is {}, and may never end: save its contents to a file first",
            readable(length)
        )));
    }
    Ok(bytes)
}

/// Rejects files without a length of their own, such as folders and pipes.
fn regular_length(metadata: Metadata) -> io::Result<u64> {
    if metadata.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    if !metadata.is_file() {
        let reason = "it is a pipe, a socket or a device: save its contents to a file first";
        return Err(io::Error::other(reason));
    }
    Ok(metadata.len())
}

/// Opens a file. For a pipe, it does not wait until a program writes to the pipe.
#[cfg(unix)]
fn open_without_waiting(path: &Path) -> io::Result<File> {
    use rustix::fs::{Mode, OFlags, open};
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
    Ok(open(path, flags, Mode::empty())?.into())
}

#[cfg(not(unix))]
fn open_without_waiting(path: &Path) -> io::Result<File> {
    File::open(path)
}

/// Returns a path without the parts `.` and `..`; `None` for a path that leads above the top.
fn resolved(path: &Path) -> Option<PathBuf> {
    let mut resolved = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => resolved.pop().then_some(())?,
            part => resolved.push(part),
        }
    }
    Some(resolved)
}

/// Finds a file. The reasons of failures have the wording of the system.
fn file_in<'a>(files: &'a BTreeMap<PathBuf, Arc<[u8]>>, path: &Path) -> io::Result<&'a Arc<[u8]>> {
    let found = resolved(path).and_then(|path| files.get(&path));
    found.ok_or_else(|| match is_folder(files, path) {
        true => io::Error::new(io::ErrorKind::IsADirectory, "Is a directory"),
        false => missing(),
    })
}

fn missing() -> io::Error {
    io::Error::new(io::ErrorKind::NotFound, "No such file or directory")
}

/// Returns true if there are files in a folder with this path. In the order of paths, the files of
/// a folder follow it.
fn is_folder(files: &BTreeMap<PathBuf, Arc<[u8]>>, path: &Path) -> bool {
    resolved(path).is_some_and(|path| {
        let next = files.range(path.clone()..).map(|(file, _)| file).find(|file| **file != path);
        next.is_some_and(|file| file.starts_with(&path))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn store() -> FileStore {
        FileStore::in_memory(
            [("robot.urdf", "robot"), ("./meshes/a/../hand.stl", "hand")]
                .map(|(name, text)| (name, text.as_bytes())),
        )
    }

    fn kind_of_error(store: &FileStore, path: &Path) -> io::ErrorKind {
        match store.read(path).unwrap_err() {
            FileError::Read { source, .. } => source.kind(),
            other => panic!("{other}"),
        }
    }

    #[test]
    fn files_in_memory_are_found_by_paths_as_on_a_disk() {
        let store = store();
        for path in ["meshes/hand.stl", "./meshes/hand.stl", "meshes/../meshes//hand.stl"] {
            assert_eq!(store.read_text(Path::new(path)).unwrap(), "hand", "{path}");
            assert_eq!(store.identity(Path::new(path)).unwrap(), Path::new("meshes/hand.stl"));
            assert!(store.is_file(Path::new(path)), "{path}");
        }
        for folder in ["", "meshes", "meshes/."] {
            let path = Path::new(folder);
            assert!(store.exists(path) && !store.is_file(path), "{folder}");
            assert_eq!(kind_of_error(&store, path), io::ErrorKind::IsADirectory, "{folder}");
        }
        for absent in ["Meshes/hand.stl", "hand.stl", "../robot.urdf", "/robot.urdf", "mesh"] {
            let path = Path::new(absent);
            assert!(!store.exists(path), "{absent}");
            assert_eq!(kind_of_error(&store, path), io::ErrorKind::NotFound, "{absent}");
            assert!(store.identity(path).is_err(), "{absent}");
        }
    }

    #[test]
    fn a_file_without_a_length_is_read_up_to_where_it_may_never_end() {
        assert_eq!(read_whole(&b"small"[..], 0).unwrap(), b"small");
        assert_eq!(read_whole(&b"shrunk"[..], 7).unwrap(), b"shrunk");
        for length in [0, 1 << 20] {
            let error = read_whole(io::repeat(b' '), length).unwrap_err().to_string();
            assert!(error.contains("may never end"), "{error}");
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_small_file_that_the_system_makes_up_is_read() {
        let path = Path::new("/proc/self/status");
        assert_eq!(path.metadata().unwrap().len(), 0);
        assert!(FileStore::disk().read_text(path).unwrap().contains("VmSize"));
    }

    #[test]
    fn a_store_notes_what_was_asked_for_in_it_and_in_its_clones() {
        let store = store();
        assert!(store.asked_for().is_empty());
        let clone = store.clone();
        assert!(!clone.exists(Path::new("absent.obj")));
        for _ in 0..2 {
            clone.read(Path::new("robot.urdf")).unwrap();
        }
        assert_eq!(store.asked_for(), [Path::new("absent.obj"), Path::new("robot.urdf")]);
    }

    #[test]
    fn a_missing_file_in_memory_is_refused_with_its_neighbours() {
        let error = |path: &str| store().read(Path::new(path)).unwrap_err().to_string();
        assert_eq!(
            error("meshes/hands.stl"),
            "meshes/hands.stl: cannot be read: No such file or directory; did you mean hand.stl?"
        );
        assert_eq!(error("robots/x"), "robots/x: cannot be read: No such file or directory");
    }
}
