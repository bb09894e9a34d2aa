//! What a mesh file holds.

use glam::DVec3;

/// Triangles over shared vertices. They are all those of the file in its order, including those
/// without an area, so that their indices are the file's.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Triangles {
    pub vertices: Vec<DVec3>,
    /// Three vertex indices for each triangle.
    pub triangles: Vec<[u32; 3]>,
}
