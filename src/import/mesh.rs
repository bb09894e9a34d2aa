//! Reads a triangle mesh from a Wavefront OBJ, STL, PLY or COLLADA file.

mod dae;
mod obj;
mod ply;
mod polygon;
mod stl;

use crate::io::{FileError, FileStore};
use glam::DVec3;
use std::path::Path;

/// The extensions of mesh files, in lower case.
pub(crate) const EXTENSIONS: [&str; 4] = ["obj", "stl", "ply", "dae"];

/// Triangles over shared vertices. They are all those of the file in its order, including those without an area, so
/// that their indices are the file's.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Triangles {
    pub vertices: Vec<DVec3>,
    /// Three vertex indices for each triangle.
    pub triangles: Vec<[u32; 3]>,
}

/// Reads a mesh by the file's extension.
///
/// # Errors
/// As [`read_or_points`], and if there is no triangle.
pub(crate) fn read(store: &FileStore, path: &Path) -> Result<Triangles, FileError> {
    let mesh = read_or_points(store, path)?;
    match mesh.triangles.is_empty() {
        true => {
            let reason = "holds no triangle: export the mesh with its faces";
            Err(FileError::meaning(path, "", reason))
        }
        false => Ok(mesh),
    }
}

/// Reads a mesh by the file's extension, which may have vertices alone.
///
/// # Errors
/// Returns a [`FileError`] if the file cannot be read, is truncated or not of its format, if a corner is not a vertex
/// of the file, or if a coordinate is not finite.
pub(crate) fn read_or_points(store: &FileStore, path: &Path) -> Result<Triangles, FileError> {
    let extension = path.extension().map(|e| e.to_string_lossy().to_lowercase());
    let parse: fn(&Path, Vec<u8>) -> Result<Triangles, FileError> = match extension.as_deref() {
        Some("obj") => obj::parse,
        Some("stl") => stl::parse,
        Some("ply") => ply::parse,
        Some("dae") => dae::parse,
        _ => {
            let known = EXTENSIONS.join(", .");
            return Err(FileError::meaning(
                path,
                "",
                format!(
                    "is not a mesh that raytwin reads: give a file with the extension .{known}"
                ),
            ));
        }
    };
    let bytes = store.read(path)?;
    parse(path, bytes)
}

#[cfg(test)]
mod tests;
