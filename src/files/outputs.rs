//! An output appears whole or not at all, also one that is written piece by piece.

use super::FileError;
use std::fs::File;
use std::io::{self, BufWriter, Seek, Write};
use std::path::{Path, PathBuf};
use tempfile::TempPath;

/// Files that appear together: each is written beside its place, and renamed into it once all are
/// whole. Dropped before [`Outputs::publish`], nothing has changed: folders that were made for them go
/// too.
#[derive(Debug, Default)]
pub(crate) struct Outputs {
    whole: Vec<(TempPath, PathBuf)>,
    made: Vec<PathBuf>,
}

/// A file beside its place, of which more may be written. Dropped, it is gone.
#[derive(Debug)]
pub(crate) struct Draft {
    file: BufWriter<File>,
    beside: TempPath,
    path: PathBuf,
}

impl Draft {
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
}

impl Write for Draft {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// Fails where a file could not be written, before much work is done for it.
///
/// # Errors
/// [`FileError::Write`].
pub fn probe_output(path: &Path) -> Result<(), FileError> {
    Outputs::default().add(path, |_| Ok(()))
}

impl Outputs {
    /// Writes one file beside its place; its folder is made where it is missing.
    ///
    /// # Errors
    /// [`FileError::Write`].
    pub fn add(
        &mut self,
        path: &Path,
        fill: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
    ) -> Result<(), FileError> {
        let mut draft = self.draft(path)?;
        draft.add(fill)?;
        self.keep(draft)
    }

    /// Begins a file beside its place, to be written piece by piece; its folder is made where it is missing.
    ///
    /// # Errors
    /// [`FileError::Write`].
    pub fn draft(&mut self, path: &Path) -> Result<Draft, FileError> {
        let fail = FileError::write(path);
        let folder = match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        let missing = folder
            .ancestors()
            .take_while(|folder| !folder.as_os_str().is_empty() && !folder.exists());
        self.made.extend(missing.map(Path::to_owned));
        std::fs::create_dir_all(folder).map_err(&fail)?;
        if path.is_dir() {
            return Err(fail(io::ErrorKind::IsADirectory.into()));
        }
        let mut builder = tempfile::Builder::new();
        builder.prefix(".raytwin-");
        // As an ordinary new file: who may read it is for the umask to say.
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        let (file, beside) = builder.tempfile_in(folder).map_err(&fail)?.into_parts();
        let file = BufWriter::with_capacity(1 << 20, file);
        Ok(Draft { file, beside, path: path.to_owned() })
    }

    /// Takes a file that is whole.
    ///
    /// # Errors
    /// [`FileError::Write`].
    pub fn keep(&mut self, mut draft: Draft) -> Result<(), FileError> {
        draft.add(|file| file.flush())?;
        self.whole.push((draft.beside, draft.path));
        Ok(())
    }

    /// Puts every file into its place.
    ///
    /// # Errors
    /// [`FileError::Write`].
    pub fn publish(mut self) -> Result<(), FileError> {
        for (written, path) in std::mem::take(&mut self.whole) {
            written.persist(&path).map_err(|error| FileError::write(&path)(error.error))?;
        }
        Ok(())
    }
}

impl Drop for Outputs {
    fn drop(&mut self) {
        self.whole.clear();
        // Deepest first, as they were found; one with a file in it stays.
        for folder in &self.made {
            let _ = std::fs::remove_dir(folder);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_output_appears_whole_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new/answers.txt");
        let mut outputs = Outputs::default();
        outputs.add(&path, |file| file.write_all(b"first")).unwrap();
        assert!(!path.exists());
        drop(outputs);
        assert!(!path.parent().unwrap().exists(), "the folder was made for nothing");
        probe_output(&path).unwrap();
        assert!(!path.parent().unwrap().exists(), "a probe leaves nothing");
        let mut outputs = Outputs::default();
        outputs.add(&path, |file| file.write_all(b"first")).unwrap();
        outputs.publish().unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"first");

        let mut outputs = Outputs::default();
        let broken = outputs.add(&path, |file| {
            file.write_all(b"half of the sec")?;
            Err(io::ErrorKind::StorageFull.into())
        });
        assert!(matches!(broken, Err(FileError::Write { .. })));
        drop(outputs);
        assert_eq!(std::fs::read(&path).unwrap(), b"first");
        let left = std::fs::read_dir(path.parent().unwrap()).unwrap().count();
        assert_eq!(left, 1, "nothing half-written lies about");
    }

    #[test]
    fn an_output_that_cannot_be_made_says_which() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        std::fs::write(&file, b"").unwrap();
        let mut outputs = Outputs::default();
        let error = outputs.add(&file.join("inside/a file"), |_| Ok(())).unwrap_err();
        assert!(error.to_string().contains("inside"), "{error}");
        let onto_a_folder = outputs.add(folder.path(), |_| Ok(())).unwrap_err();
        assert!(matches!(onto_a_folder, FileError::Write { .. }));
    }
}
