//! A ray of a batch, with its filters.

use raytwin::packed::PackedScene;
use raytwin::query::{Batch, RayFilter};
use raytwin::ray::{Hit, Line, NONE, Ray};
use raytwin::scene::Scene;

/// A valid ray of a batch, with its filters.
#[derive(Clone, Copy)]
pub(super) struct FilteredRay<'a> {
    pub batch: Batch<'a>,
    pub index: usize,
    pub ray: Ray,
    pub line: Line,
    pub interval: [f64; 2],
}

impl<'a> FilteredRay<'a> {
    /// Returns a ray of a batch if it is valid.
    pub fn of(batch: Batch<'a>, index: usize) -> Option<Self> {
        let ray = batch.ray(index);
        let interval = [ray.t_min, ray.t_max].map(f64::from);
        ray.is_valid().then(|| Self { batch, index, ray, line: ray.line(), interval })
    }

    pub fn world(&self) -> u32 {
        self.batch.world(self.index)
    }

    pub fn ignored(&self) -> u32 {
        self.batch.ignored(self.index)
    }

    /// Returns its filter, as the reference reads it.
    pub fn filter(&self, packed: &PackedScene) -> RayFilter {
        self.batch.ray_filter(self.index, packed.all_worlds())
    }

    /// Returns the distance along it between two values of t; `None` if it is not finite.
    pub fn distance_error(&self, t: f32, exact_t: f64) -> Option<f64> {
        let error = (f64::from(t) - exact_t).abs() * self.line.direction.length();
        error.is_finite().then_some(error)
    }

    pub fn alone(&self) -> Batch<'a> {
        self.batch.slice(self.index..self.index + 1)
    }

    /// Returns true if it starts at a point that may be in a solid that stops it.
    pub fn may_start_inside(&self) -> bool {
        self.batch.is_solid() && self.ray.t_min.is_finite()
    }

    /// Returns true if its mask and ignored id allow it to hit a geometry.
    pub fn sees(&self, scene: &Scene, geometry_id: u32) -> bool {
        geometry_id != self.ignored() && scene.mask(geometry_id) & self.batch.mask(self.index) != 0
    }

    /// Returns true if a tracer may return such a crossing, wherever the surfaces are.
    pub fn may_cross(&self, scene: &Scene, hit: &Hit) -> bool {
        let Hit { t, geometry_id, primitive_id } = *hit;
        let geometry = scene.geometry(geometry_id);
        geometry.is_some_and(|geometry| (primitive_id as usize) < geometry.primitive_count())
            && self.sees(scene, geometry_id)
            && t.is_finite()
            && t >= self.ray.t_min
            && t <= self.ray.t_max
    }

    /// Returns true if a tracer may return such a closest hit, wherever the surfaces are.
    pub fn may_hit(&self, scene: &Scene, hit: &Hit) -> bool {
        if hit.geometry_id == NONE {
            return hit.t == f32::INFINITY && hit.primitive_id == NONE;
        }
        self.may_cross(scene, hit)
    }
}
