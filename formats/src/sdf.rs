//! Reads Gazebo's worlds and models in the Simulation Description Format (SDFormat 1.3 to 1.12):
//! the visual or collision geometry of every link at its place in the file, and the visual sensors.
//!
//! The reader takes the geometry straight from the XML, so that every error has its line. It
//! follows the semantics of frames since SDFormat 1.7.

use super::Options;
use super::graph::{
    Aim, CameraPlace, GraphCamera, GraphContents, GraphItem, GraphShape, Group, GroupBodies,
    InvalidShapes, Label,
};
use super::graph_reader::{GraphReader, called};
use super::mount::Mount;
use glam::DVec3;
use raytwin::camera::Pose;
use raytwin::math::Similarity;
use raytwin::scene::Name;
use raytwin::transform::Transform;
use raytwin_files::FileError;
use std::collections::HashMap;
use std::path::Path;
use world::WorldSensor;

mod camera;
mod element;
mod frames;
mod geometry;
mod heightmap;
mod labels;
mod lidar;
mod material;
mod mesh;
mod models;
mod polyline;
mod pose;
mod repeats;
mod resources;
mod sensor;
mod sensor_names;
mod sight;
mod tree;
mod warnings;
mod world;

/// Reads a world, or the models of a file without one. Warnings name the parts that cannot be read.
pub(super) fn read(
    reader: &mut GraphReader,
    path: &Path,
    options: &Options,
) -> Result<u32, FileError> {
    let world = tree::read(&reader.store, path, options)?;
    let world_from = |frame: usize| world.world_from_frames[frame];
    let mut contents = GraphContents::new(called(path), path.to_owned(), String::new());
    let numbers: HashMap<String, u32> =
        world.groups.iter().map(|group| group.path.to_string()).zip(1..).collect();
    let pairs = |are_fixed: bool| -> Vec<[u32; 2]> {
        let joints = world.joints.iter().filter(|(_, is_fixed)| *is_fixed == are_fixed);
        let number = |path: &Name| numbers.get(&path.to_string()).copied();
        joints.filter_map(|([a, b], _)| Some([number(a)?, number(b)?])).collect()
    };
    contents.bodies = GroupBodies::of_joints(world.groups.len() + 1, pairs(true), pairs(false));
    for group in world.groups {
        let world_from_group = world_from(group.frame);
        if group.is_link {
            let Similarity { translation, rotation, .. } = world_from_group;
            let pose = Pose { position: translation, rotation };
            let link = Mount { pose, carrier: group.carrier };
            contents.links.insert(group.path.to_string(), link);
        }
        let label = Label::Frame(Some(group.path));
        contents.groups.push(Group::new(0, label, world_from_group.into()));
    }
    for (index, shape) in (0..).zip(world.shapes) {
        let world_from_shape: Transform = world_from(shape.frame).into();
        // The contents as a whole are the first group.
        let link = shape.link as u32 + 1;
        contents.items.push(GraphItem::Shape(GraphShape {
            name: Some(shape.path),
            appearance: shape.appearance,
            integers: shape
                .laser_retro
                .map(|it| ("laser_retro".to_owned(), it))
                .into_iter()
                .collect(),
            contents_from_shape: Some(Box::new(world_from_shape)),
            ..GraphShape::new(link, index, shape.geometry)
        }));
    }
    let sensors = world.sensors.iter().enumerate();
    contents.cameras =
        sensors.map(|(number, sensor)| camera(number, sensor, &world_from(sensor.frame))).collect();
    contents.invalid_shapes = InvalidShapes::Emptied(reader.warnings.len());
    reader.warnings.extend(world.warnings);
    Ok(reader.add(contents))
}

/// The camera of a sensor, which looks along its x axis.
fn camera(number: usize, sensor: &WorldSensor, world_from_sensor: &Similarity) -> GraphCamera {
    GraphCamera {
        name: sensor.path.to_string(),
        eye: world_from_sensor.translation,
        aim: Aim::Direction(world_from_sensor.rotation * DVec3::X),
        up: Some(world_from_sensor.rotation * DVec3::Z),
        projection: sensor.sight.projection.clone(),
        sensor: sensor.sight.sensor(number),
        hidden: 0..0,
        carrier: sensor.carrier.clone(),
        parent: None,
        place: CameraPlace::Text(sensor.place.source.clone(), sensor.place.offset),
    }
}

#[cfg(test)]
mod tests;
