//! The closed-form shapes as one type, and the one switch over them.

use super::closed_form::{ClosedForm, Convex};
use super::cuboid::PreparedCuboid;
use super::cylinder::PreparedCylinder;
use super::ellipsoid::PreparedEllipsoid;
use super::{
    CappedSolid, Capsule, Cone, Cuboid, Cylinder, Disc, Ellipsoid, FormType, Parts, Plane,
    PrimitiveKind, Shell, Sphere, Torus, Triangle,
};
use crate::crossings::{Crossing, Crossings, Zone, Zones};
use crate::math::Bounds;
use crate::ray::Line;
use glam::DVec3;

/// The description of a type of shape, for files and the GPU.
pub type ShapeType = FormType<Shape>;

impl ShapeType {
    /// Returns the type with this name.
    pub fn named(name: &str) -> Option<&'static Self> {
        SHAPE_TYPES.iter().find(|shape_type| shape_type.name == name)
    }
}

/// The switch has one line for each shape, in the order in which bulk files number them. The type
/// after `as` is the prepared form that a tracer casts many rays at; it is the shape itself where
/// there is nothing to precompute.
macro_rules! shapes {
    ($($(#[$about:meta])* $shape:ident as $prepared:ty,)+) => {
        /// A closed-form shape in world space.
        ///
        /// In a [`Scene`](crate::Scene) its numbers are float32 numbers, stored in float64.
        #[derive(Clone, Copy, Debug, PartialEq)]
        #[non_exhaustive]
        pub enum Shape {
            $($(#[$about])* $shape($shape),)+
            /// A cylinder or a cone with missing parts.
            Shell(Shell),
        }

        /// Every shape type, in the order in which bulk files number them.
        pub const SHAPE_TYPES: &[ShapeType] = &[$(FormType {
            from_row: |row| with_parts(($shape::TYPE.from_row)(row).into(), row),
            name: $shape::TYPE.name,
            fields: $shape::TYPE.fields,
            is_solid: $shape::TYPE.is_solid,
            params: $shape::TYPE.params,
            allowance: $shape::TYPE.allowance,
        }),+];

        impl PrimitiveKind {
            /// Returns its name in messages.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$shape => $shape::TYPE.name,)+
                    Self::Tube => "tube",
                    Self::MeshTriangle => "mesh",
                    Self::LineSegment => "lines",
                    Self::Heightfield => "heightfield",
                    Self::ClosedHeightfield => "heightfield with a base",
                    Self::Sheet => "bounded or one-sided plane",
                    Self::CylinderShell => "cylinder without a part",
                    Self::ConeShell => "cone without a part",
                    Self::Instance => "instance",
                }
            }
        }

        impl Shape {
            /// Returns its type.
            pub fn shape_type(&self) -> &'static ShapeType {
                let kind = match self {
                    $(Self::$shape(_) => PrimitiveKind::$shape,)+
                    Self::Shell(Shell { whole: CappedSolid::Cylinder(_), .. }) => {
                        PrimitiveKind::Cylinder
                    }
                    Self::Shell(Shell { whole: CappedSolid::Cone(_), .. }) => PrimitiveKind::Cone,
                };
                &SHAPE_TYPES[kind as usize]
            }

            /// Returns the normal and the face of a hit, as [`ClosedForm::surface_met`] does.
            pub(crate) fn surface_met(
                &self,
                line: &Line,
                ts: [f64; 2],
                point: impl Fn(f64) -> DVec3,
            ) -> Option<(DVec3, u32)> {
                match self {
                    $(Self::$shape(shape) => shape.surface_met(line, ts, point),)+
                    Self::Shell(_) => None,
                }
            }

            pub(super) fn form(&self) -> &dyn ClosedForm {
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
    Cuboid as PreparedCuboid,
    /// A cylinder with flat caps, solid or a tube.
    Cylinder as PreparedCylinder,
    /// A cylinder with round ends.
    Capsule as Capsule,
    /// A cone or a frustum, with flat caps.
    Cone as Cone,
    /// A ball stretched along three axes.
    Ellipsoid as PreparedEllipsoid,
    /// A ring.
    Torus as Torus,
    /// A plane, infinite or bounded.
    Plane as Plane,
    /// A flat disc, whole or with a hole.
    Disc as Disc,
    /// A flat triangle.
    Triangle as Triangle,
}

impl Shape {
    /// Returns the kind, by which the shader knows how to read its params.
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

    /// Returns the centre from which the precision bound measures the distance D.
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

    /// Returns the largest number of places where a line crosses it.
    pub(crate) fn most_crossings(&self) -> u32 {
        self.form().most_crossings()
    }

    /// Returns the crossings of a shape that is one primitive of a surface. It differs from
    /// [`Self::crossings`] where the line passes through an edge that two triangles of a mesh
    /// share: then it crosses exactly one of them.
    pub fn own_crossings(&self, line: &Line) -> Crossings {
        self.form().own_crossings(line)
    }

    /// Returns the point of a solid that is farthest along a direction, which need not be of unit
    /// length.
    pub(crate) fn support(&self, direction: DVec3) -> DVec3 {
        self.form().support(direction)
    }

    /// Returns the two ends of the axis along which it extends, each with the radius there, if it
    /// has such an axis.
    pub(crate) fn ends(&self) -> Option<[(DVec3, f64); 2]> {
        self.form().ends()
    }

    /// Returns the radius of the hole along that axis, 0 for none.
    pub(crate) fn bore(&self) -> f64 {
        self.form().bore()
    }

    /// Returns the centres and the radius of two balls whose convex hull it is; the balls of a
    /// sphere are one.
    pub(crate) fn balls(&self) -> Option<([DVec3; 2], f64)> {
        self.form().balls()
    }

    /// Returns the form that it is exactly, if it is one of these.
    pub(crate) fn convex(&self) -> Option<Convex> {
        self.form().convex()
    }

    /// Returns true if it is a plane and the half-space behind it contains the point.
    pub(crate) fn half_space_holds(&self, point: DVec3) -> bool {
        self.form().half_space_holds(point)
    }

    /// Returns the outward unit normal of a face at a point on (or near) it.
    pub fn normal(&self, face: u32, point: DVec3) -> DVec3 {
        self.form().normal(face, point)
    }

    /// Returns the nearest point of its surface, also for a point inside.
    ///
    /// If several points are equally near, it returns any one of them. The surface includes a
    /// tube's inner wall and all caps, and all of a plane, disc or triangle.
    ///
    /// The computation is a closed form, except for an ellipsoid. An ellipsoid needs a bisection
    /// until float64 has no number between the bounds, at most 64 steps for any radii. The result
    /// is on the surface, and no other point is nearer, up to 1e-13 times the sum of its distance
    /// from the world's origin, the distance of `point` from the origin, and the shape's size.
    pub fn closest_point(&self, point: DVec3) -> DVec3 {
        self.form().closest_point(point)
    }

    /// Returns what is certain about the line if every surface may be displaced by up to `delta`.
    /// For a plane, the displacement also grows with the distance along the line.
    pub fn zones(&self, line: &Line, delta: f64) -> Zones {
        self.form().zones(line, delta)
    }

    /// Returns true if the line may meet the rim of a hole within one of these zones.
    pub(crate) fn may_meet_rim(&self, line: &Line, delta: f64, zone: &Zone) -> bool {
        self.form().may_meet_rim(line, delta, zone)
    }

    /// Returns true if it has an inside.
    pub fn is_solid(&self) -> bool {
        self.form().is_solid()
    }

    /// Returns the volume of a solid; `None` for a shape that has no inside.
    pub fn volume(&self) -> Option<f64> {
        self.form().volume()
    }

    /// Returns the smallest of its radii, half extents and lengths.
    pub fn smallest_size(&self) -> f64 {
        self.form().smallest_size()
    }

    pub(crate) fn pack(&self, params: &mut Vec<[f32; 4]>) {
        self.form().pack(params);
    }
}

/// Returns a cylinder or a cone with the parts whose flags, the last numbers of its row, are not 0.
/// Returns any other shape unchanged.
fn with_parts(whole: Shape, row: &[f64]) -> Shape {
    let parts = || Parts::of_flags(&row[row.len() - Parts::FIELDS.len()..]);
    match whole {
        Shape::Cylinder(cylinder) if parts() != Parts::ALL => {
            Shell { whole: CappedSolid::Cylinder(cylinder), parts: parts() }.into()
        }
        Shape::Cone(cone) if parts() != Parts::ALL => {
            Shell { whole: CappedSolid::Cone(cone), parts: parts() }.into()
        }
        whole => whole,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fields::{Field, FieldKind};

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
            assert_eq!(shape.is_solid(), kind.is_solid, "{}", kind.name);
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
