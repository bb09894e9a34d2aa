//! Reads a model of MuJoCo (MJCF): its geoms with the ids that MuJoCo gives them, in the pose that the caller asks for,
//! and its cameras and rangefinders.
//!
//! The reader takes the geometry straight from the XML, so that every error has its line. It follows MuJoCo's documented
//! meaning of each attribute, and its choices where the documentation leaves one; `.ci/mujoco_oracle.py` compares the
//! answers with those of MuJoCo.

use super::graph::{GraphContents, GraphItem, GraphShape, Group, InvalidShapes, Label};
use super::graph_reader::{GraphReader, called};
use super::{Options, Warning};
use crate::camera::Pose;
use crate::geometry::Geometry;
use crate::io::FileError;
use crate::io::memory::bytes_of;
use crate::math::Similarity;
use geoms::GeomShape;
use model::{Model, ModelFile};
use motion::Motion;
use pose::JointPositions;
use std::path::Path;
use tree::BodyTree;

mod attributes;
mod camera_item;
mod cameras;
mod classes;
mod compiler;
mod document;
mod fit;
mod geoms;
mod hfields;
mod joints;
mod meshes;
mod model;
mod motion;
mod msh;
mod pose;
mod references;
mod scope;
mod tree;

/// The number of groups that geoms can be in; MuJoCo counts a geom of any other group to the nearest of them.
const GROUPS: i64 = 6;

/// Reads a model. Geoms that MuJoCo's rays pass through, and those of groups that are not asked for, are hidden, so that
/// ids are MuJoCo's.
pub(super) fn read(
    reader: &mut GraphReader,
    path: &Path,
    options: &Options,
) -> Result<u32, FileError> {
    let files = ModelFile::read(&reader.store, path)?;
    let model = Model::new(&files)?;
    if options.collision {
        let reason = "has no collision geometry apart: MuJoCo tells it by groups of geoms";
        return Err(FileError::meaning(path, "", reason));
    }
    let tree = BodyTree::read(&model)?;
    let poses = JointPositions::requested(&model, &tree, path, options)?;
    let motion = Motion::new(&poses, &tree)?;
    if poses.len() > 1 && reader.is_in_another() {
        let reason = format!("is asked for {} poses, and a file in a scene takes one", poses.len());
        return Err(FileError::meaning(path, "", reason));
    }
    let world_from_bodies = &motion.worlds[0];
    let reference = JointPositions::reference(&tree).world_from_bodies(&tree)?;

    let mut unread = tree.unread.clone();
    let mut colorless =
        Warning::about_read("colours could not be read; shaded.png shows others in their place");
    let mut contents = GraphContents::new(called(path), path.to_owned(), String::new());
    for (body, world_from_body) in tree.bodies.iter().zip(world_from_bodies) {
        contents.groups.push(Group {
            parent: 0,
            label: Label::Frame(body.path.clone()),
            color: None,
            parent_from_group: (*world_from_body).into(),
        });
        if let Some(path) = &body.path {
            let &Similarity { translation, rotation, .. } = world_from_body;
            let pose = Pose { position: translation, rotation };
            contents.links.insert(path.last().to_owned(), pose);
        }
    }
    for (index, geom) in (0..).zip(&tree.geoms) {
        let name = tree.path_of(geom, index as usize);
        if let GeomShape::Geometry(geometry) = &geom.shape {
            let needs = || format!("its meshes and heights up to those of {name} need");
            reader.store.take_memory(path, bytes_of(geometry), needs)?;
        }
        let geometry = geom.shape.geometry().unwrap_or_else(|shape_error| {
            unread.add(|| format!("{name} ({shape_error})"));
            Geometry::Empty
        });
        let color = geom.color.clone().unwrap_or_else(|reason| {
            colorless.add(|| format!("{name} ({reason})"));
            None
        });
        let world_from_geom = world_from_bodies[geom.body].then_inner(&geom.body_from_geom);
        let group = geom.group.clamp(0, GROUPS - 1) as u8;
        let is_wanted = options.geom_groups.as_ref().is_none_or(|groups| groups.contains(&group));
        contents.items.push(GraphItem::Shape(GraphShape {
            contents_from_shape: Some(Box::new(world_from_geom.into())),
            name: Some(name),
            mask: if geom.is_transparent || !is_wanted { 0 } else { u32::MAX },
            color,
            ..GraphShape::new(geom.body as u32 + 1, index, geometry)
        }));
    }
    let cameras_in = |world_from_bodies: &[Similarity]| {
        let (mut cameras, inexact) = cameras::cameras(&tree, world_from_bodies, &reference)?;
        cameras.extend(cameras::rangefinders(&model, &tree, world_from_bodies)?);
        Ok::<_, FileError>((cameras, inexact))
    };
    contents.worlds = motion.other_worlds(&tree, |frames| Ok(cameras_in(frames)?.0))?;
    let inexact;
    (contents.cameras, inexact) = cameras_in(world_from_bodies)?;
    contents.joints = poses[0].states(&tree);
    reader.warnings.extend([colorless, inexact]);
    reader.warnings.extend(pose::doubts(&tree, &options.joints));
    contents.invalid_shapes = InvalidShapes::Emptied(reader.warnings.len() + 1);
    reader.warnings.extend([tree.unfollowed, unread, tree.unknown]);
    let index = reader.reserve();
    reader.fill(index, contents);
    Ok(index)
}

#[cfg(test)]
mod tests;
