//! A geometry has an id, a name and a mask, and one primitive or many.
//!
//! A primitive is a closed-form shape, for which rays are answered and answers are judged; its
//! index within the geometry is the `primitive_id`. The primitives of a mesh and of lines stand in
//! the tree one by one; those of a heightfield are found by its own traversal.

mod least_along;
mod lines;
mod mesh;
mod outline;
mod primitive;
mod primitive_ids;

pub use lines::Lines;
pub use mesh::Mesh;
pub use outline::SurfacePart;
pub use primitive::Primitive;
use primitive::PrimitiveForm;
pub(crate) use primitive_ids::PrimitiveIds;

use crate::fields::ShapeError;
use crate::math::{Bounds, Similarity};
use crate::shapes::{
    BaseFace, Heightfield, PlacedShape, SHAPE_TYPES, Shape, image, place, smallest_extent,
};
use crate::transform::Affine;
use std::sync::Arc;

/// Something that rays are cast into, in world space.
#[derive(Clone, Debug, PartialEq)]
pub enum Geometry {
    /// One closed-form shape, which is its only primitive.
    Shape(Shape),
    /// Triangles that share vertices.
    Mesh(Arc<Mesh>),
    /// Line segments with a picking radius.
    Lines(Arc<Lines>),
    /// Heights above a grid.
    Heightfield(Arc<Heightfield>),
    /// No primitives. It keeps the `geometry_id` of what could not be read, so that later ids hold.
    Empty,
}

/// The `type` of [`Geometry::Empty`] in scene files.
pub const EMPTY: &str = "empty";

/// Returns the types of geometries as scene files name them, in the order of reports.
pub fn type_names() -> impl Iterator<Item = &'static str> {
    let shapes = SHAPE_TYPES.iter().map(|shape_type| shape_type.name);
    shapes.chain([Mesh::NAME, Heightfield::NAME, Lines::NAME, EMPTY])
}

impl Geometry {
    /// Returns what one without a name is called: its type and a number, such as `sphere[17]`.
    pub fn numbered(&self, number: u32) -> String {
        format!("{}[{number}]", self.type_name())
    }

    /// Returns its `type` in scene files.
    pub fn type_name(&self) -> &'static str {
        match self {
            Self::Shape(shape) => shape.shape_type().name,
            Self::Mesh(_) => Mesh::NAME,
            Self::Lines(_) => Lines::NAME,
            Self::Heightfield(_) => Heightfield::NAME,
            Self::Empty => EMPTY,
        }
    }

    /// Returns how many primitives it has: 1 for a closed-form shape, else its triangles or
    /// segments, and the faces of a heightfield's base.
    pub fn primitive_count(&self) -> usize {
        match self {
            Self::Shape(_) => 1,
            Self::Mesh(mesh) => mesh.triangles().len(),
            Self::Lines(lines) => lines.indices().len(),
            Self::Heightfield(field) => field.primitive_count(),
            Self::Empty => 0,
        }
    }

    /// Returns the closed form of a primitive, in world space; `None` for one that has none, such
    /// as the side of a heightfield.
    pub fn shape(&self, primitive_id: u32) -> Option<Shape> {
        let index = primitive_id as usize;
        match self {
            Self::Shape(shape) => (index == 0).then_some(*shape),
            Self::Mesh(mesh) => mesh.triangle(index).map(Shape::from),
            Self::Lines(lines) => lines.segment(index).map(Shape::from),
            Self::Heightfield(field) => field.triangle(index).map(Shape::from),
            Self::Empty => None,
        }
    }

    /// Returns a primitive.
    pub fn primitive(&self, primitive_id: u32) -> Option<Primitive> {
        if let Self::Heightfield(field) = self {
            let form = match BaseFace::of(field, primitive_id) {
                Some(face) => PrimitiveForm::BaseFace(face),
                None => PrimitiveForm::Shape(self.shape(primitive_id)?),
            };
            // Float32 sees the grid as one object, however near a triangle is.
            return Some(Primitive::within(form, field.center, field.bounding_radius()));
        }
        self.shape(primitive_id).map(Primitive::from)
    }

    /// Returns the smallest box that holds it, up to float64 rounding; `None` for a plane.
    pub fn bounds(&self) -> Option<Bounds> {
        match self {
            Self::Shape(shape) => shape.bounds(),
            Self::Mesh(mesh) => Some(mesh.bounds()),
            Self::Lines(lines) => Some(lines.bounds()),
            Self::Heightfield(field) => Some(field.bounds()),
            Self::Empty => Some(Bounds::EMPTY),
        }
    }

    /// Returns true if it has an inside: planes, discs, triangles, lines, open meshes and
    /// heightfields without a base have none.
    pub fn is_solid(&self) -> bool {
        match self {
            Self::Shape(shape) => shape.is_solid(),
            Self::Mesh(mesh) => mesh.is_closed(),
            Self::Heightfield(field) => field.base().is_some(),
            Self::Lines(_) | Self::Empty => false,
        }
    }

    /// Returns the volume of a solid in its own space, in float64; `None` if it has no inside.
    ///
    /// That of a closed mesh is what its triangles enclose (Gauss' theorem): where the mesh passes
    /// through itself, parts count as often as they are enclosed.
    pub fn volume(&self) -> Option<f64> {
        match self {
            Self::Shape(shape) => shape.volume(),
            Self::Mesh(mesh) => mesh.volume(),
            Self::Heightfield(field) => field.volume(),
            Self::Lines(_) | Self::Empty => None,
        }
    }

    /// Checks the numbers of a closed form as they are given, before it is placed.
    ///
    /// # Errors
    /// A [`ShapeError`] for numbers that a scene refuses.
    pub fn check(&self) -> Result<(), ShapeError> {
        match self {
            Self::Shape(shape) => shape.check_fields(),
            // A compound geometry is checked when it is placed, and its image has no other faults
            // than it has.
            Self::Mesh(_) | Self::Lines(_) | Self::Heightfield(_) | Self::Empty => Ok(()),
        }
    }

    /// Returns its image under an affine map, in float64; `None` if none of our geometries is that
    /// image.
    pub fn image(&self, map: &Affine) -> Option<Self> {
        Some(match self {
            Self::Shape(shape) => image(shape, map)?.into(),
            Self::Mesh(mesh) => mesh.image(map).into(),
            Self::Lines(lines) => lines.image(map)?.into(),
            Self::Heightfield(field) => field.image(map)?.into(),
            Self::Empty => Self::Empty,
        })
    }

    /// Returns the smallest of its radii, half extents and lengths, or of a mesh its smallest
    /// extent.
    pub(crate) fn smallest_size(&self) -> f64 {
        match self {
            Self::Shape(shape) => shape.smallest_size(),
            Self::Mesh(mesh) => smallest_extent(&mesh.bounds()),
            Self::Lines(lines) => lines.radius(),
            Self::Heightfield(field) => field.spacing[0].min(field.spacing[1]),
            Self::Empty => f64::INFINITY,
        }
    }

    /// Returns it with its numbers rounded once to float32, as a scene keeps it.
    ///
    /// # Errors
    /// A [`ShapeError`] for numbers that a scene refuses.
    pub fn rounded(&self) -> Result<Self, ShapeError> {
        self.placed(&Similarity::IDENTITY).map(|placed| placed.shape)
    }

    /// Moves it into world space and rounds its numbers once to float32.
    pub(crate) fn placed(
        &self,
        world_from_geometry: &Similarity,
    ) -> Result<PlacedShape<Self>, ShapeError> {
        match self {
            Self::Shape(shape) => {
                let placed = place(shape.shape_type(), &shape.row(), world_from_geometry)?;
                Ok(PlacedShape { shape: Self::Shape(placed.shape), coarse: placed.coarse })
            }
            Self::Mesh(mesh) => mesh.placed(world_from_geometry).map(PlacedShape::into),
            Self::Lines(lines) => lines.placed(world_from_geometry).map(PlacedShape::into),
            Self::Heightfield(field) => field.placed(world_from_geometry).map(PlacedShape::into),
            Self::Empty => Ok(PlacedShape { shape: Self::Empty, coarse: false }),
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
                fn from(geometry: $compound) -> Self {
                    Self::$compound(Arc::new(geometry))
                }
            }

            impl From<PlacedShape<$compound>> for PlacedShape<Geometry> {
                fn from(placed: PlacedShape<$compound>) -> Self {
                    Self { shape: placed.shape.into(), coarse: placed.coarse }
                }
            }
        )+
    };
}

from_compound!(Mesh, Lines, Heightfield);
