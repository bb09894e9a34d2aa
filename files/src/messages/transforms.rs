//! The sensor's pose in the world as `tf2_msgs/msg/TFMessage`.

use super::cdr::CdrMessage;
use super::stamp::Stamp;
use raytwin::camera::Pose;

/// The frame of the world, as REP 105 names one that is fixed.
pub(super) const WORLD_FRAME: &str = "map";

/// Returns the message of a pose: a point p of the sensor's frame is at translation + rotation · p
/// in the world.
pub(super) fn transform_message(stamp: Stamp, sensor_frame: &str, pose: &Pose) -> CdrMessage {
    let mut message = CdrMessage::new();
    message.size(1);
    message.header(stamp, WORLD_FRAME);
    message.text(sensor_frame);
    message.float64_array(&pose.position.to_array());
    message.float64_array(&pose.rotation.to_array());
    message
}
