//! A value of the geometry that each pixel shows, computed while it is written.

use raytwin::ray::NONE;
use std::io;

/// Returns `of` for the geometry of each pixel; `miss` for a miss.
pub(super) fn mapped<T: Copy>(
    ids: impl Iterator<Item = io::Result<u32>>,
    miss: T,
    of: impl Fn(u32) -> T,
) -> impl Iterator<Item = io::Result<T>> {
    // Neighbours mostly show the same geometry.
    let mut last = (NONE, miss);
    ids.map(move |id| {
        let id = id?;
        if id != last.0 {
            last = (id, if id == NONE { miss } else { of(id) });
        }
        Ok(last.1)
    })
}
