//! A file that is written next to its target under a temporary name until it is complete.

use super::links::{folder_of, followed};
use super::live_drafts::LiveDrafts;
use crate::FileError;
use std::fs::{self, File, Metadata, TryLockError};
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use tempfile::TempPath;

/// A temporary file next to its target, which can grow. A draft that is dropped before it is moved
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
    /// The file that `path` leads to if it is a link, otherwise `path` itself.
    target: PathBuf,
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
        // The lock is held while the file is removed, so that the file is removed only once.
        if let Some(name) = self.take(&mut live_drafts) {
            drop(name);
            live_drafts.remove_folders();
        }
    }
}

/// The prefix of every draft's name.
pub const DRAFT_PREFIX: &str = ".raytwin-";

/// The suffix of the names of this host's drafts.
fn suffix() -> String {
    format!("@{}", host().replace(std::path::is_separator, "_"))
}

#[cfg(not(target_arch = "wasm32"))]
fn host() -> String {
    gethostname::gethostname().to_string_lossy().into_owned()
}

/// A browser has no files and no host name.
#[cfg(target_arch = "wasm32")]
fn host() -> String {
    String::new()
}

/// Removes the drafts that killed processes of this host left in a folder.
pub(crate) fn remove_ownerless_drafts(folder: &Path) {
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
                "{}: removed this draft, because the run that wrote it has ended",
                entry.path().display()
            );
        }
    }
}

impl Draft {
    /// Begins a file next to the target that `path` leads to. Creates missing folders.
    ///
    /// # Errors
    /// [`FileError::Write`], also if the target cannot be replaced: see [`replaced_by`].
    pub(crate) fn begin(path: &Path) -> Result<Self, FileError> {
        let fail = FileError::write(path);
        let target = followed(path).map_err(&fail)?;
        let folder = folder_of(&target);
        let replaced = replaced_by(path)?;
        let mut live_drafts = LiveDrafts::lock();
        live_drafts.make_folder(folder)?;
        let (file, name) = locked_file(folder).map_err(&fail)?;
        live_drafts.add(&name);
        // Only those who may read the target may read the draft, from its first byte on.
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

    /// Writes the whole file through to the disk, so that no power cut damages it after it has
    /// replaced its target.
    pub(crate) fn sync(&mut self) -> Result<(), FileError> {
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
    pub(crate) fn folder(&self) -> &Path {
        folder_of(&self.target)
    }

    /// The path that the caller asked for.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn move_to_target(&mut self, live_drafts: &mut LiveDrafts) -> Result<(), FileError> {
        match self.name.take(live_drafts) {
            Some(name) => {
                let moved = name.persist(&self.target);
                moved.map_err(|error| FileError::write(&self.path)(error.error))?;
                live_drafts.leave_folders_of(&self.target);
                Ok(())
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

impl Seek for Draft {
    fn seek(&mut self, position: SeekFrom) -> io::Result<u64> {
        self.file.seek(position)
    }
}

/// Returns the existing file that a file of this path replaces, if there is one.
///
/// # Errors
/// [`FileError::Write`], if it is not a regular file, or is write-protected.
pub(crate) fn replaced_by(path: &Path) -> Result<Option<Metadata>, FileError> {
    let fail = FileError::write(path);
    let Ok(replaced) = fs::metadata(path) else { return Ok(None) };
    if replaced.is_dir() {
        return Err(fail(io::ErrorKind::IsADirectory.into()));
    }
    if !replaced.is_file() {
        let reason = "it is a pipe, a socket or a device, and raytwin writes answers only to files";
        return Err(fail(io::Error::other(reason)));
    }
    refuse_protected(path, &replaced).map_err(fail)?;
    Ok(Some(replaced))
}

/// Rejects a file that this process may not write, although its folder allows replacing it. As
/// usual, root may write any file.
#[cfg(unix)]
fn refuse_protected(path: &Path, _: &Metadata) -> io::Result<()> {
    use rustix::fs::{Access, AtFlags, CWD, accessat};
    use rustix::io::Errno;
    match accessat(CWD, path, Access::WRITE_OK, AtFlags::EACCESS) {
        Err(Errno::ACCESS | Errno::PERM) => Err(io::Error::other(WRITE_PROTECTED)),
        // Other errors concern the check, not the file.
        _ => Ok(()),
    }
}

#[cfg(not(unix))]
fn refuse_protected(_: &Path, replaced: &Metadata) -> io::Result<()> {
    match replaced.permissions().readonly() {
        true => Err(io::Error::other(WRITE_PROTECTED)),
        false => Ok(()),
    }
}

const WRITE_PROTECTED: &str = "it is write-protected: permit writing to it, or remove it";

/// Writes the names in a folder through to the disk, if the system can do that.
pub(crate) fn sync_folder(folder: &Path) -> io::Result<()> {
    use io::ErrorKind::{InvalidInput, Unsupported};
    if !cfg!(unix) {
        return Ok(());
    }
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let folder = match File::open(folder) {
        // A folder that may be written but not read, such as a drop box, cannot be opened.
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => return Ok(()),
        opened => opened?,
    };
    match folder.sync_all() {
        // Some network file systems cannot write a folder through.
        Err(error) if !matches!(error.kind(), InvalidInput | Unsupported) => Err(error),
        _ => Ok(()),
    }
}

/// Makes a file with an unused name, and locks it if the file system has locks.
pub(crate) fn locked_file(folder: &Path) -> io::Result<(File, TempPath)> {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let name = |entry: io::Result<fs::DirEntry>| entry.unwrap().file_name().into_string();
        fs::read_dir(folder).unwrap().map(|entry| name(entry).unwrap()).collect()
    }

    #[test]
    fn a_draft_without_an_owner_is_removed_and_no_other() {
        let folder = tempfile::tempdir().unwrap();
        let draft = Draft::begin(&folder.path().join("answers.npz")).unwrap();
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
            let error = Draft::begin(&path(name)).unwrap_err().to_string();
            assert!(error.contains(name) && error.contains(reason), "{error}");
        }
        let device = Draft::begin(Path::new("/dev/null/t_hit.npy")).unwrap_err().to_string();
        assert!(device.starts_with("/dev/null: "), "{device}");
        fs::create_dir(path("elsewhere")).unwrap();
        symlink("elsewhere/target", path("link")).unwrap();
        for text in ["first", "second"] {
            let mut draft = Draft::begin(&path("link")).unwrap();
            draft.write_all(text.as_bytes()).unwrap();
            draft.flush().unwrap();
            draft.move_to_target(&mut LiveDrafts::lock()).unwrap();
            assert_eq!(fs::read_to_string(path("elsewhere/target")).unwrap(), text);
            assert!(path("link").is_symlink());
        }
    }
}
