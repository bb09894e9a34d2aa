//! Archives of arrays that are being written.

use super::fails_once::FailsOnce;
use super::{header::write_header, npy::write_npy, number::Number};
use bytemuck::Pod;
use std::io::{self, BufWriter, Read, Seek, Write};
use zip::{CompressionMethod, ZipWriter, write::SimpleFileOptions};

/// Writes an `.npz` archive array by array, uncompressed as `numpy.savez` does.
pub struct NpzWriter<W: Write + Seek> {
    archive: ZipWriter<FailsOnce<W>>,
}

impl<W: Write + Seek> NpzWriter<W> {
    /// Begins an archive without arrays.
    pub fn new(writer: W) -> Self {
        Self { archive: ZipWriter::new(FailsOnce::new(writer)) }
    }

    /// Adds an array in C order; the product of `shape` is the length of `numbers`.
    ///
    /// # Errors
    /// [`io::Error`]: the archive cannot be written.
    pub fn array<T: Number>(
        &mut self,
        name: &str,
        shape: &[usize],
        numbers: &[T],
    ) -> io::Result<()> {
        write_npy(self.start(name)?, shape, numbers)
    }

    /// Adds an array of one axis, whose numbers are written as they come; `length` is their number.
    ///
    /// # Errors
    /// [`io::Error`]: the archive cannot be written.
    pub fn numbers<T: Number>(
        &mut self,
        name: &str,
        length: usize,
        numbers: impl Iterator<Item = T>,
    ) -> io::Result<()> {
        self.entries(name, T::DESCR, &[length], numbers.map(Ok))
    }

    /// Adds an array of numbers of this type, in NumPy's letters, whose entries come one by one.
    pub(crate) fn entries<T: Pod>(
        &mut self,
        name: &str,
        descr: &str,
        shape: &[usize],
        mut entries: impl Iterator<Item = io::Result<T>>,
    ) -> io::Result<()> {
        let mut writer = BufWriter::new(self.start(name)?);
        write_header(&mut writer, descr, shape)?;
        entries.try_for_each(|entry| writer.write_all(bytemuck::bytes_of(&entry?)))?;
        writer.flush()
    }

    /// Adds an array that already has the form of an `.npy` file.
    ///
    /// # Errors
    /// [`io::Error`]: the file cannot be read, or the archive cannot be written.
    pub fn npy(&mut self, name: &str, mut file: impl Read) -> io::Result<()> {
        io::copy(&mut file, self.start(name)?).map(drop)
    }

    fn start(&mut self, name: &str) -> io::Result<&mut impl Write> {
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Stored)
            .large_file(true);
        self.archive.start_file(format!("{name}.npy"), options).map_err(io::Error::other)?;
        Ok(&mut self.archive)
    }

    /// Gives the archive a comment, which NumPy ignores.
    ///
    /// # Errors
    /// [`io::Error`]: the comment is longer than an archive's may be.
    pub fn comment(&mut self, text: &str) -> io::Result<()> {
        self.archive.set_comment(text).map_err(io::Error::other)
    }

    /// Writes the archive's directory.
    ///
    /// # Errors
    /// [`io::Error`]: the archive cannot be written.
    pub fn finish(self) -> io::Result<()> {
        self.archive.finish().map_err(io::Error::other)?.flush()
    }
}
