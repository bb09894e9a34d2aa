//! Damaged inputs: valid files of every format that is read, what can happen to their bytes, and the readers.

mod mutations;
mod readers;
mod seeds;

pub use readers::{READERS, Reader};

use fastrand::Rng;
use mutations::mutate;
use std::path::Path;

/// A valid file, in pieces that can be damaged before what checks them is made: an archive has a checksum of each of
/// its entries, so few of those that are damaged as a whole are read beyond it.
pub struct Seed {
    pub pieces: Vec<Vec<u8>>,
    /// The file of such pieces.
    pub whole: fn(&[Vec<u8>]) -> Vec<u8>,
}

impl Seed {
    /// A file of one piece.
    pub fn of(bytes: impl Into<Vec<u8>>) -> Self {
        Self { pieces: vec![bytes.into()], whole: |pieces| pieces.concat() }
    }

    /// The valid file.
    pub fn file(&self) -> Vec<u8> {
        (self.whole)(&self.pieces)
    }
}

/// A damaged file, which depends on nothing but the seeds and the two numbers.
pub fn damaged(seeds: &[Seed], seed: u64, iteration: u64) -> Vec<u8> {
    let rng = &mut Rng::with_seed(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ iteration);
    let own = &seeds[rng.usize(..seeds.len())];
    let other = &seeds[rng.usize(..seeds.len())];
    if rng.bool() {
        let mut bytes = own.file();
        mutate(&mut bytes, &other.file(), rng);
        return bytes;
    }
    let mut pieces = own.pieces.clone();
    let piece = rng.usize(..pieces.len());
    let donor = &other.pieces[rng.usize(..other.pieces.len())];
    mutate(&mut pieces[piece], donor, rng);
    (own.whole)(&pieces)
}

/// Whether a reader read a file of these bytes, in a folder that [`Reader::prepare`] saw, or refused it.
pub fn is_read(reader: &Reader, folder: &Path, bytes: &[u8]) -> bool {
    std::fs::write(folder.join(reader.file), bytes).unwrap();
    (reader.read)(folder).is_ok()
}
