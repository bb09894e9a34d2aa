//! The poses of a model in several worlds: what moves from one to the next becomes an instance, the
//! rest lies still.

use super::cameras::{cameras, rangefinders};
use super::geoms::GeomFrame;
use super::model::Model;
use super::pose::JointPositions;
use super::sites::sites;
use super::tree::BodyTree;
use crate::JointValue;
use crate::graph::{GraphCamera, GraphContents, GraphItem, GraphWorld};
use crate::warning::Warning;
use raytwin::camera::Pose;
use raytwin::math::Similarity;
use raytwin_files::FileError;
use std::path::Path;

/// The frames of all bodies in each world, of which there is at least one.
pub(super) struct Motion {
    pub worlds: Vec<Vec<Similarity>>,
    /// For each body: is its frame another one in some world?
    moves: Vec<bool>,
    /// The pose of the first world.
    first: JointPositions,
    /// The frames of all bodies where their elements put them.
    reference: Vec<Similarity>,
}

impl Motion {
    /// Finds the frames for these poses, of which there is at least one, with these values of
    /// joints in all of them.
    pub fn new(
        mut poses: Vec<JointPositions>,
        tree: &BodyTree<'_>,
        path: &Path,
        joints: &[(String, JointValue)],
    ) -> Result<Self, FileError> {
        JointPositions::set_joints(&mut poses, tree, path, joints)?;
        let frames = poses.iter().map(|pose| pose.world_from_bodies(tree));
        let worlds: Vec<Vec<Similarity>> = frames.collect::<Result<_, _>>()?;
        let first = &worlds[0];
        let differs = |body: usize| worlds.iter().any(|frames| frames[body] != first[body]);
        let moves = (0..first.len()).map(differs).collect();
        let reference = JointPositions::reference(tree).world_from_bodies(tree)?;
        Ok(Self { worlds, moves, first: poses.swap_remove(0), reference })
    }

    /// Lets the bodies, geoms and cameras of a model stand as they do in the worlds. Returns the
    /// warning about cameras.
    pub fn stand(
        &self,
        model: &Model<'_>,
        tree: &BodyTree<'_>,
        geom_frames: &[GeomFrame],
        contents: &mut GraphContents,
    ) -> Result<Warning, FileError> {
        let first = &self.worlds[0];
        contents.links.clear();
        let groups = contents.groups[1..].iter_mut();
        for ((group, body), world_from_body) in groups.zip(&tree.bodies).zip(first) {
            group.parent_from_group = (*world_from_body).into();
            if let Some(path) = &body.path {
                let &Similarity { translation, rotation, .. } = world_from_body;
                let pose = Pose { position: translation, rotation };
                contents.links.insert(path.last().to_owned(), pose);
            }
        }
        for (item, geom) in contents.items.iter_mut().zip(geom_frames) {
            if let GraphItem::Shape(shape) = item {
                shape.contents_from_shape = Some(Box::new(geom.in_world(first).into()));
            }
        }
        let cameras_in = |world_from_bodies: &[Similarity]| {
            let (mut all, inexact) = cameras(tree, world_from_bodies, &self.reference)?;
            all.extend(rangefinders(model, tree, geom_frames, world_from_bodies)?);
            Ok::<_, FileError>((all, inexact))
        };
        contents.worlds =
            self.other_worlds(tree, geom_frames, |frames| Ok(cameras_in(frames)?.0))?;
        contents.sites = sites(tree, first);
        let inexact;
        (contents.cameras, inexact) = cameras_in(first)?;
        contents.joints = self.first.states(tree);
        Ok(inexact)
    }

    /// Makes the worlds beyond the first, each with its cameras and sites.
    fn other_worlds(
        &self,
        tree: &BodyTree<'_>,
        geom_frames: &[GeomFrame],
        cameras_in: impl Fn(&[Similarity]) -> Result<Vec<GraphCamera>, FileError>,
    ) -> Result<Vec<GraphWorld>, FileError> {
        let world = |frames: &Vec<Similarity>| {
            let moving = (0..).zip(geom_frames).filter(|(_, geom)| self.moves[geom.body]);
            let places = moving.map(|(item, geom)| (item, geom.in_world(frames).into())).collect();
            Ok(GraphWorld { places, cameras: cameras_in(frames)?, sites: sites(tree, frames) })
        };
        self.worlds[1..].iter().map(world).collect()
    }
}
