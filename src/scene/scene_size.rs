//! How large a definition is.

use crate::math::Bounds;

/// The size of a definition, which is asked for by each of its instances.
#[derive(Clone, Copy, Debug)]
pub(super) struct SceneSize {
    pub bounds: Bounds,
    /// The smallest size of its own geometries.
    pub smallest: f64,
}
