//! Lights a picture as the program does, but with one ray to the sun and none to the sky. It is
//! made row by row in one pass, so that the first picture is there at once; the program's pictures
//! take many more rays.

use crate::caster::Caster;
use raytwin::glam::{DVec3, Vec3};
use raytwin::gpu::GpuTracer;
use raytwin::image::color::{bytes, toned};
use raytwin::image::{Image, Stage};
use raytwin::ray::NONE;
use raytwin::{Ray, TraceError, View};

/// The share of the sky that surfaces see where nothing tells what hides it from them.
const SKY: f32 = 0.9;

/// The light of one view of a scene.
pub struct Shading<'a> {
    pub stage: Stage<'a>,
    pub view: &'a View,
}

impl Shading<'_> {
    /// Returns four bytes a pixel of an image whose first pixel is that one.
    pub async fn pixels(
        &self,
        caster: &Caster,
        gpu: Option<&GpuTracer>,
        image: &Image,
        first_pixel: usize,
    ) -> Result<Vec<u8>, TraceError> {
        let samples: Vec<Option<Sample>> = (0..image.hits.len())
            .map(|index| self.sample(image, index, first_pixel + index))
            .collect();
        let to_sun: Vec<Ray> = samples.iter().flatten().filter_map(|s| self.to_sun(s)).collect();
        let mut is_hidden = caster.any(gpu, &to_sun).await?.into_iter();
        let color = |sample: &Option<Sample>| match sample {
            None => [0; 4],
            Some(sample) => {
                let sees_sun = self.faces_sun(sample) && is_hidden.next() == Some(false);
                self.color(sample, if sees_sun { 1.0 } else { 0.0 })
            }
        };
        Ok(samples.iter().flat_map(color).collect())
    }

    /// Returns what a pixel sees: a geometry or the floor.
    fn sample(&self, image: &Image, index: usize, pixel: usize) -> Option<Sample> {
        let line = self.view.line(pixel);
        let id = image.hits.geometry_ids[index];
        let (distance, normal) = match id {
            NONE => (self.stage.floor(&line)?, self.stage.up()),
            _ => {
                let normal = Vec3::from(image.hits.primitive_normals[index]);
                (image.hits.t_hit[index].into(), normal)
            }
        };
        let cosine = -normal.dot(line.direction.as_vec3());
        Some(Sample {
            id,
            point: line.at(distance),
            distance,
            normal: if cosine < 0.0 { -normal } else { normal },
            cosine: cosine.abs(),
        })
    }

    fn faces_sun(&self, sample: &Sample) -> bool {
        sample.normal.dot(self.stage.sun()) > 0.0
    }

    /// Returns the ray from a sample to the sun, if its surface faces that. It starts a little
    /// above the surface, farther than rounding may have moved the hit.
    fn to_sun(&self, sample: &Sample) -> Option<Ray> {
        const ROUNDING: f64 = 2e-6;
        let magnitude = sample.point.abs().max_element() + sample.distance;
        let above = (2.0 * ROUNDING * magnitude).max(1e-4 * sample.distance);
        let start = (sample.point + above * sample.normal.as_dvec3()).as_vec3();
        self.faces_sun(sample).then(|| Ray::new(start, self.stage.sun()))
    }

    fn color(&self, sample: &Sample, sun: f32) -> [u8; 4] {
        // The page lies behind the picture, so a shadow on the floor is a black veil, and what
        // fades lets the page through.
        let covered = |share: f32| (255.0 * share + 0.5) as u8;
        if sample.id == NONE {
            return [0, 0, 0, covered(1.0 - self.stage.on_floor(sample.point, sun, 1.0))];
        }
        let light = self.stage.lit(sample.id, sample.normal, sample.cosine, sun, SKY);
        let [r, g, b] = bytes(toned(light), 0.5);
        let faded = self.stage.faded(sample.id, sample.distance as f32);
        [r, g, b, covered(1.0 - faded)]
    }
}

/// A geometry or the floor, as a pixel sees it.
struct Sample {
    /// The geometry's id, or that of nothing for the floor.
    id: u32,
    point: DVec3,
    distance: f64,
    /// The normal towards the camera.
    normal: Vec3,
    cosine: f32,
}
