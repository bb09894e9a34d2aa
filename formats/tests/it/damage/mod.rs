//! Damaged inputs: valid files of every format, mutations of their bytes, and the readers.

mod cloud_seeds;
mod json_seeds;
mod mesh_seeds;
mod molecule_seeds;
mod mutations;
mod readers;
mod seeds;
mod world_seeds;
mod xml_lapses;

pub use readers::{READERS, Reader};

use fastrand::Rng;
use mutations::mutate;
use std::path::Path;

/// A valid file in pieces, which can be damaged before their checksums are made. An archive has a checksum of each
/// entry, so if it is damaged as a whole, readers seldom read beyond the checksum.
pub struct Seed {
    pub pieces: Vec<Vec<u8>>,
    /// Makes a file from the pieces.
    pub whole: fn(&[Vec<u8>]) -> Vec<u8>,
}

impl Seed {
    /// Makes a seed of one piece.
    pub fn of(bytes: impl Into<Vec<u8>>) -> Self {
        Self { pieces: vec![bytes.into()], whole: |pieces| pieces.concat() }
    }

    /// Makes the valid file.
    pub fn file(&self) -> Vec<u8> {
        (self.whole)(&self.pieces)
    }
}

/// Makes a damaged file, which depends only on the seeds and the two numbers.
pub fn damaged(seeds: &[Seed], seed: u64, iteration: u64) -> Vec<u8> {
    let rng = &mut Rng::with_seed(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ iteration);
    let chosen = &seeds[rng.usize(..seeds.len())];
    let other = &seeds[rng.usize(..seeds.len())];
    if rng.bool() {
        let mut bytes = chosen.file();
        mutate(&mut bytes, &other.file(), rng);
        return bytes;
    }
    let mut pieces = chosen.pieces.clone();
    let piece = rng.usize(..pieces.len());
    let donor = &other.pieces[rng.usize(..other.pieces.len())];
    mutate(&mut pieces[piece], donor, rng);
    (chosen.whole)(&pieces)
}

/// Returns true if a reader accepts a file of these bytes, in a folder that [`Reader::prepare`]
/// made ready.
pub fn is_read(reader: &Reader, folder: &Path, bytes: &[u8]) -> bool {
    std::fs::write(folder.join(reader.file), bytes).unwrap();
    (reader.read)(folder).is_ok()
}
