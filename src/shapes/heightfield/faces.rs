//! The numbers of the faces of a base.

/// The number of faces: four upright sides, and the bottom.
pub(super) const BASE_FACES: usize = 5;

/// The number of the bottom, which follows the sides.
pub(super) const BOTTOM: usize = 4;
