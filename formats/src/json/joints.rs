//! The joints of robots in a scene, which are called by the path of the node that holds the robot.

use crate::joint_value::{JointValue, refuse_joint_of_no_robot};
use raytwin_files::FileError;
use std::path::Path;

/// Joints to move, of which each belongs to one of the robots in a file.
pub(super) struct JointsByNode<'a> {
    joints: &'a [(String, JointValue)],
    /// For each joint: was the node found that it begins with?
    is_found: Vec<bool>,
    /// The paths of the nodes that hold robots, or scenes that may.
    nodes: Vec<String>,
}

impl<'a> JointsByNode<'a> {
    pub fn new(joints: &'a [(String, JointValue)]) -> Self {
        Self { joints, is_found: vec![false; joints.len()], nodes: Vec::new() }
    }

    /// Takes the joints of the robot that a node holds, in place of those of the same names that
    /// its file is given.
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

    /// Refuses a joint that belongs to no node. From now on there are none, because the nodes of
    /// definitions have no path.
    pub fn refuse_rest(&mut self, path: &Path) -> Result<(), FileError> {
        let Some(index) = self.is_found.iter().position(|is_found| !is_found) else {
            *self = Self::new(&[]);
            return Ok(());
        };
        Err(refuse_joint_of_no_robot(path, &self.joints[index].0, &self.nodes))
    }
}
