//! The geometry nodes of X3D worlds, from the values of their fields: the component Rendering (sets
//! of triangles and of lines), Geometry2D, Geometry3D and Text. X3D's edition 3.3 and VRML97 agree
//! on them.

mod collinear;
mod elevation_grid;
mod extrusion;
mod face_set;
mod faces;
mod line_set;
mod planar;
mod text;

pub(in crate::x3d) use elevation_grid::ElevationGrid;
pub(in crate::x3d) use extrusion::Extrusion;
pub(in crate::x3d) use face_set::{FaceKind, counted_faces, indexed_faces, plain_faces};
pub(in crate::x3d) use faces::Faces;
pub(in crate::x3d) use line_set::{Polylines, indexed_line_set, line_set};
pub(in crate::x3d) use planar::{CircularArc, in_space, planar_triangle_set, polyline, rectangle};
pub(in crate::x3d) use text::{FontStyle, Text};

#[cfg(test)]
mod tests;
