//! A place where a sensor can be mounted.

use raytwin::camera::Pose;
use std::ops::Range;

/// A place where a sensor can be mounted: a link of a robot or a world, or a body or a site of a
/// MuJoCo model.
#[derive(Clone, Debug, PartialEq)]
pub struct Mount {
    /// Its pose in the world.
    pub pose: Pose,
    /// The ids of the geometries that move with it, if it moves together with everything it is
    /// attached to: those of the robot, of the body in the world that it belongs to, or of the
    /// model.
    pub carrier: Range<u32>,
}
