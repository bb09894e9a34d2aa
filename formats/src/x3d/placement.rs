//! The place of a node in its world: its group, and the transforms to it.

use super::tree::{NodeIndex, NodeTree};
use glam::{DQuat, DVec3};
use raytwin::fields::ShapeError;
use raytwin::math::{Similarity, rotation_about};
use raytwin::transform::{Affine, Transform};
use raytwin_files::FileError;

#[derive(Clone, Copy, Debug)]
pub(super) struct Surroundings {
    /// The group that it belongs to.
    pub group: u32,
    /// The innermost group around it that has a name, or the contents as a whole.
    pub named_group: u32,
    pub contents_from_group: Transform,
    pub file_from_group: Transform,
    /// The number of nodes around it.
    pub depth: usize,
}

impl Surroundings {
    /// The surroundings of contents as a whole, which are in a file at some place and depth.
    pub fn of_whole(file_from_group: Transform, depth: usize) -> Self {
        Self {
            group: 0,
            named_group: 0,
            contents_from_group: Transform::IDENTITY,
            file_from_group,
            depth,
        }
    }

    /// The surroundings for the nodes in a node that is not a group.
    pub fn deeper(&self) -> Self {
        Self { depth: self.depth + 1, ..*self }
    }

    /// The surroundings in a group with its own transform.
    ///
    /// # Errors
    /// A [`ShapeError`] for a transform that flattens space or stretches it too much.
    pub fn moved(&self, parent_from_group: &Transform) -> Result<Self, ShapeError> {
        let contents_from_group = self.contents_from_group.then_inner(parent_from_group);
        let file_from_group = self.file_from_group.then_inner(parent_from_group);
        contents_from_group.affine().check()?;
        file_from_group.affine().check()?;
        Ok(Self { contents_from_group, file_from_group, ..self.deeper() })
    }
}

impl NodeTree<'_> {
    /// A rotation that a field gives as an axis and an angle.
    pub fn rotation(&self, node: NodeIndex, field: &str) -> Result<DQuat, FileError> {
        let [x, y, z, angle] = self.vector(node, field, [0.0, 0.0, 1.0, 0.0])?;
        Ok(match DVec3::new(x, y, z).try_normalize() {
            Some(axis) => rotation_about(axis, angle * self.angle_unit),
            // An axis of length zero turns nothing.
            None => DQuat::IDENTITY,
        })
    }

    /// The transform of a node by the fields of a Transform: P' = T·C·R·SR·S·−SR·−C (X3D 3.3,
    /// section 10.4.4).
    pub fn transform(&self, node: NodeIndex) -> Result<Transform, FileError> {
        let translation = DVec3::from(self.vector(node, "translation", [0.0; 3])?);
        let center = DVec3::from(self.vector(node, "center", [0.0; 3])?);
        let scale = DVec3::from(self.vector(node, "scale", [1.0; 3])?);
        let rotation = self.rotation(node, "rotation")?;
        let scale_orientation = self.rotation(node, "scaleOrientation")?;
        if scale.x > 0.0 && scale == DVec3::splat(scale.x) {
            let translation = translation + center - rotation * (scale.x * center);
            return Ok(Similarity { translation, rotation, scale: scale.x }.into());
        }
        let turned = |scale: DVec3, rotation: DQuat| {
            Affine::from_scale_rotation_translation(scale, rotation, DVec3::ZERO)
        };
        let about_center = turned(scale, rotation * scale_orientation)
            .then_inner(&turned(DVec3::ONE, scale_orientation.conjugate()));
        let translation = translation + center - about_center.point(center);
        Ok(Affine { translation, ..about_center }.into())
    }
}
