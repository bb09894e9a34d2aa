//! The shapes that carry a sensor, and move with it.

use crate::camera::{CameraError, Extrinsics, Pose, Projection};
use crate::ray::{Line, Ray};
use crate::scene::Scene;
use glam::DVec3;
use std::ops::Range;

/// The shapes that carry a sensor, such as the robot on which it is mounted.
///
/// They do not move in the frame of the sensor. So instead of a scene for each moment, each ray is
/// cast twice: from the sensor's current pose at all other shapes, and from the sensor's pose in
/// the scene at these shapes. The nearer hit counts.
#[derive(Clone, Debug)]
pub struct Carrier {
    geometry_ids: Range<u32>,
    /// The place of the sensor in the scene.
    mount: Extrinsics,
}

impl Carrier {
    /// The mask of the rays at the shapes that carry the sensor.
    pub(crate) const MASK: u32 = 1 << 31;

    /// Makes the carrier of a sensor from the pose that the sensor has in the scene, for a scene
    /// with this origin.
    ///
    /// # Errors
    /// [`CameraError::Field`], if the position is more than 1e9 from the origin along an axis.
    pub fn new(
        geometry_ids: Range<u32>,
        mount: &Pose,
        projection: &Projection,
        scene_origin: DVec3,
    ) -> Result<Self, CameraError> {
        Ok(Self { geometry_ids, mount: Extrinsics::in_scene(mount, projection, scene_origin)? })
    }

    /// Sets the masks of a scene so that the shapes that carry a sensor differ from all others.
    /// Shapes that rays pass through keep their masks. Call it before you pack the scene.
    pub fn separate(scene: &mut Scene, geometry_ids: Range<u32>) {
        scene.replace_masks(geometry_ids, [Self::MASK, !Self::MASK]);
    }

    /// Returns true if a geometry is among the shapes.
    pub fn has(&self, geometry_id: u32) -> bool {
        self.geometry_ids.contains(&geometry_id)
    }

    /// Returns the place of the sensor in the scene.
    pub fn mount(&self) -> &Extrinsics {
        &self.mount
    }

    /// Returns a line from a sensor elsewhere as it is from the mount.
    pub(crate) fn line_from_mount(&self, place: &Extrinsics, line: &Line) -> Line {
        Line {
            origin: self.mount.eye + turned(line.origin - place.eye, place, &self.mount),
            direction: turned(line.direction, place, &self.mount),
        }
    }

    /// Returns a ray along a line from a sensor elsewhere as it is from the mount.
    pub(crate) fn ray_from_mount(&self, place: &Extrinsics, line: &Line) -> Ray {
        Ray::along(&self.line_from_mount(place, line))
    }

    /// Returns a direction at the mount as it is at a sensor elsewhere.
    pub(crate) fn direction_at(&self, place: &Extrinsics, direction: [f32; 3]) -> [f32; 3] {
        let direction = DVec3::from_array(direction.map(f64::from));
        turned(direction, &self.mount, place).as_vec3().to_array()
    }
}

/// Returns a direction that lies in one frame as `direction` does in another.
fn turned(direction: DVec3, from: &Extrinsics, to: &Extrinsics) -> DVec3 {
    direction.dot(from.right) * to.right
        + direction.dot(from.up) * to.up
        + direction.dot(from.forward) * to.forward
}
