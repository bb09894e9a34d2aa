//! The poses of the sensor and of a robot's links in the world as `tf2_msgs/msg/TFMessage`.

use super::cdr::CdrMessage;
use super::stamp::Stamp;
use raytwin::camera::Pose;

/// The frame of the world, which is REP 105's name for a fixed frame.
pub(super) const WORLD_FRAME: &str = "map";

/// The frame of a robot's link, and its place while the sensor moves along its trajectory.
#[derive(Clone, Debug)]
pub struct LinkFrame {
    /// The name of the frame.
    pub name: String,
    /// Its place.
    pub motion: LinkMotion,
}

/// The place of a link while the sensor moves.
#[derive(Clone, Debug)]
pub enum LinkMotion {
    /// At this pose in the world.
    Still(Pose),
    /// At this pose in the sensor's frame.
    WithSensor(Pose),
    /// At the pose in the world for each row of the trajectory.
    Rows(Vec<Pose>),
}

impl LinkMotion {
    /// Returns the pose in the world in a row of the trajectory, in which the sensor has this pose;
    /// `None` if it is not known.
    pub(super) fn pose(&self, row: usize, sensor: &Pose) -> Option<Pose> {
        match self {
            Self::Still(pose) => Some(*pose),
            Self::WithSensor(pose) => Some(sensor.then_inner(pose)),
            Self::Rows(poses) => poses.get(row).copied(),
        }
    }
}

/// Returns the message of the poses of frames: a point p of a frame is at translation + rotation · p
/// in the world.
pub(super) fn transform_message(stamp: Stamp, frames: &[(&str, Pose)]) -> CdrMessage {
    let mut message = CdrMessage::new();
    message.size(frames.len());
    for (name, pose) in frames {
        message.header(stamp, WORLD_FRAME);
        message.text(name);
        message.float64_array(&pose.position.to_array());
        message.float64_array(&pose.rotation.to_array());
    }
    message
}
