//! The file that keeps parts of a scan, so that a later run continues where an interrupted run
//! stopped.

use crate::FileError;
use crate::bytes::partial::PartialFile;
use std::io;
use std::path::Path;

/// The first line of the file. The second line states what the scan is made from.
const TITLE: &str = "raytwin: a part of a scan";

/// The counts of a part of a scan.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ScanCounts {
    /// The rays that hit something, or the returns of beams.
    pub hits: u64,
    /// The invalid rays.
    pub invalid: u64,
    /// The points of clouds.
    pub points: u64,
    /// The clamped pixels of depth pictures.
    pub saturated: u64,
}

const COUNT_BYTES: usize = size_of::<[u64; 4]>();

impl ScanCounts {
    fn bytes(self) -> Vec<u8> {
        let numbers = [self.hits, self.invalid, self.points, self.saturated];
        numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
    }

    /// Reads the counts of an entry, and returns its other bytes.
    fn split(entry: &[u8]) -> Option<(Self, &[u8])> {
        let (counts, rest) = entry.split_at_checked(COUNT_BYTES)?;
        let mut numbers = counts.as_chunks().0.iter().map(|bytes| u64::from_le_bytes(*bytes));
        let mut next = || numbers.next();
        let [hits, invalid, points, saturated] = [next()?, next()?, next()?, next()?];
        Some((Self { hits, invalid, points, saturated }, rest))
    }
}

impl std::ops::AddAssign for ScanCounts {
    fn add_assign(&mut self, other: Self) {
        self.hits += other.hits;
        self.invalid += other.invalid;
        self.points += other.points;
        self.saturated += other.saturated;
    }
}

/// A file whose entries are the parts of a scan, in the order of casting.
#[derive(Debug)]
pub(crate) struct ScanPartial {
    file: PartialFile,
    parts: usize,
    counts: ScanCounts,
}

impl ScanPartial {
    /// Begins a file, or continues an existing one if the scan is made from the same inputs. Passes
    /// the bytes of each part to `take`.
    pub fn open(
        path: &Path,
        made_from: &str,
        mut take: impl FnMut(&[u8]) -> Result<(), FileError>,
    ) -> Result<Self, FileError> {
        let (mut parts, mut counts) = (0, ScanCounts::default());
        let file = PartialFile::open(path, TITLE, made_from, |entry| {
            let Some((of_part, bytes)) = ScanCounts::split(entry) else { return Ok(false) };
            take(bytes)?;
            parts += 1;
            counts += of_part;
            Ok(true)
        })?;
        Ok(Self { file, parts, counts })
    }

    /// Returns the number of parts, and their counts.
    pub fn kept(&self) -> (usize, ScanCounts) {
        (self.parts, self.counts)
    }

    /// Appends a part.
    pub fn add(&mut self, counts: ScanCounts, bytes: &[u8]) -> Result<(), FileError> {
        self.file.append(&[&counts.bytes(), bytes])?;
        self.parts += 1;
        self.counts += counts;
        Ok(())
    }

    /// Passes the bytes of all parts to `take`.
    pub fn replay(&self, mut take: impl FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
        let mut entries = self.file.entries()?;
        (0..self.parts).try_for_each(|_| take(&entries.next_kept()?[COUNT_BYTES..]))
    }

    /// Returns the file, which can be removed when the output is complete.
    pub fn into_file(self) -> PartialFile {
        self.file
    }
}
