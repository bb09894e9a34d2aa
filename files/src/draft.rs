//! A file that is written beside its target under a temporary name until it is whole.

use super::FileError;
use std::fs::{self, File, TryLockError};
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tempfile::TempPath;

/// A temporary file beside its target, which can grow. A draft that is dropped before it is moved
/// to its target is removed.
///
/// Its name ends with the host's name, and it is locked as long as its process lives: a draft that
/// another process of the same host can lock has no owner any more. A host never judges the drafts
/// of another host on a shared file system, because not every such file system shows one host the
/// locks of the other.
#[derive(Debug)]
pub struct Draft {
    file: BufWriter<File>,
    name: DraftName,
    path: PathBuf,
    /// The file that `path` leads to if it is a link, and else `path` itself.
    target: PathBuf,
}

/// The drafts and locks of this process and the folders that were made for them, so that a program
/// that ends early can remove them.
#[derive(Debug)]
pub(super) struct LiveDrafts {
    drafts: Vec<PathBuf>,
    folders: Vec<PathBuf>,
}

static LIVE_DRAFTS: Mutex<LiveDrafts> =
    Mutex::new(LiveDrafts { drafts: Vec::new(), folders: Vec::new() });

impl LiveDrafts {
    pub fn lock() -> MutexGuard<'static, Self> {
        LIVE_DRAFTS.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a file to be removed if the program ends early.
    pub fn add(&mut self, file: &Path) {
        self.drafts.push(file.to_owned());
    }

    /// Leaves a file to its owner, and tells whether it was there.
    pub fn forget(&mut self, file: &Path) -> bool {
        let count = self.drafts.len();
        self.drafts.retain(|other| other != file);
        self.drafts.len() < count
    }

    /// Makes a folder and those above it that are missing, which are added to `made_folders`, the
    /// deepest first.
    ///
    /// # Errors
    /// [`FileError::Write`].
    pub fn make_folder(
        &mut self,
        folder: &Path,
        made_folders: &mut Vec<PathBuf>,
    ) -> Result<(), FileError> {
        let nearest_existing = folder.ancestors().find(|above| above.exists());
        if let Some(file) = nearest_existing.filter(|above| !above.is_dir()) {
            let reason = "it is no folder, and what is written needs one of this name";
            return Err(FileError::write(file)(io::Error::other(reason)));
        }
        let missing: Vec<PathBuf> = folder
            .ancestors()
            .take_while(|above| !above.as_os_str().is_empty() && !above.exists())
            .map(Path::to_owned)
            .collect();
        self.folders.extend(missing.iter().cloned());
        made_folders.extend(missing);
        fs::create_dir_all(folder).map_err(FileError::write(folder))
    }

    /// Removes a folder that was made for drafts, unless there is a file in it.
    pub fn remove_folder(&mut self, folder: &Path) {
        let _ = fs::remove_dir(folder);
        self.folders.retain(|other| other != folder);
    }
}

/// Removes all drafts of this process and the folders that were made for them, for a program that
/// ends before its outputs are whole. As long as the returned guard is held, no draft begins and
/// none is moved to its target.
pub fn abandon_drafts() -> impl Sized {
    let mut live_drafts = LiveDrafts::lock();
    for draft in live_drafts.drafts.drain(..) {
        let _ = fs::remove_file(draft);
    }
    live_drafts.folders.sort_by_key(|folder| std::cmp::Reverse(folder.components().count()));
    for folder in live_drafts.folders.drain(..) {
        let _ = fs::remove_dir(folder);
    }
    live_drafts
}

/// The temporary name of a draft, until the draft is moved to its target.
#[derive(Debug)]
struct DraftName(Option<TempPath>);

impl DraftName {
    fn take(&mut self, live_drafts: &mut LiveDrafts) -> Option<TempPath> {
        let name = self.0.take()?;
        live_drafts.forget(&name);
        Some(name)
    }
}

impl Drop for DraftName {
    fn drop(&mut self) {
        let mut live_drafts = LiveDrafts::lock();
        // The lock is held while the file is removed, so that it is removed once.
        drop(self.take(&mut live_drafts));
    }
}

/// Every draft's name begins so.
pub const DRAFT_PREFIX: &str = ".raytwin-";

/// The end of the names of this host's drafts.
fn suffix() -> String {
    format!("@{}", host().replace(std::path::is_separator, "_"))
}

#[cfg(not(target_arch = "wasm32"))]
fn host() -> String {
    gethostname::gethostname().to_string_lossy().into_owned()
}

/// A browser has no files, and no name.
#[cfg(target_arch = "wasm32")]
fn host() -> String {
    String::new()
}

/// Removes the drafts that killed processes of this host left in a folder.
pub(super) fn remove_ownerless_drafts(folder: &Path) {
    let suffix = suffix();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let is_draft = name.starts_with(DRAFT_PREFIX) && name.ends_with(&suffix);
        if !is_draft || !entry.file_type().is_ok_and(|kind| kind.is_file()) {
            continue;
        }
        let file = File::options().write(true).open(entry.path());
        if file.is_ok_and(|file| file.try_lock().is_ok() && fs::remove_file(entry.path()).is_ok()) {
            log::info!(
                "{}: removed, because the run that wrote it has ended",
                entry.path().display()
            );
        }
    }
}

impl Draft {
    /// Begins a file beside the target that `path` leads to. Missing folders are made, and added to
    /// `made_folders`, the deepest first.
    ///
    /// # Errors
    /// [`FileError::Write`], also where the target exists and is not a regular file.
    pub(super) fn begin(path: &Path, made_folders: &mut Vec<PathBuf>) -> Result<Self, FileError> {
        let fail = FileError::write(path);
        let target = follow_links(path).map_err(&fail)?;
        let folder = folder_of(&target);
        let replaced = fs::metadata(&target).ok();
        match &replaced {
            Some(metadata) if metadata.is_dir() => {
                return Err(fail(io::ErrorKind::IsADirectory.into()));
            }
            Some(metadata) if !metadata.is_file() => {
                let reason =
                    "it is a pipe, a socket or a device, and answers can only replace a file";
                return Err(fail(io::Error::other(reason)));
            }
            _ => {}
        }
        let mut live_drafts = LiveDrafts::lock();
        live_drafts.make_folder(folder, made_folders)?;
        let (file, name) = locked_file(folder).map_err(&fail)?;
        live_drafts.add(&name);
        // Who may read the target may read the draft, from its first byte on, and nobody else.
        #[cfg(unix)]
        if let Some(replaced) = replaced {
            file.set_permissions(replaced.permissions()).map_err(&fail)?;
        }
        Ok(Self {
            file: BufWriter::with_capacity(1 << 20, file),
            name: DraftName(Some(name)),
            path: path.to_owned(),
            target,
        })
    }

    /// Writes more of the file.
    ///
    /// # Errors
    /// [`FileError::Write`].
    pub fn add(
        &mut self,
        fill: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
    ) -> Result<(), FileError> {
        fill(&mut self.file).map_err(FileError::write(&self.path))
    }

    /// Writes the whole file through to the disk, so that no power cut takes a part of it once it
    /// has replaced its target.
    ///
    /// # Errors
    /// [`FileError::Write`].
    pub(super) fn sync(&mut self) -> Result<(), FileError> {
        self.add(|file| {
            file.flush()?;
            file.get_ref().sync_all()
        })
    }

    /// Returns the written file at its beginning, so that it can be copied into another file.
    ///
    /// # Errors
    /// The system's error.
    pub fn read_back(&mut self) -> io::Result<&mut File> {
        self.file.flush()?;
        self.file.get_mut().rewind()?;
        Ok(self.file.get_mut())
    }

    /// The folder that the draft is written in.
    pub(super) fn folder(&self) -> &Path {
        folder_of(&self.target)
    }

    /// The path that the caller asked for.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Replaces the target with the draft.
    pub(super) fn move_to_target(&mut self, live_drafts: &mut LiveDrafts) -> Result<(), FileError> {
        match self.name.take(live_drafts) {
            Some(name) => name
                .persist(&self.target)
                .map_err(|error| FileError::write(&self.path)(error.error)),
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

impl Seek for Draft {
    fn seek(&mut self, position: SeekFrom) -> io::Result<u64> {
        self.file.seek(position)
    }
}

fn folder_of(file: &Path) -> &Path {
    match file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// Writes the names in a folder through to the disk, where the system can do that.
pub(super) fn sync_folder(folder: &Path) -> io::Result<()> {
    use io::ErrorKind::{InvalidInput, Unsupported};
    if !cfg!(unix) {
        return Ok(());
    }
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    match File::open(folder)?.sync_all() {
        // Some network file systems write no folder through.
        Err(error) if !matches!(error.kind(), InvalidInput | Unsupported) => Err(error),
        _ => Ok(()),
    }
}

/// Makes a file with an unused name, and locks it if the file system has locks.
pub(super) fn locked_file(folder: &Path) -> io::Result<(File, TempPath)> {
    let suffix = suffix();
    let mut builder = tempfile::Builder::new();
    builder.prefix(DRAFT_PREFIX).suffix(&suffix);
    // An ordinary new file has these permissions: the umask decides who may read it.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    loop {
        let (file, name) = builder.tempfile_in(folder)?.into_parts();
        // Before this process locked it, another one may have removed it as a draft without an
        // owner.
        let is_locked_by_another = matches!(file.try_lock(), Err(TryLockError::WouldBlock));
        if !is_locked_by_another && name.exists() {
            return Ok((file, name));
        }
    }
}

/// Follows a path that is a link, or a link to a link; the last link may lead to a file that does
/// not exist.
fn follow_links(path: &Path) -> io::Result<PathBuf> {
    /// Linux follows as many links.
    const MAX_LINKS: usize = 40;
    let mut target = path.to_owned();
    for _ in 0..MAX_LINKS {
        match fs::read_link(&target) {
            Ok(next) => target = folder_of(&target).join(next),
            Err(_) => return Ok(target),
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
        let owned = names(folder.path());
        let ownerless = format!("{DRAFT_PREFIX}abc{}", suffix());
        for name in [&ownerless, ".raytwin-abc@another-host", "abc"] {
            fs::write(folder.path().join(name), "left").unwrap();
        }
        remove_ownerless_drafts(folder.path());
        let mut left = names(folder.path());
        left.sort();
        let mut expected =
            [&owned[..], &[".raytwin-abc@another-host".into(), "abc".into()]].concat();
        expected.sort();
        assert_eq!(left, expected);
        drop(draft);
        assert!(!names(folder.path()).contains(&owned[0]));
    }

    #[cfg(unix)]
    #[test]
    fn a_target_that_is_not_a_file_is_refused_and_a_link_is_followed() {
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
            draft.move_to_target(&mut LiveDrafts::lock()).unwrap();
            assert_eq!(fs::read_to_string(path("elsewhere/target")).unwrap(), text);
            assert!(path("link").is_symlink());
        }
    }
}
