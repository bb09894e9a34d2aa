//! The poses of a model in several worlds: what moves from one to the next becomes an instance, the rest lies still.

use super::pose::JointPositions;
use super::tree::BodyTree;
use crate::import::graph::{GraphCamera, GraphWorld};
use crate::io::FileError;
use crate::math::Similarity;

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

    /// Makes the worlds beyond the first, each with its cameras.
    pub fn other_worlds(
        &self,
        tree: &BodyTree<'_>,
        cameras_in: impl Fn(&[Similarity]) -> Result<Vec<GraphCamera>, FileError>,
    ) -> Result<Vec<GraphWorld>, FileError> {
        let world = |frames: &Vec<Similarity>| {
            let moving = (0..).zip(&tree.geoms).filter(|(_, geom)| self.moves[geom.body]);
            let places = moving
                .map(|(item, geom)| {
                    (item, frames[geom.body].then_inner(&geom.body_from_geom).into())
                })
                .collect();
            Ok(GraphWorld { places, cameras: cameras_in(frames)? })
        };
        self.worlds[1..].iter().map(world).collect()
    }
}
