//! Cameras: the origin and the direction of each ray of an image, in float64.
//!
//! Pixel (0, 0) is at the top left and a ray goes through the middle of its pixel. Directions have
//! unit length, so that `t` is the distance.

mod cropping;
mod error;
mod extrinsics;
mod framing;
mod panorama;
mod pattern;
mod placing;
mod pose;
mod projection;
mod projection_fields;
mod pulse;
mod sensor;
mod sensor_fields;

pub use error::{CameraError, MAX_PIXELS};
pub use extrinsics::Extrinsics;
pub use panorama::{Elevation, Panorama};
pub use pattern::{BeamTable, Optics, PatternFields, PatternRay, Risley, ScanPattern};
pub use pose::Pose;
pub use projection::{DEFAULT_SIZE, Projection};
pub use projection_fields::{PixelOrigin, ProjectionFields};
pub use pulse::{Beam, Pulse, ReturnMode, ReturnRules, Subray};
pub use sensor::{RangeNoise, Sensor};
pub use sensor_fields::{NoiseFields, PulseFields, ReturnFields};

use crate::math::{Bounds, radians};
use crate::parallel::{RAYS_A_TASK, mapped};
use crate::ray::{Line, MAX_COORDINATE, Ray};
use glam::DVec3;
use std::ops::Range;
use std::sync::Arc;

/// A view counts as vertical if its unit direction is at most this far from the z axis.
const VERTICAL: f64 = 1e-6;

/// The memory that writing an image needs, in bytes per pixel: three for the picture, and at most
/// three times as many to compress it.
pub const BYTES_PER_PIXEL: usize = 3 + 3 * 3;

/// The axis that points upwards in a scene, for cameras without an `up` of their own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum UpAxis {
    /// The z axis, in robots and plants. Their front faces −y.
    #[default]
    Z,
    /// The y axis, in X3D and glTF. Their front faces +z.
    Y,
}

impl UpAxis {
    /// Returns the index of its coordinate in a point.
    pub fn index(self) -> usize {
        match self {
            Self::Y => 1,
            Self::Z => 2,
        }
    }
}

/// A camera in world space.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Camera {
    /// The name with which a caller selects it.
    pub name: String,
    /// The position of the camera: float32 numbers, stored in float64.
    pub eye: DVec3,
    /// The point that the camera looks at.
    pub target: DVec3,
    /// The unit vector to the right of the image.
    pub right: DVec3,
    /// The unit vector to the top of the image.
    pub up: DVec3,
    /// The unit vector into the image.
    pub forward: DVec3,
    /// The projection that turns pixels into rays.
    pub projection: Projection,
    /// The `up` that the caller gave, if any.
    pub requested_up: Option<DVec3>,
    /// The sensor's properties, which act on the distances of the camera's images.
    pub sensor: Sensor,
    /// The geometries that carry the camera, such as those of the robot on which it is mounted.
    /// Empty if none are known.
    pub carrier: Range<u32>,
    /// True if the camera was chosen only to show the scene.
    /// [`Scene::fitted`](crate::Scene::fitted) then moves it to where the scene fills an image.
    pub is_fitted: bool,
}

impl Camera {
    /// Returns a camera at `eye` that looks at `target`, turned so that `up` points upwards in the
    /// image. Without `up`, +z points upwards, so the horizon is level. If the camera looks along
    /// z, +y points upwards.
    ///
    /// # Errors
    /// A [`CameraError`] for numbers that are not finite or out of range, an eye on its target, and
    /// an `up` along the view.
    pub fn look_at(
        name: impl Into<String>,
        eye: DVec3,
        target: DVec3,
        up: impl Into<Option<DVec3>>,
        projection: Projection,
    ) -> Result<Self, CameraError> {
        let requested_up = up.into();
        // The view is tested for being vertical before the eye is rounded, because rounding tilts
        // it a little.
        let up = requested_up.unwrap_or_else(|| Self::level_up(eye, target));
        for (field, point) in [("eye", eye), ("target", target), ("up", up)] {
            let reach = point.abs().max_element();
            if !point.is_finite() || reach > f64::from(MAX_COORDINATE) {
                let rule = "its coordinates must be numbers between -1e9 and 1e9";
                return Err(CameraError::field(field, point, rule));
            }
        }
        projection.check()?;
        // A target equal to the eye gives no direction, even if rounding would make the two differ.
        if target == eye {
            return Err(CameraError::NoDirection(eye));
        }
        // The GPU's rays start at float32 numbers, so the camera's position is rounded to them.
        let eye = eye.as_vec3().as_dvec3();
        let forward = (target - eye).try_normalize().ok_or(CameraError::NoDirection(eye))?;
        let right = forward.cross(up.normalize_or_zero());
        if right.length() < 1e-9 {
            return Err(CameraError::NoUp(up));
        }
        let right = right.normalize();
        Ok(Self {
            name: name.into(),
            eye,
            target,
            right,
            up: right.cross(forward),
            forward,
            projection,
            requested_up,
            sensor: Sensor::default(),
            carrier: 0..0,
            is_fitted: false,
        })
    }

    /// Returns the default upward direction of a camera's image.
    pub fn level_up(eye: DVec3, target: DVec3) -> DVec3 {
        let is_vertical = (target - eye).normalize_or_zero().truncate().length() < VERTICAL;
        if is_vertical { DVec3::Y } else { DVec3::Z }
    }

    /// Returns the camera with the properties of a sensor.
    ///
    /// # Errors
    /// [`CameraError::Field`] for numbers that are out of range.
    pub fn with_sensor(self, sensor: Sensor) -> Result<Self, CameraError> {
        sensor.check()?;
        Ok(Self { sensor, ..self })
    }

    /// Returns a camera with a level horizon that sees all of `bounds` in an image of this size.
    ///
    /// It looks from the right and from above, in a scene in which `up` points upwards.
    ///
    /// # Errors
    /// Those of [`Self::look_at`], if the bounds are so large that the eye would be out of range.
    pub fn fit_bounds(
        bounds: &Bounds,
        up: UpAxis,
        width: u32,
        height: u32,
    ) -> Result<Self, CameraError> {
        const FOV_Y_DEGREES: f64 = 40.0;
        const ROOM: f64 = 1.05;
        let center = bounds.center();
        // If the scene is a single plane, the bounds have no size: the camera then sees one unit
        // around them.
        let half = DVec3::splat(if bounds.radius() == 0.0 { 1.0 } else { 0.0 });
        let bounds = Bounds { min: bounds.min - half, max: bounds.max + half };
        let (toward_eye, up) = match up {
            UpAxis::Z => (DVec3::new(1.0, -0.8, 0.6).normalize(), None),
            UpAxis::Y => (DVec3::new(1.0, 0.6, 0.8).normalize(), Some(DVec3::Y)),
        };
        let at = |distance: f64| {
            let eye = center + distance * toward_eye;
            let projection = Projection::Perspective { fov_y_degrees: FOV_Y_DEGREES };
            Self::look_at("all", eye, center, up, projection)
        };
        let camera = at(1.0 + bounds.radius())?;
        let slope_y = libm::tan(radians(0.5 * FOV_Y_DEGREES));
        let slope_x = slope_y * f64::from(width.max(1)) / f64::from(height.max(1));
        // A corner is in view if its offset sideways is no more than its depth times the slope.
        let needed = (0..8).map(|corner| {
            let pick = |axis: usize| {
                if corner >> axis & 1 == 0 { bounds.min[axis] } else { bounds.max[axis] }
            };
            let corner = DVec3::new(pick(0), pick(1), pick(2)) - center;
            let aside = (corner.dot(camera.right).abs() / slope_x)
                .max(corner.dot(camera.up).abs() / slope_y);
            aside - corner.dot(camera.forward)
        });
        at(ROOM * needed.fold(0.0, f64::max))
    }

    /// Returns the default width and height of its images in pixels: [those of its
    /// projection](Projection::default_size).
    pub fn default_size(&self) -> (u32, u32) {
        self.projection.default_size()
    }
}

/// A camera and the size of its image.
#[derive(Clone, Debug)]
pub struct View {
    /// The camera.
    pub camera: Camera,
    /// The width in pixels.
    pub width: u32,
    /// The height in pixels.
    pub height: u32,
    /// The point where the optical axis meets the image, in pixels from the top left corner.
    pub(crate) center: [f64; 2],
    /// The size of one pixel to the right and up. It is measured on the plane one unit ahead of a
    /// perspective eye, or on the plane through an orthographic eye. It is zero for a panoramic
    /// image, which has no plane.
    pub(crate) step: [f64; 2],
    /// The rays of a pattern, for a sweep that begins at time 0 or at the time of a pose. Empty for
    /// other cameras.
    pub(crate) pattern_rays: Arc<[PatternRay]>,
}

impl View {
    /// Combines a camera with an image size.
    ///
    /// # Errors
    /// [`CameraError::NoPixels`], [`CameraError::TooManyPixels`] and [`CameraError::OtherRows`].
    pub fn new(camera: Camera, width: u32, height: u32) -> Result<Self, CameraError> {
        let pixels = u64::from(width) * u64::from(height);
        if pixels == 0 {
            return Err(CameraError::NoPixels(width, height));
        }
        if pixels > MAX_PIXELS {
            return Err(CameraError::TooManyPixels {
                width,
                height,
                pixels,
                gigabytes: pixels as f64 * BYTES_PER_PIXEL as f64 / 1e9,
            });
        }
        let (w, h) = (f64::from(width), f64::from(height));
        let (center, step) = match &camera.projection {
            Projection::Perspective { fov_y_degrees } => {
                let step = 2.0 * libm::tan(radians(0.5 * fov_y_degrees)) / h;
                ([0.5 * w, 0.5 * h], [step, step])
            }
            Projection::Pinhole { focal, center, size } => {
                let scale = [w / f64::from(size[0]), h / f64::from(size[1])];
                (
                    [center[0] * scale[0], center[1] * scale[1]],
                    [1.0 / (focal[0] * scale[0]), 1.0 / (focal[1] * scale[1])],
                )
            }
            Projection::Orthographic { height } => {
                let step = height / h;
                ([0.5 * w, 0.5 * h], [step, step])
            }
            Projection::Panoramic(panorama) => {
                if let Some(rows) = panorama.rows().filter(|&rows| rows != height) {
                    return Err(CameraError::OtherRows { width, height, rows });
                }
                ([0.5 * w, 0.5 * h], [0.0, 0.0])
            }
            Projection::Pattern(pattern) => {
                let beams = pattern.beam_count() as u32;
                if (width, height) != (beams, 1) {
                    return Err(CameraError::OtherBeams { width, height, beams });
                }
                ([0.5 * w, 0.5 * h], [0.0, 0.0])
            }
        };
        let pattern_rays = Arc::from([]);
        Ok(Self { camera, width, height, center, step, pattern_rays }.sweeping_from(0.0))
    }

    /// Returns the view for a sweep that begins at a time, in seconds. The rays of moving optics
    /// depend on it.
    pub(crate) fn sweeping_from(mut self, start: f64) -> Self {
        if let Projection::Pattern(pattern) = &self.camera.projection
            && (self.pattern_rays.is_empty() || matches!(pattern, ScanPattern::Steered { .. }))
        {
            let ray = |number| pattern.ray(number, start);
            self.pattern_rays = mapped(pattern.beam_count(), RAYS_A_TASK, ray).into();
        }
        self
    }

    /// Returns the number of pixels, which is the number of rays.
    pub fn pixels(&self) -> usize {
        self.width as usize * self.height as usize
    }

    /// Returns the focal lengths and the principal point of its image, `[fx, fy, cx, cy]` in
    /// pixels.
    ///
    /// `cx` and `cy` count from the top left corner. `None` unless all rays start at one point and
    /// the image is flat, as for a perspective and a calibrated camera.
    pub fn intrinsics(&self) -> Option<[f64; 4]> {
        let ([step_x, step_y], [cx, cy]) = (self.step, self.center);
        match self.camera.projection {
            Projection::Perspective { .. } | Projection::Pinhole { .. } => {
                Some([1.0 / step_x, 1.0 / step_y, cx, cy])
            }
            Projection::Orthographic { .. } | Projection::Panoramic(_) | Projection::Pattern(_) => {
                None
            }
        }
    }

    /// Returns the line through the middle of a pixel, with a unit direction. Pixels are counted
    /// row by row from the top left.
    pub fn line(&self, pixel: usize) -> Line {
        self.line_at(self.middle_of(pixel))
    }

    /// Returns the same line for a camera at another place.
    pub(crate) fn line_from(&self, place: &Extrinsics, pixel: usize) -> Line {
        self.line_from_at(place, self.middle_of(pixel))
    }

    /// Returns the middle of a pixel, in pixels from the top left corner of the image.
    pub(crate) fn middle_of(&self, pixel: usize) -> [f64; 2] {
        let (column, row) = (pixel % self.width as usize, pixel / self.width as usize);
        [column as f64 + 0.5, row as f64 + 0.5]
    }

    /// Returns the line through a point of the image's plane, in pixels from the top left corner of
    /// the image.
    pub(crate) fn line_at(&self, point: [f64; 2]) -> Line {
        self.line_from_at(&self.camera.extrinsics(), point)
    }

    fn line_from_at(&self, place: &Extrinsics, [x, y]: [f64; 2]) -> Line {
        let Extrinsics { eye, right, up, forward } = *place;
        let aside =
            (x - self.center[0]) * self.step[0] * right + (self.center[1] - y) * self.step[1] * up;
        match &self.camera.projection {
            Projection::Orthographic { .. } => Line { origin: eye + aside, direction: forward },
            Projection::Perspective { .. } | Projection::Pinhole { .. } => {
                Line { origin: eye, direction: (forward + aside).normalize() }
            }
            Projection::Panoramic(panorama) => {
                // Between the middles of two rows, the azimuth is that of the nearer row.
                let azimuth = panorama.azimuth_in_row(x, self.width, y as usize);
                let level = place.level(azimuth);
                let elevation = panorama.elevation(y, self.height);
                let direction = libm::cos(elevation) * level + libm::sin(elevation) * up;
                Line { origin: eye, direction }
            }
            Projection::Pattern(_) => {
                let ray = &self.pattern_rays[(x as usize).min(self.pattern_rays.len() - 1)];
                Line { origin: eye, direction: place.of_lidar(ray.direction) }
            }
        }
    }

    /// Returns true if the directions of its pixels do not follow from one table of columns and one
    /// of rows.
    pub(crate) fn is_listed(&self) -> bool {
        match &self.camera.projection {
            Projection::Panoramic(panorama) => panorama.has_own_rows(),
            Projection::Pattern(_) => true,
            _ => false,
        }
    }

    /// Returns the line through the middle of a pixel as a ray of float32 numbers.
    pub fn ray(&self, pixel: usize) -> Ray {
        Ray::along(&self.line(pixel))
    }
}

#[cfg(test)]
mod tests;
