//! The camera that is chosen for what a scene shows.

use super::Scene;
use crate::camera::{Camera, CameraError};
use crate::geometry::Geometry;
use crate::math::Bounds;
use glam::DVec3;

impl Scene {
    /// Returns a camera with a level horizon, from the right and above, from where all geometries
    /// that are not hidden fill an image of that size but for a small margin. Those without bounds,
    /// such as planes, do not count unless there are no others.
    ///
    /// # Errors
    /// Those of [`Camera::look_at`], for a scene so large that the eye would be out of range.
    pub fn camera_that_sees_all(&self, width: u32, height: u32) -> Result<Camera, CameraError> {
        let shown = self.shown_bounds().unwrap_or_else(|| self.bounds());
        let camera = Camera::that_sees(&shown, self.up, width, height)?;
        self.fitted(&Camera { is_fitted: true, ..camera }, width, height)
    }

    /// Returns a camera that [was chosen for what the scene shows](Camera::is_fitted) where what is
    /// shown now fills an image of that size, and any other camera as it is.
    ///
    /// # Errors
    /// As [`Self::camera_that_sees_all`].
    pub fn fitted(&self, camera: &Camera, width: u32, height: u32) -> Result<Camera, CameraError> {
        let shown = self.shown_bounds().filter(|bounds| camera.is_fitted && bounds.radius() > 0.0);
        let Some(shown) = shown else { return Ok(camera.clone()) };
        let of_definitions: Vec<Bounds> =
            self.definitions.iter().map(|it| it.own_shown()).collect();
        let least = |direction| self.least_along(direction, &of_definitions);
        camera.framing(least, shown.center(), [width, height])
    }

    /// The box around all bounded geometries that are not hidden; `None` if there are none.
    fn shown_bounds(&self) -> Option<Bounds> {
        let of_definitions: Vec<Bounds> =
            self.definitions.iter().map(|it| it.own_shown()).collect();
        let placed = self.instances.iter().map(|instance| {
            instance.placement().bounds_in_world(&of_definitions[instance.definition()])
        });
        let shown = placed.fold(self.own_shown(), Bounds::union);
        shown.min.is_finite().then_some(shown)
    }

    /// The same of the scene's own geometries.
    fn own_shown(&self) -> Bounds {
        let own = self.own_visible().filter_map(|(_, geometry)| geometry.bounds());
        own.fold(Bounds::EMPTY, Bounds::union)
    }

    /// The least product of a point of what is shown with a direction, given the boxes around the
    /// definitions. A look at the boxes leaves few geometries to be measured.
    fn least_along(&self, direction: DVec3, of_definitions: &[Bounds]) -> f64 {
        let own = self.own_least_along(direction, f64::INFINITY);
        self.instances.iter().fold(own, |least, instance| {
            let bounds = of_definitions[instance.definition()];
            let placement = instance.placement();
            let in_world = placement.bounds_in_world(&bounds);
            if !may_lower(&in_world, direction, least) {
                return least;
            }
            let world_from_definition = placement.world_from_object();
            let moved = direction.dot(world_from_definition.translation);
            let direction = world_from_definition.linear.transpose() * direction;
            let definition = self.definitions[instance.definition()].as_ref();
            moved + definition.own_least_along(direction, least - moved)
        })
    }

    /// The same of the scene's own geometries, or `most` if that is less.
    fn own_least_along(&self, direction: DVec3, most: f64) -> f64 {
        let lower = |least: f64, (_, geometry): (u32, &Geometry)| match geometry.bounds() {
            Some(bounds) if may_lower(&bounds, direction, least) => {
                least.min(geometry.least_along(direction))
            }
            _ => least,
        };
        self.own_visible().fold(most, lower)
    }
}

/// Tells whether a box reaches below a product with a direction; an empty one does not.
fn may_lower(bounds: &Bounds, direction: DVec3, least: f64) -> bool {
    bounds.min.is_finite() && bounds.least_along(direction) < least
}
