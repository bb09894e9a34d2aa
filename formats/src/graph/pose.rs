//! Moves the joints of robots and models in a graph, without reading their files again.

use super::contents::{Graph, GraphItem, GraphUse};
use crate::joint_value::{JointValue, refuse_joint_of_no_robot};
use crate::warning::Warning;
use raytwin_files::FileError;

/// Sets the values of joints. In a native scene, the name of a joint begins with the path of the
/// robot's node.
///
/// # Errors
/// [`FileError`] for a joint that does not exist, and for a value that it cannot have.
pub(crate) fn pose(
    graph: &mut Graph,
    root: u32,
    joints: &[(String, JointValue)],
    warnings: &mut Vec<Warning>,
) -> Result<(), FileError> {
    pose_contents(graph, root, joints, "", warnings)
}

/// Does so for contents at a path, which is empty or ends in a slash.
fn pose_contents(
    graph: &mut Graph,
    index: u32,
    joints: &[(String, JointValue)],
    path: &str,
    warnings: &mut Vec<Warning>,
) -> Result<(), FileError> {
    let contents = &mut graph.0[index as usize];
    if let Some(model) = contents.model.clone() {
        let is_kept = |(name, _): &&(String, JointValue)| joints.iter().all(|(it, _)| it != name);
        let mut all: Vec<_> = contents.joint_values.iter().filter(is_kept).cloned().collect();
        all.extend_from_slice(joints);
        let of_pose = model.pose(contents, &all)?;
        contents.joint_values = all;
        for (at, mut warning) in contents.pose_warnings.clone().zip(of_pose) {
            warning.names.iter_mut().for_each(|name| *name = format!("{path}{name}"));
            warnings[at] = warning;
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
        // A node with a definition, or with a file without joints, is not the node of a robot.
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
            let posed = own_contents(graph, used, warnings);
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

/// The index of contents that only one node uses: other nodes with the same file keep their pose,
/// and the warnings about it.
fn own_contents(graph: &mut Graph, used: u32, warnings: &mut Vec<Warning>) -> u32 {
    let items = graph.0.iter().flat_map(|contents| &contents.items);
    let uses = items.filter(|item| matches!(item, GraphItem::Use(it) if it.contents == used));
    if uses.count() <= 1 {
        return used;
    }
    let mut own = graph.0[used as usize].clone();
    let first = warnings.len();
    warnings.extend(warnings[own.pose_warnings.clone()].to_vec());
    own.pose_warnings = first..warnings.len();
    graph.0.push(own);
    graph.0.len() as u32 - 1
}
