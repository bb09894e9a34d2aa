//! A camera of a scene by its name, or by the end of it.

use super::Scene;
use crate::camera::Camera;

/// Why a name is that of no camera.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CameraNameError {
    /// No camera has the name, or ends in it.
    #[error("the scene has no such camera; it has {}", listed(.cameras))]
    Unknown {
        /// The names of all cameras.
        cameras: Vec<String>,
    },
    /// No camera has the name, and several end in it.
    #[error("several cameras of the scene end in this name: give more of one of {}", listed(.cameras))]
    Ambiguous {
        /// Their names.
        cameras: Vec<String>,
    },
}

fn listed(names: &[String]) -> String {
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}

impl Scene {
    /// Returns the index in [`Self::cameras`] of the camera of a name. Cameras of robots have paths
    /// for names, such as `robot/front_laser`, of which the last parts are enough if no other camera
    /// ends in them. The first camera of exactly the name comes before all others.
    ///
    /// # Errors
    /// [`CameraNameError`], if no camera is meant, or several.
    pub fn camera_number(&self, name: &str) -> Result<usize, CameraNameError> {
        if let Some(number) = self.cameras.iter().position(|camera| camera.name == name) {
            return Ok(number);
        }
        let ends_in_it = |camera: &Camera| {
            camera.name.strip_suffix(name).is_some_and(|before| before.ends_with('/'))
        };
        let names = |is_listed: &dyn Fn(&Camera) -> bool| -> Vec<String> {
            let listed = self.cameras.iter().filter(|camera| is_listed(camera));
            listed.map(|camera| camera.name.clone()).collect()
        };
        let mut ending = self.cameras.iter().enumerate().filter(|(_, camera)| ends_in_it(camera));
        match (ending.next(), ending.next()) {
            (Some((number, _)), None) => Ok(number),
            (None, _) => Err(CameraNameError::Unknown { cameras: names(&|_| true) }),
            _ => Err(CameraNameError::Ambiguous { cameras: names(&ends_in_it) }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::camera::Projection;
    use glam::DVec3;

    #[test]
    fn a_camera_is_found_by_its_name_or_by_its_last_parts() {
        let mut scene = Scene::new();
        for name in ["a/front", "b/front", "b/rear", "rear", "laser", "c/lower_laser", "", "d/"] {
            let projection = Projection::Perspective { fov_y_degrees: 50.0 };
            let camera = Camera::look_at(name, DVec3::ZERO, DVec3::X, None, projection);
            scene.cameras.push(camera.unwrap());
        }
        for (name, number) in [("b/front", 1), ("rear", 3), ("lower_laser", 5), ("laser", 4)] {
            assert_eq!(scene.camera_number(name), Ok(number), "{name}");
        }
        let several = scene.camera_number("front").unwrap_err();
        assert!(several.to_string().ends_with("give more of one of a/front, b/front"), "{several}");
        for name in ["ront", "_laser", "x/front"] {
            let unknown = scene.camera_number(name).unwrap_err();
            assert!(unknown.to_string().contains("no such camera; it has a/front, "), "{unknown}");
        }
        let none = Scene::new().camera_number("front").unwrap_err();
        assert_eq!(none.to_string(), "the scene has no such camera; it has none");
    }
}
