//! The images that a camera takes from the poses of a trajectory, as ROS 2 messages in an MCAP file.

pub mod bags;
mod cdr;
mod depth_images;
mod laser_scans;
mod message_file;
mod message_types;
mod names;
mod point_clouds;
mod stamp;
mod stamped_clouds;
mod sweep;
mod transforms;

pub use names::{FrameName, MessageNames, TopicName};
pub use stamped_clouds::{CloudSensor, StampedCloud, write_clouds};
pub use transforms::{LinkFrame, LinkMotion};

use super::clouds::CloudLayout;
use super::{FileError, Outputs};
use laser_scans::SweepRanges;
use message_file::{Channel, MessageFile};
use message_types::{MessageType, TRANSFORMS};
use names::TRANSFORMS_TOPIC;
use raytwin::camera::View;
use raytwin::ray::Hit;
use raytwin::returns::Return;
use raytwin::scan::{PosedView, Trajectory};
use raytwin::scene::Scene;
use stamp::{RANGE, Stamp};
use std::ops::Range;
use std::path::{Path, PathBuf};
use sweep::Sweep;
use transforms::transform_message;

/// Writes the messages of a scan. Only one sweep is in memory at a time. The file appears as a
/// whole or not at all.
///
/// A panoramic camera gives a `sensor_msgs/msg/PointCloud2` for each sweep, or a `LaserScan` if it
/// has one level row and one return of each beam. A perspective or calibrated camera gives an
/// `Image` of depths with a `CameraInfo`. Each row of the trajectory gives a
/// `tf2_msgs/msg/TFMessage` from the frame `map` to the frame of the sensor, and to those of a
/// robot's links.
pub struct MessageWriter {
    file: MessageFile,
    outputs: Outputs,
    path: PathBuf,
    trajectory: Trajectory,
    /// The row of the trajectory for the next sweep.
    row: usize,
    /// The name of the sensor's frame.
    frame: String,
    transforms: Channel,
    links: Vec<LinkFrame>,
    sweep: Sweep,
    /// The channels of the topics of the sweep.
    channels: Vec<Channel>,
}

impl MessageWriter {
    /// Prepares to write what a view sees from the poses of a trajectory. The points of clouds have
    /// the fields of the layout. The default of a name is that of the camera's sensor, or otherwise
    /// the camera's own.
    ///
    /// # Errors
    /// [`FileError::Meaning`] for a time outside the range of ROS time stamps, a view that no
    /// message describes, and a name that ROS does not allow; [`FileError::Write`].
    pub fn new(
        path: &Path,
        view: &View,
        trajectory: &Trajectory,
        layout: &CloudLayout,
        names: &MessageNames,
    ) -> Result<Self, FileError> {
        layout.check(path)?;
        let fault = |reason: String| FileError::meaning(path, "", reason);
        let unstampable = |time: &f64| Stamp::new(*time).is_none();
        if let Some(row) = trajectory.times().iter().position(unstampable) {
            return Err(time_error(path, row, trajectory));
        }
        let frame = names.frame(&view.camera).map_err(fault)?;
        let sweep = Sweep::new(view, layout).map_err(fault)?;
        let (parts, types): (Vec<&str>, Vec<MessageType>) = sweep.topics().iter().copied().unzip();
        let topics = names.topics(&view.camera, &parts).map_err(fault)?;
        let mut outputs = Outputs::default();
        let mut file = MessageFile::new(outputs.draft(path)?)?;
        let transforms = file.channel(TRANSFORMS_TOPIC, TRANSFORMS)?;
        let channels = topics
            .iter()
            .zip(types)
            .map(|(topic, kind)| file.channel(topic, kind))
            .collect::<Result<_, _>>()?;
        Ok(Self {
            file,
            outputs,
            path: path.to_owned(),
            trajectory: trajectory.clone(),
            row: 0,
            frame,
            transforms,
            links: Vec::new(),
            sweep,
            channels,
        })
    }

    /// Publishes the frames of a robot's links next to that of the sensor. Returns the names that
    /// are left out, because ROS does not allow them or another frame has them.
    pub fn set_links(&mut self, links: Vec<LinkFrame>) -> Vec<String> {
        let is_frame =
            |link: &LinkFrame| link.name != self.frame && link.name.parse::<FrameName>().is_ok();
        let (frames, others): (Vec<_>, Vec<_>) = links.into_iter().partition(is_frame);
        self.links = frames;
        others.into_iter().map(|link| link.name).collect()
    }

    /// Returns true if the messages are clouds of points.
    pub fn has_points(&self) -> bool {
        matches!(self.sweep, Sweep::Points(_))
    }

    /// Returns true if the messages of a view are `LaserScan`s, which have the intensities of
    /// returns.
    pub fn has_ranges(view: &View) -> bool {
        SweepRanges::new(view).is_some()
    }

    /// Begins the sweep of a row of the trajectory. Earlier rows without a sweep give only their
    /// poses.
    ///
    /// # Errors
    /// [`FileError::Write`].
    pub fn begin_sweep(&mut self, row: usize) -> Result<(), FileError> {
        while self.row < row {
            self.write_transform()?;
        }
        Ok(())
    }

    /// Adds the next pixels of the sweep. The first of them has the number `first_pixel`. Points
    /// have these normals, if they are given. Returns the number of points that this adds to a
    /// cloud.
    ///
    /// # Panics
    /// If the sweeps of all rows of the trajectory have ended. The same applies to
    /// [`Self::end_sweep`].
    pub fn add(
        &mut self,
        posed: &PosedView,
        first_pixel: usize,
        hits: &[Hit],
        normals: Option<&[[f32; 3]]>,
        scene: &Scene,
    ) -> usize {
        let start = self.trajectory.times()[self.row];
        self.sweep.add(posed, first_pixel, hits, normals, (scene, start))
    }

    /// Adds the returns of the next range of the sweep's pixels. Returns the number of points that
    /// this adds to a cloud.
    ///
    /// # Panics
    /// As [`Self::add`].
    pub fn add_returns(
        &mut self,
        posed: &PosedView,
        pixels: Range<usize>,
        returns: &[Return],
        scene: &Scene,
    ) -> usize {
        let start = self.trajectory.times()[self.row];
        self.sweep.add_returns(posed, pixels, returns, (scene, start))
    }

    /// Writes the messages of the sweep, after all its pixels were added. The next sweep is that of
    /// the trajectory's next row, unless [`Self::begin_sweep`] names a later one.
    ///
    /// # Errors
    /// [`FileError::Write`].
    pub fn end_sweep(&mut self) -> Result<(), FileError> {
        let row = self.row;
        let stamp = self.write_transform()?;
        let messages = self.sweep.take_messages(self.trajectory.times()[row], &self.frame);
        let messages = messages.ok_or_else(|| time_error(&self.path, row, &self.trajectory))?;
        for (channel, message) in self.channels.iter_mut().zip(messages) {
            self.file.write(channel, stamp, &message)?;
        }
        Ok(())
    }

    /// Writes the pose of the next row, and returns the time of its message.
    fn write_transform(&mut self) -> Result<Stamp, FileError> {
        let (row, trajectory) = (self.row, &self.trajectory);
        let stamp = Stamp::new(trajectory.times()[row]);
        let stamp = stamp.ok_or_else(|| time_error(&self.path, row, trajectory))?;
        let sensor = trajectory.poses()[row];
        let mut frames = vec![(self.frame.as_str(), sensor)];
        for LinkFrame { name, motion } in &self.links {
            frames.extend(motion.pose(row, &sensor).map(|pose| (name.as_str(), pose)));
        }
        let message = transform_message(stamp, &frames);
        self.file.write(&mut self.transforms, stamp, &message)?;
        self.row += 1;
        Ok(stamp)
    }

    /// Completes the file, and returns its outputs, which are not published yet. Rows without a
    /// sweep give only their poses; the last sweep may be between them.
    ///
    /// # Errors
    /// [`FileError::Write`].
    pub fn complete(mut self) -> Result<Outputs, FileError> {
        self.begin_sweep(self.trajectory.len())?;
        let Self { file, mut outputs, .. } = self;
        outputs.keep(file.finish()?)?;
        Ok(outputs)
    }
}

fn time_error(path: &Path, row: usize, trajectory: &Trajectory) -> FileError {
    let time = trajectory.times()[row];
    let reason =
        format!("{RANGE}, but row {row} of the trajectory has the time {time}: shift its times");
    FileError::meaning(path, "", reason)
}

#[cfg(test)]
mod tests;
