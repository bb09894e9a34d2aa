//! The triangles of meshes, as they stand at the leaf indices of a tree.

use crate::crossings::Crossing;
use crate::geometry::Geometry;
use crate::ray::{Line, NONE};
use crate::scene::Scene;
use crate::shapes::PreparedTriangle;

/// A crossing, and the primitive that it is of.
#[derive(Clone, Copy)]
pub(super) struct PrimitiveCrossing {
    pub crossing: Crossing,
    pub primitive: u32,
}

/// A mesh's triangle and its number, in one cache line: most of the time of a ray in a large mesh
/// goes into fetching triangles.
#[repr(align(64))]
#[derive(Debug)]
pub(super) struct LeafTriangle {
    pub triangle: PreparedTriangle,
    /// [`NONE`] where something else than a mesh's triangle stands.
    pub primitive: u32,
}

impl LeafTriangle {
    pub fn new(scene: &Scene, primitive: u32) -> Self {
        let mesh_triangle = || {
            let [geometry_id, primitive_id] = scene.primitive_ids().ids(primitive);
            match scene.geometries().get(geometry_id as usize)? {
                Geometry::Mesh(mesh) => mesh.triangle(primitive_id as usize),
                _ => None,
            }
        };
        match if primitive == NONE { None } else { mesh_triangle() } {
            Some(triangle) => Self { triangle: triangle.into(), primitive },
            None => Self { triangle: PreparedTriangle::default(), primitive: NONE },
        }
    }

    /// Returns its crossing in a closed interval.
    #[inline(always)]
    pub fn first_crossing(
        &self,
        line: &Line,
        [t_min, t_max]: [f64; 2],
    ) -> Option<PrimitiveCrossing> {
        let crossing = self.triangle.first_crossing(line, t_min)?;
        let primitive = self.primitive;
        (crossing.t <= t_max).then_some(PrimitiveCrossing { crossing, primitive })
    }
}
