//! The names of topics and frames.

use super::transforms::WORLD_FRAME;

/// Returns a camera's name as a part of topics, which in ROS 2 are letters, digits and single
/// underscores and begin with a letter. An ordinary name stays as it is.
pub(super) fn ros_name(camera: &str) -> String {
    let is_allowed = |letter: char| letter.is_ascii_alphanumeric();
    let words: Vec<&str> =
        camera.split(|letter| !is_allowed(letter)).filter(|word| !word.is_empty()).collect();
    let name = words.join("_");
    match name.starts_with(|first: char| first.is_ascii_alphabetic()) {
        true => name,
        false if name.is_empty() => "camera".to_owned(),
        false => format!("camera_{name}"),
    }
}

/// Returns the name of a sensor's frame. An error is the reason why it can have none.
pub(super) fn sensor_frame(camera: &str, is_panoramic: bool) -> Result<String, String> {
    let name = ros_name(camera);
    let frame = match is_panoramic {
        true => name,
        // REP 103 has x forward, and marks frames with z forward by this suffix.
        false => format!("{name}_optical"),
    };
    match frame == WORLD_FRAME {
        true => Err(format!(
            "{frame}: the camera has the name of the world's frame: give it another one"
        )),
        false => Ok(frame),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_what_ros_allows() {
        for (camera, name) in [
            ("lidar", "lidar"),
            ("depth_camera", "depth_camera"),
            ("left eye/front-2", "left_eye_front_2"),
            ("_hidden__", "hidden"),
            ("3d", "camera_3d"),
            ("", "camera"),
            ("目", "camera"),
        ] {
            assert_eq!(ros_name(camera), name);
        }
    }
}
