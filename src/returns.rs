//! Returns: the points that a lidar records, with their intensities.

mod echoes;

use crate::camera::{Beam, RangeNoise, Subray};
use crate::query::{Batch, Hits};
use crate::ray::{Hit, Line, Ray};
use crate::scan::PosedView;
use crate::scene::Scene;
use crate::tracer::{TraceError, Tracer};
use echoes::{Echo, SubHit, echoes, kept};
use glam::DVec3;
use rayon::prelude::*;
use std::ops::Range;

/// The most rays that are cast at a time, for which memory is taken.
const RAYS_AT_A_TIME: usize = 1 << 18;

/// Distances below this count as this, in scene units: the light that comes back from a surface at
/// no distance has no bound.
const NEAREST: f64 = 1e-6;

/// A return of a pixel's beam.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Return {
    /// The pixel.
    pub pixel: usize,
    /// The distance that the sensor reports, along the middle of the beam.
    pub distance: f32,
    /// The geometry and the primitive that the strongest of the beam's rays hit, and where along that
    /// ray.
    pub hit: Hit,
    /// The outward unit normal there.
    pub normal: [f32; 3],
    /// The cosine of the angle between that ray and the normal, from 0 to 1.
    pub cosine: f32,
    /// The raw intensity: the sum of weight · reflectance · cosine / distance² over the beam's rays,
    /// times what the air lets through. A perpendicular surface of reflectance 1 that fills the
    /// footprint has 1 at the distance 1.
    pub intensity: f32,
    /// The share of the beam's light that met what returned.
    pub weight: f32,
    /// The number of the return among those of its beam, from 1 for the nearest.
    pub number: u8,
    /// The number of the beam's returns.
    pub count: u8,
}

impl Return {
    /// Returns the intensity without the losses by the distance and the air: that of a
    /// perpendicular surface that fills the footprint is its reflectance.
    pub fn normalized_intensity(&self, posed: &PosedView) -> f32 {
        let distance = f64::from(self.distance);
        let through = posed.view().camera.sensor.pulse.transmission(distance);
        (f64::from(self.intensity) * distance * distance / through) as f32
    }
}

/// What a sensor's rays may hit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seen {
    /// Geometries whose masks have one of these bits.
    pub mask: u32,
    /// Geometries as they are in this world.
    pub world: u32,
}

impl Default for Seen {
    /// Everything in the first world.
    fn default() -> Self {
        Self { mask: u32::MAX, world: 0 }
    }
}

/// Casts the beams of a range of a view's pixels at what is seen, and returns their returns in the
/// order of the pixels, those of one beam from the nearest on.
///
/// Intensities are those of the lidar equation for extended Lambertian surfaces (Wagner et al.,
/// "Gaussian decomposition and calibration of a novel small-footprint full-waveform digitising
/// airborne laser scanner", 2006), without the constants of the instrument. A beam's rays leave the
/// disc of its exit straight.
///
/// # Errors
/// Those of the tracer.
pub fn cast_beams(
    tracer: &dyn Tracer,
    posed: &PosedView,
    pixels: Range<usize>,
    seen: Seen,
) -> Result<Vec<Return>, TraceError> {
    let caster = BeamCaster::new(tracer.scene(), posed);
    let beams_at_a_time = (RAYS_AT_A_TIME / caster.subrays.len()).max(1);
    let mut all = Vec::new();
    for first in pixels.clone().step_by(beams_at_a_time) {
        let some = first..pixels.end.min(first + beams_at_a_time);
        let rays = caster.rays(some.clone());
        let batch = Batch::new(&rays);
        if caster.is_plain() && seen == Seen::default() {
            let hits = posed.render(tracer, some.clone())?;
            all.extend(caster.returns(some, batch, &hits));
            continue;
        }
        let (masks, worlds) = (vec![seen.mask; rays.len()], vec![seen.world; rays.len()]);
        let batch = batch.with_masks(&masks)?.in_worlds(&worlds)?;
        let hits = tracer.closest(batch)?;
        all.extend(caster.returns(some, batch, &hits));
    }
    Ok(all)
}

/// The beams of a view.
struct BeamCaster<'a> {
    scene: &'a Scene,
    posed: &'a PosedView,
    /// The beam; `None` if each is one line.
    beam: Option<Beam>,
    subrays: Vec<Subray>,
}

impl<'a> BeamCaster<'a> {
    fn new(scene: &'a Scene, posed: &'a PosedView) -> Self {
        let beam = posed.view().camera.sensor.pulse.beam.filter(|beam| beam.subrays > 1);
        let line = vec![Subray { offset: [0.0; 2], weight: 1.0 }];
        let subrays = beam.map_or(line, |beam| beam.subrays());
        Self { scene, posed, beam, subrays }
    }

    /// Returns true if the beam of a pixel is its one ray.
    fn is_plain(&self) -> bool {
        self.beam.is_none() && self.jitter().is_none()
    }

    /// The noise of directions.
    fn jitter(&self) -> Option<RangeNoise> {
        self.posed.view().camera.sensor.noise.filter(|noise| noise.jitter_mrad > 0.0)
    }

    /// The rays of the beams of some pixels.
    fn rays(&self, pixels: Range<usize>) -> Vec<Ray> {
        let count = self.subrays.len();
        let first = pixels.start;
        let ray = |index: usize| self.ray(first + index / count, index % count);
        (0..pixels.len() * count).into_par_iter().with_min_len(1 << 10).map(ray).collect()
    }

    /// A ray of the beam of a pixel.
    fn ray(&self, pixel: usize, subray: usize) -> Ray {
        let mut line = self.posed.line(pixel);
        if self.is_plain() {
            return Ray::along(&line);
        }
        let up = self.posed.extrinsics(pixel).up;
        let across = up.cross(line.direction);
        // A ray that looks straight up has any direction across it.
        let first = match across.length() > 1e-9 {
            true => across.normalize(),
            false => line.direction.any_orthonormal_vector(),
        };
        let second = line.direction.cross(first);
        if let Some(noise) = self.jitter() {
            let [x, y] = noise.jitter(pixel as u64);
            line.direction = (line.direction + x * first + y * second).normalize();
        }
        let Some(beam) = &self.beam else { return Ray::along(&line) };
        let [x, y] = self.subrays[subray].offset;
        let offset = x * first + y * second;
        Ray::along(&Line {
            origin: line.origin + 0.5 * beam.exit_diameter * offset,
            direction: (line.direction + beam.spread() * offset).normalize(),
        })
    }

    /// The returns of the beams of some pixels, from the hits of their rays.
    fn returns(&self, pixels: Range<usize>, batch: Batch<'_>, hits: &[Hit]) -> Vec<Return> {
        let count = self.subrays.len();
        let rays = batch.rays();
        let surfaces = Hits::new(self.scene, batch, hits);
        let of_pixel = |index: usize| {
            let range = index * count..(index + 1) * count;
            let normals = &surfaces.primitive_normals[range.clone()];
            self.returns_of(pixels.start + index, &rays[range.clone()], &hits[range], normals)
        };
        (0..pixels.len()).into_par_iter().with_min_len(1 << 8).flat_map_iter(of_pixel).collect()
    }

    fn returns_of(
        &self,
        pixel: usize,
        rays: &[Ray],
        hits: &[Hit],
        normals: &[[f32; 3]],
    ) -> Vec<Return> {
        let sensor = &self.posed.view().camera.sensor;
        let cosine = |subray: usize| {
            let direction = rays[subray].line().direction;
            let normal = DVec3::from_array(normals[subray].map(f64::from));
            direction.normalize().dot(normal).abs().min(1.0)
        };
        let sub_hit = |subray: usize| {
            let hit = &hits[subray];
            if !hit.is_hit() {
                return None;
            }
            let reflectance = self.scene.reflectance(hit.geometry_id);
            let distance = f64::from(hit.t);
            let weight = self.subrays[subray].weight;
            let far = distance.max(NEAREST);
            let through = sensor.pulse.transmission(distance);
            let intensity =
                weight * f64::from(reflectance) * cosine(subray) * through / (far * far);
            Some(SubHit { subray, distance, weight, intensity })
        };
        let hit: Vec<SubHit> = (0..hits.len()).filter_map(sub_hit).collect();
        let all = echoes(hit, sensor.pulse.rules().range_resolution);
        // What is out of range is no echo. Each echo of a beam has noise of its own.
        let reported = |(number, echo): (usize, Echo)| {
            let distance =
                sensor.reported_echo(pixel, number as u32, echo.distance as f32, echo.intensity);
            distance.is_finite().then_some(Echo { distance: distance.into(), ..echo })
        };
        let in_range = all.into_iter().enumerate().filter_map(reported).collect();
        let kept = kept(in_range, &sensor.pulse);
        let count = kept.len() as u8;
        let make = |(number, echo): (u8, Echo)| Return {
            pixel,
            distance: echo.distance as f32,
            hit: hits[echo.strongest],
            normal: normals[echo.strongest],
            cosine: cosine(echo.strongest) as f32,
            intensity: echo.intensity as f32,
            weight: echo.weight as f32,
            number,
            count,
        };
        (1..).zip(kept).map(make).collect()
    }
}
