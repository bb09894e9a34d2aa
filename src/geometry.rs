//! What a scene counts: a geometry has one id, one name and one mask, and one primitive or many.
//!
//! A primitive is a closed-form shape, by which rays are answered and answers are judged; its number within
//! the geometry is the `primitive_id`. The primitives of a mesh and of lines stand in the tree one by one; those
//! of a heightfield are found by its own walk.

mod lines;
mod mesh;
mod outline;
mod primitive_ids;

pub use lines::Lines;
pub use mesh::Mesh;
pub(crate) use primitive_ids::PrimitiveIds;

use crate::crossings::Crossing;
use crate::fields::ShapeError;
use crate::math::{Bounds, Similarity};
use crate::ray::Line;
use crate::shapes::{Heightfield, Placed, SHAPE_TYPES, Shape, delta, place};
use glam::DVec3;
use std::sync::Arc;

/// Something that rays are cast at, in world space.
#[derive(Clone, Debug, PartialEq)]
pub enum Geometry {
    /// One closed-form shape, its own only primitive.
    Shape(Shape),
    /// Triangles that share vertices.
    Mesh(Arc<Mesh>),
    /// Segments of a picking radius.
    Lines(Arc<Lines>),
    /// Heights above a grid.
    Heightfield(Arc<Heightfield>),
}

/// The types of geometries as scene files name them, in the order of reports.
pub fn type_names() -> impl Iterator<Item = &'static str> {
    let of_shapes = SHAPE_TYPES.iter().map(|kind| kind.name);
    of_shapes.chain([Mesh::NAME, Heightfield::NAME, Lines::NAME])
}

/// One part of a geometry.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Primitive {
    /// Its closed form, in world space.
    pub shape: Shape,
    /// From where the precision promise measures the distance D.
    pub center: DVec3,
    /// The radius R about that centre.
    pub radius: f64,
}

impl Primitive {
    /// δ = 16 u max(D, R), 128 u for a torus: what float32 may have moved the surface by, for rays from
    /// `origin`.
    pub fn delta(&self, origin: DVec3) -> f64 {
        delta(self.shape.shape_type(), origin, self.center, self.radius)
    }
}

impl From<Shape> for Primitive {
    fn from(shape: Shape) -> Self {
        Self { shape, center: shape.center(), radius: shape.bounding_radius() }
    }
}

impl Geometry {
    /// Its `type` in scene files.
    pub fn type_name(&self) -> &'static str {
        match self {
            Self::Shape(shape) => shape.shape_type().name,
            Self::Mesh(_) => Mesh::NAME,
            Self::Lines(_) => Lines::NAME,
            Self::Heightfield(_) => Heightfield::NAME,
        }
    }

    /// How many primitives it has: 1 for a closed-form shape, else its triangles or segments.
    pub fn primitive_count(&self) -> usize {
        match self {
            Self::Shape(_) => 1,
            Self::Mesh(mesh) => mesh.triangles().len(),
            Self::Lines(lines) => lines.indices().len(),
            Self::Heightfield(field) => field.triangle_count(),
        }
    }

    /// The closed form of the part of that `primitive_id`, in world space.
    pub fn shape(&self, primitive_id: u32) -> Option<Shape> {
        let place = primitive_id as usize;
        match self {
            Self::Shape(shape) => (place == 0).then_some(*shape),
            Self::Mesh(mesh) => mesh.triangle(place).map(Shape::from),
            Self::Lines(lines) => lines.segment(place).map(Shape::from),
            Self::Heightfield(field) => field.triangle(place).map(Shape::from),
        }
    }

    /// The part of that `primitive_id`.
    pub fn primitive(&self, primitive_id: u32) -> Option<Primitive> {
        let shape = self.shape(primitive_id)?;
        Some(match self {
            // Float32 sees its grid as one thing, however near a triangle is.
            Self::Heightfield(field) => {
                Primitive { shape, center: field.center, radius: field.bounding_radius() }
            }
            _ => shape.into(),
        })
    }

    /// The smallest box that holds it, up to float64 rounding; `None` for a plane.
    pub fn bounds(&self) -> Option<Bounds> {
        match self {
            Self::Shape(shape) => shape.bounds(),
            Self::Mesh(mesh) => Some(mesh.bounds()),
            Self::Lines(lines) => Some(lines.bounds()),
            Self::Heightfield(field) => Some(field.bounds()),
        }
    }

    /// Whether it has an inside: no plane, disc, triangle, heightfield, lines or open mesh has.
    pub fn is_solid(&self) -> bool {
        match self {
            Self::Shape(shape) => shape.is_solid(),
            Self::Mesh(mesh) => mesh.is_closed(),
            Self::Lines(_) | Self::Heightfield(_) => false,
        }
    }

    /// Where one of its primitives is first crossed in a closed interval.
    pub(crate) fn first_crossing(
        &self,
        primitive_id: u32,
        line: &Line,
        [t_min, t_max]: [f64; 2],
    ) -> Option<Crossing> {
        let crossings = match self {
            Self::Shape(shape) => shape.crossings(line),
            _ => self.shape(primitive_id)?.crossings(line),
        };
        crossings.first_from(t_min).filter(|crossing| crossing.t <= t_max)
    }

    /// The nearest point of one of its primitives.
    pub(crate) fn closest_point(&self, primitive_id: u32, point: DVec3) -> Option<DVec3> {
        match self {
            Self::Shape(shape) => Some(shape.closest_point(point)),
            _ => Some(self.shape(primitive_id)?.closest_point(point)),
        }
    }

    /// Moves it into world space and rounds its numbers once to float32.
    pub(crate) fn placed(
        &self,
        world_from_geometry: &Similarity,
    ) -> Result<Placed<Self>, ShapeError> {
        match self {
            Self::Shape(shape) => {
                let placed = place(shape.shape_type(), &shape.row(), world_from_geometry)?;
                Ok(Placed { shape: Self::Shape(placed.shape), coarse: placed.coarse })
            }
            Self::Mesh(mesh) => mesh.placed(world_from_geometry).map(Placed::into),
            Self::Lines(lines) => lines.placed(world_from_geometry).map(Placed::into),
            Self::Heightfield(field) => field.placed(world_from_geometry).map(Placed::into),
        }
    }
}

impl<S: Into<Shape>> From<S> for Geometry {
    fn from(shape: S) -> Self {
        Self::Shape(shape.into())
    }
}

macro_rules! from_compound {
    ($($compound:ident),+) => {
        $(
            impl From<$compound> for Geometry {
                fn from(own: $compound) -> Self {
                    Self::$compound(Arc::new(own))
                }
            }

            impl From<Placed<$compound>> for Placed<Geometry> {
                fn from(own: Placed<$compound>) -> Self {
                    Self { shape: own.shape.into(), coarse: own.coarse }
                }
            }
        )+
    };
}

from_compound!(Mesh, Lines, Heightfield);
