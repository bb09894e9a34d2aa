//! Crops a camera's image to the part of a scene that is to be shown.

use super::framing::MARGIN;
use super::{Camera, CameraError, Projection, View};
use glam::DVec3;

/// The precision of the edges of a crop, in pixels.
const EXACTNESS: f64 = 0.01;

impl View {
    /// Returns the view of the part of the image that shows a subject.
    ///
    /// `least` describes the subject: it returns the least dot product of its points with a
    /// direction. At each side the crop has a margin of a twentieth of its size, or less at an edge
    /// of the image. Its pixels are pixels of the whole image. Returns `None` if no part of the
    /// subject is in the image, if a part of it is not in front of the eye, and for an image
    /// without a plane, such as a panorama.
    ///
    /// # Errors
    /// Those of [`Camera::look_at`].
    pub fn cropped(&self, least: impl Fn(DVec3) -> f64) -> Result<Option<Self>, CameraError> {
        let Camera { eye, right, up, forward, .. } = self.camera;
        let is_parallel = match self.camera.projection {
            Projection::Perspective { .. } | Projection::Pinhole { .. } => false,
            Projection::Orthographic { .. } => true,
            Projection::Panoramic(_) | Projection::Pattern(_) => return Ok(None),
        };
        let reach = |direction: DVec3| least(direction) - direction.dot(eye);
        if !is_parallel && reach(forward) <= 0.0 {
            return Ok(None);
        }
        // The largest slope of the subject to a side, between `low` and `high`. A point is within a
        // slope if slope · depth − offset is not negative.
        let most = |aside: DVec3, [mut low, mut high]: [f64; 2], step: f64| {
            if is_parallel {
                return (-reach(-aside)).clamp(low, high);
            }
            let encloses = |slope: f64| reach(slope * forward - aside) >= 0.0;
            if encloses(low) {
                return low;
            }
            while high - low > EXACTNESS * step {
                let middle = 0.5 * (low + high);
                *(if encloses(middle) { &mut high } else { &mut low }) = middle;
            }
            high
        };
        let size = [self.width, self.height];
        let mut start = [0; 2];
        let mut kept = size;
        for (axis, aside) in [right, -up].into_iter().enumerate() {
            let (step, center) = (self.step[axis], self.center[axis]);
            let length = f64::from(size[axis]);
            let [low, high] = [-center * step, (length - center) * step];
            let first = center - most(-aside, [-high, -low], step) / step;
            let last = center + most(aside, [low, high], step) / step;
            if last - first < EXACTNESS {
                return Ok(None);
            }
            let margin = MARGIN / (1.0 - 2.0 * MARGIN) * (last - first);
            start[axis] = (first - margin + EXACTNESS).floor().max(0.0) as u32;
            kept[axis] = (last + margin - EXACTNESS).ceil().min(length) as u32 - start[axis];
        }
        self.window(start, kept).map(Some)
    }

    /// Returns a part of an image that lies on a plane.
    fn window(&self, start: [u32; 2], size: [u32; 2]) -> Result<Self, CameraError> {
        let camera = &self.camera;
        let center = [0, 1].map(|axis| self.center[axis] - f64::from(start[axis]));
        let camera = match camera.projection {
            Projection::Orthographic { .. } => {
                let aside = 0.5 * f64::from(size[0]) - center[0];
                let below = 0.5 * f64::from(size[1]) - center[1];
                let offset = aside * self.step[0] * camera.right - below * self.step[1] * camera.up;
                let height = self.step[1] * f64::from(size[1]);
                let (eye, target) = (camera.eye + offset, camera.target + offset);
                let projection = Projection::Orthographic { height };
                let name = camera.name.clone();
                let moved = Camera::look_at(name, eye, target, camera.requested_up, projection)?;
                let (sensor, carrier) = (camera.sensor.clone(), camera.carrier.clone());
                Camera { sensor, carrier, ..moved }
            }
            _ => {
                let projection =
                    Projection::Pinhole { focal: self.step.map(|step| 1.0 / step), center, size };
                Camera { projection, ..camera.clone() }
            }
        };
        Self::new(camera, size[0], size[1])
    }
}
