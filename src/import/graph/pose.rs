//! Moves the joints of robots and models in a graph, whose files are not read again.

use super::contents::{Graph, GraphItem, GraphUse};
use crate::import::joint_value::{JointValue, refuse_joint_of_no_robot};
use crate::import::warning::Warning;
use crate::io::FileError;

/// Gives joints other values. In a native scene the name of a joint begins with the path of the
/// node that holds the robot.
///
/// # Errors
/// [`FileError`] for a joint that is not there, and for a value that it cannot have.
pub(in crate::import) fn pose(
    graph: &mut Graph,
    root: u32,
    joints: &[(String, JointValue)],
    warnings: &mut [Warning],
) -> Result<(), FileError> {
    pose_contents(graph, root, joints, "", warnings)
}

/// Does so for contents that lie at a path, which is empty or ends in a slash.
fn pose_contents(
    graph: &mut Graph,
    index: u32,
    joints: &[(String, JointValue)],
    path: &str,
    warnings: &mut [Warning],
) -> Result<(), FileError> {
    let contents = &mut graph.0[index as usize];
    if let Some(model) = contents.model.clone() {
        let is_kept = |(name, _): &&(String, JointValue)| joints.iter().all(|(it, _)| it != name);
        let mut all: Vec<_> = contents.joint_values.iter().filter(is_kept).cloned().collect();
        all.extend_from_slice(joints);
        let of_values = model.pose(contents, &all)?;
        contents.joint_values = all;
        for (own, mut warning) in of_values {
            warning.names.iter_mut().for_each(|name| *name = format!("{path}{name}"));
            warnings[contents.first_warning + own] = warning;
        }
        return Ok(());
    }
    let mut is_found = vec![false; joints.len()];
    let mut nodes = Vec::new();
    for at in 0..graph.0[index as usize].items.len() {
        let contents = &graph.0[index as usize];
        let GraphItem::Use(GraphUse { group, contents: used }) = contents.items[at] else {
            continue;
        };
        let node = contents.path_of(group);
        let inner = &graph.0[used as usize];
        // A use of a definition, or of a file without joints, is no node of a robot.
        if !contents.is_native || !inner.place.is_empty() {
            continue;
        }
        if inner.model.is_none() && !inner.is_native {
            continue;
        }
        let mut own = Vec::new();
        for ((name, value), is_found) in joints.iter().zip(&mut is_found) {
            if let Some(joint) = name.strip_prefix(&node).and_then(|rest| rest.strip_prefix('/')) {
                *is_found = true;
                own.push((joint.to_owned(), value.clone()));
            }
        }
        if !own.is_empty() {
            // Other nodes may hold the same file, and keep their pose.
            let posed = graph.0.len() as u32;
            graph.0.push(graph.0[used as usize].clone());
            pose_contents(graph, posed, &own, &format!("{path}{node}/"), warnings)?;
            let moved = GraphItem::Use(GraphUse { group, contents: posed });
            graph.0[index as usize].items[at] = moved;
        }
        nodes.push(node);
    }
    match is_found.iter().position(|is_found| !is_found) {
        Some(at) => {
            let file = &graph.0[index as usize].path;
            Err(refuse_joint_of_no_robot(file, &joints[at].0, &nodes))
        }
        None => Ok(()),
    }
}
