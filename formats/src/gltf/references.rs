//! Checks that all references of a document that concern geometry exist, which excludes references
//! to cameras and materials.

use super::objects::{GltfDocument, GltfMesh, GltfNode, GltfSkin};

/// Returns the place of the first index that does not exist, as the error.
pub(super) fn check(document: &GltfDocument) -> Result<(), String> {
    let GltfDocument { accessors, buffers, buffer_views, meshes, nodes, skins, .. } = document;
    for (number, accessor) in accessors.iter().enumerate() {
        let place = |field: &str| format!("accessors[{number}].{field}");
        exists(accessor.buffer_view, buffer_views, || place("bufferView"))?;
        if let Some(sparse) = &accessor.sparse {
            let views = [
                (sparse.indices.buffer_view, "sparse.indices.bufferView"),
                (sparse.values.buffer_view, "sparse.values.bufferView"),
            ];
            for (view, field) in views {
                exists(Some(view), buffer_views, || place(field))?;
            }
        }
    }
    for (number, view) in buffer_views.iter().enumerate() {
        exists(Some(view.buffer), buffers, || format!("bufferViews[{number}].buffer"))?;
    }
    for (number, mesh) in meshes.iter().enumerate() {
        check_mesh(document, number, mesh)?;
    }
    for (number, node) in nodes.iter().enumerate() {
        check_node(document, number, node)?;
    }
    for (number, skin) in skins.iter().enumerate() {
        check_skin(document, number, skin)?;
    }
    Ok(())
}

fn check_mesh(document: &GltfDocument, number: usize, mesh: &GltfMesh) -> Result<(), String> {
    for (primitive, description) in mesh.primitives.iter().enumerate() {
        let place = |field: &str| format!("meshes[{number}].primitives[{primitive}].{field}");
        for &accessor in description.attributes.values() {
            exists(Some(accessor), &document.accessors, || place("attributes"))?;
        }
        exists(description.indices, &document.accessors, || place("indices"))?;
        for (number, target) in description.targets.iter().flatten().enumerate() {
            let accessors = [
                (target.position, "POSITION"),
                (target.normal, "NORMAL"),
                (target.tangent, "TANGENT"),
            ];
            for (accessor, field) in accessors {
                let place = || place(&format!("targets[{number}].{field}"));
                exists(accessor, &document.accessors, place)?;
            }
        }
    }
    Ok(())
}

fn check_node(document: &GltfDocument, number: usize, node: &GltfNode) -> Result<(), String> {
    let place = |field: &str| format!("nodes[{number}].{field}");
    for (index, &child) in node.children().iter().enumerate() {
        exists(Some(child), &document.nodes, || place(&format!("children[{index}]")))?;
    }
    exists(node.mesh, &document.meshes, || place("mesh"))?;
    exists(node.skin, &document.skins, || place("skin"))
}

fn check_skin(document: &GltfDocument, number: usize, skin: &GltfSkin) -> Result<(), String> {
    let place = |field: &str| format!("skins[{number}].{field}");
    exists(skin.inverse_bind_matrices, &document.accessors, || place("inverseBindMatrices"))?;
    for (index, &joint) in skin.joints.iter().enumerate() {
        exists(Some(joint), &document.nodes, || place(&format!("joints[{index}]")))?;
    }
    exists(skin.skeleton, &document.nodes, || place("skeleton"))
}

fn exists<T>(
    index: Option<usize>,
    objects: &[T],
    place: impl Fn() -> String,
) -> Result<(), String> {
    match index {
        Some(index) if index >= objects.len() => Err(place()),
        _ => Ok(()),
    }
}
