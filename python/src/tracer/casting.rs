//! Casts the rays of a call in pieces.

use super::Tracer;
use super::given_rays::GivenRays;
use super::growing::Growing;
use crate::error::detached;
use crate::pieces::{Bar, Pace, in_pieces};
use pyo3::prelude::*;
use raytwin::{Batch, TraceError, Tracer as LibraryTracer};

impl Tracer {
    /// Returns the answers that `ask` finds for batches of the rays.
    pub(super) fn cast<A: Growing>(
        &self,
        py: Python<'_>,
        given: &GivenRays<'_>,
        (pace, progress): (&Pace, bool),
        ask: impl Fn(&dyn LibraryTracer, Batch<'_>) -> Result<A, TraceError> + Send + Sync,
    ) -> PyResult<A> {
        let origin = given.origin;
        let rays = given.detached()?;
        let bar = Bar::new(py, progress, rays.count(), "rays")?;
        detached(py, || {
            let current = self.current(origin)?;
            let tracer = current.open.tracer.as_ref();
            let mut answers = A::default();
            in_pieces(rays.count(), &bar, pace, |piece| {
                let next = rays.with_batch(piece, |batch| ask(tracer, batch))?;
                answers.grow(next, rays.count())
            })?;
            Ok(answers)
        })
    }
}
