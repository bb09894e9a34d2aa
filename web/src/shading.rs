//! Lights a picture by a sun with shadows and by the sky. It is made row by row in one pass, so that the first picture is
//! there at once; the program's pictures take many more rays.

use crate::caster::Caster;
use raytwin::glam::{DVec3, Vec3};
use raytwin::gpu::GpuTracer;
use raytwin::image::Image;
use raytwin::ray::NONE;
use raytwin::{Ray, Scene, TraceError, View};

const SUN: Vec3 = Vec3::new(0.94, 0.89, 0.82);
const SKY: Vec3 = Vec3::new(0.46, 0.50, 0.57);
const BOUNCE: Vec3 = Vec3::new(0.27, 0.25, 0.23);
/// A weak light from the camera, which reaches where neither sun nor sky does.
const FILL: f32 = 0.12;
/// The coverage of the shadow on the floor.
const SHADOW: f32 = 0.34;

/// The lights of one view of a scene.
pub struct Shading<'a> {
    scene: &'a Scene,
    view: &'a View,
    up: usize,
    sun: Vec3,
    floor: Option<&'a Floor>,
}

/// A level floor below the lowest geometry, which shows nothing but shadows.
pub struct Floor {
    center: DVec3,
    /// Shadows beyond this distance from the centre are not shown.
    radius: f64,
}

impl Floor {
    /// Returns the floor of a scene; `None` for one that has no end, which has a ground of its own.
    pub fn of(scene: &Scene) -> Option<Self> {
        let is_plane = |(kind, _): &(&str, usize)| *kind == "plane";
        if scene.census().iter().any(is_plane) {
            return None;
        }
        let bounds = scene.bounds();
        let mut center = bounds.center();
        center[scene.up.index()] = bounds.min[scene.up.index()];
        Some(Self { center, radius: 3.0 * bounds.radius() })
    }
}

impl<'a> Shading<'a> {
    pub fn new(scene: &'a Scene, floor: Option<&'a Floor>, view: &'a View) -> Self {
        let camera = &view.camera;
        let up = scene.up.index();
        // The sun stands above, to the left of the camera and a little behind it, so that what is seen is lit.
        let sun = DVec3::AXES[up] - 0.65 * camera.right - 0.5 * camera.forward;
        Self { scene, view, up, sun: sun.normalize().as_vec3(), floor }
    }

    /// Returns four bytes a pixel of an image whose first pixel is that one.
    pub async fn pixels(
        &self,
        caster: &Caster,
        gpu: Option<&GpuTracer>,
        image: &Image,
        first_pixel: usize,
    ) -> Result<Vec<u8>, TraceError> {
        let samples: Vec<Sample> = (0..image.hits.len())
            .map(|index| self.sample(image, index, first_pixel + index))
            .collect();
        let lit: Vec<usize> = (0..samples.len()).filter(|&at| samples[at].sees_sun_side).collect();
        let rays: Vec<Ray> = lit.iter().map(|&at| self.to_sun(&samples[at])).collect();
        let mut is_hidden = vec![false; samples.len()];
        for (&at, hidden) in lit.iter().zip(caster.any(gpu, &rays).await?) {
            is_hidden[at] = hidden;
        }
        let pixels = samples.iter().zip(is_hidden);
        Ok(pixels.flat_map(|(sample, is_hidden)| self.color(sample, is_hidden)).collect())
    }

    fn sample(&self, image: &Image, index: usize, pixel: usize) -> Sample {
        let line = self.view.line(pixel);
        let id = image.hits.geometry_ids[index];
        let mut sample = Sample {
            id,
            point: DVec3::ZERO,
            distance: f64::from(image.hits.t_hit[index]),
            normal: Vec3::from(image.hits.primitive_normals[index]),
            cosine: 0.0,
            sees_sun_side: false,
            floor: 0.0,
        };
        if id == NONE {
            let Some(Floor { center, radius }) = self.floor else { return sample };
            let t = (center[self.up] - line.origin[self.up]) / line.direction[self.up];
            if line.direction[self.up] >= 0.0 || t <= 0.0 {
                return sample;
            }
            let outwards = (line.at(t) - center).length() / radius;
            sample.floor = (1.0 - outwards).clamp(0.0, 1.0) as f32;
            sample.sees_sun_side = sample.floor > 0.0;
            sample.distance = t;
            sample.normal = Vec3::AXES[self.up];
        }
        let cosine = -sample.normal.dot(line.direction.as_vec3());
        sample.point = line.at(sample.distance);
        if cosine < 0.0 {
            sample.normal = -sample.normal;
        }
        sample.cosine = cosine.abs();
        sample.sees_sun_side |= id != NONE && sample.normal.dot(self.sun) > 0.0;
        sample
    }

    /// Returns the ray from a sample to the sun. It starts a little above the surface, farther than rounding may have moved
    /// the hit.
    fn to_sun(&self, sample: &Sample) -> Ray {
        const ROUNDING: f64 = 2e-6;
        let magnitude = sample.point.abs().max_element() + sample.distance;
        let above = (2.0 * ROUNDING * magnitude).max(1e-4 * sample.distance);
        Ray::new((sample.point + above * sample.normal.as_dvec3()).as_vec3(), self.sun)
    }

    fn color(&self, sample: &Sample, is_hidden: bool) -> [u8; 4] {
        if sample.id == NONE {
            let coverage = if is_hidden { SHADOW * sample.floor * sample.floor } else { 0.0 };
            return [12, 16, 28, (255.0 * coverage) as u8];
        }
        let is_lit = sample.sees_sun_side && !is_hidden;
        let sun = if is_lit { sample.normal.dot(self.sun) * SUN } else { Vec3::ZERO };
        let sky = BOUNCE.lerp(SKY, 0.5 + 0.5 * sample.normal[self.up]);
        // Mirrored light grows towards a grazing view by the power of Schlick's approximation (1994).
        let sheen = (0.025 + 0.2 * (1.0 - sample.cosine).powi(5)) * sky;
        let light = self.base(sample.id) * (sun + sky + Vec3::splat(FILL * sample.cosine)) + sheen;
        let [r, g, b] = light.to_array().map(|value| srgb(toned(value)));
        [r, g, b, 255]
    }

    /// Returns the linear colour of a geometry.
    fn base(&self, id: u32) -> Vec3 {
        let color = self.scene.color(id).unwrap_or_else(|| match id {
            0 => [0.80, 0.80, 0.79],
            id => soft_color(id),
        });
        Vec3::from(color.map(linear))
    }
}

/// What a pixel sees.
struct Sample {
    id: u32,
    point: DVec3,
    distance: f64,
    /// The normal towards the camera.
    normal: Vec3,
    cosine: f32,
    sees_sun_side: bool,
    /// The share of a shadow that the floor shows there.
    floor: f32,
}

/// A colour for a geometry without one. Steps of the golden ratio put neighbours far apart on the colour circle.
fn soft_color(id: u32) -> [f32; 3] {
    let turn = std::f32::consts::TAU * (0.6 + (id - 1) as f32 * 0.381_966).fract();
    [0.0, 1.0, 2.0].map(|third| {
        let phase = turn - third * std::f32::consts::TAU / 3.0;
        0.66 + 0.17 * phase.cos()
    })
}

fn linear(value: f32) -> f32 {
    if value <= 0.040_45 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
}

/// Presses light above a display's white gently below it.
fn toned(value: f32) -> f32 {
    const KNEE: f32 = 0.75;
    let excess = (value - KNEE).max(0.0);
    value.min(KNEE) + (1.0 - KNEE) * excess / (excess + 1.0 - KNEE)
}

fn srgb(value: f32) -> u8 {
    let value = value.clamp(0.0, 1.0);
    let encoded = match value <= 0.003_130_8 {
        true => 12.92 * value,
        false => 1.055 * value.powf(1.0 / 2.4) - 0.055,
    };
    (255.0 * encoded).round() as u8
}
