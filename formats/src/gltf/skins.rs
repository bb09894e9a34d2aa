//! Deforms the vertices of a skinned mesh, with its joints at the positions in the document.

use super::accessors::Accessors;
use super::document::GltfFile;
use super::hierarchy::Hierarchy;
use super::objects::GltfPrimitive;
use glam::DVec3;
use raytwin::transform::Affine;

/// The largest number of sets of four joints that a vertex follows.
const MOST_SETS: u32 = 8;

/// A skin in a pose: the transform of each joint from the space in which the mesh was bound to it
/// into the scene. The transform of the mesh's own node does not matter (glTF 2.0, section
/// 3.7.3.3).
pub(super) struct Skin(Vec<Affine>);

impl Skin {
    pub fn read(
        file: &GltfFile,
        accessors: &Accessors<'_>,
        hierarchy: &Hierarchy,
        index: usize,
    ) -> Result<Self, String> {
        let skin = &file.document.skins[index];
        let bound = match skin.inverse_bind_matrices {
            Some(accessor) => Some(accessors.matrices(accessor)?),
            None => None,
        };
        let joint = |(number, &joint): (usize, &usize)| {
            let scene_from_joint = hierarchy.scene_from_node[joint];
            let scene_from_joint = scene_from_joint.ok_or_else(|| {
                format!("has nodes[{joint}] as a joint, whose transform cannot be read")
            })?;
            let joint_from_bound = match &bound {
                None => return Ok(scene_from_joint.affine()),
                Some(bound) => bound.get(number),
            };
            let joint_from_bound = joint_from_bound
                .ok_or_else(|| format!("has no inverse bind matrix for joint {number}"))?;
            Ok(scene_from_joint.affine().then_inner(joint_from_bound))
        };
        skin.joints.iter().enumerate().map(joint).collect::<Result<_, String>>().map(Self)
    }

    /// Returns true if its joints mirror the mesh.
    pub fn is_mirror(&self) -> bool {
        self.0.first().is_some_and(Affine::is_mirror)
    }

    /// Returns the vertices of a primitive in the scene: each is moved by all its joints, in
    /// proportion to their weights.
    pub fn deformed(
        &self,
        accessors: &Accessors<'_>,
        primitive: &GltfPrimitive,
        positions: &[DVec3],
    ) -> Result<Vec<DVec3>, String> {
        let mut moved = vec![(DVec3::ZERO, 0.0); positions.len()];
        for set in 0..MOST_SETS {
            let joints = primitive.attributes.get(&format!("JOINTS_{set}"));
            let weights = primitive.attributes.get(&format!("WEIGHTS_{set}"));
            let Some((&joints, &weights)) = joints.zip(weights) else { break };
            let influences = accessors.quadruples(joints)?.zip(accessors.quadruples(weights)?);
            for ((sum, total), (position, (joints, weights))) in
                moved.iter_mut().zip(positions.iter().zip(influences))
            {
                for (joint, weight) in joints.into_iter().zip(weights) {
                    // Writers use any number for a joint without weight.
                    if weight == 0.0 {
                        continue;
                    }
                    let pose = self.0.get(joint as usize).ok_or_else(|| {
                        format!(
                            "follows joint {joint}: its skin has {}, counted from 0",
                            self.0.len()
                        )
                    })?;
                    *sum += weight * pose.point(*position);
                    *total += weight;
                }
            }
        }
        let vertex = |(sum, total): (DVec3, f64)| match total > 0.0 {
            true => Ok(sum / total),
            false => Err("has a vertex that follows no joint of its skin".to_owned()),
        };
        moved.into_iter().map(vertex).collect()
    }
}
