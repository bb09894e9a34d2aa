//! Writes the image of one pose of a scan.

use super::spilled::{FoundArrays, SpilledImage};
use super::z16;
use crate::{FileError, Outputs};
use raytwin::camera::View;
use raytwin::image::Image;
use raytwin::scene::Scene;
use std::path::Path;

/// Writes the arrays of an image to an `.npz`, and its z to a 16-bit PNG; either may be omitted.
/// Both appear at the same time, as a whole.
#[derive(Debug)]
pub struct PosedImageWriter {
    image: SpilledImage,
    outputs: Outputs,
}

impl PosedImageWriter {
    /// Prepares to write an image of a view. Its arrays are kept on disk next to this file until
    /// they are complete.
    ///
    /// # Errors
    /// [`FileError::Write`].
    pub fn new(beside: &Path, view: &View) -> Result<Self, FileError> {
        let mut outputs = Outputs::default();
        Ok(Self { image: SpilledImage::new(&mut outputs, beside, view)?, outputs })
    }

    /// Adds the next pixels of the view, any number of them.
    ///
    /// # Errors
    /// [`FileError::Write`].
    pub fn add(&mut self, pixels: &Image) -> Result<(), FileError> {
        self.image.add(pixels)
    }

    /// Writes the arrays of a render except its colours to `arrays`, with the labels of `labels` if
    /// that scene is given, and round(z · scale) to the picture. Returns the number of the
    /// picture's pixels that were clamped to 1..65535, with the outputs, which may be published
    /// together with others.
    ///
    /// # Errors
    /// [`FileError::Write`].
    pub fn complete(
        self,
        arrays: Option<&Path>,
        picture: Option<(&Path, f64)>,
        labels: Option<&Scene>,
    ) -> Result<(usize, Outputs), FileError> {
        let Self { mut image, mut outputs } = self;
        if let Some(path) = arrays {
            let found = FoundArrays { labels, ..FoundArrays::default() };
            outputs.add(path, |file| image.write_npz(found, file))?;
        }
        let mut saturated = 0;
        if let Some((path, scale)) = picture {
            outputs.add(path, |file| {
                saturated = z16::write(&mut image, scale, file)?;
                Ok(())
            })?;
        }
        Ok((saturated, outputs))
    }
}
