//! Rays from an `.npy` or an `.npz`.

use crate::bytes::npz::{ArrayHeader, ArrayToRead, arrays_to_read};
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

const RULE: &str = "a ray archive holds rays, of shape (N, 6) or (N, 8), and may hold ray_masks, ignore_ids and world_ids, of shape (N,)";

const ROW_RULE: &str = "rays are (N, 6), origin and direction, or (N, 8), with t_min and t_max, or have more axes in front";

/// An `.npy` of rays, or an `.npz` of rays with their masks, ignored geometries and worlds.
#[derive(Debug)]
pub(in crate::rays) struct NumpyRays {
    path: PathBuf,
    rays: RowsToRead,
    masks: Option<ArrayToRead>,
    ignored: Option<ArrayToRead>,
    worlds: Option<ArrayToRead>,
}

impl NumpyRays {
    pub fn open(path: &Path) -> Result<Self, FileError> {
        let names = [RAYS, MASKS, IGNORED, WORLDS];
        let [rays, masks, ignored, worlds] = arrays_to_read(&FileStore::disk(), path, names, RULE)?;
        let rays = rays.ok_or_else(|| {
            FileError::meaning(path, "", "holds no array named rays, of shape (N, 6) or (N, 8)")
        })?;
        let rays = RowsToRead::new(rays, &[6, 8], ROW_RULE, path)?;
        for array in [&masks, &ignored, &worlds].into_iter().flatten() {
            refuse_unless_one_each(array, rays.leading_shape(), path)?;
        }
        Ok(Self { path: path.to_owned(), rays, masks, ignored, worlds })
    }

    pub fn len(&self) -> usize {
        self.rays.len()
    }

    pub fn shape(&self) -> &[usize] {
        self.rays.leading_shape()
    }

    pub fn ignored(&self) -> Option<&'static str> {
        self.ignored.as_ref().map(|_| IGNORED)
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
        let mut masks = self.masks.as_mut().map(|array| array.numbers(path)).transpose()?;
        let mut ignored = self.ignored.as_mut().map(|array| array.numbers(path)).transpose()?;
        let mut worlds = self.worlds.as_mut().map(|array| array.numbers(path)).transpose()?;
        for before in (0..all).step_by(size) {
            let count = size.min(all - before);
            take(Rays {
                rays: rays(rows.next(count)?, columns),
                masks: masks.as_mut().map(|array| array.unsigned(count, before)).transpose()?,
                ignored: ignored.as_mut().map(|array| array.unsigned(count, before)).transpose()?,
                worlds: worlds.as_mut().map(|array| array.unsigned(count, before)).transpose()?,
            })?;
        }
        rows.finish()?;
        for array in [masks, ignored, worlds].into_iter().flatten() {
            array.finish()?;
        }
        Ok(())
    }
}

/// Refuses an array that does not hold an integer for each ray.
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
        "is {dtype} {shape:?}: it must hold integers, such as uint32, of shape {rays:?}, one for each ray"
    );
    Err(FileError::meaning(path, &array.name, reason))
}

/// Makes rays of rows of six or eight numbers.
fn rays(numbers: Vec<f32>, columns: usize) -> Vec<Ray> {
    if columns == 8 {
        // A row of the file has the memory layout of a ray.
        return bytemuck::cast_vec(numbers);
    }
    let ray = |row: &[f32]| Ray::new([row[0], row[1], row[2]], [row[3], row[4], row[5]]);
    numbers.chunks_exact(6).map(ray).collect()
}
