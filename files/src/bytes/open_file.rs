//! A file that is open for reading, on the disk or in memory.

use std::fs::File;
use std::io::{self, BufReader, Cursor, Read, Seek, SeekFrom};
use std::sync::{Arc, Mutex, PoisonError};

/// A file that one reader reads.
#[derive(Debug)]
pub(crate) enum OpenFile {
    Disk(BufReader<File>),
    Memory(Cursor<Arc<[u8]>>),
}

/// A file whose parts several readers read, also on several threads.
#[derive(Clone, Debug)]
pub(crate) enum SharedFile {
    Disk(Arc<Mutex<File>>),
    Memory(Arc<[u8]>),
}

impl OpenFile {
    pub fn shared(self) -> SharedFile {
        match self {
            Self::Disk(file) => SharedFile::Disk(Arc::new(Mutex::new(file.into_inner()))),
            Self::Memory(bytes) => SharedFile::Memory(bytes.into_inner()),
        }
    }
}

impl Read for OpenFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Disk(file) => file.read(buffer),
            Self::Memory(bytes) => bytes.read(buffer),
        }
    }

    fn read_exact(&mut self, buffer: &mut [u8]) -> io::Result<()> {
        match self {
            Self::Disk(file) => file.read_exact(buffer),
            Self::Memory(bytes) => bytes.read_exact(buffer),
        }
    }
}

impl Seek for OpenFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        match self {
            Self::Disk(file) => file.seek(to),
            Self::Memory(bytes) => bytes.seek(to),
        }
    }

    /// A buffered reader keeps its buffer if possible.
    fn seek_relative(&mut self, offset: i64) -> io::Result<()> {
        match self {
            Self::Disk(file) => file.seek_relative(offset),
            Self::Memory(bytes) => bytes.seek_relative(offset),
        }
    }
}

impl SharedFile {
    /// Reads bytes at an offset; fewer if the file ends.
    pub fn read_at(&self, offset: u64, count: u64) -> io::Result<Vec<u8>> {
        match self {
            Self::Disk(file) => {
                // Bytes that are reserved and not written take no time to clear.
                let mut bytes = Vec::new();
                bytes.try_reserve_exact(count as usize)?;
                // Readers share the position in the file, so nobody moves it before they have read.
                let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
                file.seek(SeekFrom::Start(offset))?;
                (&mut *file).take(count).read_to_end(&mut bytes)?;
                Ok(bytes)
            }
            Self::Memory(bytes) => {
                let length = bytes.len() as u64;
                let [start, end] = [offset, offset.saturating_add(count)].map(|at| at.min(length));
                Ok(bytes[start as usize..end as usize].to_vec())
            }
        }
    }
}
