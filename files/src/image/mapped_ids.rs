//! Something of the geometry that each pixel shows, found while it is written.

use raytwin::ray::NONE;
use std::io::{self, Read};

/// The bytes of something of each geometry whose id a reader gives.
pub(super) struct MappedIds<R, F, const N: usize> {
    ids: R,
    /// The count of ids that are not read yet.
    left: usize,
    miss: [u8; N],
    of: F,
    /// The last id with its bytes: neighbours mostly show the same geometry.
    last: (u32, [u8; N]),
    /// So many of the last bytes were given.
    given: usize,
}

impl<R: Read, F: Fn(u32) -> [u8; N], const N: usize> MappedIds<R, F, N> {
    /// Tells what `of` says of geometries, for so many ids; `miss` stands where nothing was hit.
    pub fn new(ids: R, count: usize, miss: [u8; N], of: F) -> Self {
        Self { ids, left: count, miss, of, last: (NONE, miss), given: N }
    }

    fn next_id(&mut self) -> io::Result<()> {
        let mut id = [0; 4];
        self.ids.read_exact(&mut id)?;
        let id = u32::from_ne_bytes(id);
        if id != self.last.0 {
            self.last = (id, if id == NONE { self.miss } else { (self.of)(id) });
        }
        self.left -= 1;
        self.given = 0;
        Ok(())
    }
}

impl<R: Read, F: Fn(u32) -> [u8; N], const N: usize> Read for MappedIds<R, F, N> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut filled = 0;
        while filled < buffer.len() {
            if self.given == N {
                if self.left == 0 {
                    break;
                }
                self.next_id()?;
            }
            let count = (N - self.given).min(buffer.len() - filled);
            let bytes = &self.last.1[self.given..self.given + count];
            buffer[filled..filled + count].copy_from_slice(bytes);
            self.given += count;
            filled += count;
        }
        Ok(filled)
    }
}
