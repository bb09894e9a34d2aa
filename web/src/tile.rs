//! Some rows of a picture.

use wasm_bindgen::prelude::*;

/// Some rows of a picture, with the answers that they show. Each getter gives its array away.
#[wasm_bindgen]
pub struct Tile {
    pub(crate) rgba: Vec<u8>,
    pub(crate) distances: Vec<f32>,
    pub(crate) ids: Vec<u32>,
}

#[wasm_bindgen]
impl Tile {
    /// Returns four bytes a pixel: sRGB and coverage.
    pub fn take_rgba(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.rgba)
    }

    /// Returns the distances from the eye, +∞ for a miss.
    pub fn take_distances(&mut self) -> Vec<f32> {
        std::mem::take(&mut self.distances)
    }

    /// Returns the ids of geometries, 2³² − 1 for a miss.
    pub fn take_ids(&mut self) -> Vec<u32> {
        std::mem::take(&mut self.ids)
    }
}
