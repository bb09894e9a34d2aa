//! The pose of a model: the numbers of its joints and of its mocap bodies, and the forward
//! kinematics.

use super::compiler::unit_quaternion;
use super::document::Element;
use super::joints::Joint;
use super::model::Model;
use super::tree::BodyTree;
use crate::checks::not_finite;
use crate::joint_value;
use crate::{JointState, JointValue, Options, Warning};
use raytwin::math::Similarity;
use raytwin_files::npz::read_npy;
use raytwin_files::{FileError, FileStore};
use std::ops::Range;
use std::path::Path;

use super::attributes::Attributes;

/// A pose of all bodies.
#[derive(Clone, Debug)]
pub(super) struct JointPositions {
    /// Its row in a file of several poses.
    row: Option<usize>,
    /// The numbers of all joints in the order of their bodies, as in MuJoCo's `qpos`.
    numbers: Vec<f64>,
    /// The frames of the mocap bodies in their order.
    mocap: Vec<Similarity>,
}

impl JointPositions {
    /// Returns the pose in which every body is where its element puts it.
    pub fn reference(tree: &BodyTree<'_>) -> Self {
        let mut numbers = Vec::new();
        for body in &tree.bodies {
            let joints = body.joints.iter();
            joints.for_each(|joint| joint.push_reference(&body.parent_from_body, &mut numbers));
        }
        let mocap = tree.bodies.iter().filter(|body| body.is_mocap);
        Self { row: None, numbers, mocap: mocap.map(|body| body.parent_from_body).collect() }
    }

    /// The poses of a key or a file, or the reference pose, without the joints that are set by
    /// name. There is at least one.
    pub fn given(
        model: &Model<'_>,
        tree: &BodyTree<'_>,
        path: &Path,
        options: &Options,
    ) -> Result<Vec<Self>, FileError> {
        let mut pose = Self::reference(tree);
        match (&options.key, &options.qpos) {
            (Some(_), Some(_)) => {
                let reason =
                    "cannot have both the pose of a key and that of a file: give one of the two";
                return Err(FileError::meaning(path, "", reason));
            }
            (Some(key), None) => pose.set_key(model, tree, path, key)?,
            (None, Some(file)) => return pose.of_file(model.store, tree, file),
            (None, None) => {}
        }
        Ok(vec![pose])
    }

    /// Sets the numbers of joints in all poses.
    pub fn set_joints(
        poses: &mut [Self],
        tree: &BodyTree<'_>,
        path: &Path,
        joints: &[(String, JointValue)],
    ) -> Result<(), FileError> {
        for (index, (name, value)) in joints.iter().enumerate() {
            if joints[..index].iter().any(|(other, _)| other == name) {
                let reason = format!("joint '{name}' is set twice");
                return Err(FileError::meaning(path, "", reason));
            }
            poses.iter_mut().try_for_each(|pose| pose.set_joint(tree, path, name, value))?;
        }
        Ok(())
    }

    /// Sets the numbers of a `<key>`, which is chosen by its name, or otherwise by its number from
    /// 0. Keys that the model reserves in addition to those that it defines have the reference
    /// pose.
    fn set_key(
        &mut self,
        model: &Model<'_>,
        tree: &BodyTree<'_>,
        path: &Path,
        name: &str,
    ) -> Result<(), FileError> {
        let keys: Vec<_> = keys_of(model.root).collect();
        let named = keys.iter().find(|key| key.attribute("name") == Some(name));
        let number = name.parse::<usize>().ok();
        let count = reserved_keys(model)?.max(keys.len());
        if named.is_none() && number.is_some_and(|number| (keys.len()..count).contains(&number)) {
            return Ok(());
        }
        let Some(key) = named.or_else(|| keys.get(number?)) else {
            let names: Vec<_> = keys.iter().filter_map(|key| key.attribute("name")).collect();
            let attached = model.roots()[1..].iter().flat_map(|root| keys_of(root)).count();
            let unread = match attached {
                0 => String::new(),
                count => format!("; {count} keys of models among its assets are not read"),
            };
            let reason = format!(
                "has no key '{name}': it has {count} keys; their names are {}{unread}",
                if names.is_empty() { "none".to_owned() } else { names.join(", ") }
            );
            return Err(FileError::meaning(path, "", reason));
        };
        let attributes = Attributes::of(key)?;
        let numbers = |name: &str, count: usize| match attributes.list(name)? {
            Some(numbers) if numbers.len() != count => {
                let reason = format!("has {} numbers: the model has {count}", numbers.len());
                Err(attributes.refuse(name, format!("{reason}{}", unknown(tree))))
            }
            numbers => Ok(numbers),
        };
        if let Some(numbers) = numbers("qpos", self.numbers.len())? {
            self.numbers = numbers;
        }
        let places = numbers("mpos", 3 * self.mocap.len())?;
        for (body, place) in self.mocap.iter_mut().zip(places.iter().flat_map(|p| p.as_chunks().0))
        {
            body.translation = glam::DVec3::from_array(*place);
        }
        let turns = numbers("mquat", 4 * self.mocap.len())?;
        for (body, turn) in self.mocap.iter_mut().zip(turns.iter().flat_map(|q| q.as_chunks().0)) {
            body.rotation = unit_quaternion(*turn).ok_or_else(|| {
                attributes.refuse("mquat", "has a quaternion with a length near zero")
            })?;
        }
        Ok(())
    }

    /// Returns the poses of a NumPy file, an array of shape (nq,), or (N, nq) for several.
    fn of_file(
        &self,
        store: &FileStore,
        tree: &BodyTree<'_>,
        file: &Path,
    ) -> Result<Vec<Self>, FileError> {
        let array = read_npy(store, file)?;
        let count = self.numbers.len();
        let refuse = |reason: String| Err(FileError::meaning(file, "", reason));
        let rows = match array.shape[..] {
            [length] if length == count => 1,
            [rows, length] if length == count && rows > 0 => rows,
            _ => {
                return refuse(format!(
                    "has shape {:?}: a pose of this model must have shape ({count},), and several poses must have shape (N, {count}){}",
                    array.shape,
                    unknown(tree)
                ));
            }
        };
        if let Some(index) = array.numbers.iter().position(|number| !number.is_finite()) {
            let number = array.numbers[index];
            return refuse(format!(
                "is {number} in row {} and column {}: numbers must be finite",
                index / count,
                index % count
            ));
        }
        let pose = |row: usize| Self {
            row: (rows > 1).then_some(row),
            numbers: array.numbers[row * count..][..count].to_vec(),
            mocap: self.mocap.clone(),
        };
        Ok((0..rows).map(pose).collect())
    }

    /// Returns the named joints with one number each, with their values.
    pub fn states(&self, tree: &BodyTree<'_>) -> Vec<JointState> {
        let state = |(joint, range): (&Joint<'_>, Range<usize>)| match self.numbers[range] {
            [value] => Some(JointState {
                name: joint.name.clone()?,
                turns: joint.motion.turns(),
                value,
                limits: joint.limits,
            }),
            _ => None,
        };
        joints(tree).filter_map(state).collect()
    }

    fn set_joint(
        &mut self,
        tree: &BodyTree<'_>,
        path: &Path,
        name: &str,
        value: &JointValue,
    ) -> Result<(), FileError> {
        let refuse = |reason: String| Err(FileError::meaning(path, "", reason));
        let Some((joint, range)) = find(tree, name) else {
            let mut known: Vec<_> = joints(tree).filter_map(|(j, _)| j.name.as_deref()).collect();
            known.sort_unstable();
            let known = match known.is_empty() {
                true => "no joint has a name".to_owned(),
                false => format!("the named joints are {}", known.join(", ")),
            };
            return refuse(format!("has no joint '{name}'; {known}"));
        };
        let numbers = match value {
            JointValue::Degrees(_) if !joint.motion.turns() => {
                return refuse(format!("joint '{name}' is not a hinge: its value is not an angle"));
            }
            JointValue::Several(numbers) => numbers.clone(),
            value => value.in_radians_or_metres().into_iter().collect(),
        };
        if numbers.len() != range.len() {
            return refuse(format!(
                "joint '{name}' is {} and needs {} numbers, not {}",
                joint.kind(),
                range.len(),
                numbers.len()
            ));
        }
        if let Some(fault) = not_finite(&numbers) {
            return refuse(format!("joint '{name}': {fault}"));
        }
        self.numbers[range].copy_from_slice(&numbers);
        Ok(())
    }

    /// Returns the frames of all bodies in the world.
    pub fn world_from_bodies(&self, tree: &BodyTree<'_>) -> Result<Vec<Similarity>, FileError> {
        let mut frames: Vec<Similarity> = Vec::with_capacity(tree.bodies.len());
        let (mut numbers, mut mocap) = (&self.numbers[..], self.mocap.iter());
        for body in &tree.bodies {
            let parent_from_body = match body.is_mocap {
                true => mocap.next().unwrap_or(&body.parent_from_body),
                false => &body.parent_from_body,
            };
            let mut frame = match frames.get(body.parent) {
                Some(world_from_parent) => world_from_parent.then_inner(parent_from_body),
                None => Similarity::IDENTITY,
            };
            for joint in &body.joints {
                let own;
                (own, numbers) = numbers.split_at(joint.motion.number_count());
                frame = joint.moved(&frame, own).map_err(|reason| {
                    let name = joint.name.as_deref().unwrap_or("without a name");
                    let row = self.row.map_or_else(String::new, |row| format!(" in row {row}"));
                    joint.element.refuse(format!("joint {name} has {reason}{row}"))
                })?;
            }
            frame.rotation = frame.rotation.normalize();
            frames.push(frame);
        }
        Ok(frames)
    }
}

/// Returns the least number of keys of a model.
fn reserved_keys(model: &Model<'_>) -> Result<usize, FileError> {
    let mut count = 0;
    for element in model.root.children("size") {
        count = Attributes::of(element)?.integer("nkey")?.unwrap_or(count);
    }
    Ok(usize::try_from(count).unwrap_or(0))
}

/// Names the elements because of which MuJoCo's pose may have other numbers, as the end of a
/// message.
fn unknown(tree: &BodyTree<'_>) -> String {
    match tree.unknown.count {
        0 => String::new(),
        _ => format!("; {}", tree.unknown),
    }
}

fn keys_of(root: &Element) -> impl Iterator<Item = &Element> {
    root.children("keyframe").flat_map(|section| section.children("key"))
}

/// Returns all joints, each with its range of the pose's numbers.
fn joints<'t, 'a>(tree: &'t BodyTree<'a>) -> impl Iterator<Item = (&'t Joint<'a>, Range<usize>)> {
    let joints = tree.bodies.iter().flat_map(|body| &body.joints);
    joints.scan(0, |start, joint| {
        let range = *start..*start + joint.motion.number_count();
        *start = range.end;
        Some((joint, range))
    })
}

fn find<'t, 'a>(tree: &'t BodyTree<'a>, name: &str) -> Option<(&'t Joint<'a>, Range<usize>)> {
    joints(tree).find(|(joint, _)| joint.name.as_deref() == Some(name))
}

/// Returns warnings about values of joints that are probably mistakes.
pub(super) fn doubts(tree: &BodyTree<'_>, requested: &[(String, JointValue)]) -> [Warning; 3] {
    joint_value::doubts(requested, |name| {
        find(tree, name).map(|(joint, _)| (joint.motion, joint.limits))
    })
}
