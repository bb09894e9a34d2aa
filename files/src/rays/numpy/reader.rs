//! Rays from an `.npy` or an `.npz`.

use crate::bytes::npz::{ArrayHeader, ArrayToRead, NumberStream, arrays_to_read};
use crate::coordinates::RowsToRead;
use crate::{FileError, FileStore};
use raytwin::query::Rays;
use raytwin::ray::Ray;
use std::path::{Path, PathBuf};

/// The names of an archive's arrays. The first is required.
const RAYS: &str = "rays";
const MASKS: &str = "ray_masks";
const IGNORED: &str = "ignore_ids";
const WORLDS: &str = "world_ids";

const RULE: &str = "a ray archive must have rays, of shape (N, 6) or (N, 8), and may have ray_masks, ignore_ids and world_ids, of shape (N,)";

const ROW_RULE: &str = "rays must have shape (N, 6), for origin and direction, or (N, 8), with t_min and t_max, or more axes in front";

/// An `.npy` of rays, or an `.npz` of rays with their masks, ignored geometries and worlds.
#[derive(Debug)]
pub(in crate::rays) struct NumpyRays {
    path: PathBuf,
    rays: RowsToRead,
    /// The masks, ignored geometries and worlds.
    ids: [Option<ArrayToRead>; 3],
}

impl NumpyRays {
    pub fn open(path: &Path) -> Result<Self, FileError> {
        let names = [RAYS, MASKS, IGNORED, WORLDS];
        let [rays, ids @ ..] = arrays_to_read(&FileStore::disk(), path, names, RULE)?;
        let rays = rays.ok_or_else(|| {
            FileError::meaning(path, "", "has no array named rays, of shape (N, 6) or (N, 8)")
        })?;
        let rays = RowsToRead::new(rays, &[6, 8], ROW_RULE, path)?;
        for array in ids.iter().flatten() {
            refuse_unless_one_each(array, rays.leading_shape(), path)?;
        }
        Ok(Self { path: path.to_owned(), rays, ids })
    }

    pub fn len(&self) -> usize {
        self.rays.len()
    }

    pub fn shape(&self) -> &[usize] {
        self.rays.leading_shape()
    }

    pub fn ignored(&self) -> Option<&'static str> {
        self.ids[1].as_ref().map(|_| IGNORED)
    }

    pub fn batches<E: From<FileError>>(
        mut self,
        origin: [f64; 3],
        size: usize,
        mut take: impl FnMut(Rays) -> Result<(), E>,
    ) -> Result<(), E> {
        let (all, columns) = (self.len(), self.rays.columns());
        let path = self.path.as_path();
        let mut rows = self.rays.rows(path, origin)?;
        let ids = self.ids.iter_mut();
        let ids = ids.map(|array| array.as_mut().map(|it| it.numbers(path)).transpose());
        let mut ids: Vec<Option<NumberStream<'_>>> = ids.collect::<Result<_, _>>()?;
        for before in (0..all).step_by(size) {
            let count = size.min(all - before);
            let rays = rays(rows.next(count)?, columns);
            let mut next =
                |at: usize| ids[at].as_mut().map(|it| it.unsigned(count, before)).transpose();
            take(Rays { rays, masks: next(0)?, ignored: next(1)?, worlds: next(2)? })?;
        }
        rows.finish()?;
        Ok(ids.into_iter().flatten().try_for_each(NumberStream::finish)?)
    }
}

/// Rejects an array that does not have an integer for each ray.
fn refuse_unless_one_each(
    array: &ArrayToRead,
    rays: &[usize],
    path: &Path,
) -> Result<(), FileError> {
    let ArrayHeader { shape, dtype, .. } = &array.header;
    if shape == rays && array.header.is_integer() {
        return Ok(());
    }
    let reason = format!(
        "is {dtype} {shape:?}: it must have integers, such as uint32, of shape {rays:?}, one for each ray"
    );
    Err(FileError::meaning(path, &array.name, reason))
}

/// Makes rays from rows of six or eight numbers.
fn rays(numbers: Vec<f32>, columns: usize) -> Vec<Ray> {
    if columns == 8 {
        // A row of the file has the memory layout of a ray.
        return bytemuck::cast_vec(numbers);
    }
    let ray = |row: &[f32]| Ray::new([row[0], row[1], row[2]], [row[3], row[4], row[5]]);
    numbers.chunks_exact(6).map(ray).collect()
}
