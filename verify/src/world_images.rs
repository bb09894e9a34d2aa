//! Images of a scene in several worlds, which are asked to be judged.

use raytwin::camera::{CameraError, Extrinsics, View};
use raytwin::scan::Views;
use raytwin::scene::Scene;

/// Returns the images of a view in at most so many worlds of a scene, spread evenly over them: two in
/// each, the second one from farther off, so that images differ by their places and by their worlds.
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
