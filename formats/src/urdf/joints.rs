//! The kinematic tree: reads the joints, finds their values, and composes the world transform of
//! every link.

use super::document::{UrdfFile, children};
use crate::joint_value::{JointMotion, doubts};
use crate::xml::Node;
use crate::{JointState, JointValue, Remedy, Warning};
use glam::DVec3;
use raytwin::camera::Pose;
use raytwin::math::{Similarity, rotation_about};
use raytwin_files::FileError;
use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};

/// A joint, which moves its child link relative to its parent link.
struct Joint<'a> {
    node: Node<'a, 'a>,
    name: &'a str,
    parent: &'a str,
    child: &'a str,
    parent_from_joint: Similarity,
    motion: JointMotion,
    /// The limits of the joint's value, if the file states them.
    limits: Option<[f64; 2]>,
    mimic: Option<Mimic<'a>>,
}

/// The rule by which a joint follows another: factor × leader's value + offset.
struct Mimic<'a> {
    leader: &'a str,
    factor: f64,
    offset: f64,
}

impl Joint<'_> {
    fn moves(&self) -> bool {
        self.motion.number_count() == 1
    }

    fn parent_from_child(&self, value: f64) -> Similarity {
        let moved = match self.motion {
            JointMotion::Fixed | JointMotion::Ball | JointMotion::Free => Similarity::IDENTITY,
            JointMotion::Turn(axis) => {
                Similarity { rotation: rotation_about(axis, value), ..Similarity::IDENTITY }
            }
            JointMotion::Slide(axis) => {
                Similarity { translation: value * axis, ..Similarity::IDENTITY }
            }
        };
        self.parent_from_joint.then_inner(&moved)
    }
}

/// The places of a robot's links at some values of its joints.
pub(super) struct RobotPose<'a> {
    /// The frames of all links, by name, except those of roots that no value places.
    pub world_from_links: HashMap<&'a str, Similarity>,
    /// The joints that a caller can move.
    pub states: Vec<JointState>,
    /// Warnings about values that are probably mistakes, and about joints without a value.
    pub doubts: Vec<Warning>,
}

/// A robot's joints in the file's order, with their indices by child link and by name.
pub(super) struct Joints<'a> {
    all: Vec<Joint<'a>>,
    by_child: HashMap<&'a str, usize>,
    by_name: HashMap<&'a str, usize>,
    /// The links that are not the child of any joint.
    roots: HashSet<&'a str>,
}

/// Returns the pose of seven numbers: x, y, z, and the quaternion w, x, y, z.
fn place(numbers: &[f64]) -> Option<Similarity> {
    let &[x, y, z, qw, qx, qy, qz] = numbers else { return None };
    let pose = Pose::new(DVec3::new(x, y, z), [qx, qy, qz, qw]).ok()?;
    Some(Similarity { translation: pose.position, rotation: pose.rotation, scale: 1.0 })
}

impl<'a> Joints<'a> {
    /// Returns the indices of the two links of each joint that is fixed, or of each that is not.
    pub fn pairs(
        &self,
        numbers: &HashMap<&str, u32>,
        are_fixed: bool,
    ) -> impl Iterator<Item = [u32; 2]> {
        let joints = self.all.iter();
        let chosen =
            joints.filter(move |joint| matches!(joint.motion, JointMotion::Fixed) == are_fixed);
        chosen.filter_map(|joint| Some([*numbers.get(joint.parent)?, *numbers.get(joint.child)?]))
    }

    /// Reads the joints; their links must exist. A joint that mimics a missing joint follows none,
    /// and a joint whose axis has length zero does not move: warnings name both.
    pub fn read(
        file: &UrdfFile<'a>,
        robot: Node<'a, 'a>,
    ) -> Result<(Self, [Warning; 2]), FileError> {
        let (all, by_child, by_name, roots) = Default::default();
        let mut joints = Self { all, by_child, by_name, roots };
        let mut without_axis =
            Warning::about_read("joints have an axis of length zero and do not move");
        for node in children(robot, "joint") {
            let joint = file.joint(node, &mut without_axis)?;
            if let Some(other) = joints.by_child.insert(joint.child, joints.all.len()) {
                let (child, other, name) = (joint.child, joints.all[other].name, joint.name);
                let reason = format!(
                    "link '{child}' is the child of joint '{other}' and of '{name}': it may have one parent joint"
                );
                return Err(file.refuse(node, reason));
            }
            joints.by_name.insert(joint.name, joints.all.len());
            joints.all.push(joint);
        }
        let links: HashSet<_> =
            children(robot, "link").filter_map(|link| link.attribute("name")).collect();
        let is_root = |link: &&str| !joints.by_child.contains_key(link);
        joints.roots = links.iter().copied().filter(is_root).collect();
        let mut without_leader = Warning::about_read(
            "joints mimic a joint that the robot lacks; each is at zero unless you set it",
        );
        without_leader.remedy = Some(Remedy::Joints);
        for joint in &mut joints.all {
            let name = joint.name;
            if let Some(link) =
                [joint.child, joint.parent].iter().find(|link| !links.contains(*link))
            {
                let reason =
                    format!("joint '{name}' connects link '{link}', which the robot does not have");
                return Err(file.refuse(joint.node, reason));
            }
            let has_leader = |mimic: &mut Mimic<'_>| joints.by_name.contains_key(mimic.leader);
            if let Some(Mimic { leader, .. }) = joint.mimic.take_if(|mimic| !has_leader(mimic)) {
                without_leader.add(|| format!("{name} ({leader})"));
            }
        }
        Ok((joints, [without_leader, without_axis]))
    }

    /// The pose that the joints have with the requested values.
    pub fn pose(
        &self,
        file: &UrdfFile<'a>,
        requested: &[(String, JointValue)],
    ) -> Result<RobotPose<'a>, FileError> {
        let places = self.places(file, requested)?;
        let is_place = |name: &str| self.takes_place(name).is_some();
        let values: Vec<_> =
            requested.iter().filter(|(name, _)| !is_place(name)).cloned().collect();
        let (values, circular) = self.values(file, &values)?;
        Ok(RobotPose {
            world_from_links: self.world_from_links(file, &values, &places)?,
            states: self.states(&values),
            doubts: self.doubts(requested).into_iter().chain([circular]).collect(),
        })
    }

    /// The name, as in the file, of a floating joint or a root link: both have a position and a
    /// rotation.
    fn takes_place(&self, name: &str) -> Option<&'a str> {
        match self.by_name.get(name) {
            Some(&index) => {
                let joint = &self.all[index];
                matches!(joint.motion, JointMotion::Free).then_some(joint.name)
            }
            None => self.roots.get(name).copied(),
        }
    }

    /// The requested places of floating joints and of root links, by name.
    fn places(
        &self,
        file: &UrdfFile<'a>,
        requested: &[(String, JointValue)],
    ) -> Result<HashMap<&'a str, Similarity>, FileError> {
        let mut places = HashMap::new();
        for (given, value) in requested {
            let Some(name) = self.takes_place(given) else { continue };
            let refuse = |reason| Err(FileError::meaning(file.path, "", reason));
            let JointValue::Several(numbers) = value else {
                return refuse(format!(
                    "'{name}' is a floating joint: give x, y, z and the quaternion w, x, y, z"
                ));
            };
            let Some(place) = place(numbers) else {
                return refuse(format!(
                    "'{name}' is a floating joint: {value} must be x, y, z and a quaternion w, x, y, z, all finite, and the quaternion must not be zero"
                ));
            };
            if places.insert(name, place).is_some() {
                return refuse(format!("'{name}' is set twice"));
            }
        }
        Ok(places)
    }

    /// The value of each joint: the requested one, otherwise that of the joint that it mimics,
    /// otherwise zero. Joints that mimic each other in a circle are at zero, and the warning names
    /// them.
    pub fn values(
        &self,
        file: &UrdfFile<'a>,
        requested: &[(String, JointValue)],
    ) -> Result<(HashMap<&'a str, f64>, Warning), FileError> {
        let mut values = HashMap::new();
        for (name, value) in requested {
            let refuse = |reason| Err(FileError::meaning(file.path, "", reason));
            let joint = self.by_name.get(name.as_str()).map(|&index| &self.all[index]);
            let Some(joint) = joint.filter(|joint| joint.moves()) else {
                let moving = self.all.iter().filter(|joint| joint.moves());
                let mut known: Vec<_> = moving.map(|joint| joint.name).collect();
                known.sort_unstable();
                let floats =
                    self.all.iter().map(|joint| joint.name).chain(self.roots.iter().copied());
                let mut floats: Vec<_> =
                    floats.filter(|name| self.takes_place(name).is_some()).collect();
                floats.sort_unstable();
                return refuse(format!(
                    "has no moving joint '{name}'; the joints with one value are {}; those with x, y, z and a quaternion are {}",
                    known.join(", "),
                    floats.join(", ")
                ));
            };
            if matches!((value, &joint.motion), (JointValue::Degrees(_), JointMotion::Slide(_))) {
                return refuse(format!(
                    "joint '{name}' is a sliding joint: its value is a distance in metres, not an angle"
                ));
            }
            let Some(value) = value.in_radians_or_metres() else {
                return refuse(format!("joint '{name}' needs one number, not several"));
            };
            if !value.is_finite() {
                return refuse(format!("joint '{name}' has the value {value}: it must be finite"));
            }
            if values.insert(joint.name, value).is_some() {
                return refuse(format!("joint '{name}' is set twice"));
            }
        }
        let leader_of = |name: &str| {
            let joint = &self.all[*self.by_name.get(name)?];
            joint.mimic.as_ref().map(|mimic| (joint, mimic.leader))
        };
        let follow = |value: f64, joint: &Joint<'_>| {
            joint.mimic.as_ref().map_or(value, |mimic| mimic.factor * value + mimic.offset)
        };
        let mut circular =
            Warning::about_read("joints mimic themselves; each is at zero unless you set it");
        circular.remedy = Some(Remedy::Joints);
        for joint in &self.all {
            while let Err(joint) = self.inherit(&mut values, joint.name, leader_of, 0.0, follow) {
                let mut member = joint.name;
                while let Entry::Vacant(vacant) = values.entry(member) {
                    vacant.insert(0.0);
                    circular.add(|| member.to_owned());
                    let Some((_, leader)) = leader_of(member) else { break };
                    member = leader;
                }
            }
        }
        Ok((values, circular))
    }

    /// The joints that move and follow no other, with these values.
    fn states(&self, values: &HashMap<&'a str, f64>) -> Vec<JointState> {
        let leading = self.all.iter().filter(|joint| joint.moves() && joint.mimic.is_none());
        let state = |joint: &Joint<'_>| JointState {
            name: joint.name.to_owned(),
            turns: joint.motion.turns(),
            value: values.get(joint.name).copied().unwrap_or(0.0),
            limits: joint.limits,
        };
        leading.map(state).collect()
    }

    /// Warnings about requested values that are probably mistakes.
    fn doubts(&self, requested: &[(String, JointValue)]) -> [Warning; 3] {
        doubts(requested, |name| {
            let joint = &self.all[*self.by_name.get(name)?];
            Some((joint.motion, joint.limits))
        })
    }

    /// The world transform of each link, composed from the joints between it and the root link.
    fn world_from_links(
        &self,
        file: &UrdfFile<'a>,
        values: &HashMap<&str, f64>,
        places: &HashMap<&'a str, Similarity>,
    ) -> Result<HashMap<&'a str, Similarity>, FileError> {
        let of_roots = places.iter().filter(|(name, _)| self.roots.contains(*name));
        let mut world_from_links: HashMap<_, _> =
            of_roots.map(|(&name, &place)| (name, place)).collect();
        let parent_of = |link: &str| {
            let joint = &self.all[*self.by_child.get(link)?];
            Some((joint, joint.parent))
        };
        let move_by = |world_from_parent: Similarity, joint: &Joint<'_>| {
            let value = values.get(joint.name).copied().unwrap_or(0.0);
            let moved = world_from_parent.then_inner(&joint.parent_from_child(value));
            places.get(joint.name).map_or(moved, |place| moved.then_inner(place))
        };
        for Joint { child, .. } in &self.all {
            self.inherit(&mut world_from_links, child, parent_of, Similarity::IDENTITY, move_by)
                .map_err(|joint| {
                    let reason = format!(
                        "link '{child}' is its own ancestor through joint '{}'",
                        joint.name
                    );
                    file.refuse(joint.node, reason)
                })?;
        }
        Ok(world_from_links)
    }

    /// Climbs from `start` by `above` to a name whose value is known, or to the root, whose value
    /// is `root`; then goes down again and derives each value from the one above it by `step`. The
    /// values are kept in `known`, so chains that share joints go over them once.
    ///
    /// # Errors
    /// Returns a joint of the cycle if the climb does not end.
    fn inherit<'b, T: Copy>(
        &'b self,
        known: &mut HashMap<&'a str, T>,
        start: &'a str,
        above: impl Fn(&str) -> Option<(&'b Joint<'a>, &'a str)>,
        root: T,
        step: impl Fn(T, &Joint<'a>) -> T,
    ) -> Result<(), &'b Joint<'a>> {
        let mut chain = Vec::new();
        let mut at = start;
        let mut value = loop {
            if let Some(value) = known.get(at) {
                break *value;
            }
            let Some((joint, next)) = above(at) else { break root };
            if chain.len() == self.all.len() {
                return Err(joint);
            }
            chain.push((at, joint));
            at = next;
        };
        for (at, joint) in chain.into_iter().rev() {
            value = step(value, joint);
            known.insert(at, value);
        }
        Ok(())
    }
}

impl<'a> UrdfFile<'a> {
    fn joint(
        &self,
        node: Node<'a, 'a>,
        without_axis: &mut Warning,
    ) -> Result<Joint<'a>, FileError> {
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
        let mut along = |motion: fn(DVec3) -> JointMotion| {
            DVec3::from_array(axis).try_normalize().map_or_else(
                || {
                    without_axis.add(|| name.to_owned());
                    JointMotion::Fixed
                },
                motion,
            )
        };
        let motion = match self.attribute(node, "type")? {
            "revolute" | "continuous" => along(JointMotion::Turn),
            "prismatic" => along(JointMotion::Slide),
            "floating" => JointMotion::Free,
            "fixed" | "planar" | "spherical" => JointMotion::Fixed,
            other => {
                let reason = format!(
                    "type=\"{other}\" is not a type of joint: it must be fixed, revolute, continuous, prismatic, floating, planar or spherical"
                );
                return Err(self.refuse(node, reason));
            }
        };
        // An unreadable limit is not an error, because it is not geometry.
        let bound = |limit: Node<'a, 'a>, name| match limit.attribute(name) {
            Some(text) => text.trim().parse::<f64>().ok(),
            None => Some(0.0),
        };
        let is_limited =
            matches!(motion, JointMotion::Slide(_)) || node.attribute("type") == Some("revolute");
        let limits = children(node, "limit")
            .next()
            .and_then(|limit| Some([bound(limit, "lower")?, bound(limit, "upper")?]))
            .filter(|[lower, upper]| is_limited && lower < upper);
        let mimic = match children(node, "mimic").next() {
            Some(mimic) => {
                let [factor] = self.optional(mimic, "multiplier", [1.0])?;
                let [offset] = self.optional(mimic, "offset", [0.0])?;
                Some(Mimic { leader: self.attribute(mimic, "joint")?, factor, offset })
            }
            None => None,
        };
        let parent_from_joint = self.origin(node)?;
        Ok(Joint { node, name, parent, child, parent_from_joint, motion, limits, mimic })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::xml::{self, Lapses};
    use std::cell::Cell;
    use std::path::Path;

    #[test]
    fn chains_that_share_joints_are_gone_over_once() {
        let joint = |at: usize| {
            let [parent, child] = [at + 1, at];
            format!(
                r#"<link name="{at}"/><joint name="{at}" type="fixed"><parent link="{parent}"/><child link="{child}"/></joint>"#
            )
        };
        let links: String = (0..1000).map(joint).collect();
        let text = format!("<robot>{links}<link name=\"1000\"/></robot>");
        let document = xml::parse(Path::new(""), &text, &mut Lapses::default()).unwrap();
        let file = UrdfFile { path: Path::new(""), document: &document };
        let (joints, _) = Joints::read(&file, document.root_element()).unwrap();
        let (ups, downs) = (Cell::new(0), Cell::new(0));
        let mut depths = HashMap::new();
        for joint in &joints.all {
            let above = |link: &str| {
                ups.set(ups.get() + 1);
                let joint = &joints.all[*joints.by_child.get(link)?];
                Some((joint, joint.parent))
            };
            let step = |depth: usize, _: &Joint<'_>| {
                downs.set(downs.get() + 1);
                depth + 1
            };
            assert!(joints.inherit(&mut depths, joint.child, above, 0, step).is_ok());
        }
        assert_eq!((depths["0"], depths["999"]), (1000, 1));
        assert_eq!((ups.get(), downs.get()), (1001, 1000));
    }
}
