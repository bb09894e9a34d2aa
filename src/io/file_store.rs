//! The place that a scene's files are read from: the disk, or named bytes where a program has no disk, as in a browser.

use super::FileError;
use super::open_file::OpenFile;
use super::spelling::{files_near, names_near};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, BufReader, Cursor};
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// The place that files are read from, with all files that they name: the disk, or bytes in memory.
///
/// ```
/// use raytwin::import::{self, FileStore, Options};
///
/// let scene = br#"{ "raytwin": 1, "shapes": [ { "type": "mesh", "file": "meshes/one.obj" } ] }"#;
/// let mesh = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
/// let files = FileStore::in_memory([("scene.json", &scene[..]), ("meshes/one.obj", &mesh[..])]);
/// let imported = import::load_from(&files, "scene.json", &Options::default())?;
/// assert_eq!(imported.scene.geometry_count(), 1);
/// # Ok::<(), raytwin::FileError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct FileStore {
    place: Place,
    asked_for: Arc<Mutex<BTreeSet<PathBuf>>>,
}

#[derive(Clone, Default)]
enum Place {
    #[default]
    Disk,
    /// Files by their paths, in which no part is `.` or `..`.
    Memory(Arc<BTreeMap<PathBuf, Arc<[u8]>>>),
}

impl std::fmt::Debug for Place {
    /// The bytes of files would fill a screen, so only their names are told.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Disk => f.write_str("Disk"),
            Self::Memory(files) => f.debug_set().entries(files.keys()).finish(),
        }
    }
}

impl FileStore {
    /// Returns the files of the disk.
    pub fn disk() -> Self {
        Self::default()
    }

    /// Returns a store of these files, by their paths, such as `robot.urdf` and `meshes/hand.stl`. Paths are compared as on
    /// Linux, upper and lower case apart; the last of several files of one path counts.
    pub fn in_memory<N: AsRef<Path>, B: Into<Arc<[u8]>>>(
        files: impl IntoIterator<Item = (N, B)>,
    ) -> Self {
        let resolved = |(name, bytes): (N, B)| Some((resolved(name.as_ref())?, bytes.into()));
        let files = Arc::new(files.into_iter().filter_map(resolved).collect());
        Self { place: Place::Memory(files), ..Self::default() }
    }

    /// Returns the files and folders that were asked for in this store and its clones, also those that are absent. What was
    /// read may be other than it was once one of them changes.
    pub fn asked_for(&self) -> Vec<PathBuf> {
        let asked_for = self.asked_for.lock().unwrap_or_else(PoisonError::into_inner);
        asked_for.iter().cloned().collect()
    }

    /// Returns where a file lies, after a note that it was asked for.
    fn place_of(&self, path: &Path) -> &Place {
        let mut asked_for = self.asked_for.lock().unwrap_or_else(PoisonError::into_inner);
        if !asked_for.contains(path) {
            asked_for.insert(path.to_owned());
        }
        &self.place
    }

    /// Tells whether there is a file or a folder of this path.
    pub(crate) fn exists(&self, path: &Path) -> bool {
        match self.place_of(path) {
            Place::Disk => path.exists(),
            Place::Memory(files) => file_in(files, path).is_ok() || is_folder(files, path),
        }
    }

    /// Tells whether there is a regular file of this path.
    pub(crate) fn is_file(&self, path: &Path) -> bool {
        match self.place_of(path) {
            Place::Disk => path.is_file(),
            Place::Memory(files) => file_in(files, path).is_ok(),
        }
    }

    /// Returns the path by which a file is known, however it is written.
    pub(crate) fn identity(&self, path: &Path) -> io::Result<PathBuf> {
        match self.place_of(path) {
            Place::Disk => std::fs::canonicalize(path),
            Place::Memory(_) => {
                let found = resolved(path).filter(|path| self.exists(path));
                found.ok_or_else(missing)
            }
        }
    }

    /// Returns the bytes of a file.
    pub(crate) fn bytes(&self, path: &Path) -> io::Result<Vec<u8>> {
        match self.place_of(path) {
            Place::Disk => std::fs::read(path),
            Place::Memory(files) => file_in(files, path).map(|bytes| bytes.to_vec()),
        }
    }

    /// Reads the bytes of a file.
    ///
    /// # Errors
    /// [`FileError::Read`].
    pub(crate) fn read(&self, path: &Path) -> Result<Vec<u8>, FileError> {
        self.bytes(path).map_err(self.unreadable(path))
    }

    /// Reads the whole text of a file.
    ///
    /// # Errors
    /// [`FileError::Read`], also for text that is not UTF-8.
    pub(crate) fn read_text(&self, path: &Path) -> Result<String, FileError> {
        let text = match self.place_of(path) {
            Place::Disk => std::fs::read_to_string(path),
            Place::Memory(files) => {
                file_in(files, path).and_then(|bytes| io::read_to_string(&bytes[..]))
            }
        };
        text.map_err(self.unreadable(path))
    }

    /// Returns the length of a file in bytes.
    ///
    /// # Errors
    /// [`FileError::Read`].
    pub(crate) fn length(&self, path: &Path) -> Result<u64, FileError> {
        let length = match self.place_of(path) {
            Place::Disk => path.metadata().map(|metadata| metadata.len()),
            Place::Memory(files) => file_in(files, path).map(|bytes| bytes.len() as u64),
        };
        length.map_err(self.unreadable(path))
    }

    /// Opens a regular file and returns its length in bytes.
    ///
    /// # Errors
    /// [`FileError::Read`], also for a folder, a pipe, a socket or a device.
    pub(crate) fn open(&self, path: &Path) -> Result<(OpenFile, u64), FileError> {
        match self.place_of(path) {
            Place::Disk => open_on_disk(path),
            Place::Memory(files) => {
                let bytes = file_in(files, path).map_err(self.unreadable(path))?;
                Ok((OpenFile::Memory(Cursor::new(bytes.clone())), bytes.len() as u64))
            }
        }
    }

    /// Converts the errors of reading `path`, for `map_err`.
    pub(crate) fn unreadable(&self, path: &Path) -> impl Fn(io::Error) -> FileError {
        |source| {
            let near = match (&self.place, source.kind()) {
                (Place::Disk, io::ErrorKind::NotFound) => files_near(path),
                (Place::Memory(files), io::ErrorKind::NotFound) => {
                    let folder = resolved(path).and_then(|path| Some(path.parent()?.to_owned()));
                    let beside = files.keys().filter(|file| file.parent() == folder.as_deref());
                    let name = |file: &PathBuf| Some(file.file_name()?.to_string_lossy().into());
                    names_near(path, beside.filter_map(name))
                }
                _ => Vec::new(),
            };
            FileError::Read { path: path.to_owned(), source, near }
        }
    }
}

/// Opens a file of the disk. Its type is checked before it is opened, because opening a pipe waits for its writer.
fn open_on_disk(path: &Path) -> Result<(OpenFile, u64), FileError> {
    let fail = FileError::read(path);
    let metadata = std::fs::metadata(path).map_err(&fail)?;
    if metadata.is_dir() {
        return Err(fail(io::ErrorKind::IsADirectory.into()));
    }
    if !metadata.is_file() {
        let reason = "it is a pipe, a socket or a device, and its parts are not read in order: save it as a file first";
        return Err(fail(io::Error::other(reason)));
    }
    let file = File::open(path).map_err(&fail)?;
    Ok((OpenFile::Disk(BufReader::with_capacity(1 << 20, file)), metadata.len()))
}

/// Returns a path without the parts `.` and `..`; `None` for one that leads above the top.
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

/// Finds a file. The reasons of failures are worded as the system's are.
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

/// Tells whether files lie in a folder of this path. Those of a folder follow it in the order of paths.
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
            let error = store.bytes(path).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::IsADirectory, "{folder}");
        }
        for absent in ["Meshes/hand.stl", "hand.stl", "../robot.urdf", "/robot.urdf", "mesh"] {
            let path = Path::new(absent);
            assert!(!store.exists(path), "{absent}");
            assert_eq!(store.bytes(path).unwrap_err().kind(), io::ErrorKind::NotFound, "{absent}");
            assert!(store.identity(path).is_err(), "{absent}");
        }
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
