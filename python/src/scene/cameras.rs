//! The cameras of a scene, and the one that is chosen for it.

use super::Scene;
use crate::camera::attributes;
use crate::error::{OrException, SceneError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use raytwin::Camera;

#[pymethods]
impl Scene {
    /// The number of the camera of a name, or of the last parts of one.
    fn _camera_number(&self, name: &str) -> PyResult<usize> {
        let number = self.snapshot().0.camera_number(name);
        number.map_err(|error| SceneError::new_err(format!("camera {name}: {error}")))
    }

    /// The attributes of the cameras that the scene's file holds, in whose images of that size what
    /// is shown just fits if they are no place of the file's.
    fn _cameras<'py>(
        &self,
        py: Python<'py>,
        width: u32,
        height: u32,
    ) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let (scene, _) = self.snapshot();
        let fitted = |camera: &Camera| {
            let camera = scene.fitted(camera, width, height);
            attributes(py, &camera.or_exception()?, scene.origin())
        };
        scene.cameras.iter().map(fitted).collect()
    }

    /// The attributes of a camera that sees everything in an image of that size.
    fn _camera_that_sees_all<'py>(
        &self,
        py: Python<'py>,
        width: u32,
        height: u32,
    ) -> PyResult<Bound<'py, PyDict>> {
        let (scene, _) = self.snapshot();
        let camera = scene.camera_that_sees_all(width, height);
        let camera = camera.or_exception()?;
        attributes(py, &camera, scene.origin())
    }
}
