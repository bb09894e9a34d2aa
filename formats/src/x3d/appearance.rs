//! The colour of a Shape, from its Appearance.

use super::placement::Surroundings;
use super::tree::NodeIndex;
use super::tree_reader::TreeReader;
use crate::checks::checked_color;
use raytwin_files::FileError;

impl TreeReader<'_> {
    /// The colour of a Shape's material; `None` if it has none. Lines and points are not lit, so
    /// their colour is the emissive one, if there is one.
    pub fn color(
        &mut self,
        shape: NodeIndex,
        geometry: NodeIndex,
        within: &Surroundings,
    ) -> Result<Option<[f32; 3]>, FileError> {
        let tree = self.tree;
        let inner = |node, field| tree.node_in(node, field).map(|node| tree.resolved(node));
        let appearance = inner(shape, "appearance");
        let material = appearance.and_then(|it| inner(it, "material"));
        for node in [appearance, material].into_iter().flatten() {
            if let Some(reason) = tree.absence(node) {
                self.note_colorless(node, within, reason);
                return Ok(None);
            }
        }
        let Some(material) = material else { return Ok(None) };
        let color = match &*tree.node(material).type_name {
            "Material" | "TwoSidedMaterial" => {
                let emissive = tree.vector(material, "emissiveColor", [0.0; 3])?;
                let is_lit = !matches!(
                    &*tree.node(geometry).type_name,
                    "IndexedLineSet" | "LineSet" | "PointSet"
                );
                match is_lit || emissive == [0.0; 3] {
                    true => tree.vector(material, "diffuseColor", [0.8; 3])?,
                    false => emissive,
                }
            }
            "PhysicalMaterial" => tree.vector(material, "baseColor", [1.0; 3])?,
            "UnlitMaterial" => tree.vector(material, "emissiveColor", [1.0; 3])?,
            _ => return Ok(None),
        };
        match checked_color(color) {
            Ok(color) => Ok(Some(color)),
            Err(reason) => {
                self.note_colorless(material, within, reason);
                Ok(None)
            }
        }
    }

    fn note_colorless(&mut self, node: NodeIndex, within: &Surroundings, reason: &str) {
        let shape = self.described_shape(node, &[], within);
        self.warnings.colors.add(|| format!("{shape}: {reason}"));
    }
}
