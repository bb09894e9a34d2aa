//! Reads a MuJoCo model (MJCF): its geoms with the ids of MuJoCo, in the requested pose, and its
//! cameras and rangefinders.
//!
//! The reader takes the geometry straight from the XML, so that every error has its line. It
//! follows MuJoCo's documented meaning of each attribute, and its choices where the documentation
//! leaves one. `.ci/mujoco_oracle.py` compares the answers with those of MuJoCo. The crate mjcf-rs
//! was not used: its errors have no lines, and it has no replicas.

use super::graph::{
    GraphContents, GraphItem, GraphShape, Group, InvalidShapes, JointedModel, Label,
};
use super::graph_reader::{GraphReader, called};
use super::joint_value::JointValue;
use super::xml::Lapses;
use super::{Options, Warning};
use geoms::{GeomFrame, GeomShape};
use model::{Model, ModelFile};
use motion::Motion;
use pose::JointPositions;
use raytwin::geometry::Geometry;
use raytwin::scene::Appearance;
use raytwin::transform::Transform;
use raytwin_files::FileError;
use raytwin_files::memory::bytes_of;
use std::path::{Path, PathBuf};
use std::sync::Arc;
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
mod sites;
mod tree;
mod walk;

/// The number of groups of geoms. MuJoCo counts a geom of any other group in the nearest group.
const GROUPS: i64 = 6;

/// Reads a model. Geoms that MuJoCo's rays ignore, and those of groups that are not requested, are
/// hidden, so that ids are MuJoCo's.
pub(super) fn read(
    reader: &mut GraphReader,
    path: &Path,
    options: &Options,
) -> Result<u32, FileError> {
    let mut lapses = Lapses::default();
    let files = ModelFile::read(&reader.store, path, &mut lapses)?;
    let model = Model::new(&files)?;
    if options.collision {
        let reason =
            "has no separate collision geometry: MuJoCo distinguishes it by groups of geoms";
        return Err(FileError::meaning(path, "", reason));
    }
    let tree = BodyTree::read(&model)?;
    let given = JointPositions::given(&model, &tree, path, options)?;
    let motion = Motion::new(given.clone(), &tree, path, &options.joints)?;
    if motion.worlds.len() > 1 && reader.is_in_another() {
        let count = motion.worlds.len();
        let reason = format!("has {count} poses, but a file inside a scene can have only one");
        return Err(FileError::meaning(path, "", reason));
    }

    let mut unread = tree.unread.clone();
    let mut colorless = Warning::of_colors();
    let mut contents = GraphContents::new(called(path), path.to_owned(), String::new());
    let labels = tree.bodies.iter().map(|body| Label::Frame(body.path.clone()));
    contents.groups.extend(labels.map(|label| Group::new(0, label, Transform::IDENTITY)));
    contents.bodies = tree.group_bodies(&model.excluded_bodies());
    contents.items.reserve_exact(tree.geoms.len());
    for (index, geom) in (0..).zip(&tree.geoms) {
        let name = tree.path_of(geom, index as usize);
        if let GeomShape::Geometry(geometry) = &geom.shape {
            let needs = || format!("its meshes and heights up to those of {name} need");
            reader.store.take_memory(path, bytes_of(geometry), needs)?;
        }
        let geometry = geom.shape.geometry().unwrap_or_else(|reason| {
            unread.add(|| format!("{name} ({reason})"));
            Geometry::Empty
        });
        let color = geom.color.clone().unwrap_or_else(|reason| {
            colorless.add(|| format!("{name} ({reason})"));
            None
        });
        let group = geom.group.clamp(0, GROUPS - 1) as u8;
        let is_wanted = options.geom_groups.as_ref().is_none_or(|groups| groups.contains(&group));
        contents.items.push(GraphItem::Shape(GraphShape {
            name: Some(name),
            mask: if geom.is_transparent || !is_wanted { 0 } else { u32::MAX },
            appearance: Appearance {
                label: options.label_groups.then_some(u16::from(group) + 1),
                ..color.into()
            },
            ..GraphShape::new(geom.frame.body as u32 + 1, index, geometry)
        }));
    }
    if options.label_groups {
        let names = (0..GROUPS as u16).map(|group| (group + 1, format!("group{group}")));
        contents.label_names.extend(names);
    }
    let geom_frames = tree.geom_frames();
    let inexact = motion.stand(&model, &tree, &geom_frames, &mut contents)?;
    reader.warnings.extend(lapses.warnings());
    reader.warnings.push(colorless);
    let before = reader.warnings.len();
    reader.warnings.push(inexact);
    reader.warnings.extend(pose::doubts(&tree, &options.joints));
    contents.pose_warnings = before..reader.warnings.len();
    contents.invalid_shapes = InvalidShapes::Emptied(reader.warnings.len() + 1);
    reader.warnings.extend([tree.unfollowed, unread, tree.unknown, tree.unread_cameras]);
    reader.warnings.extend(tree.meshes.raised());
    contents.joint_values.clone_from(&options.joints);
    contents.model =
        Some(Arc::new(PosedModel { path: path.to_owned(), files, given, geom_frames }));
    Ok(reader.add(contents))
}

/// A model with movable joints.
#[derive(Debug)]
struct PosedModel {
    path: PathBuf,
    files: ModelFile,
    /// The poses of a key or a file, at least one.
    given: Vec<JointPositions>,
    /// The frames of the geoms whose shapes were read.
    geom_frames: Vec<GeomFrame>,
}

impl JointedModel for PosedModel {
    fn pose(
        &self,
        contents: &mut GraphContents,
        joints: &[(String, JointValue)],
    ) -> Result<Vec<Warning>, FileError> {
        let model = Model::new(&self.files)?;
        let tree = BodyTree::without_geoms(&model)?;
        let motion = Motion::new(self.given.clone(), &tree, &self.path, joints)?;
        let inexact = motion.stand(&model, &tree, &self.geom_frames, contents)?;
        Ok([inexact].into_iter().chain(pose::doubts(&tree, joints)).collect())
    }
}

#[cfg(test)]
mod tests;
