//! Reads a model of MuJoCo (MJCF): its geoms with the ids that MuJoCo gives them, in the pose that the caller asks for,
//! and its cameras and rangefinders.
//!
//! The reader takes the geometry straight from the XML, so that every error has its line. It follows MuJoCo's documented
//! meaning of each attribute, and its choices where the documentation leaves one; `.ci/mujoco_oracle.py` compares the
//! answers with those of MuJoCo.

use super::{Imported, Options, Warning};
use crate::camera::Pose;
use crate::geometry::Geometry;
use crate::io::memory::bytes_of;
use crate::io::{FileError, FileStore};
use crate::math::Similarity;
use crate::scene::{Name, Scene};
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
    store: &FileStore,
    mut scene: Scene,
    path: &Path,
    options: &Options,
) -> Result<Imported, FileError> {
    let files = ModelFile::read(store, path)?;
    let model = Model::new(&files)?;
    if options.collision {
        let reason = "has no collision geometry apart: MuJoCo tells it by groups of geoms";
        return Err(FileError::meaning(path, "", reason));
    }
    let tree = BodyTree::read(&model)?;
    let poses = JointPositions::requested(&model, &tree, path, options)?;
    let motion = Motion::new(&poses, &tree)?;
    if poses.len() > 1 && scene.is_unrounded() {
        let reason = format!("is asked for {} poses, and a file in a scene takes one", poses.len());
        return Err(FileError::meaning(path, "", reason));
    }
    let world_from_bodies = &motion.worlds[0];
    let reference = JointPositions::reference(&tree).world_from_bodies(&tree)?;

    let mut unread = tree.unread.clone();
    let mut colorless =
        Warning::about_read("colours could not be read; shaded.png shows others in their place");
    let geoms_of = |body: usize| {
        let start = tree.geoms.partition_point(|geom| geom.body < body);
        start..tree.geoms.partition_point(|geom| geom.body <= body)
    };
    for (body, world_from_body) in tree.bodies.iter().zip(world_from_bodies) {
        if let Some(path) = &body.path {
            scene.note_frame(path, &(*world_from_body).into());
        }
    }
    let mut moving = Vec::new();
    for (index, geom) in tree.geoms.iter().enumerate() {
        let siblings = geoms_of(geom.body);
        let body_path = tree.bodies[geom.body].path.as_ref();
        let last = match &geom.name {
            Some(name) => name.clone(),
            None => format!("geom[{}]", index - siblings.start),
        };
        let name = match (body_path, siblings.len()) {
            (Some(path), 1) if geom.name.is_none() => path.clone(),
            (Some(path), _) => path.child(last),
            (None, _) => Name::from(last),
        };
        let world_from_geom = world_from_bodies[geom.body].then_inner(&geom.body_from_geom);
        scene.begin_node(&world_from_bodies[geom.body].into());
        scene.set_movable(options.movable || motion.moves(geom.body));
        let added = match &geom.shape {
            GeomShape::Row(kind, row) => scene.add_row(kind, row, &world_from_geom),
            GeomShape::Geometry(geometry) => {
                let needs = || format!("its meshes and heights up to those of {name} need");
                store.take_memory(path, bytes_of(geometry), needs)?;
                scene.add_moved(geometry, &world_from_geom)
            }
        };
        let added = added.or_else(|shape_error| {
            unread.add(|| format!("{name} ({shape_error})"));
            scene.add(Geometry::Empty)
        });
        let id =
            added.map_err(|shape_error| geom.element.refuse(format!("{name}: {shape_error}")))?;
        match &geom.color {
            Ok(color) => color.iter().for_each(|color| scene.set_color(id, *color)),
            Err(reason) => colorless.add(|| format!("{name} ({reason})")),
        }
        scene.set_name(id, name);
        if motion.moves(geom.body) {
            moving.push((scene.instances().len() as u32, geom));
        }
        let group = geom.group.clamp(0, GROUPS - 1) as u8;
        let is_wanted = options.geom_groups.as_ref().is_none_or(|groups| groups.contains(&group));
        if geom.is_transparent || !is_wanted {
            scene.hide(id);
        }
    }
    let ids_of = |body| geoms_of(body).map(|index| index as u32).collect();
    let cameras_in = |scene: &Scene, world_from_bodies: &[Similarity]| {
        let (mut cameras, inexact) =
            cameras::cameras(&tree, scene.origin(), world_from_bodies, &reference)?;
        cameras.extend(cameras::rangefinders(&model, &tree, scene, world_from_bodies, ids_of)?);
        Ok((cameras, inexact))
    };
    motion.add_worlds(&mut scene, &moving, path, cameras_in)?;
    let (cameras, inexact) = cameras_in(&scene, world_from_bodies)?;
    scene.cameras = cameras;

    let joints = poses[0].states(&tree);
    let mut warnings = vec![colorless, inexact];
    warnings.extend(pose::doubts(&tree, &options.joints));
    warnings.extend([tree.unfollowed, unread, tree.unknown]);
    warnings.retain(|warning| warning.count > 0);
    let links = tree.bodies.iter().zip(world_from_bodies).filter_map(|(body, world_from_body)| {
        let &Similarity { translation, rotation, .. } = world_from_body;
        Some((body.path.as_ref()?.last().to_owned(), Pose { position: translation, rotation }))
    });
    Ok(Imported { scene, links: links.collect(), joints, warnings, ..Imported::default() })
}

#[cfg(test)]
mod tests;
