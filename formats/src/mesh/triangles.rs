//! The contents of a mesh file.

use glam::DVec3;
use raytwin::fields::ShapeError;
use raytwin::geometry::Mesh;

/// Triangles over shared vertices. They are all those of the file in its order, including those
/// without an area, so that their indices are the file's.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Triangles {
    pub vertices: Vec<DVec3>,
    /// Three vertex indices for each triangle.
    pub triangles: Vec<[u32; 3]>,
}

/// The mesh of these vertices, scaled along the axes, and triangles. A mirrored mesh would be
/// inside out, so two corners of each triangle are swapped.
pub(crate) fn stretched(
    mut vertices: Vec<DVec3>,
    mut triangles: Vec<[u32; 3]>,
    scale: DVec3,
) -> Result<Mesh, ShapeError> {
    vertices.iter_mut().for_each(|vertex| *vertex *= scale);
    if scale.element_product() < 0.0 {
        triangles.iter_mut().for_each(|triangle| triangle.swap(1, 2));
    }
    Mesh::new(vertices, triangles)
}
