//! Images of a scene in several worlds, for a comparison.

use raytwin::camera::{CameraError, Extrinsics, View};
use raytwin::scan::Views;
use raytwin::scene::Scene;

/// Returns the images of a view in at most the given number of worlds, spread evenly over all.
/// There are two images of each world, the second one from farther away, so that images differ both
/// by place and by world.
///
/// # Errors
/// [`CameraError`], never for a scene that has worlds.
pub fn images_of_worlds(view: &View, scene: &Scene, most: u32) -> Result<Views, CameraError> {
    let (worlds, chosen) = (u64::from(scene.world_count()), scene.world_count().min(most));
    let world = |index: u32| (u64::from(index) * worlds / u64::from(chosen)) as u32;
    let world_ids: Vec<u32> = (0..chosen).flat_map(|index| [world(index); 2]).collect();
    let near = view.camera.extrinsics();
    let farther = near.eye - 0.1 * (view.camera.target - near.eye);
    let far = Extrinsics { eye: farther.as_vec3().as_dvec3(), ..near };
    Views::at(view, [near, far].repeat(chosen as usize)).in_worlds(&world_ids)
}
