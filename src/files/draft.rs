//! A file that is written beside its place until it is whole.

use super::FileError;
use std::fs::{self, File, TryLockError};
use std::io::{self, BufWriter, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tempfile::TempPath;

/// A file beside its place, of which more may be written. Dropped before it is put into its place, it is gone.
///
/// Its name holds the host's, and it is locked as long as the process lives: one that can be locked by another process
/// of that host has no owner any more. A host does not judge another's drafts on a file system that both see, for not
/// every such file system tells one host of the other's locks.
#[derive(Debug)]
pub(crate) struct Draft {
    file: BufWriter<File>,
    name: DraftName,
    path: PathBuf,
    /// Where the links that `path` may be lead to.
    place: PathBuf,
}

/// The drafts of this process and the folders that were made for them, so that whoever ends the process early can
/// remove them.
#[derive(Debug)]
pub(super) struct UnderWay {
    drafts: Vec<PathBuf>,
    folders: Vec<PathBuf>,
}

static UNDER_WAY: Mutex<UnderWay> =
    Mutex::new(UnderWay { drafts: Vec::new(), folders: Vec::new() });

impl UnderWay {
    pub fn lock() -> MutexGuard<'static, Self> {
        UNDER_WAY.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Removes a folder that was made for drafts; one with a file in it stays.
    pub fn give_up_folder(&mut self, folder: &Path) {
        let _ = fs::remove_dir(folder);
        self.folders.retain(|own| own != folder);
    }
}

/// Removes all drafts of this process and the folders that were made for them, for a program that ends before its
/// outputs are whole. As long as what is returned is held, no other draft begins and none is put into its place.
pub fn abandon_drafts() -> impl Sized {
    let mut under_way = UnderWay::lock();
    for draft in under_way.drafts.drain(..) {
        let _ = fs::remove_file(draft);
    }
    under_way.folders.sort_by_key(|folder| std::cmp::Reverse(folder.components().count()));
    for folder in under_way.folders.drain(..) {
        let _ = fs::remove_dir(folder);
    }
    under_way
}

/// What a draft is called, until it is put into its place.
#[derive(Debug)]
struct DraftName(Option<TempPath>);

impl DraftName {
    fn take(&mut self, under_way: &mut UnderWay) -> Option<TempPath> {
        let name = self.0.take()?;
        under_way.drafts.retain(|own| *own != *name);
        Some(name)
    }
}

impl Drop for DraftName {
    fn drop(&mut self) {
        let mut under_way = UnderWay::lock();
        // The file is removed while nobody else removes it.
        drop(self.take(&mut under_way));
    }
}

const BEGIN: &str = ".raytwin-";

/// How the names of this host's drafts end.
fn end() -> String {
    let host = gethostname::gethostname().to_string_lossy().into_owned();
    format!("@{}", host.replace(std::path::is_separator, "_"))
}

/// Removes what processes of this host that were killed left in a folder.
pub(super) fn remove_ownerless_drafts(folder: &Path) {
    let end = end();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let is_draft = name.starts_with(BEGIN) && name.ends_with(&end);
        if !is_draft || !entry.file_type().is_ok_and(|kind| kind.is_file()) {
            continue;
        }
        let file = File::options().write(true).open(entry.path());
        if file.is_ok_and(|file| file.try_lock().is_ok() && fs::remove_file(entry.path()).is_ok()) {
            log::info!("{}: removed, for the run that wrote it is gone", entry.path().display());
        }
    }
}

impl Draft {
    /// Begins a file beside the place that `path` names. Folders that are missing are made, and added to `made`, the
    /// deepest first.
    ///
    /// # Errors
    /// [`FileError::Write`], also for a place that holds anything but a file.
    pub(super) fn begin(path: &Path, made: &mut Vec<PathBuf>) -> Result<Self, FileError> {
        let fail = FileError::write(path);
        let place = behind_links(path).map_err(&fail)?;
        let folder = folder_of(&place);
        let in_the_way = folder.ancestors().find(|above| above.exists());
        if let Some(file) = in_the_way.filter(|above| !above.is_dir()) {
            let reason = "it is no folder, and the answers need one of this name";
            return Err(FileError::write(file)(io::Error::other(reason)));
        }
        match fs::metadata(&place) {
            Ok(there) if there.is_dir() => return Err(fail(io::ErrorKind::IsADirectory.into())),
            Ok(there) if !there.is_file() => {
                let reason =
                    "it is a pipe, a socket or a device, and answers take the place of a file";
                return Err(fail(io::Error::other(reason)));
            }
            _ => {}
        }
        let mut under_way = UnderWay::lock();
        let missing: Vec<PathBuf> = folder
            .ancestors()
            .take_while(|above| !above.as_os_str().is_empty() && !above.exists())
            .map(Path::to_owned)
            .collect();
        under_way.folders.extend(missing.iter().cloned());
        made.extend(missing);
        fs::create_dir_all(folder).map_err(&fail)?;
        let (file, name) = locked_file(folder).map_err(&fail)?;
        under_way.drafts.push(name.to_path_buf());
        Ok(Self {
            file: BufWriter::with_capacity(1 << 20, file),
            name: DraftName(Some(name)),
            path: path.to_owned(),
            place,
        })
    }

    /// Writes more of it.
    ///
    /// # Errors
    /// [`FileError::Write`].
    pub fn add(
        &mut self,
        fill: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
    ) -> Result<(), FileError> {
        fill(&mut self.file).map_err(FileError::write(&self.path))
    }

    /// What was written, from its beginning, for another file to take in.
    ///
    /// # Errors
    /// What the system says.
    pub fn read_back(&mut self) -> io::Result<&mut File> {
        self.file.flush()?;
        self.file.get_mut().rewind()?;
        Ok(self.file.get_mut())
    }

    /// The folder that it is written in.
    pub(super) fn folder(&self) -> &Path {
        folder_of(&self.place)
    }

    /// What the file is called once it is whole.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Where it will lie: elsewhere than its path where that is a link.
    pub(super) fn place(&self) -> &Path {
        &self.place
    }

    /// Takes the place of what is there.
    pub(super) fn put_into_place(&mut self, under_way: &mut UnderWay) -> Result<(), FileError> {
        match self.name.take(under_way) {
            Some(name) => {
                name.persist(&self.place).map_err(|error| FileError::write(&self.path)(error.error))
            }
            None => Ok(()),
        }
    }
}

impl Write for Draft {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

fn folder_of(place: &Path) -> &Path {
    match place.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// A new file with a name of its own, locked where the file system has locks.
fn locked_file(folder: &Path) -> io::Result<(File, TempPath)> {
    let end = end();
    let mut builder = tempfile::Builder::new();
    builder.prefix(BEGIN).suffix(&end);
    // As an ordinary new file: who may read it is for the umask to say.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    loop {
        let (file, name) = builder.tempfile_in(folder)?.into_parts();
        // Before it was locked, another run may have taken it for one that has no owner.
        let is_locked_by_another = matches!(file.try_lock(), Err(TryLockError::WouldBlock));
        if !is_locked_by_another && name.exists() {
            return Ok((file, name));
        }
    }
}

/// Where a path leads if it is a link, or a link to one; the last may lead to nothing.
fn behind_links(path: &Path) -> io::Result<PathBuf> {
    // As many as Linux follows.
    const MOST: usize = 40;
    let mut place = path.to_owned();
    for _ in 0..MOST {
        match fs::read_link(&place) {
            Ok(target) => place = folder_of(&place).join(target),
            Err(_) => return Ok(place),
        }
    }
    Err(io::Error::other("it is a link that leads in a circle"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn begin(path: &Path) -> Result<Draft, FileError> {
        Draft::begin(path, &mut Vec::new())
    }

    fn names(folder: &Path) -> Vec<String> {
        let name = |entry: io::Result<fs::DirEntry>| entry.unwrap().file_name().into_string();
        fs::read_dir(folder).unwrap().map(|entry| name(entry).unwrap()).collect()
    }

    #[test]
    fn a_draft_without_an_owner_is_removed_and_no_other() {
        let folder = tempfile::tempdir().unwrap();
        let draft = begin(&folder.path().join("answers.npz")).unwrap();
        let own = names(folder.path());
        let of_here = format!("{BEGIN}abc{}", end());
        for name in [&of_here, ".raytwin-abc@another-host", "abc"] {
            fs::write(folder.path().join(name), "left").unwrap();
        }
        remove_ownerless_drafts(folder.path());
        let mut left = names(folder.path());
        left.sort();
        let mut expected = [&own[..], &[".raytwin-abc@another-host".into(), "abc".into()]].concat();
        expected.sort();
        assert_eq!(left, expected);
        drop(draft);
        assert!(!names(folder.path()).contains(&own[0]));
    }

    #[cfg(unix)]
    #[test]
    fn what_is_no_file_is_refused_and_a_link_is_followed() {
        use std::os::unix::{fs::symlink, net::UnixListener};
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let _socket = UnixListener::bind(path("socket")).unwrap();
        symlink("socket", path("to a socket")).unwrap();
        symlink("circle", path("circle")).unwrap();
        for (name, reason) in
            [("socket", "a pipe"), ("to a socket", "a pipe"), ("circle", "in a circle")]
        {
            let error = begin(&path(name)).unwrap_err().to_string();
            assert!(error.contains(name) && error.contains(reason), "{error}");
        }
        let device = begin(Path::new("/dev/null/t_hit.npy")).unwrap_err().to_string();
        assert!(device.starts_with("/dev/null: "), "{device}");
        fs::create_dir(path("elsewhere")).unwrap();
        symlink("elsewhere/target", path("link")).unwrap();
        for text in ["first", "second"] {
            let mut draft = begin(&path("link")).unwrap();
            draft.write_all(text.as_bytes()).unwrap();
            draft.flush().unwrap();
            draft.put_into_place(&mut UnderWay::lock()).unwrap();
            assert_eq!(fs::read_to_string(path("elsewhere/target")).unwrap(), text);
            assert!(path("link").is_symlink());
        }
    }
}
