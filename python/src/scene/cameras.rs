//! The cameras of a scene, and the camera that sees all of it.

use super::Scene;
use crate::camera::attributes;
use crate::error::{OrException, SceneError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use raytwin::Camera;

#[pymethods]
impl Scene {
    /// Returns the number of the camera with this name, or with a name that ends in these parts.
    fn _camera_number(&self, name: &str) -> PyResult<usize> {
        let number = self.snapshot().0.camera_number(name);
        number.map_err(|error| SceneError::new_err(format!("camera {name}: {error}")))
    }

    /// Returns the attributes of the cameras of the scene's file. A camera whose place is not in the
    /// file is placed so that all visible shapes just fit in an image of this size.
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

    /// Returns the attributes of a camera that sees everything in an image of this size.
    fn _fit_camera<'py>(
        &self,
        py: Python<'py>,
        width: u32,
        height: u32,
    ) -> PyResult<Bound<'py, PyDict>> {
        let (scene, _) = self.snapshot();
        let camera = scene.fit_camera(width, height);
        let camera = camera.or_exception()?;
        attributes(py, &camera, scene.origin())
    }
}
