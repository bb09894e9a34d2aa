//! The beams of a lidar, and the rays of each.

use crate::camera::{Beam, Pulse, RangeNoise, Subray};
use crate::parallel::mapped;
use crate::ray::{Line, Ray};
use crate::scan::{Carrier, PosedView};
use glam::DVec3;
use std::ops::Range;

/// Shorter distances count as this distance, in scene units, because the light from a surface at
/// distance 0 is unbounded.
pub(crate) const NEAREST: f64 = 1e-6;

pub(crate) struct Beams<'a> {
    posed: &'a PosedView,
    /// The beam; `None` if each is one line.
    pub beam: Option<Beam>,
    pub subrays: Vec<Subray>,
}

/// A beam: its middle, and two axes across it.
pub(crate) struct BeamLine {
    pub line: Line,
    pub across: [DVec3; 2],
}

impl<'a> Beams<'a> {
    pub fn new(posed: &'a PosedView) -> Self {
        let beam = posed.view().camera.sensor.pulse.beam.filter(|beam| beam.subrays > 1);
        let line = vec![Subray { offset: [0.0; 2], weight: 1.0 }];
        let subrays = beam.map_or(line, |beam| beam.subrays());
        Self { posed, beam, subrays }
    }

    /// Returns true if the beam of a pixel is its one ray.
    pub fn is_plain(&self) -> bool {
        self.beam.is_none() && self.jitter().is_none()
    }

    fn jitter(&self) -> Option<RangeNoise> {
        self.posed.view().camera.sensor.noise.filter(|noise| noise.jitter_mrad > 0.0)
    }

    /// The rays of the beams of some pixels.
    pub fn rays(&self, pixels: Range<usize>) -> Vec<Ray> {
        self.each_ray(pixels, |pixel, subray| self.ray(pixel, subray))
    }

    /// The same rays as cast at the sensor's carrier, from the sensor's place in the scene.
    pub fn rays_from_mount(&self, pixels: Range<usize>, carrier: &Carrier) -> Vec<Ray> {
        self.each_ray(pixels, |pixel, subray| {
            carrier.ray_from_mount(&self.posed.extrinsics(pixel), &self.line(pixel, subray))
        })
    }

    fn each_ray(&self, pixels: Range<usize>, ray: impl Fn(usize, usize) -> Ray + Sync) -> Vec<Ray> {
        let count = self.subrays.len();
        let at = |index: usize| ray(pixels.start + index / count, index % count);
        mapped(pixels.len() * count, 1 << 10, at)
    }

    /// Returns the instrument's rules.
    pub fn pulse(&self) -> &Pulse {
        &self.posed.view().camera.sensor.pulse
    }

    /// The beam of a pixel, with the noise of its direction.
    pub fn beam_line(&self, pixel: usize) -> BeamLine {
        let mut line = self.posed.line(pixel);
        let up = self.posed.extrinsics(pixel).up;
        let across = up.cross(line.direction);
        // If a ray points straight up, any direction across it will do.
        let first = match across.length() > 1e-9 {
            true => across.normalize(),
            false => line.direction.any_orthonormal_vector(),
        };
        let second = line.direction.cross(first);
        if let Some(noise) = self.jitter() {
            let [x, y] = noise.jitter(pixel as u64);
            line.direction = (line.direction + x * first + y * second).normalize();
        }
        BeamLine { line, across: [first, second] }
    }

    /// A ray of the beam of a pixel.
    pub fn ray(&self, pixel: usize, subray: usize) -> Ray {
        Ray::along(&self.line(pixel, subray))
    }

    /// The line of a ray of the beam of a pixel.
    fn line(&self, pixel: usize, subray: usize) -> Line {
        if self.is_plain() {
            return self.posed.line(pixel);
        }
        let BeamLine { line, across } = self.beam_line(pixel);
        let Some(beam) = &self.beam else { return line };
        let [x, y] = self.subrays[subray].offset;
        let offset = x * across[0] + y * across[1];
        Line {
            origin: line.origin + 0.5 * beam.exit_diameter * offset,
            direction: (line.direction + beam.spread() * offset).normalize(),
        }
    }
}
