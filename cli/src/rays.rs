//! Checks of ray files that several commands share.

use super::Failure;
use raytwin::glam::DVec3;
use raytwin::query::Rays;
use raytwin::ray::Ray;
use raytwin_files::rays::RayReader;
use std::path::Path;

/// Reads the rays of a file about the origin of a scene, and refuses masks, ids to ignore and
/// worlds.
pub(super) fn plain_rays(path: &Path, origin: DVec3) -> Result<Vec<Ray>, Failure> {
    let read = RayReader::open(path)?.relative_to(origin).read_all()?;
    let Rays { rays, masks: None, ignored: None, worlds: None } = read else {
        return Err(Failure::input(format!(
            "{}: has masks, ids to ignore or worlds, which only query and diff take: save the rays alone",
            path.display()
        )));
    };
    Ok(rays)
}

/// Returns an error that names the first ray that cannot be cast. These rays follow the first
/// `before` of the file.
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
