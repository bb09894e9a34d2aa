//! A link of a robot.

use raytwin::camera::Pose;
use std::ops::Range;

/// A link of a robot, a body of a model, or a link of a world.
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    /// Its pose in the world.
    pub pose: Pose,
    /// The ids of the geometries that move with it where it moves as a whole with all that it hangs
    /// on: those of the robot, of the body in the world that it is a part of, or of the model.
    pub carrier: Range<u32>,
}
