//! A tolerance for casters that are less precise than raytwin.

/// The distance by which surfaces may be displaced, for answers of a caster that is less precise
/// than raytwin; it applies where it is wider than raytwin's bound. A `t` may be off by the same
/// distance over the cosine between the ray and the normal.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SurfaceTolerance {
    /// The part that is the same everywhere, in the scene's unit of length.
    pub absolute: f64,
    /// The part that grows with the distance from the ray's origin, as a share of that distance.
    pub relative: f64,
}

impl SurfaceTolerance {
    /// Returns the tolerance at a distance from the ray's origin.
    pub fn at(&self, distance: f64) -> f64 {
        self.absolute + self.relative * distance
    }
}

/// States what answers are judged by, such as `judged by a tolerance of 0.01 + 0.001 of the
/// distance, not by raytwin's bound`.
impl std::fmt::Display for SurfaceTolerance {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("judged by a tolerance of ")?;
        match (self.absolute, self.relative) {
            (absolute, 0.0) => write!(f, "{absolute}")?,
            (0.0, relative) => write!(f, "{relative} of the distance")?,
            (absolute, relative) => write!(f, "{absolute} + {relative} of the distance")?,
        }
        f.write_str(", not by raytwin's bound")
    }
}
