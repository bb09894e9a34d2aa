//! A place at which a sensor can be mounted.

use raytwin::camera::Pose;
use std::ops::Range;

/// A place at which a sensor can be mounted: a link of a robot or a world, or a body or a site of a
/// model.
#[derive(Clone, Debug, PartialEq)]
pub struct Mount {
    /// Its pose in the world.
    pub pose: Pose,
    /// The ids of the geometries that move with it where it moves as a whole with all that it hangs
    /// on: those of the robot, of the body in the world that it is a part of, or of the model.
    pub carrier: Range<u32>,
}
