//! What every tracer can do.

use crate::answers::{AllHits, PointHit};
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

    /// Whether each ray meets anything, which is told sooner than what it meets first; `false` of an invalid ray.
    ///
    /// # Errors
    /// As [`Self::closest`].
    fn any(&self, batch: Batch<'_>) -> Result<Vec<bool>, TraceError>;

    /// How many crossings each ray has: of a solid where it enters and where it leaves, at one place if it only
    /// touches; 0 of an invalid ray. Whether solids are met from within changes nothing.
    ///
    /// # Errors
    /// As [`Self::closest`].
    fn count(&self, batch: Batch<'_>) -> Result<Vec<u32>, TraceError>;

    /// All of those crossings, in the order of t, in the precision that the tracer knows it in, and at equal t of ids.
    ///
    /// # Errors
    /// As [`Self::closest`].
    fn all(&self, batch: Batch<'_>) -> Result<AllHits, TraceError>;

    /// What is around each point, by ids; [`PointAnswer::all`](crate::PointAnswer::all) tells where and how far. On a
    /// device the nearest surface is chosen by float32 distances: of two that are as near, up to 8 u of their distances
    /// and sizes, it may be either.
    ///
    /// # Errors
    /// [`TraceError`], only from a device that fails.
    fn points(&self, points: &[[f32; 3]]) -> Result<Vec<PointHit>, TraceError>;

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
