//! The items over which the tree of a scene is built: every primitive of its own, and each heightfield as a whole.

use crate::geometry::Geometry;
use crate::math::Bounds;
use crate::scene::Scene;
use crate::shapes::{Heightfield, PrimitiveKind, Shape};

/// An item of the tree: a primitive, or a whole heightfield.
pub(super) enum Item<'a> {
    Shape(Shape),
    MeshTriangle(Shape),
    LineSegment(Shape),
    /// All triangles of a heightfield, which are found by its own traversal.
    Heightfield(&'a Heightfield),
}

impl<'a> Item<'a> {
    /// Returns the item that begins with a primitive.
    pub fn new(scene: &'a Scene, primitive: u32) -> Option<Self> {
        let [geometry_id, primitive_id] = scene.primitive_ids().ids(primitive);
        let geometry = scene.geometries().get(geometry_id as usize)?;
        if let Geometry::Heightfield(field) = geometry {
            return Some(Item::Heightfield(field));
        }
        let shape = geometry.shape(primitive_id)?;
        Some(match geometry {
            Geometry::Mesh(_) => Item::MeshTriangle(shape),
            Geometry::Lines(_) => Item::LineSegment(shape),
            Geometry::Shape(_) | Geometry::Heightfield(_) => Item::Shape(shape),
        })
    }

    pub fn primitive_kind(&self) -> PrimitiveKind {
        match self {
            Self::Shape(shape) => shape.primitive_kind(),
            Self::MeshTriangle(_) => PrimitiveKind::MeshTriangle,
            Self::LineSegment(_) => PrimitiveKind::LineSegment,
            Self::Heightfield(field) => field.primitive_kind(),
        }
    }

    pub fn bounds(&self) -> Option<Bounds> {
        match self {
            Self::Shape(shape) | Self::MeshTriangle(shape) | Self::LineSegment(shape) => {
                shape.bounds()
            }
            Self::Heightfield(field) => Some(field.bounds()),
        }
    }

    /// Appends the params that the GPU reads.
    pub fn pack(&self, params: &mut Vec<[f32; 4]>) {
        match self {
            Self::Shape(shape) | Self::MeshTriangle(shape) | Self::LineSegment(shape) => {
                shape.pack(params)
            }
            Self::Heightfield(field) => field.pack(params),
        }
    }
}

/// Returns the first primitive of each item of a scene.
pub(super) fn first_primitives(scene: &Scene) -> Vec<u32> {
    let items_of = |(id, geometry): (u32, &Geometry)| {
        let first = scene.primitive_ids().first(id);
        let count = match geometry {
            Geometry::Heightfield(_) => 1,
            _ => geometry.primitive_count() as u32,
        };
        first..first + count
    };
    scene.own_visible().flat_map(items_of).collect()
}
