//! Clouds that were made elsewhere, as messages of ROS 2.

use super::message_file::MessageFile;
use super::message_types::{POINT_CLOUD, TRANSFORMS};
use super::names::{TRANSFORMS_TOPIC, ros_name, sensor_frame};
use super::point_clouds::SweepPoints;
use super::stamp::{RANGE, Stamp};
use super::transforms::{WORLD_FRAME, transform_message};
use crate::clouds::{CloudFrame, CloudLayout, CloudPoint};
use crate::{FileError, Outputs};
use raytwin::camera::Pose;
use std::path::Path;

/// The points that a sensor saw at one time.
#[derive(Clone, Copy, Debug)]
pub struct StampedCloud<'a> {
    /// The time, in seconds; those of the points are not before it.
    pub time: f64,
    /// The sensor's frame in the world.
    pub pose: Pose,
    /// The points.
    pub points: &'a [CloudPoint],
}

/// A sensor, as messages name it.
#[derive(Clone, Copy, Debug)]
pub struct CloudSensor<'a> {
    /// Its name.
    pub name: &'a str,
    /// True for a lidar, whose frame has x forward and z up; false for a camera with z forward.
    pub is_panoramic: bool,
    /// The space in which its points are given.
    pub frame: CloudFrame,
}

/// Writes clouds to an MCAP file: a `sensor_msgs/msg/PointCloud2` for each, and a
/// `tf2_msgs/msg/TFMessage` from the frame `map` to that of the sensor. The file appears whole or
/// not at all.
///
/// # Errors
/// [`FileError::Meaning`] for a time that no stamp of ROS can be, and for a cloud of more than 4 GiB;
/// [`FileError::Write`].
pub fn write_clouds(
    path: &Path,
    sensor: CloudSensor<'_>,
    layout: &CloudLayout,
    clouds: &[StampedCloud<'_>],
) -> Result<(), FileError> {
    layout.check(path)?;
    let fault = |reason: String| FileError::meaning(path, "", reason);
    let frame = sensor_frame(sensor.name, sensor.is_panoramic).map_err(fault)?;
    let frame_of_points = match sensor.frame {
        CloudFrame::World => WORLD_FRAME,
        CloudFrame::Sensor => &frame,
    };
    let mut outputs = Outputs::default();
    let mut file = MessageFile::new(outputs.draft(path)?)?;
    let mut transforms = file.channel(TRANSFORMS_TOPIC, &TRANSFORMS)?;
    let topic = format!("/{}/points", ros_name(sensor.name));
    let mut channel = file.channel(&topic, &POINT_CLOUD)?;
    let mut points = SweepPoints::new(layout);
    for (number, cloud) in clouds.iter().enumerate() {
        let stamp = Stamp::new(cloud.time).ok_or_else(|| {
            fault(format!(
                "{RANGE}, and cloud {number} has the time {}: shift its times",
                cloud.time
            ))
        })?;
        if cloud.points.len() as u64 * points.point_step() as u64 > u64::from(u32::MAX) {
            return Err(fault(format!(
                "cloud {number} has {} points, and a message at most 4 GiB of them",
                cloud.points.len()
            )));
        }
        points.add(cloud.points, cloud.time);
        let transform = transform_message(stamp, &frame, &cloud.pose);
        file.write(&mut transforms, stamp, &transform)?;
        file.write(&mut channel, stamp, &points.take_message(stamp, frame_of_points))?;
    }
    outputs.keep(file.finish()?)?;
    outputs.publish()
}
