//! The joints of robots in a scene. Their names begin with the path of the robot's node.

use crate::joint_value::{JointValue, refuse_joint_of_no_robot};
use raytwin_files::FileError;
use std::path::Path;

/// Joints to move, each of a robot in one of the files.
pub(super) struct JointsByNode<'a> {
    joints: &'a [(String, JointValue)],
    /// For each joint: true if the node that its name begins with was found.
    is_found: Vec<bool>,
    /// The paths of the nodes with robots, or with scenes that may have robots.
    nodes: Vec<String>,
}

impl<'a> JointsByNode<'a> {
    pub fn new(joints: &'a [(String, JointValue)]) -> Self {
        Self { joints, is_found: vec![false; joints.len()], nodes: Vec::new() }
    }

    /// Returns the joints of the robot in a node. They replace those of the same names in the
    /// options of its file.
    pub fn take(&mut self, node: &str, given: &mut Vec<(String, JointValue)>) {
        for ((name, value), is_found) in self.joints.iter().zip(&mut self.is_found) {
            if let Some(joint) = name.strip_prefix(node).and_then(|rest| rest.strip_prefix('/')) {
                *is_found = true;
                given.retain(|(other, _)| other != joint);
                given.push((joint.to_owned(), value.clone()));
            }
        }
        self.nodes.push(node.to_owned());
    }

    /// Rejects a joint that belongs to no node. Afterwards there are no joints, because the nodes
    /// of definitions have no path.
    pub fn refuse_rest(&mut self, path: &Path) -> Result<(), FileError> {
        let Some(index) = self.is_found.iter().position(|is_found| !is_found) else {
            *self = Self::new(&[]);
            return Ok(());
        };
        Err(refuse_joint_of_no_robot(path, &self.joints[index].0, &self.nodes))
    }
}
