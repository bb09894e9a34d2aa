//! Reads MuJoCo's own binary meshes (MSH): four counts, then float32 vertices, normals and texture
//! coordinates, and three vertex indices for each triangle.

use crate::mesh::VerticesAndTriangles;
use glam::{DVec3, Vec3};
use raytwin_files::{FileError, FileStore};
use std::path::Path;

const HEADER_BYTES: u64 = 16;

/// Reads a mesh, which may have no triangles.
pub(super) fn read(store: &FileStore, path: &Path) -> Result<VerticesAndTriangles, FileError> {
    let bytes = store.read(path)?;
    let refuse = |reason: String| FileError::meaning(path, "", reason);
    let (words, _) = bytes.as_chunks::<4>();
    let counts = words.get(..4).map(|words| [0, 1, 2, 3].map(|at| i32::from_le_bytes(words[at])));
    let counts = counts.and_then(|counts| {
        let [vertices, normals, texture, triangles] = counts.map(|count| u64::try_from(count).ok());
        Some([vertices?, normals?, texture?, triangles?])
    });
    let Some([vertices, normals, texture, triangles]) = counts else {
        return Err(refuse(
            "is not an MSH file: it must begin with four counts that are not negative".to_owned(),
        ));
    };
    let length = HEADER_BYTES + 12 * (vertices + normals + triangles) + 8 * texture;
    if length != bytes.len() as u64 {
        return Err(refuse(format!(
            "is damaged: its header declares {length} bytes, but the file has {}",
            bytes.len()
        )));
    }
    let words = &words[4..];
    let (positions, rest) = words.split_at(3 * vertices as usize);
    let indices = &rest[3 * normals as usize + 2 * texture as usize..];
    let mut mesh = (Vec::new(), Vec::new());
    for (index, words) in positions.as_chunks::<3>().0.iter().enumerate() {
        let vertex = Vec3::from_array(words.map(f32::from_le_bytes));
        if !vertex.is_finite() {
            let place = format!("vertices[{index}]");
            return Err(FileError::meaning(path, place, format!("is {vertex}: it must be finite")));
        }
        mesh.0.push(DVec3::from(vertex));
    }
    for (index, words) in indices.as_chunks::<3>().0.iter().enumerate() {
        let triangle = words.map(u32::from_le_bytes);
        if triangle.iter().any(|corner| u64::from(*corner) >= vertices) {
            let place = format!("triangles[{index}]");
            let reason = format!("is {triangle:?}: the mesh has {vertices} vertices");
            return Err(FileError::meaning(path, place, reason));
        }
        mesh.1.push(triangle);
    }
    Ok(mesh)
}
