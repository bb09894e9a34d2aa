//! Reads the meshes of a world, each file and each part of it once.

use super::element::{SdfElement, is_true};
use super::resources::Resources;
use crate::mesh::{self, Triangles, stretched};
use crate::mesh_warnings::MeshWarnings;
use glam::DVec3;
use raytwin::geometry::Geometry;
use raytwin::math::Bounds;
use raytwin_files::FileError;
use std::collections::HashMap;
use std::path::PathBuf;

/// The meshes that were read, by their files, their parts, whether these are centred, and the bits
/// of their scales.
#[derive(Default)]
pub(super) struct WorldMeshes {
    read: HashMap<MeshKey, Result<Geometry, String>>,
    pub warnings: MeshWarnings,
}

type MeshKey = (PathBuf, Option<String>, bool, [u64; 3]);

impl WorldMeshes {
    /// Reads the mesh of a `<mesh>` element; the inner error is the reason why it cannot be read.
    pub fn read(
        &mut self,
        resources: &mut Resources<'_>,
        element: &SdfElement,
    ) -> Result<Result<Geometry, String>, FileError> {
        let address = element.required("uri")?.text();
        let scale = DVec3::from(element.numbers_or("scale", [1.0; 3])?);
        if scale.abs().min_element() == 0.0 {
            return Ok(Err(format!("scale is {scale}: none of its numbers may be 0")));
        }
        let submesh = element.child("submesh");
        let part = submesh.map(|part| part.required("name")).transpose()?.map(SdfElement::text);
        let is_centered = submesh.and_then(|part| part.text_of("center")).is_some_and(is_true);
        let path = match resources.path(address, element.path()) {
            Ok(path) => path,
            Err(reason) => return Ok(Err(reason)),
        };
        let bits = scale.to_array().map(f64::to_bits);
        let key = (path, part.map(str::to_owned), is_centered, bits);
        let read = self.read.entry(key).or_insert_with_key(|(path, ..)| {
            let triangles = match part {
                Some(part) => mesh::read_part(resources.store, path, part, &mut self.warnings),
                None => mesh::read(resources.store, path, &mut self.warnings),
            };
            let mut triangles = triangles.map_err(|error| error.to_string())?;
            if is_centered {
                center(&mut triangles);
            }
            stretched(triangles.vertices, triangles.triangles, scale)
                .map(Geometry::from)
                .map_err(|shape_error| format!("{}: {shape_error}", path.display()))
        });
        Ok(read.clone())
    }
}

/// Moves the middle of a mesh's bounds to the origin.
fn center(mesh: &mut Triangles) {
    let point = |vertex: &DVec3| Bounds { min: *vertex, max: *vertex };
    let bounds = mesh.vertices.iter().map(point).fold(Bounds::EMPTY, Bounds::union);
    let middle = bounds.center();
    mesh.vertices.iter_mut().for_each(|vertex| *vertex -= middle);
}
