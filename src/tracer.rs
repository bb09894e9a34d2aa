//! What every tracer can do.

use crate::batch::{Batch, BatchError};
use crate::camera::View;
use crate::ray::{Hit, Ray};
use thiserror::Error;

/// Why rays could not be cast.
#[derive(Debug, Error)]
pub enum TraceError {
    /// The batch does not fit the scene.
    #[error(transparent)]
    Batch(#[from] BatchError),
    /// The GPU could not answer.
    #[cfg(feature = "gpu")]
    #[error(transparent)]
    Gpu(#[from] crate::gpu::GpuError),
}

/// Something that casts rays at the scene that it was made for.
///
/// Batches of any size give the same answers to the bit: cut a long one up to show progress.
pub trait Tracer {
    /// The closest hit of each ray, in their order.
    ///
    /// # Errors
    /// [`TraceError`]: an id to ignore that there is not; a device that fails.
    fn closest(&self, batch: Batch<'_>) -> Result<Vec<Hit>, TraceError>;

    /// The rays of `pixels` of a view, counted row by row from the top left, just as this tracer
    /// generates them.
    ///
    /// # Errors
    /// [`TraceError`], only from a device that fails.
    fn camera_rays(
        &self,
        view: &View,
        pixels: std::ops::Range<usize>,
    ) -> Result<Vec<Ray>, TraceError>;

    /// The closest hit of each of those rays; they cross no bus.
    ///
    /// # Errors
    /// [`TraceError`], only from a device that fails.
    fn render(&self, view: &View, pixels: std::ops::Range<usize>) -> Result<Vec<Hit>, TraceError>;

    /// One line that says what it runs on.
    fn device(&self) -> String;
}
