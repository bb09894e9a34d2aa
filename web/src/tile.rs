//! Some rows of a picture.

use wasm_bindgen::prelude::*;

/// Some rows of a picture, with their answers. Each getter moves its array out.
#[wasm_bindgen]
pub struct Tile {
    pub(crate) rgba: Vec<u8>,
    pub(crate) distances: Vec<f32>,
    pub(crate) ids: Vec<u32>,
}

#[wasm_bindgen]
impl Tile {
    /// Returns four bytes for each pixel: sRGB and coverage.
    pub fn take_rgba(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.rgba)
    }

    /// Returns the distances from the eye; +∞ for a miss.
    pub fn take_distances(&mut self) -> Vec<f32> {
        std::mem::take(&mut self.distances)
    }

    /// Returns the ids of geometries; 2³² − 1 for a miss.
    pub fn take_ids(&mut self) -> Vec<u32> {
        std::mem::take(&mut self.ids)
    }
}
