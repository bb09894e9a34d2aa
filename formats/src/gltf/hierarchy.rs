//! The tree of nodes: the parent of each, its transform into the scene, and the roots of the
//! default scene.

use super::document::{ExactNode, GltfFile, NOTHING};
use glam::{DMat3, DVec3};
use raytwin::fields::unit_rotation;
use raytwin::math::Similarity;
use raytwin::transform::{Affine, Transform};
use raytwin_files::FileError;
use std::path::Path;

/// The largest depth of nested nodes. Names and transforms are composed from the root to the leaf.
const MOST_NESTED: usize = 1000;

/// The tree of a document's nodes.
pub(super) struct Hierarchy {
    /// The transform of each node in its parent, or the reason why there is none.
    pub parent_from_node: Vec<Result<Transform, &'static str>>,
    /// The transform of each node in the scene; `None` if it or a parent has none.
    pub scene_from_node: Vec<Option<Transform>>,
    /// The root nodes of the scene: the default scene, the first, or all nodes if there is no
    /// scene.
    pub roots: Vec<usize>,
}

impl Hierarchy {
    /// # Errors
    /// [`FileError`] if the nodes are not a tree, or nested too deeply, or if a scene lists nodes
    /// that are not roots.
    pub fn read(path: &Path, file: &GltfFile) -> Result<Self, FileError> {
        let nodes = &file.document.nodes;
        let count = nodes.len();
        let mut parents: Vec<Option<usize>> = vec![None; count];
        for (node, description) in nodes.iter().enumerate() {
            for (index, &child) in description.children().iter().enumerate() {
                if let Some(other) = parents[child].replace(node) {
                    let place = format!("nodes[{node}].children[{index}]");
                    let reason = format!(
                        "is nodes[{child}], which is already a child of nodes[{other}]: a node has one parent"
                    );
                    return Err(FileError::meaning(path, place, reason));
                }
            }
        }
        let parent_from_node: Vec<_> = file.exact.nodes.iter().map(parent_from_node).collect();
        let mut scene_from_node = vec![None; count];
        let all_roots: Vec<usize> = (0..count).filter(|&node| parents[node].is_none()).collect();
        let mut level = all_roots.clone();
        let mut reached = 0;
        for _ in 0..MOST_NESTED {
            reached += level.len();
            let mut next = Vec::new();
            for node in level {
                let outer = match parents[node] {
                    None => Some(Transform::IDENTITY),
                    Some(parent) => scene_from_node[parent],
                };
                let local = parent_from_node[node].as_ref().ok();
                scene_from_node[node] =
                    outer.zip(local).map(|(outer, local): (Transform, _)| outer.then_inner(local));
                next.extend_from_slice(nodes[node].children());
            }
            level = next;
        }
        if let Some(deep) = level.first() {
            let reason = format!(
                "is nested more than {MOST_NESTED} nodes deep: make the tree of nodes flatter"
            );
            return Err(FileError::meaning(path, format!("nodes[{deep}]"), reason));
        }
        if reached < count {
            let in_circle = circle(&parents);
            let reason = "is its own descendant: remove it from the children of its descendants";
            return Err(FileError::meaning(path, format!("nodes[{in_circle}]"), reason));
        }
        let scene = file.exact.scene.unwrap_or(0);
        let roots = match file.exact.scenes.get(scene) {
            Some(scene) => scene.nodes.clone(),
            None if file.exact.scene.is_some() => {
                return Err(FileError::meaning(path, "scene", NOTHING));
            }
            None => return Ok(Self { parent_from_node, scene_from_node, roots: all_roots }),
        };
        let mut is_listed = vec![false; count];
        for (index, &root) in roots.iter().enumerate() {
            let is_second = is_listed.get_mut(root).map(|it| std::mem::replace(it, true));
            let reason = match parents.get(root) {
                None => NOTHING.to_owned(),
                _ if is_second == Some(true) => {
                    format!("is nodes[{root}] for the second time: list it once")
                }
                Some(Some(parent)) => format!(
                    "is nodes[{root}], a child of nodes[{parent}]: a scene lists nodes without parents"
                ),
                Some(None) => continue,
            };
            return Err(FileError::meaning(
                path,
                format!("scenes[{scene}].nodes[{index}]"),
                reason,
            ));
        }
        Ok(Self { parent_from_node, scene_from_node, roots })
    }
}

/// The first node that is its own descendant. Each node has at most one parent.
fn circle(parents: &[Option<usize>]) -> usize {
    let mut walked_from = vec![usize::MAX; parents.len()];
    for start in 0..parents.len() {
        let mut at = Some(start);
        while let Some(node) = at.filter(|&node| walked_from[node] == usize::MAX) {
            walked_from[node] = start;
            at = parents[node];
        }
        if let Some(node) = at.filter(|&node| walked_from[node] == start) {
            return node;
        }
    }
    0
}

fn parent_from_node(node: &ExactNode) -> Result<Transform, &'static str> {
    if let Some(matrix) = &node.matrix {
        // The matrix is written column by column.
        let column = |index: usize| DVec3::from_slice(&matrix[4 * index..]);
        let bottom = [matrix[3], matrix[7], matrix[11], matrix[15] - 1.0];
        if bottom.iter().any(|number| number.abs() > 1e-6) {
            return Err("a matrix whose last row is not 0 0 0 1");
        }
        let linear = DMat3::from_cols(column(0), column(1), column(2));
        return Ok(Affine { linear, translation: column(3) }.into());
    }
    let translation = node.translation.as_deref().copied().map_or(DVec3::ZERO, DVec3::from);
    let scale = node.scale.as_deref().copied().map_or(DVec3::ONE, DVec3::from);
    let rotation = node.rotation.as_deref().copied().unwrap_or([0.0, 0.0, 0.0, 1.0]);
    transform(translation, rotation, scale)
}

/// The transform that scales along the axes, then turns, then moves.
pub(super) fn transform(
    translation: DVec3,
    rotation_xyzw: [f64; 4],
    scale: DVec3,
) -> Result<Transform, &'static str> {
    let rotation = unit_rotation(&rotation_xyzw).ok_or("a rotation of length zero")?.normalize();
    if scale.x > 0.0 && scale == DVec3::splat(scale.x) {
        return Ok(Similarity { translation, rotation, scale: scale.x }.into());
    }
    Ok(Affine::from_scale_rotation_translation(scale, rotation, translation).into())
}
