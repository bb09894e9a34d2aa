//! The geometries that a camera hides. The scene must hide them first.

use crate::error::SceneError;
use pyo3::prelude::*;
use raytwin::Scene as LibraryScene;
use raytwin::View;

/// Rejects a camera whose hidden paths match no geometry, or match a geometry that rays of the mask hit.
pub(crate) fn refuse_hidden(scene: &LibraryScene, view: &View, mask: u32) -> PyResult<()> {
    let camera = &view.camera;
    for path in &camera.sensor.hide {
        let chosen = scene.select(path);
        if chosen.is_empty() {
            return Err(SceneError::new_err(format!(
                "the camera {} hides '{path}', and no geometry has that path: scene.paths lists the paths",
                camera.name
            )));
        }
        if chosen.into_iter().any(|id| scene.mask(id) & mask != 0) {
            return Err(SceneError::new_err(format!(
                "the rays of the camera {} pass through '{path}': call hide('{path}') on the scene first, or use a camera that hides nothing",
                camera.name
            )));
        }
    }
    Ok(())
}
