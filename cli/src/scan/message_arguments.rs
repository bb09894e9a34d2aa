//! The flags for the names in ROS 2 messages.

use super::target::ScanTarget;
use crate::failure::Failure;
use clap::Args;
use raytwin_files::messages::{FrameName, MessageNames, TopicName};

#[derive(Debug, Args)]
pub(super) struct MessageArguments {
    /// Publish the sensor's messages on this topic.
    ///
    /// The CameraInfo of an Image has the topic camera_info in the same namespace. Default: the
    /// topic that the scene file gives the camera, with /points for clouds, or /CAMERA/points,
    /// /CAMERA/scan or /CAMERA/image.
    #[arg(long, value_name = "NAME", hide_short_help = true)]
    topic: Option<TopicName>,
    /// Use this name for the sensor's frame in messages and on /tf.
    ///
    /// Default: the frame that the scene file gives the camera, or that of --link, or else the
    /// camera's name, with the suffix _optical if z is forward.
    #[arg(long, value_name = "NAME", hide_short_help = true)]
    frame_id: Option<FrameName>,
}

impl MessageArguments {
    /// Returns the names for messages.
    pub fn names(&self) -> MessageNames {
        MessageNames { topic: self.topic.clone(), frame: self.frame_id.clone() }
    }

    /// Returns true if a flag names the sensor's frame.
    pub fn name_frame(&self) -> bool {
        self.frame_id.is_some()
    }

    /// Returns an error if names are given but no messages are written.
    pub fn refuse_without_messages(&self, target: &ScanTarget) -> Result<(), Failure> {
        let given = [("--topic", self.topic.is_some()), ("--frame-id", self.frame_id.is_some())];
        match given.into_iter().find(|(_, is_given)| *is_given) {
            Some((flag, _)) if !matches!(target, ScanTarget::Messages(_)) => Err(Failure::usage(
                format!("{flag} is for ROS 2 messages: write an .mcap with -o, or leave it out"),
            )),
            _ => Ok(()),
        }
    }
}
