//! A robot's meshes: where their files lie, and what is in them. A file that several links use is read once.

use super::File;
use crate::geometry::{Geometry, Mesh};
use crate::import::{VerticesAndTriangles, read_mesh};
use crate::io::FileError;
use crate::scene::Name;
use glam::DVec3;
use roxmltree::Node;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// What a `<mesh>` says.
pub(super) struct MeshNode<'a> {
    file_name: &'a str,
    scale: DVec3,
}

impl<'a> File<'a> {
    /// What a `<mesh>` says of itself.
    pub(super) fn mesh(
        &self,
        node: Node<'a, 'a>,
        called: &Name,
    ) -> Result<MeshNode<'a>, FileError> {
        let scale = DVec3::from(self.optional(node, "scale", [1.0; 3])?);
        if scale.abs().min_element() == 0.0 {
            let reason = format!("{called}: scale is {scale}: its numbers must not be 0");
            return Err(self.refuse(node, reason));
        }
        Ok(MeshNode { file_name: self.attribute(node, "filename")?, scale })
    }
}

/// The meshes of one robot.
pub(super) struct Meshes<'a> {
    robot: &'a Path,
    packages: &'a [(String, PathBuf)],
    read: HashMap<PathBuf, Result<VerticesAndTriangles, String>>,
    /// A mesh lies in a package whose folder is not known.
    pub lacks_package: bool,
}

impl<'a> Meshes<'a> {
    pub fn new(robot: &'a Path, packages: &'a [(String, PathBuf)]) -> Self {
        Self { robot, packages, read: HashMap::new(), lacks_package: false }
    }

    /// The mesh in the space of its link, or why it cannot be read.
    pub fn read(&mut self, node: MeshNode<'_>) -> Result<Geometry, String> {
        let path = self.path(node.file_name)?;
        let own = self
            .read
            .entry(path.clone())
            .or_insert_with(|| read_mesh(&path).map_err(|error| error.to_string()));
        let (vertices, triangles) = own.as_ref().map_err(String::clone)?;
        let vertices = vertices.iter().map(|vertex| *vertex * node.scale).collect();
        let mut triangles = triangles.clone();
        // A mirrored mesh would be inside out.
        if node.scale.element_product() < 0.0 {
            triangles.iter_mut().for_each(|triangle| triangle.swap(1, 2));
        }
        let scaled = Mesh::new(vertices, triangles);
        Ok(scaled.map_err(|shape_error| format!("{}: {shape_error}", path.display()))?.into())
    }

    /// Where a file lies that the robot names: in a package, at a place of its own, or beside the robot.
    fn path(&mut self, file_name: &str) -> Result<PathBuf, String> {
        if let Some(rest) = file_name.strip_prefix("package://") {
            let (package, inner) = rest.split_once('/').unwrap_or((rest, ""));
            let found = self.packages.iter().find(|(name, _)| name == package);
            let Some((_, folder)) = found else {
                self.lacks_package = true;
                return Err(format!("{file_name}: the folder of package {package} is not given"));
            };
            return Ok(folder.join(inner));
        }
        let local = file_name.strip_prefix("file://").unwrap_or(file_name);
        Ok(self.robot.parent().map_or_else(|| PathBuf::from(local), |folder| folder.join(local)))
    }
}
