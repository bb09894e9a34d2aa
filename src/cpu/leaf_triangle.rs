//! The triangles of meshes, as they stand at the leaf indices of a tree.

use super::line_in_float32::LineInFloat32;
use super::triangle_sieve::TriangleSieve;
use crate::bvh::take_lowest;
use crate::crossings::Crossing;
use crate::geometry::Geometry;
use crate::parallel::{ITEMS_A_TASK, mapped};
use crate::prefetch::prefetch;
use crate::query::Surface;
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

/// The triangles of meshes at the leaf indices of a tree; none for a scene without meshes.
#[derive(Debug, Default)]
pub(super) struct LeafTriangles(Vec<LeafTriangle>);

impl LeafTriangles {
    /// Makes one for each of some primitives, which may be something else.
    pub fn new(scene: &Scene, primitives: &[u32]) -> Self {
        let triangle = |leaf: usize| LeafTriangle::new(scene, primitives[leaf]);
        Self(mapped(primitives.len(), ITEMS_A_TASK, triangle))
    }

    /// Returns true if no triangles of meshes are among the items.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns what stands at an index, which may be something else than a triangle of a mesh.
    #[inline(always)]
    pub fn get(&self, leaf: usize) -> Option<&LeafTriangle> {
        self.0.get(leaf)
    }

    /// Returns the triangle of a mesh at an index, if that is what stands there.
    #[inline(always)]
    pub fn at(&self, leaf: usize) -> Option<&LeafTriangle> {
        self.get(leaf).filter(|triangle| triangle.primitive != NONE)
    }

    /// Prefetches the triangle of a mesh, if one stands at an index.
    #[inline(always)]
    pub fn prefetch(&self, leaf: usize) {
        if let Some(triangle) = self.get(leaf) {
            prefetch(triangle);
        }
    }

    /// Returns the unit normal and the face of a triangle of a mesh; `None` if none with an area
    /// stands at an index.
    #[inline(always)]
    pub fn surface(&self, leaf: usize) -> Option<Surface> {
        let normal = self.at(leaf)?.triangle.unit_normal()?;
        Some((normal.as_vec3().to_array(), 0))
    }

    /// Returns those of some items, given by their numbers after the first, that a line may cross:
    /// a triangle of a mesh that it certainly misses is left out.
    #[inline(always)]
    pub fn sift(
        &self,
        sieve: impl TriangleSieve,
        line: &LineInFloat32,
        first: usize,
        numbers: u32,
    ) -> u32 {
        if self.is_empty() {
            return numbers;
        }
        let [mut left, mut kept] = [numbers; 2];
        while left != 0 {
            let a = take_lowest(&mut left);
            let b = if left == 0 { a } else { take_lowest(&mut left) };
            // The numbers of absent children may lead beyond the last item.
            let item = |number: u32| self.get(first + number as usize);
            if let (Some(of_a), Some(of_b)) = (item(a), item(b)) {
                let [is_a, is_b] =
                    sieve.may_be_crossed([&of_a.triangle, &of_b.triangle], line).map(u32::from);
                kept &= !((1 ^ is_a) << a | (1 ^ is_b) << b);
            }
        }
        kept
    }
}
