//! A writer for who writes once more after a failure.

use std::io::{self, Seek, SeekFrom, Write};

/// Fails once; from then on, it takes all and writes nothing. An archive that is dropped unfinished is finished by its
/// library, which prints an error to stderr if that fails: one that failed has been told already.
pub(super) struct FailsOnce<W> {
    /// None after a failure.
    writer: Option<W>,
    place: u64,
    end: u64,
}

impl<W: Write + Seek> FailsOnce<W> {
    /// Of a writer that is at its beginning.
    pub fn new(writer: W) -> Self {
        Self { writer: Some(writer), place: 0, end: 0 }
    }

    /// What `work` makes of the writer; `None` where there is none.
    fn with<T>(&mut self, work: impl FnOnce(&mut W) -> io::Result<T>) -> io::Result<Option<T>> {
        let done = self.writer.as_mut().map(work).transpose();
        // What is interrupted is tried again.
        if done.as_ref().is_err_and(|error| error.kind() != io::ErrorKind::Interrupted) {
            self.writer = None;
        }
        done
    }
}

impl<W: Write + Seek> Write for FailsOnce<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.with(|writer| writer.write(bytes))?.unwrap_or(bytes.len());
        self.place += count as u64;
        self.end = self.end.max(self.place);
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.with(W::flush).map(drop)
    }
}

impl<W: Write + Seek> Seek for FailsOnce<W> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let place = match to {
            SeekFrom::Start(place) => place,
            SeekFrom::Current(ahead) => self.place.saturating_add_signed(ahead),
            SeekFrom::End(ahead) => self.end.saturating_add_signed(ahead),
        };
        self.place = self.with(|writer| writer.seek(to))?.unwrap_or(place);
        Ok(self.place)
    }
}
