//! Names of earlier builds, which version 0.2 removes.

use crate::camera::{Camera, CameraError, UpAxis};
use crate::math::Bounds;
use crate::query::HitArrays;
use crate::scene::Scene;
use glam::DVec3;
use std::ops::Range;

impl Scene {
    /// The old name of [`Scene::with_origin`].
    #[deprecated(since = "0.1.0", note = "use `Scene::with_origin`; 0.2 removes this name")]
    pub fn about(origin: DVec3) -> Self {
        Self::with_origin(origin)
    }

    /// The old name of [`Scene::type_counts`].
    #[deprecated(since = "0.1.0", note = "use `Scene::type_counts`; 0.2 removes this name")]
    pub fn census(&self) -> Vec<(&'static str, usize)> {
        self.type_counts()
    }

    /// The old name of [`Scene::show_only`].
    #[deprecated(since = "0.1.0", note = "use `Scene::show_only`; 0.2 removes this name")]
    pub fn hide_all_but(&mut self, geometry_ids: Vec<Range<u32>>) {
        self.show_only(geometry_ids);
    }

    /// The old name of [`Scene::fit_camera`].
    ///
    /// # Errors
    /// Those of [`Scene::fit_camera`].
    #[deprecated(since = "0.1.0", note = "use `Scene::fit_camera`; 0.2 removes this name")]
    pub fn camera_that_sees_all(&self, width: u32, height: u32) -> Result<Camera, CameraError> {
        self.fit_camera(width, height)
    }
}

impl Camera {
    /// The old name of [`Camera::fit_bounds`].
    ///
    /// # Errors
    /// Those of [`Camera::fit_bounds`].
    #[deprecated(since = "0.1.0", note = "use `Camera::fit_bounds`; 0.2 removes this name")]
    pub fn that_sees(
        bounds: &Bounds,
        up: UpAxis,
        width: u32,
        height: u32,
    ) -> Result<Self, CameraError> {
        Self::fit_bounds(bounds, up, width, height)
    }
}

impl HitArrays {
    /// The old name of [`HitArrays::DEFAULT`].
    #[deprecated(since = "0.1.0", note = "use `HitArrays::DEFAULT`; 0.2 removes this name")]
    pub const USUAL: Self = Self::DEFAULT;
}
