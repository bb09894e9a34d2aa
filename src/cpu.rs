//! The float64 tracer: reference for the GPU, and what casts where there is none.
//!
//! It walks the same tree as the GPU but reads the shapes' own fields, not the words packed for the
//! GPU: packing is part of what it proves. [`CpuTracer::brute_force`] asks every shape, without a
//! tree, and has the last word.

use crate::camera::View;
use crate::crossings::Crossing;
use crate::geometry::Geometry;
use crate::packed::Packed;
use crate::ray::{Hit, Line, Ray};
use crate::scene::Scene;
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
    /// Which part of it.
    pub primitive_id: u32,
}

impl Nearest {
    /// As a tracer answers: `t` rounded to float32.
    pub(crate) fn hit(&self) -> Hit {
        Hit {
            t: self.crossing.t as f32,
            geometry_id: self.geometry_id,
            primitive_id: self.primitive_id,
        }
    }

    /// The nearer of two; of two at the same place the one with the lower ids.
    fn or(self, other: Option<Self>) -> Self {
        let rank = |nearest: &Self| (nearest.crossing.t, nearest.geometry_id, nearest.primitive_id);
        match other {
            Some(other) if rank(&other) < rank(&self) => other,
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
        let [t_min, t_max] = [f64::from(ray.t_min), f64::from(ray.t_max)];
        let mut meet = |place: u32| {
            let best_t = best.map_or(t_max, |best: Nearest| best.crossing.t);
            if let Some(found) = self.meet(place, &line, [t_min, best_t]) {
                best = Some(found.or(best));
            }
            best.map_or(t_max, |best: Nearest| best.crossing.t)
        };
        // Planes have no box.
        let unbounded = 0..self.packed.unbounded as u32;
        let nearest_plane = unbounded.map(&mut meet).last().unwrap_or(t_max);
        self.packed.tree.walk(&line, [t_min, nearest_plane], 0.0, |place| {
            meet(self.packed.unbounded as u32 + place)
        });
        best
    }

    /// What a valid ray meets first, by asking every part.
    pub fn brute_force(&self, ray: &Ray) -> Option<Nearest> {
        let line = ray.line();
        let interval = [f64::from(ray.t_min), f64::from(ray.t_max)];
        let parts = self.scene.visible().flat_map(|(geometry_id, geometry)| {
            let count = geometry.part_count() as u32;
            (0..count).map(move |primitive_id| (geometry_id, geometry, primitive_id))
        });
        parts
            .filter_map(|(geometry_id, geometry, primitive_id)| {
                let crossing = geometry.first_crossing(primitive_id, &line, interval)?;
                Some(Nearest { crossing, geometry_id, primitive_id })
            })
            .reduce(|best, found| found.or(Some(best)))
    }

    /// What a record's shape answers.
    fn meet(&self, place: u32, line: &Line, interval: [f64; 2]) -> Option<Nearest> {
        // A record's part is one of the scene that it was packed from.
        let part = self.packed.records[place as usize].part;
        let [geometry_id, primitive_id] = self.scene.parts().ids(part);
        match &self.scene.geometries()[geometry_id as usize] {
            Geometry::Heightfield(field) => {
                let (crossing, primitive_id) = field.first_crossing(line, interval)?;
                Some(Nearest { crossing, geometry_id, primitive_id })
            }
            geometry => {
                let crossing = geometry.first_crossing(primitive_id, line, interval)?;
                Some(Nearest { crossing, geometry_id, primitive_id })
            }
        }
    }

    /// The parts whose boxes, grown by `pad`, the line meets in `interval`, and every plane: their
    /// `geometry_id` and `primitive_id`.
    pub(crate) fn near(&self, line: &Line, interval: [f64; 2], pad: f64) -> Vec<[u32; 2]> {
        let mut ids = Vec::new();
        let mut add = |place: u32| {
            let [geometry_id, primitive_id] =
                self.scene.parts().ids(self.packed.records[place as usize].part);
            match &self.scene.geometries()[geometry_id as usize] {
                Geometry::Heightfield(field) => field.walk(line, interval, pad, |place| {
                    ids.push([geometry_id, place as u32]);
                    interval[1]
                }),
                _ => ids.push([geometry_id, primitive_id]),
            }
            interval[1]
        };
        let unbounded = self.packed.unbounded as u32;
        (0..unbounded).for_each(|place| _ = add(place));
        self.packed.tree.walk(line, interval, pad, |place| add(unbounded + place));
        ids
    }
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
