//! The names of topics and frames.

use super::transforms::WORLD_FRAME;
use raytwin::camera::Camera;
use std::str::FromStr;

/// The name of a topic, from its root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TopicName(String);

impl FromStr for TopicName {
    type Err = String;

    /// Reads the name of a topic, and adds the slash of the root if it has none.
    fn from_str(text: &str) -> Result<Self, String> {
        let parts = text.strip_prefix('/').unwrap_or(text);
        let is_allowed = |part: &str| {
            part.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
                && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
                && !part.contains("__")
        };
        if !parts.split('/').all(is_allowed) {
            return Err(format!(
                "'{text}' is not a ROS 2 topic: the parts between slashes must have only letters, digits and single underscores and must not begin with a digit, as in /front/points"
            ));
        }
        let name = format!("/{parts}");
        match name == TRANSFORMS_TOPIC {
            true => {
                Err(format!("'{text}' is the topic of the sensor's poses: choose another topic"))
            }
            false => Ok(Self(name)),
        }
    }
}

/// The name of a sensor's frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FrameName(String);

impl FromStr for FrameName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        // ROS 2 itself allows more, but tools split names at spaces, and tf2 rejects a leading
        // slash.
        let is_allowed = |letter: char| !letter.is_whitespace() && !letter.is_control();
        if text.is_empty() || text.starts_with('/') || !text.chars().all(is_allowed) {
            return Err(format!(
                "'{text}' is not a frame name: a frame name, such as front_link, must not be empty, contain spaces or begin with a slash"
            ));
        }
        match text == WORLD_FRAME {
            true => Err(format!("'{text}' is the world's frame: choose another name")),
            false => Ok(Self(text.to_owned())),
        }
    }
}

/// The names that replace those of a camera.
#[derive(Clone, Debug, Default)]
pub struct MessageNames {
    /// The topic of points, ranges or images. An image's `camera_info` is next to it.
    pub topic: Option<TopicName>,
    /// The sensor's frame.
    pub frame: Option<FrameName>,
}

/// The last part of the topic with the calibration of images.
pub(super) const CAMERA_INFO_PART: &str = "camera_info";

pub(super) const TRANSFORMS_TOPIC: &str = "/tf";

impl MessageNames {
    /// Returns the names of the topics of a camera's messages. Each default name has a last part.
    /// Points are below the topic of the camera's file, as in Gazebo. An error is the reason why
    /// there can be no topics.
    pub(super) fn topics(&self, camera: &Camera, parts: &[&str]) -> Result<Vec<String>, String> {
        let main = match (&self.topic, &camera.sensor.topic) {
            (Some(TopicName(topic)), _) => topic.clone(),
            (None, Some(own)) => {
                let words: Vec<String> =
                    own.split('/').filter(|part| !part.is_empty()).map(ros_name).collect();
                let below = if parts == ["points"] { "/points" } else { "" };
                let TopicName(topic) = format!("/{}{below}", words.join("/")).parse()?;
                topic
            }
            (None, None) => {
                let name = ros_name(&camera.name);
                return Ok(parts.iter().map(|part| format!("/{name}/{part}")).collect());
            }
        };
        let parent = main.rsplit_once('/').map_or("", |(parent, _)| parent);
        let info = format!("{parent}/{CAMERA_INFO_PART}");
        if main == info && parts.contains(&CAMERA_INFO_PART) {
            return Err(format!(
                "{main} is the topic of the CameraInfo: choose another topic for the image"
            ));
        }
        let topic =
            |part: &&str| if *part == CAMERA_INFO_PART { info.clone() } else { main.clone() };
        Ok(parts.iter().map(topic).collect())
    }

    /// Returns the name of the sensor's frame. An error is the reason why it can have none.
    pub(super) fn frame(&self, camera: &Camera) -> Result<String, String> {
        match (&self.frame, &camera.sensor.frame_id) {
            (Some(FrameName(frame)), _) => Ok(frame.clone()),
            (None, Some(own)) => {
                // Names began with a slash before ROS 2.
                let FrameName(frame) = own.trim_start_matches('/').parse()?;
                Ok(frame)
            }
            (None, None) => sensor_frame(&camera.name, camera.projection.is_lidar()),
        }
    }
}

/// Returns a camera's name as a part of topics. In ROS 2, it has letters, digits and single
/// underscores, and begins with a letter. An ordinary name stays as it is.
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
pub(super) fn sensor_frame(camera: &str, is_lidar: bool) -> Result<String, String> {
    let name = ros_name(camera);
    let frame = match is_lidar {
        true => name,
        // REP 103 has x forward, and marks frames with z forward with this suffix.
        false => format!("{name}_optical"),
    };
    match frame == WORLD_FRAME {
        true => Err(format!("{frame}: the camera has the name of the world's frame: rename it")),
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

    #[test]
    fn names_that_are_given_are_those_that_ros_allows() {
        for (text, topic) in [("scan", "/scan"), ("/a/_b2/c_d", "/a/_b2/c_d")] {
            assert_eq!(text.parse(), Ok(TopicName(topic.to_owned())));
        }
        for text in ["", "/", "a/", "//a", "a//b", "2d", "a/2d", "a b", "a__b", "a-b", "目", "/tf"]
        {
            assert!(text.parse::<TopicName>().is_err(), "{text}");
        }
        for text in ["front_link", "robot/link-2", "a::b"] {
            assert_eq!(text.parse(), Ok(FrameName(text.to_owned())));
        }
        for text in ["", "/a", "a b", "a\n", "map"] {
            assert!(text.parse::<FrameName>().is_err(), "{text}");
        }
    }
}
