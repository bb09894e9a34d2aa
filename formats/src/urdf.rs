//! Reads a robot in the Unified Robot Description Format (URDF): the visual or collision geometry
//! of every link, with each joint at zero or at the value that the caller gives.
//!
//! The reader takes the geometry straight from the XML, so that every error has its line, and
//! faults in elements that are not geometry do not matter. The crate urdf-rs was not used: it
//! rejects a robot for such a fault, such as a joint limit without a velocity, and its errors have
//! no lines.

use super::closed_form::closed_form;
use super::graph::{
    GraphContents, GraphItem, GraphShape, Group, GroupBodies, InvalidShapes, JointedModel, Label,
};
use super::graph_reader::{GraphReader, called};
use super::joint_value::{JointValue, looks_like_degrees};
use super::mount::Mount;
use super::shortened::shortened;
use super::xml::{self, Document, Lapses, Node};
use super::{Options, Remedy, Warning};
use document::{UrdfFile, children};
use joints::{Joints, RobotPose};
use materials::Materials;
use mesh::Meshes;
use raytwin::camera::Pose;
use raytwin::geometry::Geometry;
use raytwin::math::Similarity;
use raytwin::scene::Name;
use raytwin::transform::Transform;
use raytwin_files::FileError;
use raytwin_files::memory::bytes_of;
use repeats::repeated_elements;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

mod document;
mod joints;
mod materials;
mod mesh;
mod repeats;

/// Reads a robot. A warning names the geometry that cannot be read.
pub(super) fn read(
    reader: &mut GraphReader,
    path: &Path,
    options: &Options,
) -> Result<u32, FileError> {
    let store = &reader.store;
    let mut lapses = Lapses::default();
    let text = xml::read_text(store, path, &mut lapses)?;
    let document = xml::parse(path, &text, &mut lapses)?;
    let file = UrdfFile { path, document: &document };
    let robot = document.root_element();
    if robot.tag_name().name() != "robot" {
        let reason =
            format!("the root element is <{}>: URDF begins with <robot>", robot.tag_name().name());
        return Err(file.refuse(robot, reason));
    }
    let (joints, doubtful_joints) = Joints::read(&file, robot)?;
    let pose = joints.pose(&file, &options.joints)?;
    let which = if options.collision { "collision" } else { "visual" };

    let mut meshes = Meshes::new(store, path, &options.packages);
    let materials = Materials::read(robot);
    let mut colorless = Warning::of_colors();
    let mut unread = Warning::unread(&format!("{which} geometries"));
    let mut contents = GraphContents::new(called(path), path.to_owned(), String::new());
    for (group, link) in (1..).zip(children(robot, "link")) {
        let link_name = file.attribute(link, "name")?;
        let link_path = Name::from(link_name);
        let label = Label::Frame(Some(link_path.clone()));
        contents.groups.push(Group::new(0, label, Transform::IDENTITY));
        let count = children(link, which).count();
        for (index, item) in children(link, which).enumerate() {
            let name = match (item.attribute("name"), count) {
                (Some(name), _) => link_path.child(name),
                (None, 1) => link_path.clone(),
                (None, _) => link_path.child(format!("{which}[{index}]")),
            };
            let origin = file.shape_origin(item)?;
            let shape = children(item, "geometry")
                .next()
                .and_then(|geometry| geometry.children().find(Node::is_element));
            let fault = shape
                .and_then(|it| file.not_finite(it, &["radius", "length", "size", "scale"]))
                .or(origin.err());
            let read = match (shape, fault) {
                (None, _) => Err("it has no <geometry> with a shape".to_owned()),
                (_, Some(reason)) => Err(reason),
                (Some(mesh), None) if mesh.tag_name().name() == "mesh" => {
                    meshes.read(file.mesh(mesh)?).and_then(|mesh| {
                        let needs = || format!("its meshes up to that of {name} need");
                        let taken = store.take_memory(path, bytes_of(&mesh), needs);
                        taken.map_err(|error| error.to_string())?;
                        mesh.check().map_err(|shape_error| shape_error.to_string())?;
                        Ok(mesh)
                    })
                }
                (Some(shape), None) => file.shape(shape)?,
            };
            let geometry = read.unwrap_or_else(|reason| {
                unread.add(|| format!("{name} ({reason})"));
                Geometry::Empty
            });
            let color = materials.color(&file, item).unwrap_or_else(|reason| {
                colorless.add(|| format!("{name} ({reason})"));
                None
            });
            contents.items.push(GraphItem::Shape(GraphShape {
                name: Some(name),
                appearance: color.into(),
                ..GraphShape::new(group, contents.items.len() as u32, geometry)
            }));
        }
    }
    unread.remedy = meshes.lacks_package.then_some(Remedy::Packages);
    let numbers: HashMap<&str, u32> =
        children(robot, "link").filter_map(|link| link.attribute("name")).zip(1..).collect();
    let groups = contents.groups.len();
    contents.bodies =
        GroupBodies::of_joints(groups, joints.pairs(&numbers, true), joints.pairs(&numbers, false));
    file.stand(robot, which, &pose, &mut contents)?;
    reader.warnings.extend(lapses.warnings().chain(meshes.warnings.raised()));
    reader.warnings.extend(doubtful_joints);
    contents.invalid_shapes = InvalidShapes::Emptied(reader.warnings.len());
    reader.warnings.extend([unread, colorless, repeated_elements(&document, which)]);
    let before = reader.warnings.len();
    reader.warnings.extend(pose.doubts);
    contents.pose_warnings = before..reader.warnings.len();
    reader.warnings.push(origins_in_degrees(&document));
    contents.joint_values.clone_from(&options.joints);
    contents.model = Some(Arc::new(Robot { path: path.to_owned(), text, which }));
    Ok(reader.add(contents))
}

/// A robot with movable joints.
#[derive(Debug)]
struct Robot {
    path: PathBuf,
    text: String,
    /// The elements of a link that are read.
    which: &'static str,
}

impl JointedModel for Robot {
    fn pose(
        &self,
        contents: &mut GraphContents,
        joints: &[(String, JointValue)],
    ) -> Result<Vec<Warning>, FileError> {
        // Warnings about the text were given when it was read.
        let document = xml::parse(&self.path, &self.text, &mut Lapses::default())?;
        let file = UrdfFile { path: &self.path, document: &document };
        let robot = document.root_element();
        let pose = Joints::read(&file, robot)?.0.pose(&file, joints)?;
        file.stand(robot, self.which, &pose, contents)?;
        Ok(pose.doubts)
    }
}

/// A warning about the parents of origins whose angles look like degrees, although URDF's are in
/// radians.
fn origins_in_degrees(document: &Document<'_>) -> Warning {
    let mut warning =
        Warning::about_read("origins have an rpy that looks like degrees but is read as radians");
    for origin in document.descendants().filter(|node| node.has_tag_name("origin")) {
        let rpy = origin.attribute("rpy").unwrap_or_default();
        let angles = rpy.split_whitespace().filter_map(|angle| angle.parse().ok());
        let mut angles = angles.filter(|angle: &f64| angle.is_finite());
        if angles.any(looks_like_degrees) {
            let [line, _] = document.position(origin.range().start);
            warning.add(|| format!("line {line} (rpy=\"{}\")", shortened(rpy)));
        }
    }
    warning
}

impl<'a> UrdfFile<'a> {
    /// Moves links and their shapes, which were read in the same order, to their places in a pose.
    fn stand(
        &self,
        robot: Node<'a, 'a>,
        which: &'static str,
        pose: &RobotPose<'_>,
        contents: &mut GraphContents,
    ) -> Result<(), FileError> {
        // All parts of a robot are connected, so it moves as a whole.
        let carrier = 0..contents.items.len() as u32;
        let mut items = contents.items.iter_mut();
        for (group, link) in contents.groups[1..].iter_mut().zip(children(robot, "link")) {
            let name = self.attribute(link, "name")?;
            // A root link is the child of no joint.
            let world_from_link =
                pose.world_from_links.get(name).copied().unwrap_or(Similarity::IDENTITY);
            group.parent_from_group = world_from_link.into();
            let Similarity { translation, rotation, .. } = world_from_link;
            let pose = Pose { position: translation, rotation };
            contents.links.insert(name.to_owned(), Mount { pose, carrier: carrier.clone() });
            for (element, item) in children(link, which).zip(&mut items) {
                // A shape whose origin is not finite was left out.
                let origin = self.shape_origin(element)?.unwrap_or(Similarity::IDENTITY);
                let world_from_item = world_from_link.then_inner(&origin);
                if let GraphItem::Shape(shape) = item {
                    shape.contents_from_shape = Some(Box::new(world_from_item.into()));
                }
            }
        }
        contents.joints.clone_from(&pose.states);
        Ok(())
    }

    /// A shape in its own frame; the inner error is the reason why it cannot be read.
    fn shape(&self, geometry: Node<'a, 'a>) -> Result<Result<Geometry, String>, FileError> {
        let tag = geometry.tag_name().name();
        let (name, row) = match tag {
            "sphere" => {
                let [radius] = self.required(geometry, "radius")?;
                ("sphere", vec![0.0, 0.0, 0.0, radius])
            }
            "box" => {
                let [x, y, z] = self.required(geometry, "size")?;
                ("box", vec![0.0, 0.0, 0.0, 0.5 * x, 0.5 * y, 0.5 * z])
            }
            name @ ("cylinder" | "capsule") => {
                let [radius] = self.required(geometry, "radius")?;
                let [length] = self.required(geometry, "length")?;
                if length <= 0.0 {
                    // A negative length would only swap the ends, and so pass every later check.
                    return Ok(Err(format!("length is {length:?}: it must be above 0")));
                }
                let half = 0.5 * length;
                (name, vec![0.0, 0.0, -half, 0.0, 0.0, half, radius])
            }
            _ => return Ok(Err(format!("a {tag}"))),
        };
        Ok(closed_form(name, &row))
    }
}

#[cfg(test)]
mod tests;
