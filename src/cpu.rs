//! The float64 tracer: reference for the GPU, and what casts where there is none.
//!
//! It walks the same tree as the GPU but reads the shapes' own fields, not the words packed for the
//! GPU: packing is part of what it proves. [`CpuTracer::brute_force`] asks every shape, without a
//! tree, and has the last word.

use crate::camera::View;
use crate::packed::Packed;
use crate::ray::{Hit, Line, Ray};
use crate::scene::Scene;
use crate::shapes::{Crossing, Shape};
use crate::tracer::{TraceError, Tracer};
use rayon::prelude::*;
use std::ops::Range;

/// What a line meets first, in float64.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Nearest {
    /// Where, and through which face.
    pub crossing: Crossing,
    /// Which geometry.
    pub geometry_id: u32,
}

impl Nearest {
    /// As a tracer answers: `t` rounded to float32.
    pub(crate) fn hit(&self) -> Hit {
        Hit { t: self.crossing.t as f32, geometry_id: self.geometry_id }
    }

    /// The nearer of two; of two at the same place the one with the lower id.
    fn or(self, other: Option<Self>) -> Self {
        match other {
            Some(other)
                if (other.crossing.t, other.geometry_id) < (self.crossing.t, self.geometry_id) =>
            {
                other
            }
            _ => self,
        }
    }
}

/// Casts rays in float64 on all cores.
#[derive(Clone, Copy, Debug)]
pub struct CpuTracer<'a> {
    scene: &'a Scene,
    packed: &'a Packed,
}

impl<'a> CpuTracer<'a> {
    /// A tracer of a scene and the tree that was packed from it.
    pub fn new(scene: &'a Scene, packed: &'a Packed) -> Self {
        Self { scene, packed }
    }

    /// What a valid ray meets first, by a walk of the tree; `None` for a miss.
    pub fn nearest(&self, ray: &Ray) -> Option<Nearest> {
        let line = ray.line();
        let mut best = None;
        let interval = [f64::from(ray.t_min), f64::from(ray.t_max)];
        self.packed.tree.walk(&line, interval, 0.0, |place| {
            let id = self.packed.records[place as usize].geometry_id;
            // A record's id is a place in the scene that it was packed from.
            let shape = &self.scene.shapes()[id as usize];
            if let Some(found) = first_crossing(shape, id, &line, interval) {
                best = Some(found.or(best));
            }
            best.map_or(interval[1], |best: Nearest| best.crossing.t)
        });
        best
    }

    /// What a valid ray meets first, by asking every shape.
    pub fn brute_force(&self, ray: &Ray) -> Option<Nearest> {
        let line = ray.line();
        let interval = [f64::from(ray.t_min), f64::from(ray.t_max)];
        self.scene
            .visible()
            .filter_map(|(id, shape)| first_crossing(shape, id, &line, interval))
            .reduce(|best, found| found.or(Some(best)))
    }

    /// The geometries whose boxes, grown by `pad`, the line meets in `interval`.
    pub(crate) fn near(&self, line: &Line, interval: [f64; 2], pad: f64) -> Vec<u32> {
        let mut ids = Vec::new();
        self.packed.tree.walk(line, interval, pad, |place| {
            ids.push(self.packed.records[place as usize].geometry_id);
            interval[1]
        });
        ids
    }
}

/// Where a shape is first met in a closed interval.
fn first_crossing(
    shape: &Shape,
    geometry_id: u32,
    line: &Line,
    [t_min, t_max]: [f64; 2],
) -> Option<Nearest> {
    let crossing = shape.span(line)?.first_from(t_min)?;
    (crossing.t <= t_max).then_some(Nearest { crossing, geometry_id })
}

/// The float32 answer for a ray, of which `cast` finds the nearest if it can be cast.
fn answer(ray: &Ray, cast: impl FnOnce(&Ray) -> Option<Nearest>) -> Hit {
    if !ray.is_valid() {
        return Hit::INVALID;
    }
    cast(ray).map_or(Hit::MISS, |nearest| nearest.hit())
}

impl Tracer for CpuTracer<'_> {
    fn closest(&self, rays: &[Ray]) -> Result<Vec<Hit>, TraceError> {
        Ok(rays.par_iter().map(|ray| answer(ray, |ray| self.nearest(ray))).collect())
    }

    fn camera_rays(&self, view: &View, pixels: Range<usize>) -> Result<Vec<Ray>, TraceError> {
        Ok(pixels.into_par_iter().map(|pixel| view.ray(pixel)).collect())
    }

    fn render(&self, view: &View, pixels: Range<usize>) -> Result<Vec<Hit>, TraceError> {
        Ok(pixels
            .into_par_iter()
            .map(|pixel| answer(&view.ray(pixel), |ray| self.nearest(ray)))
            .collect())
    }

    fn device(&self) -> String {
        format!("CPU, float64, {} threads", rayon::current_num_threads())
    }
}
