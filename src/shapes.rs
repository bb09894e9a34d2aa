//! The closed-form shapes, and the one switch over them.
//!
//! A shape answers two questions: *where does this line cross you*, and *where are you nearest to
//! this point?* Everything else (closest hit, intervals, ties, the judging of a GPU's answer) is
//! written once, on top. CONTRIBUTING.md lists what a new shape touches.

mod caps;
mod capsule;
mod cone;
mod cuboid;
mod cylinder;
mod disc;
mod displacement;
mod ellipsoid;
mod heightfield;
mod image;
mod image_distance;
mod outline;
mod parts;
mod placing;
mod plane;
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
pub(crate) use heightfield::BaseFace;
pub use heightfield::Heightfield;
pub use parts::Parts;
pub use plane::{Plane, Rectangle};
pub use shell::{CappedSolid, Shell};
pub use sphere::Sphere;
pub use torus::Torus;
pub use triangle::Triangle;

pub(crate) use caps::check_axis;
pub(crate) use cone::check_tips;
pub(crate) use cylinder::check_hole;
pub use displacement::DELTA;
pub(crate) use displacement::delta;
pub(crate) use image::{image, right_handed_axes, uniform_scale};
pub(crate) use placing::{Placed, place, place_points, unplaced};
pub(crate) use plane::{near_unit, scale_near_one};
pub(crate) use triangle::PreparedTriangle;

use crate::crossings::{Crossing, Crossings, Zones};
use crate::fields::{Field, FieldKind, ShapeError};
use crate::math::{Bounds, vec4};
use crate::ray::Line;
use caps::{END_CAP, SIDE, START_CAP, between_caps, disc_bounds};
use glam::DVec3;
use outline::{Outline, OutlinePiece};

/// A type of shape, as files and the GPU describe it.
#[derive(Debug)]
pub struct ShapeType {
    /// Its `type` in scene files, and its array's name in bulk files.
    pub name: &'static str,
    /// Its fields, in the order of a bulk array's columns.
    pub fields: &'static [Field],
    /// True for a type that has an inside.
    pub is_solid: bool,
    /// The largest number of `vec4<f32>` that the GPU reads for each shape.
    pub params: usize,
    /// The factor by which its precision promise is wider than that of most shapes.
    pub allowance: f64,
    /// Makes a shape from a row of numbers.
    pub(crate) from_row: fn(&[f64]) -> Shape,
}

impl ShapeType {
    /// Returns how many numbers a shape takes in its bulk array, those that have a default among
    /// them.
    pub fn columns(&self) -> usize {
        self.fields.iter().map(|field| field.kind.columns()).sum()
    }

    /// Returns the numbers of columns that its bulk array may have, the smallest first: trailing
    /// fields that have a default may be left out.
    pub fn column_counts(&self) -> Vec<usize> {
        let mut counts = vec![self.columns()];
        for field in self.fields.iter().rev().take_while(|field| field.default.is_some()) {
            counts.insert(0, counts[0] - field.kind.columns());
        }
        counts
    }

    /// Returns each column's default, or 0 for a column that a file must give.
    pub fn defaults(&self) -> impl Iterator<Item = f64> {
        self.fields.iter().flat_map(|field| {
            let columns = field.kind.columns();
            (0..columns).map(move |column| field.default.map_or(0.0, |default| default[column]))
        })
    }

    /// Returns the mean of the points in a row, which is somewhere in the shape; `None` if the row
    /// lacks numbers.
    pub(crate) fn middle(&self, row: &[f64]) -> Option<DVec3> {
        let (mut sum, mut count, mut start) = (DVec3::ZERO, 0.0, 0);
        for field in self.fields {
            let numbers = row.get(start..start + field.kind.columns())?;
            start += numbers.len();
            if matches!(field.kind, FieldKind::Position | FieldKind::Corners) {
                for point in numbers.chunks_exact(3) {
                    sum += DVec3::from_slice(point);
                    count += 1.0;
                }
            }
        }
        (count > 0.0).then(|| sum / count)
    }

    /// Finds the type of that name in scene files, letter for letter; `None` if there is no such
    /// type.
    pub fn named(name: &str) -> Option<&'static Self> {
        SHAPE_TYPES.iter().find(|shape_type| shape_type.name == name)
    }
}

/// The interface of every closed-form shape. All of it is float64, and no formula is copied from
/// the shader, so that the two sides check each other.
pub(crate) trait ClosedForm {
    fn shape_type(&self) -> &'static ShapeType;
    /// Returns the kind by which the shader tells how to read its params.
    fn primitive_kind(&self) -> PrimitiveKind;
    /// Returns true if it has an inside.
    fn is_solid(&self) -> bool {
        self.shape_type().is_solid
    }
    /// Returns its numbers, in the order of [`ShapeType::fields`].
    fn row(&self) -> Vec<f64>;
    /// Checks the rules that involve more than one field, on the rounded numbers.
    fn check(&self) -> Result<(), ShapeError> {
        Ok(())
    }
    /// Returns the smallest box around it, up to float64 rounding, or `None` for an infinite shape.
    fn bounds(&self) -> Option<Bounds>;
    /// Returns the centre from which the precision promise measures the distance D.
    fn center(&self) -> DVec3;
    /// Returns the radius R about that centre.
    fn bounding_radius(&self) -> f64;
    /// Returns the smallest of its radii, half extents and lengths.
    fn smallest_size(&self) -> f64;
    /// Returns every place where the line crosses it.
    fn crossings(&self, line: &Line) -> Crossings;
    fn most_crossings(&self) -> u32 {
        if self.is_solid() { 2 } else { 1 }
    }
    /// Returns the first crossing at `t_min` or after it.
    fn first_crossing(&self, line: &Line, t_min: f64) -> Option<Crossing> {
        self.crossings(line).first_from(t_min)
    }
    /// Returns the form that it is exactly, if it is one of these.
    fn convex(&self) -> Option<Convex> {
        None
    }
    /// Returns where the line crosses it as one primitive of a surface: a line through an edge that
    /// two primitives share crosses exactly one of them.
    fn own_crossings(&self, line: &Line) -> Crossings {
        self.crossings(line)
    }
    /// Returns true if it is a plane and the half-space behind it holds the point, boundary
    /// included.
    fn half_space_holds(&self, _point: DVec3) -> bool {
        false
    }
    /// Returns the outward unit normal of a face at a point on (or near) it.
    fn normal(&self, face: u32, point: DVec3) -> DVec3;
    /// Returns the nearest point of its surface, also for a point inside; any one of several that
    /// are equally near.
    fn closest_point(&self, point: DVec3) -> DVec3;
    /// It is `None` for a shape that is not turned about an axis.
    fn outline(&self) -> Option<Outline> {
        None
    }
    /// Returns what is certain about the line if every surface may be displaced by up to `delta`.
    fn zones(&self, line: &Line, delta: f64) -> Zones;
    /// Appends the [`ShapeType::params`] vectors that the GPU reads.
    fn pack(&self, params: &mut Vec<[f32; 4]>);
}

/// A solid form by which float32 bounds a shape's crossings before they are computed.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Convex {
    Ball {
        center: DVec3,
        radius: f64,
    },
    /// A box, with its own axes.
    Block {
        center: DVec3,
        axes: [DVec3; 3],
        half_extents: DVec3,
    },
    /// A round column with flat ends. The third axis leads along it, the others are perpendicular
    /// to it and each other.
    Column {
        center: DVec3,
        axes: [DVec3; 3],
        radius: f64,
        half_length: f64,
    },
}

/// The switch has one line for each shape, in the order in which bulk files number them. The type
/// after `as` is the prepared form that a tracer casts many rays at; it is the shape itself where
/// there is nothing to precompute.
macro_rules! shapes {
    ($($(#[$about:meta])* $shape:ident as $prepared:ty,)+) => {
        /// A closed-form shape in world space.
        ///
        /// Once in a [`Scene`](crate::Scene) its numbers are float32 numbers, held in float64.
        #[derive(Clone, Copy, Debug, PartialEq)]
        #[non_exhaustive]
        pub enum Shape {
            $($(#[$about])* $shape($shape),)+
            /// A cylinder or a cone of which some parts are absent.
            Shell(Shell),
        }

        /// Every shape type, in the order in which bulk files number them.
        pub const SHAPE_TYPES: &[ShapeType] = &[$($shape::TYPE),+];

        /// The number by which the shader tells primitives apart.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        #[repr(u32)]
        #[non_exhaustive]
        pub enum PrimitiveKind {
            $(
                #[doc = concat!("[`", stringify!($shape), "`].")]
                $shape,
            )+
            /// A [`Cylinder`] with a hole. It has its own kind so that a scene without tubes
            /// compiles no code for them.
            Tube,
            /// A [`Triangle`] of a mesh, which shares its edges with others.
            MeshTriangle,
            /// A [`Capsule`] of lines, which is never solid.
            LineSegment,
            /// A [`Heightfield`].
            Heightfield,
            /// A [`Heightfield`] with a base.
            ClosedHeightfield,
            /// A [`Plane`] that is bounded or one-sided, and so bounds no half-space.
            Sheet,
            /// A [`Shell`] of a cylinder.
            CylinderShell,
            /// A [`Shell`] of a cone.
            ConeShell,
            /// A definition at some place, which holds primitives of other kinds.
            Instance,
        }

        impl PrimitiveKind {
            /// Every kind, in order of its number.
            pub const ALL: &[Self] =
                &[
                    $(Self::$shape,)+
                    Self::Tube,
                    Self::MeshTriangle,
                    Self::LineSegment,
                    Self::Heightfield,
                    Self::ClosedHeightfield,
                    Self::Sheet,
                    Self::CylinderShell,
                    Self::ConeShell,
                    Self::Instance,
                ];

            /// Returns its name in messages.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$shape => $shape::TYPE.name,)+
                    Self::Tube => "tube",
                    Self::MeshTriangle => "mesh",
                    Self::LineSegment => "lines",
                    Self::Heightfield => Heightfield::NAME,
                    Self::ClosedHeightfield => "heightfield with a base",
                    Self::Sheet => "bounded or one-sided plane",
                    Self::CylinderShell => "cylinder without a part",
                    Self::ConeShell => "cone without a part",
                    Self::Instance => "instance",
                }
            }
        }

        impl Shape {
            fn form(&self) -> &dyn ClosedForm {
                match self {
                    $(Self::$shape(shape) => shape,)+
                    Self::Shell(shell) => shell,
                }
            }
        }

        /// A shape with the inputs of its crossings precomputed, for a tracer that casts many rays
        /// at it. Its answers equal the shape's to the bit.
        #[derive(Clone, Copy, Debug)]
        pub(crate) enum PreparedShape {
            $($shape($prepared),)+
            Shell(Shell),
        }

        impl PreparedShape {
            /// Returns the first crossing at `t_min` or after it.
            #[inline(always)]
            pub fn first_crossing(&self, line: &Line, t_min: f64) -> Option<Crossing> {
                match self {
                    $(Self::$shape(shape) => shape.first_crossing(line, t_min),)+
                    Self::Shell(shell) => shell.first_crossing(line, t_min),
                }
            }

            /// Returns every place where the line crosses it.
            pub fn crossings(&self, line: &Line) -> Crossings {
                match self {
                    $(Self::$shape(shape) => shape.crossings(line),)+
                    Self::Shell(shell) => shell.crossings(line),
                }
            }
        }

        impl From<Shape> for PreparedShape {
            fn from(shape: Shape) -> Self {
                match shape {
                    $(Shape::$shape(shape) => Self::$shape(shape.into()),)+
                    Shape::Shell(shell) => Self::Shell(shell),
                }
            }
        }

        impl From<Shell> for Shape {
            fn from(shell: Shell) -> Self {
                Self::Shell(shell)
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
    /// A plane, infinite or bounded.
    Plane as Plane,
    /// A flat disc, whole or with a hole.
    Disc as Disc,
    /// A flat triangle.
    Triangle as Triangle,
}

impl PrimitiveKind {
    /// Returns the name of its constant in WGSL, such as `MESH_TRIANGLE`.
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

    /// Returns the kind whose code the shader runs for it.
    pub fn reading(self) -> Self {
        match self {
            Self::MeshTriangle => Self::Triangle,
            Self::LineSegment => Self::Capsule,
            kind => kind,
        }
    }
}

impl Shape {
    /// Returns its type.
    pub fn shape_type(&self) -> &'static ShapeType {
        self.form().shape_type()
    }

    /// Returns the kind by which the shader tells how to read its params.
    pub fn primitive_kind(&self) -> PrimitiveKind {
        self.form().primitive_kind()
    }

    /// Returns its numbers, in the order of its type's fields.
    pub fn row(&self) -> Vec<f64> {
        self.form().row()
    }

    /// Returns the smallest box around it, up to float64 rounding, or `None` for an infinite shape.
    pub fn bounds(&self) -> Option<Bounds> {
        self.form().bounds()
    }

    /// Returns the centre from which the precision promise measures the distance D.
    pub fn center(&self) -> DVec3 {
        self.form().center()
    }

    /// Returns the radius R about [`Self::center`], which is 0 for a plane.
    pub fn bounding_radius(&self) -> f64 {
        self.form().bounding_radius()
    }

    /// Returns every place where the line crosses it.
    pub fn crossings(&self, line: &Line) -> Crossings {
        self.form().crossings(line)
    }

    pub(crate) fn most_crossings(&self) -> u32 {
        self.form().most_crossings()
    }

    /// Returns the crossings of a shape that is one primitive of a surface. It differs from
    /// [`Self::crossings`] where the line passes through an edge that two triangles of a mesh
    /// share: then it crosses exactly one of them.
    pub fn own_crossings(&self, line: &Line) -> Crossings {
        self.form().own_crossings(line)
    }

    /// Returns the form that it is exactly, if it is one of these.
    pub(crate) fn convex(&self) -> Option<Convex> {
        self.form().convex()
    }

    /// Returns true if it is a plane and the half-space behind it holds the point.
    pub(crate) fn half_space_holds(&self, point: DVec3) -> bool {
        self.form().half_space_holds(point)
    }

    /// Returns the outward unit normal of a face at a point on (or near) it.
    pub fn normal(&self, face: u32, point: DVec3) -> DVec3 {
        self.form().normal(face, point)
    }

    /// Returns the nearest point of its surface, also for a point inside; any one of several that
    /// are equally near. The surface includes a tube's inner wall and all caps, and it is the whole
    /// of a plane, disc or triangle.
    ///
    /// The computation is a closed form, except for an ellipsoid: that takes a bisection until
    /// float64 has no number between the bounds, at most 64 steps for any radii. The point found
    /// lies on the surface, and no other is nearer, up to 1e-13 of the sum of its distance from the
    /// world's origin, of `point`'s, and of the shape's size.
    pub fn closest_point(&self, point: DVec3) -> DVec3 {
        self.form().closest_point(point)
    }

    /// Returns what is certain about the line if every surface may be displaced by up to `delta`. A
    /// plane also takes the distance along the line into account.
    pub fn zones(&self, line: &Line, delta: f64) -> Zones {
        self.form().zones(line, delta)
    }

    /// Returns true if it has an inside.
    pub fn is_solid(&self) -> bool {
        self.form().is_solid()
    }

    /// The smallest of its radii, half extents and lengths.
    pub fn smallest_size(&self) -> f64 {
        self.form().smallest_size()
    }

    pub(crate) fn pack(&self, params: &mut Vec<[f32; 4]>) {
        self.form().pack(params);
    }
}

/// Returns a cylinder or a cone with those of its parts whose flags are not 0.
fn with_parts(whole: Shape, flags: &[f64]) -> Shape {
    let parts = Parts::of_flags(flags);
    match whole {
        Shape::Cylinder(cylinder) if parts != Parts::ALL => {
            Shell { whole: CappedSolid::Cylinder(cylinder), parts }.into()
        }
        Shape::Cone(cone) if parts != Parts::ALL => {
            Shell { whole: CappedSolid::Cone(cone), parts }.into()
        }
        whole => whole,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a row of different numbers, with the defaults of some fields.
    fn row(kind: &ShapeType, is_default: impl Fn(&Field) -> bool) -> Vec<f64> {
        let mut row = Vec::new();
        for field in kind.fields {
            match field.default {
                Some(default) if is_default(field) => row.extend(default),
                _ if field.kind == FieldKind::Flag => row.push(1.0),
                _ => (0..field.kind.columns()).for_each(|_| row.push(1.0 + row.len() as f64)),
            }
        }
        row
    }

    #[test]
    fn a_kind_is_its_index_in_the_list_and_shapes_come_first() {
        for (index, kind) in PrimitiveKind::ALL.iter().enumerate() {
            assert_eq!(*kind as usize, index);
        }
        for (index, kind) in SHAPE_TYPES.iter().enumerate() {
            let shape = (kind.from_row)(&row(kind, |field| field.default.is_some()));
            assert_eq!(shape.primitive_kind() as usize, index, "{}", kind.name);
        }
    }

    #[test]
    fn a_row_becomes_the_shape_that_gives_the_row_back() {
        for kind in SHAPE_TYPES {
            // A bounded plane's normal follows from its rotation.
            let row = row(kind, |field| field.kind == FieldKind::OptionalDirection);
            let shape = (kind.from_row)(&row);
            assert_eq!(shape.row(), row, "{}", kind.name);
            assert_eq!(shape.shape_type().name, kind.name);
            let mut params = Vec::new();
            shape.pack(&mut params);
            assert!(params.len() <= kind.params, "{}", kind.name);
        }
    }
}
