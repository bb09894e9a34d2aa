//! The rays of a call, with the filters of what each may hit.

use crate::arrays::{Rows, numbers_for_rays, rays_of, subtracted};
use crate::error::IntoException;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use raytwin::glam::DVec3;
use raytwin::{Batch, BatchError, Rays, TraceError};
use std::ops::Range;

/// The rays that a call is given, relative to the origin of the scene.
pub(super) struct RaysArgument<'py> {
    rows: Rows<'py>,
    pub origin: DVec3,
    pub filters: Filters,
}

/// The filters of what the rays of a call may hit.
pub(super) struct Filters {
    pub masks: Option<Vec<u32>>,
    pub ignored: Option<Vec<u32>>,
    pub worlds: Option<Vec<u32>>,
    pub is_solid: bool,
}

/// The array of rays, masks, ids to ignore and ids of worlds, as `raytwin.arrays` returns them.
type MadeRays<'py> = (
    Bound<'py, PyAny>,
    Option<Bound<'py, PyAny>>,
    Option<Bound<'py, PyAny>>,
    Option<Bound<'py, PyAny>>,
);

impl Filters {
    /// Reads masks, ids to ignore and ids of worlds, for rays of this shape.
    pub fn read(
        given: [Option<&Bound<'_, PyAny>>; 3],
        is_solid: bool,
        shape: &[usize],
    ) -> PyResult<Self> {
        let [masks, ignored, worlds] = given;
        Ok(Self {
            masks: numbers_for_rays(masks, "masks", shape)?,
            ignored: numbers_for_rays(ignored, "ignore_ids", shape)?,
            worlds: numbers_for_rays(worlds, "world_ids", shape)?,
            is_solid,
        })
    }
}

impl<'py> RaysArgument<'py> {
    /// Reads rays and their `masks`, `ignore_ids` and `world_ids`, each of which may be `None`. A table
    /// of rays may have columns instead.
    pub fn read(
        given: &Bound<'py, PyAny>,
        filters: [Option<&Bound<'py, PyAny>>; 3],
        is_solid: bool,
        origin: DVec3,
    ) -> PyResult<Self> {
        if let Some(rows) = Rows::as_they_lie(given, &[6, 8], origin) {
            let filters = Filters::read(filters, is_solid, rows.leading_shape())?;
            return Ok(Self { rows, origin, filters });
        }
        static READ_RAYS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
        let read = READ_RAYS.import(given.py(), "raytwin.arrays", "read_rays")?;
        let [masks, ignored, worlds] = filters;
        let made = read.call1((given, masks, ignored, worlds, subtracted(origin)))?;
        let (rows, masks, ignored, worlds): MadeRays<'py> = made.extract()?;
        let rows = Rows::made(&rows)?;
        let filters = [masks.as_ref(), ignored.as_ref(), worlds.as_ref()];
        let filters = Filters::read(filters, is_solid, rows.leading_shape())?;
        Ok(Self { rows, origin, filters })
    }

    /// Returns the axes before the last.
    pub fn shape(&self) -> &[usize] {
        self.rows.leading_shape()
    }

    /// Returns the rays without a copy, for threads that are detached from the interpreter.
    pub fn detached(&self) -> PyResult<DetachedRays<'_>> {
        Ok(DetachedRays {
            numbers: self.rows.numbers()?,
            width: self.rows.width(),
            count: self.rows.count(),
            filters: &self.filters,
        })
    }
}

/// The numbers of rays, and the filters of what the rays may hit.
#[derive(Clone, Copy)]
pub(super) struct DetachedRays<'a> {
    numbers: &'a [f32],
    width: usize,
    count: usize,
    filters: &'a Filters,
}

impl DetachedRays<'_> {
    pub fn count(&self) -> usize {
        self.count
    }

    /// Returns a copy, for callers that ask several questions about the same rays.
    pub fn copied(&self) -> PyResult<Rays> {
        let Filters { masks, ignored, worlds, .. } = self.filters;
        self.with_batch(0..self.count, |batch| {
            Ok(Rays {
                rays: batch.rays().iter().collect(),
                masks: masks.clone(),
                ignored: ignored.clone(),
                worlds: worlds.clone(),
            })
        })
    }

    /// Does some work on a piece of the rays.
    ///
    /// # Errors
    /// The errors of the work. An error about a ray names its index among all rays.
    pub fn with_batch<T>(
        &self,
        piece: Range<usize>,
        work: impl FnOnce(Batch<'_>) -> Result<T, TraceError>,
    ) -> PyResult<T> {
        let first = piece.start;
        let done = self.batch(piece).map_err(TraceError::from).and_then(work);
        done.map_err(|error| counted_from(first, error).into_exception())
    }

    fn batch(&self, piece: Range<usize>) -> Result<Batch<'_>, BatchError> {
        let Filters { masks, ignored, worlds, is_solid } = self.filters;
        let rays = rays_of(self.numbers, self.width).slice(piece.clone());
        let mut batch = Batch::of(rays);
        if let Some(masks) = masks {
            batch = batch.with_masks(&masks[piece.clone()])?;
        }
        if let Some(ignored) = ignored {
            batch = batch.ignoring(&ignored[piece.clone()])?;
        }
        if let Some(worlds) = worlds {
            batch = batch.in_worlds(&worlds[piece])?;
        }
        Ok(if *is_solid { batch.solid() } else { batch })
    }
}

/// Makes an error name a ray by its index in the call, instead of its index in the piece.
fn counted_from(first: usize, mut error: TraceError) -> TraceError {
    if let TraceError::Batch(BatchError::Ignored { ray, .. } | BatchError::World { ray, .. }) =
        &mut error
    {
        *ray += first;
    }
    error
}
