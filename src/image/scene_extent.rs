//! The extent of a scene, for pictures.

use crate::math::Bounds;
use crate::scene::Scene;
use std::collections::BTreeSet;

/// The extent of a scene. Measuring it reads each of the scene's geometries, so all views of a
/// scene share it.
#[derive(Clone, Debug)]
pub struct SceneExtent {
    bounds: Bounds,
    unbounded: BTreeSet<u32>,
}

impl SceneExtent {
    /// Measures a scene.
    pub fn of(scene: &Scene) -> Self {
        Self { bounds: scene.bounds(), unbounded: scene.unbounded().into_iter().collect() }
    }

    /// The box around all geometries with bounds.
    pub(super) fn bounds(&self) -> Bounds {
        self.bounds
    }

    pub(super) fn is_bounded(&self) -> bool {
        self.unbounded.is_empty()
    }

    /// Returns true for a geometry without bounds.
    pub(super) fn is_unbounded(&self, geometry_id: u32) -> bool {
        self.unbounded.contains(&geometry_id)
    }
}
