//! Returns: the points that a lidar records, with their intensities. A device may find the echoes.
//! The instrument's rules, noise, ranges and limits are applied here for every tracer, because they
//! need all echoes of a beam.

pub use crate::query::Echo;

use super::beams::{Beams, NEAREST};
use super::echoes::{SubHit, echoes, kept};
use crate::parallel::gathered;
use crate::query::{Batch, HitArrays, Hits, surface_at};
use crate::ray::{Hit, Ray};
use crate::scan::PosedView;
use crate::scene::Scene;
use crate::tracer::{TraceError, Tracer, nearer_hits};
use glam::DVec3;
use std::ops::Range;

/// The most rays that are cast at a time, which limits memory.
const RAYS_AT_A_TIME: usize = 1 << 18;

/// The most rays of beams whose echoes a device finds at a time.
const RAYS_ON_DEVICE: usize = 1 << 22;

/// A return of a pixel's beam.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Return {
    /// The pixel.
    pub pixel: usize,
    /// The distance that the sensor reports, along the middle of the beam.
    pub distance: f32,
    /// The hit of the strongest of the beam's rays: geometry, primitive and t along that ray.
    pub hit: Hit,
    /// The outward unit normal there.
    pub normal: [f32; 3],
    /// The cosine of the angle between that ray and the normal, from 0 to 1.
    pub cosine: f32,
    /// The raw intensity: the sum of weight · reflectance · cosine / distance² over the beam's
    /// rays, times the transmission of the air. A perpendicular surface of reflectance 1 that fills
    /// the footprint has intensity 1 at distance 1.
    pub intensity: f32,
    /// The share of the beam's light that hit the surface of this return.
    pub weight: f32,
    /// The number of the return among those of its beam, from 1 for the nearest.
    pub number: u8,
    /// The number of the beam's returns.
    pub count: u8,
}

impl Return {
    /// Returns the intensity without the losses to distance and air. For a perpendicular surface
    /// that fills the footprint it is the reflectance.
    pub fn normalized_intensity(&self, posed: &PosedView) -> f32 {
        let distance = f64::from(self.distance);
        let through = posed.view().camera.sensor.pulse.transmission(distance);
        (f64::from(self.intensity) * distance * distance / through) as f32
    }
}

/// The geometries that a sensor's rays may hit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RayScope {
    /// Rays hit only geometries whose masks have one of these bits.
    pub mask: u32,
    /// The number of the world in which rays are cast.
    pub world: u32,
}

impl Default for RayScope {
    /// Everything in the first world.
    fn default() -> Self {
        Self { mask: u32::MAX, world: 0 }
    }
}

/// Casts the beams of a range of a view's pixels, and returns their returns in the order of the
/// pixels, the nearest of each beam first.
///
/// Intensities are those of the lidar equation for extended Lambertian surfaces (Wagner et al.,
/// "Gaussian decomposition and calibration of a novel small-footprint full-waveform digitising
/// airborne laser scanner", 2006), without the constants of the instrument. A beam's rays leave the
/// disc of its exit straight. For a sensor with a [carrier](PosedView::carried_by), the mask of
/// `seen` is ignored.
///
/// # Errors
/// Those of the tracer.
pub fn cast_beams(
    tracer: &dyn Tracer,
    posed: &PosedView,
    pixels: Range<usize>,
    seen: RayScope,
) -> Result<Vec<Return>, TraceError> {
    let caster = ReturnCaster { scene: tracer.scene(), posed, beams: Beams::new(posed) };
    let mut all = Vec::new();
    let mut pixels = pixels;
    let on_device =
        caster.beams.beam.is_some() && posed.carrier().is_none() && seen == RayScope::default();
    while on_device && !pixels.is_empty() {
        let beams_at_a_time = RAYS_ON_DEVICE / caster.beams.subrays.len();
        let some = pixels.start..pixels.end.min(pixels.start + beams_at_a_time);
        let Some(echoes) = tracer.beam_echoes(posed, some.clone())? else { break };
        pixels.start = some.end;
        all.extend(caster.returns_of_device(some, &echoes));
    }
    let beams_at_a_time = (RAYS_AT_A_TIME / caster.beams.subrays.len()).max(1);
    for first in pixels.clone().step_by(beams_at_a_time) {
        let some = first..pixels.end.min(first + beams_at_a_time);
        let mut rays = caster.beams.rays(some.clone());
        if let Some(carrier) = posed.carrier() {
            let from_mount = caster.beams.rays_from_mount(some.clone(), carrier);
            let hits = nearer_hits(tracer, [&rays, &from_mount], seen.world)?;
            // Each hit's own ray gives its normal.
            for ((ray, from_mount), hit) in rays.iter_mut().zip(from_mount).zip(&hits) {
                if carrier.has(hit.geometry_id) {
                    *ray = from_mount;
                }
            }
            all.extend(caster.returns(some, Batch::new(&rays), &hits));
            continue;
        }
        let batch = Batch::new(&rays);
        if caster.beams.is_plain() && seen == RayScope::default() {
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

/// Makes the returns of a view's beams.
struct ReturnCaster<'a> {
    scene: &'a Scene,
    posed: &'a PosedView,
    beams: Beams<'a>,
}

impl ReturnCaster<'_> {
    /// The returns of the beams of some pixels, from the hits of their rays.
    fn returns(&self, pixels: Range<usize>, batch: Batch<'_>, hits: &[Hit]) -> Vec<Return> {
        let count = self.beams.subrays.len();
        let rays: Vec<Ray> = batch.rays().iter().collect();
        let surfaces = Hits::new(self.scene, batch, hits, HitArrays::PRIMITIVE_NORMALS);
        let of_pixel = |index: usize| {
            let range = index * count..(index + 1) * count;
            let normals = &surfaces.primitive_normals[range.clone()];
            self.returns_of(pixels.start + index, &rays[range.clone()], &hits[range], normals)
        };
        gathered(pixels.len(), 1 << 8, |part| part.flat_map(of_pixel).collect())
    }

    fn returns_of(
        &self,
        pixel: usize,
        rays: &[Ray],
        hits: &[Hit],
        normals: &[[f32; 3]],
    ) -> Vec<Return> {
        let pulse = self.beams.pulse();
        let sub_hit = |subray: usize| {
            let hit = hits[subray];
            if !hit.is_hit() {
                return None;
            }
            let reflectance = self.scene.reflectance(hit.geometry_id);
            let distance = f64::from(hit.t);
            let weight = self.beams.subrays[subray].weight;
            let far = distance.max(NEAREST);
            let through = pulse.transmission(distance);
            let cosine = cosine(&rays[subray], normals[subray]);
            let intensity = weight * f64::from(reflectance) * cosine * through / (far * far);
            Some(SubHit { subray, hit, weight, intensity })
        };
        let hit: Vec<SubHit> = (0..hits.len()).filter_map(sub_hit).collect();
        let all = echoes(hit, pulse.rules().range_resolution);
        self.returns_of_echoes(pixel, &all, |strongest, _| (rays[strongest], normals[strongest]))
    }

    /// The returns of the beams of some pixels, from the echoes that a device found.
    fn returns_of_device(&self, pixels: Range<usize>, echoes: &[Vec<Echo>]) -> Vec<Return> {
        let surface = |pixel: usize, subray: usize, hit: &Hit| {
            let ray = self.beams.ray(pixel, subray);
            (ray, surface_at(self.scene, 0, &ray, hit).0)
        };
        let of_pixel = |index: usize| {
            let pixel = pixels.start + index;
            let surface = |subray, hit: &Hit| surface(pixel, subray, hit);
            self.returns_of_echoes(pixel, &echoes[index], surface)
        };
        gathered(echoes.len(), 1 << 8, |part| part.flat_map(of_pixel).collect())
    }

    /// The returns of a beam, from all of its echoes. `surface` gives the ray of the strongest hit
    /// of an echo, and the normal there.
    fn returns_of_echoes(
        &self,
        pixel: usize,
        echoes: &[Echo],
        surface: impl Fn(usize, &Hit) -> (Ray, [f32; 3]),
    ) -> Vec<Return> {
        let sensor = &self.posed.view().camera.sensor;
        // Echoes out of range are dropped. Each echo of a beam has its own noise.
        let reported = |(number, echo): (usize, Echo)| {
            let distance =
                sensor.reported_echo(pixel, number as u32, echo.distance as f32, echo.intensity);
            distance.is_finite().then_some(Echo { distance: distance.into(), ..echo })
        };
        let in_range = echoes.iter().copied().enumerate().filter_map(reported).collect();
        let kept = kept(in_range, &sensor.pulse);
        let count = kept.len() as u8;
        let make = |(number, echo): (u8, Echo)| {
            let (ray, normal) = surface(echo.strongest, &echo.hit);
            let cosine = cosine(&ray, normal) as f32;
            let normal = match self.posed.carrier_of(echo.hit.geometry_id) {
                Some(carrier) => carrier.direction_at(&self.posed.extrinsics(pixel), normal),
                None => normal,
            };
            Return {
                pixel,
                distance: echo.distance as f32,
                hit: echo.hit,
                normal,
                cosine,
                intensity: echo.intensity as f32,
                weight: echo.weight as f32,
                number,
                count,
            }
        };
        (1..).zip(kept).map(make).collect()
    }
}

/// Returns the cosine of the angle between a ray and a normal, from 0 to 1.
fn cosine(ray: &Ray, normal: [f32; 3]) -> f64 {
    let normal = DVec3::from_array(normal.map(f64::from));
    ray.line().direction.normalize().dot(normal).abs().min(1.0)
}
