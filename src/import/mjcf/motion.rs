//! The poses of a model in several worlds: what moves from one to the next becomes an instance, the rest lies still.

use super::geoms::GeomItem;
use super::pose::JointPositions;
use super::tree::BodyTree;
use crate::camera::Camera;
use crate::import::Warning;
use crate::io::FileError;
use crate::math::Similarity;
use crate::scene::{Scene, WorldPlaces};
use std::path::Path;

/// The frames of all bodies in each world, of which there is at least one.
pub(super) struct Motion {
    pub worlds: Vec<Vec<Similarity>>,
    /// For each body: is its frame another one in some world?
    moves: Vec<bool>,
}

impl Motion {
    pub fn new(poses: &[JointPositions], tree: &BodyTree<'_>) -> Result<Self, FileError> {
        let frames = poses.iter().map(|pose| pose.world_from_bodies(tree));
        let worlds: Vec<Vec<Similarity>> = frames.collect::<Result<_, _>>()?;
        let first = &worlds[0];
        let differs = |body: usize| worlds.iter().any(|frames| frames[body] != first[body]);
        Ok(Self { moves: (0..first.len()).map(differs).collect(), worlds })
    }

    /// Returns true if a body is elsewhere in some world.
    pub fn moves(&self, body: usize) -> bool {
        self.moves[body]
    }

    /// Adds the worlds beyond the first, each with its cameras. A geom that moves stands beside the number of instances that
    /// the scene had once it was added.
    pub fn add_worlds(
        &self,
        scene: &mut Scene,
        moving: &[(u32, &GeomItem<'_>)],
        path: &Path,
        cameras_in: impl Fn(&Scene, &[Similarity]) -> Result<(Vec<Camera>, Warning), FileError>,
    ) -> Result<(), FileError> {
        for frames in &self.worlds[1..] {
            let mut places = WorldPlaces::new();
            for (instances, geom) in moving {
                // A survey of the file's extent keeps no instances.
                let Some(instance) = instances.checked_sub(1) else { continue };
                let world_from_geom = frames[geom.body].then_inner(&geom.body_from_geom);
                let translation = world_from_geom.translation - scene.origin();
                places.push((instance, Similarity { translation, ..world_from_geom }.into()));
            }
            let (cameras, _) = cameras_in(scene, frames)?;
            scene
                .add_places(places, cameras)
                .map_err(|error| FileError::meaning(path, "", error.to_string()))?;
        }
        Ok(())
    }
}
