//! The poses in messages, each with its time and its parent frame.

use super::cdr_reader::CdrReader;

#[derive(Clone, Debug, PartialEq)]
pub(super) struct StampedPose {
    /// The time of the header, in seconds.
    pub time: f64,
    /// The frame in which the pose is given.
    pub parent: String,
    /// The frame that has the pose; empty if the message does not name it.
    pub child: String,
    /// The position and the quaternion, x y z w.
    pub numbers: [f64; 7],
}

/// Reads the time and the frame of a `std_msgs/msg/Header`.
fn header(message: &mut CdrReader<'_>) -> Result<(f64, String), String> {
    let (seconds, nanoseconds) = (message.i32()?, message.u32()?);
    if nanoseconds >= 1_000_000_000 {
        return Err(format!(
            "its stamp has {nanoseconds} nanoseconds: they must be less than a second"
        ));
    }
    Ok((f64::from(seconds) + f64::from(nanoseconds) * 1e-9, frame(message)?))
}

/// Reads the name of a frame, which began with a slash before ROS 2.
fn frame(message: &mut CdrReader<'_>) -> Result<String, String> {
    Ok(message.text()?.trim_start_matches('/').to_owned())
}

fn pose(
    message: &mut CdrReader<'_>,
    (time, parent): (f64, String),
    child: String,
) -> Result<StampedPose, String> {
    let mut numbers = [0.0; 7];
    for number in &mut numbers {
        *number = message.f64()?;
    }
    Ok(StampedPose { time, parent, child, numbers })
}

/// Reads a `geometry_msgs/msg/PoseStamped`.
pub(super) fn pose_stamped(message: &[u8]) -> Result<StampedPose, String> {
    let mut message = CdrReader::new(message)?;
    let header = header(&mut message)?;
    pose(&mut message, header, String::new())
}

/// Reads a `nav_msgs/msg/Odometry`, whose pose is that of its `child_frame_id`.
pub(super) fn odometry(message: &[u8]) -> Result<StampedPose, String> {
    let mut message = CdrReader::new(message)?;
    let header = header(&mut message)?;
    let child = frame(&mut message)?;
    pose(&mut message, header, child)
}

/// Reads a `tf2_msgs/msg/TFMessage`: the poses of frames.
pub(super) fn transforms(message: &[u8]) -> Result<Vec<StampedPose>, String> {
    let mut message = CdrReader::new(message)?;
    let mut transforms = Vec::new();
    for _ in 0..message.u32()? {
        let header = header(&mut message)?;
        let child = frame(&mut message)?;
        transforms.push(pose(&mut message, header, child)?);
    }
    Ok(transforms)
}
