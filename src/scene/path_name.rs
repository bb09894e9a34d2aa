//! Finds things of a scene that have a path, such as cameras, by the path or by its end.

use super::Scene;

/// The reason why a name does not select one camera, or one other thing of a scene.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PathNameError {
    /// No path equals the name or ends in it.
    #[error("the scene has no such {kind}; it has {}", listed(.known))]
    Unknown {
        /// The kind of thing, such as `camera`.
        kind: &'static str,
        /// The names of all things of this kind.
        known: Vec<String>,
    },
    /// No path equals the name, and several end in it.
    #[error("several {kind}s have paths that end in this name: give more of the path, as in {}", listed(.known))]
    Ambiguous {
        /// The kind of thing, such as `camera`.
        kind: &'static str,
        /// The names that end in it.
        known: Vec<String>,
    },
}

fn listed(names: &[String]) -> String {
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}

/// Returns true if the last parts of a path, after a `/`, are this name.
pub fn ends_in(path: &str, name: &str) -> bool {
    path.strip_suffix(name).is_some_and(|before| before.ends_with('/'))
}

/// Returns the index of the path that a name selects, among paths of things such as cameras.
///
/// The first path that equals the name is selected. Otherwise the last parts of a path are enough,
/// such as `front_laser` for `robot/front_laser`, if no other path ends in them.
///
/// # Errors
/// [`PathNameError`], if the name selects no path, or several.
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
    /// Returns the index in [`Self::cameras`] of the camera that a name selects, as
    /// [`number_of_path`] finds it.
    ///
    /// # Errors
    /// [`PathNameError`], if the name selects no camera, or several.
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
        assert!(
            several.to_string().ends_with("give more of the path, as in a/front, b/front"),
            "{several}"
        );
        for name in ["ront", "_laser", "x/front"] {
            let unknown = scene.camera_number(name).unwrap_err();
            assert!(unknown.to_string().contains("no such camera; it has a/front, "), "{unknown}");
        }
        let none = Scene::new().camera_number("front").unwrap_err();
        assert_eq!(none.to_string(), "the scene has no such camera; it has none");
    }
}
