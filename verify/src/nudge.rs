//! Moves scenes a little, to check the answers of a tracer after an update.

use super::aim::typical_size;
use fastrand::Rng;
use glam::{DQuat, DVec3};
use raytwin::fields::ShapeError;
use raytwin::math::Similarity;
use raytwin::scene::Scene;
use raytwin::transform::Transform;

/// The largest movement of an instance, as a fraction of the scene's size.
const WAY: f64 = 0.1;

/// Returns the scene with every instance moved and turned a little. The seed determines how.
///
/// # Errors
/// A [`ShapeError`], if the new coordinates of an instance would be too large.
pub fn nudged(scene: &Scene, seed: u64) -> Result<Scene, ShapeError> {
    let rng = &mut Rng::with_seed(seed);
    let size = typical_size(scene);
    scene.with_instances_moved(|| {
        let mut vector = || 2.0 * DVec3::new(rng.f64(), rng.f64(), rng.f64()) - 1.0;
        let translation = WAY * size * vector();
        let turn = 0.02 * vector();
        let rotation = DQuat::from_xyzw(turn.x, turn.y, turn.z, 1.0).normalize();
        Transform::from(Similarity { translation, rotation, scale: 1.0 })
    })
}
