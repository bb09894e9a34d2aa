//! A world besides the first.

use crate::camera::Camera;
use crate::transform::Transform;

/// The places of the instances that move in a world, ascending by the number of the instance.
pub(crate) type WorldPlaces = Vec<(u32, Transform)>;

/// A world besides the first.
#[derive(Clone, Debug)]
pub(super) struct OtherWorld {
    pub places: WorldPlaces,
    pub cameras: Vec<Camera>,
}
