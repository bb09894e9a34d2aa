//! Finds and reads the mesh files of a robot, each once, however many links use it.

use super::document::UrdfFile;
use crate::mesh::{VerticesAndTriangles, read_parts, stretched};
use crate::mesh_warnings::MeshWarnings;
use crate::reference::path_in;
use crate::xml::Node;
use glam::DVec3;
use raytwin::geometry::Geometry;
use raytwin_files::{FileError, FileStore};
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// The attributes of a `<mesh>` element.
pub(super) struct MeshNode<'a> {
    file_name: &'a str,
    scale: DVec3,
}

impl<'a> UrdfFile<'a> {
    /// Reads the attributes of a `<mesh>` element.
    pub(super) fn mesh(&self, node: Node<'a, 'a>) -> Result<MeshNode<'a>, FileError> {
        let scale = DVec3::from(self.optional(node, "scale", [1.0; 3])?);
        Ok(MeshNode { file_name: self.attribute(node, "filename")?, scale })
    }
}

/// The mesh files of one robot, and the outcome of each that was read.
pub(super) struct Meshes<'a> {
    store: &'a FileStore,
    robot: &'a Path,
    packages: &'a [(String, PathBuf)],
    files: HashMap<PathBuf, Result<VerticesAndTriangles, String>>,
    pub warnings: MeshWarnings,
    /// True if a mesh is in a package whose folder is not known.
    pub lacks_package: bool,
}

impl<'a> Meshes<'a> {
    pub fn new(store: &'a FileStore, robot: &'a Path, packages: &'a [(String, PathBuf)]) -> Self {
        let (files, warnings) = Default::default();
        Self { store, robot, packages, files, warnings, lacks_package: false }
    }

    /// The mesh in the space of its link, or the reason why it cannot be read.
    pub fn read(&mut self, node: MeshNode<'_>) -> Result<Geometry, String> {
        if node.scale.abs().min_element() == 0.0 {
            return Err(format!("scale is {}: none of its numbers may be 0", node.scale));
        }
        let path = self.path(node.file_name)?;
        let mesh = self.files.entry(path.clone()).or_insert_with(|| {
            let read = read_parts(self.store, &path, &mut self.warnings);
            read.map_err(|error| error.to_string())
        });
        let (vertices, triangles) = mesh.as_ref().map_err(String::clone)?;
        let scaled = stretched(vertices.clone(), triangles.clone(), node.scale);
        Ok(scaled.map_err(|shape_error| format!("{}: {shape_error}", path.display()))?.into())
    }

    /// The path of a mesh file: inside a `package://`, absolute as a `file://`, or relative to the
    /// robot's folder.
    fn path(&mut self, file_name: &str) -> Result<PathBuf, String> {
        if let Some(rest) = file_name.strip_prefix("package://") {
            let (package, inner) = rest.split_once(['/', '\\']).unwrap_or((rest, ""));
            let found = self.packages.iter().find(|(name, _)| name == package);
            let Some((_, folder)) = found else {
                self.lacks_package = true;
                return Err(format!("{file_name}: the folder of package '{package}' is not known"));
            };
            return Ok(path_in(self.store, folder, inner));
        }
        let local = file_name.strip_prefix("file://").unwrap_or(file_name);
        Ok(path_in(self.store, self.robot.parent().unwrap_or(Path::new("")), local))
    }
}
