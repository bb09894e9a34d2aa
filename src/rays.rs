//! Ray files and answer files.

use crate::files::{FileError, Outputs};
use crate::npz::{Array, NpzWriter, Numbers, read_npy, read_npz};
use crate::ray::Ray;
use crate::tracer::Hits;
use std::path::Path;

/// Reads rays from an `.npy` of shape (N, 6) or (N, 8) and type float32, or an `.npz` with such an
/// array named `rays`.
///
/// Columns are the origin, the direction and, where there are eight, `t_min` and `t_max`. Rays that
/// cannot be cast are read as they are.
///
/// # Errors
/// [`FileError`]: unreadable, of another shape, type or order, truncated.
pub fn read_rays(path: impl AsRef<Path>) -> Result<Vec<Ray>, FileError> {
    let path = path.as_ref();
    let is_archive =
        path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("npz"));
    if !is_archive {
        return rays_of(read_npy(path)?, path, "");
    }
    let mut rays = None;
    for (name, array) in read_npz(path)? {
        match name.as_str() {
            "rays" => rays = Some(rays_of(array, path, "rays")?),
            other => {
                return Err(FileError::meaning(
                    path,
                    other,
                    "is not read here: a ray archive holds one array, rays, of shape (N, 6) or (N, 8)",
                ));
            }
        }
    }
    rays.ok_or_else(|| {
        FileError::meaning(path, "", "holds no array named rays, of shape (N, 6) or (N, 8)")
    })
}

fn rays_of(array: Array, path: &Path, place: &str) -> Result<Vec<Ray>, FileError> {
    let columns = match array.shape[..] {
        [_, columns @ (6 | 8)] => columns,
        _ => {
            return Err(FileError::meaning(
                path,
                place,
                format!(
                    "has shape {:?}: rays are (N, 6), origin and direction, or (N, 8), with t_min and t_max",
                    array.shape
                ),
            ));
        }
    };
    let Numbers::F32(numbers) = array.numbers else {
        return Err(FileError::meaning(
            path,
            place,
            format!(
                "is of type {}: rays are float32; convert them with a.astype(numpy.float32)",
                array.numbers.dtype()
            ),
        ));
    };
    if columns == 8 {
        // The file's row is the ray's own layout.
        return Ok(bytemuck::cast_slice(&numbers).to_vec());
    }
    Ok(numbers
        .chunks_exact(6)
        .map(|row| Ray::new([row[0], row[1], row[2]], [row[3], row[4], row[5]]))
        .collect())
}

/// Writes answers as an `.npz` of `t_hit`, `geometry_ids`, `primitive_ids` and `primitive_normals`;
/// it appears whole or not at all.
///
/// # Errors
/// [`FileError::Write`].
pub fn write_hits(path: impl AsRef<Path>, hits: &Hits) -> Result<(), FileError> {
    let mut outputs = Outputs::default();
    outputs.add(path.as_ref(), |file| {
        let mut archive = NpzWriter::new(file);
        let rows = [hits.len()];
        archive.array("t_hit", &rows, &hits.t_hit)?;
        archive.array("geometry_ids", &rows, &hits.geometry_ids)?;
        archive.array("primitive_ids", &rows, &hits.primitive_ids)?;
        archive.array(
            "primitive_normals",
            &[hits.len(), 3],
            hits.primitive_normals.as_flattened(),
        )?;
        archive.finish()
    })?;
    outputs.publish()
}
