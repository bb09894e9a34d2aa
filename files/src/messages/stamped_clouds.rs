//! Existing clouds as ROS 2 messages.

use super::message_file::MessageFile;
use super::message_types::{POINT_CLOUD, TRANSFORMS};
use super::names::{TRANSFORMS_TOPIC, ros_name, sensor_frame};
use super::point_clouds::SweepPoints;
use super::stamp::{RANGE, Stamp};
use super::transforms::transform_message;
use crate::clouds::{CloudFrame, CloudLayout, CloudPoint};
use crate::{FileError, Outputs};
use glam::{DVec3, Vec3};
use raytwin::camera::Pose;
use raytwin::scan::Trajectory;
use std::path::Path;

/// The points that a sensor saw at one time.
#[derive(Clone, Copy, Debug)]
pub struct StampedCloud<'a> {
    /// The time, in seconds. The times of the points are not earlier.
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
    pub is_lidar: bool,
    /// The space in which its points are given.
    pub frame: CloudFrame,
}

/// Writes clouds to an MCAP file as [`MessageWriter`](super::MessageWriter) does: a
/// `sensor_msgs/msg/PointCloud2` for each, whose points are in the sensor's frame at their own
/// time, and a `tf2_msgs/msg/TFMessage` from the frame `map` to that of the sensor. The file
/// appears as a whole or not at all.
///
/// # Errors
/// [`FileError::Meaning`] for a time outside the range of ROS time stamps, and for a cloud of more
/// than 4 GiB; [`FileError::Write`].
pub fn write_clouds(
    path: &Path,
    sensor: CloudSensor<'_>,
    layout: &CloudLayout,
    clouds: &[StampedCloud<'_>],
) -> Result<(), FileError> {
    layout.check(path)?;
    let fault = |reason: String| FileError::meaning(path, "", reason);
    let frame = sensor_frame(sensor.name, sensor.is_lidar).map_err(fault)?;
    // Clouds may be of several moments in any order, and then have no motion.
    let poses = clouds.iter().map(|cloud| cloud.pose).collect();
    let motion = Trajectory::new(clouds.iter().map(|cloud| cloud.time).collect(), poses).ok();
    let mut outputs = Outputs::default();
    let mut file = MessageFile::new(outputs.draft(path)?)?;
    let mut transforms = file.channel(TRANSFORMS_TOPIC, TRANSFORMS)?;
    let topic = format!("/{}/points", ros_name(sensor.name));
    let mut channel = file.channel(&topic, POINT_CLOUD)?;
    let mut points = SweepPoints::new(layout);
    for (number, cloud) in clouds.iter().enumerate() {
        let stamp = Stamp::new(cloud.time).ok_or_else(|| {
            fault(format!(
                "{RANGE}, but cloud {number} has the time {}: shift its times",
                cloud.time
            ))
        })?;
        if cloud.points.len() as u64 * points.point_step() as u64 > u64::from(u32::MAX) {
            return Err(fault(format!(
                "cloud {number} has {} points, and a message can have at most 4 GiB of points",
                cloud.points.len()
            )));
        }
        match sensor.frame {
            CloudFrame::Sensor => points.add(cloud.points, cloud.time),
            CloudFrame::World => {
                let at = |time| motion.as_ref().and_then(|motion| motion.at(time));
                let seen = cloud
                    .points
                    .iter()
                    .map(|point| in_sensor(point, &at(point.time).unwrap_or(cloud.pose)));
                points.add(&seen.collect::<Vec<_>>(), cloud.time);
            }
        }
        let transform = transform_message(stamp, &[(&frame, cloud.pose)]);
        file.write(&mut transforms, stamp, &transform)?;
        file.write(&mut channel, stamp, &points.take_message(stamp, &frame))?;
    }
    outputs.keep(file.finish()?)?;
    outputs.publish()
}

/// Returns a point of the world in the frame of a sensor at this pose.
fn in_sensor(point: &CloudPoint, pose: &Pose) -> CloudPoint {
    let position = pose
        .inverse()
        .then_inner(&Pose { position: DVec3::from_array(point.position), ..Pose::IDENTITY });
    let normal = pose.rotation.conjugate() * Vec3::from_array(point.normal).as_dvec3();
    CloudPoint {
        position: position.position.to_array(),
        normal: normal.as_vec3().to_array(),
        ..*point
    }
}
