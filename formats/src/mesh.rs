//! Reads a triangle mesh from a Wavefront OBJ, STL, PLY, COLLADA or glTF file.

mod dae;
mod obj;
mod ply;
mod polygon;
mod stl;
mod triangles;

pub(crate) use triangles::{Triangles, stretched};

use super::Options;
use super::gltf;
use super::graph::{GraphContents, GraphItem, GraphShape, InvalidShapes};
use super::graph_reader::{GraphReader, called};
use super::mesh_warnings::MeshWarnings;
use super::shortened::shortened;
use glam::DVec3;
use obj::ObjPart;
use raytwin::fields::ShapeError;
use raytwin::geometry::{Geometry, Mesh};
use raytwin_files::memory::TRIANGLE_BYTES;
use raytwin_files::{FileError, FileStore};
use std::collections::HashSet;
use std::path::Path;

/// The extensions of mesh files, in lower case.
pub(crate) const EXTENSIONS: [&str; 4] = ["obj", "stl", "ply", "dae"];

/// The vertices of a mesh, and three vertex indices for each triangle.
pub(crate) type VerticesAndTriangles = (Vec<DVec3>, Vec<[u32; 3]>);

/// Reads the vertices and triangles of a mesh; the extension decides the format.
///
/// # Errors
/// As [`read`].
pub(super) fn read_parts(
    store: &FileStore,
    path: &Path,
    warnings: &mut MeshWarnings,
) -> Result<VerticesAndTriangles, FileError> {
    read(store, path, warnings).map(|mesh| (mesh.vertices, mesh.triangles))
}

/// Reads a file into a graph as a scene with one mesh, which has the name of the file.
pub(super) fn read_alone(
    reader: &mut GraphReader,
    path: &Path,
    _: &Options,
) -> Result<u32, FileError> {
    let mut warnings = MeshWarnings::default();
    let (vertices, triangles) = read_parts(&reader.store, path, &mut warnings)?;
    reader.warnings.extend(warnings.raised());
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
    Ok(reader.add(contents))
}

/// Reads a mesh; the extension decides the format. Unreadable parts become warnings.
///
/// # Errors
/// As [`read_or_points`], and if there is no triangle.
pub(crate) fn read(
    store: &FileStore,
    path: &Path,
    warnings: &mut MeshWarnings,
) -> Result<Triangles, FileError> {
    let mut found = MeshWarnings::default();
    let mesh = read_or_points(store, path, &mut found)?;
    if mesh.triangles.is_empty() {
        return Err(without_triangles(path, "has no triangles", &found));
    }
    warnings.merge(found);
    Ok(mesh)
}

/// Reads the part of a mesh with this name: the faces of an object or a group of a Wavefront OBJ,
/// or the geometries of a node of a COLLADA file.
///
/// # Errors
/// As [`read`], and for a format without named parts.
pub(crate) fn read_part(
    store: &FileStore,
    path: &Path,
    part: &str,
    warnings: &mut MeshWarnings,
) -> Result<Triangles, FileError> {
    let mut found = MeshWarnings::default();
    let (mesh, others) = match extension(path).as_deref() {
        Some("obj") => {
            let bytes = store.read(path)?;
            let (mesh, _) = obj::parse_part(path, &bytes, ObjPart::Named(part), &mut found)?;
            (mesh, obj::part_names(&bytes))
        }
        Some("dae") => dae::parse_part(path, store.read(path)?, Some(part), &mut found)?,
        Some("gltf" | "glb") => {
            let reason = "is a glTF file, whose parts raytwin cannot read: remove the part, or export the file as .obj or .dae";
            return Err(FileError::meaning(path, "", reason));
        }
        _ => {
            let reason = "has a format without named parts: use a part of a .obj or .dae file";
            return Err(FileError::meaning(path, "", reason));
        }
    };
    if mesh.triangles.is_empty() {
        let lack = format!("has no triangles in a part called \"{}\"", shortened(part));
        if found.parts.count == 0 && !others.is_empty() {
            return Err(FileError::meaning(path, "", format!("{lack}: {}", listed(&others))));
        }
        return Err(without_triangles(path, &lack, &found));
    }
    warnings.merge(found);
    Ok(mesh)
}

/// The names of parts in a message, each once.
fn listed(names: &[String]) -> String {
    const SHOWN: usize = 20;
    let mut known = HashSet::new();
    let distinct: Vec<_> = names.iter().filter(|name| known.insert(*name)).collect();
    let shown: Vec<_> = distinct.iter().take(SHOWN).map(|name| shortened(name)).collect();
    let more = match distinct.len().saturating_sub(SHOWN) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("its parts are \"{}\"{more}", shown.join("\", \""))
}

/// The error for a file without triangles, which names the parts that could not be read.
fn without_triangles(path: &Path, lack: &str, found: &MeshWarnings) -> FileError {
    let reason = match found.parts.count {
        0 => format!("{lack}: export the mesh with its faces"),
        _ => format!("{lack}: {}", found.parts),
    };
    FileError::meaning(path, "", reason)
}

fn extension(path: &Path) -> Option<String> {
    path.extension().map(|extension| extension.to_string_lossy().to_lowercase())
}

/// Reads a mesh, which may have only vertices, as MuJoCo does: from a Wavefront OBJ, the first
/// object or group that has elements. A warning states how many faces are left out.
///
/// # Errors
/// As [`read_or_points`].
pub(crate) fn read_first_object(
    store: &FileStore,
    path: &Path,
    warnings: &mut MeshWarnings,
) -> Result<Triangles, FileError> {
    if extension(path).as_deref() != Some("obj") {
        return read_or_points(store, path, warnings);
    }
    let (mesh, other_faces) = obj::parse_part(path, &store.read(path)?, ObjPart::First, warnings)?;
    if other_faces > 0 {
        warnings.objects.add(|| format!("{} (without {other_faces} faces)", path.display()));
    }
    Ok(mesh)
}

/// Reads a mesh, which may have only vertices; the extension decides the format.
///
/// # Errors
/// Returns a [`FileError`] if the file cannot be read, is truncated or not of its format, if a
/// corner is not a vertex of the file, or if a coordinate is not finite.
pub(crate) fn read_or_points(
    store: &FileStore,
    path: &Path,
    warnings: &mut MeshWarnings,
) -> Result<Triangles, FileError> {
    match extension(path).as_deref() {
        Some("obj") => obj::parse(path, store.read(path)?, warnings),
        Some("stl") => stl::parse(path, store.read(path)?, warnings),
        Some("ply") => ply::parse(path, store.read(path)?, warnings),
        Some("dae") => dae::parse(path, store.read(path)?, warnings),
        Some("gltf" | "glb") => {
            let (vertices, triangles) = gltf::triangles(store, path, warnings)?;
            Ok(Triangles { vertices, triangles })
        }
        _ => {
            let reason = format!(
                "is not a mesh that raytwin reads: give a file with the extension .{}, .gltf, .glb",
                EXTENSIONS.join(", .")
            );
            Err(FileError::meaning(path, "", reason))
        }
    }
}

#[cfg(test)]
mod tests;
