//! Reads worlds of X3D and VRML97.

pub(super) mod geometry;
