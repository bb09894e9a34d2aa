//! Geometries. Each has an id, a name and a mask, and one primitive or many.
//!
//! A primitive is a closed-form shape: rays are intersected with it, and answers are judged by it.
//! Its index within the geometry is the `primitive_id`. Each primitive of a mesh or of lines is a
//! leaf of the tree. The primitives of a heightfield are found with its own traversal.

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

/// A shape, mesh, lines or heightfield that rays can hit, in world space.
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
    /// No primitives. It takes the `geometry_id` of a shape that could not be read, so that later
    /// ids do not change.
    Empty,
}

/// The `type` of [`Geometry::Empty`] in scene files.
pub const EMPTY: &str = "empty";

/// Returns the types of geometries with their names in scene files, in the order of reports.
pub fn type_names() -> impl Iterator<Item = &'static str> {
    let shapes = SHAPE_TYPES.iter().map(|shape_type| shape_type.name);
    shapes.chain([Mesh::NAME, Heightfield::NAME, Lines::NAME, EMPTY])
}

impl Geometry {
    /// Returns the default name of a geometry: its type and a number, such as `sphere[17]`.
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

    /// Returns the number of its primitives.
    ///
    /// It is 1 for a closed-form shape. A mesh has its triangles, lines have their segments, and a
    /// heightfield has its triangles and the faces of its base.
    pub fn primitive_count(&self) -> usize {
        match self {
            Self::Shape(_) => 1,
            Self::Mesh(mesh) => mesh.triangles().len(),
            Self::Lines(lines) => lines.indices().len(),
            Self::Heightfield(field) => field.primitive_count(),
            Self::Empty => 0,
        }
    }

    /// Returns the closed form of a primitive, in world space; `None` for a primitive without one,
    /// such as the side of a heightfield.
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
            // In float32 the rounding errors are those of the whole grid, however near a triangle
            // is.
            return Some(Primitive::within(form, field.center, field.bounding_radius()));
        }
        self.shape(primitive_id).map(Primitive::from)
    }

    /// Returns the smallest box that contains it, up to float64 rounding; `None` for a plane.
    pub fn bounds(&self) -> Option<Bounds> {
        match self {
            Self::Shape(shape) => shape.bounds(),
            Self::Mesh(mesh) => Some(mesh.bounds()),
            Self::Lines(lines) => Some(lines.bounds()),
            Self::Heightfield(field) => Some(field.bounds()),
            Self::Empty => Some(Bounds::EMPTY),
        }
    }

    /// Returns true if it has an inside. Planes, discs, triangles, lines, open meshes and
    /// heightfields without a base have none.
    pub fn is_solid(&self) -> bool {
        match self {
            Self::Shape(shape) => shape.is_solid(),
            Self::Mesh(mesh) => mesh.is_closed(),
            Self::Heightfield(field) => field.base().is_some(),
            Self::Lines(_) | Self::Empty => false,
        }
    }

    /// Returns the volume of a solid in its own space; `None` if it has no inside.
    ///
    /// The volume of a closed mesh is the volume that its triangles enclose (Gauss's theorem). If
    /// the mesh passes through itself, a part counts as often as it is enclosed.
    pub fn volume(&self) -> Option<f64> {
        match self {
            Self::Shape(shape) => shape.volume(),
            Self::Mesh(mesh) => mesh.volume(),
            Self::Heightfield(field) => field.volume(),
            Self::Lines(_) | Self::Empty => None,
        }
    }

    /// Checks the given numbers of a closed form, before it is placed.
    ///
    /// # Errors
    /// A [`ShapeError`] for numbers that a scene rejects.
    pub fn check(&self) -> Result<(), ShapeError> {
        match self {
            Self::Shape(shape) => shape.check_fields(),
            // A compound geometry is checked when it is placed. Its image has the same errors.
            Self::Mesh(_) | Self::Lines(_) | Self::Heightfield(_) | Self::Empty => Ok(()),
        }
    }

    /// Returns its image under an affine map, in float64; `None` if no geometry has the form of
    /// that image.
    pub fn image(&self, map: &Affine) -> Option<Self> {
        Some(match self {
            Self::Shape(shape) => image(shape, map)?.into(),
            Self::Mesh(mesh) => mesh.image(map).into(),
            Self::Lines(lines) => lines.image(map)?.into(),
            Self::Heightfield(field) => field.image(map)?.into(),
            Self::Empty => Self::Empty,
        })
    }

    /// Returns the smallest of its radii, half extents and lengths; for a mesh, its smallest
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

    /// Returns it with its numbers rounded once to float32, as a scene stores it.
    ///
    /// # Errors
    /// A [`ShapeError`] for numbers that a scene rejects.
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
