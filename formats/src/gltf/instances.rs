//! The instances of EXT_mesh_gpu_instancing: transforms in the space of a node, each of which
//! places its mesh again.

use super::accessors::Accessors;
use super::document::{GltfFile, typed};
use super::hierarchy::transform;
use super::objects::GltfNode;
use glam::DVec3;
use raytwin::transform::Transform;
use serde::Deserialize;

const EXTENSION: &str = "EXT_mesh_gpu_instancing";

#[derive(Debug, Deserialize)]
struct InstancesFile {
    attributes: AttributesFile,
}

/// The indices of accessors.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
struct AttributesFile {
    translation: Option<usize>,
    rotation: Option<usize>,
    scale: Option<usize>,
}

/// Returns the transforms of a node's instances; `None` if the node is not instanced.
pub(super) fn instances<'a>(
    file: &'a GltfFile,
    accessors: &Accessors<'a>,
    node: &GltfNode,
) -> Result<Option<Vec<Transform>>, String> {
    let instances: Option<InstancesFile> =
        typed(&node.extensions, EXTENSION).map_err(|error| format!("{EXTENSION}: {error}"))?;
    let Some(InstancesFile { attributes }) = instances else { return Ok(None) };
    let AttributesFile { translation, rotation, scale } = attributes;
    let mut counts = Vec::new();
    for index in [translation, rotation, scale].into_iter().flatten() {
        let accessor = file.document.accessors.get(index);
        let accessor =
            accessor.ok_or_else(|| format!("{EXTENSION}: accessors[{index}] does not exist"))?;
        counts.push(accessor.count);
    }
    let count = counts.first().copied().unwrap_or(0);
    if counts.iter().any(|&other| other != count) {
        return Err(format!("{EXTENSION}: its accessors have different numbers of elements"));
    }
    accessors.take(count)?;
    let translations = match translation {
        Some(accessor) => accessors.vectors(accessor)?.map(DVec3::from).collect(),
        None => vec![DVec3::ZERO; count],
    };
    let rotations = match rotation {
        Some(accessor) => accessors.quadruples(accessor)?.collect(),
        None => vec![[0.0, 0.0, 0.0, 1.0]; count],
    };
    let scales = match scale {
        Some(accessor) => accessors.vectors(accessor)?.map(DVec3::from).collect(),
        None => vec![DVec3::ONE; count],
    };
    let parts = translations.into_iter().zip(rotations).zip(scales);
    let transforms =
        parts.map(|((translation, rotation), scale)| transform(translation, rotation, scale));
    transforms
        .collect::<Result<Vec<_>, _>>()
        .map(Some)
        .map_err(|reason| format!("{EXTENSION}: {reason}"))
}
