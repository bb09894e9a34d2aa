//! The colliders of KHR_physics_rigid_bodies. Only their geometry is read.

use super::document::{GltfFile, extension, typed};
use super::hierarchy::Hierarchy;
use super::meshes::{ColoredGeometry, MeshReader};
use super::objects::GltfNode;
use crate::hull::convex_hull;
use raytwin::geometry::{Geometry, Mesh};
use raytwin::transform::Transform;
use serde::Deserialize;

const EXTENSION: &str = "KHR_physics_rigid_bodies";

/// The extensions of other colliders, which are not read.
const OTHERS: [&str; 2] = ["OMI_physics_body", "OMI_collider"];

/// The extension's data of a node. Triggers, motions and joints have no geometry.
#[derive(Debug, Deserialize)]
struct BodyFile {
    collider: Option<ColliderFile>,
}

#[derive(Debug, Deserialize)]
struct ColliderFile {
    geometry: Option<ColliderGeometry>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ColliderGeometry {
    /// The index of a shape.
    pub shape: Option<usize>,
    /// The index of a node, for its meshes and those of its children.
    pub node: Option<usize>,
    #[serde(default)]
    pub convex_hull: bool,
}

pub(super) fn collider(node: &GltfNode) -> Result<Option<ColliderGeometry>, String> {
    let body: Option<BodyFile> =
        typed(&node.extensions, EXTENSION).map_err(|error| format!("{EXTENSION}: {error}"))?;
    let geometry = body.and_then(|body| body.collider).and_then(|collider| collider.geometry);
    match OTHERS.into_iter().find(|other| is_collider(node, other)) {
        Some(other) if geometry.is_none() => {
            Err(format!("a collider of {other}, which is not read: export it as {EXTENSION}"))
        }
        _ => Ok(geometry),
    }
}

/// Returns true if a node has a collider of another extension. A body may be only a motion or a
/// trigger.
fn is_collider(node: &GltfNode, name: &str) -> bool {
    let found = extension(&node.extensions, name);
    found.is_some_and(|found| name != OTHERS[0] || found.get("collider").is_some())
}

/// The meshes of a node and of its children, in the space of the node, or their convex hull.
pub(super) fn mesh_parts(
    meshes: &MeshReader<'_>,
    hierarchy: &Hierarchy,
    root: usize,
    is_hull: bool,
) -> Result<Vec<ColoredGeometry>, String> {
    let nodes = &meshes.file.document.nodes;
    let mut parts = Vec::new();
    let mut waiting = vec![(root, Transform::IDENTITY)];
    while let Some((index, root_from_node)) = waiting.pop() {
        let node = nodes.get(index).ok_or_else(|| format!("nodes[{index}] does not exist"))?;
        meshes.accessors.take(1)?;
        if node.skin.is_some() {
            return Err("a collider of a skinned mesh".to_owned());
        }
        if let Some(mesh) = node.mesh {
            for read in meshes.read(mesh, None) {
                let Ok(read) = read else {
                    return Err("a collider of a mesh that cannot be read".to_owned());
                };
                parts.extend(
                    read.geometries.into_iter().filter_map(|part| placed(part, &root_from_node)),
                );
            }
        }
        for &child in node.children().iter().rev() {
            let local = hierarchy.parent_from_node[child].as_ref();
            let local = local.map_err(|reason| format!("nodes[{child}] with {reason}"))?;
            waiting.push((child, root_from_node.then_inner(local)));
        }
    }
    match (is_hull, parts.is_empty()) {
        (_, true) => Err("a collider of a node without triangles".to_owned()),
        (false, _) => Ok(parts),
        (true, _) => {
            hull(meshes, &parts).map(|geometry| vec![ColoredGeometry { geometry, color: None }])
        }
    }
}

/// A mesh in the space of its collider. Lines and points are no surfaces.
fn placed(part: ColoredGeometry, root_from_part: &Transform) -> Option<ColoredGeometry> {
    match (&part.geometry, root_from_part) {
        (Geometry::Mesh(_), transform) if *transform == Transform::IDENTITY => Some(part),
        (Geometry::Mesh(_), transform) => {
            let geometry = part.geometry.image(&transform.affine())?;
            Some(ColoredGeometry { geometry, ..part })
        }
        _ => None,
    }
}

fn hull(meshes: &MeshReader<'_>, parts: &[ColoredGeometry]) -> Result<Geometry, String> {
    let vertices = parts.iter().filter_map(|part| match &part.geometry {
        Geometry::Mesh(mesh) => Some(mesh.vertices()),
        _ => None,
    });
    let mut vertices = vertices.collect::<Vec<_>>().concat();
    // Vertices at the same place differ only in normals or colours.
    vertices
        .sort_by(|a, b| a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)).then(a.z.total_cmp(&b.z)));
    vertices.dedup();
    // The time for a hull grows with the square of its points, and many colliders may request hulls
    // of one mesh.
    meshes.accessors.take(vertices.len() * vertices.len() / 1024)?;
    let triangles =
        convex_hull(&vertices).map_err(|reason| format!("the convex hull of {reason}"))?;
    let mesh = Mesh::new(vertices, triangles);
    mesh.map(Geometry::from).map_err(|error| error.to_string())
}

/// The colliders of a document, as a hint for documents without visible geometry.
#[derive(Debug, PartialEq)]
pub(super) enum CollidersHeld {
    None,
    /// Some can be read.
    Readable,
    /// None can be read, because of the first one's fault.
    Unreadable(String),
}

/// Finds the colliders of a document.
pub(super) fn colliders_held(file: &GltfFile) -> CollidersHeld {
    let mut held = CollidersHeld::None;
    for node in &file.document.nodes {
        match (collider(node), &held) {
            (Ok(Some(_)), _) => return CollidersHeld::Readable,
            (Err(reason), CollidersHeld::None) => held = CollidersHeld::Unreadable(reason),
            _ => {}
        }
    }
    held
}
