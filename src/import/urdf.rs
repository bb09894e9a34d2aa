//! Robots in the Unified Robot Description Format: the visual or collision geometry of every link,
//! with the joints at zero or where they are asked to stand.
//!
//! Read straight from the XML, so that every error has its line and what is not geometry, sound or
//! not, is passed over.

use super::{Imported, Options, Remedy, Warning, shortened, unfit};
use crate::io::{FileError, read_text};
use crate::math::{Similarity, rotation_about};
use crate::scene::{Name, Scene};
use crate::shapes::ShapeType;
use glam::DVec3;
use joints::Joints;
use mesh::Meshes;
use roxmltree::{Document, Node};
use std::path::Path;

mod joints;
mod mesh;

/// Reads a robot. Geometry that cannot be read is named in a warning.
pub(super) fn read(path: &Path, options: &Options) -> Result<Imported, FileError> {
    let text = read_text(path)?;
    check_attributes(path, &text)?;
    let document = Document::parse(&text).map_err(|error| {
        let position = error.pos();
        FileError::parser(path, [position.row as usize, position.col as usize], error)
    })?;
    let file = File { path, document: &document };
    let robot = document.root_element();
    if robot.tag_name().name() != "robot" {
        let reason =
            format!("<{}> is not a robot: URDF starts with <robot>", robot.tag_name().name());
        return Err(file.refuse(robot, reason));
    }
    let (joints, leaderless) = Joints::read(&file, robot)?;
    let values = joints.values(&file, &options.joints)?;
    let world_from_links = joints.world_from_links(&file, &values)?;
    let which = if options.collision { "collision" } else { "visual" };

    let mut scene = Scene::new();
    let mut meshes = Meshes::new(path, &options.packages);
    let mut unread = Warning::new(format!(
        "{which} geometries could not be read, and ids will shift once they are"
    ));
    for link in children(robot, "link") {
        let link_name = file.attribute(link, "name")?;
        let name_of_link = Name::from(link_name);
        // The root hangs on no joint.
        let world_from_link =
            world_from_links.get(link_name).copied().unwrap_or(Similarity::IDENTITY);
        let count = children(link, which).count();
        for (index, part) in children(link, which).enumerate() {
            let name = match (part.attribute("name"), count) {
                (Some(own), _) => name_of_link.child(own),
                (None, 1) => name_of_link.clone(),
                (None, _) => name_of_link.child(format!("{which}[{index}]")),
            };
            let world_from_part = world_from_link.then_inner(&file.origin(part)?);
            let geometry = children(part, "geometry")
                .next()
                .and_then(|geometry| geometry.children().find(Node::is_element))
                .ok_or_else(|| {
                    file.refuse(
                        part,
                        format!(
                            "<{which}> of link '{link_name}' has no <geometry> with a shape in it"
                        ),
                    )
                })?;
            let added = match geometry.tag_name().name() {
                "mesh" => match meshes.read(file.mesh(geometry, &name)?) {
                    Ok(mesh) => scene.add_moved(&mesh, &world_from_part),
                    Err(why) => {
                        unread.add(|| format!("{name} ({why})"));
                        continue;
                    }
                },
                shape => match file.shape(geometry, &name)? {
                    Some((kind, row)) => scene.add_row(kind, &row, &world_from_part),
                    None => {
                        unread.add(|| format!("{name} (a {shape})"));
                        continue;
                    }
                },
            };
            let id = added
                .map_err(|shape_error| file.refuse(geometry, format!("{name}: {shape_error}")))?;
            scene.set_name(id, name);
        }
    }
    unread.remedy = meshes.lacks_package.then_some(Remedy::Packages);
    let mut warnings = vec![leaderless, unread];
    warnings.retain(|warning| warning.count > 0);
    Ok(Imported { scene, warnings })
}

/// The most attributes of an element, and declarations of namespaces in all: the parser holds each against all
/// others.
const MAX_ATTRIBUTES: usize = 1000;

/// That no text takes its parser longer than its length explains.
fn check_attributes(path: &Path, text: &str) -> Result<(), FileError> {
    let refuse = |reason| FileError::meaning(path, "", reason);
    let tags = text.split('<').map(|rest| rest.split('>').next().unwrap_or_default());
    let count = tags.map(|tag| tag.matches('=').count()).max().unwrap_or(0);
    if count > MAX_ATTRIBUTES {
        return Err(refuse(format!("has an element of {count} attributes: there may be 1000")));
    }
    let count = text.matches("xmlns").count();
    if count > MAX_ATTRIBUTES {
        return Err(refuse(format!("declares {count} XML namespaces: there may be 1000")));
    }
    Ok(())
}

fn children<'a>(node: Node<'a, 'a>, name: &'static str) -> impl Iterator<Item = Node<'a, 'a>> {
    node.children().filter(move |child| child.is_element() && child.tag_name().name() == name)
}

struct File<'a> {
    path: &'a Path,
    document: &'a Document<'a>,
}

impl<'a> File<'a> {
    fn refuse(&self, node: Node<'_, '_>, reason: impl Into<String>) -> FileError {
        let position = self.document.text_pos_at(node.range().start);
        FileError::Syntax {
            path: self.path.to_owned(),
            line: position.row as usize,
            column: position.col as usize,
            reason: reason.into(),
        }
    }

    fn attribute(&self, node: Node<'a, 'a>, name: &str) -> Result<&'a str, FileError> {
        node.attribute(name).ok_or_else(|| {
            self.refuse(node, format!("<{}> has no {name}=\"...\"", node.tag_name().name()))
        })
    }

    fn numbers<const N: usize>(
        &self,
        node: Node<'a, 'a>,
        name: &str,
        text: &str,
    ) -> Result<[f64; N], FileError> {
        let said = format!("{name}=\"{}\"", shortened(text));
        let numbers: Result<Vec<f64>, _> = text.split_whitespace().map(str::parse).collect();
        let Some(numbers) = numbers.ok().and_then(|numbers| <[f64; N]>::try_from(numbers).ok())
        else {
            let wanted = if N == 1 { "one number".to_owned() } else { format!("{N} numbers") };
            return Err(self.refuse(node, format!("{said} must be {wanted}")));
        };
        match unfit(&numbers) {
            Some(fault) => Err(self.refuse(node, format!("{said}: {fault}"))),
            None => Ok(numbers),
        }
    }

    fn required<const N: usize>(
        &self,
        node: Node<'a, 'a>,
        name: &str,
    ) -> Result<[f64; N], FileError> {
        self.numbers(node, name, self.attribute(node, name)?)
    }

    fn optional<const N: usize>(
        &self,
        node: Node<'a, 'a>,
        name: &str,
        default: [f64; N],
    ) -> Result<[f64; N], FileError> {
        node.attribute(name).map_or(Ok(default), |text| self.numbers(node, name, text))
    }

    /// The `<origin xyz rpy>` in a node: roll, pitch and yaw about fixed axes.
    fn origin(&self, node: Node<'a, 'a>) -> Result<Similarity, FileError> {
        let Some(origin) = children(node, "origin").next() else {
            return Ok(Similarity::IDENTITY);
        };
        let [roll, pitch, yaw] = self.optional(origin, "rpy", [0.0; 3])?;
        Ok(Similarity {
            translation: self.optional(origin, "xyz", [0.0; 3])?.into(),
            rotation: rotation_about(DVec3::Z, yaw)
                * rotation_about(DVec3::Y, pitch)
                * rotation_about(DVec3::X, roll),
            scale: 1.0,
        })
    }

    /// A shape's row in its own frame; `None` for what is not read.
    fn shape(
        &self,
        geometry: Node<'a, 'a>,
        called: &Name,
    ) -> Result<Option<(&'static ShapeType, Vec<f64>)>, FileError> {
        let (name, row) = match geometry.tag_name().name() {
            "sphere" => {
                let [radius] = self.required(geometry, "radius")?;
                ("sphere", vec![0.0, 0.0, 0.0, radius])
            }
            "box" => {
                let [x, y, z] = self.required(geometry, "size")?;
                if x.min(y).min(z) <= 0.0 {
                    let reason =
                        format!("{called}: size is {x:?} {y:?} {z:?}: each must be above 0");
                    return Err(self.refuse(geometry, reason));
                }
                let half = [0.5 * x, 0.5 * y, 0.5 * z];
                let mut row = vec![0.0; 3];
                row.extend(half);
                row.extend([0.0, 0.0, 0.0, 1.0]);
                ("box", row)
            }
            name @ ("cylinder" | "capsule") => {
                let [radius] = self.required(geometry, "radius")?;
                let [length] = self.required(geometry, "length")?;
                if length <= 0.0 {
                    // A negative one would turn it over and pass.
                    let reason = format!("{called}: length is {length:?}: it must be above 0");
                    return Err(self.refuse(geometry, reason));
                }
                let half = 0.5 * length;
                (name, vec![0.0, 0.0, -half, 0.0, 0.0, half, radius])
            }
            _ => return Ok(None),
        };
        Ok(ShapeType::named(name).map(|kind| {
            let rest = kind.defaults().skip(row.len());
            (kind, row.iter().copied().chain(rest).collect())
        }))
    }
}

#[cfg(test)]
mod tests;
