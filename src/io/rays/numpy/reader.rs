//! Rays from an `.npy` or an `.npz`.

use crate::io::FileError;
use crate::io::npz::{ArrayHeader, ArrayToRead, Number, NumberStream, arrays_to_read};
use crate::io::rays::Rays;
use crate::ray::Ray;
use std::path::{Path, PathBuf};

/// The names of an archive's arrays. The first is required.
const RAYS: &str = "rays";
const MASKS: &str = "ray_masks";
const IGNORED: &str = "ignore_ids";

const RULE: &str = "a ray archive holds rays, of shape (N, 6) or (N, 8), and may hold ray_masks and ignore_ids, of shape (N,)";

/// An `.npy` of rays, or an `.npz` of rays with their masks and ignored geometries.
#[derive(Debug)]
pub(in crate::io::rays) struct NumpyRays {
    path: PathBuf,
    rays: ArrayToRead,
    masks: Option<ArrayToRead>,
    ignored: Option<ArrayToRead>,
}

impl NumpyRays {
    pub fn open(path: &Path) -> Result<Self, FileError> {
        let [rays, masks, ignored] = arrays_to_read(path, [RAYS, MASKS, IGNORED], RULE)?;
        let rays = rays.ok_or_else(|| {
            FileError::meaning(path, "", "holds no array named rays, of shape (N, 6) or (N, 8)")
        })?;
        refuse_unless_rays(&rays, path)?;
        let count = rays.header.shape[0];
        for array in [&masks, &ignored].into_iter().flatten() {
            refuse_unless_one_each(array, count, path)?;
        }
        Ok(Self { path: path.to_owned(), rays, masks, ignored })
    }

    pub fn len(&self) -> usize {
        self.rays.header.shape[0]
    }

    pub fn ignored(&self) -> Option<&'static str> {
        self.ignored.as_ref().map(|_| IGNORED)
    }

    pub fn batches<E: From<FileError>>(
        mut self,
        size: usize,
        mut take: impl FnMut(Rays) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut left = self.len();
        let columns = self.rays.header.shape[1];
        let path = self.path.as_path();
        let mut rays = self.rays.numbers(path)?;
        let mut masks = self.masks.as_mut().map(|array| array.numbers(path)).transpose()?;
        let mut ignored = self.ignored.as_mut().map(|array| array.numbers(path)).transpose()?;
        while left > 0 {
            let count = left.min(size);
            let next = |array: &mut NumberStream<'_>| array.next(count);
            take(Rays {
                rays: rows(rays.next(count * columns)?, columns),
                masks: masks.as_mut().map(next).transpose()?,
                ignored: ignored.as_mut().map(next).transpose()?,
            })?;
            left -= count;
        }
        for array in [Some(rays), masks, ignored].into_iter().flatten() {
            array.finish()?;
        }
        Ok(())
    }
}

fn refuse_unless_rays(array: &ArrayToRead, path: &Path) -> Result<(), FileError> {
    let refuse = |reason: String| Err(FileError::meaning(path, &array.name, reason));
    let ArrayHeader { shape, dtype, .. } = &array.header;
    if !matches!(shape[..], [_, 6 | 8]) {
        return refuse(format!(
            "has shape {shape:?}: rays are (N, 6), origin and direction, or (N, 8), with t_min and t_max"
        ));
    }
    if *dtype != f32::DTYPE {
        return refuse(format!(
            "is of type {dtype}: rays are float32; convert them with a.astype(numpy.float32)"
        ));
    }
    Ok(())
}

fn refuse_unless_one_each(array: &ArrayToRead, rays: usize, path: &Path) -> Result<(), FileError> {
    let ArrayHeader { shape, dtype, .. } = &array.header;
    if shape[..] == [rays] && *dtype == u32::DTYPE {
        return Ok(());
    }
    let reason =
        format!("is {dtype} {shape:?}: it must be uint32 of shape ({rays},), one for each ray");
    Err(FileError::meaning(path, &array.name, reason))
}

fn rows(numbers: Vec<f32>, columns: usize) -> Vec<Ray> {
    if columns == 8 {
        // A row of the file has the memory layout of a ray.
        return bytemuck::cast_vec(numbers);
    }
    let ray = |row: &[f32]| Ray::new([row[0], row[1], row[2]], [row[3], row[4], row[5]]);
    numbers.chunks_exact(6).map(ray).collect()
}
