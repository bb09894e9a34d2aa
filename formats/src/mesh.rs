//! Reads a triangle mesh from a Wavefront OBJ, STL, PLY, COLLADA or glTF file.

mod dae;
mod obj;
mod ply;
mod polygon;
mod stl;
mod triangles;

pub(crate) use triangles::{Triangles, stretched};

use super::Options;
#[cfg(feature = "gltf")]
use super::gltf;
use super::graph::{GraphContents, GraphItem, GraphShape, InvalidShapes};
use super::graph_reader::{GraphReader, called};
use super::shortened::shortened;
use glam::DVec3;
use obj::ObjPart;
use raytwin::fields::ShapeError;
use raytwin::geometry::{Geometry, Mesh};
use raytwin_files::memory::TRIANGLE_BYTES;
use raytwin_files::{FileError, FileStore};
use std::path::Path;

/// The extensions of mesh files, in lower case.
pub(crate) const EXTENSIONS: [&str; 4] = ["obj", "stl", "ply", "dae"];

/// The vertices of a mesh, and three vertex indices for each triangle.
pub(crate) type VerticesAndTriangles = (Vec<DVec3>, Vec<[u32; 3]>);

/// Reads the vertices and triangles of a mesh by the file's extension.
///
/// # Errors
/// As [`read`].
pub(super) fn read_parts(
    store: &FileStore,
    path: &Path,
) -> Result<VerticesAndTriangles, FileError> {
    read(store, path).map(|mesh| (mesh.vertices, mesh.triangles))
}

/// Reads a file into a graph as a scene of one mesh, which is named after the file.
pub(super) fn read_alone(
    reader: &mut GraphReader,
    path: &Path,
    _: &Options,
) -> Result<u32, FileError> {
    let (vertices, triangles) = read_parts(&reader.store, path)?;
    let count = triangles.len();
    let needs = || format!("its {count} triangles need");
    reader.store.take_memory(path, count as u64 * TRIANGLE_BYTES, needs)?;
    let refuse = |error: ShapeError| FileError::meaning(path, error.field, error.reason);
    let mesh = Geometry::from(Mesh::new(vertices, triangles).map_err(refuse)?);
    mesh.check().map_err(refuse)?;
    let mut contents = GraphContents::new(called(path), path.to_owned(), String::new());
    contents.invalid_shapes = InvalidShapes::RefusedByField;
    contents.items.push(GraphItem::Shape(GraphShape {
        name: path.file_stem().map(|stem| stem.to_string_lossy().into_owned().into()),
        ..GraphShape::new(0, 0, mesh)
    }));
    let index = reader.reserve();
    reader.fill(index, contents);
    Ok(index)
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

/// Reads the part of a mesh that has this name: the faces of an object or a group of a Wavefront OBJ,
/// or the geometries of a node of a COLLADA file.
///
/// # Errors
/// As [`read`], and for a file whose format gives parts no names.
pub(crate) fn read_part(
    store: &FileStore,
    path: &Path,
    part: &str,
) -> Result<Triangles, FileError> {
    let extension = path.extension().map(|e| e.to_string_lossy().to_lowercase());
    let mesh = match extension.as_deref() {
        Some("obj") => obj::parse_part(path, &store.read(path)?, ObjPart::Named(part))?.0,
        Some("dae") => dae::parse_part(path, store.read(path)?, Some(part))?,
        Some("gltf" | "glb") => {
            let reason = "is a glTF, of which no part is read: leave the part out, or export it as .obj or .dae";
            return Err(FileError::meaning(path, "", reason));
        }
        _ => {
            let reason = "gives its parts no names: name a part of a .obj or .dae file";
            return Err(FileError::meaning(path, "", reason));
        }
    };
    match mesh.triangles.is_empty() {
        true => {
            let reason = format!("holds no triangle in a part called \"{}\"", shortened(part));
            Err(FileError::meaning(path, "", reason))
        }
        false => Ok(mesh),
    }
}

/// Reads a mesh, which may have vertices alone, as MuJoCo does: of a Wavefront OBJ the first object
/// or group that has elements. Also returns how many other faces the file has.
///
/// # Errors
/// As [`read_or_points`].
pub(crate) fn read_first_object(
    store: &FileStore,
    path: &Path,
) -> Result<(Triangles, usize), FileError> {
    let extension = path.extension().unwrap_or_default();
    match extension.eq_ignore_ascii_case("obj") {
        true => obj::parse_part(path, &store.read(path)?, ObjPart::First),
        false => Ok((read_or_points(store, path)?, 0)),
    }
}

/// Reads a mesh by the file's extension, which may have vertices alone.
///
/// # Errors
/// Returns a [`FileError`] if the file cannot be read, is truncated or not of its format, if a
/// corner is not a vertex of the file, or if a coordinate is not finite.
pub(crate) fn read_or_points(store: &FileStore, path: &Path) -> Result<Triangles, FileError> {
    let extension = path.extension().map(|e| e.to_string_lossy().to_lowercase());
    #[cfg(feature = "gltf")]
    if let Some("gltf" | "glb") = extension.as_deref() {
        let (vertices, triangles) = gltf::triangles(store, path)?;
        return Ok(Triangles { vertices, triangles });
    }
    let parse: fn(&Path, Vec<u8>) -> Result<Triangles, FileError> = match extension.as_deref() {
        Some("obj") => obj::parse,
        Some("stl") => stl::parse,
        Some("ply") => ply::parse,
        Some("dae") => dae::parse,
        _ => {
            let known =
                EXTENSIONS.join(", .") + if cfg!(feature = "gltf") { ", .gltf, .glb" } else { "" };
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
