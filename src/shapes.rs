//! The closed-form shapes, and the one switch over them.
//!
//! A shape answers one question: *where does this line cross you?* Everything else (closest hit,
//! intervals, ties, the judging of a GPU's answer) is written once, on top. To add a shape: a file
//! here and its namesake in `shaders/shapes/`, a line in `shapes!` below, a line in the switch of
//! `shaders/shapes.wgsl`.

mod capsule;
mod cone;
mod cuboid;
mod cylinder;
mod disc;
mod ellipsoid;
mod heightfield;
mod placing;
mod plane;
mod sphere;
mod torus;
mod triangle;

pub use capsule::Capsule;
pub use cone::Cone;
pub use cuboid::Cuboid;
pub use cylinder::Cylinder;
pub use disc::Disc;
pub use ellipsoid::Ellipsoid;
pub use heightfield::Heightfield;
pub use plane::Plane;
pub use sphere::Sphere;
pub use torus::Torus;
pub use triangle::Triangle;

pub(crate) use cone::check_tips;
pub(crate) use cylinder::check_hole;
pub(crate) use placing::{Placed, place, place_points};
pub(crate) use plane::{near_unit, scale_near_one};

use crate::crossings::{Crossing, Crossings, Span, Zones};
use crate::fields::{Field, ShapeError};
use crate::math::{Bounds, U};
use crate::ray::Line;
use glam::DVec3;

/// Of the bound on surfaces, δ = `DELTA` u max(D, R).
pub const DELTA: f64 = 16.0;

/// What the program knows of a type of shape, for files and for the GPU.
#[derive(Debug)]
pub struct ShapeType {
    /// Its `type` in scene files, and its array's name in bulk files.
    pub name: &'static str,
    /// Its fields, in the order of a bulk array's columns.
    pub fields: &'static [Field],
    /// Whether it has an inside.
    pub is_solid: bool,
    /// How many `vec4<f32>` the GPU reads of it.
    pub params: usize,
    /// How many times wider its precision promise is than that of most shapes.
    pub allowance: f64,
    /// The shape that a row of numbers describes.
    pub(crate) from_row: fn(&[f64]) -> Shape,
}

impl ShapeType {
    /// How many columns a bulk array of it has.
    pub fn columns(&self) -> usize {
        self.fields.iter().map(|field| field.kind.columns()).sum()
    }

    /// How many columns its bulk array has at least: fields at the end that have a default may be left out.
    pub fn least_columns(&self) -> usize {
        let optional = self.fields.iter().rev().take_while(|field| field.default.is_some());
        self.columns() - optional.map(|field| field.kind.columns()).sum::<usize>()
    }

    /// What each column holds where a file leaves it out, 0 where it must not.
    pub fn defaults(&self) -> impl Iterator<Item = f64> {
        self.fields.iter().flat_map(|field| {
            let columns = field.kind.columns();
            (0..columns).map(move |column| field.default.map_or(0.0, |default| default[column]))
        })
    }

    /// The kind of that name.
    pub fn named(name: &str) -> Option<&'static Self> {
        SHAPE_TYPES.iter().find(|kind| kind.name == name)
    }
}

/// What every closed-form shape can say of itself, in float64 and by formulas of its own: none is the
/// shader's.
pub(crate) trait ClosedForm {
    /// What files and the GPU need to know.
    fn shape_type(&self) -> &'static ShapeType;
    /// By which the shader knows how to read its words.
    fn primitive_kind(&self) -> PrimitiveKind;
    /// Its numbers, in the order of [`ShapeType::fields`].
    fn row(&self) -> Vec<f64>;
    /// What no single field can say, checked on the rounded numbers.
    fn check(&self) -> Result<(), ShapeError> {
        Ok(())
    }
    /// The smallest box that holds it, up to float64 rounding; `None` where it has no end.
    fn bounds(&self) -> Option<Bounds>;
    /// The centre from which the precision promise measures the distance D.
    fn center(&self) -> DVec3;
    /// The radius R about that centre.
    fn bounding_radius(&self) -> f64;
    /// The smallest of its radii, half extents and lengths.
    fn smallest_size(&self) -> f64;
    /// Where the line crosses it.
    fn crossings(&self, line: &Line) -> Crossings;
    /// The first place at `t_min` or after it where the line crosses it.
    fn first_crossing(&self, line: &Line, t_min: f64) -> Option<Crossing> {
        self.crossings(line).first_from(t_min)
    }
    /// Where the line crosses it as one of the parts of a surface: an edge that two of them share is crossed in
    /// one of them.
    fn own_crossings(&self, line: &Line) -> Crossings {
        self.crossings(line)
    }
    /// Whether it has a half-space behind it that holds the point, the boundary included.
    fn half_space_holds(&self, _point: DVec3) -> bool {
        false
    }
    /// The outward unit normal of a face at a point on (or near) it.
    fn normal(&self, face: u32, point: DVec3) -> DVec3;
    /// The point of its surface that is nearest, from inside too; of several any one.
    fn closest_point(&self, point: DVec3) -> DVec3;
    /// What is known of the line when every surface may lie up to `delta` from where it is.
    fn zones(&self, line: &Line, delta: f64) -> Zones;
    /// Appends the words that the GPU reads, [`ShapeType::words`] of them.
    fn pack(&self, params: &mut Vec<[f32; 4]>);
}

/// The switch: one line for each shape, in the order in which bulk files number them; `as` names what a
/// tracer makes of it to ask it often, the shape itself where there is nothing to gain.
macro_rules! shapes {
    ($($(#[$about:meta])* $shape:ident as $ready:ty,)+) => {
        /// A closed-form shape in world space.
        ///
        /// Once in a [`Scene`](crate::Scene) its numbers are float32 numbers, held in float64.
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub enum Shape {
            $($(#[$about])* $shape($shape),)+
        }

        /// Every kind, in the order in which bulk files number them.
        pub const SHAPE_TYPES: &[ShapeType] = &[$($shape::TYPE),+];

        /// How the shader tells apart what it reads: by these numbers, in this order.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        #[repr(u32)]
        pub enum PrimitiveKind {
            $(
                #[doc = concat!("[`", stringify!($shape), "`].")]
                $shape,
            )+
            /// A [`Cylinder`] with a hole: what only it needs is left out of scenes that have none.
            Tube,
            /// A [`Triangle`] of a mesh, which shares its edges with others.
            MeshTriangle,
            /// A [`Capsule`] of lines, which is never solid.
            LineSegment,
            /// A [`Heightfield`].
            Heightfield,
        }

        impl PrimitiveKind {
            /// All of them, in their order.
            pub const ALL: &[Self] =
                &[$(Self::$shape,)+ Self::Tube, Self::MeshTriangle, Self::LineSegment, Self::Heightfield];
        }

        impl Shape {
            /// What it says of itself.
            fn form(&self) -> &dyn ClosedForm {
                match self {
                    $(Self::$shape(own) => own,)+
                }
            }
        }

        /// A shape with all that its crossings are computed from at hand, for a tracer that asks it often.
        /// What it answers is to the bit what the shape answers.
        #[derive(Clone, Copy, Debug)]
        pub(crate) enum PreparedShape {
            $($shape($ready),)+
        }

        impl PreparedShape {
            /// The first place at `t_min` or after it where the line crosses it.
            #[inline(always)]
            pub fn first_crossing(&self, line: &Line, t_min: f64) -> Option<Crossing> {
                match self {
                    $(Self::$shape(own) => own.first_crossing(line, t_min),)+
                }
            }

            /// Every place where the line crosses it.
            pub fn crossings(&self, line: &Line) -> Crossings {
                match self {
                    $(Self::$shape(own) => own.crossings(line),)+
                }
            }
        }

        impl From<Shape> for PreparedShape {
            fn from(shape: Shape) -> Self {
                match shape {
                    $(Shape::$shape(own) => Self::$shape(own.into()),)+
                }
            }
        }

        $(
            impl From<$shape> for Shape {
                fn from(shape: $shape) -> Self {
                    Self::$shape(shape)
                }
            }
        )+
    };
}

shapes! {
    /// A ball.
    Sphere as Sphere,
    /// An oriented box.
    Cuboid as cuboid::PreparedCuboid,
    /// A cylinder with flat caps, solid or a tube.
    Cylinder as cylinder::PreparedCylinder,
    /// A cylinder with round ends.
    Capsule as Capsule,
    /// A cone or a frustum, with flat caps.
    Cone as Cone,
    /// A ball stretched along three axes.
    Ellipsoid as ellipsoid::PreparedEllipsoid,
    /// A ring.
    Torus as Torus,
    /// An infinite plane.
    Plane as Plane,
    /// A flat disc, whole or with a hole.
    Disc as Disc,
    /// A flat triangle.
    Triangle as Triangle,
}

impl PrimitiveKind {
    /// Its constant in WGSL, such as `MESH_TRIANGLE`.
    #[cfg(feature = "gpu")]
    pub(crate) fn constant_name(self) -> String {
        let mut name = String::new();
        for letter in format!("{self:?}").chars() {
            if letter.is_uppercase() && !name.is_empty() {
                name.push('_');
            }
            name.push(letter.to_ascii_uppercase());
        }
        name
    }

    /// The one by whose code the shader reads it.
    pub fn reading(self) -> Self {
        match self {
            Self::MeshTriangle => Self::Triangle,
            Self::LineSegment => Self::Capsule,
            own => own,
        }
    }
}

impl PreparedShape {
    /// As [`Shape::own_crossings`]; only triangles share edges.
    pub fn own_crossings(&self, line: &Line) -> Crossings {
        match self {
            Self::Triangle(own) => own.own_crossings(line),
            _ => self.crossings(line),
        }
    }
}

impl Shape {
    /// What kind of shape it is.
    pub fn shape_type(&self) -> &'static ShapeType {
        self.form().shape_type()
    }

    /// By which the shader knows how to read its words.
    pub fn primitive_kind(&self) -> PrimitiveKind {
        self.form().primitive_kind()
    }

    /// Its numbers, in the order of its kind's fields.
    pub fn row(&self) -> Vec<f64> {
        self.form().row()
    }

    /// The smallest box that holds it, up to float64 rounding; `None` where it has no end.
    pub fn bounds(&self) -> Option<Bounds> {
        self.form().bounds()
    }

    /// The centre from which the precision promise measures the distance D.
    pub fn center(&self) -> DVec3 {
        self.form().center()
    }

    /// The radius R about [`Self::center`], 0 for a plane.
    pub fn bounding_radius(&self) -> f64 {
        self.form().bounding_radius()
    }

    /// Every place where the line crosses it.
    pub fn crossings(&self, line: &Line) -> Crossings {
        self.form().crossings(line)
    }

    /// As [`Self::crossings`], as one of the parts of a surface: where the line passes through an edge that two
    /// triangles of a mesh share, it crosses one of them.
    pub fn own_crossings(&self, line: &Line) -> Crossings {
        self.form().own_crossings(line)
    }

    /// Whether the half-space behind it, if it is a plane, holds the point.
    pub(crate) fn half_space_holds(&self, point: DVec3) -> bool {
        self.form().half_space_holds(point)
    }

    /// The outward unit normal of a face at a point on (or near) it.
    pub fn normal(&self, face: u32, point: DVec3) -> DVec3 {
        self.form().normal(face, point)
    }

    /// The point of its surface that is nearest, from inside too; of several any one. Of a tube also the inner
    /// wall, of what has caps also those, and of a plane, disc or triangle all of it.
    ///
    /// By a closed form, but of an ellipsoid: there by halving an interval until float64 knows no number between,
    /// 64 times at most, whatever its radii. The point found lies on the surface, and no other is nearer, up to
    /// 1e-13 of the sum of its distance from the world's origin, of `point`'s, and of the shape's size.
    pub fn closest_point(&self, point: DVec3) -> DVec3 {
        self.form().closest_point(point)
    }

    /// What is known of the line when every surface may lie up to `delta` from where it is. A plane takes
    /// the distance along the line into account as well.
    pub fn zones(&self, line: &Line, delta: f64) -> Zones {
        self.form().zones(line, delta)
    }

    /// Whether it has an inside.
    pub fn is_solid(&self) -> bool {
        self.shape_type().is_solid
    }

    pub(crate) fn smallest_size(&self) -> f64 {
        self.form().smallest_size()
    }

    pub(crate) fn check(&self) -> Result<(), ShapeError> {
        self.form().check()
    }

    pub(crate) fn pack(&self, params: &mut Vec<[f32; 4]>) {
        self.form().pack(params);
    }
}

/// δ = [`DELTA`] u max(D, R), times the kind's allowance: what float32 may have moved a surface by, for
/// rays from `origin`.
pub(crate) fn delta(kind: &ShapeType, origin: DVec3, center: DVec3, radius: f64) -> f64 {
    kind.allowance * DELTA * U * (origin - center).length().max(radius)
}

/// A word as the GPU reads it, from float64 numbers that are float32 numbers.
pub(crate) fn vec4(xyz: DVec3, w: f64) -> [f32; 4] {
    let [x, y, z] = xyz.as_vec3().to_array();
    [x, y, z, w as f32]
}

/// That two points are apart, as the ends of an axis must be.
pub(crate) fn check_axis(start: DVec3, end: DVec3) -> Result<(), ShapeError> {
    // As float32, which 1e-9 is a hair below.
    let shortest = f64::from(crate::fields::MIN_SIZE as f32);
    let length = (end - start).length();
    if length < shortest {
        return Err(ShapeError {
            field: "end".to_owned(),
            reason: format!(
                "is {length:?} from start, in float32: the axis needs a length of at least 1e-9"
            ),
        });
    }
    Ok(())
}

/// Faces of what has caps.
const SIDE: u32 = 0;
const START_CAP: u32 = 1;
const END_CAP: u32 = 2;

/// Where a line runs between two planes across the way `along` from a point of one to a point of the other.
#[inline(always)]
fn between_caps(line: &Line, start: DVec3, along: DVec3) -> Option<Span> {
    // Heights times the length, as is the distance of the planes.
    let height = (line.origin - start).dot(along);
    let climb = line.direction.dot(along);
    let top = along.length_squared();
    if climb == 0.0 {
        return (0.0..=top).contains(&height).then_some(Span::whole(SIDE));
    }
    let start = Crossing { t: -height / climb, face: START_CAP };
    let end = Crossing { t: (top - height) / climb, face: END_CAP };
    let (enter, exit) = if climb > 0.0 { (start, end) } else { (end, start) };
    Some(Span { enter, exit })
}

/// The box around a disc, whose reach along a world axis is `radius * sin(angle to it)`.
fn disc_bounds(center: DVec3, unit_normal: DVec3, radius: f64) -> Bounds {
    let reach = (DVec3::ONE - unit_normal * unit_normal).max(DVec3::ZERO).map(f64::sqrt);
    Bounds::around(center, radius * reach)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_is_its_place_in_the_list_and_kinds_come_first() {
        for (place, kind) in PrimitiveKind::ALL.iter().enumerate() {
            assert_eq!(*kind as usize, place);
        }
        for (place, kind) in SHAPE_TYPES.iter().enumerate() {
            let row: Vec<f64> = (1..=kind.columns()).map(|c| c as f64).collect();
            let shape = (kind.from_row)(&row);
            let solid_tag = if shape.primitive_kind() == PrimitiveKind::Tube {
                PrimitiveKind::Cylinder
            } else {
                shape.primitive_kind()
            };
            assert_eq!(solid_tag as usize, place, "{}", kind.name);
        }
    }

    #[test]
    fn a_row_becomes_the_shape_that_gives_the_row_back() {
        for kind in SHAPE_TYPES {
            let row: Vec<f64> = (1..=kind.columns()).map(|c| c as f64).collect();
            let shape = (kind.from_row)(&row);
            assert_eq!(shape.row(), row, "{}", kind.name);
            assert_eq!(shape.shape_type().name, kind.name);
            let mut params = Vec::new();
            shape.pack(&mut params);
            assert_eq!(params.len(), kind.params, "{}", kind.name);
        }
    }
}
