//! What a scene calls by a path, such as a camera, by its name or by the end of it.

use super::Scene;

/// Why a name is that of no camera, or of no other thing of a scene.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PathNameError {
    /// Nothing has the name, or ends in it.
    #[error("the scene has no such {kind}; it has {}", listed(.known))]
    Unknown {
        /// What is named, such as `camera`.
        kind: &'static str,
        /// The names of all.
        known: Vec<String>,
    },
    /// Nothing has the name, and several things end in it.
    #[error("several {kind}s of the scene end in this name: give more of one of {}", listed(.known))]
    Ambiguous {
        /// What is named, such as `camera`.
        kind: &'static str,
        /// Their names.
        known: Vec<String>,
    },
}

fn listed(names: &[String]) -> String {
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}

/// Returns true if the last parts of a path, behind a `/`, are this name.
pub fn ends_in(path: &str, name: &str) -> bool {
    path.strip_suffix(name).is_some_and(|before| before.ends_with('/'))
}

/// Returns the index of what a name means among the paths of things of a kind, such as cameras.
/// Those of robots have paths, such as `robot/front_laser`, of which the last parts are enough if no
/// other ends in them. The first of exactly the name comes before all others.
///
/// # Errors
/// [`PathNameError`], if nothing is meant, or several things.
pub fn number_of_path<'a>(
    kind: &'static str,
    paths: impl Iterator<Item = &'a str> + Clone,
    name: &str,
) -> Result<usize, PathNameError> {
    if let Some(number) = paths.clone().position(|path| path == name) {
        return Ok(number);
    }
    let ends_in_it = |path: &&str| ends_in(path, name);
    let mut ending = paths.clone().enumerate().filter(|(_, path)| ends_in_it(path));
    match (ending.next(), ending.next()) {
        (Some((number, _)), None) => Ok(number),
        (None, _) => {
            Err(PathNameError::Unknown { kind, known: paths.map(str::to_owned).collect() })
        }
        _ => {
            let known = paths.filter(ends_in_it).map(str::to_owned).collect();
            Err(PathNameError::Ambiguous { kind, known })
        }
    }
}

impl Scene {
    /// Returns the index in [`Self::cameras`] of the camera that a name means, as
    /// [`number_of_path`] finds it.
    ///
    /// # Errors
    /// [`PathNameError`], if no camera is meant, or several.
    pub fn camera_number(&self, name: &str) -> Result<usize, PathNameError> {
        number_of_path("camera", self.cameras.iter().map(|camera| camera.name.as_str()), name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::camera::{Camera, Projection};
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
