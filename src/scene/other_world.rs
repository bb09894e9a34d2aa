//! A world other than the first.

use crate::camera::Camera;
use crate::transform::Transform;

/// The transforms of the instances that move in a world, ascending by the number of the instance.
pub(crate) type MovedInstances = Vec<(u32, Transform)>;

/// A world other than the first.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(super) struct OtherWorld {
    pub moved: MovedInstances,
    pub cameras: Vec<Camera>,
}
