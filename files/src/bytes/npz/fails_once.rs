//! A writer that reports only its first failure.

use std::io::{self, Seek, SeekFrom, Write};

/// A writer that fails once. After that it accepts everything and writes nothing. The zip crate
/// finishes an archive that is dropped unfinished, and prints an error to stderr if that fails too,
/// although the caller already has the first error.
pub(super) struct FailsOnce<W> {
    /// It is `None` after a failure.
    writer: Option<W>,
    position: u64,
    end: u64,
}

impl<W: Write + Seek> FailsOnce<W> {
    /// Wraps a writer that is at its beginning.
    pub fn new(writer: W) -> Self {
        Self { writer: Some(writer), position: 0, end: 0 }
    }

    /// Applies `work` to the writer and returns its result, or `None` after a failure.
    fn with<T>(&mut self, work: impl FnOnce(&mut W) -> io::Result<T>) -> io::Result<Option<T>> {
        let done = self.writer.as_mut().map(work).transpose();
        // The caller tries again after an interruption.
        if done.as_ref().is_err_and(|error| error.kind() != io::ErrorKind::Interrupted) {
            self.writer = None;
        }
        done
    }
}

impl<W: Write + Seek> Write for FailsOnce<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.with(|writer| writer.write(bytes))?.unwrap_or(bytes.len());
        self.position += count as u64;
        self.end = self.end.max(self.position);
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.with(W::flush).map(drop)
    }
}

impl<W: Write + Seek> Seek for FailsOnce<W> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let target = match to {
            SeekFrom::Start(position) => position,
            SeekFrom::Current(offset) => self.position.saturating_add_signed(offset),
            SeekFrom::End(offset) => self.end.saturating_add_signed(offset),
        };
        self.position = self.with(|writer| writer.seek(to))?.unwrap_or(target);
        Ok(self.position)
    }
}
