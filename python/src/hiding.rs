//! What a camera hides, which the scene has to hide before.

use crate::error::SceneError;
use pyo3::prelude::*;
use raytwin::Scene as LibraryScene;
use raytwin::View;

/// Refuses a camera that hides nothing, or geometries which rays of the mask meet.
pub(crate) fn refuse_hidden(scene: &LibraryScene, view: &View, mask: u32) -> PyResult<()> {
    let camera = &view.camera;
    for path in &camera.sensor.hide {
        let chosen = scene.select(path);
        if chosen.is_empty() {
            return Err(SceneError::new_err(format!(
                "the camera {} hides '{path}', and no geometry is called so: paths lists what they are called",
                camera.name
            )));
        }
        if chosen.into_iter().any(|id| scene.mask(id) & mask != 0) {
            return Err(SceneError::new_err(format!(
                "the rays of the camera {} pass through '{path}': call hide('{path}') on the scene first, or take a camera that hides nothing",
                camera.name
            )));
        }
    }
    Ok(())
}
