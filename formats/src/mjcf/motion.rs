//! The poses of a model in several worlds: everything that moves from one to the next becomes an
//! instance, and the rest does not move.

use super::cameras::{cameras, carriers, rangefinders};
use super::geoms::GeomFrame;
use super::model::Model;
use super::pose::JointPositions;
use super::sites::sites;
use super::tree::BodyTree;
use crate::JointValue;
use crate::graph::{GraphContents, GraphItem, GraphWorld};

use crate::mount::Mount;
use crate::warning::Warning;
use raytwin::camera::Pose;
use raytwin::math::Similarity;
use raytwin::transform::Transform;
use raytwin_files::FileError;
use std::path::Path;

/// The frames of all bodies in each world, of which there is at least one.
pub(super) struct Motion {
    pub worlds: Vec<Vec<Similarity>>,
    /// For each body: true if its frame differs in some world.
    moves: Vec<bool>,
    /// The pose of the first world.
    first: JointPositions,
    /// The frames of all bodies in their elements' places.
    reference: Vec<Similarity>,
}

impl Motion {
    /// Finds the frames for these poses, at least one, with these values of joints in all of them.
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

    /// Moves the bodies, geoms and cameras of a model to their places in the worlds. Returns the
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
        let carriers = carriers(tree, geom_frames);
        let bodies = tree.bodies.iter().enumerate();
        for ((group, (number, body)), world_from_body) in groups.zip(bodies).zip(first) {
            group.parent_from_group = (*world_from_body).into();
            if let Some(path) = &body.path {
                let &Similarity { translation, rotation, .. } = world_from_body;
                let pose = Pose { position: translation, rotation };
                let link = Mount { pose, carrier: carriers[number].clone() };
                contents.links.insert(path.last().to_owned(), link);
            }
        }
        for (item, geom) in contents.items.iter_mut().zip(geom_frames) {
            if let GraphItem::Shape(shape) = item {
                shape.contents_from_shape = Some(Box::new(geom.in_world(first).into()));
            }
        }
        let cameras_in = |world_from_bodies: &[Similarity]| {
            let (mut all, inexact) = cameras(tree, world_from_bodies, &self.reference, &carriers)?;
            all.extend(rangefinders(model, tree, geom_frames, world_from_bodies, &carriers)?);
            Ok::<_, FileError>((all, inexact))
        };
        let sites_in = |world_from_bodies: &[Similarity]| sites(tree, world_from_bodies, &carriers);
        contents.worlds = self.other_worlds(geom_frames, |places, frames| {
            Ok(GraphWorld { places, cameras: cameras_in(frames)?.0, sites: sites_in(frames) })
        })?;
        contents.sites = sites_in(first);
        let inexact;
        (contents.cameras, inexact) = cameras_in(first)?;
        contents.joints = self.first.states(tree);
        Ok(inexact)
    }

    /// Makes the worlds after the first. `make` makes one from the places of moving items and from
    /// the frames of the bodies.
    fn other_worlds(
        &self,
        geom_frames: &[GeomFrame],
        make: impl Fn(Vec<(u32, Transform)>, &[Similarity]) -> Result<GraphWorld, FileError>,
    ) -> Result<Vec<GraphWorld>, FileError> {
        let world = |frames: &Vec<Similarity>| {
            let moving = (0..).zip(geom_frames).filter(|(_, geom)| self.moves[geom.body]);
            let places = moving.map(|(item, geom)| (item, geom.in_world(frames).into())).collect();
            make(places, frames)
        };
        self.worlds[1..].iter().map(world).collect()
    }
}
