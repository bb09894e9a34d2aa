//! Scenes that keep what is added as it was given, so that a file's contents can be placed in another scene before any
//! number is rounded.

use super::Scene;
use crate::fields::ShapeError;
use crate::geometry::Geometry;
use crate::transform::Transform;

impl Scene {
    /// Returns a scene that keeps each geometry in its own space, with the transform that it was added by.
    #[cfg(feature = "io")]
    pub(crate) fn unrounded() -> Self {
        Self { transforms: Some(Vec::new()), ..Self::default() }
    }

    pub(crate) fn is_unrounded(&self) -> bool {
        self.transforms.is_some()
    }

    pub(super) fn add_unrounded(
        &mut self,
        geometry: Geometry,
        world_from_geometry: Transform,
    ) -> Result<u32, ShapeError> {
        geometry.check()?;
        let id = self.push(geometry)?;
        self.transforms.get_or_insert_default().push(world_from_geometry);
        Ok(id)
    }

    /// Takes the geometries of such a scene out of it, each with the transform that it was added by.
    #[cfg(feature = "io")]
    pub(crate) fn take_unrounded(&mut self) -> Vec<(Geometry, Transform)> {
        let transforms = self.transforms.take().unwrap_or_default();
        let geometries = std::sync::Arc::unwrap_or_clone(std::mem::take(&mut self.geometries));
        geometries.into_iter().zip(transforms).collect()
    }
}
