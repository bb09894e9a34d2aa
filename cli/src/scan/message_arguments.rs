//! The flags that name what messages of ROS 2 have.

use super::target::ScanTarget;
use crate::failure::Failure;
use clap::Args;
use raytwin_files::messages::{FrameName, MessageNames, TopicName};

#[derive(Debug, Args)]
pub(super) struct MessageArguments {
    /// Publish the sensor's messages at this topic.
    ///
    /// A CameraInfo is beside its Image, at camera_info. By default it is the topic that the
    /// scene's file gives the camera, or /CAMERA/points, /CAMERA/scan or /CAMERA/image.
    #[arg(long, value_name = "NAME", hide_short_help = true)]
    topic: Option<TopicName>,
    /// Name the sensor's frame in messages so, also on /tf.
    ///
    /// By default it is the frame that the scene's file gives the camera, or that of --link, or the
    /// camera's name, with _optical after it where z is forward.
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

    /// Returns an error if names are given and no messages are written.
    pub fn refuse_without_messages(&self, target: &ScanTarget) -> Result<(), Failure> {
        let given = [("--topic", self.topic.is_some()), ("--frame-id", self.frame_id.is_some())];
        match given.into_iter().find(|(_, is_given)| *is_given) {
            Some((flag, _)) if !matches!(target, ScanTarget::Messages(_)) => Err(Failure::usage(
                format!("{flag} is for messages of ROS 2: write an .mcap with -o, or leave it out"),
            )),
            _ => Ok(()),
        }
    }
}
