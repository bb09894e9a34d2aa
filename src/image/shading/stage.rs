//! The stage of a picture: its lights, its background, a floor, and the colours of its geometries.

use super::Backdrop;
use crate::camera::View;
use crate::image::{Albedo, SceneExtent};
use crate::ray::Line;
use crate::scene::Scene;
use glam::{DVec3, Vec3};
use std::sync::Arc;

/// The id of the floor. No geometry has it.
pub(super) const FLOOR: u32 = u32::MAX - 1;

/// The angular radius of the sun, in radians: wide, for soft shadows.
pub(super) const SUN_RADIUS: f32 = 0.035;

const SUN: Vec3 = Vec3::new(0.92, 0.87, 0.80);
const SKY: Vec3 = Vec3::new(0.50, 0.54, 0.60);
const BOUNCE: Vec3 = Vec3::new(0.33, 0.31, 0.29);
/// The strength of a weak light from the camera, for places that neither sun nor sky reaches.
const FILL: f32 = 0.10;
/// The share of the sky's light that every surface mirrors, whatever its colour, and the share that
/// a grazing view adds. It makes the shape of black things visible.
const SHEEN: [f32; 2] = [0.025, 0.22];

/// The cosines between a view and the floor's normal at which shadows begin to fade, and have
/// faded. The floor shows only shadows and has no edge, so from the side they would seem to float
/// in the sky.
const GRAZING: [f32; 2] = [0.015, 0.12];

/// The lights of one view of a scene, for any renderer of pictures: a sun, the sky, a weak light
/// from the camera, and a level floor that shows only shadows. All light is linear.
pub struct Stage<'a> {
    /// The index of the coordinate that points upwards.
    up: usize,
    /// The direction towards the middle of the sun.
    sun: Vec3,
    /// The distance within which other surfaces hide the sky from a surface.
    pub(super) reach: f32,
    floor: Option<Floor>,
    /// The distances at which unbounded geometries begin to fade and have faded into the
    /// background.
    fade: [f32; 2],
    extent: Arc<SceneExtent>,
    albedo: Albedo<'a>,
    backdrop: Backdrop,
}

/// A level floor below the lowest geometry that shows only shadows.
struct Floor {
    height: f64,
    center: DVec3,
    /// Shadows beyond this distance from the centre are not shown.
    radius: f64,
}

impl<'a> Stage<'a> {
    /// Makes the stage for a view. `breadth` is the width of its image, in scene units, at the
    /// distance of most of its hits, or 0 if it is unknown.
    pub fn new(scene: &'a Scene, extent: Arc<SceneExtent>, view: &View, breadth: f64) -> Self {
        let bounds = extent.bounds();
        let radius = bounds.radius().max(0.5 * breadth);
        let camera = &view.camera;
        // The sun is above, to the left and a little behind the camera, so that it lights the
        // visible sides, and shadows fall where the camera sees them.
        let up = scene.up.index();
        let sun = DVec3::AXES[up] - 0.65 * camera.right - 0.5 * camera.forward;
        let all_in_view = (camera.eye - bounds.center()).length() + radius;
        let stands = !scene.floats && scene.geometry_count() > 0;
        let floor = (extent.is_bounded() && stands).then(|| Floor {
            height: bounds.min[up],
            center: with(bounds.center(), up, bounds.min[up]),
            radius: 3.0 * radius,
        });
        Self {
            up,
            sun: sun.normalize().as_vec3(),
            reach: (0.3 * breadth).min(radius) as f32,
            floor,
            fade: [1.2, 5.0].map(|factor| (factor * all_in_view) as f32),
            albedo: Albedo::new(scene, Arc::clone(&extent)),
            extent,
            backdrop: Backdrop::DAY,
        }
    }

    pub fn before(self, backdrop: Backdrop) -> Self {
        Self { backdrop, ..self }
    }

    /// Removes the sky and the floor, so that only geometries have light.
    pub fn bare(self) -> Self {
        Self { backdrop: Backdrop::BLACK, floor: None, ..self }
    }

    pub fn painted(self, colors: Arc<[[f32; 3]]>) -> Self {
        Self { albedo: self.albedo.painted(colors), ..self }
    }

    /// Returns the unit vector towards the middle of the sun.
    pub fn sun(&self) -> Vec3 {
        self.sun
    }

    /// Returns the unit vector upwards, which is the floor's normal.
    pub fn up(&self) -> Vec3 {
        Vec3::AXES[self.up]
    }

    /// Returns the t at which a line that hits no geometry meets the floor from above.
    pub fn floor(&self, line: &Line) -> Option<f64> {
        let floor = self.floor.as_ref()?;
        let t = (floor.height - line.origin[self.up]) / line.direction[self.up];
        let is_from_above = line.direction[self.up] < 0.0 && t > 0.0;
        (is_from_above && (line.at(t) - floor.center).length() < floor.radius).then_some(t)
    }

    /// Returns the background at a height of the picture, from 0 at its top to 1 at its bottom.
    pub(super) fn background(&self, height: f32) -> Vec3 {
        self.backdrop.light(height)
    }

    /// Returns the light that a geometry's surface reflects to the camera. `sun` and `sky` are the
    /// shares of both that the surface sees. `cosine` is the cosine between its normal, on the
    /// camera's side, and the direction to the camera.
    pub fn lit(&self, id: u32, normal: Vec3, cosine: f32, sun: f32, sky: f32) -> Vec3 {
        let sun = sun * normal.dot(self.sun).max(0.0) * SUN;
        let sky = sky * BOUNCE.lerp(SKY, 0.5 + 0.5 * normal[self.up]);
        // Mirrored light grows towards a grazing view by the power of Schlick's approximation
        // (1994).
        let grazing = (1.0 - cosine) * (1.0 - cosine);
        let sheen = (SHEEN[0] + SHEEN[1] * grazing * grazing * (1.0 - cosine)) * sky;
        let reflected = self.albedo.linear(id) * (sun + sky + Vec3::splat(FILL * cosine));
        self.backdrop.brightness * (reflected + sheen)
    }

    /// Returns the share of the light that remains on the floor at a point. `sun` and `sky` are the
    /// shares of both that the point sees. `cosine` is the cosine between the view and the floor's
    /// normal.
    pub fn on_floor(&self, point: DVec3, cosine: f32, sun: f32, sky: f32) -> f32 {
        let Some(floor) = &self.floor else { return 1.0 };
        let height = self.sun[self.up];
        let full = height * SUN.y + SKY.y;
        let kept = (sun * height * SUN.y + sky * SKY.y) / full;
        let outwards = ((point - floor.center).length() / floor.radius) as f32;
        1.0 - (1.0 - kept) * (1.0 - smooth(outwards, [0.3, 1.0])) * smooth(cosine, GRAZING)
    }

    /// Returns how far a geometry has faded into the background at a distance, from 0 to 1.
    pub fn faded(&self, id: u32, distance: f32) -> f32 {
        if self.extent.is_unbounded(id) { smooth(distance, self.fade) } else { 0.0 }
    }
}

/// Rises smoothly from 0 at the first bound to 1 at the second.
fn smooth(value: f32, [from, to]: [f32; 2]) -> f32 {
    let share = ((value - from) / (to - from)).clamp(0.0, 1.0);
    share * share * (3.0 - 2.0 * share)
}

fn with(mut point: DVec3, index: usize, coordinate: f64) -> DVec3 {
    point[index] = coordinate;
    point
}
