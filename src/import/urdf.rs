//! Robots in the Unified Robot Description Format: the visual or collision geometry of every link,
//! with the joints at zero or where they are asked to stand.
//!
//! Read straight from the XML, so that every error has its line and what is not geometry, sound or
//! not, is passed over.

use super::{Imported, Options, Warning};
use crate::files::{FileError, read_text};
use crate::math::{Similarity, rotation_about};
use crate::scene::Scene;
use crate::shapes::Kind;
use glam::DVec3;
use mesh::Meshes;
use roxmltree::{Document, Node};
use std::collections::{HashMap, HashSet};
use std::path::Path;

mod mesh;

/// Reads a robot. Geometry that cannot be read is named in a warning.
pub(super) fn read(path: &Path, options: &Options) -> Result<Imported, FileError> {
    let text = read_text(path)?;
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
    let joints = file.joints(robot)?;
    file.check_names(robot, &joints)?;
    let angles = file.joint_values(&joints, &options.joints)?;
    let which = if options.collision { "collision" } else { "visual" };

    let mut scene = Scene::new();
    let mut meshes = Meshes::new(path, &options.packages);
    let mut unread = Vec::new();
    for link in children(robot, "link") {
        let link_name = file.attribute(link, "name")?;
        let world_from_link = file.world_from_link(link_name, &joints, &angles)?;
        let count = children(link, which).count();
        for (index, part) in children(link, which).enumerate() {
            let path_of_names = match (part.attribute("name"), count) {
                (Some(name), _) => format!("{link_name}/{name}"),
                (None, 1) => link_name.to_owned(),
                (None, _) => format!("{link_name}/{which}[{index}]"),
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
                "mesh" => match meshes.read(file.mesh(geometry, &path_of_names)?) {
                    Ok(mesh) => scene.add_moved(&mesh, &world_from_part),
                    Err(why) => {
                        unread.push(format!("{path_of_names} ({why})"));
                        continue;
                    }
                },
                shape => match file.shape(geometry, &path_of_names)? {
                    Some((kind, row)) => scene.add_row(kind, &row, &world_from_part),
                    None => {
                        unread.push(format!("{path_of_names} (a {shape})"));
                        continue;
                    }
                },
            };
            let id = added
                .map_err(|refusal| file.refuse(geometry, format!("{path_of_names}: {refusal}")))?;
            scene.set_path(id, path_of_names);
        }
    }
    let mut imported = Imported::from(scene);
    if !unread.is_empty() {
        imported.warnings.push(Warning {
            what: format!("{which} geometries could not be read, and ids will shift once they are"),
            names: unread,
        });
    }
    Ok(imported)
}

fn children<'a>(node: Node<'a, 'a>, name: &'static str) -> impl Iterator<Item = Node<'a, 'a>> {
    node.children().filter(move |child| child.is_element() && child.tag_name().name() == name)
}

/// How a link hangs on its parent.
struct Joint<'a> {
    node: Node<'a, 'a>,
    name: &'a str,
    parent: &'a str,
    parent_from_joint: Similarity,
    motion: Motion,
    /// Follows another joint: its name, factor and offset.
    mimic: Option<(&'a str, f64, f64)>,
}

/// What a joint's value does.
enum Motion {
    None,
    Turn(DVec3),
    Slide(DVec3),
}

impl Joint<'_> {
    fn parent_from_child(&self, value: f64) -> Similarity {
        let moved = match self.motion {
            Motion::None => Similarity::IDENTITY,
            Motion::Turn(axis) => {
                Similarity { rotation: rotation_about(axis, value), ..Similarity::IDENTITY }
            }
            Motion::Slide(axis) => Similarity { translation: value * axis, ..Similarity::IDENTITY },
        };
        self.parent_from_joint.then_inner(&moved)
    }
}

/// Joints by the link that hangs on them.
type Joints<'a> = HashMap<&'a str, Joint<'a>>;

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
        let numbers: Result<Vec<f64>, _> = text.split_whitespace().map(str::parse).collect();
        numbers.ok().and_then(|numbers| numbers.try_into().ok()).ok_or_else(|| {
            let wanted = if N == 1 { "one number".to_owned() } else { format!("{N} numbers") };
            self.refuse(node, format!("{name}=\"{text}\" must be {wanted}"))
        })
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
        called: &str,
    ) -> Result<Option<(&'static Kind, Vec<f64>)>, FileError> {
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
        Ok(Kind::named(name).map(|kind| {
            let rest = kind.defaults().skip(row.len());
            (kind, row.iter().copied().chain(rest).collect())
        }))
    }

    fn joints(&self, robot: Node<'a, 'a>) -> Result<Joints<'a>, FileError> {
        let mut joints = Joints::new();
        for node in children(robot, "joint") {
            let name = self.attribute(node, "name")?;
            let end = |which: &'static str| {
                let end = children(node, which)
                    .next()
                    .ok_or_else(|| self.refuse(node, format!("joint '{name}' has no <{which}>")))?;
                self.attribute(end, "link")
            };
            let (parent, child) = (end("parent")?, end("child")?);
            let axis = match children(node, "axis").next() {
                Some(axis) => self.optional(axis, "xyz", [1.0, 0.0, 0.0])?,
                None => [1.0, 0.0, 0.0],
            };
            let axis = || {
                DVec3::from_array(axis).try_normalize().ok_or_else(|| {
                    self.refuse(node, format!("joint '{name}' has an axis of no length"))
                })
            };
            let motion = match self.attribute(node, "type")? {
                "revolute" | "continuous" => Motion::Turn(axis()?),
                "prismatic" => Motion::Slide(axis()?),
                "fixed" | "floating" | "planar" | "spherical" => Motion::None,
                other => {
                    let reason = format!(
                        "type=\"{other}\" is not a joint's: it must be fixed, revolute, continuous, prismatic, floating, planar or spherical"
                    );
                    return Err(self.refuse(node, reason));
                }
            };
            let mimic = match children(node, "mimic").next() {
                Some(mimic) => {
                    let [factor] = self.optional(mimic, "multiplier", [1.0])?;
                    let [offset] = self.optional(mimic, "offset", [0.0])?;
                    Some((self.attribute(mimic, "joint")?, factor, offset))
                }
                None => None,
            };
            let joint =
                Joint { node, name, parent, parent_from_joint: self.origin(node)?, motion, mimic };
            if let Some(other) = joints.insert(child, joint) {
                let reason =
                    format!("link '{child}' hangs on joint '{}' and on '{name}'", other.name);
                return Err(self.refuse(node, reason));
            }
        }
        Ok(joints)
    }

    /// That every link and joint which a joint speaks of is there.
    fn check_names(&self, robot: Node<'a, 'a>, joints: &Joints<'a>) -> Result<(), FileError> {
        let links: HashSet<_> =
            children(robot, "link").filter_map(|link| link.attribute("name")).collect();
        for (child, joint) in joints {
            let refuse = |what, name| {
                let joint_name = joint.name;
                let reason = format!(
                    "joint '{joint_name}' speaks of {what} '{name}', of which there is none"
                );
                Err(self.refuse(joint.node, reason))
            };
            for link in [*child, joint.parent] {
                if !links.contains(link) {
                    return refuse("link", link);
                }
            }
            if let Some((leader, ..)) = joint.mimic
                && !joints.values().any(|joint| joint.name == leader)
            {
                return refuse("joint", leader);
            }
        }
        Ok(())
    }

    /// Where each joint stands that is not at zero.
    fn joint_values(
        &self,
        joints: &Joints<'a>,
        asked: &[(String, f64)],
    ) -> Result<HashMap<&'a str, f64>, FileError> {
        let by_name: HashMap<&str, &Joint<'a>> =
            joints.values().map(|joint| (joint.name, joint)).collect();
        let mut given = HashMap::new();
        for (name, value) in asked {
            let refuse = |reason| Err(FileError::meaning(self.path, "", reason));
            let moves = |joint: &&&Joint<'_>| !matches!(joint.motion, Motion::None);
            let Some(joint) = by_name.get(name.as_str()).filter(moves) else {
                let mut known: Vec<_> = by_name.values().filter(moves).map(|j| j.name).collect();
                known.sort_unstable();
                let known = known.join(", ");
                return refuse(format!(
                    "has no joint '{name}' that moves; those that do are {known}"
                ));
            };
            if !value.is_finite() {
                return refuse(format!("joint '{name}' cannot stand at {value}"));
            }
            if given.insert(joint.name, *value).is_some() {
                return refuse(format!("joint '{name}' is given twice"));
            }
        }
        let value = |joint: &Joint<'a>| Ok((joint.name, self.followed(joint, &by_name, &given)?));
        joints.values().map(value).collect()
    }

    /// Where a joint stands by what was asked of it, or of the joint at the end of its chain of mimics.
    fn followed(
        &self,
        joint: &Joint<'a>,
        by_name: &HashMap<&str, &Joint<'a>>,
        asked: &HashMap<&str, f64>,
    ) -> Result<f64, FileError> {
        // Of the joint at hand, as factor · leader + offset.
        let (mut factor, mut offset) = (1.0, 0.0);
        let mut leader = joint;
        for _ in 0..=by_name.len() {
            if let Some(value) = asked.get(leader.name) {
                return Ok(factor * value + offset);
            }
            let Some((next, own_factor, own_offset)) = leader.mimic else {
                return Ok(offset);
            };
            offset += factor * own_offset;
            factor *= own_factor;
            // That it is there was checked.
            let Some(next) = by_name.get(next) else { return Ok(offset) };
            leader = next;
        }
        Err(self.refuse(joint.node, format!("joint '{}' mimics itself", joint.name)))
    }

    /// Up the chain of joints to the link that hangs on none.
    fn world_from_link(
        &self,
        link: &str,
        joints: &Joints<'a>,
        values: &HashMap<&str, f64>,
    ) -> Result<Similarity, FileError> {
        let mut world_from_link = Similarity::IDENTITY;
        let mut at = link;
        let mut steps = 0;
        while let Some(joint) = joints.get(at) {
            steps += 1;
            if steps > joints.len() {
                let reason = format!("link '{link}' hangs on itself by joint '{}'", joint.name);
                return Err(self.refuse(joint.node, reason));
            }
            let value = values.get(joint.name).copied().unwrap_or(0.0);
            world_from_link = joint.parent_from_child(value).then_inner(&world_from_link);
            at = joint.parent;
        }
        Ok(world_from_link)
    }
}

#[cfg(test)]
mod tests;
