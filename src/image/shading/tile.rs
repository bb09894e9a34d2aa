//! A part of a picture.

/// A part of a picture that is shaded at once.
#[derive(Clone, Copy, Debug)]
pub struct Tile {
    pub(super) column: usize,
    pub(super) row: usize,
    pub(super) width: usize,
    pub(super) height: usize,
}

impl Tile {
    /// Returns a single pixel.
    pub fn pixel(column: usize, row: usize) -> Self {
        Self { column, row, width: 1, height: 1 }
    }

    /// Returns whole rows of a picture of that width.
    pub fn rows(row: usize, width: usize, height: usize) -> Self {
        Self { column: 0, row, width, height }
    }

    /// Returns its number of pixels.
    pub fn pixels(&self) -> usize {
        self.width * self.height
    }
}
