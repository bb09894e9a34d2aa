//! Checks of ray files that several commands share.

use super::Failure;
use raytwin::glam::DVec3;
use raytwin::query::Rays;
use raytwin::ray::Ray;
use raytwin_files::rays::RayReader;
use std::path::Path;

/// Reads the rays of a file, relative to the origin of a scene. Masks, ids to ignore and worlds are
/// errors.
pub(super) fn plain_rays(path: &Path, origin: DVec3) -> Result<Vec<Ray>, Failure> {
    let read = RayReader::open(path)?.relative_to(origin).read_all()?;
    let Rays { rays, masks: None, ignored: None, worlds: None } = read else {
        return Err(Failure::input(format!(
            "{}: has masks, ids to ignore or worlds, which only query and diff use: save only the rays",
            path.display()
        )));
    };
    Ok(rays)
}

/// Returns an error that names the first invalid ray. These rays follow the first `before` rays of
/// the file.
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
