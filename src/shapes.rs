//! The closed-form shapes, and the one switch over them.
//!
//! A shape answers two questions: where does a line cross it, and which of its points is nearest to
//! a given point? Everything else (closest hits, intervals, ties, the judging of a GPU's answers)
//! is written once, for all shapes. CONTRIBUTING.md lists what to change for a new shape.

mod angles;
mod caps;
mod capsule;
mod closed_form;
mod cone;
mod cuboid;
mod cylinder;
mod disc;
mod displacement;
mod ellipsoid;
mod form_type;
mod heightfield;
mod image;
mod image_distance;
mod outline;
mod parts;
mod placing;
mod plane;
mod primitive_kind;
mod shape;
mod shell;
mod special_lines;
mod sphere;
mod torus;
mod triangle;

pub use capsule::Capsule;
pub use cone::Cone;
pub use cuboid::Cuboid;
pub use cylinder::Cylinder;
pub use disc::Disc;
pub use ellipsoid::Ellipsoid;
pub use form_type::FormType;
pub(crate) use heightfield::BaseFace;
pub use heightfield::Heightfield;
pub use parts::Parts;
pub use plane::{Plane, Rectangle};
pub use primitive_kind::PrimitiveKind;
pub use shape::{SHAPE_TYPES, Shape, ShapeType};
pub use shell::{CappedSolid, Shell};
pub use sphere::Sphere;
pub use torus::Torus;
pub use triangle::Triangle;

pub(crate) use angles::{right_handed_axes, uniform_scale};
pub(crate) use caps::check_axis;
pub(crate) use closed_form::{ClosedForm, Convex};
pub(crate) use cone::check_tips;
pub(crate) use cylinder::check_hole;
pub use displacement::DELTA;
pub(crate) use displacement::delta;
pub(crate) use image::image;
pub use placing::unplaced;
pub(crate) use placing::{PlacedShape, PointRounding, place, place_points, smallest_extent};
pub(crate) use plane::{near_unit, scale_near_one};
pub(crate) use shape::PreparedShape;
pub(crate) use triangle::PreparedTriangle;
