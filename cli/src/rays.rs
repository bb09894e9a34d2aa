//! Ray files as commands take them.

use super::Failure;
use raytwin::io::rays::{Rays, read_rays};
use raytwin::ray::Ray;
use std::path::Path;

/// The rays of a file in which each sees every geometry.
pub(super) fn plain_rays(path: &Path) -> Result<Vec<Ray>, Failure> {
    let Rays { rays, masks, ignored } = read_rays(path)?;
    if masks.is_none() && ignored.is_none() {
        return Ok(rays);
    }
    Err(Failure::input(format!(
        "{}: says which geometries its rays pass through, and only query casts such rays: save the rays alone",
        path.display()
    )))
}

/// An error that names the first ray that cannot be cast; `before` of the file came before these.
pub(super) fn refuse_invalid(rays: &[Ray], before: usize, path: &Path) -> Result<(), Failure> {
    match rays.iter().position(|ray| !ray.is_valid()) {
        Some(index) => Err(Failure::input(format!(
            "{}: ray {} cannot be cast, {}: {}",
            path.display(),
            before + index,
            rays[index],
            Ray::RULE
        ))),
        None => Ok(()),
    }
}
