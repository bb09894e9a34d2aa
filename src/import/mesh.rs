//! Triangle meshes from files: Wavefront OBJ, STL, PLY.

mod obj;
mod ply;
mod polygon;
mod stl;

use crate::io::FileError;
use glam::DVec3;
use std::path::Path;

/// What the name of a mesh's file may end in.
pub(crate) const EXTENSIONS: [&str; 3] = ["obj", "stl", "ply"];

/// Triangles over shared vertices. All of the file's are here and in its order, also those without
/// an area, so that their numbers are the file's.
#[derive(Debug, PartialEq)]
pub(crate) struct Triangles {
    pub vertices: Vec<DVec3>,
    /// Three numbers of vertices each.
    pub triangles: Vec<[u32; 3]>,
}

/// Reads a mesh by the file's extension.
///
/// # Errors
/// [`FileError`]: unreadable, not of its format, truncated, a corner that is no vertex, a coordinate
/// that is not finite, no triangle at all.
pub(crate) fn read(path: &Path) -> Result<Triangles, FileError> {
    let extension = path.extension().map(|e| e.to_string_lossy().to_lowercase());
    let parse: fn(&Path, Vec<u8>) -> Result<Triangles, FileError> = match extension.as_deref() {
        Some("obj") => obj::parse,
        Some("stl") => stl::parse,
        Some("ply") => ply::parse,
        _ => {
            let known = EXTENSIONS.join(", .");
            return Err(FileError::meaning(
                path,
                "",
                format!("is not a mesh that raytwin reads: give a file of one of .{known}"),
            ));
        }
    };
    let bytes = std::fs::read(path).map_err(FileError::read(path))?;
    let mesh = parse(path, bytes)?;
    if mesh.triangles.is_empty() {
        let reason = "holds no triangle: export the mesh with its faces";
        return Err(FileError::meaning(path, "", reason));
    }
    Ok(mesh)
}

#[cfg(test)]
mod tests;
